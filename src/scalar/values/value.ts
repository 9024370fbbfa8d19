// The values of a run and their texts, as `print`, formats and messages show them. Files with
// values are read and written in `host`.
//
// Tensors at run time: an element type, a shape, and the cells in row-major order. A tensor of rank
// 0 is a scalar.

import { quotedCut } from "../../diagnostics/cut.ts";
import { cast } from "../casts.ts";
import { roundTo } from "../round.ts";
import { allocate, integerBounds, isFloat, isUnsized } from "../types.ts";
import type {
  Data,
  ElementType,
  FloatType,
  IntegerType,
  Scalar,
  TypedArray,
  Unsized,
} from "../types.ts";
import { mostAxes, tooDeep } from "./axes.ts";
import { failed, failure } from "../../base/failure.ts";
import type { Failure } from "../../base/failure.ts";
import { integerIn, tooLarge, unfitInteger } from "./number-text.ts";

export interface TensorValue {
  readonly dtype: ElementType;
  readonly shape: readonly number[];
  readonly data: TypedArray | readonly string[] | readonly Data[];
}

/** The forms in which a host program may write a tensor: a scalar, or nested arrays of scalars. */
export type Nested = Scalar | readonly Nested[];

/** The number of cells of a shape. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((size, extent) => size * extent, 1);
}

/** Whether two lists, such as shapes, have equal entries. */
export function isSameList(some: readonly unknown[], others: readonly unknown[]): boolean {
  if (some.length !== others.length) return false;
  for (let k = 0; k < some.length; k++) if (some[k] !== others[k]) return false;
  return true;
}

/** For each axis, the distance in the data between neighbours along this axis. */
export function stridesOf(shape: readonly number[]): readonly number[] {
  const strides = shape.map(() => 1);
  for (let axis = shape.length - 2; axis >= 0; axis--)
    strides[axis] = strides[axis + 1]! * shape[axis + 1]!;
  return strides;
}

export function zeros(dtype: ElementType, shape: readonly number[]): TensorValue {
  const size = sizeOf(shape);
  return { dtype, shape, data: isUnsized(dtype) ? unsized(dtype, size) : allocate(dtype, size) };
}

function unsized(dtype: Unsized, size: number): readonly string[] | readonly Data[] {
  return dtype === "str"
    ? Array.from({ length: size }, () => "")
    : Array.from({ length: size }, () => []);
}

export function scalarValue(dtype: ElementType, x: Scalar): TensorValue {
  return fromScalars(dtype, [], [x]);
}

/** A tensor from scalars in row-major order, which are already of the element type. */
export function fromScalars(
  dtype: ElementType,
  shape: readonly number[],
  scalars: readonly Scalar[],
): TensorValue {
  if (isUnsized(dtype)) return { dtype, shape, data: scalars as readonly string[] };
  const data = allocate(dtype, scalars.length);
  scalars.forEach((x, at) => store(data, at, x));
  return { dtype, shape, data };
}

/** Writes one scalar. It must be of the element type for which the array was allocated. */
export function store(data: TypedArray, at: number, x: Scalar): void {
  if (data instanceof BigInt64Array) data[at] = x as bigint;
  else data[at] = Number(x);
}

/** The cell at an offset in the row-major data. */
export function at(value: TensorValue, offset: number): Scalar {
  const cell = value.data[offset];
  if (cell === undefined)
    throw new RangeError(`cell ${offset} of a tensor of ${value.data.length}`);
  return value.dtype === "bool" ? cell !== 0 : cell;
}

/** The cell at the given indices, one for each axis. */
export function get(value: TensorValue, indices: readonly number[]): Scalar {
  const { shape } = value;
  if (indices.length !== shape.length)
    throw new RangeError(`${indices.length} indices into rank ${shape.length}`);
  let offset = 0;
  for (const [axis, index] of indices.entries()) {
    const extent = shape[axis]!;
    if (!(index >= 0 && index < extent))
      throw new RangeError(`index ${index} on axis ${axis} of extent ${extent}`);
    offset = offset * extent + index;
  }
  return at(value, offset);
}

/**
 * The part of a tensor at a position of its first axes: for `x: [f32; 5, 2, 3]` and [4], the matrix
 * `x[4]`.
 */
export function subTensor(value: TensorValue, position: readonly number[]): TensorValue {
  if (position.length === 0) return value;
  const shape = value.shape.slice(position.length);
  const size = sizeOf(shape);
  const offset = position.reduce((sum, index, axis) => sum * value.shape[axis]! + index, 0) * size;
  return { dtype: value.dtype, shape, data: value.data.slice(offset, offset + size) };
}

/** The indices of the cell at an offset in the row-major data. */
export function indicesOf(shape: readonly number[], offset: number): readonly number[] {
  const indices: number[] = [];
  let left = offset;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    indices.unshift(left % shape[axis]!);
    left = Math.floor(left / shape[axis]!);
  }
  return indices;
}

/** The place of a cell as messages show it: `[1, 0]`. */
export function showIndices(indices: readonly number[]): string {
  return `[${indices.join(", ")}]`;
}

/**
 * A tensor from nested arrays. Numbers are rounded to a float type. For an integer type they must
 * be integers that fit.
 */
export function fromNested(dtype: ElementType, nested: Nested): TensorValue | Failure {
  const flat = flatten(nested);
  return failed(flat) ? flat : fromFlat(dtype, flat);
}

/** Nested arrays as a shape and their scalars in row-major order. */
interface Flat {
  readonly shape: readonly number[];
  readonly scalars: readonly Scalar[];
}

export function fromFlat(dtype: ElementType, { shape, scalars }: Flat): TensorValue | Failure {
  const converted: Scalar[] = [];
  for (const [offset, x] of scalars.entries()) {
    const scalar = toScalar(dtype, x);
    if (failed(scalar)) {
      return shape.length
        ? failure(`element ${showIndices(indicesOf(shape, offset))}: ${scalar.error}`)
        : scalar;
    }
    converted.push(scalar);
  }
  return fromScalars(dtype, shape, converted);
}

/**
 * Flattens nested arrays. All rows of one axis must be alike. Everything that is not an array must
 * be a scalar: the caller may be a JavaScript program without types.
 */
export function flatten(nested: Nested): Flat | Failure {
  const shape: number[] = [];
  for (
    let first: Nested | undefined = nested;
    first !== undefined && isArray(first);
    first = first[0]
  ) {
    if (shape.length === mostAxes) return tooDeep();
    shape.push(first.length);
  }
  const scalars: Scalar[] = [];
  const path: number[] = [];
  const walk = (part: Nested): Failure | undefined => {
    if (!isArray(part)) {
      if (!scalarKinds.has(typeof part))
        return failure(`element ${showIndices(path)} is ${whatIs(part)}, and no scalar`);
      if (path.length < shape.length) return ragged(path, "is a scalar", "an array");
      scalars.push(part);
      return undefined;
    }
    const extent = shape[path.length];
    if (extent === undefined) return ragged(path, "is an array", "a scalar");
    if (part.length !== extent)
      return ragged(path, `has ${elementCount(part.length)}`, elementCount(extent));
    for (const [index, member] of part.entries()) {
      path.push(index);
      const problem = walk(member);
      if (problem) return problem;
      path.pop();
    }
    return undefined;
  };
  return walk(nested) ?? { shape, scalars };
}

const scalarKinds: ReadonlySet<string> = new Set(["number", "bigint", "boolean", "string"]);

/** Names a value that stands in the place of a scalar. */
function whatIs(part: unknown): string {
  if (part === undefined || part === null) return String(part);
  return typeof part === "object"
    ? `of type ${part.constructor?.name ?? "object"}`
    : `a ${typeof part}`;
}

function ragged(path: readonly number[], what: string, first: string): Failure {
  const verb = what.startsWith("has") ? "has" : "is";
  const origin = showIndices(path.map(() => 0));
  return failure(
    `the nested arrays are ragged: element ${showIndices(path)} ${what}, ` +
      `but ${origin} ${verb} ${first}`,
  );
}

const elementCount = (n: number): string => (n === 1 ? "1 element" : `${n} elements`);

function isArray(nested: Nested): nested is readonly Nested[] {
  return Array.isArray(nested);
}

/** A value from the host as a scalar of the element type. */
export function toScalar(dtype: ElementType, x: Scalar): Scalar | Failure {
  if (dtype === "bool") return typeof x === "boolean" ? x : failure(`${describe(x)} is not a bool`);
  if (dtype === "str") return typeof x === "string" ? x : failure(`${describe(x)} is not a string`);
  if (dtype === "data") return failure("a struct or enum does not come from outside");
  if (isFloat(dtype)) return toFloat(dtype, x);
  const integer = toInteger(dtype, x);
  if (failed(integer)) return integer;
  const { least, greatest } = integerBounds[dtype];
  if (integer < least || integer > greatest) return unfitInteger(String(integer), dtype);
  return dtype === "i64" ? integer : Number(integer);
}

function toFloat(dtype: FloatType, x: Scalar): number | Failure {
  if (typeof x === "bigint") return cast("i64", dtype, x) as number;
  const number = typeof x === "string" ? nonFinite(x) : Number(x);
  if (number === undefined) return failure(`${describe(x)} is not a number`);
  const rounded = roundTo(dtype, number);
  return Number.isFinite(number) && !Number.isFinite(rounded)
    ? tooLarge(String(number), dtype)
    : rounded;
}

function toInteger(dtype: IntegerType, x: Scalar): bigint | Failure {
  if (typeof x === "bigint") return x;
  const written = typeof x === "string" ? integerIn(x, dtype) : undefined;
  if (written !== undefined) return written;
  if (typeof x !== "number" || !Number.isInteger(x)) {
    return failure(`${describe(x)} is not an integer, and ${dtype} is wanted`);
  }
  if (!Number.isSafeInteger(x))
    return failure(`${x} is beyond 2^53, where plain numbers have gaps; write it as a string`);
  return BigInt(x);
}

/** JSON has no literals for these numbers, so they come as strings. */
function nonFinite(text: string): number | undefined {
  switch (text) {
    case "NaN":
      return NaN;
    case "Infinity":
      return Infinity;
    case "-Infinity":
      return -Infinity;
    default:
      return undefined;
  }
}

function describe(x: Scalar): string {
  return typeof x === "string" ? quotedCut(x) : String(x);
}
