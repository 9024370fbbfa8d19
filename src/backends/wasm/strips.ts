// Units that are computed together, strip by strip: a strip's cells stay in the cache from one unit to the next, and what nobody reads
// afterwards has cells for one strip only.
//
// A unit does its rows one by one, or some of them at a time where it reduces them in blocks; what the blocks have come to is put together
// when all strips are done.

import { constantOf, ofVariable, scale, subtract } from "../../ir/affine/term.ts";
import { eachScalar, type Definition, type Scalar } from "../../ir/program.ts";
import { scalarsInRegion, type Sized } from "../../optimise/regions.ts";
import { recording } from "./recording.ts";
import { runPart, type PartCall } from "./threads/part.ts";
import { onThreads, threadCount } from "./threads/threads.ts";
import type { Runner } from "./units.ts";

/** A runner that does any of its rows. */
export interface PartialRunner extends Runner {
  readonly rows: number;
  /** Rows that have to be done together. */
  readonly rowsEach: number;
  readonly work: number;
  /** The tensors whose addresses are the first arguments of the call. */
  readonly pointers: readonly Definition[];
  /** The call of the kernel, bound, without the part that it does. */
  partCall(): Pick<PartCall, "call" | "args">;
  /** What is left when all rows are done. */
  finish?(): void;
}

export function isPartial(runner: Runner): runner is PartialRunner {
  return "partCall" in runner;
}

export interface Strips {
  readonly runners: readonly PartialRunner[];
  /** Rows of a strip. */
  readonly by: number;
  /** What nobody reads afterwards, with its bytes in all. */
  readonly passing: ReadonlyMap<Definition, number>;
}

export function runStrips({ runners, by, passing }: Strips): void {
  const { rows } = runners[0]!;
  const slideOf = (definition: Definition): number => {
    const bytes = passing.get(definition) ?? 0;
    // A module that is written down knows nothing of strips, and every thread needs one of its own.
    return recording() || bytes / rows < 1 || rows < by * threadCount() ? 0 : bytes / rows;
  };
  const calls = runners.map((runner): PartCall => {
    const slides = runner.pointers.map(slideOf);
    return { ...runner.partCall(), rowsEach: runner.rowsEach, slides: slides.some((slide) => slide > 0) ? slides : [] };
  });
  const work = runners.reduce((total, each) => total + each.work, 0);
  if (!onThreads(calls, 0, rows, by, work))
    for (let from = 0; from < rows; from += by) runPart(calls, { thread: 0, from, to: Math.min(rows, from + by), by });
  for (const runner of runners) runner.finish?.();
}

/** A strip's cells are about so many bytes. */
const stripBytes = 1 << 17;
const leastRows = 16;

/** The rows of a strip of which each takes so many bytes: as many as everybody can do at a time. */
export function rowsOfStrip(runners: readonly PartialRunner[], bytesOfRow: number): number {
  const together = runners.reduce((rows, { rowsEach }) => leastMultiple(rows, rowsEach), leastRows);
  return together * Math.max(1, Math.floor(stripBytes / Math.max(1, bytesOfRow) / together));
}

/** Rows of blocks and strips are few: their multiples are soon found. */
function leastMultiple(a: number, b: number): number {
  let multiple = a;
  while (multiple % b !== 0) multiple += a;
  return multiple;
}

/** Whether every read of a definition is at the reader's own row. */
export function readsRowByRow({ regions, blocks }: Sized, read: Definition): boolean {
  const reads = (scalar: Scalar): readonly Extract<Scalar, { kind: "read" }>[] => {
    const found: Extract<Scalar, { kind: "read" }>[] = [];
    eachScalar(scalar, (part) => void (part.kind === "read" && part.definition === read && found.push(part)));
    return found;
  };
  const inRegions = (of: Sized["regions"]) =>
    of.map((region) => ({ region, found: scalarsInRegion(region).flatMap(reads) }));
  if (blocks && inRegions(regions).some(({ found }) => found.length > 0)) return false;
  return inRegions(blocks?.parts.regions ?? regions).every(({ region: { sides, cases }, found }) =>
    found.every(({ indices: [first] }) => {
      if (first?.kind !== "integer" || !sides[0]) return false;
      const own = ofVariable(sides[0].variable);
      if (!blocks) return constantOf(subtract(first.term, own)) === 0;
      const within = subtract(first.term, scale(own, blocks.size));
      const loops = cases.flatMap(({ reductions }) => reductions.flatMap(({ body }) => body.loops));
      return loops.some(({ variable }) => constantOf(subtract(within, ofVariable(variable))) === 0);
    }),
  );
}
