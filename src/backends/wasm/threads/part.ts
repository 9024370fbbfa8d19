// A part of some work: the calls that one thread makes, one after the other, for some rows, and
// again for every step.

import type { places } from "./control.ts";

/** A call of a kernel, without the ends of the part that it computes. */
export interface PartCall {
  readonly call: (...args: readonly number[]) => unknown;
  /** The arguments before the two ends of a part. */
  readonly args: readonly number[];
  /** How many rows each position of the call's part stands for. */
  readonly rowsEach: number;
  /**
   * By how many bytes for each row an argument moves back, so that all strips lie in the same
   * cells; empty if no argument moves.
   */
  readonly slides: readonly number[];
  /**
   * In which steps the call is made, and how its arguments move from step to step; absent if all
   * work is one step.
   */
  readonly stepping?: Stepping;
}

export interface Stepping extends Span {
  readonly moves: readonly Move[];
}

/**
 * How an argument moves with the steps: by a number of bytes for each step, and, in a window, to
 * the row of the step modulo the number of rows.
 */
export interface Move {
  readonly argument: number;
  readonly by: number;
  readonly window?: {
    readonly steps: number;
    readonly first: number;
    readonly direction: number;
    readonly bytes: number;
  };
}

/** Numbers from `from` to `to`; `to` is not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Steps that each thread goes through by itself, or that all threads take together: nobody begins a
 * call before all threads have finished the call before it.
 */
export interface Steps extends Span {
  readonly areTogether?: boolean;
}

/** Work that is one step. */
export const oneStep: Span = { from: 0, to: 1 };
/** The span of every step. */
export const everyStep: Span = { from: -0x80000000, to: 0x7fffffff };

interface Part extends Span {
  readonly thread: number;
  /** How many rows a strip has. */
  readonly by: number;
  readonly steps: Span;
}

/**
 * A call whose list of arguments has room for the two ends of a part. They are written anew for
 * every part.
 */
export interface ReadyCall extends PartCall {
  readonly own: number[];
}

export function readyCalls(calls: readonly PartCall[]): readonly ReadyCall[] {
  return calls.map((each) => ({ ...each, args: [...each.args], own: [...each.args, 0, 0] }));
}

/**
 * Makes the calls of a part. Every thread has cells for a strip of its own. The function is sent to
 * workers as text, so it uses nothing but its arguments.
 */
export function runPart(
  calls: readonly ReadyCall[],
  { thread, from, to, by, steps }: Part,
  make: typeof call,
): void {
  for (let step = steps.from; step < steps.to; step++) {
    for (const { call: kernel, args, own, rowsEach, slides, stepping } of calls) {
      if (stepping) {
        if (step < stepping.from || step >= stepping.to) continue;
        for (const { argument, by: bytes, window } of stepping.moves) {
          let place = 0;
          if (window) {
            place = (window.first + window.direction * step) % window.steps;
            if (place < 0) place += window.steps;
            place *= window.bytes;
          }
          own[argument] = args[argument]! + bytes * step + place;
        }
      }
      for (let k = 0; k < slides.length; k++)
        if (slides[k] !== 0) own[k] = args[k]! + slides[k]! * (thread * by - from);
      own[args.length] = from / rowsEach;
      own[args.length + 1] = Math.ceil(to / rowsEach);
      make(kernel, own);
    }
  }
}

/**
 * Takes parts until there are none: first of the thread's own share, then of the other shares. The
 * function is sent to workers as text, so it uses nothing but its arguments.
 */
export function takeParts(
  words: Int32Array,
  at: typeof places,
  {
    thread,
    threads,
    parts,
  }: { readonly thread: number; readonly threads: number; readonly parts: number },
  run: (part: number) => void,
): void {
  for (let k = 0; k < threads; k++) {
    const owner = (thread + k) % threads;
    const share = at.firstShare + owner;
    const first = Math.ceil((owner * parts) / threads);
    const end = Math.ceil(((owner + 1) * parts) / threads);
    for (
      let part = first + Atomics.add(words, share, 1);
      part < end;
      part = first + Atomics.add(words, share, 1)
    )
      run(part);
  }
}

/**
 * Takes parts of one call after the other, step by step. A call begins when the call before it is
 * done everywhere. The function is sent to workers as text, so it uses nothing but its arguments.
 *
 * A thread that is only a little late is not helped, because its cells would then lie in another
 * cache in the next step. A worker that keeps a part for long has lost its processor; once it has
 * given the part back, the first thread does the rest of the job alone.
 */
export function takeTogether(
  words: Int32Array<SharedArrayBuffer>,
  at: typeof places,
  {
    thread,
    threads,
    parts,
  }: { readonly thread: number; readonly threads: number; readonly parts: number },
  { calls, steps }: { readonly calls: number; readonly steps: Span },
  { late, lost }: { readonly late: number; readonly lost: number },
  run: (part: number, call: number, step: number) => void,
): void {
  const all = parts * calls * (steps.to - steps.from);
  let looks = 0;
  let isHelping = false;
  for (let done = Atomics.load(words, at.done); done < all; done = Atomics.load(words, at.done)) {
    if (thread > 0 && Atomics.load(words, at.alone) !== 0) return;
    const now = Math.floor(done / parts);
    const among = isHelping ? threads : 1;
    looks++;
    for (let k = 0; k < among; k++) {
      const owner = (thread + k) % threads;
      const share = at.firstShare + owner;
      const first = Math.ceil((owner * parts) / threads);
      const own = Math.ceil(((owner + 1) * parts) / threads) - first;
      // A share has handed out at least the parts that the earlier calls had in it.
      const next = Atomics.load(words, share);
      if (next >= (now + 1) * own || Atomics.compareExchange(words, share, next, next + 1) !== next)
        continue;
      run(first + next - now * own, now % calls, steps.from + Math.floor(now / calls));
      Atomics.add(words, at.done, 1);
      if (Atomics.load(words, at.alone) !== 0) Atomics.notify(words, at.done);
      looks = 0;
      break;
    }
    if (looks > late) isHelping = true;
    if (looks <= lost) continue;
    if (thread === 0) Atomics.store(words, at.alone, 1);
    try {
      Atomics.wait(words, at.done, done, 1);
    } catch {
      // A browser does not let the main thread sleep.
    }
  }
}

/** Calls a kernel without spreading an array, for the numbers of arguments that occur. */
export function call(kernel: PartCall["call"], a: readonly number[]): unknown {
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
    case 9:
      return kernel(a[0]!, a[1]!, a[2]!, a[3]!, a[4]!, a[5]!, a[6]!, a[7]!, a[8]!);
    case 10:
      return kernel(a[0]!, a[1]!, a[2]!, a[3]!, a[4]!, a[5]!, a[6]!, a[7]!, a[8]!, a[9]!);
    default:
      return kernel(...a);
  }
}
