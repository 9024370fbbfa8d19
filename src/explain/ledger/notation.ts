// Prints Einlang as mathematics in TeX. Coordinates are subscripts, `d_W` is W with a bar, and
// reductions are large operators:
//
//    sum[j](a[i, j])   is   \sum_{j} a_{i,\,j}

import type * as ast from "../../syntax/tree/ast.ts";
import { parse } from "../../syntax/parse/parser.ts";
import { textOf } from "../../base/source.ts";

/** One statement as an equation. A statement without a mathematical form is printed as code. */
export function statementTex(line: string): string {
  const { module, diagnostics } = parse({ name: "tex", text: line });
  const [statement] = module.statements;
  if (!statement || diagnostics.length > 0) return codeTex(line);
  switch (statement.kind) {
    case "indexed-let":
      return (
        `${nameTex(statement.name.text)}${subscript(statement.slots.map(slotTex))} = ` +
        valueTex(statement.value, statement.where)
      );
    case "let":
      return statement.pattern.kind === "name"
        ? `${nameTex(statement.pattern.name.text)} = ${valueTex(statement.value, statement.where)}`
        : codeTex(line);
    default:
      return codeTex(line);
  }
}

/** An expression as a formula. */
export function expressionTex(text: string): string {
  const { module, diagnostics } = parse({ name: "tex", text: `let _ = ${text};` });
  const [statement] = module.statements;
  if (statement?.kind !== "let" || diagnostics.length > 0) return codeTex(text);
  return valueTex(statement.value, statement.where);
}

/** Text in typewriter letters, without a change. */
export function codeTex(text: string): string {
  return `\\texttt{${escapeTex(text)}}`;
}

export function escapeTex(text: string): string {
  return text
    .replace(/[\\{}$&#%_^~]/g, (mark) =>
      mark === "\\"
        ? "\\textbackslash{}"
        : mark === "^"
          ? "\\^{}"
          : mark === "~"
            ? "\\~{}"
            : `\\${mark}`,
    )
    .replace(/\n/g, " ");
}

/** One letter stands for itself. A longer name is set as one word. `d_x` is x with a bar. */
export function nameTex(name: string): string {
  if (/^d_\w/.test(name)) return `\\bar{${nameTex(name.slice(2))}}`;
  const [, stem = name, number] = /^(.*?)_(\d+)$/.exec(name) ?? [];
  const base = stem.length === 1 ? stem : `\\mathit{${stem.replace(/_/g, "\\_")}}`;
  return number === undefined ? base : `${base}^{(${number})}`;
}

function subscript(indices: readonly string[]): string {
  return indices.length === 0 ? "" : `_{${indices.join(",\\,")}}`;
}

function slotTex(slot: ast.Slot): string {
  switch (slot.kind) {
    case "coordinate":
      return nameTex(slot.name.text);
    case "pack":
      return `\\ldots ${nameTex(slot.name.text)}`;
    case "expression":
      return operandTex(slot.value, 0);
    default:
      return slot satisfies never;
  }
}

function valueTex(value: ast.Expression, where: ast.Where | undefined): string {
  const conditions = where ? itemsTex(where) : [];
  const text = operandTex(value, 0);
  return conditions.length === 0
    ? text
    : `${text} \\quad\\text{where } ${conditions.join(",\\; ")}`;
}

function itemsTex(where: ast.Where): readonly string[] {
  return where.items.map((item) =>
    item.kind === "guard"
      ? operandTex(item.condition, 0)
      : `${nameTex(item.name.text)} = ${operandTex(item.value, 0)}`,
  );
}

const operators: Readonly<
  Record<ast.BinaryOperator, { readonly text: string; readonly strength: number }>
> = {
  "|>": { text: "\\triangleright", strength: 1 },
  "||": { text: "\\lor", strength: 1 },
  "&&": { text: "\\land", strength: 2 },
  "==": { text: "=", strength: 3 },
  "!=": { text: "\\ne", strength: 3 },
  "<": { text: "<", strength: 3 },
  "<=": { text: "\\le", strength: 3 },
  ">": { text: ">", strength: 3 },
  ">=": { text: "\\ge", strength: 3 },
  in: { text: "\\in", strength: 3 },
  "+": { text: "+", strength: 4 },
  "-": { text: "-", strength: 4 },
  "*": { text: "\\,", strength: 5 },
  "/": { text: "/", strength: 5 },
  "%": { text: "\\bmod", strength: 5 },
  "**": { text: "^", strength: 7 },
};

const functionsTex: Readonly<Record<string, string>> = {
  exp: "\\exp",
  log: "\\log",
  sin: "\\sin",
  cos: "\\cos",
  tan: "\\tan",
  tanh: "\\tanh",
  max: "\\max",
  min: "\\min",
};
const reductionsTex: Readonly<Record<string, string>> = {
  sum: "\\sum",
  prod: "\\prod",
  max: "\\max",
  min: "\\min",
  mean: "\\operatorname{mean}",
  argmax: "\\operatorname*{arg\\,max}",
  argmin: "\\operatorname*{arg\\,min}",
  any: "\\bigvee",
  all: "\\bigwedge",
  count: "\\#",
  logsumexp: "\\operatorname{logsumexp}",
};

/** Own properties only: a name of a program may be `constructor`, which every object has. */
function ownEntry(words: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}

/** An expression in its surroundings: in parentheses if it binds less strongly than `least`. */
function operandTex(expression: ast.Expression, least: number): string {
  const { text, strength } = textAndStrength(expression);
  return strength < least ? `\\left(${text}\\right)` : text;
}

const atom = 9;

function textAndStrength(expression: ast.Expression): {
  readonly text: string;
  readonly strength: number;
} {
  switch (expression.kind) {
    case "number":
      return { text: numberTex(expression.text), strength: atom };
    case "path":
      return { text: nameTex(expression.segments.at(-1)!.text), strength: atom };
    case "unary":
      return expression.operator === "-" || expression.operator === "+"
        ? { text: `${expression.operator}${operandTex(expression.operand, 5)}`, strength: 4 }
        : {
            text:
              (expression.operator === "!" ? "\\lnot " : "\\partial ") +
              operandTex(expression.operand, 6),
            strength: 6,
          };
    case "binary":
      return binaryTex(expression);
    case "range":
      return {
        text: `[${operandTex(expression.from, 0)},\\, ${operandTex(expression.to, 0)})`,
        strength: atom,
      };
    case "cast":
      return textAndStrength(expression.operand);
    case "index":
      return {
        text: operandTex(expression.base, atom) + subscript(expression.items.map(itemTex)),
        strength: atom,
      };
    case "call":
      return callTex(expression);
    case "if":
      return { text: casesTex(expression), strength: atom };
    case "guarded":
      return { text: valueTex(expression.value, expression.where), strength: 0 };
    default:
      return { text: codeTex(textOf(expression.span)), strength: atom };
  }
}

function numberTex(text: string): string {
  const [, digits = text, exponent] = /^(.*?)e([-+]?\d+)$/i.exec(text) ?? [];
  return exponent === undefined
    ? digits.replace(/_/g, "\\,")
    : `${digits} \\cdot 10^{${Number(exponent)}}`;
}

function binaryTex({ operator, left, right }: ast.Binary): {
  readonly text: string;
  readonly strength: number;
} {
  const { text, strength } = operators[operator];
  if (operator === "/")
    return {
      text: `\\frac{${operandTex(left, 0)}}{${operandTex(right, 0)}}`,
      strength: 8,
    };
  if (operator === "**") {
    const base = operandTex(left, atom);
    // The base may have a superscript already, and TeX allows only one.
    return {
      text: `${base.includes("^") ? `{${base}}` : base}^{${operandTex(right, 0)}}`,
      strength,
    };
  }
  const tight = operator === "-" || operator === "%" ? strength + 1 : strength;
  const product =
    `${operandTex(left, strength)} ${operator === "*" && isNumber(right) ? "\\cdot" : text} ` +
    operandTex(right, tight);
  return { text: product, strength };
}

function isNumber(expression: ast.Expression): boolean {
  return (
    expression.kind === "number" || (expression.kind === "cast" && isNumber(expression.operand))
  );
}

function itemTex(item: ast.IndexItem): string {
  switch (item.kind) {
    case "expression":
      return operandTex(item.value, 0);
    case "pack":
      return `\\ldots ${nameTex(item.name.text)}`;
    case "pin":
      return `${nameTex(item.name.text)} = ${operandTex(item.value, 0)}`;
    default:
      return item satisfies never;
  }
}

function callTex({ callee, bracket, arguments: given }: ast.Call): {
  readonly text: string;
  readonly strength: number;
} {
  const name = callee.kind === "path" ? callee.segments.at(-1)!.text : "";
  if (bracket) {
    const [only] = given;
    const guard = only?.value.kind === "guarded" ? itemsTex(only.value.where) : [];
    const body = only?.value.kind === "guarded" ? only.value.value : only?.value;
    const below = [bracket.map(bracketTex).join(",\\,"), ...guard].join("\\\\ ");
    const under = guard.length > 0 ? `\\substack{${below}}` : below;
    return {
      text:
        `${ownEntry(reductionsTex, name) ?? nameTex(name)}_{${under}} ` +
        (body ? operandTex(body, 5) : ""),
      strength: 5,
    };
  }
  const inside = given.map(({ value }) => operandTex(value, 0)).join(",\\, ");
  if (name === "sqrt") return { text: `\\sqrt{${inside}}`, strength: atom };
  if (name === "abs" || name === "extent")
    return { text: `\\left|${inside}\\right|`, strength: atom };
  const operator = ownEntry(functionsTex, name) ?? `\\operatorname{${name.replace(/_/g, "\\_")}}`;
  return {
    text: `${operator}\\left(${inside}\\right)`,
    strength: atom,
  };
}

function bracketTex(item: ast.BracketItem): string {
  switch (item.kind) {
    case "coordinate":
      return item.range
        ? `${nameTex(item.name.text)} \\in ${operandTex(item.range, 0)}`
        : nameTex(item.name.text);
    case "pack":
      return `\\ldots ${nameTex(item.name.text)}`;
    case "group":
      return item.names.map((name) => nameTex(name.text)).join(",");
    case "expression":
      return operandTex(item.value, 0);
    default:
      return item satisfies never;
  }
}

function casesTex(expression: ast.If): string {
  const rows: string[] = [];
  let rest: ast.If | ast.Block | undefined = expression;
  while (rest?.kind === "if") {
    rows.push(`${blockTex(rest.then)} & \\text{if } ${operandTex(rest.condition, 0)}`);
    rest = rest.otherwise;
  }
  if (rest) rows.push(`${blockTex(rest)} & \\text{otherwise}`);
  return `\\begin{cases} ${rows.join(" \\\\ ")} \\end{cases}`;
}

function blockTex(block: ast.Block): string {
  return block.value && block.statements.length === 0
    ? operandTex(block.value, 0)
    : codeTex(textOf(block.span));
}
