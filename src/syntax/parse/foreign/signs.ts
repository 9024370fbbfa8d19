// Advice about signs of other languages in the middle of a statement: what to write instead, with a
// fix where the edit is exact.

import {
  adviceOnNotation,
  replacing,
  writtenNotation,
  type Advice,
} from "../../../diagnostics/foreign/advice.ts";
import type { Fix } from "../../../diagnostics/diagnostic.ts";
import type { Expression } from "../../tree/ast.ts";
import type { Brackets } from "../brackets.ts";
import { span, textOf, type Source, type Span } from "../../../base/source.ts";
import { productAsSum } from "./products.ts";
import { ownChoice, ownLambda } from "./python-functions.ts";
import { withoutSlices } from "./slices.ts";
import type { Token } from "../../lex/tokens.ts";

/** The part of the parser's state that this file reads. */
interface Standing {
  readonly source: Source;
  readonly tokens: readonly Token[];
  readonly token: Token;
  readonly at: number;
  readonly statementAt: number;
  readonly brackets: Brackets;
}

/** What was probably meant by something that continues neither a list nor a statement. */
export function signHelp(p: Standing): string | undefined {
  const { source, tokens, at, token, brackets } = p;
  const before = tokens[at - 1]?.text;
  if (before === "lambda") {
    const own = ownLambda(source.text, tokens[at - 1]!.start);
    return own === undefined ? adviceOnNotation("lambda v: v + 1.0") : `write \`${own}\``;
  }
  if (token.kind === "!" && tokens[at + 1]?.kind === "(") return adviceOnNotation("sort!(x)");
  if (
    token.kind === ":" &&
    tokens[brackets.parent[at]!]?.kind !== "[" &&
    /^\d+$/.test(before ?? "")
  )
    return adviceOnNotation("1:n");
  switch (token.kind) {
    case ":":
    case "::":
      return tokens[brackets.parent[at]!]?.kind === "[" ? adviceOnNotation("x[1:]") : undefined;
    case "->":
      return adviceOnNotation("v -> v + 1.0");
    case "=>":
      return "a function is written `|x| x + 1`";
    case "?":
      return "write a choice as `if c { a } else { b }`";
    case "if": {
      const own = choiceIn(p);
      return own ?? "a choice is written `if c { a } else { b }`";
    }
    default:
      return undefined;
  }
}

/** `let y = a if c else b;`, as a choice of this language. */
function choiceIn({ source: { text }, tokens, statementAt }: Standing): string | undefined {
  const statement = /^[^;\n]*/.exec(text.slice(tokens[statementAt]!.start))![0];
  const [, value] = /^let\s+\w+\s*=\s*(.+)$/.exec(statement) ?? [];
  const own = value === undefined ? undefined : ownChoice(value.trim());
  return own === undefined || own === value?.trim() ? undefined : `write \`${own}\``;
}

/**
 * Advice about a slice or a new axis in a bracket: the statement, rewritten with a name for each
 * axis.
 */
export function sliceAdvice({ source, tokens, at, statementAt, brackets }: Standing): Advice {
  const { text } = source;
  const from = tokens[statementAt]!.start;
  const end = text.slice(from).search(/;|\n|$/) + from;
  const [, head = "", name, value = ""] =
    /^(let\s+)(\w+)\s*=\s*([^]*)$/.exec(text.slice(from, end)) ?? [];
  const declared = name === undefined ? undefined : withoutSlices(name, value.trim());
  if (declared !== undefined && declared.length <= 140) {
    const place = span(source, from + head.length, end);
    const own = declared.slice("let ".length, -1);
    const fixes =
      text[end] === ";" ? [{ title: "name the axes", edits: [{ span: place, text: own }] }] : [];
    return { help: `name the axes: \`${declared}\``, fixes };
  }
  // The whole statement could not be rewritten, so the read is rewritten alone.
  const opener = brackets.parent[at]!;
  const close = brackets.partner[opener] ?? -1;
  const base = tokens[opener - 1];
  if (base?.kind === "name" && close > opener) {
    const read = text.slice(base.start, tokens[close]!.end);
    const words = new Set(text.match(/\w+/g));
    const free = ["r", "s", "y", "z"].find((each) => !words.has(each)) ?? "r";
    const alone = read.includes("\n") ? undefined : withoutSlices(free, read);
    if (alone !== undefined) return { help: `\`${read}\` is \`${alone}\` here: read \`${free}\`` };
  }
  return { help: adviceOnNotation("A[:, 0]") };
}

/** Advice about `left @ right`. */
export function productAdvice(left: Span, right: Span): Advice {
  const operands = [textOf(left), textOf(right)] as const;
  const { text } = left.source;
  if (operands.join("").length > 60) return { help: adviceOnNotation("A @ B") };
  const at = span(left.source, left.start, right.end);
  const bound = /\blet\s+(\w+)\s*=\s*$/.exec(text.slice(0, left.start))?.[1];
  const words = new Set(text.match(/\w+/g));
  const name = bound ?? ["r", "s", "y", "z"].find((each) => !words.has(each)) ?? "r1";
  const { call, declaration } = productAsSum(operands, name, text);
  return {
    help: call.startsWith("{")
      ? `declare it: \`${declaration}\``
      : `write \`${call}\`; as a declaration, \`${declaration}\``,
    fixes: [replacing(at, call)],
  };
}

/** Advice about `s += a` and `s++`. `operator` is the first sign, and the cursor is behind it. */
export function updateAdvice(p: Standing, operator: string, isStep: boolean): Advice {
  const { source, tokens, statementAt, at } = p;
  const first = tokens[statementAt]!;
  const sign = tokens[at - 1]!;
  const target = source.text.slice(first.start, sign.start).trim();
  const value = isStep ? "1" : restOfStatement(p, tokens[at]!.end);
  if (/^\w+$/.test(target) && value !== undefined) {
    const row = isStep ? `s${operator}${operator}` : `s ${operator}= a`;
    const given = { s: target, a: value };
    const whole = span(
      source,
      first.start,
      isStep ? tokens[at]!.end : tokens[at]!.end + value.length + 1,
    );
    const fix = writtenNotation(row, given, whole);
    const edits = fix.edits.map((edit) => ({ ...edit, text: edit.text.replace(/;$/, "") }));
    return {
      help: adviceOnNotation(row, given, source.text),
      fixes: exactEnd(p, whole) ? [{ ...fix, edits }] : [],
    };
  }
  const cell = literalCell(target);
  if (cell && value !== undefined)
    return copyAdvice(source.text, cell, `${target} ${operator} ${value}`);
  return { help: "bindings are immutable: bind the new value to a name with `let`" };
}

/** Whether the span ends its statement: `;` or the end of the text follows. */
function exactEnd({ source }: Standing, { end }: Span): boolean {
  return /^\s*(?:;|$)/.test(source.text.slice(end));
}

/** Advice about `x = a` and `x[0] = a`. The cursor is at `=`. */
export function assignmentAdvice(p: Standing, target: Expression): Advice {
  const { source, token } = p;
  if (target.kind !== "index" && target.kind !== "path") return { help: "write `==` to compare" };
  const cell = literalCell(textOf(target.span));
  const value = restOfStatement(p, token.end);
  const isBound = isBoundAbove(p, /^\w*/.exec(textOf(target.span))![0]);
  if (cell && value !== undefined && isBound) return copyAdvice(source.text, cell, value);
  const help = "write `let` in front to define it, or `==` to compare";
  if (target.kind === "index" && isBound) {
    const [, base, indices] = /^(\w+)\[([^[\]]*)\]$/.exec(textOf(target.span)) ?? [];
    // `x[i in 0..3] = a` is a clause without its `let`.
    if (base === undefined || value === undefined || / in /.test(indices!) || value.includes("{"))
      return { help };
    const other = `let ${base}_new[${indices}] = ${value};`;
    return { help: `a tensor is never changed: declare another, \`${other}\`` };
  }
  const { start } = target.span;
  return {
    help,
    fixes: [{ title: "write `let`", edits: [{ span: span(source, start, start), text: "let " }] }],
  };
}

/** A tensor is never changed. The advice declares a copy with one different cell. */
function copyAdvice(text: string, { base, index }: Cell, value: string): Advice {
  const axes = index.split(",").length;
  const names = [..."ijklab"]
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(`${base} ${value}`))
    .slice(0, axes);
  let copy = `${base}_new`;
  while (new RegExp(`\\b${copy}\\b`).test(text)) copy += "_";
  const all = names.join(", ");
  const way = `let ${copy}[${all}] = ${base}[${all}]; let ${copy}[${index}] = ${value};`;
  return {
    help:
      `a tensor is never changed; write a copy, whose later clause owns the cell: ` +
      `\`${way}\`, and read \`${copy}\` from here on`,
  };
}

interface Cell {
  readonly base: string;
  readonly index: string;
}

/** Reads `x[0]`, `x[1, 2]` or `x[1][2]`: a cell whose indices are numbers. */
function literalCell(text: string): Cell | undefined {
  const [, base, index] = /^(\w+)\[\s*(\d+(?:\s*(?:,|\]\s*\[)\s*\d+)*)\s*\]$/.exec(text) ?? [];
  if (base === undefined || index === undefined) return undefined;
  return { base, index: index.replaceAll(/\s*\]\s*\[\s*/g, ", ") };
}

/** Whether an earlier statement binds the name. */
function isBoundAbove({ tokens, statementAt }: Standing, name: string): boolean {
  const binds = (token: Token): boolean =>
    token.kind === "let" || token.kind === "const" || token.text === "input";
  return tokens
    .slice(0, statementAt)
    .some((token, k) => k > 0 && token.text === name && binds(tokens[k - 1]!));
}

/**
 * The text up to the end of the statement. `undefined` if the statement continues on the next line.
 */
function restOfStatement(
  { source, tokens, at, brackets }: Standing,
  from: number,
): string | undefined {
  const level = brackets.parent[at]!;
  let index = at + 1;
  while (tokens[index] && tokens[index]!.kind !== "end" && tokens[index]!.kind !== ";") {
    if (tokens[index]!.fresh || brackets.parent[index]! < level) return undefined;
    index++;
  }
  const end = tokens[index - 1]!.end;
  const text = source.text.slice(from, end).trim();
  return text === "" ? undefined : text;
}

/** Removes the `f` of `f"…"`. */
export function prefixFix(prefix: Span): Fix {
  return { title: "leave out the letter", edits: [{ span: prefix, text: "" }] };
}

/** Replaces a sign by the sign that was meant, as in `<>`, `===` and `and`. */
export function signFix(at: Span, meant: string): Fix {
  const fix = replacing(at, meant);
  return { ...fix, edits: [{ span: at, text: meant }] };
}
