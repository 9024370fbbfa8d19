// Runs the units that wait: a single unit, or several units with equally many rows, strip by strip.
// Records each run, so that it can be repeated.

import type { Definition, Program } from "../../../ir/program.ts";
import { readsOf } from "../../../ir/references.ts";
import { noted } from "../../../plan/rules.ts";
import type { Unit } from "../../order.ts";
import { writeConstants } from "../memory/arena.ts";
import { mostParameters } from "../code/encode.ts";
import { KernelFault } from "../host.ts";
import { giveBack, layoutBytes, type Memory, type Place } from "../memory/places.ts";
import type { Prepared, PreparedCells } from "../prepared.ts";
import type { Recording, Step } from "../memory/replay.ts";
import { readBackBy, runLoop, savedBy, type LoopRun, type SavedLoop } from "../run-loop.ts";
import { isFused, type State } from "../state.ts";
import { isPartial, runStrips, stripsOf, type PartialRunner } from "./strips.ts";
import type { AddressOf, Runner } from "../runners.ts";

/** The state of one run. */
export interface Run extends Memory {
  readonly program: Program;
  readonly state: State;
  /** The definitions that had cells before the run; they stay. */
  given: ReadonlySet<Definition> | undefined;
  /** The units that wait to be computed together, strip by strip. */
  readonly pending: Ready[];
  /** For each definition, how many units have not read it yet. */
  readonly left: Map<Definition, number>;
  /** The definitions that nobody reads after the pending units. */
  readonly dying: Definition[];
  /** The places of operands over which pending units write their results. */
  readonly overwritten: Map<Definition, Place>;
  readonly recording: Recording;
  /** Loops whose steps can be computed again. */
  readonly saved: Map<Definition, Saved>;
  /** The run has ended, so its places are no longer valid. */
  isOver: boolean;
}

/** A unit that waits to be run, and the places of its scratch cells. */
export interface Ready {
  readonly prepared: Prepared;
  readonly scratch: ReadonlyMap<Definition, Place>;
}

interface Saved {
  readonly loop: SavedLoop;
  /** The scratch cells that are needed for computing steps again. */
  readonly scratch: Ready["scratch"];
  /** Members that nobody will read again. */
  readonly over: Definition[];
}

export function dropScratch(run: Run, scratch: ReadonlyMap<Definition, Place>): void {
  for (const { address, bytes } of scratch.values()) giveBack(run, address, bytes);
}

type PartialUnit = Prepared & { readonly work: PreparedCells & { readonly runner: PartialRunner } };

export function isPartialUnit(prepared: Prepared): prepared is PartialUnit {
  const { mayFail, work } = prepared;
  return !mayFail && work.kind === "cells" && isPartial(work.runner);
}

/** With more units in a chain, the strips would be too short. */
const mostTogether = 32;

/**
 * Whether a unit can be computed strip by strip with the pending units: it has equally many rows,
 * and reads no other row of their results.
 */
export function canJoin({ pending }: Run, prepared: Prepared): boolean {
  if (pending.length === 0) return true;
  if (!isPartialUnit(prepared) || pending.length >= mostTogether) return false;
  const { elsewhere, runner } = prepared.work;
  // The function of the chain has the arguments of all kernels and two for the range of rows.
  const before = pending.map(({ prepared: { work } }) => (work as PartialUnit["work"]).runner);
  const pointers = [...before, runner].map(({ source }) => source.pointers.length);
  if (pointers.reduce((a, b) => a + b) + 2 > mostParameters) return false;
  return pending.every(({ prepared: { work, outputs } }) => {
    const { rows, finish } = (work as PartialUnit["work"]).runner;
    if (rows !== runner.rows) return false;
    // Results that exist only after all strips must not be read before.
    const readTooEarly = finish ? prepared.reads : elsewhere;
    return [...outputs.keys()].every((definition) => !readTooEarly.has(definition));
  });
}

/** Runs the waiting units: a single unit by itself, several strip by strip. */
export function runWaiting(run: Run, waiting: readonly Ready[]): void {
  writeConstants();
  const { places, overwritten } = run;
  const addressOf: AddressOf = (definition) => {
    // A repeated run that takes another path than the recorded run asks for a place too late.
    if (run.isOver) throw new KernelFault();
    return (places.get(definition) ?? overwritten.get(definition))?.address ?? 0;
  };
  const [first, ...rest] = waiting;
  const { profile } = run.machine;
  if (profile) {
    for (const ready of waiting) {
      const { unit } = ready.prepared;
      profile.time(unit.definitions, computedWithin(run, unit), () =>
        runAlone(run, ready, addressOf),
      );
    }
    return;
  }
  if (rest.length === 0) {
    run.recording.steps.push(runAlone(run, first!, addressOf));
    return;
  }
  const runners = waiting.map(({ prepared }) => (prepared as PartialUnit).work.runner);
  const binds = waiting.map(({ scratch }, k) => boundAgain(runners[k]!, scratch, addressOf));
  const [leader, ...others] = waiting.flatMap(({ prepared }) => prepared.unit.definitions);
  noted(
    "together",
    (names) => `with ${others.map((each) => names.definition(each)).join(", ")}`,
    leader,
  );
  const outputs = waiting.flatMap(({ prepared }) => [...prepared.outputs]);
  const bytes = outputs.reduce((total, [, layout]) => total + layoutBytes(layout), 0);
  // If a result is written over an operand, its strips must not share memory, because they would
  // overwrite rows that other units still have to read.
  const overwrittenAddresses = new Set([...overwritten.values()].map(({ address }) => address));
  const isOverwriting = (definition: Definition): boolean =>
    overwrittenAddresses.has(places.get(definition)!.address);
  const passing = outputs.filter(
    ([each, layout]) => isUnreadAfterwards(run, each) && !layout.window && !isOverwriting(each),
  );
  const strips = stripsOf(
    runners,
    bytes / runners[0]!.rows,
    new Map(passing.map(([each, layout]) => [each, layoutBytes(layout)])),
  );
  runStrips(strips);
  run.recording.steps.push({
    bind: () => binds.forEach((bind) => bind()),
    run: () => runStrips(strips),
  });
  for (const { scratch } of waiting) dropScratch(run, scratch);
}

/** Whether nobody reads the cells of a pending unit after it. */
function isUnreadAfterwards({ state, left }: Run, definition: Definition): boolean {
  return !state.keepsAll && !state.observed.has(definition) && left.get(definition) === 0;
}

/** The definitions without cells of their own that are computed as a part of a unit. */
function computedWithin({ state: { fused } }: Run, unit: Unit): readonly Definition[] {
  const found = new Set(unit.definitions);
  for (const definition of found)
    for (const read of readsOf(definition)) if (isFused(fused, read)) found.add(read);
  for (const definition of unit.definitions) found.delete(definition);
  return [...found];
}

/** An `AddressOf` that remembers its answers, so that they stay known after the run. */
function withMemory(addressOf: AddressOf): AddressOf {
  const found = new Map<Definition, number>();
  return (definition) => {
    const address = found.get(definition) ?? addressOf(definition);
    found.set(definition, address);
    return address;
  };
}

/** Binds a runner to the current places of cells. The result binds it to the same places again. */
function boundAgain(runner: Runner, scratch: Ready["scratch"], addressOf: AddressOf): () => void {
  const places = withMemory(
    (definition) => scratch.get(definition)?.address ?? addressOf(definition),
  );
  runner.bind(places);
  return () => runner.bind(places);
}

/** Runs a unit by itself. The result runs it again. */
function runAlone(run: Run, { prepared, scratch }: Ready, addressOf: AddressOf): Step {
  const { work, outputs } = prepared;
  if (work.kind === "cells") {
    const bind = boundAgain(work.runner, scratch, addressOf);
    work.runner.run();
    dropScratch(run, scratch);
    const { unit } = prepared;
    if (unit.kind === "schedule" && unit.schedule.recurrent)
      return stepThatBinds(bind, () => work.runner.run());
    return { bind, run: () => work.runner.run() };
  }
  const { storage } = run.state.units;
  const own = new Map<Definition, number>();
  for (const definition of outputs.keys()) own.set(definition, addressOf(definition));
  for (const [definition, { address }] of scratch) own.set(definition, address);
  // A running sum of integers uses the memory of the sum itself.
  for (const { running, rider } of work.sums)
    if (!own.has(running)) own.set(running, addressOf(rider.definition));
  const loop: LoopRun = {
    work,
    addressOf: withMemory((definition) => own.get(definition) ?? addressOf(definition)),
    readBack: readBackBy(storage, work.unit.group, (member) => run.saved.get(member)?.loop),
  };
  const bind = (): void => work.runner.bind(loop.addressOf);
  const saved = work.again && savedBy(loop, outputs);
  bind();
  runLoop(loop, saved, run.machine.progress);
  if (!saved) dropScratch(run, scratch);
  else {
    const again = { loop: saved, scratch, over: [] };
    for (const member of saved.held.keys()) run.saved.set(member, again);
  }
  return stepThatBinds(bind, () => runLoop(loop, saved));
}

/**
 * A step that binds its loop before each run. The first step of a loop prepares what is the same in
 * all steps, and must do so after binding.
 */
function stepThatBinds(bind: () => void, steps: () => void): Step {
  return {
    run() {
      bind();
      steps();
    },
  };
}
