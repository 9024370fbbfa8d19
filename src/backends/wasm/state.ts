// What is kept of a program between runs with equal sizes: its kernels, what each unit reads, and
// who reads what.

import type { Term, Variable } from "../../affine/term.ts";
import { eachScalar, scalarsOf } from "../../ir/parts.ts";
import type { Definition, Program } from "../../ir/program.ts";
import type { Layout } from "./code/kernels.ts";
import { readsOf } from "../../ir/references.ts";
import { rootsOf } from "../../ir/roots.ts";
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

/** What a program needs in every run with equal sizes. */
export interface State {
  readonly units: Units;
  readonly fused: Fused;
  /**
   * What has to be computed before a unit beside what its definitions read: cells that kernels read
   * instead of computing them again.
   */
  readonly also: ReadonlyMap<Unit, ReadonlySet<Unit>>;
  readonly indexOf: ReadonlyMap<Definition, number>;
  readonly compiled: Map<Unit, Compiled>;
  /** What each unit reads, with what is computed where it is read seen through. */
  readonly reads: ReadonlyMap<Unit, ReadonlySet<Definition>>;
  /** How many units read each definition. */
  readonly readers: ReadonlyMap<Definition, number>;
  readonly observed: ReadonlySet<Definition>;
  readonly leastWork: number;
  readonly isWorthwhile: boolean;
  readonly leastProducts: number;
  readonly keepsAll: boolean;
  /** How many runs have found this state. */
  runs: number;
  /** How many bytes the results have that the host looks at in place. */
  readonly results: Map<Definition, number>;
  /** What the oracle computed in the last run, and why. */
  readonly toOracle: Map<Unit, string>;
}

/**
 * A unit ready to be run again, as long as the integers and the layouts that it was made for are
 * the same.
 */
export interface Compiled {
  readonly integers: Integers;
  /** Of the integers that it was made for. */
  readonly values: readonly number[];
  /** How what it reads lay then. */
  readonly layouts: ReadonlyMap<Definition, Layout>;
  /** Absent where the oracle computes it. */
  readonly prepared?: Prepared;
  /** Why the oracle does. */
  readonly why?: string;
}

/** The integers that kernels were made for. */
export function fixedIn({ compiled }: State): ReadonlySet<Variable> {
  return new Set([...compiled.values()].flatMap(({ integers }) => integers.fixed));
}

/** What the caller wants of a run, as far as it decides how kernels work. */
export interface Wishes {
  /** The values asked for by name; absent: every top-level value. */
  readonly asked?: readonly string[] | undefined;
  /** Further definitions whose values are looked at afterwards. */
  readonly wanted?: readonly Definition[];
  readonly leastWork?: number | undefined;
  readonly leastProducts?: number | undefined;
  /** Every cell of every definition is looked at afterwards. */
  readonly keepsAll?: true;
}

/** Below this many evaluations a kernel costs more to make than it saves. */
const worthwhile = 512;
/**
 * A run over a tensor of so many cells is worth a kernel for everything: where nothing is left to
 * the oracle, runs can be repeated as they were.
 */
const manyCells = 1 << 16;
/** Below this many products packing costs more than it gives. */
const worthPacking = 1 << 14;

/**
 * The kernels of a program's last runs, the latest last: the next one with equal sizes needs no
 * others.
 */
const states = new WeakMap<Program, Map<string, State>>();

/** So many choices of sizes are remembered. */
const mostStates = 32;

export function stateFor(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  units: Units,
  wishes: Wishes,
): State {
  const key = keyOf(machine, program, wishes);
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

/** What the last run of a program left to the oracle, and why. */
export function leftToOracle(program: Program): ReadonlyMap<Unit, string> {
  return [...(states.get(program)?.values() ?? [])].at(-1)?.toOracle ?? new Map();
}

/**
 * What decides how cells lie: the sizes of the inputs, the widths of floats, and what is wanted.
 */
function keyOf(
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
  // What is kept of it was decided for the place where it is computed.
  const mayFuse = (definition: Definition): boolean =>
    !riding.has(definition) && !storage.apart.has(definition);
  // Of what is kept in part, or made when it is asked for, not every cell is there for another
  // reader.
  const mayShare = (definition: Definition): boolean =>
    mayFuse(definition) && !storage.kept.has(definition);
  const also = new Map<Unit, Set<Unit>>();
  const mayRead = (reader: Definition, definition: Definition): boolean => {
    const [from, to] = [units.of.get(reader), units.of.get(definition)];
    // Loops are planned with what they read.
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
  for (const [unit, own] of reads) readsAgain(units, reads, unit, own);
  const readers = new Map<Definition, number>();
  for (const own of reads.values())
    for (const read of own) readers.set(read, (readers.get(read) ?? 0) + 1);
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

/** Whether a unit cannot be computed before another one. */
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
 * What is asked for, printed or asserted, what sizes are made of, and what a failed assertion
 * shows.
 */
function observedIn(
  program: Program,
  asked: readonly string[] | undefined,
): ReadonlySet<Definition> {
  const outputs = new Map([...program.outputs].filter(([name]) => !asked || asked.includes(name)));
  const shown = program.actions.flatMap((action) =>
    action.kind === "assert" ? [...readsOf(action.condition)] : [],
  );
  return new Set([...rootsOf({ ...program, outputs }), ...program.scalars.values(), ...shown]);
}

export function isFused({ inlined, merged }: Fused, definition: Definition): boolean {
  return inlined.has(definition) || merged.has(definition);
}

/** What a unit reads when what is computed in place is computed in place. */
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
    // What functions read is not seen through.
    for (const read of readsOf(definition)) if (!isFused(fused, read)) found.add(read);
  }
  for (const definition of own) found.delete(definition);
  return found;
}

/** Who reads steps back that are computed again reads what they are computed from. */
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
