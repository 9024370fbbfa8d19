// Reductions of types that are only kept, not computed with, are taken in a wider type and rounded once:
//
//   sum[k](h[k])  of f16  is  (sum[k](h[k] as f32)) as f16
//
// An i8 wraps, and so do its sums and products in i32 once they are cast back.

import type { ReductionName } from "../ir/scalar/reductions.ts";
import type { ElementType } from "../ir/scalar/types.ts";
import type { Scalar } from "../ir/program.ts";
import type { Place } from "./simplify.ts";
import type { Reduction } from "./regions.ts";

export interface Widened {
  readonly body: Reduction;
  /** The result in its own type, given that of the body. */
  readonly result: (wide: (type: ElementType) => Scalar) => Scalar;
}

export function widened(body: Reduction, typeOf: Place["typeOf"], type: ElementType): Widened {
  const wide = widerThan(typeOf(body.value.type), body.reduction);
  if (!wide) return { body, result: (local) => local(type) };
  const value: Scalar = { kind: "cast", type: wide, operand: body.value };
  const isPosition = body.reduction === "argmax" || body.reduction === "argmin";
  return {
    body: { ...body, value },
    result: (local) => (isPosition ? local(type) : { kind: "cast", type, operand: local(wide) }),
  };
}

function widerThan(type: ElementType, reduction: ReductionName): ElementType | undefined {
  if (type === "f16" || type === "bf16") return "f32";
  return type === "i8" && (reduction === "sum" || reduction === "prod") ? "i32" : undefined;
}
