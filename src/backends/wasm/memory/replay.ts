// A run again, for programs that are run often on inputs of the same sizes: the steps of an earlier
// run in their order, each with its addresses. Nothing is decided any more, only done.
//
// Where results are looked at in place, a run finds the memory as the one before the last did: some
// ways to run are remembered, each for what the host keeps and for where the inputs lie.

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
 * Something that a run did, with what tells it where cells lie once something else has been told of
 * other places.
 */
export interface Step {
  readonly bind?: () => void;
  readonly run: (inputs: Inputs) => void;
}

/** The steps of a run, written down while it happens. */
export interface Recording {
  readonly steps: Step[];
  /** The types in which inputs came in. */
  readonly types: Map<string, TensorValue["dtype"]>;
  /** Where inputs lie that are in the memory already. */
  readonly addresses: Map<string, number>;
  /** What the host kept when the run began. */
  readonly kept: readonly Block[];
  /** Something happened that cannot simply be done again. */
  isSpoilt: boolean;
}

export function newRecording(isSpoilt: boolean): Recording {
  return { steps: [], types: new Map(), addresses: new Map(), kept: keptNow(), isSpoilt };
}

/** Cells have been brought in. */
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
  /** Of an integer that kernels were made for, or that extents have to agree with: its value. */
  readonly value?: unknown;
  /** Where it lies in the memory, if it does; what nobody reads may lie anywhere. */
  readonly at: number | "outside" | "anywhere";
}

interface Result {
  readonly name: string;
  readonly names: NamedValue["names"];
  readonly place: Place;
  /**
   * Once the host has looked at it in place: what it looks at, which is the same in every such run.
   */
  inPlace?: InPlace;
}

/**
 * The ways in which a program was run, the latest first, and the one whose addresses its kernels
 * have.
 */
interface Known {
  ways: readonly Replay[];
  bound?: Replay;
}

const replays = new WeakMap<Program, Known>();
/** How many ways are remembered of each program. */
export const mostWays = 4;

/** What decides how values are computed. */
interface Wishes {
  readonly get: readonly string[];
  readonly others: readonly unknown[];
  readonly isRelaxed: boolean;
  readonly isShared: boolean;
}

/** Nothing where a run does more than computing values, which cannot be repeated. */
function wishesOf(options: EngineOptions): Wishes | undefined {
  const { get, backend = "wasm", trap, profiler, onProgress, hearing } = options;
  if (backend !== "wasm" || trap || profiler || onProgress || hearing || !get) return undefined;
  const { f64, leastWork, leastProducts, maxMemory, view } = options;
  const others = [f64, leastWork, leastProducts, maxMemory, view];
  return { get, others, isRelaxed: isRelaxed(), isShared: isMemoryShared() };
}

function isSame(one: Wishes, other: Wishes): boolean {
  return isSameHost(one) && isSameList(one.get, other.get) && isSameList(one.others, other.others);
}

/** Whether kernels would be made as they were then. */
function isSameHost(then: Wishes): boolean {
  return then.isRelaxed === isRelaxed() && then.isShared === isMemoryShared();
}

/** The kernels of a program are about to be told other addresses. */
export function forgetBinding(program: Program): void {
  const known = replays.get(program);
  if (known) delete known.bound;
}

/**
 * Remembers how a program was run. `placeOf` says where its results lie, `isFixed` which integers
 * kernels were made for.
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
  // What was converted on its way in would have to be converted again.
  if (given.some(({ name, dtype }) => types.has(name) && types.get(name) !== dtype)) return;
  const { peakBytes } = result;
  const own: Replay = {
    wishes: { ...wishes, get: [...wishes.get] },
    kept,
    given,
    steps: [...steps],
    results,
    peakBytes,
  };
  const before = replays.get(program)?.ways ?? [];
  replays.set(program, { ways: [own, ...before.slice(0, mostWays - 1)], bound: own });
}

/** Runs a program as it was run before; nothing where that cannot be done. */
export function replay(program: Program, options: EngineOptions): RunResult | undefined {
  const known = replays.get(program);
  if (!known || !isAlone()) return undefined;
  const wishes = wishesOf(options);
  if (!wishes) return undefined;
  const inputs: Inputs = options.inputs ?? new Map();
  const way = known.ways.find(
    (each) =>
      isSame(each.wishes, wishes) &&
      isKeptNow(each.kept) &&
      inputs.size === each.given.length &&
      each.given.every((one) => isAlike(one, inputs.get(one.name))),
  );
  if (!way || !takeSteps(program, known, way, inputs)) return undefined;
  const values = new Map<string, NamedValue>();
  const blocks: Block[] = [];
  for (const result of way.results) {
    const { name, names, place } = result;
    if (options.view) {
      const { value, block } = (result.inPlace ??= named(inPlace(place), names));
      if (block) blocks.push(keep(block));
      values.set(name, { value, names });
    } else values.set(name, { value: valueIn(place, options.into?.get(name)), names });
  }
  const all = { values, omitted: [], peakBytes: way.peakBytes };
  if (!options.view) return all;
  return { ...all, blocks, ...(isAllInPlace(way) ? { again: () => runAgain(program, way) } : {}) };
}

/** No run is in progress, and none is written down. */
function isAlone(): boolean {
  return !recording() && !isAnyOpen();
}

/**
 * Goes through the steps of a run. False where one of them fails: what went wrong is said by a run
 * that decides everything anew.
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
 * Nothing comes in or goes out, and no number that was given decides anything: all that can differ
 * is what lies in the memory.
 */
function isAllInPlace({ given, results }: Replay): boolean {
  return (
    given.every(({ at, value }) => typeof at === "number" && value === undefined) &&
    results.every((result) => result.inPlace?.block !== undefined)
  );
}

/**
 * The same run on what lies in the same places now; false where they are others, or the run is
 * forgotten.
 */
function runAgain(program: Program, way: Replay): boolean {
  const known = replays.get(program);
  if (!known?.ways.includes(way) || !isAlone() || !isSameHost(way.wishes) || !isKeptNow(way.kept))
    return false;
  if (!takeSteps(program, known, way, noInputs)) return false;
  for (const { inPlace: kept } of way.results) keep(kept!.block!);
  return true;
}

const noInputs: Inputs = new Map();

/** A value that later runs give as well: it has its names, and nobody changes it. */
function named({ value, block }: InPlace, names: NamedValue["names"]): InPlace {
  const own = Object.freeze(
    Object.defineProperty(value, "names", { value: names, enumerable: true }),
  );
  return { value: own, ...(block ? { block } : {}) };
}

function isAlike(given: Given, value: TensorValue | undefined): boolean {
  if (!value || value.dtype !== given.dtype || !isSameList(value.shape, given.shape)) return false;
  if (given.value !== undefined && value.data[0] !== given.value) return false;
  if (given.at === "anywhere") return true;
  const { byteOffset } = value.data as Float64Array;
  return given.at === (isInMemory(value.data as Float64Array) ? byteOffset : "outside");
}

/** The cells of a result, in an array that the caller has ready for them where it fits. */
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
