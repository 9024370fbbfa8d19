// What is kept of a program between runs with equal sizes: its kernels, what each unit reads, and
// how many units read each definition.

import type { Term, Variable } from "../../affine/term.ts";
import { eachScalar, scalarsOf } from "../../ir/parts.ts";
import type { Definition, Program } from "../../ir/program.ts";
import type { Layout } from "./code/kernels.ts";
import { readsOf } from "../../ir/references.ts";
import type { Schedule } from "../../analyse/schedule.ts";
import type { Storage } from "../../plan/storage.ts";
import { fuse, unfused, type Freedom, type Fused } from "../../plan/fuse.ts";
import type { Machine } from "../interpret/machine.ts";
import { compileTerm } from "../interpret/scalars/scalars.ts";
import type { Unit, Units } from "../order.ts";
import { clausesIn, computedIn, type Integers } from "./abilities.ts";
import { isMemoryShared } from "./memory/arena.ts";
import { isRelaxed } from "./contract/form.ts";
import type { Prepared } from "./prepared.ts";
import { askedRoots } from "../../ir/roots.ts";

/** What a program needs in every run with equal sizes. */
export interface State {
  readonly units: Units;
  readonly fused: Fused;
  /**
   * The units that have to be computed before a unit although its definitions do not read them: its
   * kernels read their cells instead of computing them again.
   */
  readonly also: ReadonlyMap<Unit, ReadonlySet<Unit>>;
  readonly indexOf: ReadonlyMap<Definition, number>;
  readonly compiled: Map<Unit, Compiled>;
  /** The definitions that each unit reads. An inlined definition is replaced by what it reads. */
  readonly reads: ReadonlyMap<Unit, ReadonlySet<Definition>>;
  /** How many units read each definition. */
  readonly readers: ReadonlyMap<Definition, number>;
  readonly observed: ReadonlySet<Definition>;
  readonly leastWork: number;
  readonly isWorthwhile: boolean;
  readonly leastProducts: number;
  readonly keepsAll: boolean;
  /** How many runs have used this state. */
  runs: number;
  /** The sizes, in bytes, of the results that the host looks at in place. */
  readonly results: Map<Definition, number>;
  /** The units that the oracle computed in the last run, and why. */
  readonly toOracle: Map<Unit, string>;
}

/**
 * A unit that is ready to run again as long as the integers and layouts that it was made for stay
 * the same.
 */
export interface Compiled {
  readonly integers: Integers;
  /** The values of the integers that the kernels were made for. */
  readonly values: readonly number[];
  /** How the operands lay in memory when the kernels were made. */
  readonly layouts: ReadonlyMap<Definition, Layout>;
  /** Absent if the oracle computes the unit. */
  readonly prepared?: Prepared;
  /** Why the oracle computes the unit. */
  readonly why?: string;
}

/** The integers for whose values kernels were made. */
export function fixedIn({ compiled }: State): ReadonlySet<Variable> {
  return new Set([...compiled.values()].flatMap(({ integers }) => integers.fixed));
}

/** What the caller wants of a run, as far as it changes the kernels. */
export interface Wishes {
  /** The names of the values to compute; absent for every top-level value. */
  readonly asked?: readonly string[] | undefined;
  /** Further definitions whose values are looked at after the run. */
  readonly wanted?: readonly Definition[];
  readonly leastWork?: number | undefined;
  readonly leastProducts?: number | undefined;
  /** Every cell of every definition is looked at after the run. */
  readonly keepsAll?: true;
}

/** With fewer evaluations than this, making a kernel costs more than the kernel saves. */
const worthwhile = 512;
/**
 * A program with a tensor of so many cells gets a kernel for every unit: a run that leaves nothing
 * to the oracle can be repeated step by step.
 */
const manyCells = 1 << 16;
/** With fewer products than this, packing operands costs more than it saves. */
const worthPacking = 1 << 14;

/**
 * The states of each program, the latest last. The next run with equal sizes needs no other
 * kernels.
 */
const states = new WeakMap<Program, Map<string, State>>();

/** How many states are remembered for each program. */
const mostStates = 32;

export function stateFor(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  units: Units,
  wishes: Wishes,
): State {
  const key = stateKey(machine, program, wishes);
  let known = states.get(program);
  if (!known) states.set(program, (known = new Map<string, State>()));
  const before = known.get(key);
  const state =
    before?.units === units ? before : newState(machine, program, schedules, units, wishes);
  known.delete(key);
  known.set(key, state);
  if (known.size > mostStates) known.delete(known.keys().next().value!);
  return state;
}

/** The units that the last run of a program left to the oracle, and why. */
export function leftToOracle(program: Program): ReadonlyMap<Unit, string> {
  return [...(states.get(program)?.values() ?? [])].at(-1)?.toOracle ?? new Map();
}

/**
 * The key of a state: everything that decides how cells lie. That is the sizes of the inputs, the
 * width of floats, and the wishes.
 */
function stateKey(
  machine: Machine,
  program: Program,
  { asked, wanted = [], leastWork, leastProducts, keepsAll }: Wishes,
): string {
  const shapes = program.inputs.map((input) => machine.stores.get(input)!.shape.join("x"));
  return [
    isMemoryShared(),
    isRelaxed(),
    machine.typeOf("f32"),
    machine.maxBytes,
    asked?.join() ?? "*",
    wanted.map(({ name }) => name).join(),
    leastWork,
    leastProducts,
    keepsAll,
    ...shapes,
  ].join(" ");
}

function hasManyCells(
  { inputs }: Program,
  schedules: readonly Schedule[],
  sizes: (extent: Term) => number,
): boolean {
  const isLarge = ({ axes }: Definition): boolean =>
    axes.reduce((cells, { extent }) => cells * sizes(extent), 1) >= manyCells;
  return inputs.some(isLarge) || schedules.some(({ definitions }) => definitions.some(isLarge));
}

function newState(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  units: Units,
  { asked, wanted = [], leastWork, leastProducts, keepsAll }: Wishes,
): State {
  const { storage } = units;
  const riding = new Set(storage.driven.map(({ definition }) => definition));
  const sizes = (term: Term): number => compileTerm(machine, term)();
  // The memory plan of such a definition was made for the place where it is computed, so it stays
  // there.
  const mayFuse = (definition: Definition): boolean =>
    !riding.has(definition) && !storage.apart.has(definition);
  // Of a definition that is kept in part, or computed on demand, a further reader would not find
  // every cell.
  const mayShare = (definition: Definition): boolean =>
    mayFuse(definition) && !storage.kept.has(definition);
  const also = new Map<Unit, Set<Unit>>();
  const mayRead = (reader: Definition, definition: Definition): boolean => {
    const [from, to] = [units.of.get(reader), units.of.get(definition)];
    // Loops are planned together with what they read.
    if (!to || from?.kind !== "schedule" || from.schedule.recurrent || needs(units, also, to, from))
      return false;
    also.set(from, (also.get(from) ?? new Set()).add(to));
    return true;
  };
  const freedom: Freedom = { mayFuse, mayShare, mayRead };
  const fused = keepsAll
    ? unfused
    : fuse(program, schedules, { asked, also: wanted }, sizes, machine.maxBytes, freedom);
  const reads = new Map(units.all.map((unit) => [unit, readsThrough(fused, storage, unit)]));
  for (const [unit, found] of reads) readsAgain(units, reads, unit, found);
  const readers = new Map<Definition, number>();
  for (const found of reads.values())
    for (const read of found) readers.set(read, (readers.get(read) ?? 0) + 1);
  return {
    units,
    fused,
    also,
    indexOf: new Map(
      schedules.flatMap(({ definitions }, k) => definitions.map((definition) => [definition, k])),
    ),
    compiled: new Map(),
    reads,
    readers,
    observed: new Set([...observedIn(program, asked), ...wanted]),
    leastWork: leastWork ?? worthwhile,
    isWorthwhile: hasManyCells(program, schedules, sizes),
    leastProducts: leastProducts ?? worthPacking,
    keepsAll: keepsAll === true,
    runs: 0,
    results: new Map(),
    toOracle: new Map(),
  };
}

/** Whether `unit` needs `other`, directly or not, so that it cannot be computed before it. */
function needs(
  { before }: Units,
  also: ReadonlyMap<Unit, ReadonlySet<Unit>>,
  unit: Unit,
  other: Unit,
): boolean {
  const found = new Set([unit]);
  for (const each of found) {
    if (each === other) return true;
    for (const next of [...before.get(each)!, ...(also.get(each) ?? [])]) found.add(next);
  }
  return false;
}

/**
 * The definitions that somebody looks at: outputs, what is printed or asserted, the scalars that
 * sizes are made of, and what a failed assertion shows.
 */
function observedIn(
  program: Program,
  asked: readonly string[] | undefined,
): ReadonlySet<Definition> {
  const shown = program.actions.flatMap((action) =>
    action.kind === "assert" ? [...readsOf(action.condition)] : [],
  );
  return new Set([...askedRoots(program, asked), ...shown]);
}

export function isFused({ inlined, merged }: Fused, definition: Definition): boolean {
  return inlined.has(definition) || merged.has(definition);
}

/** The definitions that a unit reads once inlined definitions are inlined. */
function readsThrough(fused: Fused, storage: Storage, unit: Unit): Set<Definition> {
  const found = new Set<Definition>();
  if (unit.kind === "by step" || unit.definitions.every((definition) => isFused(fused, definition)))
    return found;
  const own = computedIn(storage, unit);
  for (const definition of own) {
    for (const need of definition.needs) found.add(need);
    if (definition.clauses.length === 0) for (const read of readsOf(definition)) found.add(read);
    for (const scalar of clausesIn(fused, definition).flatMap(scalarsOf)) {
      eachScalar(scalar, (part) => {
        if (part.kind === "read") found.add(part.definition);
      });
    }
    // Functions are not inlined: what they read is added as it is.
    for (const read of readsOf(definition)) if (!isFused(fused, read)) found.add(read);
  }
  for (const definition of own) found.delete(definition);
  return found;
}

/**
 * Adds what is needed to compute steps again: a unit that reads back a checkpointed recurrence also
 * reads what that recurrence reads.
 */
function readsAgain(
  units: Units,
  reads: ReadonlyMap<Unit, Set<Definition>>,
  unit: Unit,
  own: Set<Definition>,
): void {
  for (const read of own) {
    const source = units.of.get(read);
    if (source === unit || units.storage.kept.get(read)?.kind !== "checkpoints") continue;
    for (const each of reads.get(source!)!) if (units.of.get(each) !== unit) own.add(each);
  }
}
