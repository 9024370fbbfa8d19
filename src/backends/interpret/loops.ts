// Computes recurrences with no more memory than the memory plan allows: windows of steps, sums that
// are added up along the way, and saved states from which a segment is computed again.

import { Fault } from "../../diagnostics/diagnostic.ts";
import type { Group, Rider } from "../../plan/along.ts";
import type { Definition } from "../../ir/program.ts";
import { bytesOf, isUnsized, type Scalar as Value } from "../../scalar/types.ts";
import { segmentsOf, type Kept, type Storage } from "../../plan/storage.ts";
import { shapeInRun } from "./evaluate.ts";
import {
  prepare,
  prepareCells,
  eachCell,
  prepareSteps,
  computeCells,
  type PreparedSteps,
  type StepCells,
} from "./steps.ts";
import {
  allocateStore,
  allocateWindow,
  offsetOf,
  reserve,
  type Machine,
  type Store,
} from "./machine.ts";
import { prepareAccumulation } from "./reduce.ts";

/**
 * Computes a recurrence and the definitions that run along with it. The result has the faults of
 * riders: they matter only to those who ask for the rider.
 */
export function evaluateGroup(
  machine: Machine,
  group: Group,
  storage: Storage,
): ReadonlyMap<Definition, Fault> {
  const members = [...group.loop.axes.keys()];
  const extent = Math.max(
    0,
    ...members.map((member) => shapeInRun(machine, member)[group.loop.axes.get(member)!]!),
  );
  const cells = new Map(
    members.map((member) => [member, memberCells(machine, group, member, storage, extent)]),
  );
  const steps = prepareSteps(machine, group.loop, cells, new Map());
  const saved = isSaved(storage, members) ? newSaved(machine, group, cells, steps) : undefined;
  const riders = storage.driven
    .filter((rider) => rider.group === group)
    .map((rider) => prepareRider(machine, rider, storage.kept.get(rider.definition)));
  const faults = new Map<Definition, Fault>();
  const attempt = (rider: Driven, action: () => void): void => {
    if (faults.has(rider.definition)) return;
    try {
      action();
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      faults.set(rider.definition, fault);
    }
  };
  const ride = (position: number): void => {
    for (const rider of riders) attempt(rider, () => rider.upTo(position));
  };
  const isOpen = (rider: Driven): boolean => !faults.has(rider.definition) && !rider.isDone();
  // Riders that begin before the loop, or end after it, run together: each may keep only as many
  // steps as the others read at that step.
  const { reversed } = group.loop;
  const begins = riders.map((rider) => rider.begins);
  if (reversed) for (let at = Math.max(...begins); at >= steps.extent; at--) ride(at);
  else for (let at = Math.min(...begins); at < 0; at++) ride(at);
  for (let count = 0; count < steps.extent; count++) {
    saved?.save(count);
    steps.at(count);
    ride(steps.positionOf(count));
  }
  for (let at = reversed ? -1 : steps.extent; riders.some(isOpen); at += reversed ? -1 : 1)
    ride(at);
  for (const rider of riders) attempt(rider, () => rider.finish());
  for (const { store } of cells.values()) delete store.done;
  saved?.open();
  return faults;
}

/**
 * Takes room for the steps of a definition that a loop asks for. Each step is computed when it is
 * first read.
 */
export function prepareByStep(
  machine: Machine,
  definition: Definition,
  kept: Extract<Kept, { kind: "by step" }>,
): void {
  const store = allocateWindow(
    machine,
    definition,
    shapeInRun(machine, definition),
    kept.axis,
    kept.steps,
  );
  const cells = prepareCells(machine, definition, store, true);
  store.window!.restore = (step) => computeCells(machine, cells, new Map([[kept.axis, step]]));
}

function memberCells(
  machine: Machine,
  group: Group,
  member: Definition,
  { kept }: Storage,
  extent: number,
): StepCells {
  const how = kept.get(member);
  if (!how) return prepare(machine, member, true);
  const places =
    how.kind === "checkpoints"
      ? segmentsOf(extent).length + how.steps + group.lookback.get(member)!
      : how.steps;
  const store = allocateWindow(machine, member, shapeInRun(machine, member), how.axis, places);
  return prepareCells(machine, member, store, true);
}

// ── riders ──────────────────────────────────────────────────────────────────────────────────────

interface Driven {
  readonly definition: Definition;
  /** The position of the loop at which the first step can be computed. */
  readonly begins: number;
  /** Computes the steps that are possible once the loop has done the step at a position. */
  readonly upTo: (position: number) => void;
  readonly isDone: () => boolean;
  /** Finishes the definition after all its steps. */
  readonly finish: () => void;
}

function prepareRider(
  machine: Machine,
  { definition, group, along, lag }: Rider,
  kept: Kept | undefined,
): Driven {
  const shape = shapeInRun(machine, definition);
  const store = kept
    ? allocateWindow(machine, definition, shape, kept.axis, kept.steps)
    : allocateStore(machine, definition, shape);
  if (along.kind === "axis") {
    const cells = prepareCells(machine, definition, store, true);
    const at = (step: number): void => computeCells(machine, cells, new Map([[along.axis, step]]));
    return { definition, ...inDirection(group, lag, 0, store.shape[along.axis]!, at), finish() {} };
  }
  machine.stores.set(definition, store);
  const sum = prepareAccumulation(machine, definition, store, along.loop);
  return {
    definition,
    ...inDirection(group, lag, sum.from, sum.to, sum.at),
    finish: () => sum.finish(),
  };
}

/**
 * Computes steps in the direction of a loop, each step once, as soon as the loop has come far
 * enough.
 */
function inDirection(
  { loop }: Group,
  lag: number,
  from: number,
  to: number,
  at: (step: number) => void,
): Pick<Driven, "begins" | "upTo" | "isDone"> {
  let next = loop.reversed ? to - 1 : from;
  const upTo = (position: number): void => {
    if (loop.reversed) while (next >= from && next >= position + lag) at(next--);
    else while (next < to && next <= position - lag) at(next++);
  };
  const begins = loop.reversed ? next - lag : next + lag;
  return { begins, upTo, isDone: () => (loop.reversed ? next < from : next >= to) };
}

// ── checkpoints ─────────────────────────────────────────────────────────────────────────────────

function isSaved({ kept }: Storage, members: readonly Definition[]): boolean {
  return members.some((member) => kept.get(member)?.kind === "checkpoints");
}

interface Saved {
  /** Saves a state, if one has to be saved, before step `count` is computed. */
  readonly save: (count: number) => void;
  /** Lets the windows compute missing steps again from the state that was saved before them. */
  readonly open: () => void;
}

interface State {
  readonly store: Store;
  readonly step: number;
  readonly cells: readonly Value[];
}

function newSaved(
  machine: Machine,
  group: Group,
  cells: ReadonlyMap<Definition, StepCells>,
  steps: PreparedSteps,
): Saved {
  const segmentLength = segmentsOf(steps.extent).length;
  const states: State[][] = [];
  const carried = [...cells].filter(([, { store }]) => store.window);
  const restore = (step: number): void => {
    const count = group.loop.reversed ? steps.extent - 1 - step : step;
    const first = Math.floor(count / segmentLength) * segmentLength;
    for (const state of states[first / segmentLength] ?? []) load(state);
    for (let at = first; at < Math.min(first + segmentLength, steps.extent); at++) steps.at(at);
  };
  return {
    save(count) {
      if (count % segmentLength !== 0) return;
      const state = carried.flatMap(([definition, { store }]) =>
        Array.from({ length: Math.min(count, group.lookback.get(definition)!) }, (_, back) =>
          steps.positionOf(count - 1 - back),
        )
          .filter((step) => step < store.shape[store.window!.axis]!)
          .map((step) => {
            const state = stateAt(store, step);
            reserve(machine, definition, store.shape, state.cells.length * bytesPerCell(store));
            return state;
          }),
      );
      states.push(state);
    },
    open() {
      for (const { store } of cells.values()) if (store.window) store.window.restore = restore;
    },
  };
}

function bytesPerCell({ value }: Store): number {
  return isUnsized(value.dtype) ? 8 : bytesOf(value.dtype);
}

/** The offsets of the cells of one step. */
function offsetsAt(store: Store, step: number): readonly number[] {
  const found: number[] = [];
  const { axis } = store.window!;
  eachCell(
    store.shape,
    new Map([[axis, step]]),
    (position) => void found.push(offsetOf(store, position)),
  );
  return found;
}

function stateAt(store: Store, step: number): State {
  return { store, step, cells: offsetsAt(store, step).map((offset) => store.get(offset)) };
}

function load({ store, step, cells }: State): void {
  for (const [k, offset] of offsetsAt(store, step).entries()) {
    store.set(offset, cells[k]!);
    store.window!.held[offset] = step + 1;
  }
}
