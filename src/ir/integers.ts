// Integer scalars as terms, where they are sums and products of coordinates, extents and integers.

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
import type { Span } from "../base/source.ts";

/** Two integers side by side. */
export function compared(
  operation: "lessEqual" | "less" | "equal",
  a: Scalar,
  b: Scalar,
  span: Span,
): Scalar {
  return { kind: "apply", type: "bool", within: "i32", operation, operands: [a, b], span };
}

export function integerOf(scalar: Scalar): Term | undefined {
  return integerWithQuotients(scalar, () => false);
}

/**
 * An integer as a term, in which quotients by numbers may stand too: what is not negative is
 * rounded down.
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
