// This folder computes the values of a program: the order of computation, what a run is asked for
// and gives, the oracle and the kernels; programs are analysed and planned before they come here.
//
// This file decides the order, for every backend. A definition is computed when it is first asked
// for, after the definitions that it reads; a recurrence is computed together with what runs along
// with its loop.

import { error, Fault } from "../diagnostics/diagnostic.ts";
import { at, type TensorValue } from "../scalar/values/value.ts";
import type { Group } from "../plan/along.ts";
import { show } from "../affine/show.ts";
import { constantOf, type Variable } from "../affine/term.ts";
import type { Definition, Program } from "../ir/program.ts";
import { aliased } from "../analyse/alias.ts";
import { keyOf } from "../ir/keys.ts";
import { readsOf } from "../ir/references.ts";
import type { Schedule } from "../analyse/schedule.ts";
import type { Kept, Storage } from "../plan/storage.ts";
import { usesAny } from "../analyse/ties.ts";
import { storeOf, type Machine } from "./interpret/machine.ts";
import { compileTerm } from "./interpret/scalars/scalars.ts";
import { holdStarts } from "./starts.ts";

/** Computes the definition that it is asked for, and everything that it needs, once. */
export interface Engine {
  (definition: Definition): TensorValue;
  /** Computes definitions without taking out their cells. */
  settle(...definitions: readonly Definition[]): void;
}

/** What is computed in one go. */
export type Unit = {
  readonly definitions: readonly Definition[];
  /** The definitions that have to be computed before. */
  readonly reads: ReadonlySet<Definition>;
} & (
  | { readonly kind: "schedule"; readonly schedule: Schedule }
  | { readonly kind: "group"; readonly group: Group }
  /** Computed by the loops that ask for it. */
  | {
      readonly kind: "by step";
      readonly definition: Definition;
      readonly kept: Extract<Kept, { kind: "by step" }>;
    }
);

/** The units of a program under a memory plan. */
export interface Units {
  readonly storage: Storage;
  readonly all: readonly Unit[];
  readonly of: ReadonlyMap<Definition, Unit>;
  /** For each unit, the units that it reads. */
  readonly before: ReadonlyMap<Unit, readonly Unit[]>;
  /**
   * The units that go through the same points and are computed one after the other. They are noted
   * when the order is found.
   */
  readonly companions: Map<Unit, readonly Unit[]>;
}

/** Computes units: the oracle, or kernels. */
export interface Computer {
  /** Computes a unit. The result has the faults of definitions that perhaps nobody asks for. */
  compute(unit: Unit): ReadonlyMap<Definition, Fault>;
  /**
   * Further units that have to be computed before a unit, because this computer reads them there.
   */
  also?(unit: Unit): Iterable<Unit>;
  valueOf(definition: Definition): TensorValue;
}

/** The memory plan that keeps every cell. */
export const everything: Storage = {
  groups: [],
  driven: [],
  kept: new Map(),
  reasons: new Map(),
  apart: new Set(),
};

export function unitsOf(schedules: readonly Schedule[], storage: Storage): Units {
  const driven = new Set(storage.driven.map((rider) => rider.definition));
  const all = schedules.flatMap((schedule): readonly Unit[] => {
    const { definitions } = schedule;
    const [only] = definitions;
    const group = storage.groups.find((each) => each.schedule === schedule);
    if (group) return [groupUnit(schedule, group, storage)];
    if (driven.has(only!)) return [];
    const kept = storage.kept.get(only!);
    // Its loop computes it after what it reads. Before the loop, only its extents are needed.
    if (kept?.kind === "by step")
      return [{ kind: "by step", definitions, reads: only!.needs, definition: only!, kept }];
    return [
      { kind: "schedule", definitions, reads: readsBeside(definitions, definitions), schedule },
    ];
  });
  const of = new Map(
    all.flatMap((unit) => unit.definitions.map((definition) => [definition, unit] as const)),
  );
  const sourcesOf = (unit: Unit): readonly Unit[] => [
    ...new Set([...unit.reads].map((read) => of.get(read)!)),
  ];
  return {
    storage,
    all,
    of,
    before: new Map(all.map((unit) => [unit, sourcesOf(unit)])),
    companions: new Map(),
  };
}

function groupUnit(schedule: Schedule, group: Group, storage: Storage): Unit {
  const riders = storage.driven
    .filter((rider) => rider.group === group)
    .map((rider) => rider.definition);
  const definitions = [...schedule.definitions, ...riders];
  const asked = askedBy(storage, group);
  const reads = new Set([...readsBeside([...definitions, ...asked], definitions), ...asked]);
  return { kind: "group", definitions, reads, group };
}

/** The definitions that a group's loop asks for by the step. */
export function askedBy({ kept }: Storage, group: Group): readonly Definition[] {
  return [...kept].flatMap(([definition, how]) =>
    how.kind === "by step" && how.loops.has(group) ? [definition] : [],
  );
}

/** The definitions that `readers` read, without those in `without`. */
function readsBeside(
  readers: readonly Definition[],
  without: readonly Definition[],
): ReadonlySet<Definition> {
  const own = new Set(without);
  return new Set(
    readers.flatMap((reader) => [...readsOf(reader)].filter((read) => !own.has(read))),
  );
}

/** The values with which a run starts. */
export interface Beginning {
  /**
   * Values that replace those of their definitions, and of the definitions that recur with them.
   */
  readonly held?: ReadonlyMap<Definition, TensorValue>;
  /**
   * Values that equal those of their definitions. Definitions that recur with them may still be
   * computed.
   */
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
    // Inputs need no computation.
    if (unit.definitions[0]!.origin !== "input") {
      machine.progress?.begin(unit);
      for (const definition of unit.definitions) holdStarts(machine, definition);
      for (const [definition, fault] of computer.compute(unit)) faults.set(definition, fault);
    }
    for (const definition of unit.definitions) publish(definition);
    agree();
    computed.add(unit);
  };
  const isComputed = (unit: Unit): boolean =>
    computed.has(unit) || (kept.size > 0 && unit.definitions.every((each) => kept.has(each)));
  const missing = (unit: Unit): readonly Unit[] => {
    const before =
      kept.size === 0
        ? units.before.get(unit)!
        : [...unit.reads].flatMap((read) => (kept.has(read) ? [] : [units.of.get(read)!]));
    return [...new Set([...before, ...(computer.also?.(unit) ?? [])])];
  };
  const settleAll = (...definitions: readonly Definition[]): void => {
    const wanted = definitions.filter((each) => !kept.has(each)).map((each) => units.of.get(each)!);
    for (const each of computationOrder(units, wanted, missing, isComputed)) settle(each);
    for (const definition of definitions) throwIfFailed(faults, definition);
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
  for (const [v, definition] of program.scalars)
    found.set(definition, [...(found.get(definition) ?? []), v]);
  scalars.set(program, found);
  return found;
}

/**
 * The order of `last` and of all units that they need and that are not computed yet. Units stand in
 * the order of the program, with two exceptions: a unit comes after those that it needs, and units
 * that go through the same points come one after the other.
 */
function computationOrder(
  { all, companions }: Units,
  last: readonly Unit[],
  readsOfUnit: (unit: Unit) => readonly Unit[],
  isComputed: (unit: Unit) => boolean,
): readonly Unit[] {
  const needs = new Map<Unit, readonly Unit[]>();
  const needed = new Set<Unit>();
  for (const unit of last) {
    if (isComputed(unit) || needed.has(unit)) continue;
    const wanted = new Set([unit]);
    for (const each of wanted) {
      needs.set(each, needs.get(each) ?? readsOfUnit(each).filter((other) => !isComputed(other)));
      for (const other of needs.get(each)!) if (!needed.has(other)) wanted.add(other);
    }
    for (const each of wanted.size === 1 ? wanted : all) if (wanted.has(each)) needed.add(each);
  }
  if (needed.size < 2) return [...needed];
  const ordered = afterNeeds([...needed], (unit) => needs.get(unit)!);
  const sets = unitsTogether(ordered, needs);
  if (sets.size === 0) return ordered;
  const found = new Set<Unit>();
  const together = (unit: Unit): readonly Unit[] => sets.get(unit) ?? [unit];
  for (const unit of afterNeeds(ordered, (each) =>
    together(each).flatMap((other) => needs.get(other)!),
  ))
    for (const each of together(unit)) found.add(each);
  for (const [unit, set] of sets) companions.set(unit, set);
  return [...found];
}

/** Keeps the order of units, but moves each behind those that it needs. */
function afterNeeds(
  units: readonly Unit[],
  needs: (unit: Unit) => readonly Unit[],
): readonly Unit[] {
  const found = new Set<Unit>();
  const entered = new Set<Unit>();
  const open: Unit[] = [];
  const enter = (unit: Unit): void => {
    entered.add(unit);
    open.push(unit);
  };
  for (const first of units) {
    if (!entered.has(first)) enter(first);
    // A stack instead of recursion, because chains of units are as long as programs.
    while (open.length > 0) {
      const before = needs(open.at(-1)!).find((each) => !entered.has(each));
      if (before) enter(before);
      else found.add(open.pop()!);
    }
  }
  return [...found];
}

/**
 * Sets of units that reduce over the same points and have equally long chains of units before them.
 * No unit of a set needs another one, unless it is only a second name for it.
 */
function unitsTogether(
  ordered: readonly Unit[],
  needs: ReadonlyMap<Unit, readonly Unit[]>,
): ReadonlyMap<Unit, readonly Unit[]> {
  const depths = new Map<Unit, number>();
  const sets = new Map<string, Unit[]>();
  for (const unit of ordered) {
    const [first, ...others] = unit.definitions;
    const before = Math.max(0, ...needs.get(unit)!.map((each) => depths.get(each)!));
    const depth = others.length === 0 && aliased(first!) ? before : before + 1;
    depths.set(unit, depth);
    const ranges = others.length === 0 ? rangesOf(first!) : undefined;
    const key = `${depth} ${ranges}`;
    if (ranges !== undefined) sets.set(key, [...(sets.get(key) ?? []), unit]);
  }
  const areSeveral = (set: readonly Unit[]): boolean =>
    set.filter(({ definitions }) => !aliased(definitions[0]!)).length > 1;
  return new Map(
    [...sets.values()].flatMap((set) =>
      areSeveral(set) ? set.map((unit) => [unit, set] as const) : [],
    ),
  );
}

const knownRanges = new WeakMap<Definition, string | undefined>();

/**
 * The points through which a reduction goes, as a text of the ranges of its coordinates. It does
 * not matter which of the coordinates its cells have.
 */
function rangesOf(definition: Definition): string | undefined {
  if (knownRanges.has(definition)) return knownRanges.get(definition);
  const [clause, another] = (aliased(definition) ?? definition).clauses;
  const loops =
    clause?.body.kind === "reduce" && !another ? [...clause.loops, ...clause.body.loops] : [];
  const isBox = loops.every(({ from, to }) => !usesAny(from, loops) && !usesAny(to, loops));
  const ranges = loops.map(({ from, to }) => `${keyOf(from)}..${keyOf(to)}`);
  const points = isBox && loops.length > 1 ? ranges.sort().join() : undefined;
  knownRanges.set(definition, points);
  return points;
}

/** Checks extents that have to agree, as soon as both are known. */
function agreements(machine: Machine, program: Program): () => void {
  let unchecked = program.agreements;
  return () => {
    if (unchecked.length === 0) return;
    unchecked = unchecked.filter((each) => {
      const [left, right] = [compileTerm(machine, each.left)(), compileTerm(machine, each.right)()];
      if (Number.isNaN(left) || Number.isNaN(right)) return true;
      if (left === right) return false;
      throw new Fault(
        error(
          "E0304",
          `the extents of ${each.text} must agree, and are ${left} and ${right}`,
          each.span,
          {
            text: [each.left, each.right]
              .flatMap((term, k) =>
                constantOf(term) === undefined && show(term) !== "?"
                  ? [`\`${show(term)}\` is ${[left, right][k]}`]
                  : [],
              )
              .join(", "),
          },
        ),
      );
    });
  };
}
