// Units that are computed together, strip by strip: a strip's cells stay in the cache from one unit to the next, and what nobody reads
// afterwards has cells for one strip only.
//
// A unit does its rows one by one, or some of them at a time where it reduces them in blocks; what the blocks have come to is put together
// when all strips are done.

import { constantOf, ofVariable, scale, subtract, type Term } from "../../ir/affine/term.ts";
import { eachScalar, type Definition } from "../../ir/program.ts";
import { scalarsInRegion, type Region, type Sized } from "../../optimise/regions.ts";
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
  // A module that is written down knows nothing of strips, and every thread needs one of its own.
  const haveRoom = !recording() && rows >= by * threadCount();
  const slideOf = (definition: Definition, address: number): number => {
    const bytes = passing.get(definition) ?? 0;
    // However far it slides back, an address stays one.
    return haveRoom && bytes >= rows && address >= bytes ? bytes / rows : 0;
  };
  const calls = runners.map(({ pointers, rowsEach, ...runner }): PartCall => {
    const { call, args } = runner.partCall();
    const slides = pointers.map((definition, k) => slideOf(definition, args[k]!));
    return { call, args, rowsEach, slides: slides.some((slide) => slide > 0) ? slides : [] };
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

/** What is read elsewhere than at the reader's own row. */
export function readElsewhere({ regions, blocks }: Sized): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  const visit = (region: Region, isOwnRow: (index: Term) => boolean): void => {
    for (const scalar of scalarsInRegion(region))
      eachScalar(scalar, (part) => {
        if (part.kind !== "read") return;
        const [first] = part.indices;
        if (first?.kind !== "integer" || !isOwnRow(first.term)) found.add(part.definition);
      });
  };
  const own = ({ sides: [first], cells }: Region): Term => cells?.[0] ?? ofVariable(first!.variable);
  const isSame = (a: Term, b: Term): boolean => constantOf(subtract(a, b)) === 0;
  // What puts blocks together has no rows.
  for (const region of regions)
    visit(region, (index) => !blocks && region.sides.length > 0 && isSame(index, own(region)));
  for (const region of blocks?.parts.regions ?? []) {
    const inBlock = region.cases.flatMap(({ reductions }) => reductions.flatMap(({ body }) => body.loops));
    visit(region, (index) => {
      const within = subtract(index, scale(own(region), blocks!.size));
      return inBlock.some(({ variable }) => isSame(within, ofVariable(variable)));
    });
  }
  return found;
}
