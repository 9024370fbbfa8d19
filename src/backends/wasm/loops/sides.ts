// Loops over the sides of a region: one position at a time or in tiles, and only the caller's part
// of the coordinate that comes in parts.

import type { Side } from "../../../plan/regions/regions.ts";
import { constI32, continueLoop, get, loop, op, valueAt, type Slot } from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { extremeOf } from "../code/terms.ts";

export function overSides(kernel: Kernel, sides: readonly Side[], inside: () => void): void {
  const [first, ...rest] = sides;
  if (!first) return inside();
  overSide(kernel, first, 1, undefined, first.to, () => overSides(kernel, rest, inside));
}

/** A loop over part of a side in steps, continuing at a local where there is one. */
function overSide(
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

/** Where the caller's part of a side begins. */
function partStart(kernel: Kernel, side: Side): Slot {
  if (side.from === 0) return kernel.part!.from;
  const bound = valueAt(kernel.emitter, `i32:${side.from}`, "i32", 0, (code) =>
    constI32(code, side.from),
  );
  return extremeOf(kernel, "max", kernel.part!.from, bound);
}

/**
 * Where it ends for steps of `by`. A side that goes to the end is not held to it: the kernel serves
 * any number of rows then.
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
  return extremeOf(kernel, "min", kernel.part!.to, bound);
}

/** A side in tiles of each width in turn, widest first, each as far as whole tiles go. */
export function inTiles(
  kernel: Kernel,
  side: Side,
  widths: readonly number[],
  inside: (width: number) => void,
): void {
  let from: number | undefined;
  let left = side.to - side.from;
  const isPart = kernel.part?.variable === side.variable;
  for (const width of widths) {
    if (left < width) continue;
    const whole = isPart ? left : left - (left % width);
    const end = side.to - left + whole;
    from = overSide(kernel, side, width, from, end, () => inside(width));
    if (!isPart) left -= whole;
  }
}
