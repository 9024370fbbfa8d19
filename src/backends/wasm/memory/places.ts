// Where the cells of a run lie in the kernels' memory, how they are copied in from the oracle's
// stores and out to them, and how many bytes are taken at a time.

import { sizeOf, stridesOf, zeros, type TensorValue } from "../../../scalar/values/value.ts";
import type { Definition } from "../../../ir/program.ts";
import { bytesOf as cellBytes, isUnsized, type TypedArray } from "../../../scalar/types.ts";
import { reserve, storeOf, type Machine, type Store } from "../../interpret/machine.ts";
import {
  aligned,
  cellsOfMemory,
  give,
  isInMemory,
  isOutermost,
  take,
  valueAt,
  view,
  type Arena,
} from "./arena.ts";
import { recording } from "./recording.ts";
import { keep, type Block } from "./kept.ts";
import { bytesOfCell } from "../code/kernel.ts";
import type { Layout } from "../code/kernels.ts";
import { Unsupported } from "../unsupported.ts";

/** Where the cells of a definition lie. */
export interface Place {
  readonly layout: Layout;
  readonly address: number;
  readonly bytes: number;
  /** The block belongs to the host: it is read where it lies, and never written or given back. */
  readonly isHosts?: true;
}

/** The memory of one run. */
export interface Memory {
  readonly machine: Machine;
  readonly arena: Arena;
  readonly places: Map<Definition, Place>;
  /** Room for results that was taken before anything else. */
  readonly reserved: Map<Definition, Block>;
  /** How many bytes the places take. */
  live: number;
}

/** A layout that keeps every cell. */
export function whole(element: Layout["element"], shape: readonly number[]): Layout {
  return { element, shape, strides: stridesOf(shape) };
}

/**
 * A layout that keeps some steps of one axis. The cells of a step lie in one piece.
 *
 *     windowed("f32", [900, 8], 0, 2)   // two rows of 8 cells: step t lies in row t % 2
 */
export function windowed(
  element: Layout["element"],
  shape: readonly number[],
  axis: number,
  steps: number,
): Layout {
  if (steps >= shape[axis]!) return whole(element, shape);
  const others = shape.filter((_, k) => k !== axis);
  const inside = stridesOf(others);
  const row = sizeOf(others);
  const strides = shape.map((_, k) => (k === axis ? row : inside[k < axis ? k : k - 1]!));
  return { element, shape, strides, window: { axis, steps } };
}

export function layoutBytes({ element, shape, window }: Layout): number {
  const kept = window
    ? shape.map((extent, axis) => (axis === window.axis ? window.steps : extent))
    : shape;
  return sizeOf(kept) * bytesOfCell(element);
}

/**
 * Takes room for results in a fixed order. The next run then finds them at the same addresses
 * again, whatever lies between them in this run.
 */
export function reserved(
  arena: Arena,
  results: ReadonlyMap<Definition, number>,
): Map<Definition, Block> {
  return new Map(
    [...results].map(([definition, bytes]) => [definition, { address: take(arena, bytes), bytes }]),
  );
}

/** Takes room for some bytes of a definition, within the limit of memory. */
export function takeFor(
  memory: Memory,
  definition: Definition,
  shape: readonly number[],
  bytes: number,
): number {
  const { machine, arena } = memory;
  const size = aligned(bytes);
  const { bytes: before, peak } = machine;
  reserve(machine, definition, shape, bytes);
  const ready = memory.reserved.get(definition);
  let address: number;
  try {
    address = ready?.bytes === size ? ready.address : take(arena, bytes);
  } catch (failure) {
    Object.assign(machine, { bytes: before, peak });
    throw failure;
  }
  memory.reserved.delete(definition);
  machine.bytes = before + size;
  memory.live += size;
  const elsewhere = machine.bytes - memory.live;
  machine.peak = Math.max(machine.peak, machine.bytes, elsewhere + arena.top - arena.bottom);
  return address;
}

export function giveBack(memory: Memory, address: number, bytes: number): void {
  give(memory.arena, address, bytes);
  memory.machine.bytes -= aligned(bytes);
  memory.live -= aligned(bytes);
}

export function placeFor(memory: Memory, definition: Definition, layout: Layout): Place {
  const bytes = layoutBytes(layout);
  const place: Place = { layout, address: takeFor(memory, definition, layout.shape, bytes), bytes };
  memory.places.set(definition, place);
  return place;
}

/** Frees the place of a definition that nobody reads any more. */
export function forget(memory: Memory, definition: Definition): void {
  const place = memory.places.get(definition);
  if (!place) return;
  memory.places.delete(definition);
  if (!place.isHosts) giveBack(memory, place.address, place.bytes);
}

// ── in and out ──────────────────────────────────────────────────────────────────────────────────

/**
 * Copies the cells of a store into memory. Of a window, it copies the steps that its loop came to
 * last.
 */
export function bringIn(
  memory: Memory,
  definition: Definition,
  layout: Layout,
  downward: boolean,
): Place {
  const store = memory.machine.stores.get(definition)!;
  const { value } = store;
  if (isUnsized(value.dtype)) throw new Unsupported("strings and data");
  if (store.window?.restore) throw new Unsupported("steps that the oracle computes again");
  if (!store.window && !layout.window && isInMemory(value.data as TypedArray)) {
    const { byteOffset, byteLength } = value.data as TypedArray;
    const hosts: Place = { layout, address: byteOffset, bytes: byteLength, isHosts: true };
    memory.places.set(definition, hosts);
    return hosts;
  }
  // If the copy does not fit into the limit, whoever has the cells goes on using them there.
  const { machine } = memory;
  if (layoutBytes(layout) > machine.maxBytes - machine.bytes)
    throw new Unsupported("a copy beyond the limit of memory");
  const place = placeFor(memory, definition, layout);
  if (layout.window || store.window) recording()?.unlike(definition);
  else recording()?.bring(definition, place.address, value.data as TypedArray);
  if (!store.window && !layout.window) {
    copyIn(
      cellsOfMemory(value.dtype) as Float64Array,
      place.address / bytesOfCell(value.dtype),
      value.data as Float64Array,
    );
    return place;
  }
  const cells = view(
    value.dtype,
    place.address,
    place.bytes / bytesOfCell(value.dtype),
  ) as Float64Array;
  copySteps(
    layout,
    store,
    downward,
    (inside, outside) => void (cells[inside] = value.data[outside] as number),
  );
  return place;
}

/** Fewer cells than this are copied one by one, because copying a block has a fixed cost. */
const fewCells = 32;

/** Copies cells into the memory, at a position that is counted in cells. */
export function copyIn(memory: Float64Array, at: number, cells: Float64Array): void {
  if (cells.length < fewCells) for (let k = 0; k < cells.length; k++) memory[at + k] = cells[k]!;
  else memory.set(cells, at);
}

/** Copies the cells of a definition out of the kernels' memory. */
export function bringOut(memory: Memory, definition: Definition, downward: boolean): TensorValue {
  const { machine } = memory;
  const { layout, address, bytes } = memory.places.get(definition)!;
  const { element, shape, window } = layout;
  if (isUnsized(element)) throw new Unsupported("strings and data");
  if (!window) {
    const at = address / bytesOfCell(element);
    const data = cellsOfMemory(element).slice(at, at + sizeOf(shape));
    const value: TensorValue = { dtype: element, shape, data };
    addStore(machine, definition, storeOf(value));
    return value;
  }
  const kept = shape.map((extent, axis) => (axis === window.axis ? window.steps : extent));
  const cells = view(element, address, bytes / bytesOfCell(element)) as Float64Array;
  const value = zeros(element, kept);
  const held = new Int32Array(sizeOf(kept));
  const store: Store = {
    ...storeOf(value),
    shape,
    window: { axis: window.axis, places: window.steps, held },
  };
  copySteps(layout, store, downward, (inside, outside, step) => {
    (value.data as Float64Array)[outside] = cells[inside]!;
    held[outside] = step + 1;
  });
  addStore(machine, definition, store);
  return value;
}

/** A result where it lies, and the block that has to be kept for it. */
export interface InPlace {
  readonly value: TensorValue;
  readonly block?: Block;
}

/**
 * Keeps the cells of a definition that the run is done with where they lie; `undefined` if they do
 * not lie in one piece.
 */
export function keepInPlace(
  { places, arena }: Memory,
  definition: Definition,
): InPlace | undefined {
  const place = places.get(definition);
  if (!place || !isOutermost(arena) || place.layout.window || isUnsized(place.layout.element))
    return undefined;
  return keptAt(place);
}

/** The cells at a place. Their block is kept, unless the host has kept it before. */
function keptAt(place: Place): InPlace {
  const found = inPlace(place);
  if (found.block) keep(found.block);
  return found;
}

/** The cells at a place, and the block to keep for them, unless the host has kept it before. */
export function inPlace({ layout: { element, shape }, address, bytes, isHosts }: Place): InPlace {
  if (isUnsized(element)) throw new Error("strings and data have no cells in memory");
  const value = valueAt(element, shape, address);
  return isHosts ? { value } : { value, block: { address, bytes: aligned(bytes) } };
}

function addStore(machine: Machine, definition: Definition, store: Store): void {
  machine.stores.set(definition, store);
  machine.bytes += storeBytes(store);
  machine.peak = Math.max(machine.peak, machine.bytes);
}

/**
 * Visits every cell of the steps that a finished loop came to last, with its position in memory and
 * in the store.
 */
function copySteps(
  layout: Layout,
  store: Store,
  downward: boolean,
  visit: (inside: number, outside: number, step: number) => void,
): void {
  const { axis } = layout.window ?? store.window!;
  const { shape } = layout;
  const steps = Math.min(
    layout.window?.steps ?? shape[axis]!,
    store.window?.places ?? shape[axis]!,
  );
  const others = shape.filter((_, k) => k !== axis);
  for (let count = 0; count < steps; count++) {
    const step = downward ? count : shape[axis]! - steps + count;
    const position = shape.map((_, k) => (k === axis ? step : 0));
    for (let left = sizeOf(others); left > 0; left--) {
      visit(offsetIn(layout, position), offsetIn(store, position), step);
      for (let k = shape.length - 1; k >= 0; k--) {
        if (k === axis) continue;
        position[k]!++;
        if (position[k]! < shape[k]!) break;
        position[k] = 0;
      }
    }
  }
}

function offsetIn(
  {
    strides,
    window,
  }: {
    readonly strides: readonly number[];
    readonly window?: { readonly axis: number; readonly steps?: number; readonly places?: number };
  },
  position: readonly number[],
): number {
  let offset = 0;
  for (const [axis, at] of position.entries()) {
    const steps = window?.axis === axis ? (window.steps ?? window.places!) : undefined;
    offset += (steps === undefined ? at : at % steps) * strides[axis]!;
  }
  return offset;
}

/** How many bytes the cells of a store take. */
export function storeBytes({ value }: Store): number {
  return value.data.length * (isUnsized(value.dtype) ? 8 : cellBytes(value.dtype));
}
