// Turns an operand into a tensor. An operand may be a number, nested arrays or a tensor.

import { failed } from "../../base/failure.ts";
import { fromNested, type Nested } from "../../scalar/values/value.ts";
import { isFloat, isInteger } from "../../scalar/types.ts";
import type { TensorType } from "./definition.ts";
import { TensorError } from "./error.ts";
import type { Cells } from "./kernel.ts";
import { promoted } from "../operations/pointwise.ts";
import { Tensor } from "../tensor.ts";

export type Operand = Tensor | number | boolean | readonly Nested[];

/**
 * Turns operands into tensors. Numbers take the type of the tensors beside them if that type can
 * hold them.
 */
export function tensorsOf(operands: readonly Operand[]): readonly Tensor[] {
  const types = operands.flatMap((operand) => (operand instanceof Tensor ? [operand.dtype] : []));
  const beside = types.length === 0 ? undefined : promoted(types);
  return operands.map((operand) => tensorOf(operand, beside));
}

export function tensorOf(operand: Operand, beside?: TensorType): Tensor {
  if (operand instanceof Tensor) return operand;
  if (typeof operand === "number") {
    const dtype = numberType(operand, beside);
    return markedLiteral(new Tensor({ cells: singleCell(dtype, operand), version: 0 }, [], dtype));
  }
  const dtype =
    typeof operand === "boolean" || beginsWithBool(operand)
      ? "bool"
      : numberType(hasOnlyIntegers(operand) ? 0 : 0.5, beside);
  const value = fromNested(dtype, operand);
  if (failed(value)) throw new TensorError(value.error);
  return markedLiteral(new Tensor({ cells: value.data as Cells, version: 0 }, value.shape, dtype));
}

function markedLiteral(tensor: Tensor): Tensor {
  tensor.isLiteral = true;
  return tensor;
}

/**
 * The type of a number: the type of the tensors beside it if this is a float, or if both are
 * integers. Otherwise f32.
 */
function numberType(x: number, beside: TensorType | undefined): TensorType {
  if (beside === undefined) return "f32";
  if (isFloat(beside)) return beside;
  return isInteger(beside) && Number.isInteger(x) ? beside : "f32";
}

function singleCell(dtype: TensorType, x: number): Cells {
  switch (dtype) {
    case "i32":
      return Int32Array.of(x);
    case "i64":
      return BigInt64Array.of(BigInt(x));
    case "i8":
      return Int8Array.of(x);
    case "f64":
      return Float64Array.of(x);
    case "bool":
      return Uint8Array.of(x === 0 ? 0 : 1);
    default:
      return Float32Array.of(x);
  }
}

function hasOnlyIntegers(operand: Nested): boolean {
  return Array.isArray(operand)
    ? operand.every((each) => hasOnlyIntegers(each as Nested))
    : Number.isInteger(operand);
}

export function beginsWithBool(operand: Nested): boolean {
  return Array.isArray(operand)
    ? operand.length > 0 && beginsWithBool(operand[0] as Nested)
    : typeof operand === "boolean";
}
