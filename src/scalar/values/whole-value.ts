// Checks a tensor from a host program: `data` must have as many cells as `shape` says, in an array
// of the class that `dtype` says.

import { isElementType, isUnsized, type TypedArray } from "../types.ts";
import { mostAxes, tooManyAxes } from "./axes.ts";
import { failure, type Failure } from "../../base/failure.ts";
import { shownJson } from "./shown-json.ts";
import { sizeOf, type TensorValue } from "./value.ts";

/**
 * The class of array for each element type. A bare array without a dtype gets the first type of its
 * class.
 */
export const arrays = {
  i8: Int8Array,
  i32: Int32Array,
  i64: BigInt64Array,
  f32: Float32Array,
  f64: Float64Array,
  f16: Float32Array,
  bf16: Float32Array,
  bool: Uint8Array,
} as const;

function isCells(data: unknown): data is TypedArray {
  return ArrayBuffer.isView(data) && !(data instanceof DataView);
}

/** The value, or the problem with it: "has the shape [2] and 1 cells, not 2". */
export function wholeValue(given: object): TensorValue | Failure {
  const { data, shape, dtype: came } = given as Partial<TensorValue>;
  if (data === undefined || shape === undefined || came === undefined)
    return failure("is an object without `data`, `shape` and `dtype`");
  if (typeof came !== "string" || !isElementType(came))
    return failure(`has the dtype ${shownJson(came)}, which there is not`);
  if (
    !Array.isArray(shape) ||
    !shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0)
  )
    return failure(`has the shape ${shownJson(shape)}, which is not a list of extents`);
  if (shape.length > mostAxes) return failure(`does not fit: ${tooManyAxes(shape.length)}`);
  const isRight = isUnsized(came)
    ? Array.isArray(data)
    : isCells(data) && data.constructor === arrays[came];
  if (!isRight) {
    const wanted = isUnsized(came) ? "an array of strings" : `a ${arrays[came].name}`;
    return failure(`says ${came}, and its data is not ${wanted}`);
  }
  if (data.length !== sizeOf(shape))
    return failure(
      `has the shape [${shape.join(", ")}] and ${data.length} cells, not ${sizeOf(shape)}`,
    );
  return isUnsized(came) || Object.getPrototypeOf(given) === Object.prototype
    ? (given as TensorValue)
    : { data, shape, dtype: came };
}
