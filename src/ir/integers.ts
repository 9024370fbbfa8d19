// Integer scalars as terms of the solver. A scalar has a term if it is a sum or product of
// coordinates, extents and integers: `2 * i + 1` has one, `a[0] + 1` has none.

import {
  add,
  constant,
  constantOf,
  floorDiv,
  multiply,
  subtract,
  type Term,
} from "../affine/term.ts";
import type { Scalar } from "./program.ts";
import { nowhere, type Span } from "../base/source.ts";

/** The comparison of two integers, as a scalar. */
export function compared(
  operation: "lessEqual" | "less" | "equal" | "greater" | "greaterEqual",
  a: Scalar,
  b: Scalar,
  span: Span = nowhere,
): Scalar {
  return { kind: "apply", type: "bool", within: "i32", operation, operands: [a, b], span };
}

export function integerOf(scalar: Scalar): Term | undefined {
  return integerWithQuotients(scalar, () => false);
}

/**
 * The term of an integer scalar, in which quotients by numbers may occur too. A term rounds a
 * quotient down and a run truncates, so a quotient has a term only if the dividend is not negative.
 */
export function integerWithQuotients(
  scalar: Scalar,
  isNotNegative: (term: Term) => boolean,
): Term | undefined {
  if (scalar.kind === "integer") return scalar.term;
  if (scalar.kind === "constant")
    return scalar.type === "i32" ? constant(scalar.value as number) : undefined;
  if (scalar.kind !== "apply" || scalar.within !== "i32") return undefined;
  const [a, b] = scalar.operands.map((operand) => integerWithQuotients(operand, isNotNegative));
  if (!a || !b) return undefined;
  if (scalar.operation === "add") return add(a, b);
  if (scalar.operation === "subtract") return subtract(a, b);
  if (scalar.operation === "multiply") return multiply(a, b);
  return scalar.operation === "divide" && (constantOf(b) ?? 0) > 0 && isNotNegative(a)
    ? floorDiv(a, b)
    : undefined;
}
