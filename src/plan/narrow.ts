// Decides in which type a reduction is computed. Some reductions are computed in a wider type than
// that of their elements, and the result is rounded once:
//
//   sum[k](x[k])  of f32  is  (sum[k](x[k] as f64)) as f32
//   sum[k](h[k])  of f16  is  (sum[k](h[k] as f32)) as f16
//
// Sums, means and products of f32 are computed in f64. A contraction, such as
// `sum[k](a[i, k] * b[k, j])`, stays in f32. Sums and products of i8 are computed in i32; the cast
// back to i8 wraps to the same value.

import type { ElementType } from "../scalar/types.ts";
import type { Scalar } from "../ir/program.ts";
import type { Place } from "./regions/simplify.ts";
import { isContraction, isOfProducts } from "./reductions/product.ts";
import type { Reduction } from "./regions/regions.ts";

interface Widened {
  readonly body: Reduction;
  /**
   * Gives the result in its own type. `wide` reads the result of the body in the type that it is
   * given.
   */
  readonly result: (wide: (type: ElementType) => Scalar) => Scalar;
}

/**
 * `written` is the reduction as the program has it, before other definitions were inlined into it.
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

/** The wider type for a reduction over elements of `type`; `undefined` where it stays in `type`. */
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

/** Removes the cast of an f32 term to f64 that `widened` has added. */
export function withoutWidening(value: Scalar): Scalar {
  const isWidened = value.kind === "cast" && value.type === "f64" && value.operand.type === "f32";
  return isWidened ? value.operand : value;
}
