// Derivatives of functions of tensors: pullbacks, pushforwards, and a check of gradients by
// differences.

import { gradientsOf } from "./backward.ts";
import { TensorError } from "./core/error.ts";
import { multiply, onesLike, sum, to } from "./functions.ts";
import { isFloat } from "../scalar/types.ts";
import { enableGrad, noGrad } from "./mode.ts";
import { fromTypedArray, zeros } from "./constructors.ts";
import { showShape } from "./core/shape.ts";
import type { Tensor } from "./tensor.ts";

export type TensorFunction = (...inputs: readonly Tensor[]) => Tensor;

/**
 * The value of a function, and its pullback: the map from a gradient of the value to gradients of
 * the inputs.
 */
export function vjp(
  f: TensorFunction,
  inputs: readonly Tensor[],
): { readonly value: Tensor; readonly pullback: (gradient: Tensor) => readonly Tensor[] } {
  const leaves = inputs.map(leafOf);
  const value = enableGrad(() => f(...leaves));
  return {
    value: value.detach(),
    pullback: (gradient) =>
      value.requiresGrad ? gradientsAt(value, gradient, leaves, false) : leaves.map(zerosLike),
  };
}

/**
 * The value of a function, and its change along tangents of the inputs. The pullback Jᵀu is linear
 * in u, so its pullback gives the pushforward: `@⟨Jᵀu, t⟩ / @u` is J t.
 */
export function jvp(
  f: TensorFunction,
  inputs: readonly Tensor[],
  tangents: readonly Tensor[],
): { readonly value: Tensor; readonly tangent: Tensor } {
  checkTangents(inputs, tangents);
  const leaves = inputs.map(leafOf);
  const value = enableGrad(() => f(...leaves));
  if (!value.requiresGrad) return { value, tangent: zerosLike(value) };
  const u = leafOf(onesLike(value));
  const pulled = gradientsAt(value, u, leaves, true);
  const total = enableGrad(() =>
    pulled.map((part, k) => sum(multiply(part, tangents[k]!))).reduce((a, b) => a.add(b)),
  );
  const tangent = total.requiresGrad
    ? (gradientsOf(total, undefined).get(u) ?? zerosLike(value))
    : zerosLike(value);
  return { value: value.detach(), tangent };
}

function checkTangents(inputs: readonly Tensor[], tangents: readonly Tensor[]): void {
  if (tangents.length !== inputs.length)
    throw new TensorError(
      `jvp: ${inputs.length} inputs want as many tangents, and ${tangents.length} came`,
    );
  for (const [k, { shape }] of inputs.entries())
    if (showShape(shape) !== showShape(tangents[k]!.shape))
      throw new TensorError(
        `jvp: input ${k} has the shape ${showShape(shape)}, ` +
          `and its tangent ${showShape(tangents[k]!.shape)}`,
      );
}

function gradientsAt(
  value: Tensor,
  gradient: Tensor,
  leaves: readonly Tensor[],
  createGraph: boolean,
): readonly Tensor[] {
  const found = gradientsOf(value, gradient, { createGraph });
  return leaves.map((leaf) => found.get(leaf) ?? zerosLike(leaf));
}

function leafOf(input: Tensor): Tensor {
  const leaf = input.detach();
  leaf.requiresGrad = isFloat(leaf.dtype);
  return leaf;
}

function zerosLike({ shape, dtype }: Tensor): Tensor {
  return zeros(shape, { dtype });
}

export interface GradcheckOptions {
  /** The step of the differences. */
  readonly step?: number;
  /** The allowed difference, relative to the slope, or absolute if the slope is below 1. */
  readonly tolerance?: number;
}

/**
 * Compares the gradients of a function with central differences, in f64. The cells of the value are
 * weighed differently, so that errors do not cancel. A wrong gradient throws an error that names
 * the input, the cell and both numbers.
 */
export function gradcheck(
  f: TensorFunction,
  inputs: readonly Tensor[],
  { step = 1e-5, tolerance = 1e-6 }: GradcheckOptions = {},
): true {
  const exact = inputs.map((input) =>
    (isFloat(input.dtype) ? to(input.detach(), "f64") : input.detach()).clone(),
  );
  const { value, pullback } = vjp(f, exact);
  const weights = fromTypedArray(
    Float64Array.from(value.data as Float64Array, (_, n) => 0.5 + ((n * 0.6180339887498949) % 1)),
    value.shape,
  );
  const weighed = (): number => noGrad(() => sum(multiply(f(...exact), weights)).item());
  for (const [position, gradient] of pullback(weights).entries()) {
    if (!isFloat(inputs[position]!.dtype)) continue;
    const cells = exact[position]!.data as Float64Array;
    for (let n = 0; n < cells.length; n++) {
      const original = cells[n]!;
      const difference = (h: number): number => {
        cells[n] = original + h;
        const above = weighed();
        cells[n] = original - h;
        const below = weighed();
        cells[n] = original;
        return (above - below) / (2 * h);
      };
      // Richardson's extrapolation from two steps.
      const slope = (4 * difference(step / 2) - difference(step)) / 3;
      const derived = Number(gradient.data[n]!);
      if (Math.abs(slope - derived) <= tolerance * Math.max(1, Math.abs(slope))) continue;
      throw new TensorError(
        `gradcheck: the gradient of input ${position} at cell ${n} is ${derived}, ` +
          `and differences give ${slope}`,
      );
    }
  }
  return true;
}
