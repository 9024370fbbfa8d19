// Compares scalars and terms as they are written. A local counts as the scalar that it names.

import {
  constant,
  constantOf,
  equal,
  ofVariable,
  subtract,
  type Term,
  type Variable,
} from "../affine/term.ts";
import type { Scalar } from "../ir/program.ts";
import { withoutLocals } from "../ir/parts.ts";

export function isSameScalar(first: Scalar, second: Scalar): boolean {
  const [a, b] = [withoutLocals(first), withoutLocals(second)];
  if (a === b) return true;
  const areSame = (x: readonly Scalar[], y: readonly Scalar[]): boolean =>
    x.length === y.length && x.every((each, k) => isSameScalar(each, y[k]!));
  if (a.type !== b.type) return false;
  if (a.kind === "constant" && b.kind === "constant") return Object.is(a.value, b.value);
  if (a.kind === "integer" && b.kind === "integer") return equal(a.term, b.term);
  if (a.kind === "read" && b.kind === "read")
    return a.definition === b.definition && areSame(a.indices, b.indices);
  if (a.kind === "apply" && b.kind === "apply")
    return a.operation === b.operation && areSame(a.operands, b.operands);
  if (a.kind === "cast" && b.kind === "cast") return isSameScalar(a.operand, b.operand);
  if (a.kind === "select" && b.kind === "select")
    return areSame([a.condition, a.then, a.otherwise], [b.condition, b.then, b.otherwise]);
  return false;
}

/** Whether a term is a variable and nothing else. */
export function isVariable(term: Term, variable: Variable): boolean {
  return constantOf(subtract(term, ofVariable(variable))) === 0;
}

/** The term of an i32, if it is written with coordinates and numbers. */
export function integerTermOf(scalar: Scalar): Term | undefined {
  if (scalar.kind === "integer") return scalar.term;
  return scalar.kind === "constant" && scalar.type === "i32"
    ? constant(scalar.value as number)
    : undefined;
}
