// The memory that kernels work on: constants at its beginning, then the cells of the runs in
// progress, with room to read a little beyond both ends. There is one for the whole process: a run
// takes what it needs above those that it runs inside of, gives back what nobody reads any more,
// and leaves the memory to the next one, but for the blocks that the host keeps.

import { sizeOf, type TensorValue } from "../../../scalar/values/value.ts";
import { type ElementType, type TypedArray, type Unsized } from "../../../scalar/types.ts";
import { cellArrays } from "./cell-arrays.ts";
import type { ModuleParts } from "../code/encode.ts";
import { around, isAnyKept, keep, type Block as KeptBlock } from "./kept.ts";
import { slackBytes } from "../code/kernel.ts";
import { webAssembly, type Memory } from "../web-assembly.ts";
import { Unsupported } from "../unsupported.ts";

const pageBytes = 65536;
const constantBytes = 65536;
/** Addresses are 32 bits. */
const mostPages = 65536;

/** Vector constants by their patterns. */
const constants = new Map<string, number>();
const patterns: number[] = [];
/** How many of the patterns the memory has. */
let written = 0;

/** The address of twice (low, high), a vector constant. */
export function constantAt(low: number, high: number): number {
  const key = `${low},${high}`;
  let address = constants.get(key);
  if (address === undefined) {
    address = slackBytes + constants.size * 16;
    if (constants.size * 16 >= constantBytes) throw new RangeError("too many vector constants");
    constants.set(key, address);
    patterns.push(low, high, low, high);
  }
  return address;
}

const firstCell = slackBytes + constantBytes;

let memory: Memory | undefined;
/** The memory's bytes until it grows: asking the memory itself is a call of the host. */
let bytes: Memory["buffer"] | undefined;
let isShared = false;

export function sharedMemory(): Memory {
  const initial = (firstCell + slackBytes) / pageBytes;
  memory ??= new (webAssembly().Memory)(
    isShared ? { initial, maximum: mostPages, shared: true } : { initial },
  );
  return memory;
}

function bytesOfMemory(): Memory["buffer"] {
  return (bytes ??= sharedMemory().buffer);
}

/** What modules say of the memory that they import. */
export function memoryType(): ModuleParts["memory"] {
  return isShared ? { pages: 1, shared: { most: mostPages } } : { pages: 1 };
}

/** Whether threads can have the memory too. */
export function isMemoryShared(): boolean {
  return isShared;
}

/**
 * From now on the memory is one that threads can share; false while a run or the host holds cells
 * in the one that there is.
 */
export function shareMemory(): boolean {
  if (isShared) return true;
  if (open.length > 0 || isAnyKept()) return false;
  isShared = true;
  memory = undefined;
  bytes = undefined;
  written = 0;
  wholes.clear();
  return true;
}

/** The part of the memory that one run uses. */
export interface Arena {
  readonly bottom: number;
  /** The end of what has been taken, and the farthest that it has been. */
  top: number;
  highest: number;
  /** What was given back below the top, by address; no two of them touch. */
  readonly free: Block[];
}

interface Block {
  address: number;
  bytes: number;
}

/** The runs in progress, each inside of the one before. */
const open: Arena[] = [];

export function openArena(): Arena {
  const outer = open.at(-1);
  // What lies free around kept blocks is the outermost run's.
  const { free, end } = outer ? { free: [], end: outer.highest } : around(firstCell);
  const arena: Arena = { bottom: end, top: end, highest: end, free };
  open.push(arena);
  return arena;
}

/**
 * Room that stays until it is released. Nothing while a run is in progress: what is above it is the
 * run's.
 */
export function takeKept(bytes: number): KeptBlock | undefined {
  if (open.length > 0) return undefined;
  const { free, end } = around(firstCell);
  const arena: Arena = { bottom: end, top: end, highest: end, free };
  return keep({ address: take(arena, bytes), bytes: aligned(bytes) });
}

/** Whether a run is in progress. */
export function isAnyOpen(): boolean {
  return open.length > 0;
}

/** Whether a run runs inside of no other. */
export function isOutermost(arena: Arena): boolean {
  return open[0] === arena;
}

export function closeArena(arena: Arena): void {
  const at = open.lastIndexOf(arena);
  if (at >= 0) open.splice(at);
}

/** Addresses of vectors are kept apart by whole cache lines. */
export function aligned(bytes: number): number {
  return Math.ceil(Math.max(bytes, 1) / 64) * 64;
}

/** The smallest free block that is large enough, or room behind everything. */
export function take(arena: Arena, bytes: number): number {
  const size = aligned(bytes);
  let best: Block | undefined;
  for (const block of arena.free)
    if (block.bytes >= size && (best === undefined || block.bytes < best.bytes)) best = block;
  if (best) {
    const { address } = best;
    best.address += size;
    best.bytes -= size;
    if (best.bytes === 0) arena.free.splice(arena.free.indexOf(best), 1);
    return address;
  }
  const last = arena.free.at(-1);
  const address = last && last.address + last.bytes === arena.top ? last.address : arena.top;
  settle(address + size);
  if (address !== arena.top) arena.free.pop();
  arena.top = address + size;
  arena.highest = Math.max(arena.highest, arena.top);
  return address;
}

export function give(arena: Arena, address: number, bytes: number): void {
  const { free } = arena;
  const block: Block = { address, bytes: aligned(bytes) };
  const at = free.findIndex((each) => each.address > address);
  const place = at < 0 ? free.length : at;
  free.splice(place, 0, block);
  const [before, after] = [free[place - 1], free[place + 1]];
  if (after && block.address + block.bytes === after.address) {
    block.bytes += after.bytes;
    free.splice(place + 1, 1);
  }
  if (before && before.address + before.bytes === block.address) {
    before.bytes += block.bytes;
    free.splice(place, 1);
  }
}

/** What kernels cannot have the oracle may still get: its tensors do not share one memory. */
function grow(by: number, pages: number): void {
  if (pages > mostPages) throw new Unsupported("more memory than 32-bit addresses reach");
  try {
    sharedMemory().grow(by);
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    throw new Unsupported("more memory than the host gives at once");
  }
  bytes = undefined;
  for (const noticed of growing) noticed();
}

/**
 * What is told when the memory has grown: arrays over it are then of no use, and have to be made
 * anew.
 */
const growing = new Set<() => void>();

/** Gives the way to stop listening. */
export function whenGrown(noticed: () => void): () => void {
  growing.add(noticed);
  return () => void growing.delete(noticed);
}

/** Whether an array lies in the kernels' memory. */
export function isInMemory(data: { readonly buffer?: unknown }): boolean {
  return memory !== undefined && data.buffer === bytesOfMemory();
}

/**
 * Cells at an address of the memory as a value: its array is the one of the moment at which it is
 * asked for.
 */
export function valueAt(
  dtype: Exclude<ElementType, Unsized>,
  shape: readonly number[],
  address: number,
): TensorValue {
  const length = sizeOf(shape);
  let data: TypedArray | undefined;
  const value: TensorValue = {
    dtype,
    shape,
    get data() {
      if (data?.buffer !== bytesOfMemory()) {
        data = view(dtype, address, length);
        holders.set(data, value);
      }
      return data;
    },
  };
  living.add(value);
  return value;
}

/** Who has an array of a value has the value. */
const holders = new WeakMap<TypedArray, TensorValue>();

const living = new WeakSet<TensorValue>();

/** Whether a value is one of those that lie in the memory. */
export function isLiving(value: TensorValue): boolean {
  return living.has(value);
}

/** Makes the memory reach as far as an address. */
function settle(end: number): void {
  const pages = Math.ceil((end + slackBytes) / pageBytes);
  const has = sharedMemory().buffer.byteLength / pageBytes;
  if (pages > has) grow(pages - has, pages);
}

/** Vector constants that kernels made since the last time asked for are written. */
export function writeConstants(): void {
  if (written === patterns.length) return;
  new Int32Array(sharedMemory().buffer, slackBytes, patterns.length).set(patterns);
  written = patterns.length;
}

/** All vector constants, and where they lie. */
export function vectorConstants(): {
  readonly address: number;
  readonly patterns: readonly number[];
} {
  return { address: slackBytes, patterns };
}

/** All of the memory as cells of a type, made anew only when the memory has grown. */
const wholes = new Map<ElementType, TypedArray>();

export function cellsOfMemory(type: Exclude<ElementType, Unsized>): TypedArray {
  const buffer = bytesOfMemory();
  let cells = wholes.get(type);
  if (cells?.buffer !== buffer) wholes.set(type, (cells = new cellArrays[type](buffer)));
  return cells;
}

/** The cells at an address, in place. */
export function view(
  type: Exclude<ElementType, Unsized>,
  address: number,
  length: number,
): TypedArray {
  return new cellArrays[type](bytesOfMemory(), address, length);
}
