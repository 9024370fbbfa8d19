// Computes definitions on compiled kernels, in the order of their schedules. What kernels cannot do, and what goes wrong in them, is the
// oracle's: it gets the values that are there and either computes the rest or says what is wrong.

import { sizeOf, stridesOf, type TensorValue } from "../../host/value.ts";
import { constant, type Variable } from "../../ir/affine/term.ts";
import { variablesOf } from "../../ir/affine/visit.ts";
import {
  eachScalar,
  readsOf,
  scalarsOf,
  type Clause,
  type Definition,
  type Program,
  type Scalar,
} from "../../ir/program.ts";
import { ArithmeticFault } from "../../ir/scalar/fault.ts";
import { isUnsized } from "../../ir/scalar/types.ts";
import type { Schedule } from "../../ir/schedule.ts";
import { integerScalar, type Replacements } from "../../ir/substitute.ts";
import { tiesOf } from "../../ir/ties.ts";
import { fuse, unfused, type Fused } from "../../optimise/fuse.ts";
import { scalarsIn, sized, type Sized } from "../../optimise/regions.ts";
import { evaluateSchedule, isRagged } from "../interpret/evaluate.ts";
import { isRunning } from "../interpret/reduce.ts";
import { reserve, storeOf, type Machine } from "../interpret/machine.ts";
import { compileTerm } from "../interpret/scalars.ts";
import { newArena, room, settle, view, type Arena } from "./arena.ts";
import { KernelFault } from "./host.ts";
import { Unsupported, widthOf } from "./kernel.ts";
import { windowsOf, type Window } from "./windows.ts";
import { instantiate, kernelFor, recurrenceKernel, type Layout, type Source } from "./kernels.ts";
import {
  isPartial,
  planSteps,
  readsIn,
  readsRowByRow,
  runnerOf,
  workIn,
  type PartialRunner,
  type Runner,
} from "./units.ts";

/** Where a definition's cells are. */
interface Place extends Layout {
  readonly address: number;
}

interface State {
  machine: Machine;
  readonly arena: Arena;
  readonly places: Map<Definition, Place>;
  /** The definitions whose cells in memory are those of this run. */
  readonly current: Set<Definition>;
  readonly compiled: Map<Schedule, Compiled>;
  /** What is to be computed together, strip by strip. */
  readonly pending: Unit[];
  readonly fused: Fused;
  readonly scheduleOf: (definition: Definition) => Schedule;
  /** How many steps of a recurrence are kept, where not all are. */
  readonly windows: ReadonlyMap<Definition, Window>;
  /** What the places were made for. */
  readonly key: string;
  /** A schedule that does less is the oracle's. */
  readonly leastWork: number;
}

/** A schedule ready to be run again, as long as the integers that it was made for are the same. */
interface Compiled {
  readonly variables: readonly Variable[];
  readonly values: readonly number[];
  readonly bytes: number;
  /** Absent where the oracle computes it. */
  readonly unit?: Unit;
}

interface Unit {
  readonly schedule: Schedule;
  readonly members: ReadonlyMap<Definition, Sized>;
  readonly reads: ReadonlySet<Definition>;
  readonly runner: Runner;
}

/** Settles one schedule after another; the caller knows which are needed. */
export interface Settling {
  settle(schedule: Schedule): void;
  /** The cells of a definition, outside of the kernels' memory. */
  valueOf(definition: Definition): TensorValue;
}

/** The memory and kernels of a program's last run: the next one with equal sizes needs no others. */
const states = new WeakMap<Program, State>();

/** What the caller wants of a run, as far as it decides how kernels work. */
export interface Wishes {
  /** The values asked for by name; absent: every top-level value. */
  readonly asked?: readonly string[] | undefined;
  readonly leastWork?: number | undefined;
  /** Every cell of every definition is looked at afterwards. */
  readonly keepsAll?: true;
}

export function newSettling(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  wishes: Wishes,
): Settling {
  const key = keyOf(machine, program, wishes);
  let state = states.get(program);
  if (state?.key !== key) states.set(program, (state = newState(machine, program, schedules, wishes, key)));
  state.machine = machine;
  state.current.clear();
  state.pending.length = 0;
  const own = state;
  return {
    settle(schedule) {
      const { inlined, merged } = own.fused;
      // What is computed where it is read gets cells of its own only if somebody asks for them.
      if (schedule.definitions.every((definition) => inlined.has(definition) || merged.has(definition))) return;
      compute(own, schedule);
    },
    valueOf: (definition) => valueOf(own, definition),
  };
}

/** What decides how memory is laid out: the sizes of the inputs, the widths of floats, and what is wanted. */
function keyOf(machine: Machine, program: Program, { asked, leastWork, keepsAll }: Wishes): string {
  const shapes = program.inputs.map((input) => machine.stores.get(input)!.shape.join("x"));
  return [machine.typeOf("f32"), machine.maxBytes, asked?.join() ?? "*", leastWork, keepsAll, ...shapes].join(" ");
}

function newState(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  { asked, leastWork, keepsAll }: Wishes,
  key: string,
): State {
  const windows = keepsAll ? new Map<Definition, Window>() : windowsOf(program, schedules, asked);
  const scheduleOf = new Map(schedules.flatMap((each) => each.definitions.map((definition) => [definition, each])));
  return {
    machine,
    arena: newArena(),
    places: new Map(),
    current: new Set(),
    compiled: new Map(),
    pending: [],
    fused: keepsAll
      ? unfused
      : fuse(program, schedules, asked, (term) => compileTerm(machine, term)(), machine.maxBytes),
    scheduleOf: (definition) => scheduleOf.get(definition)!,
    windows,
    key,
    leastWork: leastWork ?? worthwhile,
  };
}

// ── values and places ───────────────────────────────────────────────────────────────────────────

function valueOf(state: State, definition: Definition): TensorValue {
  const { machine, arena, places } = state;
  demand(state, definition);
  const known = machine.stores.get(definition);
  if (known) return known.value;
  const place = places.get(definition)!;
  if (isUnsized(place.element)) throw new Unsupported("strings and data");
  const data = view(arena, place.element, place.address, sizeOf(place.shape)).slice();
  const value: TensorValue = { dtype: place.element, shape: place.shape, data };
  machine.stores.set(definition, storeOf(value));
  return value;
}

/** Makes sure that a definition has been computed in this run. */
function demand(state: State, definition: Definition): void {
  if (state.pending.some((unit) => unit.members.has(definition))) flush(state);
  const isThere = (): boolean => state.machine.stores.has(definition) || state.current.has(definition);
  if (isThere()) return;
  const schedule = state.scheduleOf(definition);
  compute(state, schedule);
  flush(state);
  // A reduction that became a part of another step of its recurrence has no cells.
  if (!isThere()) settleOnOracle(state, schedule);
}

/** Inputs, literals and what the oracle computed are brought into memory when a kernel first reads them. */
function placeOf(state: State, definition: Definition): Place {
  const { machine, arena, places, current } = state;
  if (state.pending.some((unit) => unit.members.has(definition))) return places.get(definition)!;
  demand(state, definition);
  let place = places.get(definition);
  if (place && current.has(definition)) return place;
  const { value } = machine.stores.get(definition)!;
  if (isUnsized(value.dtype)) throw new Unsupported("strings and data");
  if (!place || place.window || !isSameShape(place, value)) {
    place = put(state, definition, { element: value.dtype, shape: value.shape, strides: stridesOf(value.shape) });
    settle(arena);
  }
  const cells = view(arena, value.dtype, place.address, value.data.length);
  (cells as Float64Array).set(value.data as Float64Array);
  current.add(definition);
  return place;
}

/** Where a definition has its cells from now on: where it had them, if they fit. */
function put(state: State, definition: Definition, layout: Layout): Place {
  const before = state.places.get(definition);
  const fits = before !== undefined && bytesOf(layout) <= bytesOf(before);
  const place: Place = { ...layout, address: fits ? before.address : room(state.arena, bytesOf(layout)) };
  state.places.set(definition, place);
  if (before && !(fits && isSameShape(before, layout) && before.window?.steps === layout.window?.steps))
    forgetReaders(state, definition);
  return place;
}

function isSameShape(a: { readonly shape: readonly number[] }, b: { readonly shape: readonly number[] }): boolean {
  return a.shape.length === b.shape.length && a.shape.every((extent, axis) => extent === b.shape[axis]);
}

/** Kernels hold the places of what they read. */
function forgetReaders(state: State, definition: Definition): void {
  for (const [schedule, { unit }] of state.compiled) if (unit?.reads.has(definition)) state.compiled.delete(schedule);
}

function layoutOf({ machine, windows }: State, definition: Definition, shape: readonly number[]): Layout {
  const element = machine.typeOf(definition.element);
  const window = windows.get(definition);
  if (!window || window.steps >= shape[window.axis]!) return { element, shape, strides: stridesOf(shape) };
  const kept = shape.map((extent, axis) => (axis === window.axis ? window.steps : extent));
  return { element, shape, strides: stridesOf(kept), window };
}

function bytesOf({ element, shape, window }: Layout): number {
  const kept = window ? shape.map((extent, axis) => (axis === window.axis ? window.steps : extent)) : shape;
  return sizeOf(kept) * widthOf(element);
}

// ── computing ───────────────────────────────────────────────────────────────────────────────────

/** Below this many evaluations a kernel costs more to make than it saves. */
const worthwhile = 512;

function compute(state: State, schedule: Schedule): void {
  const { machine } = state;
  let compiled = state.compiled.get(schedule);
  const variables = compiled?.variables ?? variablesIn(state, schedule);
  const values = variables.map((v) => machine.values[machine.slotOf(v)]!);
  if (!compiled || compiled.values.some((value, k) => value !== values[k])) {
    compiled = prepared(state, schedule, variables, values);
    state.compiled.set(schedule, compiled);
  } else machine.bytes += compiled.bytes;
  machine.peak = Math.max(machine.peak, machine.bytes);
  const { unit } = compiled;
  if (!unit) return settleOnOracle(state, schedule);
  if (!joins(state, unit)) flush(state);
  if (!bringIn(state, unit)) return settleOnOracle(state, schedule);
  state.pending.push(unit);
  if (!isPartial(unit.runner)) flush(state);
}

/** What a unit reads is put into memory, if that has room for it. */
function bringIn(state: State, { reads }: Unit): boolean {
  try {
    for (const read of reads) placeOf(state, read);
    return true;
  } catch (failure) {
    if (!(failure instanceof Unsupported)) throw failure;
    return false;
  }
}

/** Whether a unit can be computed strip by strip with those that wait: as many rows, and none reads another row of theirs. */
function joins({ pending }: State, { runner, members }: Unit): boolean {
  if (pending.length === 0) return true;
  if (!isPartial(runner)) return false;
  const [own] = members.values();
  return pending.every(
    (other) =>
      (other.runner as PartialRunner).extent === runner.extent &&
      [...other.members.keys()].every((definition) => readsRowByRow(own!, definition)),
  );
}

/** A strip's cells stay in the cache from one unit to the next. */
const stripBytes = 1 << 17;

function flush(state: State): void {
  const units = state.pending.splice(0);
  if (units.length === 0) return;
  try {
    runTogether(state, units);
    for (const { members } of units) for (const definition of members.keys()) state.current.add(definition);
  } catch (failure) {
    if (!(failure instanceof KernelFault) && !(failure instanceof ArithmeticFault)) throw failure;
    // The oracle says what is wrong; where nothing is, its values count.
    for (const { schedule } of units) settleOnOracle(state, schedule);
  }
}

function runTogether(state: State, units: readonly Unit[]): void {
  const [first, ...rest] = units;
  if (rest.length === 0) return first!.runner.run();
  const runners = units.map((unit) => unit.runner as PartialRunner);
  const { extent } = runners[0]!;
  const bytes = units.reduce((total, unit) => {
    const [definition] = unit.members.keys();
    return total + bytesOf(state.places.get(definition!)!);
  }, 0);
  const rows = Math.max(16, Math.floor(stripBytes / Math.max(1, bytes / extent) / 16) * 16);
  for (let from = 0; from < extent; from += rows) {
    const to = Math.min(extent, from + rows);
    for (const runner of runners) runner.runPart(from, to);
  }
}

/** Kernels for a schedule, or the decision that the oracle computes it. */
function prepared(
  state: State,
  schedule: Schedule,
  variables: readonly Variable[],
  values: readonly number[],
): Compiled {
  const { machine } = state;
  const { bytes } = machine;
  const onOracle: Compiled = { variables, values, bytes: 0 };
  const isLiteral = schedule.definitions.some((each) => each.origin === "literal");
  if (isLiteral || !isCompilable(state, schedule)) return onOracle;
  const known = new Map(variables.map((v, k): [Variable, Scalar] => [v, integerScalar(constant(values[k]!))]));
  try {
    const unit = compileSchedule(state, schedule, known);
    return unit ? { variables, values, bytes: machine.bytes - bytes, unit } : onOracle;
  } catch (failure) {
    for (const definition of schedule.definitions) {
      state.places.delete(definition);
      forgetReaders(state, definition);
    }
    machine.bytes = bytes;
    if (!(failure instanceof Unsupported)) throw failure;
    return onOracle;
  }
}

function settleOnOracle(state: State, schedule: Schedule): void {
  flush(state);
  for (const read of readsOutside(schedule)) {
    demand(state, read);
    // Of a window only the last steps are left: the oracle computes it anew, with its history.
    if (!state.machine.stores.has(read) && state.places.get(read)?.window)
      settleOnOracle(state, state.scheduleOf(read));
    else valueOf(state, read);
  }
  evaluateSchedule(state.machine, schedule);
}

function readsOutside(schedule: Schedule): ReadonlySet<Definition> {
  const reads = new Set(schedule.definitions.flatMap((definition) => [...readsOf(definition)]));
  for (const definition of schedule.definitions) reads.delete(definition);
  return reads;
}

/** The clauses of a definition, and of the reductions that are computed in it. */
function clausesIn({ fused }: State, definition: Definition): readonly Clause[] {
  const own = fused.clausesOf(definition);
  const reductions = [...fused.merged].filter(([, reader]) => reader === definition);
  return [...own, ...reductions.flatMap(([reduction]) => fused.clausesOf(reduction))];
}

/** A reduction whose guards say where its terms go: walked once by the oracle, and not once for each cell. */
function isScatter({ loops, body }: Clause): boolean {
  return body.kind === "reduce" && tiesOf(loops, body.loops, body.guards).length > 0;
}

/** Strings, data, calls, ragged rows, scatters and running reductions are the oracle's. */
function isCompilable(state: State, schedule: Schedule): boolean {
  let fine = true;
  for (const definition of schedule.definitions) {
    // Rows of different lengths and running reductions go on from cell to cell.
    if (isUnsized(definition.element) || isRagged(definition)) return false;
    if (clausesIn(state, definition).some((clause) => isRunning(clause) || isScatter(clause))) return false;
    for (const scalar of clausesIn(state, definition).flatMap(scalarsOf)) {
      eachScalar(scalar, (part) => {
        if (
          isUnsized(part.type) ||
          part.kind === "call" ||
          part.kind === "parameter" ||
          part.kind === "text" ||
          part.kind === "data"
        )
          fine = false;
      });
    }
  }
  return fine;
}

/** A recurrence whose own cells are looked up by data may ask for one that is not there yet: only the oracle keeps account of them. */
function refuseLookups(members: ReadonlyMap<Definition, Sized>): void {
  for (const { regions } of members.values()) {
    for (const scalar of regions.flatMap((region) => region.cases.flatMap(scalarsIn))) {
      eachScalar(scalar, (part) => {
        if (part.kind !== "read" || !members.has(part.definition)) return;
        if (part.indices.some((index) => index.kind !== "integer")) throw new Unsupported("history by data");
      });
    }
  }
}

/** The sizes and other integers that a schedule's indices and extents use; coordinates are not among them. */
function variablesIn(state: State, schedule: Schedule): readonly Variable[] {
  const found = new Set<Variable>();
  const coordinates = new Set<Variable>();
  for (const definition of schedule.definitions) {
    for (const axis of definition.axes) for (const v of variablesOf(axis.extent)) found.add(v);
    for (const clause of clausesIn(state, definition)) {
      const { body } = clause;
      for (const each of body.kind === "reduce" ? [...clause.loops, ...body.loops] : clause.loops)
        coordinates.add(each.variable);
      for (const scalar of scalarsOf(clause))
        eachScalar(scalar, (part) => {
          if (part.kind === "integer") for (const v of variablesOf(part.term)) found.add(v);
        });
    }
  }
  return [...found].filter((v) => !coordinates.has(v));
}

/** Kernels and places for a schedule; nothing where it is too small to be worth them. */
function compileSchedule(state: State, schedule: Schedule, known: Replacements): Unit | undefined {
  const { machine, arena, places, fused } = state;
  const inside = (definition: Definition): boolean => {
    const reader = fused.merged.get(definition);
    return schedule.recurrent && reader !== undefined && schedule.definitions.includes(reader);
  };
  const sizing = { known, typeOf: machine.typeOf, clausesOf: fused.clausesOf, merged: fused.merged };
  const members = new Map<Definition, Sized>();
  for (const definition of schedule.definitions) {
    if (inside(definition)) continue;
    const shape = definition.axes.map((axis) => Math.max(0, compileTerm(machine, axis.extent)()));
    members.set(definition, sized(definition, shape, sizing));
  }
  const reads = new Set([...members.values()].flatMap((each) => [...readsIn(each)]));
  for (const definition of members.keys()) reads.delete(definition);
  const work = [...members.values()].reduce((total, each) => total + workIn(each), 0);
  const readsWindow = [...reads].some((read) => places.get(read)?.window !== undefined);
  if (work < state.leastWork && !readsWindow) return undefined;
  if (schedule.recurrent) refuseLookups(members);
  for (const { definition, shape } of members.values()) {
    const layout = layoutOf(state, definition, shape);
    reserve(machine, definition, shape, bytesOf(layout));
    put(state, definition, layout);
  }
  const sources: Source[] = [];
  const made = (source: Source): Source => {
    sources.push(source);
    return source;
  };
  const layout = (read: Definition): Layout => (members.has(read) ? places.get(read)! : placeOf(state, read));
  const planned = planSteps(schedule.steps, members, {
    ofCells: (own, axes) => made(kernelFor(own, [...readsIn(own)], axes, layout)),
    ofRecurrence: (step) => made(recurrenceKernel(step, members, [...reads], layout)),
  });
  settle(arena);
  const functions = instantiate(arena, sources);
  const runner = runnerOf(
    planned,
    (source) => functions[sources.indexOf(source)]!,
    (definition) => places.get(definition)?.address ?? 0,
  );
  return { schedule, members, reads, runner };
}
