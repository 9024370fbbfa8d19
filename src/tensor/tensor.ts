// The eager tensor: cells, a shape, and the recipe that made it. Eager tensors record a graph as
// PyTorch's do and run on the compiler's engine; the language itself is not here.
//
//   const w = tensor([1, 2], { requiresGrad: true });
//   w.multiply(w).sum().backward();
//   w.grad;                                // [2, 4]

import { isFloat } from "../scalar/types.ts";
import type { BackwardOptions } from "./backward.ts";
import type { TensorType } from "./core/definition.ts";
import { TensorError } from "./core/error.ts";
import type { GeluOptions } from "./functions.ts";
import type { IndexItem } from "./core/index-items.ts";
import { inspected } from "./core/inspect.ts";
import type { Cells } from "./core/kernel.ts";
import { tell } from "./core/listener.ts";
import { methods } from "./core/methods.ts";
import type { Along, VarOptions } from "./operations/reductions.ts";
import type { Recipe } from "./core/recipe.ts";
import { showShape, type Shape } from "./core/shape.ts";
import type { Operand } from "./core/operand.ts";

/** Cells that several tensors may share. Every overwriting raises the version. */
interface Storage {
  readonly cells: Cells;
  version: number;
  /** The operation that overwrote the cells last, with its source line if it is known. */
  writer?: string;
}

/** Receives a gradient, and may give another gradient in its place. */
export type Hook = (gradient: Tensor) => Tensor | void;

export class Tensor {
  readonly shape: Shape;
  readonly dtype: TensorType;
  readonly storage: Storage;
  requiresGrad: boolean;
  /**
   * The gradient, which `backward` fills in leaves that require gradients and in tensors with
   * `retainGrad`.
   */
  grad: Tensor | undefined = undefined;
  recipe: Recipe | undefined = undefined;
  retainsGrad = false;
  /** The name in drawings and recorded programs. */
  name: string | undefined = undefined;
  /** Whether the tensor was made of a number or list in a call, as in `x.add(1)`. */
  isLiteral = false;
  readonly hooks: Hook[] = [];

  constructor(storage: Storage, shape: Shape, dtype: TensorType, requiresGrad = false) {
    if (requiresGrad && !isFloat(dtype))
      throw new TensorError(`a tensor of ${dtype} cannot require gradients; only floats can`);
    this.storage = storage;
    this.shape = shape;
    this.dtype = dtype;
    this.requiresGrad = requiresGrad;
  }

  // ── what it holds ─────────────────────────────────────────────────────────────────────────────

  /** The cells in row-major order. This is the array itself, not a copy. */
  get data(): Cells {
    return this.storage.cells;
  }
  get rank(): number {
    return this.shape.length;
  }
  get size(): number {
    return this.storage.cells.length;
  }
  /** The extent of the first axis. */
  get length(): number {
    if (this.shape.length === 0)
      throw new TensorError("a tensor without axes has no length; `size` is 1");
    return this.shape[0]!;
  }
  /** Whether backpropagation ends here, because there is no recipe or no gradient is required. */
  get isLeaf(): boolean {
    return !this.requiresGrad || this.recipe === undefined;
  }
  /** The number in a tensor with one cell. */
  item(): number {
    if (this.size !== 1)
      throw new TensorError(
        `item: a tensor of shape ${showShape(this.shape)} has ${this.size} cells, not one`,
      );
    return Number(this.data[0]!);
  }
  /**
   * The truth of a tensor with one cell. `if (t)` would only ask whether the object exists, so it
   * is always true.
   */
  bool(): boolean {
    if (this.size !== 1)
      throw new TensorError(
        `bool: the truth of ${this.size} cells is ambiguous; ` +
          "use `t.notEqual(0).any().bool()` or `all()`",
      );
    return Number(this.data[0]!) !== 0;
  }
  /** Gives the tensor a name for drawings and recorded programs. */
  named(name: string): this {
    this.name = name;
    return this;
  }
  /** The cells as nested arrays. */
  toArray(): NestedNumbers {
    return nested(this, 0, 0);
  }
  [Symbol.toPrimitive](hint: string): number | string {
    return hint === "string" ? inspected(this) : this.item();
  }
  toString(): string {
    return inspected(this);
  }
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return inspected(this);
  }

  // ── the recorded graph ────────────────────────────────────────────────────────────────────────

  /**
   * Adds gradients to the `.grad` of every leaf that this tensor depends on. `endGrad` is the
   * gradient of this tensor; without it, ones.
   */
  backward(endGrad?: Operand, options: BackwardOptions = {}): void {
    methods.backward(this, endGrad, options);
  }
  /**
   * A tensor over the same cells, without a recipe. Overwriting one of the two overwrites the
   * other.
   */
  detach(): Tensor {
    const detached = new Tensor(this.storage, this.shape, this.dtype);
    tell({ kind: "detached", from: this, to: detached });
    return detached;
  }
  /** A copy through which gradients flow. */
  clone(): Tensor {
    return methods.clone(this);
  }
  retainGrad(): this {
    this.retainsGrad = true;
    return this;
  }
  /**
   * Registers a hook, which is called with the complete gradient of this tensor. The result removes
   * the hook.
   */
  registerHook(hook: Hook): () => void {
    if (!this.requiresGrad)
      throw new TensorError("registerHook: this tensor does not require gradients");
    this.hooks.push(hook);
    return () => {
      const at = this.hooks.indexOf(hook);
      if (at >= 0) this.hooks.splice(at, 1);
    };
  }
  requiresGrad_(wanted = true): this {
    if (wanted && !isFloat(this.dtype))
      throw new TensorError(`a tensor of ${this.dtype} cannot require gradients`);
    if (!this.isLeaf)
      throw new TensorError("requiresGrad_: only a leaf can be told; use `detach()`");
    this.requiresGrad = wanted;
    return this;
  }
  to(dtype: TensorType): Tensor {
    return methods.to(this, dtype);
  }

  // ── cell by cell ──────────────────────────────────────────────────────────────────────────────

  negative(): Tensor {
    return methods.negative(this);
  }
  add(other: Operand): Tensor {
    return methods.add(this, other);
  }
  subtract(other: Operand): Tensor {
    return methods.subtract(this, other);
  }
  multiply(other: Operand): Tensor {
    return methods.multiply(this, other);
  }
  divide(other: Operand): Tensor {
    return methods.divide(this, other);
  }
  pow(exponent: Operand): Tensor {
    return methods.pow(this, exponent);
  }
  maximum(other: Operand): Tensor {
    return methods.maximum(this, other);
  }
  minimum(other: Operand): Tensor {
    return methods.minimum(this, other);
  }
  exp(): Tensor {
    return methods.exp(this);
  }
  log(): Tensor {
    return methods.log(this);
  }
  sqrt(): Tensor {
    return methods.sqrt(this);
  }
  tanh(): Tensor {
    return methods.tanh(this);
  }
  sigmoid(): Tensor {
    return methods.sigmoid(this);
  }
  relu(): Tensor {
    return methods.relu(this);
  }
  abs(): Tensor {
    return methods.abs(this);
  }
  sin(): Tensor {
    return methods.sin(this);
  }
  cos(): Tensor {
    return methods.cos(this);
  }
  erf(): Tensor {
    return methods.erf(this);
  }
  gelu(options: GeluOptions = {}): Tensor {
    return methods.gelu(this, options);
  }
  clamp(least: Operand | undefined, greatest?: Operand): Tensor {
    return methods.clamp(this, least, greatest);
  }
  equal(other: Operand): Tensor {
    return methods.equal(this, other);
  }
  notEqual(other: Operand): Tensor {
    return methods.notEqual(this, other);
  }
  less(other: Operand): Tensor {
    return methods.less(this, other);
  }
  lessEqual(other: Operand): Tensor {
    return methods.lessEqual(this, other);
  }
  greater(other: Operand): Tensor {
    return methods.greater(this, other);
  }
  greaterEqual(other: Operand): Tensor {
    return methods.greaterEqual(this, other);
  }
  logicalNot(): Tensor {
    return methods.logicalNot(this);
  }
  logicalAnd(other: Operand): Tensor {
    return methods.logicalAnd(this, other);
  }
  logicalOr(other: Operand): Tensor {
    return methods.logicalOr(this, other);
  }

  // ── along axes ────────────────────────────────────────────────────────────────────────────────

  sum(options: Along = {}): Tensor {
    return methods.sum(this, options);
  }
  mean(options: Along = {}): Tensor {
    return methods.mean(this, options);
  }
  prod(options: Along = {}): Tensor {
    return methods.prod(this, options);
  }
  max(options: Along = {}): Tensor {
    return methods.max(this, options);
  }
  min(options: Along = {}): Tensor {
    return methods.min(this, options);
  }
  logsumexp(options: Along = {}): Tensor {
    return methods.logsumexp(this, options);
  }
  var(options: VarOptions = {}): Tensor {
    return methods.variance(this, options);
  }
  any(options: Along = {}): Tensor {
    return methods.any(this, options);
  }
  all(options: Along = {}): Tensor {
    return methods.all(this, options);
  }
  argmax(options: Along = {}): Tensor {
    return methods.argmax(this, options);
  }
  argmin(options: Along = {}): Tensor {
    return methods.argmin(this, options);
  }
  softmax(dim = -1): Tensor {
    return methods.softmax(this, dim);
  }
  logSoftmax(dim = -1): Tensor {
    return methods.logSoftmax(this, dim);
  }

  // ── other shapes ──────────────────────────────────────────────────────────────────────────────

  matmul(other: Operand): Tensor {
    return methods.matmul(this, other);
  }
  reshape(...shape: Listed): Tensor {
    return methods.reshape(this, asList(shape));
  }
  permute(...order: Listed): Tensor {
    return methods.permute(this, asList(order));
  }
  /** Exchanges the last two axes. */
  get T(): Tensor {
    return methods.transpose(this);
  }
  squeeze(dim?: number): Tensor {
    return methods.squeeze(this, dim);
  }
  unsqueeze(dim: number): Tensor {
    return methods.unsqueeze(this, dim);
  }
  expand(...shape: Listed): Tensor {
    return methods.expand(this, asList(shape));
  }
  split(sizes: number | readonly number[], dim = 0): readonly Tensor[] {
    return methods.split(this, sizes, dim);
  }
  pad(amounts: readonly (readonly [number, number])[], value: Operand = 0): Tensor {
    return methods.pad(this, amounts, value);
  }
  flip(...dims: Listed): Tensor {
    return methods.flip(this, asList(dims));
  }
  /**
   * Indexes the axes from the first one on, with integers, `slice(…)`, boolean masks and integer
   * tensors.
   */
  get(...items: readonly IndexItem[]): Tensor {
    return methods.index(this, items);
  }

  // ── in place ──────────────────────────────────────────────────────────────────────────────────

  add_(other: Operand, alpha = 1): this {
    return methods.addInPlace(this, other, alpha);
  }
  sub_(other: Operand, alpha = 1): this {
    return methods.subtractInPlace(this, other, alpha);
  }
  mul_(other: Operand): this {
    return methods.multiplyInPlace(this, other);
  }
  zero_(): this {
    return methods.zeroInPlace(this);
  }
  uniform_(low = 0, high = 1, seed = 0): this {
    return methods.uniformInPlace(this, low, high, seed);
  }
  normal_(mean = 0, deviation = 1, seed = 0): this {
    return methods.normalInPlace(this, mean, deviation, seed);
  }
}

/** Extents or axes, as several arguments or as one list. */
type Listed = readonly number[] | readonly [readonly number[]];

function asList(numbers: Listed): readonly number[] {
  const [first] = numbers;
  return typeof first === "object" ? first : (numbers as readonly number[]);
}

export type NestedNumbers = number | bigint | boolean | readonly NestedNumbers[];

function nested(tensor: Tensor, axis: number, offset: number): NestedNumbers {
  const { shape, data, dtype } = tensor;
  if (axis === shape.length) return dtype === "bool" ? data[offset] !== 0 : data[offset]!;
  const step = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  return Array.from({ length: shape[axis]! }, (_, k) =>
    nested(tensor, axis + 1, offset + k * step),
  );
}
