// Computes a definition when it is first asked for, after what it reads; a recurrence together with what runs along its loop.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import type { TensorValue } from "../../host/value.ts";
import { constantOf, type Variable } from "../../ir/affine/term.ts";
import { show } from "../../ir/affine/show.ts";
import { components } from "../../ir/components.ts";
import { readsOf, type Definition, type Program } from "../../ir/program.ts";
import type { Schedule } from "../../ir/schedule.ts";
import type { Storage } from "../../ir/storage.ts";
import { rangesOf, startsBelow } from "../../ir/starts.ts";
import { evaluateSchedule } from "./evaluate.ts";
import { evaluateGroup, prepareByStep } from "./loops.ts";
import { storeOf, type Machine } from "./machine.ts";
import { compileTerm } from "./scalars.ts";

export type Engine = (definition: Definition) => TensorValue;

/** Every cell of everything is kept. */
const everything: Storage = { groups: [], driven: [], kept: new Map(), reasons: new Map() };

/** What a run starts from. */
export interface Beginning {
  /** How much of what is computed stays; absent: all of it. */
  readonly storage?: Storage;
  /** Values that stand in for what their definitions and those that recur with them would give. */
  readonly held?: ReadonlyMap<Definition, TensorValue>;
  /** Values that are what their definitions give; what recurs with them may still be computed. */
  readonly kept?: ReadonlyMap<Definition, TensorValue>;
}

export function newEngine(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  { storage = everything, held = new Map(), kept = new Map() }: Beginning = {},
): Engine {
  const units = unitsOf(schedules, storage);
  const unitOf = new Map(units.flatMap((unit) => unit.definitions.map((definition) => [definition, unit] as const)));
  const variablesOf = new Map<Definition, Variable[]>();
  for (const [v, definition] of program.scalars)
    variablesOf.set(definition, [...(variablesOf.get(definition) ?? []), v]);
  const agree = agreements(machine, program);
  const faults = new Map<Definition, Fault>();
  const computed = new Set<Unit>();
  for (const [definition, value] of held) {
    machine.stores.set(definition, storeOf(value));
    computed.add(unitOf.get(definition)!);
  }
  const publish = (definition: Definition): void => {
    for (const v of variablesOf.get(definition) ?? [])
      machine.values[machine.slotOf(v)] = Number(machine.stores.get(definition)!.get(0));
  };
  for (const [definition, value] of kept) {
    machine.stores.set(definition, storeOf(value));
    machine.bytes += "byteLength" in value.data ? value.data.byteLength : 0;
    publish(definition);
  }
  machine.peak = machine.bytes;
  agree();
  const settle = (unit: Unit): void => {
    for (const read of unit.reads) throwIfFailed(faults, read);
    for (const definition of unit.definitions) holdStarts(machine, definition);
    for (const [definition, fault] of unit.compute(machine)) faults.set(definition, fault);
    for (const definition of unit.definitions) publish(definition);
    agree();
    computed.add(unit);
  };
  return (definition) => {
    if (!kept.has(definition)) {
      const isThere = (read: Definition): boolean => kept.has(read) || computed.has(unitOf.get(read)!);
      for (const unit of inOrder(unitOf.get(definition)!, unitOf, isThere)) settle(unit);
    }
    throwIfFailed(faults, definition);
    return machine.stores.get(definition)!.value;
  };
}

function throwIfFailed(faults: ReadonlyMap<Definition, Fault>, definition: Definition): void {
  const fault = faults.get(definition);
  if (fault) throw fault;
}

/** What is computed in one go. */
interface Unit {
  readonly definitions: readonly Definition[];
  /** What has to be there before. */
  readonly reads: ReadonlySet<Definition>;
  readonly compute: (machine: Machine) => ReadonlyMap<Definition, Fault>;
}

const noFaults: ReadonlyMap<Definition, Fault> = new Map();

function unitsOf(schedules: readonly Schedule[], storage: Storage): readonly Unit[] {
  const driven = new Set(storage.driven.map((rider) => rider.definition));
  return schedules.flatMap((schedule): readonly Unit[] => {
    const [only] = schedule.definitions;
    const group = storage.groups.find((each) => each.schedule === schedule);
    if (group) return [groupUnit(schedule, group, storage)];
    if (driven.has(only!)) return [];
    const kept = storage.kept.get(only!);
    if (kept?.kind === "by step") {
      const compute: Unit["compute"] = (machine) => {
        prepareByStep(machine, only!, kept);
        return noFaults;
      };
      // What it reads is there when the loop runs; only its extents are needed now.
      return [{ definitions: [only!], reads: only!.needs, compute }];
    }
    const compute: Unit["compute"] = (machine) => {
      // Inputs are there already.
      if (only!.origin !== "input") evaluateSchedule(machine, schedule);
      return noFaults;
    };
    return [{ definitions: schedule.definitions, reads: outside(schedule.definitions, schedule.definitions), compute }];
  });
}

function groupUnit(schedule: Schedule, group: Storage["groups"][number], storage: Storage): Unit {
  const riders = storage.driven.filter((rider) => rider.group === group).map((rider) => rider.definition);
  const own = [...schedule.definitions, ...riders];
  const asked = [...storage.kept].flatMap(([definition, kept]) =>
    kept.kind === "by step" && kept.loops.includes(group) ? [definition] : [],
  );
  return {
    definitions: own,
    reads: new Set([...outside([...own, ...asked], own), ...asked]),
    compute: (machine) => evaluateGroup(machine, group, storage),
  };
}

/** What some definitions read, others left out. */
function outside(readers: readonly Definition[], without: readonly Definition[]): ReadonlySet<Definition> {
  const own = new Set(without);
  return new Set(readers.flatMap((reader) => [...readsOf(reader)].filter((read) => !own.has(read))));
}

/** A unit and all that it needs and that is not there yet, in an order in which it can be computed. */
function inOrder(
  last: Unit,
  unitOf: ReadonlyMap<Definition, Unit>,
  isThere: (read: Definition) => boolean,
): readonly Unit[] {
  if (last.definitions.every(isThere)) return [];
  const wanted = new Set([last]);
  const needs = new Map<Unit, readonly Unit[]>();
  for (const unit of wanted) {
    const missing = [...unit.reads].filter((read) => !isThere(read));
    const found = [...new Set(missing.map((read) => unitOf.get(read)!))];
    needs.set(unit, found);
    for (const each of found) wanted.add(each);
  }
  const list = [...wanted];
  const at = new Map(list.map((unit, k) => [unit, k]));
  return components(list.length, (k) => needs.get(list[k]!)!.map((unit) => at.get(unit)!))
    .flat()
    .map((k) => list[k]!);
}

/** Holds extents that meet to each other as soon as both are known. */
export function agreements(machine: Machine, program: Program): () => void {
  let open = program.agreements;
  return () => {
    open = open.filter((each) => {
      const [left, right] = [compileTerm(machine, each.left)(), compileTerm(machine, each.right)()];
      if (Number.isNaN(left) || Number.isNaN(right)) return true;
      if (left === right) return false;
      throw new Fault(
        error("E0304", `the extents of ${each.text} must agree, and are ${left} and ${right}`, each.span, {
          text: [each.left, each.right]
            .flatMap((term, k) =>
              constantOf(term) === undefined && show(term) !== "?" ? [`\`${show(term)}\` is ${[left, right][k]}`] : [],
            )
            .join(", "),
        }),
      );
    });
  };
}

/** Ranges on the left start at 0 or above: what was left open about that is known when the definition is computed. */
export function holdStarts(machine: Machine, definition: Definition): void {
  if (definition.origin !== "declared") return;
  for (const clause of definition.clauses) {
    for (const loop of rangesOf(definition, clause)) {
      const { from, to } = loop;
      // A range inside a body that depends on the coordinates around it has no bounds of its own here.
      if (from.kind !== "integer" || to.kind !== "integer") continue;
      const [start, end] = [compileTerm(machine, from.term)(), compileTerm(machine, to.term)()];
      if (start < 0 && start < end) throw new Fault(startsBelow(definition, clause, loop, String(start)));
    }
  }
}
