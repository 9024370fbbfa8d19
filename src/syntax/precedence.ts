// How strongly each form of expression binds: what decides where the formatter must write parentheses.

import type { Binary, BinaryOperator, Expression, Name } from "./ast.ts";

/** From loosest to tightest. An operand needs parentheses if it binds less strongly than its place asks for. */
export const strength = {
  guarded: 0,
  lambda: 1,
  pipeline: 2,
  or: 3,
  and: 4,
  equality: 5,
  comparison: 6,
  range: 7,
  sum: 8,
  product: 9,
  cast: 10,
  prefix: 11,
  power: 12,
  postfix: 13,
  atom: 14,
} as const;

const operators: Record<BinaryOperator, number> = {
  "|>": strength.pipeline,
  "||": strength.or,
  "&&": strength.and,
  "==": strength.equality,
  "!=": strength.equality,
  "<": strength.comparison,
  "<=": strength.comparison,
  ">": strength.comparison,
  ">=": strength.comparison,
  in: strength.comparison,
  "+": strength.sum,
  "-": strength.sum,
  "*": strength.product,
  "/": strength.product,
  "%": strength.product,
  "**": strength.power,
};

export function strengthOf(e: Expression): number {
  switch (e.kind) {
    case "guarded":
      return strength.guarded;
    case "lambda":
      return strength.lambda;
    case "binary":
      return operators[e.operator];
    case "range":
      return strength.range;
    case "cast":
      return strength.cast;
    case "unary":
      return strength.prefix;
    case "index":
    case "call":
    case "member":
      return strength.postfix;
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
      return strength.atom;
    default:
      return e satisfies never;
  }
}

/** `a - b - c` is `(a - b) - c`; comparisons do not chain, and `**` groups to the right. */
export function groupsToTheLeft(level: number): boolean {
  return level !== strength.equality && level !== strength.comparison && level !== strength.power;
}

/** A form that ends with a closing brace and would end a statement there. */
export function isBlockLike(e: Expression): boolean {
  return e.kind === "if" || e.kind === "block" || e.kind === "match";
}

/** The parts of an expression that stand in it without brackets around them. */
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

/** Whether a brace stands open in an expression, which the head of an `if` or `match` would take for its block. */
export function showsBrace(e: Expression): boolean {
  const stack: Expression[] = [e];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (next.kind === "struct-literal" || isBlockLike(next)) return true;
    stack.push(...bareParts(next));
  }
  return false;
}

/** The `v in r` with which an expression begins, if it begins with one. */
export function leadingMembership(e: Expression): Binary | undefined {
  let at = e;
  while (at.kind === "binary" && at.operator !== "in") at = at.left;
  return at.kind === "binary" ? at : undefined;
}

/** Whether an expression begins like `input in: f32;` or `allow(W0203) in;`: words that are names everywhere else. */
export function beginsWithMark(e: Expression): boolean {
  const left = leadingMembership(e)?.left;
  const [path, word] = left?.kind === "call" ? [left.callee, "allow"] : [left, "input"];
  return path?.kind === "path" && path.segments.length === 1 && path.segments[0]!.text === word;
}

/** Whether an expression begins with a number such as `.5`, which behind a `}` would read as a member. */
export function beginsWithPoint(e: Expression): boolean {
  let at: Expression | undefined = e;
  while (at && at.kind !== "number") at = at.kind === "unary" || at.kind === "lambda" ? undefined : bareParts(at)[0];
  return at?.text.startsWith(".") ?? false;
}

/** The operand with which an expression ends. */
function lastOperand(e: Expression): Expression {
  let at = e;
  for (;;) {
    if (at.kind === "binary") at = at.right;
    else if (at.kind === "range") at = at.to;
    else if (at.kind === "unary") at = at.operand;
    else return at;
  }
}

/** Whether an expression ends in an `if` that would take an `else` behind it for its own. */
export function endsInOpenIf(e: Expression): boolean {
  let at: Expression | undefined = lastOperand(e);
  if (at.kind !== "if") return false;
  while (at?.kind === "if") at = at.otherwise;
  return at === undefined;
}

/** Whether an expression ends in a cast to a user type, behind which `<` would open type arguments. */
export function endsInTypeName(e: Expression): boolean {
  const at = lastOperand(e);
  if (at.kind !== "cast") return false;
  let { type } = at;
  while (type.kind === "function") type = type.result;
  return type.kind === "named" && type.arguments.length === 0 && !isScalar(type.path);
}

const scalarTypes: ReadonlySet<string> = new Set("i8 i32 i64 f16 bf16 f32 f64 bool str float int num".split(" "));

function isScalar(path: readonly Name[]): boolean {
  return path.length === 1 && scalarTypes.has(path[0]!.text);
}
