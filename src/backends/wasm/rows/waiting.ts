// Runs the units that wait: one by itself, or several whose rows are equally many, strip by strip;
// and writes down how, for runs that repeat it.

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

/** One run. */
export interface Run extends Memory {
  readonly program: Program;
  readonly state: State;
  /** What was there before the run: it stays. */
  given: ReadonlySet<Definition> | undefined;
  /** What is to be computed together, strip by strip. */
  readonly pending: Ready[];
  /** How many units are still to read each definition. */
  readonly left: Map<Definition, number>;
  /** What nobody reads any more once the pending units are done. */
  readonly dying: Definition[];
  /** Where operands lie in whose place pending units write their results. */
  readonly overwritten: Map<Definition, Place>;
  readonly recording: Recording;
  /** Loops whose steps can be computed again. */
  readonly saved: Map<Definition, Saved>;
  /** Nobody knows any more where things lay. */
  isOver: boolean;
}

/** A unit that waits for being run, and where the cells lie that only it uses. */
export interface Ready {
  readonly prepared: Prepared;
  readonly scratch: ReadonlyMap<Definition, Place>;
}

export interface Saved {
  readonly loop: SavedLoop;
  /** Cells that it takes to compute steps again. */
  readonly scratch: Ready["scratch"];
  /** Members that nobody will read any more. */
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

/** More units are not chained: their strips would be too short. */
const mostTogether = 32;

/**
 * Whether a unit can be computed strip by strip with those that wait: as many rows, and none reads
 * another row of theirs.
 */
export function joins({ pending }: Run, prepared: Prepared): boolean {
  if (pending.length === 0) return true;
  if (!isPartialUnit(prepared) || pending.length >= mostTogether) return false;
  const { elsewhere, runner } = prepared.work;
  // The function that calls them gets the arguments of all, and from which row to which.
  const before = pending.map(({ prepared: { work } }) => (work as PartialUnit["work"]).runner);
  const pointers = [...before, runner].map(({ source }) => source.pointers.length);
  if (pointers.reduce((a, b) => a + b) + 2 > mostParameters) return false;
  return pending.every(({ prepared: { work, outputs } }) => {
    const { rows, finish } = (work as PartialUnit["work"]).runner;
    if (rows !== runner.rows) return false;
    // What is only there when all strips are done is read afterwards.
    const apart = finish ? prepared.reads : elsewhere;
    return [...outputs.keys()].every((definition) => !apart.has(definition));
  });
}

/** Runs units that wait: one by itself, or several strip by strip. */
export function runWaiting(run: Run, waiting: readonly Ready[]): void {
  writeConstants();
  const { places, overwritten } = run;
  const addressOf: AddressOf = (definition) => {
    // A repeated run that takes another way than the one before asks too late.
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
  const binds = waiting.map(({ scratch }, k) => bound(runners[k]!, scratch, addressOf));
  const [leader, ...others] = waiting.flatMap(({ prepared }) => prepared.unit.definitions);
  noted(
    "together",
    (names) => `with ${others.map((each) => names.definition(each)).join(", ")}`,
    leader,
  );
  const own = waiting.flatMap(({ prepared }) => [...prepared.outputs]);
  const bytes = own.reduce((total, [, layout]) => total + layoutBytes(layout), 0);
  // Strips of what is written over an operand would lie over rows of it that others still have to
  // read.
  const lying = new Set([...overwritten.values()].map(({ address }) => address));
  const isOver = (definition: Definition): boolean => lying.has(places.get(definition)!.address);
  const passing = own.filter(
    ([each, layout]) => passes(run, each) && !layout.window && !isOver(each),
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

/** Whether nobody reads the cells of a pending unit once it is done. */
function passes({ state, left }: Run, definition: Definition): boolean {
  return !state.keepsAll && !state.observed.has(definition) && left.get(definition) === 0;
}

/** The definitions without cells of their own that are computed in a unit. */
function computedWithin({ state: { fused } }: Run, unit: Unit): readonly Definition[] {
  const found = new Set(unit.definitions);
  for (const definition of found)
    for (const read of readsOf(definition)) if (isFused(fused, read)) found.add(read);
  for (const definition of unit.definitions) found.delete(definition);
  return [...found];
}

/** Where cells lie, also once nobody knows any more. */
function noting(addressOf: AddressOf): AddressOf {
  const found = new Map<Definition, number>();
  return (definition) => {
    const address = found.get(definition) ?? addressOf(definition);
    found.set(definition, address);
    return address;
  };
}

/** Binds a runner to where cells lie now. What is returned binds it to the same places again. */
function bound(runner: Runner, scratch: Ready["scratch"], addressOf: AddressOf): () => void {
  const places = noting((definition) => scratch.get(definition)?.address ?? addressOf(definition));
  runner.bind(places);
  return () => runner.bind(places);
}

/** Runs a unit by itself. What is returned does so again. */
function runAlone(run: Run, { prepared, scratch }: Ready, addressOf: AddressOf): Step {
  const { work, outputs } = prepared;
  if (work.kind === "cells") {
    const bind = bound(work.runner, scratch, addressOf);
    work.runner.run();
    dropScratch(run, scratch);
    const { unit } = prepared;
    if (unit.kind === "schedule" && unit.schedule.recurrent)
      return stepsAgain(bind, () => work.runner.run());
    return { bind, run: () => work.runner.run() };
  }
  const { storage } = run.state.units;
  const own = new Map<Definition, number>();
  for (const definition of outputs.keys()) own.set(definition, addressOf(definition));
  for (const [definition, { address }] of scratch) own.set(definition, address);
  // Running sums of integers lie where the sums will be.
  for (const { running, rider } of work.sums)
    if (!own.has(running)) own.set(running, addressOf(rider.definition));
  const loop: LoopRun = {
    work,
    addressOf: noting((definition) => own.get(definition) ?? addressOf(definition)),
    readBack: readBackBy(storage, work.unit.group, (member) => run.saved.get(member)?.loop),
  };
  const bind = (): void => work.runner.bind(loop.addressOf);
  const saved = work.again && savedBy(loop, outputs);
  bind();
  runLoop(loop, saved, run.machine.progress);
  if (!saved) dropScratch(run, scratch);
  else {
    const all = { loop: saved, scratch, over: [] };
    for (const member of saved.held.keys()) run.saved.set(member, all);
  }
  return stepsAgain(bind, () => runLoop(loop, saved));
}

/** What is the same in all steps is made ready for the first of them after the loop is bound. */
function stepsAgain(bind: () => void, steps: () => void): Step {
  return {
    run() {
      bind();
      steps();
    },
  };
}
