// The order in which a run computes, whoever computes: a definition when it is first asked for, after what it reads; a recurrence together
// with what runs along with its loop.

import { error, Fault } from "../diagnostics/diagnostic.ts";
import { at, type TensorValue } from "../host/value.ts";
import type { Group } from "../ir/along.ts";
import { show } from "../ir/affine/show.ts";
import { constantOf, type Variable } from "../ir/affine/term.ts";
import type { Definition, Program } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import type { Schedule } from "../ir/schedule.ts";
import type { Kept, Storage } from "../ir/storage.ts";
import { storeOf, type Machine } from "./interpret/machine.ts";
import { compileTerm } from "./interpret/scalars.ts";
import { holdStarts } from "./starts.ts";

/** Computes what it is asked for, and all that this needs, once. */
export interface Engine {
  (definition: Definition): TensorValue;
  /** Computes a definition without taking its cells out. */
  settle(definition: Definition): void;
}

/** What is computed in one go. */
export type Unit = {
  readonly definitions: readonly Definition[];
  /** What has to be there before. */
  readonly reads: ReadonlySet<Definition>;
} & (
  | { readonly kind: "schedule"; readonly schedule: Schedule }
  | { readonly kind: "group"; readonly group: Group }
  /** Computed by the loops that ask for it. */
  | { readonly kind: "by step"; readonly definition: Definition; readonly kept: Extract<Kept, { kind: "by step" }> }
);

/** The units of a program under a memory plan. */
export interface Units {
  readonly storage: Storage;
  readonly all: readonly Unit[];
  readonly of: ReadonlyMap<Definition, Unit>;
  /** Those whose definitions each reads. */
  readonly before: ReadonlyMap<Unit, readonly Unit[]>;
}

/** Who computes units: the oracle, or kernels. */
export interface Computer {
  /** Gives the faults of definitions that nobody may ask for. */
  compute(unit: Unit): ReadonlyMap<Definition, Fault>;
  /** What else has to be computed before a unit, because this computer reads it there. */
  also?(unit: Unit): Iterable<Unit>;
  valueOf(definition: Definition): TensorValue;
}

/** Every cell of everything is kept. */
export const everything: Storage = { groups: [], driven: [], kept: new Map(), reasons: new Map(), apart: new Set() };

export function unitsOf(schedules: readonly Schedule[], storage: Storage): Units {
  const driven = new Set(storage.driven.map((rider) => rider.definition));
  const all = schedules.flatMap((schedule): readonly Unit[] => {
    const { definitions } = schedule;
    const [only] = definitions;
    const group = storage.groups.find((each) => each.schedule === schedule);
    if (group) return [groupUnit(schedule, group, storage)];
    if (driven.has(only!)) return [];
    const kept = storage.kept.get(only!);
    // What it reads is there when the loop runs; only its extents are needed before.
    if (kept?.kind === "by step")
      return [{ kind: "by step", definitions, reads: only!.needs, definition: only!, kept }];
    return [{ kind: "schedule", definitions, reads: outside(definitions, definitions), schedule }];
  });
  const of = new Map(all.flatMap((unit) => unit.definitions.map((definition) => [definition, unit] as const)));
  const sourcesOf = (unit: Unit): readonly Unit[] => [...new Set([...unit.reads].map((read) => of.get(read)!))];
  return { storage, all, of, before: new Map(all.map((unit) => [unit, sourcesOf(unit)])) };
}

function groupUnit(schedule: Schedule, group: Group, storage: Storage): Unit {
  const riders = storage.driven.filter((rider) => rider.group === group).map((rider) => rider.definition);
  const definitions = [...schedule.definitions, ...riders];
  const asked = askedBy(storage, group);
  const reads = new Set([...outside([...definitions, ...asked], definitions), ...asked]);
  return { kind: "group", definitions, reads, group };
}

/** What is computed by the step where a group's loop asks for it. */
export function askedBy({ kept }: Storage, group: Group): readonly Definition[] {
  return [...kept].flatMap(([definition, how]) => (how.kind === "by step" && how.loops.has(group) ? [definition] : []));
}

/** What some definitions read, others left out. */
function outside(readers: readonly Definition[], without: readonly Definition[]): ReadonlySet<Definition> {
  const own = new Set(without);
  return new Set(readers.flatMap((reader) => [...readsOf(reader)].filter((read) => !own.has(read))));
}

/** What a run starts from. */
export interface Beginning {
  /** Values that stand in for what their definitions and those that recur with them would give. */
  readonly held?: ReadonlyMap<Definition, TensorValue>;
  /** Values that are what their definitions give; what recurs with them may still be computed. */
  readonly kept?: ReadonlyMap<Definition, TensorValue>;
}

export function newEngine(
  machine: Machine,
  program: Program,
  units: Units,
  computer: Computer,
  { held = new Map(), kept = new Map() }: Beginning = {},
): Engine {
  const variables = scalarsOf(program);
  const agree = agreements(machine, program);
  const faults = new Map<Definition, Fault>();
  const computed = new Set<Unit>();
  for (const [definition, value] of held) {
    machine.stores.set(definition, storeOf(value));
    computed.add(units.of.get(definition)!);
  }
  const publish = (definition: Definition): void => {
    for (const v of variables.get(definition) ?? [])
      machine.values[machine.slotOf(v)] = Number(at(computer.valueOf(definition), 0));
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
    // Inputs are there already.
    if (unit.definitions[0]!.origin !== "input") {
      machine.progress?.begin(unit);
      for (const definition of unit.definitions) holdStarts(machine, definition);
      for (const [definition, fault] of computer.compute(unit)) faults.set(definition, fault);
    }
    for (const definition of unit.definitions) publish(definition);
    agree();
    computed.add(unit);
  };
  const isThere = (unit: Unit): boolean =>
    computed.has(unit) || (kept.size > 0 && unit.definitions.every((each) => kept.has(each)));
  const missing = (unit: Unit): readonly Unit[] => {
    const before =
      kept.size === 0
        ? units.before.get(unit)!
        : [...unit.reads].flatMap((read) => (kept.has(read) ? [] : [units.of.get(read)!]));
    return [...new Set([...before, ...(computer.also?.(unit) ?? [])])];
  };
  const settleAll = (definition: Definition): void => {
    const unit = units.of.get(definition)!;
    if (!kept.has(definition) && !isThere(unit))
      for (const each of inOrder(units, unit, missing, isThere)) settle(each);
    throwIfFailed(faults, definition);
  };
  const valueOf = (definition: Definition): TensorValue => {
    settleAll(definition);
    return computer.valueOf(definition);
  };
  return Object.assign(valueOf, { settle: settleAll });
}

function throwIfFailed(faults: ReadonlyMap<Definition, Fault>, definition: Definition): void {
  const fault = faults.get(definition);
  if (fault) throw fault;
}

const scalars = new WeakMap<Program, ReadonlyMap<Definition, readonly Variable[]>>();

/** The variables that stand for the values of definitions. */
function scalarsOf(program: Program): ReadonlyMap<Definition, readonly Variable[]> {
  const known = scalars.get(program);
  if (known) return known;
  const found = new Map<Definition, Variable[]>();
  for (const [v, definition] of program.scalars) found.set(definition, [...(found.get(definition) ?? []), v]);
  scalars.set(program, found);
  return found;
}

/** A unit and all that it needs and that is not there yet: as they stand in the program, except where one needs a later one. */
function inOrder(
  { all }: Units,
  last: Unit,
  readsOfUnit: (unit: Unit) => readonly Unit[],
  isThere: (unit: Unit) => boolean,
): readonly Unit[] {
  const wanted = new Set([last]);
  const needs = new Map<Unit, readonly Unit[]>();
  for (const unit of wanted) {
    const missing = readsOfUnit(unit).filter((each) => !isThere(each));
    needs.set(unit, missing);
    for (const each of missing) wanted.add(each);
  }
  if (wanted.size === 1) return [last];
  const found = new Set<Unit>();
  const entered = new Set<Unit>();
  const open: Unit[] = [];
  const enter = (unit: Unit): void => {
    entered.add(unit);
    open.push(unit);
  };
  for (const first of all) {
    if (wanted.has(first) && !entered.has(first)) enter(first);
    // By hand and not by recursion: chains are as long as programs.
    while (open.length > 0) {
      const before = needs.get(open.at(-1)!)!.find((each) => !entered.has(each));
      if (before) enter(before);
      else found.add(open.pop()!);
    }
  }
  return [...found];
}

/** Holds extents that meet to each other as soon as both are known. */
function agreements(machine: Machine, program: Program): () => void {
  let open = program.agreements;
  return () => {
    if (open.length === 0) return;
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
