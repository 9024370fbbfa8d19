// Plans that can be run: calls that are told where cells lie, loops around them, long work in
// several parts.

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
  /** Tells the calls where the cells lie, before they are made. */
  bind(addressOf: AddressOf): void;
  run(): void;
  /** How threads share out what it does in a step; absent where they cannot. */
  readonly shared?: Shared;
}

/** The calls of a step for some of so many positions. */
export interface Shared {
  readonly positions: number;
  /**
   * Parts begin at multiples of this, so that every cell is computed in the same way whatever the
   * parts are.
   */
  readonly grain: number;
  /** How long parts are, where that is settled. */
  readonly by?: number;
  /** What is called in the steps of a loop, counted from its beginning. */
  readonly calls: () => readonly PartCall[];
}

/** A runner of a loop that does some of its steps. */
export interface StepRunner extends Runner {
  readonly steps: number;
  runSteps(from: number, to: number): void;
}

/**
 * Where a loop's position goes: into arguments of the calls inside, counted from where each of them
 * begins.
 */
interface Position {
  /** Whether it goes up or down with the steps. */
  readonly direction: 1 | -1;
  readonly places: { readonly args: number[]; readonly at: number; readonly first: number }[];
}

export function runnerOf(planned: readonly Planned[], around: readonly Position[] = []): Runner {
  return inOrder(runnersOf(planned, around));
}

/** One after the other. */
function inOrder(parts: readonly Runner[]): Runner {
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
        return callOf(step, around);
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
  const inTurn = stepByStep(parts, goTo);
  const runSteps = step.tracks
    ? alongTracks(tracksIn(step, step.tracks, parts), goTo, inTurn)
    : together(step, parts, inTurn);
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

function stepByStep(parts: readonly Runner[], goTo: (count: number) => void): RunSteps {
  return (from, to) => {
    for (let count = from; count < to; count++) {
      goTo(count);
      for (const part of parts) part.run();
    }
  };
}

// ── tracks ──────────────────────────────────────────────────────────────────────────────────────

/** What runs on one track. */
interface TrackRunner {
  readonly parts: readonly Runner[];
  readonly positions: number;
  /**
   * How many positions a thread takes at a time; absent where a step is not shared out in this way.
   */
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
      work: own.reduce((total, k) => total + workOf(body[k]!), 0),
    };
  });
}

function isOn(definitions: ReadonlySet<Definition>, planned: Planned): boolean {
  const definition = definitionOf(planned);
  return definition !== undefined && definitions.has(definition);
}

/** Every thread takes one part, of a length that is right for all that is called. */
function lengthOfParts(
  all: readonly (Shared | undefined)[],
  positions: number,
): number | undefined {
  const shared = all.flatMap((each) => (each?.positions === positions ? [each] : []));
  if (shared.length < all.length) return undefined;
  const grain = Math.max(...shared.map((each) => each.grain));
  const settled = shared.find(({ by }) => by !== undefined)?.by;
  const by = settled ?? Math.ceil(positions / threadCount() / grain) * grain;
  return shared.every((each) => by % each.grain === 0 && (each.by ?? by) === by) ? by : undefined;
}

/**
 * Threads that go through steps by themselves meet again after so much: who is behind is waited
 * for, but not for long.
 */
const workPerJob = 1 << 24;

/** One track after the other, each for a stretch of steps. */
function alongTracks(
  tracks: readonly TrackRunner[],
  goTo: (count: number) => void,
  inTurn: RunSteps,
): RunSteps {
  const threads = threadCount();
  const runners = tracks.map((track): RunSteps => {
    const alone = stepByStep(track.parts, goTo);
    const { parts, positions, by, work } = track;
    if (by === undefined) return alone;
    return (from, to) => {
      const calls = parts.flatMap(({ shared }) => shared!.calls());
      if (!onThreads(calls, positions, by, work * (to - from), { from, to })) alone(from, to);
    };
  });
  const work = tracks.reduce((total, track) => total + track.work, 0);
  const most =
    runners.length > 1 ? stretch : Math.max(1, Math.floor(workPerJob / Math.max(1, work)));
  return (first, end) => {
    if (threadCount() !== threads) return inTurn(first, end);
    for (let from = first; from < end; from += most)
      for (const runSteps of runners) runSteps(from, Math.min(end, from + most));
  };
}

/** Calls of which each does less are better made by one thread: the others would be waited for. */
const leastTogether = 1 << 14;

/** All threads in every call of a step: whatever the next one reads is there. */
function together(
  { body }: Extract<PlannedLoop, { kind: "loop" }>,
  runners: readonly Runner[],
  inTurn: RunSteps,
): RunSteps {
  const threads = threadCount();
  const all = runners.map(({ shared }) => shared);
  const positions = all[0]?.positions ?? 0;
  const by = positions > 1 ? lengthOfParts(all, positions) : undefined;
  const works = body.map(workOf);
  const work = works.reduce((total, each) => total + each, 0);
  if (threads === 1 || by === undefined || works.some((each) => each < leastTogether))
    return inTurn;
  const most = Math.max(1, Math.floor(workPerJob / work));
  const runSteps: RunSteps = (from, to) => {
    const calls = all.flatMap((shared) => shared!.calls());
    if (!onThreads(calls, positions, by, work * (to - from), { from, to, areTogether: true }))
      inTurn(from, to);
  };
  return (first, end) => {
    if (threadCount() !== threads) return inTurn(first, end);
    for (let from = first; from < end; from += most) runSteps(from, Math.min(end, from + most));
  };
}

/**
 * How much is done in one call: V8 replaces its first, slow code of a function only between calls,
 * and threads share calls out.
 */
const workPerCall = 1 << 17;
const leastPerCall = 1 << 13;
const callsAtLeast = 8;

/**
 * How many positions of so many one call does: it depends on sizes alone, and so do the bits of
 * what is computed. Few positions are worth parts of any length, others come in multiples of a
 * grain.
 */
function stepOf(
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

/** Puts the addresses of a kernel's tensors before its other arguments. */
function binding({ pointers }: Source, args: number[]): Runner["bind"] {
  return (addressOf) => {
    for (const [k, definition] of pointers.entries()) args[k] = addressOf(definition);
  };
}

/** The terms of a scatter, in parts where their number is known. */
function termsRunner({ source, work }: Extract<Planned, { kind: "terms" }>): Runner {
  const kernel = compiledFunctionOf(source);
  if (source.partOf !== undefined) return inParts(kernel, source, work);
  const args = source.pointers.map(() => 0);
  return { bind: binding(source, args), run: () => call(kernel, args) };
}

/** All terms for the cells of one thread after the other. */
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
 * Products of panels; where an operand that has to be finite is not, everything again term by term.
 */
function contractedRunner({ parts, exactly }: Extract<Planned, { kind: "contracted" }>): Runner {
  const products = inOrder(contractedRunners(parts));
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
 * Where what is left comes of parts of the last products alone, threads make it of each part as
 * soon as that is there.
 */
function contractedRunners(parts: readonly Planned[]): readonly Runner[] {
  const [last, cells] = parts.slice(-2);
  if (last?.kind !== "contraction" || cells?.kind !== "cells") return runnersOf(parts, []);
  const epilogue = callOf(cells, []);
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
 * A kernel whose last two arguments say which part of its work to do, after so many that say where
 * it is.
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
  const at = args.length - 2;
  const extent = source.partOf!;
  const step = stepOf(extent, work);
  const runSteps = (first: number, end: number): void => {
    for (let from = first; from < end; from += step) {
      args[at] = from;
      args[at + 1] = Math.min(end, from + step);
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

/** Blocks of rows first, in any order; then what they have come to. */
function blocksRunner({
  parts,
  last,
  blocks,
}: Extract<Planned, { kind: "blocks" }>): Runner | PartialRunner {
  const [first, end] = [callOf(parts, []), callOf(last, [])];
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

function callOf(
  { sized, source, axes, work }: PlannedCells,
  around: readonly Position[],
): Runner | PartialRunner {
  // What only runs with others is not compiled by itself.
  let made: KernelFunction | undefined;
  const kernel = (): KernelFunction => (made ??= compiledFunctionOf(source));
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
  const step = stepOf(extent, work, axes.length > 0 ? { grain, few: 2 * grain } : undefined);
  const at = args.push(0, extent) - 2;
  const isScan = sized.regions.some(({ scan }) => scan);
  const partCall = (): ReturnType<PartialRunner["partCall"]> => ({
    call: kernel(),
    args: args.slice(0, at),
  });
  const run = (): void => {
    if (
      !isScan &&
      isForThreads(extent, step, work) &&
      onThreads([{ ...partCall(), rowsEach: 1, slides: [] }], extent, step, work)
    )
      return;
    for (let from = 0; from < extent; from += step) {
      args[at] = from;
      args[at + 1] = Math.min(extent, from + step);
      call(kernel(), args);
    }
  };
  // Parts of a scan come in their order, each once.
  if (isScan) return { bind, run };
  if (own.length === 0 && shape[0] === extent && shape[0] > 1)
    return {
      rows: extent,
      rowsEach: 1,
      work,
      sized,
      source,
      addresses: () => args.slice(0, at),
      partCall,
      bind,
      run,
    };
  const [outer, ...inner] = own;
  const isInGrains =
    (step % grain === 0 || step === extent) &&
    sized.regions.every(({ sides }) => sides[part]!.from % grain === 0);
  if (!outer || inner.length > 0) return { bind, run };
  const moves = [{ argument: at - 1, by: outer.direction }];
  const calls = (): readonly PartCall[] => {
    const first = [...args.slice(0, at - 1), axes[0]!.first];
    return [
      { call: kernel(), args: first, rowsEach: 1, slides: [], stepping: { ...everyStep, moves } },
    ];
  };
  // Others are computed in the same way only in the same parts.
  const parts = isInGrains ? { grain } : { grain: step, by: step };
  return { bind, run, shared: { positions: extent, ...parts, calls } };
}

/**
 * Reductions take so many rows at a time, or cells of a row: where others begin, sums may be added
 * up in another order.
 */
const grains = { rows: 4, cells: 16 } as const;

/** Whose cells a part of a loop's body is there for; nothing for what is more than that. */
function definitionOf(planned: Planned): Definition | undefined {
  if (planned.kind === "cells") return planned.sized.definition;
  return planned.kind === "step contraction" ? planned.definition : undefined;
}

function workOf(planned: Planned): number {
  if (planned.kind === "cells") return planned.work;
  return planned.kind === "step contraction" ? productsIn(planned.contraction.plan) / 4 : 0;
}
