// Joins the loop of a recurrence and everything that runs along with it into one loop. Each
// companion runs some steps ahead of the recurrence's own position, or behind it; the joined loop
// begins early enough and ends late enough for all of them.
//
//     let h[t in 1..9] = 0.5 * h[t - 1];   // the recurrence
//     let y[t in 1..9] = h[t - 1] + 1.0;   // a companion that runs behind it

import type { Group, Rider } from "../../plan/along.ts";
import type { Definition } from "../../ir/program.ts";
import type { Step } from "../../analyse/schedule.ts";
import { askedBy } from "../order.ts";
import type { Storage } from "../../plan/storage.ts";
import type { LoopStep } from "./loops/nests.ts";

/** A definition that runs along with a loop. */
export interface Companion {
  readonly definition: Definition;
  readonly axis: number;
  /**
   * How many steps ahead of the loop it runs, in the loop's direction; negative if it runs behind.
   */
  readonly ahead: number;
  /** The positions that it has to reach; absent if it only feeds the loop. */
  readonly range?: { readonly from: number; readonly to: number };
  /** How many steps before the others it has to begin. */
  readonly early: number;
}

/**
 * The definitions that a loop computes by the step, without those that are inlined into their
 * readers.
 */
export function byStepCompanions(
  storage: Storage,
  group: Group,
  isFused: (definition: Definition) => boolean,
): readonly Companion[] {
  return askedBy(storage, group).flatMap((definition): readonly Companion[] => {
    const kept = storage.kept.get(definition);
    if (kept?.kind !== "by step" || isFused(definition)) return [];
    const { oldest, newest } = kept.loops.get(group)!;
    return [{ definition, axis: kept.axis, ahead: newest, early: newest - oldest }];
  });
}

/** The companion of a rider, under the definition and along the axis by which it is computed. */
export function riderCompanion(
  { lag }: Rider,
  definition: Definition,
  axis: number,
  to: number,
): Companion {
  return { definition, axis, ahead: -lag, range: { from: 0, to }, early: 0 };
}

/**
 * One loop for all definitions, and the number that its first step has in the recurrence's
 * counting.
 */
interface JoinedLoop {
  readonly step: LoopStep;
  readonly start: number;
}

/** `before` and `after` are the companions that run before and after the recurrence's own step. */
export function joinLoops(
  group: Group,
  extent: number,
  before: readonly Companion[],
  after: readonly Companion[],
): JoinedLoop {
  const { reversed, axes, body } = group.loop;
  const companions = [...before, ...after];
  // Step n of the recurrence stands at position n, or at extent - 1 - n in a loop that runs
  // downward.
  const numberOf = (position: number): number => (reversed ? extent - 1 - position : position);
  let [start, end] = [0, extent];
  for (const { range, ahead } of companions) {
    if (!range || range.from >= range.to) continue;
    const ends = [numberOf(range.from) - ahead, numberOf(range.to - 1) - ahead];
    start = Math.min(start, ...ends);
    end = Math.max(end, Math.max(...ends) + 1);
  }
  start -= Math.max(0, ...companions.map(({ early }) => early));
  const first = new Map<Definition, number>();
  for (const definition of axes.keys())
    first.set(definition, reversed ? extent - 1 - start : start);
  for (const { definition, ahead } of companions)
    first.set(definition, reversed ? extent - 1 - start - ahead : start + ahead);
  const cells = ({ definition }: Companion): Step => ({ kind: "cells", definition });
  const steps = [...before.map(cells), ...body.steps, ...after.map(cells)];
  return {
    start,
    step: {
      kind: "loop",
      axes: new Map([
        ...axes,
        ...companions.map(({ definition, axis }) => [definition, axis] as const),
      ]),
      reversed,
      body: { ...body, steps },
      walk: { count: end - start, first },
    },
  };
}
