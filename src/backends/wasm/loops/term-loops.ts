// Loops over the terms of reductions: their bounds are known of their coordinates inside, and steps
// may be wider than one.

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

/** Opens the loops from `first` on and runs `inside` in the innermost one. */
export function walk(kernel: Kernel, loops: readonly Loop[], inside: () => void): void {
  const [first, ...rest] = loops;
  if (!first) return inside();
  withLoop(kernel, first, 1, undefined, () => walk(kernel, rest, inside));
}

/**
 * One loop in steps of `by`, its end moved back so that whole steps fit. Returns the local of its
 * coordinate.
 */
export function withLoop(
  kernel: Kernel,
  each: Loop,
  by: number,
  from: number | undefined,
  inside: () => void,
): number {
  const start = emitValue(kernel, each.from);
  const end = emitValue(kernel, each.to);
  const below: Slot = by === 1 ? end : minus(kernel, end, by - 1);
  return within(kernel, each, by, () => {
    if (from !== undefined)
      return continueLoop(
        kernel.emitter,
        each.variable,
        from,
        (code) => get(code, { local: from }),
        below,
        by,
        inside,
      );
    return loop(kernel.emitter, each.variable, (code) => get(code, start), below, by, inside);
  });
}

function minus(kernel: Kernel, slot: Slot, by: number): Slot {
  return valueAt(kernel.emitter, `l${slot.local}-${by}`, "i32", slot.level, (code) => {
    get(code, slot);
    constI32(code, by);
    op(code, "i32.sub");
  });
}

/**
 * Runs `emit` with the loop's bounds known of its coordinate: the last of `by` positions is still
 * inside.
 */
export function within<T>(
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

/** Runs `inside` for every term whose guards hold. */
export function eachTerm(kernel: Kernel, body: Reduction, inside: () => void): void {
  walk(kernel, body.loops, () => guarded(kernel, body.guards, inside));
}

export function guarded(kernel: Kernel, guards: readonly Scalar[], inside: () => void): void {
  const [first, ...rest] = guards;
  if (!first) return inside();
  const condition = emitValue(kernel, first);
  branch(kernel.emitter, condition, () =>
    assuming(kernel, first, true, () => guarded(kernel, rest, inside)),
  );
}

/** How long a loop is at most, by what is known of where it begins and ends. */
export function mostOf(kernel: Kernel, { from, to }: Loop): number {
  if (from.kind !== "integer" || to.kind !== "integer") return Infinity;
  return Math.max(0, intervalOf(subtract(to.term, from.term), kernel.known).most);
}

export function lengthOf({ from, to }: Loop): number | undefined {
  const [first, end] = [from, to].map((bound) =>
    bound.kind === "integer" ? constantOf(bound.term) : undefined,
  );
  return first === undefined || end === undefined ? undefined : Math.max(0, end - first);
}
