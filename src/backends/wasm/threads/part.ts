// A part of some work: the calls that one thread makes, one after the other, for some rows.

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

/** Every thread has cells for a strip of its own. */
export function runPart(calls: readonly PartCall[], { thread, from, to, by }: Part): void {
  for (const { call, args, rowsEach, slides } of calls) {
    const own = slides.length === 0 ? args : args.map((value, k) => value + (slides[k] ?? 0) * (thread * by - from));
    call(...own, from / rowsEach, Math.ceil(to / rowsEach));
  }
}
