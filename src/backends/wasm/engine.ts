// Computes definitions on compiled kernels, in the order of their schedules. What kernels cannot do, and what goes wrong in them, is the
// oracle's: it gets the values that are there and either computes the rest or says what is wrong.

import { sizeOf, stridesOf, type TensorValue } from "../../host/value.ts";
import { constant, type Variable } from "../../ir/affine/term.ts";
import { variablesOf } from "../../ir/affine/visit.ts";
import { lookbacks } from "../../ir/plan.ts";
import { eachScalar, readsOf, scalarsOf, type Definition, type Loop, type Program, type Scalar } from "../../ir/program.ts";
import { ArithmeticFault } from "../../ir/scalar/fault.ts";
import type { Schedule, Step } from "../../ir/schedule.ts";
import { integerScalar } from "../../ir/substitute.ts";
import { scalarsIn, sized, type Sized } from "../../optimise/regions.ts";
import { evaluateSchedule } from "../interpret/evaluate.ts";
import { reserve, storeOf, type Machine } from "../interpret/machine.ts";
import { compileTerm } from "../interpret/scalars.ts";
import { newArena, room, settle, view, type Arena } from "./arena.ts";
import { KernelFault } from "./host.ts";
import { Unsupported, widthOf } from "./kernel.ts";
import { instantiate, kernelFor, type KernelFunction, type Layout, type Source } from "./kernels.ts";

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
  readonly scheduleOf: (definition: Definition) => Schedule;
  /** How many steps of a recurrence are kept, where not all are. */
  readonly windows: ReadonlyMap<Definition, { readonly axis: number; readonly steps: number }>;
  /** What the places were made for. */
  readonly key: string;
}

/** A schedule ready to be run again, as long as the integers that it was made for are the same. */
interface Compiled {
  readonly signature: string;
  readonly bytes: number;
  /** Absent where the oracle computes it. */
  readonly runner?: Runner;
}

/** Settles one schedule after another; the caller knows which are needed. */
export interface Settling {
  settle(schedule: Schedule): void;
  /** The cells of a definition, outside of the kernels' memory. */
  valueOf(definition: Definition): TensorValue;
}

/** The memory and kernels of a program's last run: the next one with equal sizes needs no others. */
const states = new WeakMap<Program, State>();

export function newSettling(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  asked: readonly string[] | undefined,
): Settling {
  const key = keyOf(machine, program, asked);
  let state = states.get(program);
  if (state?.key !== key) states.set(program, (state = newState(machine, program, schedules, asked, key)));
  state.machine = machine;
  state.current.clear();
  const own = state;
  return {
    settle: (schedule) => settleSchedule(own, schedule),
    valueOf: (definition) => valueOf(own, definition),
  };
}

/** What decides how memory is laid out: the sizes of the inputs, the widths of floats, and what is asked for. */
function keyOf(machine: Machine, program: Program, asked: readonly string[] | undefined): string {
  const shapes = program.inputs.map((input) => machine.stores.get(input)!.shape.join("x"));
  return [machine.typeOf("f32"), asked?.join() ?? "*", ...shapes].join(" ");
}

function newState(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  asked: readonly string[] | undefined,
  key: string,
): State {
  const windows = new Map(
    lookbacks(program, schedules, asked).flatMap(({ definition, axis, keeps }) =>
      keeps.kind === "buffer" ? [[definition, { axis, steps: keeps.steps }] as const] : [],
    ),
  );
  const scheduleOf = new Map(schedules.flatMap((each) => each.definitions.map((definition) => [definition, each])));
  return {
    machine,
    arena: newArena(),
    places: new Map(),
    current: new Set(),
    compiled: new Map(),
    scheduleOf: (definition) => scheduleOf.get(definition)!,
    windows,
    key,
  };
}

function valueOf(state: State, definition: Definition): TensorValue {
  const { machine, arena, places } = state;
  const known = machine.stores.get(definition);
  if (known) return known.value;
  const place = places.get(definition)!;
  if (place.element === "str") throw new Unsupported("strings");
  const data = view(arena, place.element, place.address, sizeOf(place.shape)).slice();
  const value: TensorValue = { dtype: place.element, shape: place.shape, data };
  machine.stores.set(definition, storeOf(value));
  return value;
}

/** Inputs, literals and what the oracle computed are brought into memory when a kernel first reads them. */
function placeOf(state: State, definition: Definition): Place {
  const { machine, arena, places, current } = state;
  let place = places.get(definition);
  if (place && current.has(definition)) return place;
  const { value } = machine.stores.get(definition)!;
  if (value.dtype === "str") throw new Unsupported("strings");
  if (!place) {
    const layout: Layout = { element: value.dtype, shape: value.shape, strides: stridesOf(value.shape) };
    place = { ...layout, address: room(arena, value.data.length * widthOf(value.dtype)) };
    places.set(definition, place);
    settle(arena);
  }
  const cells = view(arena, value.dtype, place.address, value.data.length);
  (cells as Float64Array).set(value.data as Float64Array);
  current.add(definition);
  return place;
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

/** Below this many evaluations a kernel costs more to make than it saves. */
const leastWork = 512;

function settleSchedule(state: State, schedule: Schedule): void {
  const { machine } = state;
  const known = knownVariables(state, schedule);
  const signature = [...known.values()].map(valueText).join();
  let compiled = state.compiled.get(schedule);
  if (compiled?.signature !== signature) {
    compiled = prepared(state, schedule, known, signature);
    state.compiled.set(schedule, compiled);
  } else machine.bytes += compiled.bytes;
  machine.peak = Math.max(machine.peak, machine.bytes);
  if (!compiled.runner) return settleOnOracle(state, schedule);
  for (const read of readsOutside(schedule)) if (read.element !== "str") placeOf(state, read);
  try {
    compiled.runner.run();
    for (const definition of schedule.definitions) state.current.add(definition);
  } catch (failure) {
    if (!(failure instanceof KernelFault) && !(failure instanceof ArithmeticFault)) throw failure;
    // The oracle says what is wrong; where nothing is, its values count.
    machine.bytes -= compiled.bytes;
    settleOnOracle(state, schedule);
  }
}

function valueText(scalar: Scalar): string {
  return scalar.kind === "integer" ? String(scalar.term.constant) : "";
}

/** Kernels for a schedule, or the decision that the oracle computes it. */
function prepared(state: State, schedule: Schedule, known: Known, signature: string): Compiled {
  const { machine, arena } = state;
  const before = { top: arena.top, bytes: machine.bytes };
  const isSmall = workOf(state, schedule.definitions) < leastWork && !readsWindows(state, schedule);
  const isLiteral = schedule.definitions.some((each) => each.origin === "literal");
  if (isSmall || isLiteral || !isCompilable(schedule)) return { signature, bytes: 0 };
  try {
    const runner = compileSchedule(state, schedule, known);
    return { signature, bytes: machine.bytes - before.bytes, runner };
  } catch (failure) {
    for (const definition of schedule.definitions) state.places.delete(definition);
    arena.top = before.top;
    machine.bytes = before.bytes;
    if (!(failure instanceof Unsupported)) throw failure;
    if ((globalThis as any).DBG) console.log(schedule.definitions.map((d) => d.name), failure.message);
    return { signature, bytes: 0 };
  }
}

function settleOnOracle(state: State, schedule: Schedule): void {
  for (const read of readsOutside(schedule)) {
    // Of a window only the last steps are left: the oracle computes it anew, with its history.
    if (!state.machine.stores.has(read) && state.places.get(read)!.window !== undefined) settleOnOracle(state, state.scheduleOf(read));
    else valueOf(state, read);
  }
  evaluateSchedule(state.machine, schedule);
}

function readsOutside(schedule: Schedule): ReadonlySet<Definition> {
  const reads = new Set(schedule.definitions.flatMap((definition) => [...readsOf(definition)]));
  for (const definition of schedule.definitions) reads.delete(definition);
  return reads;
}

function readsWindows(state: State, schedule: Schedule): boolean {
  return [...readsOutside(schedule)].some((read) => state.places.get(read)?.window !== undefined);
}

/** Strings and calls are the oracle's. */
function isCompilable(schedule: Schedule): boolean {
  let fine = true;
  for (const definition of schedule.definitions) {
    if (definition.element === "str") return false;
    for (const scalar of definition.clauses.flatMap(scalarsOf)) {
      eachScalar(scalar, (part) => {
        if (part.type === "str" || part.kind === "call" || part.kind === "parameter") fine = false;
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

// ── compiling ───────────────────────────────────────────────────────────────────────────────────

function shapeOf(machine: Machine, definition: Definition): readonly number[] {
  return definition.axes.map((axis) => Math.max(0, compileTerm(machine, axis.extent)()));
}

type Known = ReadonlyMap<Variable, Scalar>;

/** The values of sizes and of integers that sizes and indices use; coordinates have none. */
function knownVariables({ machine }: State, schedule: Schedule): Known {
  const found = new Set<Variable>();
  const coordinates = new Set<Variable>();
  for (const definition of schedule.definitions) {
    for (const axis of definition.axes) for (const v of variablesOf(axis.extent)) found.add(v);
    for (const clause of definition.clauses) {
      const { body } = clause;
      for (const each of body.kind === "reduce" ? [...clause.loops, ...body.loops] : clause.loops)
        coordinates.add(each.variable);
      for (const scalar of scalarsOf(clause))
        eachScalar(scalar, (part) => {
          if (part.kind === "integer") for (const v of variablesOf(part.term)) found.add(v);
        });
    }
  }
  const known = new Map<Variable, Scalar>();
  for (const v of found)
    if (!coordinates.has(v)) known.set(v, integerScalar(constant(machine.values[machine.slotOf(v)]!)));
  return known;
}

/** Roughly how often scalars are evaluated. */
function workOf({ machine }: State, definitions: readonly Definition[]): number {
  let work = 0;
  for (const definition of definitions) {
    const cells = sizeOf(shapeOf(machine, definition));
    for (const { body } of definition.clauses) {
      if (body.kind === "map") work += cells;
      else work += body.loops.reduce((total, each) => total * lengthOf(machine, each), cells);
    }
  }
  return work;
}

/** Bounds that depend on coordinates are taken for some tens. */
function lengthOf(machine: Machine, { from, to }: Loop): number {
  const bound = (scalar: Scalar): number => (scalar.kind === "integer" ? compileTerm(machine, scalar.term)() : NaN);
  const length = bound(to) - bound(from);
  return Number.isNaN(length) ? 32 : Math.max(length, 0);
}

function compileSchedule(state: State, schedule: Schedule, known: Known): Runner {
  const { machine, arena, places } = state;
  const members = new Map<Definition, Sized>();
  for (const definition of schedule.definitions) {
    const shape = shapeOf(machine, definition);
    const layout = layoutOf(state, definition, shape);
    reserve(machine, definition, shape, bytesOf(layout));
    places.set(definition, { ...layout, address: room(arena, bytesOf(layout)) });
    members.set(definition, sized(definition, shape, known, machine.typeOf));
  }
  if (schedule.recurrent) refuseLookups(members);
  const sources: Source[] = [];
  const build = (steps: readonly Step[], held: ReadonlyMap<Definition, readonly number[]>): readonly Planned[] =>
    steps.map((step): Planned => {
      if (step.kind === "cells") {
        const { definition } = step;
        const own = members.get(definition)!;
        const axes = held.get(definition) ?? [];
        const reads = [...readsOf(definition)].filter((read) => read.element !== "str");
        const source = kernelFor(own, reads, axes, (read) => members.has(read) ? places.get(read)! : placeOf(state, read)); // prettier-ignore
        const at = sources.push(source) - 1;
        const steps = axes.reduce((total, axis) => total * own.shape[axis]!, 1);
        return { kind: "cells", definition, at, source, axes, work: workOf(state, [definition]) / Math.max(1, steps) };
      }
      const inside = new Map(held);
      for (const [definition, axis] of step.axes) inside.set(definition, [...(held.get(definition) ?? []), axis]);
      const lengths = [...step.axes].map(([definition, axis]) => places.get(definition)!.shape[axis]!);
      return { kind: "loop", extent: Math.max(0, ...lengths), reversed: step.reversed, body: build(step.body.steps, inside) };
    });
  const planned = build(schedule.steps, new Map());
  settle(arena);
  const functions = instantiate(arena, sources);
  return runnerOf(state, planned, functions, []);
}

type Planned =
  | { readonly kind: "cells"; readonly definition: Definition; readonly at: number; readonly source: Source; readonly axes: readonly number[]; readonly work: number } // prettier-ignore
  | { readonly kind: "loop"; readonly extent: number; readonly reversed: boolean; readonly body: readonly Planned[] };

interface Runner {
  run(): void;
}

/** Where a loop's position goes: into arguments of the calls inside. */
interface Position {
  value: number;
  readonly places: { readonly args: number[]; readonly at: number }[];
}

function runnerOf(
  state: State,
  planned: readonly Planned[],
  functions: readonly KernelFunction[],
  around: readonly Position[],
): Runner {
  const parts = planned.map((step): Runner => {
    if (step.kind === "cells") return callOf(state, step, functions[step.at]!, around);
    const position: Position = { value: 0, places: [] };
    const body = runnerOf(state, step.body, functions, [...around, position]);
    const { extent, reversed } = step;
    return {
      run() {
        for (let count = 0; count < extent; count++) {
          const at = reversed ? extent - 1 - count : count;
          position.value = at;
          for (const place of position.places) place.args[place.at] = at;
          body.run();
        }
      },
    };
  });
  const [only] = parts;
  if (parts.length === 1) return only!;
  return {
    run() {
      for (const part of parts) part.run();
    },
  };
}

/** How much is done in one call: V8 replaces its first, slow code of a function only between calls. */
const workPerCall = 1 << 17;

function callOf(
  { places }: State,
  { definition, source, axes, work }: Extract<Planned, { kind: "cells" }>,
  kernel: KernelFunction,
  around: readonly Position[],
): Runner {
  const pointers = source.pointers.map((each) => places.get(each)?.address ?? 0);
  const args = [...pointers, ...axes.map(() => 0)];
  // The loops around are those that hold this definition's axes, outermost first.
  const own = around.slice(0, axes.length);
  own.forEach((position, k) => position.places.push({ args, at: pointers.length + k }));
  const { shape } = places.get(definition)!;
  const isShort = (): boolean => own.some((position, k) => position.value >= shape[axes[k]!]!);
  if (source.partAxis === undefined) {
    return {
      run() {
        if (own.length > 0 && isShort()) return;
        call(kernel, args);
      },
    };
  }
  const extent = shape[source.partAxis]!;
  const most = Math.max(1, workPerCall / Math.max(1, work / extent));
  const step = Math.min(extent, Math.ceil(most / 16) * 16);
  const at = args.push(0, extent) - 2;
  return {
    run() {
      if (own.length > 0 && isShort()) return;
      for (let from = 0; from < extent; from += step) {
        args[at] = from;
        args[at + 1] = Math.min(extent, from + step);
        call(kernel, args);
      }
    },
  };
}

/** A call without an array on the way, for the numbers of arguments that occur. */
function call(kernel: KernelFunction, a: readonly number[]): void {
  switch (a.length) {
    case 1:
      return kernel(a[0]!);
    case 2:
      return kernel(a[0]!, a[1]!);
    case 3:
      return kernel(a[0]!, a[1]!, a[2]!);
    case 4:
      return kernel(a[0]!, a[1]!, a[2]!, a[3]!);
    case 5:
      return kernel(a[0]!, a[1]!, a[2]!, a[3]!, a[4]!);
    case 6:
      return kernel(a[0]!, a[1]!, a[2]!, a[3]!, a[4]!, a[5]!);
    case 7:
      return kernel(a[0]!, a[1]!, a[2]!, a[3]!, a[4]!, a[5]!, a[6]!);
    case 8:
      return kernel(a[0]!, a[1]!, a[2]!, a[3]!, a[4]!, a[5]!, a[6]!, a[7]!);
    default:
      return kernel(...a);
  }
}
