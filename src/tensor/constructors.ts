// Constructors: tensors from numbers.

import { failed } from "../base/failure.ts";
import { fromNested, sizeOf, type Nested } from "../scalar/values/value.ts";
import { normal, uniform } from "../scalar/random.ts";
import { allocate, isFloat } from "../scalar/types.ts";
import type { TensorType } from "./core/definition.ts";
import { TensorError } from "./core/error.ts";
import type { Cells } from "./core/kernel.ts";
import { checkType } from "./core/options.ts";
import { showShape, type Shape } from "./core/shape.ts";
import { Tensor } from "./tensor.ts";
import { beginsWithBool } from "./core/operand.ts";

export interface TensorOptions {
  /**
   * The default is f32 for numbers and bool for booleans. A typed array keeps its own type, but f64
   * becomes f32.
   */
  readonly dtype?: TensorType;
  readonly requiresGrad?: boolean;
}

/** A tensor from a number, nested arrays, a typed array or another tensor. The cells are copied. */
export function tensor(
  values: Nested | Cells | Tensor,
  { dtype, requiresGrad = false }: TensorOptions = {},
): Tensor {
  if (dtype !== undefined) checkType("tensor", dtype);
  if (values instanceof Tensor) return copyOf(values, dtype ?? values.dtype, requiresGrad);
  if (ArrayBuffer.isView(values)) {
    const own = typeOfCells(values);
    const wanted = dtype ?? (own === "f64" ? "f32" : own);
    if (wanted === "bool") checkBools("tensor", values);
    const cells = wanted === own ? values.slice() : converted(values, wanted);
    return new Tensor({ cells, version: 0 }, [values.length], wanted, requiresGrad);
  }
  const wanted = dtype ?? (beginsWithBool(values) ? "bool" : "f32");
  if (values === undefined || values === null)
    throw new TensorError(`tensor: ${String(values)} is not a number`);
  const value = fromNested(wanted, values);
  if (failed(value)) throw new TensorError(`tensor: ${value.error}`);
  return new Tensor({ cells: value.data as Cells, version: 0 }, value.shape, wanted, requiresGrad);
}

/** A tensor over the caller's array. A change of one shows in the other. */
export function fromTypedArray(
  cells: Cells,
  shape: Shape = [cells.length],
  { requiresGrad = false }: { readonly requiresGrad?: boolean } = {},
): Tensor {
  const dtype = typeOfCells(cells);
  if (dtype === "bool") checkBools("fromTypedArray", cells);
  if (sizeOf(shape) !== cells.length)
    throw new TensorError(
      `fromTypedArray: ${cells.length} cells do not fill the shape ${showShape(shape)}`,
    );
  return new Tensor({ cells, version: 0 }, shape, dtype, requiresGrad);
}

export function zeros(shape: Shape, options: TensorOptions = {}): Tensor {
  return full(shape, 0, options);
}

export function ones(shape: Shape, options: TensorOptions = {}): Tensor {
  return full(shape, 1, options);
}

/** A tensor whose cells are meant to be overwritten. They are 0. */
export function empty(shape: Shape, options: TensorOptions = {}): Tensor {
  return full(shape, 0, options);
}

export function full(shape: Shape, value: number, options: TensorOptions = {}): Tensor {
  return filled(shape, options, () => value);
}

/** The numbers from `start` up to `end`, which is excluded. With one argument they begin at 0. */
export function arange(start: number, end?: number, step = 1, options: TensorOptions = {}): Tensor {
  const [from, to] = end === undefined ? [0, start] : [start, end];
  if (step === 0) throw new TensorError("arange: a step of 0 goes nowhere");
  return filled([Math.max(0, Math.ceil((to - from) / step))], options, (n) => from + n * step);
}

/** Equally spaced numbers, both ends included. */
export function linspace(
  start: number,
  end: number,
  steps: number,
  options: TensorOptions = {},
): Tensor {
  const gap = steps > 1 ? (end - start) / (steps - 1) : 0;
  return filled([steps], options, (n) => (n === steps - 1 && steps > 1 ? end : start + n * gap));
}

/** A matrix with ones on the diagonal. */
export function eye(rows: number, columns = rows, options: TensorOptions = {}): Tensor {
  return filled([rows, columns], options, (n) => (Math.floor(n / columns) === n % columns ? 1 : 0));
}

export interface RandomOptions extends TensorOptions {
  /** The same seed gives the same numbers on every machine. */
  readonly seed?: number;
}

/** Uniform random numbers in [0, 1). */
export function rand(shape: Shape, options: RandomOptions = {}): Tensor {
  const seed = options.seed ?? nextSeed();
  return filled(shape, options, (n) => uniform(seed, n));
}

/** Normal random numbers with mean 0 and deviation 1. */
export function randn(shape: Shape, options: RandomOptions = {}): Tensor {
  const seed = options.seed ?? nextSeed();
  return filled(shape, options, (n) => normal(seed, n));
}

let seeds = 0;

/** Sets the next seed for calls without a seed. Each such call takes one more. */
export function manualSeed(seed: number): void {
  seeds = seed;
}

export function nextSeed(): number {
  return seeds++;
}

function filled(
  shape: Shape,
  { dtype = "f32", requiresGrad = false }: TensorOptions,
  cell: (n: number) => number,
): Tensor {
  checkType("dtype", dtype);
  if (!Array.isArray(shape))
    throw new TensorError(
      `a shape is a list of extents, such as [2, 3], and ${JSON.stringify(shape)} came`,
    );
  const bad = shape.find((extent) => !(Number.isInteger(extent) && extent >= 0));
  if (bad !== undefined)
    throw new TensorError(`${bad} is not an extent, in the shape ${showShape(shape)}`);
  const cells = allocate(dtype, sizeOf(shape));
  for (let n = 0; n < cells.length; n++) {
    const value = cell(n);
    if (!isFloat(dtype) && !Number.isFinite(value))
      throw new TensorError(`${value} is not a number of ${dtype}`);
    if (cells instanceof BigInt64Array) cells[n] = BigInt(Math.trunc(value));
    else cells[n] = value;
  }
  return new Tensor({ cells, version: 0 }, shape, dtype, requiresGrad);
}

function converted(values: Cells, wanted: TensorType): Cells {
  const cells = allocate(wanted, values.length);
  for (let n = 0; n < values.length; n++) {
    if (cells instanceof BigInt64Array) cells[n] = BigInt(values[n]!);
    else cells[n] = Number(values[n]!);
  }
  return cells;
}

function typeOfCells(cells: Cells): TensorType {
  if (cells instanceof Float32Array) return "f32";
  if (cells instanceof Float64Array) return "f64";
  if (cells instanceof Int32Array) return "i32";
  if (cells instanceof BigInt64Array) return "i64";
  if (cells instanceof Int8Array) return "i8";
  if (cells instanceof Uint8Array) return "bool";
  throw new TensorError(
    `${Object.prototype.toString.call(cells).slice(8, -1)} holds no type of ours: ` +
      "use a Float32Array, Float64Array, Int32Array, BigInt64Array, Int8Array, " +
      "or a Uint8Array of bools",
  );
}

/** Refuses bytes other than 0 and 1, because they were probably meant as numbers. */
function checkBools(operation: string, cells: Cells): void {
  const bad = cells.findIndex((x) => Number(x) !== 0 && Number(x) !== 1);
  if (bad >= 0)
    throw new TensorError(
      `${operation}: the cell ${bad} is ${cells[bad]}, and bools are 0 or 1; ` +
        "for numbers write `tensor(Int32Array.from(…))` or give a `dtype`",
    );
}

function copyOf({ data, shape, dtype }: Tensor, wanted: TensorType, requiresGrad: boolean): Tensor {
  const cells = wanted === dtype ? data.slice() : converted(data, wanted);
  return new Tensor({ cells, version: 0 }, shape, wanted, requiresGrad);
}
