// This folder emits the loops of kernels: around cells, around the terms of reductions, and around
// the steps of recurrences. The code of single cells and vectors is in `code/`, and passes over
// rows are in `rows/`.
//
// This file emits the nests of loops around the cells of a definition, box after box. The loops of
// a recurrence may already hold some coordinates of the cells.

import type { Definition, Scalar } from "../../../ir/program.ts";
import type { Step } from "../../../analyse/schedule.ts";
import type { Interval } from "../../../plan/regions/intervals.ts";
import { withNearestInnermost, type StrideOf } from "../../../plan/order.ts";
import {
  cellsAt,
  extentAlong,
  type Case,
  type Region,
  type Side,
  type Sized,
} from "../../../plan/regions/regions.ts";
import { concerning } from "../../../plan/rules.ts";
import {
  branch,
  constI32,
  continueLoop,
  get,
  here,
  newLocal,
  op,
  valueAt,
  type Slot,
} from "../code/emitter.ts";
import type { Kernel } from "../code/kernel.ts";
import { emitCell, emitMap } from "../code/maps.ts";
import { assuming, emitValue } from "../code/scalars.ts";
import { emitScan } from "./scans.ts";
import { emitStart, emitTerms } from "./scatters.ts";
import { emitWithShares } from "./shares.ts";
import { emitOverSides } from "./sides.ts";
import { emitReductions } from "./tiles.ts";
import { newAlong, strideOf } from "../code/vectors.ts";
import { applied } from "../../../ir/simple-scalars.ts";
import { knowSide } from "../code/kernel.ts";

/**
 * The position at which a surrounding loop holds a coordinate, and the interval of all positions
 * that the loop visits. Some of these may have no cell.
 */
export interface HeldPosition {
  readonly slot: Slot;
  readonly positions: Interval;
}

/** The held positions, by axis. */
export type Held = ReadonlyMap<number, HeldPosition>;

/** Writes every cell of a definition, at the held positions of some axes. */
export function emitDefinition(kernel: Kernel, sized: Sized, held: Held): void {
  for (const region of sized.regions) {
    emitAtHeld(kernel, region, [...held], () => {
      const free = region.sides.filter((_, axis) => !held.has(axis));
      for (const scatter of region.scatters ?? []) {
        emitStart(kernel, scatter, free);
        emitTerms(kernel, scatter, free);
      }
      const { cases, scan } = region;
      if (scan) {
        const extent = extentAlong(sized, scan.axis);
        emitScan(kernel, region, scan, extent, free, (inner) =>
          emitCases(kernel, sized, region, inner),
        );
      } else if (cases.length > 0) emitCases(kernel, sized, region, free);
    });
  }
}

/**
 * Binds the held coordinates of a region, and emits a test whether the positions are in the region.
 */
function emitAtHeld(
  kernel: Kernel,
  region: Region,
  held: readonly (readonly [number, HeldPosition])[],
  inside: () => void,
): void {
  const [first, ...rest] = held;
  if (!first) return inside();
  const [axis, { slot, positions }] = first;
  const side = region.sides[axis]!;
  const { coordinates } = kernel.emitter;
  coordinates.set(side.variable, slot);
  knowSide(kernel, side);
  const emitRest = (): void => emitAtHeld(kernel, region, rest, inside);
  if (side.from <= positions.least && positions.most < side.to) emitRest();
  else {
    kernel.ahead.set(side.variable, positions);
    const isInside = valueAt(
      kernel.emitter,
      `l${slot.local}in${side.from}..${side.to}`,
      "i32",
      slot.level,
      (code) => {
        get(code, slot);
        constI32(code, side.from);
        op(code, "i32.sub");
        constI32(code, side.to - side.from);
        op(code, "i32.lt_u");
      },
    );
    branch(kernel.emitter, isInside, emitRest);
    kernel.ahead.delete(side.variable);
  }
  coordinates.delete(side.variable);
}

/** The steps of a recurrence inside one kernel, with their loops. */
function emitSteps(
  kernel: Kernel,
  steps: readonly Step[],
  members: ReadonlyMap<Definition, Sized>,
  held: ReadonlyMap<Definition, Held>,
): void {
  for (const step of steps) {
    if (step.kind === "cells") {
      const sized = members.get(step.definition);
      if (sized) emitDefinition(kernel, sized, held.get(step.definition) ?? new Map());
    } else emitStep(kernel, step, members, held);
  }
}

/**
 * A loop of a recurrence. `walk` is given where definitions are not at the position of the loop.
 */
export type LoopStep = Extract<Step, { kind: "loop" }> & { readonly walk?: Walk };

/**
 * A loop of `count` steps. Each step moves every definition by one position, from its own first
 * position.
 */
interface Walk {
  readonly count: number;
  readonly first: ReadonlyMap<Definition, number>;
}

/** The number of steps of a loop. */
export function stepCountOf(
  { walk, ...step }: LoopStep,
  members: ReadonlyMap<Definition, Sized>,
): number {
  if (walk) return walk.count;
  return Math.max(
    0,
    ...[...step.axes].map(([definition, axis]) => members.get(definition)?.shape[axis] ?? 0),
  );
}

/** The position of a definition at the first step of a loop. */
export function firstPositionOf(step: LoopStep, definition: Definition, extent: number): number {
  return step.walk?.first.get(definition) ?? (step.reversed ? extent - 1 : 0);
}

/**
 * The positions that a loop gives a definition. Some may lie outside of its cells, where other
 * definitions run ahead or behind.
 */
export function positionsInLoop(step: LoopStep, definition: Definition, extent: number): Interval {
  const first = firstPositionOf(step, definition, extent);
  return step.reversed
    ? { least: first - extent + 1, most: first }
    : { least: first, most: first + extent - 1 };
}

/** One loop of a recurrence. The outermost loop may run only the caller's part of the steps. */
export function emitStep(
  kernel: Kernel,
  step: LoopStep,
  members: ReadonlyMap<Definition, Sized>,
  held: ReadonlyMap<Definition, Held>,
  part?: { readonly from: Slot; readonly to: Slot },
): void {
  const { emitter } = kernel;
  const extent = stepCountOf(step, members);
  const counter = newLocal(emitter, "i32");
  const from = (code: number[]): void => (part ? get(code, part.from) : constI32(code, 0));
  continueLoop(emitter, undefined, counter, from, part?.to ?? extent, 1, () => {
    const level = here(emitter);
    const count: Slot = { local: counter, type: "i32", level };
    const positionOf = (first: number): Slot =>
      first === 0 && !step.reversed
        ? count
        : valueAt(
            emitter,
            `${first}${step.reversed ? "-" : "+"}l${counter}`,
            "i32",
            level,
            (code) => {
              constI32(code, first);
              get(code, count);
              op(code, step.reversed ? "i32.sub" : "i32.add");
            },
          );
    const inside = new Map(held);
    for (const [definition, axis] of step.axes) {
      if (!members.has(definition)) continue;
      const slot = positionOf(firstPositionOf(step, definition, extent));
      const position = { slot, positions: positionsInLoop(step, definition, extent) };
      inside.set(definition, new Map([...(held.get(definition) ?? []), [axis, position]]));
    }
    emitSteps(kernel, step.body.steps, members, inside);
  });
}

function emitCases(kernel: Kernel, sized: Sized, region: Region, free: readonly Side[]): void {
  const only = asSingleCase(kernel, region, free);
  if (!only) {
    emitOverSides(kernel, free, () => emitCasesInOrder(kernel, sized, region, region.cases));
    return;
  }
  const indices = cellsAt(region);
  if (sized.shares) return emitWithShares(kernel, { sized, indices, only }, sized.shares, free);
  if (only.reductions.length === 0) return emitMap(kernel, { sized, indices, only }, free);
  const strides: StrideOf = (read, variable) => strideOf(kernel, newAlong(variable, 4), read);
  const reductions = concerning(sized.definition, () =>
    only.reductions.map(({ name, body }) => ({ name, body: withNearestInnermost(body, strides) })),
  );
  emitReductions(kernel, { sized, indices, only: { ...only, reductions } }, free);
}

/** The single case of a region. Several cases without reductions become one case with a choice. */
function asSingleCase(kernel: Kernel, region: Region, free: readonly Side[]): Case | undefined {
  const [first, ...rest] = region.cases;
  if (rest.length === 0) return first;
  if (region.cases.some((each) => each.reductions.length > 0)) return undefined;
  for (const side of free) knowSide(kernel, side);
  const choiceAmong = (cases: readonly Case[]): Scalar => {
    const [head, ...tail] = cases;
    if (tail.length === 0) return head!.value;
    const condition = head!.guards.reduce((a, b) => applied("and", [a, b]));
    return {
      kind: "select",
      type: head!.value.type,
      condition,
      then: head!.value,
      otherwise: choiceAmong(tail),
    };
  };
  return { guards: [], reductions: [], value: choiceAmong(region.cases) };
}

/** Emits the cases in order, each in its own branch, for one cell. */
function emitCasesInOrder(
  kernel: Kernel,
  sized: Sized,
  region: Region,
  cases: readonly Case[],
): void {
  const [first, ...rest] = cases;
  const indices = cellsAt(region);
  const write = (): void => emitCell(kernel, { sized, indices, only: first! });
  if (first!.guards.length === 0) return write();
  const condition = first!.guards.reduce((a, b) => applied("and", [a, b]));
  branch(
    kernel.emitter,
    emitValue(kernel, condition),
    () => assuming(kernel, condition, true, write),
    () => assuming(kernel, condition, false, () => emitCasesInOrder(kernel, sized, region, rest)),
  );
}
