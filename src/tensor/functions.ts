// Every operation as a function of tensors.

import { sizeOf } from "../scalar/values/value.ts";
import { allocate } from "../scalar/types.ts";
import { nextSeed } from "./constructors.ts";
import type { TensorType } from "./core/definition.ts";
import { TensorError } from "./core/error.ts";
import { indexing, slice, type IndexItem } from "./core/index-items.ts";
import * as contraction from "./operations/contractions.ts";
import { gather } from "./operations/gather.ts";
import * as movement from "./operations/movement.ts";
import * as network from "./operations/network.ts";
import { pointwise, type PointwiseName } from "./operations/pointwise.ts";
import {
  reductions,
  variance as varOperation,
  winners,
  type Along,
  type VarOptions,
} from "./operations/reductions.ts";
import { checkChoice, checkOptions, checkType, checkWhole } from "./core/options.ts";
import { tensorOf, tensorsOf, type Operand } from "./core/operand.ts";
import { apply } from "./core/recipe.ts";
import { axisOf, broadcast, showShape, type Shape } from "./core/shape.ts";
import { Tensor } from "./tensor.ts";

// ── cell by cell ────────────────────────────────────────────────────────────────────────────────

const unary =
  (name: PointwiseName) =>
  (x: Operand): Tensor =>
    apply(pointwise[name], tensorsOf([x]), undefined);
const binary =
  (name: PointwiseName) =>
  (a: Operand, b: Operand): Tensor =>
    apply(pointwise[name], tensorsOf([a, b]), undefined);

export const negative = unary("negative");
export const exp = unary("exp");
export const log = unary("log");
export const sqrt = unary("sqrt");
export const tanh = unary("tanh");
export const sigmoid = unary("sigmoid");
export const relu = unary("relu");
export const abs = unary("abs");
export const sin = unary("sin");
export const cos = unary("cos");
export const erf = unary("erf");
export const logicalNot = unary("logicalNot");
export const add = binary("add");
export const subtract = binary("subtract");
export const multiply = binary("multiply");
export const divide = binary("divide");
export const pow = binary("pow");
export const maximum = binary("maximum");
export const minimum = binary("minimum");
export const equal = binary("equal");
export const notEqual = binary("notEqual");
export const less = binary("less");
export const lessEqual = binary("lessEqual");
export const greater = binary("greater");
export const greaterEqual = binary("greaterEqual");
export const logicalAnd = binary("logicalAnd");
export const logicalOr = binary("logicalOr");

export interface GeluOptions {
  /** "tanh" for the approximation. The default "none" is exact, by erf. */
  readonly approximate?: "none" | "tanh";
}

export function gelu(x: Operand, options: GeluOptions = {}): Tensor {
  checkOptions("gelu", options, ["approximate"]);
  const { approximate = "none" } = options;
  checkChoice("gelu", "approximate", approximate, ["none", "tanh"]);
  return apply(
    approximate === "tanh" ? pointwise.geluTanh : pointwise.gelu,
    tensorsOf([x]),
    undefined,
  );
}

/**
 * Limits cells to two bounds, one of which may be undefined. With tensors as bounds, gradients
 * follow `maximum` and `minimum`.
 */
export function clamp(x: Operand, least: Operand | undefined, greatest?: Operand): Tensor {
  if (least instanceof Tensor || greatest instanceof Tensor) {
    const raised = least === undefined ? tensorOf(x) : maximum(x, least);
    return greatest === undefined ? raised : minimum(raised, greatest);
  }
  if (least !== undefined && greatest !== undefined)
    return apply(pointwise.clamp, tensorsOf([x, least, greatest]), undefined);
  if (least !== undefined) return apply(pointwise.atLeast, tensorsOf([x, least]), undefined);
  if (greatest !== undefined) return apply(pointwise.atMost, tensorsOf([x, greatest]), undefined);
  throw new TensorError("clamp: at least one bound is wanted");
}

/** The cells of `a` where the condition is true, and of `b` elsewhere. */
export function where(condition: Operand, a: Operand, b: Operand): Tensor {
  return apply(pointwise.where, [tensorOf(condition), ...tensorsOf([a, b])], undefined);
}

export function to(x: Operand, dtype: TensorType): Tensor {
  checkType("to", dtype);
  const tensor = tensorOf(x);
  return tensor.dtype === dtype ? tensor : apply(movement.castTo, [tensor], dtype);
}

/** A copy through which gradients flow. */
export function clone(x: Tensor): Tensor {
  return apply(movement.castTo, [x], x.dtype);
}

// ── along axes ──────────────────────────────────────────────────────────────────────────────────

const reduction =
  (name: keyof typeof reductions) =>
  (x: Operand, options: Along = {}): Tensor =>
    apply(reductions[name], [tensorOf(x)], options);

export const sum = reduction("sum");
export const mean = reduction("mean");
export const prod = reduction("prod");
export const max = reduction("max");
export const min = reduction("min");
export const logsumexp = reduction("logsumexp");
export const any = reduction("any");
export const all = reduction("all");

export function variance(x: Operand, options: VarOptions = {}): Tensor {
  return apply(varOperation, [tensorOf(x)], options);
}

export function argmax(x: Operand, options: Along = {}): Tensor {
  return apply(winners.argmax, [tensorOf(x)], options);
}

export function argmin(x: Operand, options: Along = {}): Tensor {
  return apply(winners.argmin, [tensorOf(x)], options);
}

export function softmax(x: Operand, dim = -1): Tensor {
  return apply(network.softmax, [tensorOf(x)], dim);
}

export function logSoftmax(x: Operand, dim = -1): Tensor {
  return apply(network.logSoftmax, [tensorOf(x)], dim);
}

// ── products ────────────────────────────────────────────────────────────────────────────────────

export function matmul(a: Operand, b: Operand): Tensor {
  return apply(contraction.matmul, tensorsOf([a, b]), undefined);
}

/** Sums of products: `einsum("bij,bjk->bik", a, b)`. */
export function einsum(equation: string, ...operands: readonly Operand[]): Tensor {
  return apply(contraction.einsum, tensorsOf(operands), equation);
}

// ── other shapes ────────────────────────────────────────────────────────────────────────────────

export function reshape(x: Operand, shape: Shape): Tensor {
  return apply(movement.reshape, [tensorOf(x)], shape);
}

export function permute(x: Operand, order: readonly number[]): Tensor {
  return apply(movement.permute, [tensorOf(x)], order);
}

/** Exchanges the last two axes. */
export function transpose(x: Operand): Tensor {
  const tensor = tensorOf(x);
  const { rank } = tensor;
  if (rank < 2) throw new TensorError(`T: a tensor of rank ${rank} has no two axes to exchange`);
  const order = tensor.shape.map((_, axis) => axis);
  return permute(tensor, [...order.slice(0, -2), rank - 1, rank - 2]);
}

/** Removes all axes of extent 1, or only the axis `dim`. */
export function squeeze(x: Operand, dim?: number): Tensor {
  const tensor = tensorOf(x);
  const axis = dim === undefined ? undefined : axisOf("squeeze", dim, tensor.rank);
  const isGone = (extent: number, k: number): boolean =>
    extent === 1 && (axis === undefined || k === axis);
  return reshape(
    tensor,
    tensor.shape.filter((extent, k) => !isGone(extent, k)),
  );
}

/** Adds an axis of extent 1. */
export function unsqueeze(x: Operand, dim: number): Tensor {
  const tensor = tensorOf(x);
  const axis = axisOf("unsqueeze", dim, tensor.rank + 1);
  return reshape(tensor, [...tensor.shape.slice(0, axis), 1, ...tensor.shape.slice(axis)]);
}

export function expand(x: Operand, shape: Shape): Tensor {
  return apply(movement.expand, [tensorOf(x)], shape);
}

export function flip(x: Operand, dims: readonly number[]): Tensor {
  return apply(movement.flip, [tensorOf(x)], dims);
}

/** Adds cells before and after each axis, from the first axis on. */
export function pad(
  x: Operand,
  amounts: readonly (readonly [number, number])[],
  value: Operand = 0,
): Tensor {
  const tensor = tensorOf(x);
  return apply(movement.pad, [tensor, to(tensorOf(value, tensor.dtype), tensor.dtype)], {
    amounts,
  });
}

export function concat(tensors: readonly Operand[], dim = 0): Tensor {
  if (tensors.length === 0) throw new TensorError("concat: there is nothing to put together");
  return apply(movement.concat, tensorsOf(tensors), dim);
}

/** Joins tensors along a new axis. */
export function stack(tensors: readonly Operand[], dim = 0): Tensor {
  if (tensors.length === 0) throw new TensorError("stack: there is nothing to put together");
  const parts = tensorsOf(tensors);
  const odd = parts.find(({ shape }) => showShape(shape) !== showShape(parts[0]!.shape));
  if (odd)
    throw new TensorError(
      `stack: the shapes ${showShape(parts[0]!.shape)} and ${showShape(odd.shape)} differ; ` +
        "only equal ones can be stacked",
    );
  return concat(
    parts.map((part) => unsqueeze(part, dim)),
    dim,
  );
}

/** Splits a tensor into pieces of one size (the last may be smaller), or of the given sizes. */
export function split(x: Operand, sizes: number | readonly number[], dim = 0): readonly Tensor[] {
  const tensor = tensorOf(x);
  const axis = axisOf("split", dim, tensor.rank);
  const extent = tensor.shape[axis]!;
  const lengths = typeof sizes === "number" ? equalParts(extent, sizes) : sizes;
  checkWhole("split", "sizes", lengths, 0);
  const total = lengths.reduce((a, b) => a + b, 0);
  if (total !== extent)
    throw new TensorError(`split: the sizes add up to ${total}, and axis ${axis} has ${extent}`);
  let start = 0;
  return lengths.map((length) => {
    const items = tensor.shape.map((_, k): IndexItem =>
      k === axis ? slice(start, start + length) : slice(),
    );
    start += length;
    return index(tensor, items);
  });
}

function equalParts(extent: number, size: number): readonly number[] {
  if (!(Number.isInteger(size) && size > 0)) throw new TensorError(`split: ${size} is not a size`);
  const count = Math.max(1, Math.ceil(extent / size));
  return Array.from({ length: count }, (_, k) => Math.min(size, extent - k * size));
}

/**
 * Indexes the axes from the first one on, with integers, `slice(…)`, boolean masks and integer
 * tensors.
 */
export function index(x: Operand, items: readonly IndexItem[]): Tensor {
  const tensor = tensorOf(x);
  const { axes, at, lists, shape } = indexing(tensor.shape, items);
  const read = axes.every((walk) => walk === "all")
    ? tensor
    : apply(gather, [tensor, ...lists], { axes, at });
  return shape ? reshape(read, shape) : read;
}

/** The rows of a table at the given positions. */
export function embedding(table: Operand, rows: Operand): Tensor {
  const positions = tensorOf(rows, "i32");
  if (tensorOf(table).rank !== 2)
    throw new TensorError("embedding: the table has two axes: [rows, features]");
  return index(table, [positions]);
}

// ── networks ────────────────────────────────────────────────────────────────────────────────────

export interface CrossEntropyOptions {
  readonly reduction?: "mean" | "sum" | "none";
}

/** The cross entropy of scores [batch, class, …] and integer classes [batch, …]. */
export function crossEntropy(
  scores: Operand,
  classes: Operand,
  options: CrossEntropyOptions = {},
): Tensor {
  checkOptions("crossEntropy", options, ["reduction"]);
  const { reduction = "mean" } = options;
  checkChoice("crossEntropy", "reduction", reduction, ["mean", "sum", "none"]);
  const given = tensorOf(scores);
  const chosen = tensorOf(classes, "i32");
  const count = given.shape[given.rank === 1 ? 0 : 1] ?? 0;
  const bad = chosen.data.findIndex((c) => Number(c) < 0 || Number(c) >= count);
  if (bad >= 0)
    throw new TensorError(
      `crossEntropy: class ${chosen.data[bad]} at cell ${bad} is not one of 0 to ${count - 1}`,
    );
  return apply(network.crossEntropy, [given, chosen], { reduction });
}

export interface LayerNormOptions {
  readonly weight?: Operand | undefined;
  readonly bias?: Operand | undefined;
  readonly eps?: number;
}

/**
 * Normalises the last axes together. `extents` are their extents; for one axis a number is enough.
 */
export function layerNorm(
  x: Operand,
  extents: number | Shape,
  options: LayerNormOptions = {},
): Tensor {
  checkOptions("layerNorm", options, ["weight", "bias", "eps"]);
  const { weight, bias, eps = 1e-5 } = options;
  if (!(eps >= 0 && eps < Infinity))
    throw new TensorError(`layerNorm: \`eps\` is at least 0, and ${eps} came`);
  const tensor = tensorOf(x);
  const shape = typeof extents === "number" ? [extents] : extents;
  const own = tensor.shape.slice(tensor.rank - shape.length);
  if (shape.length > tensor.rank || showShape(own) !== showShape(shape))
    throw new TensorError(
      `layerNorm: a tensor of shape ${showShape(tensor.shape)} does not end in ${showShape(shape)}`,
    );
  const given = [weight, bias].flatMap((each) =>
    each === undefined ? [] : [tensorOf(each, tensor.dtype)],
  );
  return apply(network.layerNorm, [tensor, ...given], {
    axes: shape.length,
    eps,
    hasWeight: weight !== undefined,
    hasBias: bias !== undefined,
  });
}

type Pair = number | readonly [number, number];

const pair = (value: Pair): readonly [number, number] =>
  (Array.isArray(value) ? value : [value, value]) as [number, number];

export interface Conv2dOptions {
  readonly bias?: Operand | undefined;
  readonly stride?: Pair;
  readonly padding?: Pair;
  readonly dilation?: Pair;
  readonly groups?: number;
}

export function conv2d(images: Operand, kernels: Operand, options: Conv2dOptions = {}): Tensor {
  checkOptions("conv2d", options, ["bias", "stride", "padding", "dilation", "groups"]);
  const { bias, stride = 1, padding = 0, dilation = 1, groups = 1 } = options;
  const operands = tensorsOf(bias === undefined ? [images, kernels] : [images, kernels, bias]);
  return apply(network.conv2d, operands, {
    stride: pair(stride),
    padding: pair(padding),
    dilation: pair(dilation),
    groups,
  });
}

export interface Pool2dOptions {
  /** The default is the window itself, so that windows do not overlap. */
  readonly stride?: Pair;
  readonly padding?: Pair;
  readonly dilation?: Pair;
}

export function maxPool2d(images: Operand, window: Pair, options: Pool2dOptions = {}): Tensor {
  checkOptions("maxPool2d", options, ["stride", "padding", "dilation"]);
  const { stride = window, padding = 0, dilation = 1 } = options;
  return apply(network.maxPool2d, [tensorOf(images)], {
    window: pair(window),
    stride: pair(stride),
    padding: pair(padding),
    dilation: pair(dilation),
  });
}

/**
 * Sets each cell to 0 with probability `rate`, and scales the others by 1 / (1 - rate). The same
 * seed drops the same cells.
 */
export function dropout(x: Operand, rate: number, seed = nextSeed()): Tensor {
  if (!(rate >= 0 && rate < 1))
    throw new TensorError(`dropout: the rate ${rate} is not in 0 to 1, 1 excluded`);
  const tensor = tensorOf(x);
  return apply(
    network.dropout,
    [tensor, tensorOf(rate, tensor.dtype), tensorOf(seed, "i32")],
    undefined,
  );
}

// ── of the same form ────────────────────────────────────────────────────────────────────────────

export function onesLike({ shape, dtype }: Tensor): Tensor {
  const cells = allocate(dtype, sizeOf(shape));
  if (cells instanceof BigInt64Array) cells.fill(1n);
  else cells.fill(1);
  return new Tensor({ cells, version: 0 }, shape, dtype);
}

/** The shape to which the operands broadcast together. */
export function broadcastShape(...operands: readonly Operand[]): Shape {
  return broadcast(
    "broadcastShape",
    operands.map((operand) => tensorOf(operand).shape),
  );
}
