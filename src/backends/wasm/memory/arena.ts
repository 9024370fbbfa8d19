// This folder manages the memory that kernels share, and repeats runs in it; what kernels compute
// in it is decided elsewhere.
//
// The memory begins with constants. Behind them lie the cells of the runs in progress, with a
// little room beyond both ends for reads of whole vectors. The whole process has one memory. A run
// takes blocks above those of the runs that it runs inside of, gives back the blocks that nobody
// reads any more, and leaves the memory to the next run, but for the blocks that the host keeps.

import { sizeOf, type TensorValue } from "../../../scalar/values/value.ts";
import { type ElementType, type TypedArray, type Unsized } from "../../../scalar/types.ts";
import { cellArrays } from "./cell-arrays.ts";
import type { ModuleParts } from "../code/encode.ts";
import { freeAround, isAnyKept, keep, type Block as KeptBlock } from "./kept.ts";
import { slackBytes } from "../code/kernel.ts";
import { webAssembly, type Memory } from "../web-assembly.ts";
import { Unsupported } from "../unsupported.ts";

const pageBytes = 65536;
const constantBytes = 65536;
/** Addresses have 32 bits. */
const mostPages = 65536;

/** The address of each vector constant, by its pattern. */
const constants = new Map<string, number>();
const patterns: number[] = [];
/** How many words of the patterns have been written to the memory. */
let written = 0;

/** The address of a vector constant that repeats the words (low, high) twice. */
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
/** The bytes of the memory until it grows. Asking the memory itself is a call of the host. */
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

/** How a module declares the memory that it imports. */
export function memoryType(): ModuleParts["memory"] {
  return isShared ? { pages: 1, shared: { most: mostPages } } : { pages: 1 };
}

/** Whether threads can share the memory. */
export function isMemoryShared(): boolean {
  return isShared;
}

/**
 * Replaces the memory by one that threads can share. The answer is false while a run or the host
 * holds cells in the present memory.
 */
export function shareMemory(): boolean {
  if (isShared) return true;
  if (openArenas.length > 0 || isAnyKept()) return false;
  isShared = true;
  memory = undefined;
  bytes = undefined;
  written = 0;
  wholeMemory.clear();
  return true;
}

/** The part of the memory that one run uses. */
export interface Arena {
  readonly bottom: number;
  /** The end of the blocks that are taken, and the highest that the end has been. */
  top: number;
  highest: number;
  /** The free blocks below the top, by address. No two of them touch. */
  readonly free: Block[];
}

interface Block {
  address: number;
  bytes: number;
}

/** The runs in progress. Each runs inside the one before it. */
const openArenas: Arena[] = [];

export function openArena(): Arena {
  const outer = openArenas.at(-1);
  // The free room around kept blocks belongs to the outermost run.
  const { free, end } = outer ? { free: [], end: outer.highest } : freeAround(firstCell);
  const arena: Arena = { bottom: end, top: end, highest: end, free };
  openArenas.push(arena);
  return arena;
}

/**
 * Takes a block that stays until it is released. The answer is `undefined` while a run is in
 * progress, because everything above the kept blocks is the run's.
 */
export function takeKept(bytes: number): KeptBlock | undefined {
  if (openArenas.length > 0) return undefined;
  const { free, end } = freeAround(firstCell);
  const arena: Arena = { bottom: end, top: end, highest: end, free };
  return keep({ address: take(arena, bytes), bytes: aligned(bytes) });
}

/** Whether a run is in progress. */
export function isAnyOpen(): boolean {
  return openArenas.length > 0;
}

/** Whether a run runs inside of no other. */
export function isOutermost(arena: Arena): boolean {
  return openArenas[0] === arena;
}

export function closeArena(arena: Arena): void {
  const at = openArenas.lastIndexOf(arena);
  if (at >= 0) openArenas.splice(at);
}

/** Rounds a size up to whole cache lines. */
export function aligned(bytes: number): number {
  return Math.ceil(Math.max(bytes, 1) / 64) * 64;
}

/** Takes the smallest free block that is large enough, or else room behind all blocks. */
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
  reach(address + size);
  if (address !== arena.top) arena.free.pop();
  arena.top = address + size;
  arena.highest = Math.max(arena.highest, arena.top);
  return address;
}

export function give(arena: Arena, address: number, bytes: number): void {
  const { free } = arena;
  const block: Block = { address, bytes: aligned(bytes) };
  const next = free.findIndex((each) => each.address > address);
  const index = next < 0 ? free.length : next;
  free.splice(index, 0, block);
  const [before, after] = [free[index - 1], free[index + 1]];
  if (after && block.address + block.bytes === after.address) {
    block.bytes += after.bytes;
    free.splice(index + 1, 1);
  }
  if (before && before.address + before.bytes === block.address) {
    before.bytes += block.bytes;
    free.splice(index, 1);
  }
}

/**
 * Grows the memory. If that is impossible, the oracle may still run, because its tensors do not
 * share one memory.
 */
function grow(by: number, pages: number): void {
  if (pages > mostPages) throw new Unsupported("more memory than 32-bit addresses reach");
  try {
    sharedMemory().grow(by);
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    throw new Unsupported("more memory than the host gives at once");
  }
  bytes = undefined;
  for (const listener of growthListeners) listener();
}

/**
 * The listeners that are told when the memory has grown: arrays over the old memory are useless
 * then, and have to be made anew.
 */
const growthListeners = new Set<() => void>();

/** Calls `noticed` whenever the memory has grown. The result stops that. */
export function whenGrown(listener: () => void): () => void {
  growthListeners.add(listener);
  return () => void growthListeners.delete(listener);
}

/** Whether an array lies in the kernels' memory. */
export function isInMemory(data: { readonly buffer?: unknown }): boolean {
  return memory !== undefined && data.buffer === bytesOfMemory();
}

/** Cells in the memory as a value. Its array is made anew if the memory has grown since. */
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

/** Keeps a value alive as long as somebody holds its array. */
const holders = new WeakMap<TypedArray, TensorValue>();

const living = new WeakSet<TensorValue>();

/** Whether a value lies in the kernels' memory. */
export function isLiving(value: TensorValue): boolean {
  return living.has(value);
}

/** Makes sure that the memory reaches up to an address. */
function reach(end: number): void {
  const pages = Math.ceil((end + slackBytes) / pageBytes);
  const has = sharedMemory().buffer.byteLength / pageBytes;
  if (pages > has) grow(pages - has, pages);
}

/** Writes the vector constants that kernels have added since the last call. */
export function writeConstants(): void {
  if (written === patterns.length) return;
  new Int32Array(sharedMemory().buffer, slackBytes, patterns.length).set(patterns);
  written = patterns.length;
}

/** All vector constants, and their address. */
export function vectorConstants(): {
  readonly address: number;
  readonly patterns: readonly number[];
} {
  return { address: slackBytes, patterns };
}

/** The whole memory as cells of each type, made anew only when the memory has grown. */
const wholeMemory = new Map<ElementType, TypedArray>();

export function cellsOfMemory(type: Exclude<ElementType, Unsized>): TypedArray {
  const buffer = bytesOfMemory();
  let cells = wholeMemory.get(type);
  if (cells?.buffer !== buffer) wholeMemory.set(type, (cells = new cellArrays[type](buffer)));
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
