// This folder computes units with kernels in WebAssembly; the order of the units is decided in
// `../order.ts`, and the meaning of a program in `../interpret`.
//
// The engine prepares the kernels of a unit, gives the cells a place in memory and runs the
// kernels. Whatever kernels cannot compute, and every fault, goes to the oracle: it gets the values
// that are there, and computes the rest or says what is wrong.

import type { EngineOptions, RunResult } from "../results.ts";
import type { Fault } from "../../diagnostics/diagnostic.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import { ZeroDivisor } from "../../affine/term.ts";
import type { Clause, Definition, Program } from "../../ir/program.ts";
import { isUnsized, type TypedArray } from "../../scalar/types.ts";
import type { Schedule } from "../../analyse/schedule.ts";
import type { Abilities } from "../../plan/storage.ts";
import { isExact } from "../../plan/exact.ts";
import { noted } from "../../plan/rules.ts";
import { evaluateUnit } from "../interpret/engine.ts";
import { storeOf, type Machine } from "../interpret/machine.ts";
import { askedBy, type Computer, type Unit, type Units } from "../order.ts";
import {
  closeArena,
  isInMemory,
  isLiving,
  isOutermost,
  openArena,
  whenGrown,
} from "./memory/arena.ts";
import { kernelFailure } from "./kernel-failure.ts";
import type { Layout } from "./code/kernels.ts";
import {
  bringIn,
  bringOut,
  forget,
  keepInPlace,
  layoutBytes,
  placeFor,
  reserved,
  storeBytes,
  takeFor,
  whole,
  windowed,
  type InPlace,
  type Place,
} from "./memory/places.ts";
import {
  canFollow,
  clausesIn,
  computedIn,
  integersIn,
  whyNot,
  type Integers,
} from "./abilities.ts";
import { prepare } from "./prepare.ts";
import type { Prepared, Setting } from "./prepared.ts";
import { forgetBinding, mostWays, newRecording, recordIn, remember } from "./memory/replay.ts";
import { recording } from "./memory/recording.ts";
import { restoreLast } from "./run-loop.ts";
import { fixedIn, isFused, stateFor, type Compiled, type Wishes } from "./state.ts";
import { canAddUp } from "./loops/sums.ts";
import {
  dropScratch,
  isPartialUnit,
  canJoin,
  runWaiting,
  type Ready,
  type Run,
} from "./rows/waiting.ts";
import { tooLarge, Unsupported } from "./unsupported.ts";

/** A computer with memory of its own until it is closed. */
export interface KernelComputer extends Computer {
  /**
   * The cells of a definition where they lie: in the kernels' memory, or where the oracle put them.
   */
  readonly inPlace: (definition: Definition) => InPlace;
  /**
   * Remembers the run, so that the next run of the same kind can repeat its steps without
   * decisions.
   */
  readonly remember: (options: EngineOptions, result: RunResult) => void;
  close(): void;
}

const abilities: Abilities = { steps: canFollow, sums: canAddUp, multiplies: true };

/** What kernels can compute along with the loop of a recurrence. */
export function kernelAbilities(): Abilities {
  return abilities;
}

export function kernels(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  units: Units,
  wishes: Wishes,
): KernelComputer {
  const state = stateFor(machine, program, schedules, units, wishes);
  forgetBinding(program);
  state.runs++;
  state.toOracle.clear();
  const arena = openArena();
  // After so many runs, one of the remembered ways to run should have been found again. None was:
  // the results move through the memory, so their room is reserved first.
  const isRestless = state.runs > fewRuns + mostWays && isOutermost(arena);
  const run: Run = {
    machine,
    program,
    arena,
    places: new Map(),
    reserved: isRestless ? reserved(arena, state.results) : new Map(),
    live: 0,
    state,
    given: undefined,
    pending: [],
    left: new Map(state.readers),
    dying: [],
    overwritten: new Map(),
    saved: new Map(),
    isOver: false,
    recording: newRecording(state.runs <= fewRuns),
  };
  const stopListening = whenGrown(() => reviveInputs(machine, program));
  return {
    compute(unit) {
      run.given ??= new Set(machine.stores.keys());
      const faults = compute(run, unit);
      finishUnit(run, unit);
      return faults;
    },
    also: (unit) => state.also.get(unit) ?? [],
    valueOf: (definition) => computedValue(run, definition),
    inPlace: (definition) => {
      demand(run, definition);
      const kept = keepInPlace(run, definition);
      if (kept?.block) state.results.set(definition, kept.block.bytes);
      return kept ?? { value: computedValue(run, definition) };
    },
    remember(options, result) {
      const fixed = fixedIn(state);
      remember(
        program,
        options,
        run.recording,
        result,
        (each) => run.places.get(each),
        (v) => fixed.has(v),
      );
    },
    close() {
      run.isOver = true;
      stopListening();
      closeArena(run.arena);
    },
  };
}

/**
 * Gives new arrays to the inputs that lie in the kernels' memory: a memory that grows detaches the
 * old ones.
 */
function reviveInputs({ stores }: Machine, { inputs }: Program): void {
  for (const input of inputs) {
    const value = stores.get(input)?.value;
    if (value && isLiving(value)) stores.set(input, storeOf(value));
  }
}

// ── values ──────────────────────────────────────────────────────────────────────────────────────

function computedValue(run: Run, definition: Definition): TensorValue {
  demand(run, definition);
  return (
    run.machine.stores.get(definition)?.value ??
    bringOut(run, definition, runsDownward(run, definition))
  );
}

/** Whether the loop that computes a definition runs downward. */
function runsDownward({ state }: Run, definition: Definition): boolean {
  const unit = state.units.of.get(definition);
  return unit?.kind === "group" && unit.group.loop.reversed;
}

/** Makes sure that this run has computed a definition. */
function demand(run: Run, definition: Definition): void {
  if (run.pending.some(({ prepared }) => prepared.outputs.has(definition))) flush(run);
  const hasCells = (): boolean => run.machine.stores.has(definition) || run.places.has(definition);
  if (hasCells()) return;
  const unit = run.state.units.of.get(definition)!;
  compute(run, unit, "by itself");
  flush(run);
  // A reduction that was merged into another step of its recurrence has no cells.
  if (!hasCells()) settleOnOracle(run, unit, "cells of a reduction inside another step");
}

/**
 * The place of a definition in memory. Inputs, literals and the oracle's values are brought into
 * memory when a kernel first reads them.
 */
function placeInMemory(run: Run, definition: Definition): Place {
  const known = run.places.get(definition);
  if (known) return known;
  demand(run, definition);
  const place = run.places.get(definition);
  if (place) return place;
  const { value, shape } = run.machine.stores.get(definition)!;
  const kept = run.state.units.storage.kept.get(definition);
  if (isUnsized(value.dtype)) throw new Unsupported("strings and data");
  const layout =
    kept && kept.kind !== "checkpoints"
      ? windowed(value.dtype, shape, kept.axis, kept.steps)
      : whole(value.dtype, shape);
  const brought = bringIn(run, definition, layout, runsDownward(run, definition));
  recordIn(run.recording, definition, brought, value);
  return brought;
}

/**
 * Frees the definitions that the unit was the last to read, and the results that nobody will read.
 */
function finishUnit(run: Run, unit: Unit): void {
  const { state, left, dying } = run;
  if (state.keepsAll) return;
  for (const read of state.reads.get(unit)!) {
    const count = left.get(read)! - 1;
    left.set(read, count);
    if (count === 0) dying.push(read);
  }
  for (const definition of unit.definitions) if (!left.has(definition)) dying.push(definition);
  if (run.pending.length === 0) release(run);
}

function release(run: Run): void {
  const { state, dying } = run;
  for (const definition of dying.splice(0)) {
    if (state.observed.has(definition)) continue;
    if (run.saved.has(definition)) releaseSaved(run, definition);
    else free(run, definition);
  }
}

function free(run: Run, definition: Definition): void {
  const { machine, given } = run;
  if (run.places.has(definition)) noted("release", () => "after its last reader", definition);
  forget(run, definition);
  const store = machine.stores.get(definition);
  if (!store || given!.has(definition)) return;
  machine.stores.delete(definition);
  machine.bytes -= storeBytes(store);
}

/**
 * Frees the members of a loop whose steps can be computed again. Computing the steps again writes
 * the cells of all members, so they are freed together, when the last of them is done with.
 */
function releaseSaved(run: Run, definition: Definition): void {
  const { loop, scratch, over } = run.saved.get(definition)!;
  run.saved.delete(definition);
  over.push(definition);
  if ([...run.saved.values()].some((each) => each.loop === loop)) return;
  dropScratch(run, scratch);
  for (const each of over) free(run, each);
}

// ── computing ───────────────────────────────────────────────────────────────────────────────────

const tooSmall = "too small";
/**
 * A unit that has run more often than this gets a kernel however small it is, if the kernel gives
 * exactly the same bits as the oracle.
 */
const fewRuns = 3;

const noFaults: ReadonlyMap<Definition, Fault> = new Map();

/**
 * `by itself`: also a unit that is normally computed where it is read, because the oracle asks for
 * its cells.
 */
function compute(run: Run, unit: Unit, how?: "by itself"): ReadonlyMap<Definition, Fault> {
  const { fused } = run.state;
  // Inlined definitions, and those that loops compute by the step, get cells of their own only on
  // demand.
  if (how === undefined) {
    if (
      unit.kind === "by step" ||
      unit.definitions.every((definition) => isFused(fused, definition))
    )
      return noFaults;
    // The unit was computed along with another one.
    if (unit.definitions.every((definition) => run.places.has(definition))) return noFaults;
  }
  const { prepared, why } = compiledUnit(run, unit);
  if (!prepared) return settleOnOracle(run, unit, why!);
  if (!canJoin(run, prepared)) flush(run);
  const ready = makeRoom(run, prepared);
  if (!ready) return settleOnOracle(run, unit, "memory");
  run.pending.push(ready);
  return isPartialUnit(prepared) ? noFaults : flush(run);
}

/**
 * The kernels of a unit, made anew if the integers or layouts that they were made for have changed.
 */
function compiledUnit(run: Run, unit: Unit): Compiled {
  const { machine, state } = run;
  const before = state.compiled.get(unit);
  const integers =
    before?.integers ??
    integersIn(state.fused, computedIn(state.units.storage, unit), run.program.scalars);
  const values = integers.fixed.map((v) => machine.values[machine.slotOf(v)]!);
  const isStillValid =
    before?.values.every((value, k) => value === values[k]) &&
    [...before.layouts].every(([read, layout]) => isSameLayout(layout, layoutNow(run, read)));
  const isWorthNow =
    before?.why === tooSmall && state.runs > fewRuns && isExact(clausesOfUnit(run, unit));
  if (before && isStillValid && !isWorthNow) return before;
  const compiled = compiledFor(run, unit, integers, values, isWorthNow ? 0 : state.leastWork);
  state.compiled.set(unit, compiled);
  return compiled;
}

function clausesOfUnit({ state }: Run, unit: Unit): readonly Clause[] {
  return computedIn(state.units.storage, unit).flatMap((definition) =>
    clausesIn(state.fused, definition),
  );
}

/** Whether two layouts agree: in the extent of each axis and in the steps of the window. */
function isSameLayout(a: Layout, b: Layout | undefined): boolean {
  if (a === b) return true;
  if (a.shape.length !== b?.shape.length || a.window?.steps !== b.window?.steps) return false;
  return a.shape.every((extent, axis) => extent === b.shape[axis]);
}

/** How a definition that a kernel reads lies in memory; `undefined` if kernels cannot read it. */
function layoutNow(run: Run, read: Definition): Layout | undefined {
  try {
    return placeInMemory(run, read).layout;
  } catch (failure) {
    if (failure instanceof Unsupported) return undefined;
    throw failure;
  }
}

function compiledFor(
  run: Run,
  unit: Unit,
  integers: Integers,
  values: readonly number[],
  leastWork: number,
): Compiled {
  const { machine, state } = run;
  const { fused, indexOf, leastProducts, isWorthwhile } = state;
  const { storage, companions } = state.units;
  const onOracle = (why: string): Compiled => ({ integers, values, layouts: new Map(), why });
  for (const definition of computedIn(storage, unit)) {
    const why = whyNot(definition, clausesIn(fused, definition));
    if (why) return onOracle(why);
  }
  const layouts = new Map<Definition, Layout>();
  let isCompiled = false;
  const layoutOf = (read: Definition): Layout => {
    const known = layouts.get(read);
    if (known) return known;
    // A later run may compile a part that this run did not need. The cells that such a part reads
    // cannot be placed any more.
    if (isCompiled) throw new Unsupported("cells that were not read before");
    const { layout } = placeInMemory(run, read);
    layouts.set(read, layout);
    return layout;
  };
  const bytesInside = (read: Definition): number => {
    const place = machine.stores.has(read) ? undefined : run.places.get(read);
    if (place?.layout.window) return Infinity;
    return place?.bytes ?? 0;
  };
  const bytesOutside = (read: Definition): number => {
    const store = run.places.has(read) ? undefined : machine.stores.get(read);
    return !store || isInMemory(store.value.data as TypedArray) ? 0 : storeBytes(store);
  };
  const reads = state.reads.get(unit)!;
  const setting: Setting = {
    machine,
    storage,
    fused,
    reads,
    indexOf,
    layoutOf,
    bytesInside,
    bytesOutside,
    leastWork,
    isWorthwhile,
    leastProducts,
    hasCompanions: companions.has(unit),
  };
  try {
    const prepared = prepare(setting, unit, {
      fixed: new Map(integers.fixed.map((v, k) => [v, values[k]!])),
      read: integers.read,
    });
    if (!prepared) return onOracle(tooSmall);
    for (const read of prepared.reads) layoutOf(read);
    isCompiled = true;
    return { integers, values, layouts, prepared };
  } catch (failure) {
    // Where a divisor is 0 there is hardly anything to compute, or a fault to report.
    if (!(failure instanceof Unsupported || failure instanceof ZeroDivisor)) throw failure;
    return onOracle(failure.message);
  }
}

/**
 * Brings the operands of a unit into memory and takes room for its own cells; `undefined` if there
 * is not enough room.
 */
function makeRoom(run: Run, prepared: Prepared): Ready | undefined {
  const { unit, reads, outputs, work } = prepared;
  const placed: Definition[] = [];
  const scratch = new Map<Definition, Place>();
  try {
    for (const read of reads) placeInMemory(run, read);
    // If the oracle computed a recurrence whose steps this unit reads back, only the oracle can
    // compute those steps again.
    for (const read of reads) {
      const saved = run.saved.get(read);
      if (isReadBack(run, unit, read)) {
        if (!saved) return undefined;
      } else if (saved) {
        const { steps } = run.state.units.storage.kept.get(read)!;
        const restore = (): void => restoreLast(saved.loop, read, steps);
        restore();
        run.recording.steps.push({ run: restore });
      }
    }
    for (const [definition, layout] of outputs) {
      if (run.reserved.has(definition) || !takeOver(run, definition, layout, work))
        placeFor(run, definition, layout);
      placed.push(definition);
    }
    for (const [definition, layout] of prepared.scratch) {
      const bytes = layoutBytes(layout);
      scratch.set(definition, {
        layout,
        address: takeFor(run, definition, layout.shape, bytes),
        bytes,
      });
    }
    return { prepared, scratch };
  } catch (failure) {
    for (const definition of placed) forget(run, definition);
    dropScratch(run, scratch);
    if (!(failure instanceof Unsupported)) throw failure;
    return undefined;
  }
}

function isReadBack({ state }: Run, unit: Unit, read: Definition): boolean {
  const kept = state.units.storage.kept.get(read);
  return kept?.kind === "checkpoints" && unit.kind === "group" && kept.readBack.has(unit.group);
}

/** Lets a result overwrite an operand that nobody else will read. */
function takeOver(
  run: Run,
  definition: Definition,
  layout: Layout,
  work: Prepared["work"],
): boolean {
  if (work.kind !== "cells") return false;
  const { state, places, left, pending } = run;
  const operand = work.inPlace.find((read) => {
    const isLast = !state.keepsAll && left.get(read) === 1 && !state.observed.has(read);
    const place = places.get(read);
    const isPending = ({ prepared }: Ready): boolean =>
      prepared.reads.has(read) || prepared.outputs.has(read);
    return isLast && place && !place.isHosts && !pending.some(isPending);
  });
  const place = operand && places.get(operand);
  if (!place || place.bytes !== layoutBytes(layout)) return false;
  noted("place", (names) => `written over ${names.definition(operand)}`, definition);
  places.delete(operand);
  run.overwritten.set(operand, place);
  places.set(definition, { ...place, layout });
  return true;
}

function flush(run: Run): ReadonlyMap<Definition, Fault> {
  const waiting = run.pending.splice(0);
  if (waiting.length === 0) return noFaults;
  const faults = new Map<Definition, Fault>();
  try {
    runWaiting(run, waiting);
  } catch (failure) {
    const why = kernelFailure(failure);
    if (!why) throw failure;
    for (const { prepared, scratch } of waiting) {
      for (const definition of prepared.outputs.keys()) forget(run, definition);
      dropScratch(run, scratch);
      if (why === tooLarge) leaveToOracle(run, prepared.unit, why);
    }
    // The oracle says what is wrong. If it finds no fault, its values count.
    for (const { prepared } of waiting)
      for (const [definition, fault] of settleOnOracle(run, prepared.unit, why))
        faults.set(definition, fault);
  }
  run.overwritten.clear();
  release(run);
  return faults;
}

/** Makes sure that no later run makes these kernels again. */
function leaveToOracle({ state }: Run, unit: Unit, why: string): void {
  const { integers, values, layouts } = state.compiled.get(unit)!;
  state.compiled.set(unit, { integers, values, layouts, why });
}

/** Lets the oracle compute a unit, with its operands brought out of the kernels' memory. */
function settleOnOracle(run: Run, unit: Unit, why: string): ReadonlyMap<Definition, Fault> {
  flush(run);
  const { machine, state } = run;
  run.recording.isSpoilt = true;
  state.toOracle.set(unit, why);
  recording()?.oracle(unit, why);
  const { storage, of } = state.units;
  for (const read of unit.reads) {
    if (machine.stores.has(read)) continue;
    // The oracle cannot use steps that kernels would compute again.
    if (run.saved.has(read))
      settleOnOracle(run, of.get(read)!, "steps that the oracle computes again");
    else if (storage.kept.get(read)?.kind !== "by step") computedValue(run, read);
  }
  for (const definition of unit.kind === "group" ? askedBy(storage, unit.group) : []) {
    if (run.given!.has(definition)) continue;
    // A loop that is computed again has new cells. A reader that was made for the old cells would
    // go on reading those.
    free(run, definition);
    evaluateUnit(machine, of.get(definition)!, storage);
  }
  return evaluateUnit(machine, unit, storage);
}
