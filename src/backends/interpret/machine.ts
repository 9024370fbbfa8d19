// The state of a run on the oracle: the values of variables, the cells of definitions, and the
// limits.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import {
  bytesOf,
  isFloat,
  type ElementType,
  type Scalar as Value,
  isUnsized,
} from "../../scalar/types.ts";
import { roundTo } from "../../scalar/round.ts";
import { variable as newVariable, type Variable } from "../../affine/term.ts";
import type { Definition, Local } from "../../ir/program.ts";
import { nameInSource } from "../../analyse/name-in-source.ts";
import {
  fromScalars,
  store as write,
  stridesOf,
  sizeOf,
  zeros,
  type TensorValue,
} from "../../scalar/values/value.ts";
import type { Profile } from "../profile.ts";
import type { Tracker } from "../progress.ts";
import type { TypedArray } from "../../scalar/types.ts";
import type { Trap } from "../traps.ts";

/** The cells of one definition. */
export interface Store {
  readonly value: TensorValue;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly get: (offset: number) => Value;
  readonly set: (offset: number, value: Value) => void;
  /** Which cells have been computed, while a recurrence fills the store. */
  done?: Uint8Array;
  /** Present if only some steps along one axis are kept. */
  readonly window?: StepWindow;
}

/** Kept steps of a store. Step n lies at place n modulo the number of places. */
export interface StepWindow {
  readonly axis: number;
  readonly places: number;
  /** For each cell, the step that was computed last, counted from 1. */
  readonly held: Int32Array;
  /** Computes a missing step; absent if that is impossible. */
  restore?: (step: number) => void;
}

/** The offset of a cell in its store. */
export function offsetOf({ strides, window }: Store, position: readonly number[]): number {
  let offset = 0;
  for (let axis = 0; axis < position.length; axis++) {
    const at = window?.axis === axis ? position[axis]! % window.places : position[axis]!;
    offset += at * strides[axis]!;
  }
  return offset;
}

export interface Machine {
  readonly values: number[];
  readonly slotOf: (variable: Variable) => number;
  /** The type in which a value of a declared type is computed. */
  readonly typeOf: (declared: ElementType) => ElementType;
  readonly stores: Map<Definition, Store>;
  readonly locals: Map<Local, () => Value>;
  /** Counts cells and steps of reductions, so that local names know when to be evaluated anew. */
  tick: number;
  /** The axes of the current definition that the loops of the schedule hold. */
  held: ReadonlySet<number>;
  /**
   * Stops the run at the first float that is not finite, or at the first integer that wraps around.
   */
  readonly trap: Trap | undefined;
  /** A definition with at least so many cells, or terms, is written as JavaScript. */
  readonly written: number;
  readonly maxBytes: number;
  /** Times what is computed, if somebody wants to know. */
  readonly profile?: Profile;
  /** Hears how far the run has come, if somebody wants to know. */
  progress?: Tracker;
  bytes: number;
  peak: number;
}

/** With fewer cells, compiling a definition as JavaScript costs more than it saves. */
const written = 2000;

export function newMachine(options: {
  readonly f64: boolean;
  readonly maxBytes: number;
  readonly trap?: Trap | undefined;
  readonly written?: number;
  readonly profile?: Profile;
}): Machine {
  const slots = new Map<Variable, number>();
  const values: number[] = [];
  const slotOf = (variable: Variable): number => {
    let slot = slots.get(variable);
    if (slot === undefined) {
      slot = values.length;
      slots.set(variable, slot);
      values.push(NaN);
    }
    return slot;
  };
  slotOf(newVariable("unused"));
  const typeOf = options.f64
    ? (declared: ElementType): ElementType => (isFloat(declared) ? "f64" : declared)
    : (declared: ElementType) => declared;
  return {
    values,
    slotOf,
    typeOf,
    stores: new Map(),
    locals: new Map(),
    tick: 0,
    held: new Set(),
    trap: options.trap,
    written: options.written ?? written,
    maxBytes: options.maxBytes,
    ...(options.profile ? { profile: options.profile } : {}),
    bytes: 0,
    peak: 0,
  };
}

export function storeOf(value: TensorValue): Store {
  const { data } = value;
  const strings = value.dtype === "str" ? (data as string[]) : undefined;
  const references = value.dtype === "data" ? (data as Value[]) : undefined;
  const get =
    value.dtype === "bool"
      ? (offset: number) => data[offset] !== 0
      : (offset: number) => data[offset]!;
  return {
    value,
    shape: value.shape,
    strides: stridesOf(value.shape),
    get,
    set: references
      ? (offset, cell) => void (references[offset] = cell)
      : strings
        ? (offset, cell) => void (strings[offset] = String(cell))
        : (offset, cell) => write(data as TypedArray, offset, cell),
  };
}

/** The cells of a literal. Each number is rounded once, from the source to the type. */
export function literalStore(
  machine: Machine,
  definition: Definition,
  shape: readonly number[],
): Store {
  const type = machine.typeOf(definition.element);
  const written = definition.cells!;
  return storeOf(
    fromScalars(
      type,
      shape,
      isFloat(type) ? written.map((x) => roundTo(type, Number(x))) : written,
    ),
  );
}

/** Takes room for the cells of a definition, within the limit of memory. */
export function allocateStore(
  machine: Machine,
  definition: Definition,
  shape: readonly number[],
): Store {
  const type = machine.typeOf(definition.element);
  const bytes = sizeOf(shape) * (isUnsized(type) ? 8 : bytesOf(type));
  reserve(machine, definition, shape, bytes);
  try {
    return storeOf(zeros(type, shape));
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    throw tooLarge(
      definition,
      shape,
      `the machine does not give ${showBytes(bytes)}`,
      "free some memory",
    );
  }
}

/** Takes room for some steps of a definition along one axis. */
export function allocateWindow(
  machine: Machine,
  definition: Definition,
  shape: readonly number[],
  axis: number,
  places: number,
): Store {
  const smaller = shape.map((extent, k) => (k === axis ? Math.min(extent, places) : extent));
  const store = allocateStore(machine, definition, smaller);
  const held = new Int32Array(sizeOf(smaller));
  return { ...store, shape, window: { axis, places: Math.max(1, smaller[axis]!), held } };
}

/** Counts the bytes of a definition, and fails if they exceed the limit. */
export function reserve(
  machine: Machine,
  definition: Definition,
  shape: readonly number[],
  bytes: number,
): void {
  const left = machine.maxBytes - machine.bytes;
  if (bytes > left) {
    const room = `${showBytes(left)} of ${showBytes(machine.maxBytes)} are left`;
    throw tooLarge(
      definition,
      shape,
      `it needs ${showBytes(bytes)}, ${room}`,
      "raise the limit: `--max-memory` of `ein`, `maxMemory` of the library",
    );
  }
  machine.bytes += bytes;
  machine.peak = Math.max(machine.peak, machine.bytes);
}

function tooLarge(
  definition: Definition,
  shape: readonly number[],
  why: string,
  remedy: string,
): Fault {
  const title =
    `\`${nameInSource(definition)}\` with shape [${shape.join(", ")}] ` +
    "does not fit into memory";
  return new Fault(
    error("E0805", title, definition.span, { text: why, help: `${remedy}, or keep fewer cells` }),
  );
}

function showBytes(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  let size = Math.max(bytes, 0);
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 ? size : size.toPrecision(3)} ${units[unit]}`;
}
