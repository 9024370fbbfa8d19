// The element types of the language, their widths in bytes, and the arrays that hold their cells.

export const elementTypes = [
  "i8",
  "i32",
  "i64",
  "f16",
  "bf16",
  "f32",
  "f64",
  "bool",
  "str",
] as const;

/**
 * `data` is a value of a recursive enum or struct, by reference. A program cannot name it as an
 * element type.
 */
export type ElementType = (typeof elementTypes)[number] | "data";
export type FloatType = "f16" | "bf16" | "f32" | "f64";
export type IntegerType = "i8" | "i32" | "i64";
export type NumericType = FloatType | IntegerType;

/**
 * One value at run time: `bigint` for i64, `number` for every other number, `boolean` for bool,
 * `string` for str.
 */
export type Scalar = number | bigint | boolean | string | Data;

/**
 * The scalars of a struct or enum, in the order of its layout. Scalars that nothing reads may be
 * missing.
 */
export interface Data extends ReadonlyArray<Scalar> {}

/**
 * The arrays that a ragged array is stored in: the starts of its rows, the starts of the rows
 * inside other rows (`inner`), and the cells.
 */
export type RowsPart = "starts" | "inner" | "cells";

/** The element types that a host sees. */
export type DType = (typeof elementTypes)[number];

/** Element types whose cells have no fixed width. */
export type Unsized = "str" | "data";

export function isUnsized(type: ElementType): type is Unsized {
  return type === "str" || type === "data";
}

/**
 * The array that holds the cells of a tensor. An f16 or bf16 tensor holds rounded values in f32
 * cells.
 */
export type TypedArray =
  Uint8Array | Int8Array | Int32Array | BigInt64Array | Float32Array | Float64Array;

/** The sets of element types that typing rules name. */
export type ElementClass = "float" | "integer" | "numeric" | "bool" | "any";

export function isElementType(text: string): text is ElementType {
  return (elementTypes as readonly string[]).includes(text);
}

export function isFloat(type: ElementType): type is FloatType {
  return type === "f32" || type === "f64" || type === "f16" || type === "bf16";
}

export function isInteger(type: ElementType): type is IntegerType {
  return type === "i32" || type === "i64" || type === "i8";
}

export function isNumeric(type: ElementType): type is NumericType {
  return isFloat(type) || isInteger(type);
}

export function belongsTo(type: ElementType, set: ElementClass): boolean {
  switch (set) {
    case "float":
      return isFloat(type);
    case "integer":
      return isInteger(type);
    case "numeric":
      return isNumeric(type);
    case "bool":
      return type === "bool";
    case "any":
      return true;
    default:
      return set satisfies never;
  }
}

/** How a message names a set of element types. */
export const classNames = {
  float: "a float type",
  integer: "an integer type",
  numeric: "a numeric type",
  bool: "bool",
  any: "any type",
} as const satisfies Record<ElementClass, string>;

/** Bytes of one cell in a file or in the memory of a backend. */
export function bytesOf(type: Exclude<ElementType, Unsized>): number {
  switch (type) {
    case "bool":
    case "i8":
      return 1;
    case "f16":
    case "bf16":
      return 2;
    case "i32":
    case "f32":
      return 4;
    case "i64":
    case "f64":
      return 8;
    default:
      return type satisfies never;
  }
}

/** The smallest and the largest value of an integer type. */
export const integerBounds = {
  i8: { least: -128, greatest: 127 },
  i32: { least: -2147483648, greatest: 2147483647 },
  i64: { least: -(2n ** 63n), greatest: 2n ** 63n - 1n },
} as const satisfies Record<IntegerType, { least: number | bigint; greatest: number | bigint }>;

/** A store for `length` cells, all zero. */
export function allocate(type: Exclude<ElementType, Unsized>, length: number): TypedArray {
  switch (type) {
    case "bool":
      return new Uint8Array(length);
    case "i8":
      return new Int8Array(length);
    case "i32":
      return new Int32Array(length);
    case "i64":
      return new BigInt64Array(length);
    case "f16":
    case "bf16":
    case "f32":
      return new Float32Array(length);
    case "f64":
      return new Float64Array(length);
    default:
      return type satisfies never;
  }
}

/** The zero of a type: the value of an undefined cell and of an empty sum. */
export function zeroOf(type: ElementType): Scalar {
  if (type === "i64") return 0n;
  if (type === "bool") return false;
  if (type === "data") return [];
  return type === "str" ? "" : 0;
}

/** The one of a numeric type. */
export function oneOf(type: NumericType): number | bigint {
  return type === "i64" ? 1n : 1;
}
