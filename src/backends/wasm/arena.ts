// The memory that kernels work on: constants at its beginning, then the cells of definitions, with room to read a little beyond both ends.

import { allocate, type ElementType, type TypedArray, type Unsized } from "../../ir/scalar/types.ts";
import { Unsupported } from "./kernel.ts";
import { slackBytes } from "./scalars.ts";
import { webAssembly, type Memory } from "./web-assembly.ts";

const pageBytes = 65536;
const constantBytes = 65536;
/** Addresses are 32 bits. */
const mostPages = 65536;

/** Vector constants by their patterns, at the same address in every memory of the process. */
const constants = new Map<string, number>();
const patterns: number[] = [];

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

export interface Arena {
  readonly memory: Memory;
  /** The first address that is free. */
  top: number;
  /** How many constants the memory has. */
  written: number;
}

const firstCell = slackBytes + constantBytes;

export function newArena(): Arena {
  const memory = new (webAssembly().Memory)({ initial: (firstCell + slackBytes) / pageBytes });
  return { memory, top: firstCell, written: 0 };
}

/** Addresses of vectors are kept apart by whole cache lines. */
function aligned(bytes: number): number {
  return Math.ceil(bytes / 64) * 64;
}

/** Room for a number of bytes; a RangeError where the memory cannot grow so far. */
export function room(arena: Arena, bytes: number): number {
  const address = arena.top;
  arena.top += aligned(Math.max(bytes, 1));
  return address;
}

/** What kernels cannot have the oracle may still get: its tensors do not share one memory. */
function grow(memory: Memory, by: number, pages: number): void {
  if (pages > mostPages) throw new Unsupported("more memory than 32-bit addresses reach");
  try {
    memory.grow(by);
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    throw new Unsupported("more memory than the host gives at once");
  }
}

/** Makes the memory as large as what has been handed out. */
export function settle(arena: Arena): void {
  const pages = Math.ceil((arena.top + slackBytes) / pageBytes);
  const has = arena.memory.buffer.byteLength / pageBytes;
  if (pages > has) grow(arena.memory, pages - has, pages);
  if (arena.written < patterns.length) {
    new Int32Array(arena.memory.buffer, slackBytes, patterns.length).set(patterns);
    arena.written = patterns.length;
  }
}

/** The cells at an address, in place. */
export function view(arena: Arena, type: Exclude<ElementType, Unsized>, address: number, length: number): TypedArray {
  const sample = allocate(type, 0);
  const Kind = sample.constructor as new (buffer: ArrayBufferLike, at: number, length: number) => TypedArray;
  return new Kind(arena.memory.buffer, address, length);
}
