// Emits loops over the sides of a region: one position at a time, or in tiles. Along a side that is
// divided among callers, a loop covers the caller's part only.

import type { Side } from "../../../plan/regions/regions.ts";
import { constI32, continueLoop, get, loop, op, valueAt, type Slot } from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { emitExtreme } from "../code/terms.ts";

export function emitOverSides(kernel: Kernel, sides: readonly Side[], inside: () => void): void {
  const [first, ...rest] = sides;
  if (!first) return inside();
  emitOverSide(kernel, first, 1, undefined, first.to, () => emitOverSides(kernel, rest, inside));
}

/**
 * A loop over a part of a side in steps of `by`. It continues at the local `from` if there is one.
 */
function emitOverSide(
  kernel: Kernel,
  side: Side,
  by: number,
  from: number | undefined,
  to: number,
  inside: () => void,
): number {
  const { emitter, part } = kernel;
  kernel.known.set(side.variable, { least: side.from, most: to - by });
  const isPart = part?.variable === side.variable;
  const limit = isPart ? partEnd(kernel, side, by) : to;
  const start = (code: number[]): void => {
    if (from !== undefined) get(code, { local: from });
    else if (isPart) get(code, partStart(kernel, side));
    else constI32(code, side.from);
  };
  if (from === undefined && isPart) partStart(kernel, side);
  return from === undefined
    ? loop(emitter, side.variable, start, limit, by, inside)
    : continueLoop(emitter, side.variable, from, start, limit, by, inside);
}

/** The first position of the caller's part of a side. */
function partStart(kernel: Kernel, side: Side): Slot {
  if (side.from === 0) return kernel.part!.from;
  const bound = valueAt(kernel.emitter, `i32:${side.from}`, "i32", 0, (code) =>
    constI32(code, side.from),
  );
  return emitExtreme(kernel, "max", kernel.part!.from, bound);
}

/**
 * The end of the caller's part for steps of `by`. If a side reaches to the full extent, its end is
 * not compared with the part, so that the kernel serves any number of rows.
 */
function partEnd(kernel: Kernel, side: Side, by: number): Slot {
  const end = side.to === kernel.part!.extent ? kernel.part!.to : partEndWithin(kernel, side);
  if (by === 1) return end;
  return valueAt(kernel.emitter, `l${end.local}-${by - 1}`, "i32", end.level, (code) => {
    get(code, end);
    constI32(code, by - 1);
    op(code, "i32.sub");
  });
}

function partEndWithin(kernel: Kernel, side: Side): Slot {
  const bound = valueAt(kernel.emitter, `i32:${side.to}`, "i32", 0, (code) =>
    constI32(code, side.to),
  );
  return emitExtreme(kernel, "min", kernel.part!.to, bound);
}

/** Covers a side in tiles of each width, the widest first, with as many whole tiles as fit. */
export function emitInTiles(
  kernel: Kernel,
  side: Side,
  widths: readonly number[],
  inside: (width: number) => void,
): void {
  let from: number | undefined;
  let remaining = side.to - side.from;
  const isPart = kernel.part?.variable === side.variable;
  for (const width of widths) {
    if (remaining < width) continue;
    const covered = isPart ? remaining : remaining - (remaining % width);
    const end = side.to - remaining + covered;
    from = emitOverSide(kernel, side, width, from, end, () => inside(width));
    if (!isPart) remaining -= covered;
  }
}
