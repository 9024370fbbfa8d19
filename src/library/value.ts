// The values of host programs: typed arrays with a shape and an element type, or plain nested
// arrays.

import type { Nested, TensorValue } from "../scalar/values/value.ts";
import type { DType } from "../scalar/types.ts";

/**
 * The array that holds the cells of each element type. f16 and bf16 are f32 cells with rounded
 * values, and a bool is a byte, 0 or 1.
 */
export interface CellsOf {
  readonly i8: Int8Array;
  readonly i32: Int32Array;
  readonly i64: BigInt64Array;
  readonly f16: Float32Array;
  readonly bf16: Float32Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly bool: Uint8Array;
  readonly str: readonly string[];
}

export type Shape = readonly number[];

/**
 * A tensor: its cells in row-major order, its extents and its element type. A scalar has the shape
 * `[]` and one cell.
 */
export type Value<D extends DType = DType, S extends Shape = Shape> = D extends DType
  ? {
      readonly data: CellsOf[D];
      readonly shape: S;
      readonly dtype: D;
      /** The names of the axes, if they are known. */
      readonly names?: readonly (string | undefined)[];
    }
  : never;

/**
 * An input: a value, a typed array if its shape is clear, a scalar, or nested arrays of scalars.
 */
export type Given = Value | TensorValue | Exclude<CellsOf[DType], readonly string[]> | Nested;

/**
 * A tensor over an array of cells. The type keeps its extents, so that `ein("…")` can check them.
 */
export function tensor<D extends DType, const S extends Shape>(
  dtype: D,
  shape: S,
  data: CellsOf[D],
): Value<D, S> {
  return { data, shape, dtype } as Value<D, S>;
}

/** Whether an axis was named by a call of a function (`call.ts`), and not by the caller. */
export function isOurName(name: string): boolean {
  return /^a\d+_\d+$/.test(name);
}

/** What bare cells hold. */
export function elementOfCells(cells: ArrayBufferView): DType {
  if (cells instanceof Float64Array) return "f64";
  if (cells instanceof Int32Array) return "i32";
  if (cells instanceof Int8Array) return "i8";
  if (cells instanceof BigInt64Array) return "i64";
  return cells instanceof Uint8Array ? "bool" : "f32";
}
