// A run again, for programs that are run often on inputs of the same sizes: the steps of an earlier run in their order, each with its
// addresses. Nothing is decided any more, only done.

import { sizeOf, type TensorValue } from "../../host/value.ts";
import type { NamedValue, RunOptions, RunResult } from "../../core.ts";
import type { Definition, Program } from "../../ir/program.ts";
import { isUnsized, type TypedArray } from "../../ir/scalar/types.ts";
import { cellsOfMemory, isAnyOpen, isInMemory } from "./arena.ts";
import { isRelaxed } from "./contract/form.ts";
import { KernelFault } from "./host.ts";
import { widthOf } from "./kernel.ts";
import { keptVersion } from "./kept.ts";
import { copyIn, type Place } from "./places.ts";
import { recording } from "./recording.ts";

type Inputs = ReadonlyMap<string, TensorValue>;
type Step = (inputs: Inputs) => void;

/** The steps of a run, written down while it happens. */
export interface Recording {
  readonly steps: Step[];
  /** The types in which inputs came in. */
  readonly types: Map<string, TensorValue["dtype"]>;
  /** Something happened that cannot simply be done again. */
  isSpoilt: boolean;
}

/** Cells have been brought in. */
export function recordIn(recording: Recording, definition: Definition, place: Place, value: TensorValue): void {
  const { dtype } = value;
  if (isUnsized(dtype) || place.layout.window || isInMemory(value.data as Float64Array)) {
    recording.isSpoilt = true;
    return;
  }
  const at = place.address / widthOf(dtype);
  const { name, origin } = definition;
  if (origin !== "input" && origin !== "literal") recording.isSpoilt = true;
  if (origin === "input") recording.types.set(name, dtype);
  recording.steps.push((inputs) =>
    copyIn(
      cellsOfMemory(dtype) as Float64Array,
      at,
      (origin === "input" ? inputs.get(name)! : value).data as Float64Array,
    ),
  );
}

interface Replay {
  readonly options: string;
  readonly kept: number;
  readonly given: readonly Given[];
  readonly steps: readonly Step[];
  readonly results: readonly Result[];
  readonly peakBytes: number;
}

interface Given {
  readonly name: string;
  readonly dtype: TensorValue["dtype"];
  readonly shape: readonly number[];
  /** Of an integer: its value, which may decide sizes. */
  readonly value?: unknown;
}

interface Result {
  readonly name: string;
  readonly names: NamedValue["names"];
  readonly place: Place;
}

const replays = new WeakMap<Program, Replay>();

/** What a run does that is more than computing values, or that decides how they are computed; nothing where it cannot be repeated. */
function keyOf({ get, f64, leastWork, leastProducts, maxMemory, ...options }: RunOptions): string | undefined {
  const { backend, trap, profile, onProgress, view } = options;
  const isPlain = (backend ?? "wasm") === "wasm" && !trap && !profile && !onProgress && !view && get !== undefined;
  return isPlain ? [get.join(), f64, leastWork, leastProducts, maxMemory, isRelaxed()].join(" ") : undefined;
}

/** The kernels of a program are about to be told other addresses. */
export function forgetReplay(program: Program): void {
  replays.delete(program);
}

/** Remembers how a program was run. `placeOf` says where its results lie. */
export function remember(
  program: Program,
  options: RunOptions,
  { steps, types, isSpoilt }: Recording,
  result: RunResult,
  placeOf: (definition: Definition) => Place | undefined,
): void {
  const key = keyOf(options);
  if (key === undefined || isSpoilt || program.actions.length > 0) return;
  if ([...program.scalars.values()].some(({ origin }) => origin !== "input")) return;
  const results: Result[] = [];
  for (const [name, { names }] of result.values) {
    const output = program.outputs.get(name);
    const place = output && placeOf(output.definition);
    if (!place || place.layout.window) return;
    results.push({ name, names, place });
  }
  const given = [...(options.inputs ?? [])].map(([name, { dtype, shape, data }]): Given => {
    const isInteger = shape.length === 0 && (dtype === "i32" || dtype === "i64" || dtype === "i8");
    return { name, dtype, shape, ...(isInteger ? { value: data[0] } : {}) };
  });
  // What was converted on its way in would have to be converted again.
  if (given.some(({ name, dtype }) => types.has(name) && types.get(name) !== dtype)) return;
  const { peakBytes } = result;
  replays.set(program, { options: key, kept: keptVersion(), given, steps: [...steps], results, peakBytes });
}

/** Runs a program as it was run before; nothing where that cannot be done. */
export function replay(program: Program, options: RunOptions): RunResult | undefined {
  const known = replays.get(program);
  if (!known || recording() || known.options !== keyOf(options) || known.kept !== keptVersion() || isAnyOpen())
    return undefined;
  const inputs: Inputs = options.inputs ?? new Map();
  if (inputs.size !== known.given.length || !known.given.every((each) => isAlike(each, inputs.get(each.name))))
    return undefined;
  try {
    for (const step of known.steps) step(inputs);
  } catch (failure) {
    // What went wrong is said by a run that decides everything anew.
    replays.delete(program);
    if (failure instanceof KernelFault) return undefined;
    throw failure;
  }
  const values = new Map<string, NamedValue>();
  for (const { name, names, place } of known.results)
    values.set(name, { value: valueIn(place, options.into?.get(name)), names });
  return { values, omitted: [], peakBytes: known.peakBytes };
}

function isAlike(given: Given, value: TensorValue | undefined): boolean {
  if (!value || value.dtype !== given.dtype || value.shape.length !== given.shape.length) return false;
  for (let axis = 0; axis < given.shape.length; axis++) if (value.shape[axis] !== given.shape[axis]) return false;
  if (given.value !== undefined && value.data[0] !== given.value) return false;
  return !isInMemory(value.data as Float64Array);
}

/** The cells of a result, in an array that the caller has ready for them where it fits. */
function valueIn({ layout: { element, shape }, address }: Place, into: TypedArray | undefined): TensorValue {
  if (isUnsized(element)) throw new Error("strings and data have no cells in memory");
  const at = address / widthOf(element);
  const memory = cellsOfMemory(element) as Float64Array;
  const end = at + sizeOf(shape);
  if (into?.constructor !== memory.constructor || into.length !== end - at)
    return { dtype: element, shape, data: memory.slice(at, end) };
  (into as Float64Array).set(memory.subarray(at, end));
  return { dtype: element, shape, data: into };
}
