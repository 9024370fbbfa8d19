// A part of some work: the calls that one thread makes, one after the other, for some rows.

import type { places } from "./control.ts";

/** A call of a kernel with everything but the part that it does. */
export interface PartCall {
  readonly call: (...args: readonly number[]) => unknown;
  /** What comes before the two ends of a part. */
  readonly args: readonly number[];
  /** How many rows each position of the call's part stands for. */
  readonly rowsEach: number;
  /** By how many bytes a row an argument moves back, so that every strip lies in the same cells; nothing where none does. */
  readonly slides: readonly number[];
}

export interface Part {
  readonly thread: number;
  readonly from: number;
  readonly to: number;
  /** Rows of a strip. */
  readonly by: number;
}

/** A call whose arguments have a place for the two ends of a part, which is written anew for every part. */
export interface ReadyCall extends PartCall {
  readonly own: number[];
}

export function readyCalls(calls: readonly PartCall[]): readonly ReadyCall[] {
  return calls.map((each) => ({ ...each, own: [...each.args, 0, 0] }));
}

/** Every thread has cells for a strip of its own. It is sent to workers as text, so it uses nothing but its arguments. */
export function runPart(calls: readonly ReadyCall[], { thread, from, to, by }: Part, make: typeof call): void {
  for (const { call: kernel, args, own, rowsEach, slides } of calls) {
    for (let k = 0; k < slides.length; k++) own[k] = args[k]! + slides[k]! * (thread * by - from);
    own[args.length] = from / rowsEach;
    own[args.length + 1] = Math.ceil(to / rowsEach);
    make(kernel, own);
  }
}

/**
 * Takes parts until there are none: of a thread's own share, then of the others'. It is sent to workers as text, too.
 */
export function takeParts(
  words: Int32Array,
  at: typeof places,
  { thread, threads, parts }: { readonly thread: number; readonly threads: number; readonly parts: number },
  run: (part: number) => void,
): void {
  for (let k = 0; k < threads; k++) {
    const owner = (thread + k) % threads;
    const share = at.firstShare + owner * at.shareWords;
    const first = Math.ceil((owner * parts) / threads);
    const end = Math.ceil(((owner + 1) * parts) / threads);
    for (let part = first + Atomics.add(words, share, 1); part < end; part = first + Atomics.add(words, share, 1))
      run(part);
  }
}

/** A call without an array on the way, for the numbers of arguments that occur. */
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
