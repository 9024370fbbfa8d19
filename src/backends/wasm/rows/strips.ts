// Units that are computed together, strip by strip: a strip's cells stay in the cache from one unit
// to the next, and what nobody reads afterwards has cells for one strip only.
//
// A unit does its rows one by one, or some of them at a time where it reduces them in blocks; what
// the blocks have come to is put together when all strips are done.

import { constantOf, ofVariable, scale, subtract, type Term } from "../../../affine/term.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Definition } from "../../../ir/program.ts";
import {
  scalarsInRegion,
  type Blocks,
  type Region,
  type Sized,
} from "../../../plan/regions/regions.ts";
import { noted } from "../../../plan/rules.ts";
import { chained, rowsAtOnce, type Link } from "./chain.ts";
import { rowsKernel, type Source, type WithBlocks, type WithKernel } from "../code/kernels.ts";
import { recording } from "../memory/recording.ts";
import { call, oneStep, readyCalls, runPart, type PartCall } from "../threads/part.ts";
import { onThreads, threadCount } from "../threads/threads.ts";
import type { Runner } from "../runners.ts";
import { tooLarge, Unsupported } from "../unsupported.ts";

/** A runner that does any of its rows. */
export interface PartialRunner extends Runner {
  readonly rows: number;
  /** Rows that have to be done together. */
  readonly rowsEach: number;
  readonly work: number;
  readonly source: Source;
  /** The definition whose cells the rows are, or the blocks that they are. */
  readonly sized?: Sized;
  readonly blocks?: Blocks;
  /** What the kernel gets before the part that it does: where its tensors lie. */
  readonly addresses: () => readonly number[];
  /** The call of the kernel, bound, without the part that it does. */
  readonly partCall: () => Pick<PartCall, "call" | "args">;
  /** What is left when all rows are done. */
  readonly finish?: () => void;
}

export function isPartial(runner: Runner): runner is PartialRunner {
  return "partCall" in runner;
}

export interface Strips {
  readonly runners: readonly PartialRunner[];
  /** Rows of a strip. */
  readonly by: number;
  readonly links: readonly Link[];
  /** All kernels in one call. */
  readonly chain: PartCall["call"];
  /** What nobody reads afterwards, with its bytes in all. */
  readonly passing: ReadonlyMap<Definition, number>;
}

/** By the first of their runners: a program that is run again runs the same ones together. */
const known = new WeakMap<PartialRunner, Omit<Strips, "passing">>();

export function stripsOf(
  runners: readonly PartialRunner[],
  bytesOfRow: number,
  passing: Strips["passing"],
): Strips {
  const before = known.get(runners[0]!);
  if (
    before?.runners.length === runners.length &&
    runners.every((each, k) => each === before.runners[k])
  )
    return { ...before, passing };
  const links = linksOf(runners);
  const by = rowsOfStrip(runners, bytesOfRow);
  const isOne = links.filter(({ rowsEach }) => rowsEach === 1).length === 1;
  const made = { runners, links, by, chain: chained(links, isOne ? by : rowsAtOnce(bytesOfRow)) };
  known.set(runners[0]!, made);
  return { ...made, passing };
}

/** The runners' kernels, those of neighbours that go along the same rows as one. */
function linksOf(runners: readonly PartialRunner[]): readonly Link[] {
  const links: Link[] = [];
  let left = runners.filter(({ rowsEach }) => rowsEach === 1);
  let inBlocks = runners.filter(({ rowsEach }) => rowsEach > 1);
  while (left.length > 0) {
    const alone = left.findIndex(({ sized }) => !sized);
    const withCells = left.slice(0, alone < 0 ? left.length : alone) as (PartialRunner &
      WithKernel)[];
    // What others write is there before it is added up.
    const canAdd =
      alone < 0 ? (inBlocks.filter(({ blocks }) => blocks) as (PartialRunner & WithBlocks)[]) : [];
    const found = unlessTooLarge(() => rowsKernel(withCells, canAdd));
    const done = found ? (found.of as readonly PartialRunner[]) : [left[0]!];
    links.push(found ? oneLink(found.source, done) : left[0]!);
    left = left.filter((each) => !done.includes(each));
    inBlocks = inBlocks.filter((each) => !done.includes(each));
  }
  return [...inBlocks, ...links];
}

/** Nothing where what is made is no kernel: each runner has one of its own. */
function unlessTooLarge<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (failure) {
    if (failure instanceof Unsupported && failure.message === tooLarge) return undefined;
    throw failure;
  }
}

/** One kernel for what several runners do. */
function oneLink(source: Source, runners: readonly PartialRunner[]): Link {
  const [first, ...others] = runners.map(
    ({ sized, blocks }) => (sized ?? blocks!.parts).definition,
  );
  noted(
    "rows",
    (names) => `with ${others.map((each) => names.definition(each)).join(", ")}`,
    first,
  );
  const addresses = (): readonly number[] => {
    const known = new Map<Definition, number>();
    for (const runner of runners) {
      const at = runner.addresses();
      runner.source.pointers.forEach((definition, k) => known.set(definition, at[k]!));
    }
    return source.pointers.map((definition) => known.get(definition)!);
  };
  return { source, rowsEach: 1, addresses };
}

export function runStrips(strips: Strips): void {
  const { runners, by } = strips;
  const { rows } = runners[0]!;
  const calls = recording() ? callByCall(runners) : [inOneCall(strips, rows >= by * threadCount())];
  const work = runners.reduce((total, each) => total + each.work, 0);
  if (!onThreads(calls, rows, by, work)) {
    const ready = readyCalls(calls);
    for (let from = 0; from < rows; from += by)
      runPart(ready, { thread: 0, from, to: Math.min(rows, from + by), by, steps: oneStep }, call);
  }
  for (const runner of runners) runner.finish?.();
}

/**
 * A module that is written down knows nothing of chains, nor of strips that lie in the same cells.
 */
function callByCall(runners: readonly PartialRunner[]): readonly PartCall[] {
  return runners.map((runner) => ({ ...runner.partCall(), rowsEach: runner.rowsEach, slides: [] }));
}

/**
 * Where there is room for a strip of each thread's own, what passes lies in the same cells in every
 * strip.
 */
function inOneCall({ runners, links, chain, passing }: Strips, haveRoom: boolean): PartCall {
  const { rows } = runners[0]!;
  const args = links.flatMap((link) => link.addresses());
  const pointers = links.flatMap(({ source }) => source.pointers);
  const slides = pointers.map((definition, k) => {
    const bytes = passing.get(definition) ?? 0;
    // However far it slides back, an address stays one.
    return haveRoom && bytes >= rows && args[k]! >= bytes ? bytes / rows : 0;
  });
  return {
    call: chain,
    args,
    rowsEach: 1,
    slides: slides.some((slide) => slide > 0) ? slides : [],
  };
}

/** A strip's cells are about so many bytes. */
const stripBytes = 1 << 17;
const leastRows = 16;
/** Where there are few rows, there are still so many strips, for threads to share. */
const fewStrips = 4;

/** The rows of a strip of which each takes so many bytes: as many as everybody can do at a time. */
export function rowsOfStrip(runners: readonly PartialRunner[], bytesOfRow: number): number {
  const least = Math.min(leastRows, Math.ceil(runners[0]!.rows / fewStrips));
  const together = runners.reduce((rows, { rowsEach }) => leastMultiple(rows, rowsEach), least);
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
  const own = ({ sides: [first], cells }: Region): Term =>
    cells?.[0] ?? ofVariable(first!.variable);
  const isSame = (a: Term, b: Term): boolean => constantOf(subtract(a, b)) === 0;
  // What puts blocks together has no rows.
  for (const region of regions)
    visit(region, (index) => !blocks && region.sides.length > 0 && isSame(index, own(region)));
  for (const region of blocks?.parts.regions ?? []) {
    const inBlock = region.cases.flatMap(({ reductions }) =>
      reductions.flatMap(({ body }) => body.loops),
    );
    visit(region, (index) => {
      const within = subtract(index, scale(own(region), blocks!.size));
      return inBlock.some(({ variable }) => isSame(within, ofVariable(variable)));
    });
  }
  return found;
}
