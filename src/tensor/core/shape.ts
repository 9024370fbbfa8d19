// Shapes of eager tensors: their text, axis numbers, and NumPy's rule of broadcasting.

import { TensorError } from "./error.ts";

export type Shape = readonly number[];

export function showShape(shape: Shape): string {
  return `[${shape.join(", ")}]`;
}

/** An axis number counted from the front. -1 is the last axis. */
export function axisOf(operation: string, dim: number, rank: number): number {
  const axis = dim < 0 ? dim + rank : dim;
  if (Number.isInteger(axis) && axis >= 0 && axis < rank) return axis;
  const range =
    rank === 0 ? "it has no axes" : `its axes are 0 to ${rank - 1}, or -${rank} to -1 from the end`;
  throw new TensorError(
    `${operation}: there is no axis ${dim} in a tensor of rank ${rank}: ${range}`,
  );
}

/** Distinct axis numbers in ascending order. Undefined means all axes. */
export function axesOf(
  operation: string,
  dim: number | readonly number[] | undefined,
  rank: number,
): readonly number[] {
  if (dim === undefined) return Array.from({ length: rank }, (_, axis) => axis);
  const axes = (typeof dim === "number" ? [dim] : dim).map((each) => axisOf(operation, each, rank));
  const twice = axes.find((axis, k) => axes.indexOf(axis) !== k);
  if (twice !== undefined) throw new TensorError(`${operation}: axis ${twice} is named twice`);
  return axes.sort((a, b) => a - b);
}

/**
 * The common shape of several shapes. They are aligned at the last axis, and an extent of 1
 * stretches.
 */
export function broadcast(operation: string, shapes: readonly Shape[]): Shape {
  const rank = Math.max(0, ...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, axis) => {
    let extent = 1;
    for (const shape of shapes) {
      const own = shape[axis - rank + shape.length] ?? 1;
      if (own === 1 || own === extent) continue;
      if (extent !== 1) throw mismatch(operation, shapes, rank - axis, extent, own);
      extent = own;
    }
    return extent;
  });
}

function mismatch(
  operation: string,
  shapes: readonly Shape[],
  fromEnd: number,
  first: number,
  second: number,
): TensorError {
  const all = shapes.map(showShape).join(" and ");
  const where = fromEnd === 1 ? "their last axes are" : `axis -${fromEnd} is`;
  return new TensorError(
    `${operation}: the shapes ${all} do not fit: ${where} ${first} and ${second}. ` +
      "Axes are aligned at the last one, and only an extent of 1 stretches; " +
      "reshape or unsqueeze one of them.",
  );
}
