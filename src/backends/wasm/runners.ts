// Makes plans runnable: a runner binds the addresses of cells to the calls of kernels, runs loops
// around calls, and divides long work into parts.

import type { Definition } from "../../ir/program.ts";
import { noted } from "../../plan/rules.ts";
import {
  contractionRunner,
  isDividedLike,
  NotFinite,
  productsIn,
  stepRunner,
} from "./contract/run.ts";
import {
  compiledFunctionOf,
  partAxisOf,
  type KernelFunction,
  type Source,
} from "./code/kernels.ts";
import { isPartial, readElsewhere, type PartialRunner } from "./rows/strips.ts";
import { call, everyStep, type PartCall, type Span } from "./threads/part.ts";
import { isForThreads, onThreads, threadCount } from "./threads/threads.ts";
import { stretch, type Track } from "./rows/tracks.ts";
import type { Planned, PlannedCells, PlannedLoop } from "./units.ts";

export type AddressOf = (definition: Definition) => number;

export interface Runner {
  /** Tells the calls where the cells lie. It must come before the first run. */
  bind(addressOf: AddressOf): void;
  run(): void;
  /** How threads can share the work of a step; absent if they cannot. */
  readonly shared?: Shared;
}

/** The calls of a step, each for a part of the positions. */
interface Shared {
  readonly positions: number;
  /**
   * A part begins at a multiple of this, so that every cell is computed in the same way whatever
   * the parts are.
   */
  readonly grain: number;
  /** The length of each part, if only one length gives the same bits. */
  readonly by?: number;
  /** The calls in the steps of a loop. Steps are counted from the beginning of the loop. */
  readonly calls: () => readonly PartCall[];
}

/** The runner of a loop. It can run some of the steps. */
export interface StepRunner extends Runner {
  readonly steps: number;
  runSteps(from: number, to: number): void;
}

/**
 * The position of a loop, which is an argument of the calls inside. Each call counts from a first
 * position of its own.
 */
interface Position {
  /** Whether the position goes up or down from step to step. */
  readonly direction: 1 | -1;
  readonly places: { readonly args: number[]; readonly at: number; readonly first: number }[];
}

export function runnerOf(planned: readonly Planned[], around: readonly Position[] = []): Runner {
  return inSequence(runnersOf(planned, around));
}

/** Runs the parts one after the other. */
function inSequence(parts: readonly Runner[]): Runner {
  const [only] = parts;
  if (parts.length === 1) return only!;
  return {
    bind(addressOf) {
      for (const part of parts) part.bind(addressOf);
    },
    run() {
      for (const part of parts) part.run();
    },
  };
}

function runnersOf(planned: readonly Planned[], around: readonly Position[]): readonly Runner[] {
  return planned.map((step) => {
    switch (step.kind) {
      case "cells":
        return cellsRunner(step, around);
      case "blocks":
        return blocksRunner(step);
      case "terms":
        return termsRunner(step);
      case "owned terms":
        return ownersRunner(step);
      case "contraction":
        return contractionRunner(step.contraction);
      case "step contraction":
        return stepContractionRunner(step, around);
      case "contracted":
        return contractedRunner(step);
      case "loop":
      case "recurrence":
        return loopRunner(step, around);
      default:
        return step satisfies never;
    }
  });
}

export function loopRunner(step: PlannedLoop, around: readonly Position[] = []): StepRunner {
  if (step.kind === "recurrence") {
    const { source, work } = step;
    const inside = inParts(compiledFunctionOf(source), source, work, step.held.flat().length);
    let at = source.pointers.length;
    for (const axes of step.held)
      axes.forEach(({ first }, k) =>
        around[k]!.places.push({ args: inside.args, at: at++, first }),
      );
    return inside;
  }
  const position: Position = { direction: step.reversed ? -1 : 1, places: [] };
  const parts = runnersOf(step.body, [...around, position]);
  const { extent } = step;
  const goTo = (count: number): void => {
    for (const place of position.places)
      place.args[place.at] = place.first + position.direction * count;
  };
  const inTurn = runStepByStep(parts, goTo);
  const runSteps = step.tracks
    ? runAlongTracks(tracksIn(step, step.tracks, parts), goTo, inTurn)
    : runTogether(step, parts, inTurn);
  return {
    steps: extent,
    runSteps,
    run: () => runSteps(0, extent),
    bind(addressOf) {
      for (const part of parts) part.bind(addressOf);
    },
  };
}

type RunSteps = StepRunner["runSteps"];

function runStepByStep(parts: readonly Runner[], goTo: (count: number) => void): RunSteps {
  return (from, to) => {
    for (let count = from; count < to; count++) {
      goTo(count);
      for (const part of parts) part.run();
    }
  };
}

// ── tracks ──────────────────────────────────────────────────────────────────────────────────────

/** What runs on one track: definitions whose positions do not read one another. */
interface TrackRunner {
  readonly parts: readonly Runner[];
  readonly positions: number;
  /** How many positions a thread takes at a time; absent if threads cannot share the track. */
  readonly by?: number;
  readonly work: number;
}

function tracksIn(
  { body }: Extract<PlannedLoop, { kind: "loop" }>,
  tracks: readonly Track[],
  runners: readonly Runner[],
): readonly TrackRunner[] {
  return tracks.map(({ definitions, positions }) => {
    const own = body.flatMap((planned, k) => (isOn(definitions, planned) ? [k] : []));
    const parts = own.map((k) => runners[k]!);
    const by =
      positions > 1
        ? lengthOfParts(
            parts.map(({ shared }) => shared),
            positions,
          )
        : undefined;
    for (const definition of by === undefined ? [] : definitions)
      noted("tracks", () => `each of ${positions} positions by itself`, definition);
    return {
      parts,
      positions,
      ...(by === undefined ? {} : { by }),
      work: own.reduce((total, k) => total + workPerStep(body[k]!), 0),
    };
  });
}

function isOn(definitions: ReadonlySet<Definition>, planned: Planned): boolean {
  const definition = definitionOf(planned);
  return definition !== undefined && definitions.has(definition);
}

/**
 * The length of a part at which every thread takes one part and every call accepts the length;
 * `undefined` if there is no such length.
 */
function lengthOfParts(
  all: readonly (Shared | undefined)[],
  positions: number,
): number | undefined {
  const shared = all.flatMap((part) => (part?.positions === positions ? [part] : []));
  if (shared.length < all.length) return undefined;
  const grain = Math.max(...shared.map((part) => part.grain));
  const settled = shared.find(({ by }) => by !== undefined)?.by;
  const by = settled ?? Math.ceil(positions / threadCount() / grain) * grain;
  return shared.every((part) => by % part.grain === 0 && (part.by ?? by) === by) ? by : undefined;
}

/**
 * Threads that go through steps by themselves meet again after so much work. A thread that is
 * behind is waited for, but not for long.
 */
const workPerJob = 1 << 24;

/** Runs one track after the other, each for a stretch of steps. */
function runAlongTracks(
  tracks: readonly TrackRunner[],
  goTo: (count: number) => void,
  inTurn: RunSteps,
): RunSteps {
  const threads = threadCount();
  const runners = tracks.map((track): RunSteps => {
    const alone = runStepByStep(track.parts, goTo);
    const { parts, positions, by, work } = track;
    if (by === undefined) return alone;
    return (from, to) => {
      const calls = parts.flatMap(({ shared }) => shared!.calls());
      if (!onThreads(calls, positions, by, work * (to - from), { from, to })) alone(from, to);
    };
  });
  const work = tracks.reduce((total, track) => total + track.work, 0);
  const stepsPerTurn =
    runners.length > 1 ? stretch : Math.max(1, Math.floor(workPerJob / Math.max(1, work)));
  return (first, end) => {
    if (threadCount() !== threads) return inTurn(first, end);
    for (let from = first; from < end; from += stepsPerTurn)
      for (const runSteps of runners) runSteps(from, Math.min(end, from + stepsPerTurn));
  };
}

/**
 * A call with less work than this is better made by one thread, because the others would be waited
 * for.
 */
const leastTogether = 1 << 14;

/**
 * Runs all threads together in every call of a step, so that whatever the next call reads is there.
 */
function runTogether(
  { body }: Extract<PlannedLoop, { kind: "loop" }>,
  runners: readonly Runner[],
  inTurn: RunSteps,
): RunSteps {
  const threads = threadCount();
  const all = runners.map(({ shared }) => shared);
  const positions = all[0]?.positions ?? 0;
  const by = positions > 1 ? lengthOfParts(all, positions) : undefined;
  const works = body.map(workPerStep);
  const work = works.reduce((total, each) => total + each, 0);
  if (threads === 1 || by === undefined || works.some((each) => each < leastTogether))
    return inTurn;
  const stepsPerTurn = Math.max(1, Math.floor(workPerJob / work));
  const runSteps: RunSteps = (from, to) => {
    const calls = all.flatMap((shared) => shared!.calls());
    if (!onThreads(calls, positions, by, work * (to - from), { from, to, areTogether: true }))
      inTurn(from, to);
  };
  return (first, end) => {
    if (threadCount() !== threads) return inTurn(first, end);
    for (let from = first; from < end; from += stepsPerTurn)
      runSteps(from, Math.min(end, from + stepsPerTurn));
  };
}

/**
 * How much work is done in one call. V8 replaces the first, slow code of a function only between
 * calls, and threads share calls among them.
 */
const workPerCall = 1 << 17;
const leastPerCall = 1 << 13;
const callsAtLeast = 8;

/**
 * How many positions one call computes. It depends on sizes alone, so the bits of the results do
 * not depend on the threads. A few positions may be divided into parts of any length; more
 * positions are divided at multiples of the grain.
 */
function positionsPerCall(
  extent: number,
  work: number,
  { grain, few }: Grain = { grain: 4, few: 32 },
): number {
  const share = Math.max(leastPerCall, Math.min(workPerCall, work / callsAtLeast));
  const most = Math.max(1, share / Math.max(1, work / extent));
  const multiple = extent >= 256 ? 16 : extent >= few ? grain : Math.ceil(extent / 4);
  return Math.min(extent, Math.ceil(most / multiple) * multiple);
}

interface Grain {
  readonly grain: number;
  readonly few: number;
}

/** Writes the addresses of a kernel's tensors into its first arguments. */
function binding({ pointers }: Source, args: number[]): Runner["bind"] {
  return (addressOf) => {
    for (const [k, definition] of pointers.entries()) args[k] = addressOf(definition);
  };
}

/** Runs the terms of a scatter, in parts if their number is known. */
function termsRunner({ source, work }: Extract<Planned, { kind: "terms" }>): Runner {
  const kernel = compiledFunctionOf(source);
  if (source.partOf !== undefined) return inParts(kernel, source, work);
  const args = source.pointers.map(() => 0);
  return { bind: binding(source, args), run: () => call(kernel, args) };
}

/**
 * Runs a scatter by owners: every thread walks all terms and adds those that go to its own cells.
 */
function ownersRunner({ source, work }: Extract<Planned, { kind: "owned terms" }>): Runner {
  const kernel = compiledFunctionOf(source);
  const extent = source.partOf!;
  const args = source.pointers.map(() => 0);
  return {
    bind: binding(source, args),
    run() {
      const share = Math.ceil(extent / threadCount());
      if (onThreads([{ call: kernel, args, rowsEach: 1, slides: [] }], extent, share, work)) return;
      call(kernel, [...args, 0, extent]);
    },
  };
}

function stepContractionRunner(
  { contraction, isByRows, axes, between }: Extract<Planned, { kind: "step contraction" }>,
  around: readonly Position[],
): Runner {
  const held = axes.map(() => 0);
  around
    .slice(0, axes.length)
    .forEach(({ places }, k) => places.push({ args: held, at: k, first: axes[k]!.first }));
  const isInside = (): boolean =>
    held.every((at, k) => at >= between[k]!.from && at < between[k]!.to);
  const runner = stepRunner(contraction, held, isInside);
  const { what, length, by, threads } = contraction.work.division;
  if (!isByRows || axes.length !== 1 || what !== "rows" || threads !== threadCount()) return runner;
  const { direction } = around[0]!;
  const { first } = axes[0]!;
  const [one, other] = [
    (between[0]!.from - first) * direction,
    (between[0]!.to - 1 - first) * direction,
  ];
  const steps: Span = { from: Math.min(one, other), to: Math.max(one, other) + 1 };
  const calls = (): readonly PartCall[] => [runner.stepping({ first, direction }, steps)];
  return { ...runner, shared: { positions: length, grain: by, by, calls } };
}

/**
 * Runs products of panels. If an operand that has to be finite is not, everything is computed again
 * term by term.
 */
function contractedRunner({ parts, exactly }: Extract<Planned, { kind: "contracted" }>): Runner {
  const products = inSequence(contractedRunners(parts));
  let exact: Runner | undefined;
  let bound: AddressOf = () => 0;
  return {
    bind(addressOf) {
      bound = addressOf;
      products.bind(addressOf);
    },
    run() {
      try {
        products.run();
      } catch (failure) {
        if (!(failure instanceof NotFinite)) throw failure;
        exact ??= runnerOf(exactly());
        exact.bind(bound);
        exact.run();
      }
    },
  };
}

/**
 * Runs contractions and the cells that are made of their sums. If a cell needs only the sums of its
 * own part, the thread that made the part makes the cells at once.
 */
function contractedRunners(parts: readonly Planned[]): readonly Runner[] {
  const [last, cells] = parts.slice(-2);
  if (last?.kind !== "contraction" || cells?.kind !== "cells") return runnersOf(parts, []);
  const epilogue = cellsRunner(cells, []);
  const { plan } = last.contraction;
  const isApart =
    isPartial(epilogue) &&
    isDividedLike(last.contraction, cells.sized.shape) &&
    !readElsewhere(cells.sized).has(plan.target);
  if (!isApart) return runnersOf(parts, []);
  const products = contractionRunner(last.contraction, epilogue);
  const both: Runner = {
    bind(addressOf) {
      products.bind(addressOf);
      epilogue.bind(addressOf);
    },
    run: () => products.run(),
  };
  return [...runnersOf(parts.slice(0, -2), []), both];
}

/**
 * Runs a kernel whose last two arguments are the ends of the part to compute. Before them stand the
 * addresses and the positions of the loops around.
 */
function inParts(
  kernel: KernelFunction,
  source: Source,
  work: number,
  positions = 0,
): StepRunner & { readonly args: number[] } {
  const args = [
    ...source.pointers.map(() => 0),
    ...Array.from({ length: positions }, () => 0),
    0,
    0,
  ];
  const partIndex = args.length - 2;
  const extent = source.partOf!;
  const step = positionsPerCall(extent, work);
  const runSteps = (first: number, end: number): void => {
    for (let from = first; from < end; from += step) {
      args[partIndex] = from;
      args[partIndex + 1] = Math.min(end, from + step);
      call(kernel, args);
    }
  };
  return {
    args,
    steps: extent,
    runSteps,
    run: () => runSteps(0, extent),
    bind: binding(source, args),
  };
}

/** Reduces the blocks of rows, in any order, and then the results of the blocks. */
function blocksRunner({
  parts,
  last,
  blocks,
}: Extract<Planned, { kind: "blocks" }>): Runner | PartialRunner {
  const [first, end] = [cellsRunner(parts, []), cellsRunner(last, [])];
  const all: Runner = {
    bind(addressOf) {
      first.bind(addressOf);
      end.bind(addressOf);
    },
    run() {
      first.run();
      end.run();
    },
  };
  if (!isPartial(first)) return all;
  const { work, source, addresses, partCall } = first;
  return {
    ...all,
    rows: blocks.length,
    rowsEach: blocks.size,
    blocks,
    work,
    source,
    addresses,
    partCall,
    finish: () => end.run(),
  };
}

function cellsRunner(
  { sized, source, axes, work }: PlannedCells,
  around: readonly Position[],
): Runner | PartialRunner {
  // A kernel that only runs joined with others is not compiled by itself.
  let compiled: KernelFunction | undefined;
  const kernel = (): KernelFunction => (compiled ??= compiledFunctionOf(source));
  const { shape } = sized;
  const args = [...source.pointers.map(() => 0), ...axes.map(() => 0)];
  const bind = binding(source, args);
  // The loops around are those that hold this definition's axes, outermost first.
  const own = around.slice(0, axes.length);
  own.forEach(({ places }, k) =>
    places.push({ args, at: source.pointers.length + k, first: axes[k]!.first }),
  );
  if (source.partOf === undefined) return { bind, run: () => call(kernel(), args) };
  const extent = source.partOf;
  const held = axes.map(({ axis }) => axis);
  const part = partAxisOf(sized, held);
  const isRow = shape.some((length, axis) => length > 1 && axis > part && !held.includes(axis));
  const grain = isRow ? grains.rows : grains.cells;
  const step = positionsPerCall(
    extent,
    work,
    axes.length > 0 ? { grain, few: 2 * grain } : undefined,
  );
  const partIndex = args.push(0, extent) - 2;
  const isScan = sized.regions.some(({ scan }) => scan);
  const partCall = (): ReturnType<PartialRunner["partCall"]> => ({
    call: kernel(),
    args: args.slice(0, partIndex),
  });
  const run = (): void => {
    if (
      !isScan &&
      isForThreads(extent, step, work) &&
      onThreads([{ ...partCall(), rowsEach: 1, slides: [] }], extent, step, work)
    )
      return;
    for (let from = 0; from < extent; from += step) {
      args[partIndex] = from;
      args[partIndex + 1] = Math.min(extent, from + step);
      call(kernel(), args);
    }
  };
  // The parts of a scan must run in their order, each once.
  if (isScan) return { bind, run };
  if (own.length === 0 && shape[0] === extent && shape[0] > 1)
    return {
      rows: extent,
      rowsEach: 1,
      work,
      sized,
      source,
      addresses: () => args.slice(0, partIndex),
      partCall,
      bind,
      run,
    };
  const [outer, ...inner] = own;
  const isInGrains =
    (step % grain === 0 || step === extent) &&
    sized.regions.every(({ sides }) => sides[part]!.from % grain === 0);
  if (!outer || inner.length > 0) return { bind, run };
  const moves = [{ argument: partIndex - 1, by: outer.direction }];
  const calls = (): readonly PartCall[] => {
    const first = [...args.slice(0, partIndex - 1), axes[0]!.first];
    return [
      { call: kernel(), args: first, rowsEach: 1, slides: [], stepping: { ...everyStep, moves } },
    ];
  };
  // Outside of whole grains, only the same parts give the same bits.
  const parts = isInGrains ? { grain } : { grain: step, by: step };
  return { bind, run, shared: { positions: extent, ...parts, calls } };
}

/**
 * Reductions take so many rows, or cells of a row, at a time. If a part began elsewhere, sums might
 * be added up in another order.
 */
const grains = { rows: 4, cells: 16 } as const;

/**
 * The definition for whose cells a part of a loop's body runs; `undefined` if there is no single
 * one.
 */
function definitionOf(planned: Planned): Definition | undefined {
  if (planned.kind === "cells") return planned.sized.definition;
  return planned.kind === "step contraction" ? planned.definition : undefined;
}

function workPerStep(planned: Planned): number {
  if (planned.kind === "cells") return planned.work;
  return planned.kind === "step contraction" ? productsIn(planned.contraction.plan) / 4 : 0;
}
