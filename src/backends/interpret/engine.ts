// This folder is the oracle: it evaluates programs cell by cell in plain JavaScript and so says
// what a program means; faster ways to compute the same values live in `../wasm`.
//
// The engine computes every unit as the memory plan says, with the cells in the machine's stores.

import type { Fault } from "../../diagnostics/diagnostic.ts";
import type { Analysis } from "../../analyse/analyse.ts";
import type { Group } from "../../plan/along.ts";
import type { Definition, Program } from "../../ir/program.ts";
import type { Abilities, Storage } from "../../plan/storage.ts";
import {
  askedBy,
  everything,
  newEngine,
  unitsOf,
  type Beginning,
  type Computer,
  type Engine,
  type Unit,
  type Units,
} from "../order.ts";
import { evaluateSchedule } from "./evaluate.ts";
import { evaluateGroup, prepareByStep } from "./loops.ts";
import type { Machine } from "./machine.ts";
import { isRunning } from "./reduce.ts";

/**
 * A running reduction goes on from one cell to the next and is computed in the order of its cells.
 * A loop might ask for them in another order.
 */
export const oracleAbilities: Abilities = {
  steps: ({ clauses }) => !clauses.some(isRunning),
  sums: () => true,
};

const noFaults: ReadonlyMap<Definition, Fault> = new Map();

export function oracle(machine: Machine, storage: Storage): Computer {
  return {
    compute: (unit) => evaluateUnit(machine, unit, storage),
    valueOf: (definition) => machine.stores.get(definition)!.value,
  };
}

/**
 * Computes a unit whose reads have all been computed. A unit that fails leaves no cells, so that
 * whoever asks for them again gets the fault again.
 */
export function evaluateUnit(
  machine: Machine,
  unit: Unit,
  storage: Storage,
): ReadonlyMap<Definition, Fault> {
  const compute = (): ReadonlyMap<Definition, Fault> => evaluateKind(machine, unit, storage);
  try {
    return machine.profile ? machine.profile.time(unit.definitions, [], compute) : compute();
  } catch (failure) {
    for (const definition of unit.definitions) {
      const cells = machine.stores.get(definition)?.value.data;
      if (cells && "byteLength" in cells) machine.bytes -= cells.byteLength;
      machine.stores.delete(definition);
    }
    throw failure;
  }
}

function evaluateKind(
  machine: Machine,
  unit: Unit,
  storage: Storage,
): ReadonlyMap<Definition, Fault> {
  switch (unit.kind) {
    case "schedule":
      evaluateSchedule(machine, unit.schedule);
      return noFaults;
    case "by step":
      prepareByStep(machine, unit.definition, unit.kept);
      return noFaults;
    case "group":
      if (!keepsEveryCell(unit, unit.group, storage))
        return evaluateGroup(machine, unit.group, storage);
      evaluateSchedule(machine, unit.group.schedule);
      return noFaults;
    default:
      return unit satisfies never;
  }
}

/** Whether a group is a recurrence that runs alone and keeps every cell. */
function keepsEveryCell({ definitions }: Unit, group: Group, storage: Storage): boolean {
  return (
    definitions.length === group.schedule.definitions.length &&
    askedBy(storage, group).length === 0 &&
    definitions.every((definition) => !storage.kept.has(definition))
  );
}

const whole = new WeakMap<Analysis, Units>();

/** The units of a program in which every cell is kept. */
export function wholeUnits(analysis: Analysis): Units {
  let units = whole.get(analysis);
  if (!units) whole.set(analysis, (units = unitsOf(analysis.schedules, everything)));
  return units;
}

/** An engine of the oracle that keeps every cell. */
export function wholeEngine(
  machine: Machine,
  program: Program,
  analysis: Analysis,
  beginning?: Beginning,
): Engine {
  return newEngine(machine, program, wholeUnits(analysis), oracle(machine, everything), beginning);
}
