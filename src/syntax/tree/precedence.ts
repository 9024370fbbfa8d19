// Answers what the formatter asks about an expression before it writes parentheses: how strongly
// the expression binds, with which form it begins, and with which form it ends.

import type { Binary, Expression, Name } from "./ast.ts";
import { infixStrengths, strengths } from "./strength.ts";
import { isLintCode, scalarTypes } from "../lex/tokens.ts";

export function strengthOf(e: Expression): number {
  switch (e.kind) {
    case "guarded":
      return strengths.guarded;
    case "lambda":
      return strengths.lambda;
    case "binary":
      return infixStrengths[e.operator];
    case "range":
      return strengths.range;
    case "cast":
      return strengths.cast;
    case "unary":
      return strengths.prefix;
    case "index":
    case "call":
    case "member":
      return strengths.postfix;
    case "number":
    case "string":
    case "bool":
    case "path":
    case "if":
    case "block":
    case "match":
    case "tuple":
    case "array":
    case "comprehension":
    case "struct-literal":
    case "missing":
      return strengths.atom;
    default:
      return e satisfies never;
  }
}

/** `a - b - c` is `(a - b) - c`. Comparisons do not chain, and `**` groups to the right. */
export function groupsToTheLeft(level: number): boolean {
  return (
    level !== strengths.equality && level !== strengths.comparison && level !== strengths.power
  );
}

/** Whether the expression ends with `}`, so that it ends a statement without `;`. */
export function isBlockLike(e: Expression): boolean {
  return e.kind === "if" || e.kind === "block" || e.kind === "match";
}

/** The direct operands that stand in the expression without brackets around them. */
function bareParts(e: Expression): readonly Expression[] {
  switch (e.kind) {
    case "binary":
      return [e.left, e.right];
    case "range":
      return [e.from, e.to];
    case "unary":
    case "cast":
      return [e.operand];
    case "index":
    case "member":
      return [e.base];
    case "call":
      return [e.callee];
    case "lambda":
      return [e.body];
    case "guarded":
      return [e.value];
    default:
      return [];
  }
}

/**
 * Whether the expression contains a `{` outside of brackets. In the head of an `if` or `match` that
 * `{` would open the body: `if P { x: 1 } == p { … }`.
 */
export function showsBrace(e: Expression): boolean {
  const stack: Expression[] = [e];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (next.kind === "struct-literal" || isBlockLike(next)) return true;
    stack.push(...bareParts(next));
  }
  return false;
}

/** The `v in r` with which an expression begins: `v in r && b` gives `v in r`. */
export function leadingMembership(e: Expression): Binary | undefined {
  let at = e;
  while (at.kind === "binary" && at.operator !== "in") at = at.left;
  return at.kind === "binary" ? at : undefined;
}

/**
 * Whether the expression begins with `allow(W0203)` and continues after it: `allow(W0203) + 1`. At
 * the start of a statement the parser would read that call as the mark of the statement.
 */
export function beginsWithMark(e: Expression): boolean {
  let at: Expression | undefined = e;
  while (at && !isMark(at)) at = leadingPart(at);
  return at !== undefined && at !== e;
}

function isMark(e: Expression): boolean {
  if (e.kind !== "call" || e.bracket || e.arguments.length === 0 || wordOf(e.callee) !== "allow")
    return false;
  return e.arguments.every(({ name, value }) => !name && isLintCode(wordOf(value)));
}

/** The name if the expression is a single name, otherwise the empty string. */
function wordOf(e: Expression): string {
  return e.kind === "path" && e.segments.length === 1 ? e.segments[0]!.text : "";
}

function leadingPart(e: Expression): Expression | undefined {
  return e.kind === "unary" || e.kind === "lambda" ? undefined : bareParts(e)[0];
}

function lastOperand(e: Expression): Expression {
  let at = e;
  for (;;) {
    if (at.kind === "binary") at = at.right;
    else if (at.kind === "range") at = at.to;
    else if (at.kind === "unary") at = at.operand;
    else return at;
  }
}

/**
 * Whether an expression ends in an `if` without `else`: an `else` written after it would join that
 * `if`.
 */
export function endsInOpenIf(e: Expression): boolean {
  let at: Expression | undefined = lastOperand(e);
  if (at.kind !== "if") return false;
  while (at?.kind === "if") at = at.otherwise;
  return at === undefined;
}

/**
 * Whether an expression ends in a cast to a user type, as in `x as Point`: a `<` written after it
 * would open type arguments.
 */
export function endsInTypeName(e: Expression): boolean {
  const at = lastOperand(e);
  if (at.kind !== "cast") return false;
  let { type } = at;
  while (type.kind === "function") type = type.result;
  return type.kind === "named" && type.arguments.length === 0 && !isScalar(type.path);
}

function isScalar(path: readonly Name[]): boolean {
  return path.length === 1 && scalarTypes.has(path[0]!.text);
}
