// Whether two scalars are written alike, names of parts looked through.

import { equal } from "../affine/term.ts";
import type { Scalar } from "../ir/program.ts";

/** What a name stands for. */
export function withoutLocals(scalar: Scalar): Scalar {
  return scalar.kind === "local" ? withoutLocals(scalar.local.value) : scalar;
}

export function isSameScalar(one: Scalar, other: Scalar): boolean {
  const [a, b] = [withoutLocals(one), withoutLocals(other)];
  if (a === b) return true;
  const all = (x: readonly Scalar[], y: readonly Scalar[]): boolean =>
    x.length === y.length && x.every((each, k) => isSameScalar(each, y[k]!));
  if (a.type !== b.type) return false;
  if (a.kind === "constant" && b.kind === "constant") return Object.is(a.value, b.value);
  if (a.kind === "integer" && b.kind === "integer") return equal(a.term, b.term);
  if (a.kind === "read" && b.kind === "read")
    return a.definition === b.definition && all(a.indices, b.indices);
  if (a.kind === "apply" && b.kind === "apply")
    return a.operation === b.operation && all(a.operands, b.operands);
  if (a.kind === "cast" && b.kind === "cast") return isSameScalar(a.operand, b.operand);
  if (a.kind === "select" && b.kind === "select")
    return all([a.condition, a.then, a.otherwise], [b.condition, b.then, b.otherwise]);
  return false;
}
