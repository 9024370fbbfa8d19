// This folder runs parts of calls on several threads that share the kernels' memory; which work can
// be divided, and how, is decided by the runners and strips of kernels.
//
// Kernels run on one thread unless the host of the program asks for more.

import { isMemoryShared, shareMemory, sharedMemory } from "../memory/arena.ts";
import type { PartCall, Steps } from "./part.ts";
import { newPool, type Pool } from "./pool.ts";
import { canShareMemory } from "./start.ts";
import { WorkerFault } from "./worker-fault.ts";

export type ThreadFunction = (...args: readonly number[]) => unknown;

interface Origin {
  readonly bytes: Uint8Array;
  readonly siblings: readonly ThreadFunction[];
}

/**
 * The modules of functions that import nothing from the host. Only such functions can run on a
 * worker.
 */
const origins = new WeakMap<ThreadFunction, Origin>();
let threads = 1;
let pool: Pool | undefined;
let numbers = new WeakMap<ThreadFunction, number>();

/** Notes from which module functions come, in their order. */
export function cameFrom(bytes: Uint8Array, siblings: readonly ThreadFunction[]): void {
  for (const each of siblings) origins.set(each, { bytes, siblings });
}

/**
 * Lets kernels run on so many threads from now on, the calling one included, and returns how many
 * there will be: one where threads cannot share memory. Results have the same bits whatever the
 * number is.
 */
export function useThreads(count: number): number {
  if (!Number.isFinite(count))
    throw new RangeError(`\`useThreads\` takes a number of threads, not ${String(count)}`);
  const wanted = count > 1 && canShareMemory() && shareMemory() ? Math.floor(count) : 1;
  if (wanted !== threads) stopPool();
  threads = wanted;
  return threads;
}

export function threadCount(): number {
  return threads;
}

function stopPool(): void {
  pool?.stop();
  pool = undefined;
  numbers = new WeakMap();
}

/** Work that takes less is done before another thread has heard of it. */
const leastWork = 1 << 15;

/**
 * Whether threads can share work on so many rows, `by` of them at a time, and whether that pays.
 */
export function isForThreads(rows: number, by: number, work: number): boolean {
  return threads > 1 && work >= leastWork && rows > by && isMemoryShared();
}

/**
 * Runs calls on so many rows, `by` of them at a time, on all threads, step by step. The answer is
 * false if that is not worth it or not possible yet: the caller then does the same work alone.
 */
export function onThreads(
  calls: readonly PartCall[],
  rows: number,
  by: number,
  work: number,
  steps?: Steps,
): boolean {
  if (!isForThreads(rows, by, work)) return false;
  pool ??= newPool(sharedMemory(), threads - 1);
  if (!pool?.isReady()) return false;
  try {
    const used: number[] = [];
    for (const each of calls) {
      const number = numbers.get(each.call) ?? installFrom(pool, each.call);
      if (number === undefined) return false;
      used.push(number);
    }
    return pool.run(calls, used, { from: 0, to: rows }, by, steps);
  } catch (failure) {
    if (failure instanceof WorkerFault) {
      stopPool();
      threads = 1;
    }
    throw failure;
  }
}

function installFrom(to: Pool, call: ThreadFunction): number | undefined {
  const origin = origins.get(call);
  if (!origin) return undefined;
  const first = to.install(origin.bytes, origin.siblings.length);
  if (first === undefined) return undefined;
  origin.siblings.forEach((each, k) => numbers.set(each, first + k));
  return numbers.get(call);
}
