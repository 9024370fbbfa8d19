// A schedule as calls of kernels: loops of recurrences around them, long work in several parts.

import { sizeOf } from "../../host/value.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Loop } from "../../ir/program.ts";
import { constantOf } from "../../ir/affine/term.ts";
import type { Step } from "../../ir/schedule.ts";
import { scalarsInReduction, scalarsInRegion, type Blocks, type Side, type Sized } from "../../optimise/regions.ts";
import type { Contraction, Contractions } from "../../optimise/contraction.ts";
import { productsOf } from "../../optimise/contraction.ts";
import type { Scatter } from "../../optimise/scatter.ts";
import { filled } from "../../optimise/totals.ts";
import { contractionRunner, NotFinite, stepRunner, type PlannedContraction } from "./contract/run.ts";
import { onThreads, threadCount } from "./threads/threads.ts";
import { functionOf, type HeldAxis, type KernelFunction, type Source } from "./kernels.ts";
import { extentOf, firstOf, positionsOf, type LoopStep } from "./nests.ts";
import { ownerAxis } from "./scatters.ts";
import { isPartial, type PartialRunner } from "./strips.ts";
import { call } from "./threads/part.ts";

/** The calls of a schedule, before their functions and addresses are known. */
export type Planned =
  | PlannedCells
  /** The terms of a scatter: some of them at a time, or all of them for some of the cells at a time. */
  | { readonly kind: "terms"; readonly source: Source; readonly work: number }
  | { readonly kind: "owned terms"; readonly source: Source; readonly work: number }
  /** Blocks of a long reduction, and then what they have come to. */
  | {
      readonly kind: "blocks";
      readonly parts: PlannedCells;
      readonly last: PlannedCells;
      readonly blocks: Blocks;
    }
  | { readonly kind: "contraction"; readonly contraction: PlannedContraction }
  /** The products of a step, at the positions that the loops around hold. */
  | {
      readonly kind: "step contraction";
      readonly contraction: PlannedContraction;
      readonly axes: readonly HeldAxis[];
      /** Between which positions of each axis there are products. */
      readonly between: readonly Side[];
    }
  /** Parts that multiply out contractions, and the same term by term for operands that are not finite. */
  | { readonly kind: "contracted"; readonly parts: readonly Planned[]; readonly exactly: () => readonly Planned[] }
  | PlannedLoop;

export interface PlannedCells {
  readonly kind: "cells";
  readonly sized: Sized;
  readonly source: Source;
  readonly axes: readonly HeldAxis[];
  readonly work: number;
}

export type PlannedLoop =
  | { readonly kind: "loop"; readonly extent: number; readonly reversed: boolean; readonly body: readonly Planned[] }
  /** A loop inside one kernel, at the positions that the loops around hold: those of one definition after the other. */
  | {
      readonly kind: "recurrence";
      readonly source: Source;
      readonly work: number;
      readonly held: readonly (readonly HeldAxis[])[];
    };

export interface PlannedSteps {
  readonly rest: Sized;
  readonly products: readonly Extract<Planned, { kind: "step contraction" }>[];
}

export type AddressOf = (definition: Definition) => number;

export interface Runner {
  /** Tells the calls where the cells lie, before they are made. */
  bind(addressOf: AddressOf): void;
  run(): void;
}

/** A runner of a loop that does some of its steps. */
export interface StepRunner extends Runner {
  readonly steps: number;
  runSteps(from: number, to: number): void;
}

/** Makes the kernels of a plan. */
export interface Kernels {
  ofCells(sized: Sized, axes: readonly HeldAxis[]): Source;
  ofTerms(scatter: Scatter): Source;
  ofOwners(scatter: Scatter, axis: number): Source;
  ofContraction(contraction: Contraction): PlannedContraction;
  /** The contractions of a definition's steps, and what is left of it; nothing where there are none. */
  ofSteps(sized: Sized, axes: readonly HeldAxis[]): PlannedSteps | undefined;
  ofRecurrence(step: LoopStep, held: ReadonlyMap<Definition, readonly HeldAxis[]>): Source;
}

/** Steps of a recurrence that do less than this are worth no calls of their own. */
const leastStep = 4096;

/** Plans the steps of a schedule; `members` are the definitions that get cells. */
export function planSteps(
  steps: readonly Step[],
  members: ReadonlyMap<Definition, Sized>,
  kernels: Kernels,
  held: ReadonlyMap<Definition, readonly HeldAxis[]> = new Map(),
): readonly Planned[] {
  return steps.flatMap((step): readonly Planned[] => {
    if (step.kind === "cells") {
      const sized = members.get(step.definition);
      if (!sized) return [];
      const axes = held.get(step.definition) ?? [];
      if (axes.length === 0 && scattersIn(sized).length > 0) return planScatters(sized, kernels);
      if (sized.contractions) return [planContractions(sized, sized.contractions, kernels)];
      if (sized.blocks) return [planBlocks(sized, sized.blocks, kernels)];
      const steps = axes.length > 0 ? kernels.ofSteps(sized, axes) : undefined;
      const own = steps?.rest ?? sized;
      return [
        ...(steps?.products ?? []),
        {
          kind: "cells",
          sized: own,
          source: kernels.ofCells(own, axes),
          axes,
          work: workIn(own) / timesAround(own, axes),
        },
      ];
    }
    return [planLoop(step, members, kernels, held)];
  });
}

export function planLoop(
  step: LoopStep,
  members: ReadonlyMap<Definition, Sized>,
  kernels: Kernels,
  held: ReadonlyMap<Definition, readonly HeldAxis[]> = new Map(),
): PlannedLoop {
  const extent = extentOf(step, members);
  const work = [...step.axes.keys()].reduce((total, definition) => {
    const sized = members.get(definition);
    return total + (sized ? workIn(sized) / timesAround(sized, held.get(definition) ?? []) : 0);
  }, 0);
  if (work < leastStep * extent) {
    const around = new Map([...held].filter(([definition]) => step.axes.has(definition) && members.has(definition)));
    return { kind: "recurrence", source: kernels.ofRecurrence(step, around), work, held: [...around.values()] };
  }
  const inside = new Map(held);
  for (const [definition, axis] of step.axes) {
    if (!members.has(definition)) continue;
    const own = {
      axis,
      positions: positionsOf(step, definition, extent),
      first: firstOf(step, definition, extent),
    };
    inside.set(definition, [...(held.get(definition) ?? []), own]);
  }
  return { kind: "loop", extent, reversed: step.reversed, body: planSteps(step.body.steps, members, kernels, inside) };
}

/** How often the loops around come to a definition. */
function timesAround({ shape }: Sized, axes: readonly HeldAxis[]): number {
  return Math.max(1, axes.reduce((total, { axis }) => total * shape[axis]!, 1)); // prettier-ignore
}

function scattersIn({ regions }: Sized): readonly Scatter[] {
  return regions.flatMap((region) => region.scatters ?? []);
}

function planBlocks(sized: Sized, blocks: Blocks, kernels: Kernels): Planned {
  const last: Sized = { ...sized, blocks: undefined };
  return { kind: "blocks", parts: planCells(blocks.parts, kernels), last: planCells(last, kernels), blocks };
}

function planCells(sized: Sized, kernels: Kernels): PlannedCells {
  return { kind: "cells", sized, source: kernels.ofCells(sized, []), axes: [], work: workIn(sized) };
}

/** Operands that have to be made, the products, and then what is left of the cells. */
function planContractions(sized: Sized, { all, exactly }: Contractions, kernels: Kernels): Planned {
  const parts = all.flatMap((contraction): readonly Planned[] => {
    const made = [contraction.left, contraction.right].flatMap((operand) => operand.made ?? []);
    return [
      ...made.map((own) => planCells(own, kernels)),
      { kind: "contraction", contraction: kernels.ofContraction(contraction) },
    ];
  });
  if (sized.regions.length > 0) parts.push(planCells(sized, kernels));
  return { kind: "contracted", parts, exactly: () => [planCells(exactly(), kernels)] };
}

/** Totals, their terms, and then the cells: each a kernel of its own. */
function planScatters(sized: Sized, kernels: Kernels): readonly Planned[] {
  const cells = (own: Sized): Planned => planCells(own, kernels);
  const scatters = scattersIn(sized).flatMap((scatter): readonly Planned[] => {
    return [cells(filled(scatter.totals, scatter.sides)), planTerms(scatter, kernels)];
  });
  const rest = sized.regions.flatMap((region) => (region.cases.length > 0 ? [{ ...region, scatters: [] }] : []));
  return rest.length === 0 ? scatters : [...scatters, cells({ ...sized, regions: rest })];
}

/** Below this many additions it does not pay that every thread walks all terms. */
const worthOwning = 1 << 16;

/** Threads divide the cells among them, so that each cell gets its terms in their order. */
function planTerms(scatter: Scatter, kernels: Kernels): Planned {
  const work = termsOf(scatter);
  const axis = threadCount() > 1 && work >= worthOwning ? ownerAxis(scatter) : undefined;
  const owned = axis === undefined ? undefined : kernels.ofOwners(scatter, axis);
  return owned?.imports.length === 0
    ? { kind: "owned terms", source: owned, work }
    : { kind: "terms", source: kernels.ofTerms(scatter), work };
}

/** How many terms a scatter adds: the reduced ranges, once for each position of the coordinates that nothing ties. */
function termsOf({ body, ties, sides }: Scatter): number {
  const untied = sides.filter((_, axis) => !ties.some((tie) => tie.axis === axis));
  const copies = untied.reduce((total, { from, to }) => total * (to - from), 1);
  return body.loops.reduce((total, each) => total * roughLength(each), copies);
}

/** Roughly how often scalars are evaluated. */
export function workIn(sized: Sized): number {
  const { shape, regions } = sized;
  const cells = sizeOf(shape);
  const terms = scattersIn(sized).reduce((total, scatter) => total + termsOf(scatter), 0);
  let most = 1;
  for (const { cases } of regions) {
    for (const { reductions } of cases) {
      const terms = reductions.map(({ body }) => body.loops.reduce((total, loop) => total * roughLength(loop), 1));
      most = Math.max(most, terms.reduce((a, b) => a + b, 0)); // prettier-ignore
    }
  }
  const products = (sized.contractions?.all ?? []).reduce((total, each) => total + productsOf(each), 0);
  return cells * most + terms + products + (sized.blocks ? workIn(sized.blocks.parts) : 0);
}

/** Bounds that depend on coordinates are taken for some tens. */
function roughLength({ from, to }: Loop): number {
  const [first, end] = [from, to].map((bound) => (bound.kind === "integer" ? constantOf(bound.term) : undefined));
  return first === undefined || end === undefined ? 32 : Math.max(0, end - first);
}

/** The definitions that kernels of a definition read. */
export function readsIn({ definition, regions, contractions, blocks }: Sized): ReadonlySet<Definition> {
  const found = new Set(blocks ? readsIn(blocks.parts) : []);
  for (const scalar of regions.flatMap(scalarsInRegion))
    eachScalar(
      scalar,
      (part) => void (part.kind === "read" && part.definition !== definition && found.add(part.definition)),
    );
  for (const { left, right } of contractions?.all ?? []) {
    for (const { read, made } of [left, right]) {
      if (made) for (const each of readsIn(made)) found.add(each);
      else found.add(read.definition);
    }
  }
  return found;
}

/** The definitions that the terms of a scatter read. */
export function readsInTerms({ body }: Scatter): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  for (const scalar of scalarsInReduction(body))
    eachScalar(scalar, (part) => void (part.kind === "read" && found.add(part.definition)));
  return found;
}

// ── running ─────────────────────────────────────────────────────────────────────────────────────

/** Where a loop's position goes: into arguments of the calls inside, counted from where each of them begins. */
interface Position {
  readonly places: { readonly args: number[]; readonly at: number; readonly first: number }[];
}

export function runnerOf(planned: readonly Planned[], around: readonly Position[] = []): Runner {
  const parts = planned.map((step): Runner => {
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

export function loopRunner(step: PlannedLoop, around: readonly Position[] = []): StepRunner {
  if (step.kind === "recurrence") {
    const { source, work } = step;
    const inside = inParts(functionOf(source), source, work, step.held.flat().length);
    let at = source.pointers.length;
    for (const axes of step.held)
      axes.forEach(({ first }, k) => around[k]!.places.push({ args: inside.args, at: at++, first }));
    return inside;
  }
  const position: Position = { places: [] };
  const body = runnerOf(step.body, [...around, position]);
  const { extent, reversed } = step;
  const runSteps = (from: number, to: number): void => {
    for (let count = from; count < to; count++) {
      for (const place of position.places) place.args[place.at] = reversed ? place.first - count : place.first + count;
      body.run();
    }
  };
  return { steps: extent, runSteps, run: () => runSteps(0, extent), bind: (addressOf) => body.bind(addressOf) };
}

/** How much is done in one call: V8 replaces its first, slow code of a function only between calls, and threads share calls out. */
const workPerCall = 1 << 17;
const leastPerCall = 1 << 13;
const callsAtLeast = 8;

/** How many positions of so many one call does: it depends on sizes alone, and so do the bits of what is computed. */
function stepOf(extent: number, work: number): number {
  const share = Math.max(leastPerCall, Math.min(workPerCall, work / callsAtLeast));
  const most = Math.max(1, share / Math.max(1, work / extent));
  const grain = extent >= 256 ? 16 : extent >= 32 ? 4 : Math.ceil(extent / 4);
  return Math.min(extent, Math.ceil(most / grain) * grain);
}

/** Puts the addresses of a kernel's tensors before its other arguments. */
function binding({ pointers }: Source, args: number[]): Runner["bind"] {
  return (addressOf) => {
    for (const [k, definition] of pointers.entries()) args[k] = addressOf(definition);
  };
}

/** The terms of a scatter, in parts where their number is known. */
function termsRunner({ source, work }: Extract<Planned, { kind: "terms" }>): Runner {
  const kernel = functionOf(source);
  if (source.partOf !== undefined) return inParts(kernel, source, work);
  const args = source.pointers.map(() => 0);
  return { bind: binding(source, args), run: () => call(kernel, args) };
}

/** All terms for the cells of one thread after the other. */
function ownersRunner({ source, work }: Extract<Planned, { kind: "owned terms" }>): Runner {
  const kernel = functionOf(source);
  const extent = source.partOf!;
  const args = source.pointers.map(() => 0);
  return {
    bind: binding(source, args),
    run() {
      const share = Math.ceil(extent / threadCount());
      if (onThreads([{ call: kernel, args, rowsEach: 1, slides: [] }], 0, extent, share, work)) return;
      call(kernel, [...args, 0, extent]);
    },
  };
}

function stepContractionRunner(
  { contraction, axes, between }: Extract<Planned, { kind: "step contraction" }>,
  around: readonly Position[],
): Runner {
  const held = axes.map(() => 0);
  around.slice(0, axes.length).forEach(({ places }, k) => places.push({ args: held, at: k, first: axes[k]!.first }));
  const isInside = (): boolean => held.every((at, k) => at >= between[k]!.from && at < between[k]!.to);
  return stepRunner(contraction, held, isInside);
}

/** Products of panels; where an operand that has to be finite is not, everything again term by term. */
function contractedRunner({ parts, exactly }: Extract<Planned, { kind: "contracted" }>): Runner {
  const products = runnerOf(parts);
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

/** A kernel whose last two arguments say which part of its work to do, after so many that say where it is. */
function inParts(
  kernel: KernelFunction,
  source: Source,
  work: number,
  positions = 0,
): StepRunner & { readonly args: number[] } {
  const args = [...source.pointers.map(() => 0), ...Array.from({ length: positions }, () => 0), 0, 0];
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
  return { args, steps: extent, runSteps, run: () => runSteps(0, extent), bind: binding(source, args) };
}

/** Blocks of rows first, in any order; then what they have come to. */
function blocksRunner({ parts, last, blocks }: Extract<Planned, { kind: "blocks" }>): Runner | PartialRunner {
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
  return { ...all, rows: blocks.length, rowsEach: blocks.size, work, source, addresses, partCall, finish: () => end.run() }; // prettier-ignore
}

function callOf({ sized, source, axes, work }: PlannedCells, around: readonly Position[]): Runner | PartialRunner {
  // What only runs with others is not compiled by itself.
  let made: KernelFunction | undefined;
  const kernel = (): KernelFunction => (made ??= functionOf(source));
  const { shape } = sized;
  const args = [...source.pointers.map(() => 0), ...axes.map(() => 0)];
  const bind = binding(source, args);
  // The loops around are those that hold this definition's axes, outermost first.
  const own = around.slice(0, axes.length);
  own.forEach(({ places }, k) => places.push({ args, at: source.pointers.length + k, first: axes[k]!.first }));
  if (source.partOf === undefined) return { bind, run: () => call(kernel(), args) };
  const extent = source.partOf;
  const step = stepOf(extent, work);
  const at = args.push(0, extent) - 2;
  const isScan = sized.regions.some(({ scan }) => scan);
  const partCall = (): ReturnType<PartialRunner["partCall"]> => ({ call: kernel(), args: args.slice(0, at) });
  const run = (): void => {
    if (!isScan && threadCount() > 1 && onThreads([{ ...partCall(), rowsEach: 1, slides: [] }], 0, extent, step, work))
      return;
    for (let from = 0; from < extent; from += step) {
      args[at] = from;
      args[at + 1] = Math.min(extent, from + step);
      call(kernel(), args);
    }
  };
  // Parts of a scan come in their order, each once.
  if (isScan) return { bind, run };
  return own.length === 0 && shape[0] === extent && shape[0] > 1
    ? { rows: extent, rowsEach: 1, work, sized, source, addresses: () => args.slice(0, at), partCall, bind, run }
    : { bind, run };
}
