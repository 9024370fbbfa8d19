// Emits loops over the terms of reductions. Inside a loop, the bounds of its coordinate are known.
// A loop may take steps wider than one.

import { atMost } from "../../../affine/prove.ts";
import { constantOf, ofVariable, plus, subtract } from "../../../affine/term.ts";
import type { Loop, Scalar } from "../../../ir/program.ts";
import { intervalOf } from "../../../plan/regions/intervals.ts";
import type { Reduction } from "../../../plan/regions/regions.ts";
import {
  branch,
  constI32,
  continueLoop,
  get,
  loop,
  op,
  valueAt,
  type Slot,
} from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { assuming, emitValue } from "../code/scalars.ts";

/** Emits nested loops, and `inside` in the innermost one. */
export function emitLoops(kernel: Kernel, loops: readonly Loop[], inside: () => void): void {
  const [first, ...rest] = loops;
  if (!first) return inside();
  emitLoop(kernel, first, 1, undefined, () => emitLoops(kernel, rest, inside));
}

/**
 * One loop in steps of `by`. Its end is moved back so that only whole steps run. Gives the local of
 * its coordinate.
 */
export function emitLoop(
  kernel: Kernel,
  term: Loop,
  by: number,
  from: number | undefined,
  inside: () => void,
): number {
  const start = emitValue(kernel, term.from);
  const end = emitValue(kernel, term.to);
  const below: Slot = by === 1 ? end : emitMinus(kernel, end, by - 1);
  return withBoundsKnown(kernel, term, by, () => {
    if (from !== undefined)
      return continueLoop(
        kernel.emitter,
        term.variable,
        from,
        (code) => get(code, { local: from }),
        below,
        by,
        inside,
      );
    return loop(kernel.emitter, term.variable, (code) => get(code, start), below, by, inside);
  });
}

function emitMinus(kernel: Kernel, slot: Slot, by: number): Slot {
  return valueAt(kernel.emitter, `l${slot.local}-${by}`, "i32", slot.level, (code) => {
    get(code, slot);
    constI32(code, by);
    op(code, "i32.sub");
  });
}

/**
 * Runs `emit` while the bounds of a loop's coordinate are known. The last of `by` positions is
 * still in the range.
 */
export function withBoundsKnown<T>(
  kernel: Kernel,
  { variable, from, to }: Loop,
  by: number,
  emit: () => T,
): T {
  const before = kernel.facts.length;
  const bounds = { least: -(2 ** 31), most: 2 ** 31 - 1 };
  if (from.kind === "integer") {
    bounds.least = intervalOf(from.term, kernel.known).least;
    kernel.facts.push(atMost(from.term, ofVariable(variable)));
  }
  if (to.kind === "integer") {
    bounds.most = intervalOf(to.term, kernel.known).most - by;
    kernel.facts.push(atMost(plus(ofVariable(variable), by), to.term));
  }
  kernel.known.set(variable, bounds);
  const result = emit();
  kernel.facts.length = before;
  return result;
}

/** Emits `inside` for every term whose guards hold. */
export function emitEachTerm(kernel: Kernel, body: Reduction, inside: () => void): void {
  emitLoops(kernel, body.loops, () => emitGuarded(kernel, body.guards, inside));
}

export function emitGuarded(kernel: Kernel, guards: readonly Scalar[], inside: () => void): void {
  const [first, ...rest] = guards;
  if (!first) return inside();
  const condition = emitValue(kernel, first);
  branch(kernel.emitter, condition, () =>
    assuming(kernel, first, true, () => emitGuarded(kernel, rest, inside)),
  );
}

/** The greatest length that a loop can have, as far as its ends are known. */
export function greatestLengthOf(kernel: Kernel, { from, to }: Loop): number {
  if (from.kind !== "integer" || to.kind !== "integer") return Infinity;
  return Math.max(0, intervalOf(subtract(to.term, from.term), kernel.known).most);
}

export function constantLengthOf({ from, to }: Loop): number | undefined {
  const [first, end] = [from, to].map((bound) =>
    bound.kind === "integer" ? constantOf(bound.term) : undefined,
  );
  return first === undefined || end === undefined ? undefined : Math.max(0, end - first);
}
