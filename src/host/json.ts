// Tensors as JSON. A tensor is written as an object with flat, row-major data:
//
//   {"dtype": "f32", "shape": [2, 2], "data": [1, 2, 3, 4]}
//
// An input may also be nested arrays.

import { isElementType, isFloat, isNumeric } from "../scalar/types.ts";
import type { ElementType, Scalar } from "../scalar/types.ts";
import { mostAxes, tooDeep, tooManyAxes } from "../scalar/values/axes.ts";
import { failed, failure } from "../base/failure.ts";
import type { Failure } from "../base/failure.ts";
import { shownJson } from "../scalar/values/shown-json.ts";
import { shortest } from "../scalar/values/shortest.ts";
import {
  at,
  flatten,
  fromFlat,
  fromScalars,
  indicesOf,
  showIndices,
  sizeOf,
  toScalar,
} from "../scalar/values/value.ts";
import type { Nested, TensorValue } from "../scalar/values/value.ts";

export type JsonScalar = number | string | boolean;

export interface JsonTensor {
  readonly dtype: ElementType;
  readonly shape: readonly number[];
  readonly data: readonly JsonScalar[];
}

/**
 * The JSON form of a tensor. `JSON.stringify` writes its numbers with the fewest digits that their
 * element type needs.
 */
export function toJson(value: TensorValue): JsonTensor {
  const { dtype, shape } = value;
  return {
    dtype,
    shape,
    data: Array.from({ length: value.data.length }, (_, offset) =>
      jsonScalar(dtype, at(value, offset)),
    ),
  };
}

export function jsonScalar(dtype: ElementType, x: Scalar): JsonScalar {
  if (typeof x === "bigint") {
    const number = Number(x);
    return Number.isSafeInteger(number) ? number : x.toString();
  }
  if (typeof x === "object") return String(x);
  if (typeof x !== "number" || !isFloat(dtype)) return x;
  return Number.isFinite(x) ? shortest(dtype, x) : String(x);
}

/**
 * A tensor from parsed JSON, which is the object form or nested arrays. For nested arrays,
 * `declared` is the element type. Without it, the elements decide: bool for bools, i64 for
 * integers, f64 for other numbers, str for strings.
 */
export function fromJson(json: unknown, declared?: ElementType): TensorValue | Failure {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return fromObject(json);
  const problem = findForeign(json);
  if (problem) return problem;
  const flat = flatten(json as Nested);
  if (failed(flat)) return flat;
  const dtype = declared ?? inferType(flat.scalars);
  for (const [offset, x] of flat.scalars.entries()) {
    const stray = strayScalar(dtype, x);
    if (stray && flat.shape.length === 0) return stray;
    if (stray)
      return failure(`element ${showIndices(indicesOf(flat.shape, offset))}: ${stray.error}`);
  }
  return fromFlat(dtype, flat);
}

/**
 * Refuses a bool among numbers, and a number that JSON cannot hold: parsers turn `1e999` into
 * Infinity.
 */
function strayScalar(dtype: ElementType, x: Scalar): Failure | undefined {
  if (!isNumeric(dtype)) return undefined;
  if (typeof x === "boolean")
    return failure(`${x} is a bool, and ${dtype} is wanted; write 1 or 0, or declare bool`);
  if (typeof x !== "number" || Number.isFinite(x)) return undefined;
  return failure(
    `a number is too large for f64, which goes to 1.8e308; infinity is written "Infinity"`,
  );
}

function inferType(scalars: readonly Scalar[]): ElementType {
  if (scalars.length > 0 && scalars.every((x) => typeof x === "boolean")) return "bool";
  if (scalars.some((x) => typeof x === "number")) {
    return scalars.every((x) => Number.isSafeInteger(x)) ? "i64" : "f64";
  }
  return scalars.length > 0 && scalars.every((x) => typeof x === "string") ? "str" : "f64";
}

/** Refuses `null`, objects, and arrays that nest more deeply than a tensor can. */
function findForeign(json: unknown, depth = 0): Failure | undefined {
  if (Array.isArray(json)) {
    if (depth === mostAxes) return tooDeep();
    for (const member of json) {
      const problem = findForeign(member, depth + 1);
      if (problem) return problem;
    }
    return undefined;
  }
  if (json === null) return failure('null is not a value; a missing number is written "NaN"');
  return typeof json === "object"
    ? failure("an object stands where a number, a bool or a string is expected")
    : undefined;
}

function fromObject(json: object): TensorValue | Failure {
  const { dtype, shape, data } = json as { readonly [key: string]: unknown };
  const form = '{"dtype": "f32", "shape": [2], "data": [1, 2]}';
  if (typeof dtype !== "string" || !isElementType(dtype)) {
    return failure(`"dtype" is ${shownJson(dtype)}, not an element type; the form is ${form}`);
  }
  if (
    !Array.isArray(shape) ||
    !shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0)
  ) {
    return failure(`"shape" is ${shownJson(shape)}, not a list of extents; the form is ${form}`);
  }
  if (shape.length > mostAxes) return failure(tooManyAxes(shape.length));
  if (!Array.isArray(data))
    return failure(`"data" is not a flat list of elements; the form is ${form}`);
  const size = sizeOf(shape);
  if (data.length !== size) {
    return failure(
      `the shape ${showIndices(shape)} has ${size} cells, but "data" has ${data.length}`,
    );
  }
  const scalars: Scalar[] = [];
  for (const [offset, x] of data.entries()) {
    const foreign = Array.isArray(x)
      ? failure('"data" is nested; it must be flat, in row-major order')
      : findForeign(x);
    const scalar = foreign ?? strayScalar(dtype, x as Scalar) ?? toScalar(dtype, x as Scalar);
    if (failed(scalar))
      return failure(`element ${showIndices(indicesOf(shape, offset))}: ${scalar.error}`);
    scalars.push(scalar);
  }
  return fromScalars(dtype, shape, scalars);
}
