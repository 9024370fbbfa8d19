// In which type a reduction is taken: in a wider one than its elements have where that is what its
// result needs, and rounded once.
//
//   sum[k](x[k])  of f32  is  (sum[k](x[k] as f64)) as f32
//   sum[k](h[k])  of f16  is  (sum[k](h[k] as f32)) as f16
//
// Sums, means and products of f32 are taken in f64. A contraction, such as sum[k](a[i, k] * b[k,
// j]), stays in f32. An i8 wraps, and so do its sums and products in i32 once they are cast back.

import type { ElementType } from "../scalar/types.ts";
import type { Scalar } from "../ir/program.ts";
import type { Place } from "./regions/simplify.ts";
import { isContraction, isOfProducts } from "./reductions/product.ts";
import type { Reduction } from "./regions/regions.ts";

export interface Widened {
  readonly body: Reduction;
  /** The result in its own type, given that of the body. */
  readonly result: (wide: (type: ElementType) => Scalar) => Scalar;
}

/**
 * `written` is the reduction as it stands in the program, before other definitions were computed in
 * its place.
 */
export function widened(
  body: Reduction,
  written: Reduction,
  typeOf: Place["typeOf"],
  type: ElementType,
): Widened {
  const wide = widerThan(typeOf(body.value.type), written);
  if (!wide) return { body, result: (local) => local(type) };
  const isPosition = body.reduction === "argmax" || body.reduction === "argmin";
  return {
    body: {
      ...body,
      value: inType(wide, body.value),
      ...(isOfProducts(written) ? { isOfProducts: true } : {}),
    },
    result: (local) => (isPosition ? local(type) : inType(type, local(wide))),
  };
}

/** The type in which a reduction of elements of a type is taken, if that is another one. */
export function widerThan(type: ElementType, written: Reduction): ElementType | undefined {
  const { reduction } = written;
  if (type === "f16" || type === "bf16") return "f32";
  if (type === "i8") return reduction === "sum" || reduction === "prod" ? "i32" : undefined;
  const isAdded = reduction === "sum" || reduction === "mean" || reduction === "prod";
  return type === "f32" && isAdded && !isContraction(written) ? "f64" : undefined;
}

export function inType(type: ElementType, operand: Scalar): Scalar {
  return operand.type === type ? operand : { kind: "cast", type, operand };
}

/** A term of f32 as it was before it was widened. */
export function asItWas(value: Scalar): Scalar {
  const isWidened = value.kind === "cast" && value.type === "f64" && value.operand.type === "f32";
  return isWidened ? value.operand : value;
}
