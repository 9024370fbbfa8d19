// Writes a syntax tree as one compact s-expression, for tests and debugging. Names and literals
// stand for themselves: `a + b * c` gives `(+ a (* b c))`.

import type {
  Argument,
  Block,
  BracketItem,
  ComprehensionClause,
  Dim,
  Expression,
  If,
  IndexItem,
  Module,
  Pattern,
  Slot,
  Statement,
  StringPart,
  Type,
  UseTree,
  Where,
  WhereItem,
} from "../../src/syntax/tree/ast.ts";

type Part = string | undefined | false;

function form(...parts: readonly (Part | readonly string[])[]): string {
  return `(${parts.flat().filter(Boolean).join(" ")})`;
}

function inBrackets(parts: readonly string[]): string {
  return `[${parts.join(" ")}]`;
}

export function showModule(module: Module): string {
  return module.statements.map(showStatement).join("\n");
}

export function showStatement(it: Statement): string {
  const inner = showBare(it);
  const exported = it.public ? `(pub ${inner})` : inner;
  return it.allow.length > 0
    ? form("allow", inBrackets(it.allow.map((name) => name.text)), exported)
    : exported;
}

function showBare(it: Statement): string {
  switch (it.kind) {
    case "let":
      return form(
        "let",
        showPattern(it.pattern),
        typed(it.type),
        showExpression(it.value),
        where(it.where),
      );
    case "indexed-let": {
      const head = it.checkpoint ? "checkpoint-let" : "let";
      return form(
        head,
        it.name.text,
        inBrackets(it.slots.map(showSlot)),
        typed(it.type),
        showExpression(it.value),
        where(it.where),
      );
    }
    case "const":
      return form("const", it.name.text, typed(it.type), showExpression(it.value));
    case "input":
      return form("input", it.name.text, showType(it.type));
    case "fn":
    case "tangent-fn": {
      const head = it.kind === "fn" ? "fn" : it.surrogate ? "surrogate-@fn" : "@fn";
      const coordinates = it.coordinates.map((one) =>
        one.pack ? `..${one.name.text}` : one.name.text,
      );
      const parameters = it.parameters.map((one) =>
        one.type || one.default
          ? form(one.name.text, typed(one.type), one.default && `= ${showExpression(one.default)}`)
          : one.name.text,
      );
      const result = it.result && `-> ${showType(it.result)}`;
      return form(
        head,
        it.name.text,
        coordinates.length > 0 && inBrackets(coordinates),
        form(parameters),
        result,
        showExpression(it.body),
      );
    }
    case "use":
      return form("use", showUse(it.tree));
    case "mod":
      return form(
        "mod",
        it.name.text,
        it.statements && inBrackets(it.statements.map(showStatement)),
      );
    case "enum": {
      const variants = it.variants.map((one) => {
        const fields = one.fields.map(
          (field) => (field.name ? `${field.name.text}: ` : "") + showType(field.type),
        );
        return fields.length > 0 ? form(one.name.text, fields) : one.name.text;
      });
      return form("enum", it.name.text, generics(it.generics), variants);
    }
    case "struct":
      return form(
        "struct",
        it.name.text,
        generics(it.generics),
        it.fields.map((one) => `${one.name.text}: ${showType(one.type)}`),
      );
    case "expression":
      return showExpression(it.value);
    case "missing":
      return "<missing>";
    default:
      return it satisfies never;
  }
}

function typed(type: Type | undefined): Part {
  return type && `: ${showType(type)}`;
}

function generics(names: readonly { readonly text: string }[]): Part {
  return names.length > 0 && `<${names.map((name) => name.text).join(" ")}>`;
}

function showUse(tree: UseTree): string {
  const path = tree.path.map((name) => name.text).join("::");
  switch (tree.kind) {
    case "name":
      return tree.as ? form(path, "as", tree.as.text) : path;
    case "all":
      return `${path}::*`;
    case "group":
      return `${path}::${inBrackets(tree.members.map(showUse))}`;
    default:
      return tree satisfies never;
  }
}

export function showSlot(slot: Slot | BracketItem | IndexItem): string {
  switch (slot.kind) {
    case "coordinate":
      return slot.range ? form(slot.name.text, "in", showExpression(slot.range)) : slot.name.text;
    case "pack":
      return `..${slot.name.text}`;
    case "pin":
      return form("pin", slot.name.text, showExpression(slot.value));
    case "group":
      return form(
        "group",
        slot.names.map((name) => name.text),
      );
    case "expression":
      return showExpression(slot.value);
    default:
      return slot satisfies never;
  }
}

function where(it: Where | undefined): Part {
  return (
    it &&
    form("where", it.items.map(showItem), it.otherwise && `else ${showExpression(it.otherwise)}`)
  );
}

function showItem(it: WhereItem | ComprehensionClause): string {
  switch (it.kind) {
    case "guard":
      return showExpression(it.condition);
    case "binding":
      return form("=", it.name.text, showExpression(it.value));
    case "generator":
      return form("draw", showPattern(it.pattern), showExpression(it.source));
    default:
      return it satisfies never;
  }
}

function showArgument(it: Argument): string {
  return it.name ? form("=", it.name.text, showExpression(it.value)) : showExpression(it.value);
}

function showPart(it: StringPart): string {
  if (it.kind === "text") return JSON.stringify(it.text);
  return form(
    "show",
    showExpression(it.value),
    it.format !== undefined && JSON.stringify(it.format),
  );
}

/**
 * The first operand of a form, and the text before and after that operand: `a.b` has the inner `a`,
 * opens with `(. ` and ends with ` b)`.
 */
interface Link {
  readonly open: string;
  readonly inner: Expression;
  readonly rest: readonly (Part | readonly string[])[];
}

/**
 * `a + b + c + …` nests to the left, as deep as it is long. The loop walks along the first
 * operands, so a long chain needs no deep recursion.
 */
export function showExpression(it: Expression): string {
  const opens: string[] = [];
  const rests: string[] = [];
  let at = it;
  for (let link = linkOf(at); link; link = linkOf(at)) {
    opens.push(`(${link.open} `);
    rests.push(
      `${link.rest
        .flat()
        .filter(Boolean)
        .map((part) => ` ${part}`)
        .join("")})`,
    );
    at = link.inner;
  }
  return opens.join("") + showOperand(at as Innermost) + rests.reverse().join("");
}

function linkOf(it: Expression): Link | undefined {
  switch (it.kind) {
    case "binary":
      return { open: it.operator, inner: it.left, rest: [showExpression(it.right)] };
    case "range":
      return { open: it.inclusive ? "..=" : "..", inner: it.from, rest: [showExpression(it.to)] };
    case "cast":
      return { open: "as", inner: it.operand, rest: [showType(it.type)] };
    case "index":
      return { open: "index", inner: it.base, rest: [it.items.map(showSlot)] };
    case "call": {
      const bracket = it.bracket && inBrackets(it.bracket.map(showSlot));
      return { open: "call", inner: it.callee, rest: [bracket, it.arguments.map(showArgument)] };
    }
    case "member":
      return { open: ".", inner: it.base, rest: [it.name.text] };
    default:
      return undefined;
  }
}

type Innermost = Exclude<
  Expression,
  { kind: "binary" | "range" | "cast" | "index" | "call" | "member" }
>;

/** `else if` chains nest to the right, so they are walked in a loop. */
function showIf(it: If): string {
  const parts: string[] = [];
  let depth = 0;
  let at: If | Block | undefined = it;
  for (; at?.kind === "if"; at = at.otherwise) {
    parts.push(
      `${depth > 0 ? " " : ""}(if ${showExpression(at.condition)} ${showExpression(at.then)}`,
    );
    depth++;
  }
  if (at) parts.push(` ${showExpression(at)}`);
  return parts.join("") + ")".repeat(depth);
}

function showOperand(it: Innermost): string {
  switch (it.kind) {
    case "number":
      return it.text + (it.suffix ?? "");
    case "string":
      return form("string", it.parts.map(showPart));
    case "bool":
      return String(it.value);
    case "path":
      return it.segments.map((name) => name.text).join("::");
    case "unary":
      return form(it.operator, showExpression(it.operand));
    case "if":
      return showIf(it);
    case "block":
      return `{${[
        ...it.statements.map((one) => `${showStatement(one)};`),
        ...(it.value ? [showExpression(it.value)] : []),
      ].join(" ")}}`;
    case "match": {
      const arms = it.arms.map((arm) =>
        form(
          showPattern(arm.pattern),
          arm.guard && `where ${showExpression(arm.guard)}`,
          "=>",
          showExpression(arm.body),
        ),
      );
      return form("match", showExpression(it.subject), arms);
    }
    case "lambda":
      return form(
        "lambda",
        form(
          it.parameters.map((one) => one.name.text + (one.type ? `: ${showType(one.type)}` : "")),
        ),
        showExpression(it.body),
      );
    case "tuple":
      return form("tuple", it.members.map(showExpression));
    case "array":
      return form("array", it.elements.map(showExpression));
    case "comprehension":
      return form("comprehension", showExpression(it.element), it.clauses.map(showItem));
    case "struct-literal":
      return form(
        "new",
        showExpression(it.path),
        it.fields.map((one) => `${one.name.text}: ${showExpression(one.value)}`),
      );
    case "guarded":
      return form("guarded", showExpression(it.value), where(it.where));
    case "missing":
      return "<missing>";
    default:
      return it satisfies never;
  }
}

export function showType(it: Type): string {
  switch (it.kind) {
    case "named": {
      const path = it.path.map((name) => name.text).join("::");
      return it.arguments.length > 0 ? `${path}<${it.arguments.map(showType).join(" ")}>` : path;
    }
    case "tensor":
      return it.dims
        ? form("tensor", showType(it.element), it.dims.map(showDim))
        : form("row", showType(it.element));
    case "tuple":
      return form("tuple", it.members.map(showType));
    case "function":
      return form("->", form(it.parameters.map(showType)), showType(it.result));
    case "jagged":
      return form("jagged", showType(it.element));
    case "missing":
      return "<missing>";
    default:
      return it satisfies never;
  }
}

function showDim(it: Dim): string {
  switch (it.kind) {
    case "number":
      return String(it.value);
    case "name":
      return it.name.text;
    case "pack":
      return `..${it.name.text}`;
    case "unknown":
      return "?";
    case "any-rank":
      return "*";
    case "missing":
      return "<missing>";
    default:
      return it satisfies never;
  }
}

export function showPattern(it: Pattern): string {
  switch (it.kind) {
    case "wildcard":
      return "_";
    case "literal":
      return showExpression(it.value);
    case "name":
      return it.name.text;
    case "at":
      return form("@", it.name.text, showPattern(it.pattern));
    case "tuple":
      return form("tuple", it.members.map(showPattern));
    case "array":
      return form(
        "array",
        it.before.map(showPattern),
        it.rest && `..${it.rest.name?.text ?? ""}`,
        it.after.map(showPattern),
      );
    case "range":
      return form(it.inclusive ? "..=" : "..", showExpression(it.from), showExpression(it.to));
    case "or":
      return form("|", it.alternatives.map(showPattern));
    case "variant": {
      const fields = it.fields.map((one) =>
        one.name ? form("=", one.name.text, showPattern(one.pattern)) : showPattern(one.pattern),
      );
      return form("variant", showExpression(it.path), fields);
    }
    case "struct": {
      const fields = it.fields.map((one) => `${one.name.text}: ${showPattern(one.pattern)}`);
      return form("struct", showExpression(it.path), fields, it.rest && "..");
    }
    case "missing":
      return "<missing>";
    default:
      return it satisfies never;
  }
}
