// Repeats runs of programs that are run often on inputs of the same sizes. A recording holds the
// steps of an earlier run, each with its addresses; a replay takes the steps in their order and
// decides nothing.
//
// If the host looks at results in place, the blocks that it keeps move from run to run, and the
// memory is again as it was only some runs later. Several ways to run are therefore remembered,
// each for the blocks that the host keeps and for the addresses of the inputs.

import { isSameList, sizeOf, type TensorValue } from "../../../scalar/values/value.ts";
import type { NamedValue, EngineOptions, RunResult } from "../../results.ts";
import type { Variable } from "../../../affine/term.ts";
import { variablesOf } from "../../../affine/visit.ts";
import type { Definition, Program } from "../../../ir/program.ts";
import { isUnsized, type TypedArray } from "../../../scalar/types.ts";
import { cellsOfMemory, isAnyOpen, isInMemory, isMemoryShared } from "./arena.ts";
import { isRelaxed } from "../contract/form.ts";
import { bytesOfCell } from "../code/kernel.ts";
import { kernelFailure } from "../kernel-failure.ts";
import { isKeptNow, keep, keptNow, type Block } from "./kept.ts";
import { copyIn, inPlace, type InPlace, type Place } from "./places.ts";
import { recording } from "./recording.ts";

type Inputs = ReadonlyMap<string, TensorValue>;

/**
 * A step of a run. `bind` tells it its addresses again after the kernels have been bound to others.
 */
export interface Step {
  readonly bind?: () => void;
  readonly run: (inputs: Inputs) => void;
}

/** The steps of a run, written down while it runs. */
export interface Recording {
  readonly steps: Step[];
  /** The element types of the inputs that were copied in. */
  readonly types: Map<string, TensorValue["dtype"]>;
  /** The addresses of the inputs that lie in the memory already. */
  readonly addresses: Map<string, number>;
  /** The blocks that the host kept when the run began. */
  readonly kept: readonly Block[];
  /** Something happened that cannot be repeated step by step. */
  isSpoilt: boolean;
}

export function newRecording(isSpoilt: boolean): Recording {
  return { steps: [], types: new Map(), addresses: new Map(), kept: keptNow(), isSpoilt };
}

/** Records that the cells of a definition have been copied in. */
export function recordIn(
  recording: Recording,
  definition: Definition,
  place: Place,
  value: TensorValue,
): void {
  const { dtype } = value;
  const { name, origin } = definition;
  if (place.isHosts && origin === "input") {
    recording.addresses.set(name, place.address);
    recording.types.set(name, dtype);
    return;
  }
  if (isUnsized(dtype) || place.layout.window || isInMemory(value.data as Float64Array)) {
    recording.isSpoilt = true;
    return;
  }
  const at = place.address / bytesOfCell(dtype);
  if (origin !== "input" && origin !== "literal") recording.isSpoilt = true;
  if (origin === "input") recording.types.set(name, dtype);
  const run = (inputs: Inputs): void =>
    copyIn(
      cellsOfMemory(dtype) as Float64Array,
      at,
      (origin === "input" ? inputs.get(name)! : value).data as Float64Array,
    );
  recording.steps.push({ run });
}

interface Replay {
  readonly wishes: Wishes;
  readonly kept: readonly Block[];
  readonly given: readonly Given[];
  readonly steps: readonly Step[];
  readonly results: readonly Result[];
  readonly peakBytes: number;
}

interface Given {
  readonly name: string;
  readonly dtype: TensorValue["dtype"];
  readonly shape: readonly number[];
  /** The value of an integer that kernels were made for, or with which extents have to agree. */
  readonly value?: unknown;
  /**
   * The address of an input in the memory, or `outside`; `anywhere` for an input that nobody reads.
   */
  readonly at: number | "outside" | "anywhere";
}

interface Result {
  readonly name: string;
  readonly names: NamedValue["names"];
  readonly place: Place;
  /** The value that the host looks at in place. It is the same in every repetition of the run. */
  inPlace?: InPlace;
}

/**
 * The ways in which a program was run, the latest first, and the way whose addresses the kernels
 * have.
 */
interface Known {
  ways: readonly Replay[];
  bound?: Replay;
}

const replays = new WeakMap<Program, Known>();
/** How many ways are remembered for each program. */
export const mostWays = 4;

/** The options that decide how values are computed. */
interface Wishes {
  readonly get: readonly string[];
  readonly others: readonly unknown[];
  readonly isRelaxed: boolean;
  readonly isShared: boolean;
}

/**
 * The wishes of a run; `undefined` for a run that does more than compute values and cannot be
 * repeated.
 */
function wishesOf(options: EngineOptions): Wishes | undefined {
  const { get, backend = "wasm", trap, profiler, onProgress, hearing } = options;
  if (backend !== "wasm" || trap || profiler || onProgress || hearing || !get) return undefined;
  const { f64, leastWork, leastProducts, maxMemory, view } = options;
  const others = [f64, leastWork, leastProducts, maxMemory, view];
  return { get, others, isRelaxed: isRelaxed(), isShared: isMemoryShared() };
}

function areEqualWishes(one: Wishes, other: Wishes): boolean {
  return (
    isSameSetting(one) && isSameList(one.get, other.get) && isSameList(one.others, other.others)
  );
}

/** Whether kernels would be made in the same way as at that time. */
function isSameSetting(then: Wishes): boolean {
  return then.isRelaxed === isRelaxed() && then.isShared === isMemoryShared();
}

/** Notes that the kernels of a program are about to be bound to other addresses. */
export function forgetBinding(program: Program): void {
  const known = replays.get(program);
  if (known) delete known.bound;
}

/**
 * Remembers how a program was run. `placeOf` finds the place of a result, `isFixed` the integers
 * that kernels were made for.
 */
export function remember(
  program: Program,
  options: EngineOptions,
  { steps, types, addresses, kept, isSpoilt }: Recording,
  result: RunResult,
  placeOf: (definition: Definition) => Place | undefined,
  isFixed: (v: Variable) => boolean,
): void {
  const wishes = wishesOf(options);
  if (!wishes || isSpoilt || program.actions.length > 0) return;
  if ([...program.scalars.values()].some(({ origin }) => origin !== "input")) return;
  const results: Result[] = [];
  for (const [name, { names }] of result.values) {
    const output = program.outputs.get(name);
    const place = output && placeOf(output.definition);
    if (!place || place.layout.window) return;
    results.push({ name, names, place });
  }
  const agreed = new Set(
    program.agreements.flatMap(({ left, right }) => [...variablesOf(left), ...variablesOf(right)]),
  );
  const decisive = new Set(
    [...program.scalars].flatMap(([v, { name }]) => (isFixed(v) || agreed.has(v) ? [name] : [])),
  );
  const given = [...(options.inputs ?? [])].map(([name, { dtype, shape, data }]): Given => {
    const at = addresses.get(name) ?? (types.has(name) ? "outside" : "anywhere");
    return { name, dtype, shape, ...(decisive.has(name) ? { value: data[0] } : {}), at };
  });
  // An input that was converted while it was copied in would have to be converted again.
  if (given.some(({ name, dtype }) => types.has(name) && types.get(name) !== dtype)) return;
  const { peakBytes } = result;
  const latest: Replay = {
    wishes: { ...wishes, get: [...wishes.get] },
    kept,
    given,
    steps: [...steps],
    results,
    peakBytes,
  };
  const before = replays.get(program)?.ways ?? [];
  replays.set(program, { ways: [latest, ...before.slice(0, mostWays - 1)], bound: latest });
}

/** Repeats an earlier run of a program; `undefined` if there is none that can be repeated. */
export function replay(program: Program, options: EngineOptions): RunResult | undefined {
  const known = replays.get(program);
  if (!known || !isAlone()) return undefined;
  const wishes = wishesOf(options);
  if (!wishes) return undefined;
  const inputs: Inputs = options.inputs ?? new Map();
  const way = known.ways.find(
    (candidate) =>
      areEqualWishes(candidate.wishes, wishes) &&
      isKeptNow(candidate.kept) &&
      inputs.size === candidate.given.length &&
      candidate.given.every((input) => fitsInput(input, inputs.get(input.name))),
  );
  if (!way || !takeSteps(program, known, way, inputs)) return undefined;
  const values = new Map<string, NamedValue>();
  const blocks: Block[] = [];
  for (const result of way.results) {
    const { name, names, place } = result;
    if (options.view) {
      const { value, block } = (result.inPlace ??= withAxisNames(inPlace(place), names));
      if (block) blocks.push(keep(block));
      values.set(name, { value, names });
    } else values.set(name, { value: valueIn(place, options.into?.get(name)), names });
  }
  const all = { values, omitted: [], peakBytes: way.peakBytes };
  if (!options.view) return all;
  return { ...all, blocks, ...(isAllInPlace(way) ? { again: () => runAgain(program, way) } : {}) };
}

/** Whether no run is in progress and nothing is being recorded. */
function isAlone(): boolean {
  return !recording() && !isAnyOpen();
}

/**
 * Takes the steps of a run. The answer is false if a step fails: a run that decides everything anew
 * then says what went wrong.
 */
function takeSteps(program: Program, known: Known, way: Replay, inputs: Inputs): boolean {
  try {
    if (known.bound !== way) for (const { bind } of way.steps) bind?.();
    known.bound = way;
    for (const { run } of way.steps) run(inputs);
    return true;
  } catch (failure) {
    replays.delete(program);
    if (kernelFailure(failure)) return false;
    throw failure;
  }
}

/**
 * Whether nothing is copied in or out, and no integer of the inputs decides anything. Two such runs
 * can differ only in what lies in the memory.
 */
function isAllInPlace({ given, results }: Replay): boolean {
  return (
    given.every(({ at, value }) => typeof at === "number" && value === undefined) &&
    results.every((result) => result.inPlace?.block !== undefined)
  );
}

/**
 * Repeats the run on what lies at the same places now. The answer is false if the host keeps other
 * blocks or the run has been forgotten.
 */
function runAgain(program: Program, way: Replay): boolean {
  const known = replays.get(program);
  if (
    !known?.ways.includes(way) ||
    !isAlone() ||
    !isSameSetting(way.wishes) ||
    !isKeptNow(way.kept)
  )
    return false;
  if (!takeSteps(program, known, way, noInputs)) return false;
  for (const { inPlace: kept } of way.results) keep(kept!.block!);
  return true;
}

const noInputs: Inputs = new Map();

/**
 * Adds the names of the axes to a value, and freezes it, because later runs give the same value.
 */
function withAxisNames({ value, block }: InPlace, names: NamedValue["names"]): InPlace {
  const own = Object.freeze(
    Object.defineProperty(value, "names", { value: names, enumerable: true }),
  );
  return { value: own, ...(block ? { block } : {}) };
}

function fitsInput(given: Given, value: TensorValue | undefined): boolean {
  if (!value || value.dtype !== given.dtype || !isSameList(value.shape, given.shape)) return false;
  if (given.value !== undefined && value.data[0] !== given.value) return false;
  if (given.at === "anywhere") return true;
  const { byteOffset } = value.data as Float64Array;
  return given.at === (isInMemory(value.data as Float64Array) ? byteOffset : "outside");
}

/**
 * The cells of a result. They are written to the caller's array if it has the right type and
 * length.
 */
function valueIn(
  { layout: { element, shape }, address }: Place,
  into: TypedArray | undefined,
): TensorValue {
  if (isUnsized(element)) throw new Error("strings and data have no cells in memory");
  const at = address / bytesOfCell(element);
  const memory = cellsOfMemory(element) as Float64Array;
  const end = at + sizeOf(shape);
  if (into?.constructor !== memory.constructor || into.length !== end - at)
    return { dtype: element, shape, data: memory.slice(at, end) };
  (into as Float64Array).set(memory.subarray(at, end));
  return { dtype: element, shape, data: into };
}
