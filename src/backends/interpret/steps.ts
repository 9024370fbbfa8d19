// Computes definitions one step of a loop at a time, into stores that may keep only some steps.

import type { Definition } from "../../ir/program.ts";
import type { Schedule } from "../../analyse/schedule.ts";
import { zeroOf } from "../../scalar/types.ts";
import { isRagged, settler, shapeInRun } from "./evaluate.ts";
import { allocateStore, literalStore, offsetOf, type Machine, type Store } from "./machine.ts";

/** A definition that is ready to be computed, cell by cell. */
export interface StepCells {
  readonly store: Store;
  readonly compute: (position: readonly number[]) => void;
}

/** The positions at which loops of the schedule hold axes of each definition. */
type Held = ReadonlyMap<Definition, ReadonlyMap<number, number>>;

function runSteps(
  machine: Machine,
  schedule: Schedule,
  cells: ReadonlyMap<Definition, StepCells>,
  held: Held,
): void {
  for (const step of schedule.steps) {
    if (step.kind === "cells") {
      computeCells(machine, cells.get(step.definition)!, held.get(step.definition) ?? new Map());
      continue;
    }
    const run = prepareSteps(machine, step, cells, held);
    for (let count = 0; count < run.extent; count++) run.at(count);
  }
}

/**
 * A loop of a schedule: how many steps it has, and what happens in step `count`. Steps are counted
 * in the loop's direction.
 */
export interface PreparedSteps {
  readonly extent: number;
  readonly positionOf: (count: number) => number;
  readonly at: (count: number) => void;
}

export function prepareSteps(
  machine: Machine,
  step: Extract<Schedule["steps"][number], { kind: "loop" }>,
  cells: ReadonlyMap<Definition, StepCells>,
  held: Held,
): PreparedSteps {
  let extent = 0;
  for (const [definition, axis] of step.axes)
    extent = Math.max(extent, cells.get(definition)!.store.shape[axis]!);
  const inside = new Map(held);
  const own = [...step.axes].map(([definition, axis]) => {
    const at = new Map(held.get(definition));
    inside.set(definition, at);
    return { definition, axis, at, shape: cells.get(definition)!.store.shape[axis]! };
  });
  const positionOf = (count: number): number => (step.reversed ? extent - 1 - count : count);
  return {
    extent,
    positionOf,
    at(count) {
      const position = positionOf(count);
      for (const { axis, at } of own) at.set(axis, position);
      const isShort = own.some(({ shape }) => position >= shape);
      const present = (): ReadonlySet<Definition> =>
        new Set(own.filter(({ shape }) => position < shape).map(({ definition }) => definition));
      runSteps(machine, isShort ? scheduleOf(step.body, present()) : step.body, cells, inside);
    },
  };
}

/** The part of a schedule that computes the given definitions. */
function scheduleOf(schedule: Schedule, present: ReadonlySet<Definition>): Schedule {
  const steps = schedule.steps.flatMap((step): Schedule["steps"] => {
    if (step.kind === "cells") return present.has(step.definition) ? [step] : [];
    const axes = new Map([...step.axes].filter(([definition]) => present.has(definition)));
    return axes.size === 0 ? [] : [{ ...step, axes, body: scheduleOf(step.body, present) }];
  });
  return { ...schedule, steps };
}

/** Computes every cell in row-major order; the held axes stay where they are. */
export function computeCells(
  machine: Machine,
  cells: StepCells,
  held: ReadonlyMap<number, number>,
): void {
  machine.held = new Set(held.keys());
  eachCell(cells.store.shape, held, cells.compute);
}

export function eachCell(
  shape: readonly number[],
  held: ReadonlyMap<number, number>,
  visit: (position: readonly number[]) => void,
): void {
  const position = shape.map((_, axis) => held.get(axis) ?? 0);
  if (shape.some((extent, axis) => !held.has(axis) && extent === 0)) return;
  for (;;) {
    visit(position);
    let axis = shape.length - 1;
    for (; axis >= 0; axis--) {
      if (held.has(axis)) continue;
      position[axis]!++;
      if (position[axis]! < shape[axis]!) break;
      position[axis] = 0;
    }
    if (axis < 0) return;
  }
}

export function prepare(machine: Machine, definition: Definition, recurrent: boolean): StepCells {
  const shape = shapeInRun(machine, definition);
  if (definition.origin === "literal") {
    const store = literalStore(machine, definition, shape);
    machine.stores.set(definition, store);
    return { store, compute: () => undefined };
  }
  const store = allocateStore(machine, definition, shape);
  if (recurrent || isRagged(definition)) store.done = new Uint8Array(store.value.data.length);
  return prepareCells(machine, definition, store, recurrent);
}

/**
 * Prepares a definition for filling a given store. `byCell`: the cells come one at a time, in an
 * order that the schedule decides.
 */
export function prepareCells(
  machine: Machine,
  definition: Definition,
  store: Store,
  byCell: boolean,
): StepCells {
  machine.stores.set(definition, store);
  const settle = settler(machine, definition, store, byCell);
  const { window } = store;
  const compute = (position: readonly number[]): void => {
    const offset = offsetOf(store, position);
    const owner = settle(position, offset);
    // The place still holds a cell of an earlier step.
    if (window && (owner === "zero" || owner === "nobody"))
      store.set(offset, zeroOf(store.value.dtype));
    if (store.done) store.done[offset] = 1;
    if (window) window.held[offset] = position[window.axis]! + 1;
  };
  return { store, compute };
}
