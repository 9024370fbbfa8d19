// Operations that overwrite cells. Each raises the version of the cells, so that a pullback notices
// that a value it needs is gone.

import { normal, uniform } from "../scalar/random.ts";
import { TensorError } from "./core/error.ts";
import { to } from "./functions.ts";
import type { Cells } from "./core/kernel.ts";
import { isHeard, tell } from "./core/listener.ts";
import { callerPlace, isTracking } from "./mode.ts";
import { tensorOf, type Operand } from "./core/operand.ts";
import { prepare } from "./core/operation.ts";
import { pointwise, promoted, type PointwiseName } from "./operations/pointwise.ts";
import { apply } from "./core/recipe.ts";
import { showShape } from "./core/shape.ts";
import { Tensor } from "./tensor.ts";

export function addInPlace<T extends Tensor>(target: T, other: Operand, alpha: number): T {
  return alpha === 1
    ? change(target, "add_", "add", [other])
    : change(target, "add_", "addScaled", [other, alpha]);
}

export function subtractInPlace<T extends Tensor>(target: T, other: Operand, alpha: number): T {
  return alpha === 1
    ? change(target, "sub_", "subtract", [other])
    : change(target, "sub_", "addScaled", [other, -alpha]);
}

export function multiplyInPlace<T extends Tensor>(target: T, other: Operand): T {
  return change(target, "mul_", "multiply", [other]);
}

export function zeroInPlace<T extends Tensor>(target: T): T {
  return overwrite(target, "zero_", (before) => withNewCells(before, () => 0));
}

export function uniformInPlace<T extends Tensor>(
  target: T,
  low: number,
  high: number,
  seed: number,
): T {
  return overwrite(target, "uniform_", (before) =>
    withNewCells(before, (n) => low + (high - low) * uniform(seed, n)),
  );
}

export function normalInPlace<T extends Tensor>(
  target: T,
  mean: number,
  deviation: number,
  seed: number,
): T {
  return overwrite(target, "normal_", (before) =>
    withNewCells(before, (n) => mean + deviation * normal(seed, n)),
  );
}

/**
 * Overwrites a tensor with the result of an operation on it. If nothing records or listens, the
 * result is computed in place.
 */
function change<T extends Tensor>(
  target: T,
  name: string,
  operation: PointwiseName,
  others: readonly Operand[],
): T {
  const given = others.map((other) => tensorOf(other, target.dtype));
  const isPlain = !isTracking() && !isHeard();
  const prepared = isPlain
    ? prepare(pointwise[operation], [target, ...given], undefined)
    : undefined;
  if (
    prepared?.plan.dtype !== target.dtype ||
    showShape(prepared.plan.shape) !== showShape(target.shape)
  )
    return overwrite(target, name, (before) =>
      apply(pointwise[operation], [before, ...given], undefined),
    );
  const operands = [target.data, ...given.map(({ data }) => data)];
  return storeCells(target, name, prepared.compute(operands, target.data));
}

function withNewCells({ shape, dtype, size, data }: Tensor, cell: (n: number) => number): Tensor {
  const cells = data.slice();
  for (let n = 0; n < size; n++) {
    if (cells instanceof BigInt64Array) cells[n] = BigInt(Math.trunc(cell(n)));
    else cells[n] = cell(n);
  }
  return new Tensor({ cells, version: 0 }, shape, dtype);
}

/**
 * Overwrites a tensor with cells that are computed from its previous state, `before`. The recipe
 * refers to `before`, which gets a copy of the cells if something may still read them.
 */
function overwrite<T extends Tensor>(
  target: T,
  operation: string,
  compute: (before: Tensor) => Tensor,
): T {
  const tracked = isTracking() && target.requiresGrad;
  if (tracked && target.isLeaf)
    throw new TensorError(
      `${operation}: a leaf that requires gradients is not overwritten while operations are ` +
        "recorded; do it inside `noGrad(() => …)`",
    );
  const storage =
    isTracking() || isHeard() ? { cells: target.data.slice(), version: 0 } : target.storage;
  const before = new Tensor(storage, target.shape, target.dtype, target.requiresGrad);
  before.recipe = target.recipe;
  tell({ kind: "before", target, before });
  const computed = compute(before);
  if (promoted([computed.dtype, target.dtype]) !== target.dtype)
    throw new TensorError(
      `${operation}: the result is ${computed.dtype} and does not fit into ${target.dtype}; ` +
        "cast one of them with `to`",
    );
  const result = to(computed, target.dtype);
  if (showShape(result.shape) !== showShape(target.shape))
    throw new TensorError(
      `${operation}: the result has the shape ${showShape(result.shape)} and does not fit ` +
        `into ${showShape(target.shape)}`,
    );
  tell({ kind: "overwritten", target, result });
  storeCells(target, operation, result.data);
  if (result.requiresGrad) {
    target.requiresGrad = true;
    target.recipe = result.recipe;
  } else if (isTracking()) {
    target.requiresGrad = false;
    target.recipe = undefined;
  }
  return target;
}

function storeCells<T extends Tensor>(target: T, operation: string, cells: Cells): T {
  if (cells !== target.data) (target.data as Float32Array).set(cells as Float32Array);
  target.storage.version++;
  const place = callerPlace();
  target.storage.writer = place === undefined ? operation : `${operation} (${place})`;
  return target;
}
