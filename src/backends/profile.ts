// Measures where a run spends its time. What is computed in one go is timed together and attributed
// to the line of the source that asked for it.

import type { Definition } from "../ir/program.ts";
import { evaluate, type Polynomial, type Sizes } from "../cost/polynomial.ts";
import { workOf } from "../cost/work.ts";
import { positionOf } from "../base/source.ts";

/** The cost of one line of the source. */
export interface ProfileLine {
  readonly file: string;
  readonly line: number;
  readonly ms: number;
  /** Bytes read and written, as the cost certificate counts them. */
  readonly bytes: number;
  /** Additions, multiplications and other arithmetic on values. */
  readonly flops: number;
}

export interface Profile {
  /**
   * Times a computation of definitions. `inside` are the definitions that have no cells of their
   * own and are computed with them.
   */
  readonly time: <T>(
    definitions: readonly Definition[],
    inside: readonly Definition[],
    compute: () => T,
  ) => T;
  /** The lines, the slowest first. */
  readonly lines: (extent: Sizes["extent"]) => readonly ProfileLine[];
}

interface Timed {
  readonly definitions: readonly Definition[];
  readonly inside: readonly Definition[];
  readonly ms: number;
}

export function newProfile(now: () => number): Profile {
  const all: Timed[] = [];
  // The time of computations that were timed inside another one. It is not counted twice.
  let nested = 0;
  return {
    time(definitions, inside, compute) {
      const before = nested;
      const begun = now();
      try {
        return compute();
      } finally {
        const ms = now() - begun;
        all.push({ definitions, inside, ms: ms - (nested - before) });
        nested = before + ms;
      }
    },
    lines(extent) {
      // How often a condition on data holds is not known. It is counted as if it always held.
      const amount = (of: Polynomial): number => {
        const value = evaluate(of, { extent, data: () => 1 });
        return Number.isFinite(value) ? Math.round(value) : 0;
      };
      const found = new Map<string, ProfileLine>();
      for (const { definitions, inside, ms } of all) {
        const [first] = definitions;
        const { source, start } = first!.span;
        const { line } = positionOf(source, start);
        const key = `${source.name}:${line}`;
        const known = found.get(key) ?? { file: source.name, line, ms: 0, bytes: 0, flops: 0 };
        const work = [...definitions, ...inside].map(workOf);
        found.set(key, {
          ...known,
          ms: known.ms + ms,
          bytes: work.reduce((total, { bytes }) => total + amount(bytes), known.bytes),
          flops: work.reduce((total, { arithmetic }) => total + amount(arithmetic), known.flops),
        });
      }
      return [...found.values()].sort((a, b) => b.ms - a.ms);
    },
  };
}
