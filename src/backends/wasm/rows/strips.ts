// Computes units together, strip by strip. A strip is a few neighbouring rows; its cells stay in
// the cache from one unit to the next. Definitions that nobody reads afterwards have memory for one
// strip only.
//
// A unit computes its rows one by one, or a block of rows at a time if it reduces them in blocks.
// The results of the blocks are combined after all strips.

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
import { compiledChain, rowsAtOnce, type Link } from "./chain.ts";
import { rowsKernel, type Source, type WithBlocks, type WithKernel } from "../code/kernels.ts";
import { recording } from "../memory/recording.ts";
import { call, oneStep, readyCalls, runPart, type PartCall } from "../threads/part.ts";
import { onThreads, threadCount } from "../threads/threads.ts";
import type { Runner } from "../runners.ts";
import { tooLarge, Unsupported } from "../unsupported.ts";

/** A runner that can compute any range of its rows. */
export interface PartialRunner extends Runner {
  readonly rows: number;
  /** How many rows have to be computed together. */
  readonly rowsEach: number;
  readonly work: number;
  readonly source: Source;
  /** The definition to which the rows belong, or the blocks that they form. */
  readonly sized?: Sized;
  readonly blocks?: Blocks;
  /** The first arguments of the kernel: the addresses of its tensors. */
  readonly addresses: () => readonly number[];
  /** The bound call of the kernel, without its part. */
  readonly partCall: () => Pick<PartCall, "call" | "args">;
  /** What remains to be done after all rows. */
  readonly finish?: () => void;
}

export function isPartial(runner: Runner): runner is PartialRunner {
  return "partCall" in runner;
}

interface Strips {
  readonly runners: readonly PartialRunner[];
  /** The number of rows of a strip. */
  readonly by: number;
  readonly links: readonly Link[];
  /** A function that calls all kernels. */
  readonly chain: PartCall["call"];
  /** The definitions that nobody reads afterwards, with the bytes of all their cells. */
  readonly passing: ReadonlyMap<Definition, number>;
}

/** Strips by their first runner. A program that is run again runs the same units together. */
const stripsByFirstRunner = new WeakMap<PartialRunner, Omit<Strips, "passing">>();

export function stripsOf(
  runners: readonly PartialRunner[],
  bytesOfRow: number,
  passing: Strips["passing"],
): Strips {
  const before = stripsByFirstRunner.get(runners[0]!);
  if (
    before?.runners.length === runners.length &&
    runners.every((each, k) => each === before.runners[k])
  )
    return { ...before, passing };
  const links = linksOf(runners);
  const by = rowsOfStrip(runners, bytesOfRow);
  const isOne = links.filter(({ rowsEach }) => rowsEach === 1).length === 1;
  const strips = {
    runners,
    links,
    by,
    chain: compiledChain(links, isOne ? by : rowsAtOnce(bytesOfRow)),
  };
  stripsByFirstRunner.set(runners[0]!, strips);
  return { ...strips, passing };
}

/** The kernels of the runners. Neighbouring runners over the same rows share a kernel. */
function linksOf(runners: readonly PartialRunner[]): readonly Link[] {
  const links: Link[] = [];
  let remaining = runners.filter(({ rowsEach }) => rowsEach === 1);
  let inBlocks = runners.filter(({ rowsEach }) => rowsEach > 1);
  while (remaining.length > 0) {
    const firstWithoutCells = remaining.findIndex(({ sized }) => !sized);
    const withCells = remaining.slice(
      0,
      firstWithoutCells < 0 ? remaining.length : firstWithoutCells,
    ) as (PartialRunner & WithKernel)[];
    // Blocks can be added up once all cells that they read are written.
    const canAdd =
      firstWithoutCells < 0
        ? (inBlocks.filter(({ blocks }) => blocks) as (PartialRunner & WithBlocks)[])
        : [];
    const kernel = undefinedIfTooLarge(() => rowsKernel(withCells, canAdd));
    const done = kernel ? (kernel.of as readonly PartialRunner[]) : [remaining[0]!];
    links.push(kernel ? linkOfRunners(kernel.source, done) : remaining[0]!);
    remaining = remaining.filter((each) => !done.includes(each));
    inBlocks = inBlocks.filter((each) => !done.includes(each));
  }
  return [...inBlocks, ...links];
}

/** `undefined` if the engine refuses the kernel; then each runner keeps its own kernel. */
function undefinedIfTooLarge<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (failure) {
    if (failure instanceof Unsupported && failure.message === tooLarge) return undefined;
    throw failure;
  }
}

/** One kernel for the work of several runners. */
function linkOfRunners(source: Source, runners: readonly PartialRunner[]): Link {
  const [first, ...others] = runners.map(
    ({ sized, blocks }) => (sized ?? blocks!.parts).definition,
  );
  noted(
    "rows",
    (names) => `with ${others.map((each) => names.definition(each)).join(", ")}`,
    first,
  );
  const addresses = (): readonly number[] => {
    const addressByDefinition = new Map<Definition, number>();
    for (const runner of runners) {
      const addresses = runner.addresses();
      runner.source.pointers.forEach((definition, k) =>
        addressByDefinition.set(definition, addresses[k]!),
      );
    }
    return source.pointers.map((definition) => addressByDefinition.get(definition)!);
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

/** A recorded program has neither chains nor strips that share memory. */
function callByCall(runners: readonly PartialRunner[]): readonly PartCall[] {
  return runners.map((runner) => ({ ...runner.partCall(), rowsEach: runner.rowsEach, slides: [] }));
}

/**
 * A call of the whole chain. If there is room for one strip for each thread, the definitions that
 * nobody reads afterwards use the same memory in every strip.
 */
function inOneCall({ runners, links, chain, passing }: Strips, haveRoom: boolean): PartCall {
  const { rows } = runners[0]!;
  const args = links.flatMap((link) => link.addresses());
  const pointers = links.flatMap(({ source }) => source.pointers);
  const slides = pointers.map((definition, k) => {
    const bytes = passing.get(definition) ?? 0;
    // The sliding address must not become negative.
    return haveRoom && bytes >= rows && args[k]! >= bytes ? bytes / rows : 0;
  });
  return {
    call: chain,
    args,
    rowsEach: 1,
    slides: slides.some((slide) => slide > 0) ? slides : [],
  };
}

/** The approximate size of the cells of a strip. */
const stripBytes = 1 << 17;
const leastRows = 16;
/** With few rows there are still this many strips, for threads to share. */
const fewStrips = 4;

/**
 * The number of rows of a strip with `bytesOfRow` bytes in each row. It is a multiple of the rows
 * that each runner has to compute together.
 */
export function rowsOfStrip(runners: readonly PartialRunner[], bytesOfRow: number): number {
  const least = Math.min(leastRows, Math.ceil(runners[0]!.rows / fewStrips));
  const rowsTogether = runners.reduce(
    (rows, { rowsEach }) => leastCommonMultiple(rows, rowsEach),
    least,
  );
  return (
    rowsTogether * Math.max(1, Math.floor(stripBytes / Math.max(1, bytesOfRow) / rowsTogether))
  );
}

/** Blocks and strips have few rows, so a loop finds the multiple quickly. */
function leastCommonMultiple(a: number, b: number): number {
  let multiple = a;
  while (multiple % b !== 0) multiple += a;
  return multiple;
}

/** The definitions that are read at another row than the reader's own. */
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
  const rowOf = ({ sides: [first], cells }: Region): Term =>
    cells?.[0] ?? ofVariable(first!.variable);
  const areEqual = (a: Term, b: Term): boolean => constantOf(subtract(a, b)) === 0;
  // The combination of blocks does not go along the rows.
  for (const region of regions)
    visit(region, (index) => !blocks && region.sides.length > 0 && areEqual(index, rowOf(region)));
  for (const region of blocks?.parts.regions ?? []) {
    const inBlock = region.cases.flatMap(({ reductions }) =>
      reductions.flatMap(({ body }) => body.loops),
    );
    visit(region, (index) => {
      const within = subtract(index, scale(rowOf(region), blocks!.size));
      return inBlock.some(({ variable }) => areEqual(within, ofVariable(variable)));
    });
  }
  return found;
}
