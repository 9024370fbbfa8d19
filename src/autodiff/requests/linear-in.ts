// Decides whether a scalar is linear in some of its reads, by its structure. Sums, choices and
// multiples of linear scalars are linear:
//
//    2 * x + (if c { x } else { 0 })   is linear in x
//    x + 1   is affine,   x * x   is neither

import type { Scalar } from "../../ir/program.ts";
import { isFloat } from "../../scalar/types.ts";

/** "zero" fits into any sum. "affine" is a linear scalar plus a constant. */
export type Degree = "zero" | "none" | "linear" | "affine";

/** The degree in the reads that vary. `undefined`: not even affine. */
export function degreeIn(scalar: Scalar, isVarying: (read: Scalar) => boolean): Degree | undefined {
  const inside = (part: Scalar): Degree | undefined => degreeIn(part, isVarying);
  const isFree = (part: Scalar): boolean => ["none", "zero"].includes(inside(part) ?? "");
  switch (scalar.kind) {
    case "constant":
      return scalar.value === 0 ? "zero" : "none";
    case "integer":
    case "parameter":
      return "none";
    case "local":
      return inside(scalar.local.value);
    case "read":
      if (!scalar.indices.every(isFree)) return undefined;
      return isVarying(scalar) ? "linear" : "none";
    case "cast":
      if (isFloat(scalar.type) && isFloat(scalar.operand.type)) return inside(scalar.operand);
      return isFree(scalar.operand) ? "none" : undefined;
    case "select":
      return isFree(scalar.condition)
        ? sumOf(inside(scalar.then), inside(scalar.otherwise))
        : undefined;
    case "text":
    case "data":
      return scalar.operands.every(isFree) ? "none" : undefined;
    case "call":
      return scalar.invocation.arguments.every(isFree) ? "none" : undefined;
    case "apply": {
      const degrees = scalar.operands.map(inside);
      const [a, b] = degrees;
      if (degrees.every((degree) => degree === "none" || degree === "zero")) return "none";
      switch (scalar.operation) {
        case "add":
        case "subtract":
          return sumOf(a, b);
        case "negate":
          return a;
        case "multiply":
          return isFree(scalar.operands[0]!) ? b : isFree(scalar.operands[1]!) ? a : undefined;
        case "divide":
          return isFree(scalar.operands[1]!) ? a : undefined;
        default:
          return undefined;
      }
    }
    default:
      return scalar satisfies never;
  }
}

function sumOf(a: Degree | undefined, b: Degree | undefined): Degree | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b || b === "zero") return a;
  return a === "zero" ? b : "affine";
}
