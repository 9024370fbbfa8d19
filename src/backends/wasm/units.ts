// Turns a schedule into a plan: calls of kernels, loops of recurrences around them, products of
// contractions, and long reductions in blocks.

import { sizeOf } from "../../scalar/values/value.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Loop } from "../../ir/program.ts";
import { constantOf } from "../../affine/term.ts";
import type { Step } from "../../analyse/schedule.ts";
import {
  scalarsInReduction,
  scalarsInRegion,
  type Blocks,
  type Side,
  type Sized,
} from "../../plan/regions/regions.ts";
import type { Contraction, Contractions } from "../../plan/reductions/contraction.ts";
import { productsOf } from "../../plan/reductions/contraction.ts";
import type { Scatter } from "../../plan/reductions/scatter.ts";
import { initialTotals } from "../../plan/reductions/totals.ts";
import type { PlannedContraction } from "./contract/run.ts";
import { threadCount } from "./threads/threads.ts";
import type { HeldAxis, Source } from "./code/kernels.ts";
import { stepCountOf, firstPositionOf, positionsInLoop, type LoopStep } from "./loops/nests.ts";
import { ownerAxis } from "./loops/scatters.ts";
import type { Track } from "./rows/tracks.ts";

/** The calls of a schedule, before their functions and addresses are known. */
export type Planned =
  | PlannedCells
  /**
   * The terms of a scatter. Each call adds some of the terms, or walks all terms and adds those of
   * its own cells.
   */
  | { readonly kind: "terms"; readonly source: Source; readonly work: number }
  | { readonly kind: "owned terms"; readonly source: Source; readonly work: number }
  /** The blocks of a long reduction, and then the results of the blocks. */
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
      /** The definition whose cells are made of the sums. */
      readonly definition: Definition;
      readonly contraction: PlannedContraction;
      /**
       * Whether a row of the products is a position of the definition's kernel, so that a part of
       * the kernel needs a part of the rows.
       */
      readonly isByRows: boolean;
      readonly axes: readonly HeldAxis[];
      /** The positions of each axis at which there are products. */
      readonly between: readonly Side[];
    }
  /**
   * Contractions that are multiplied panel by panel, and the same sums term by term for operands
   * that are not finite.
   */
  | {
      readonly kind: "contracted";
      readonly parts: readonly Planned[];
      readonly exactly: () => readonly Planned[];
    }
  | PlannedLoop;

export interface PlannedCells {
  readonly kind: "cells";
  readonly sized: Sized;
  readonly source: Source;
  readonly axes: readonly HeldAxis[];
  readonly work: number;
}

export type PlannedLoop =
  | {
      readonly kind: "loop";
      readonly extent: number;
      readonly reversed: boolean;
      readonly body: readonly Planned[];
      /**
       * The tracks that threads take through many steps at a time, one after the other; absent if
       * the threads have to meet in every step.
       */
      readonly tracks?: readonly Track[];
    }
  /**
   * A loop inside one kernel. `held` lists the positions of the loops around, definition by
   * definition.
   */
  | {
      readonly kind: "recurrence";
      readonly source: Source;
      readonly work: number;
      readonly held: readonly (readonly HeldAxis[])[];
    };

interface PlannedSteps {
  readonly rest: Sized;
  readonly products: readonly Extract<Planned, { kind: "step contraction" }>[];
}

/** Makes the kernels of a plan. */
export interface Kernels {
  ofCells(sized: Sized, axes: readonly HeldAxis[]): Source;
  ofTerms(scatter: Scatter): Source;
  ofOwners(scatter: Scatter, axis: number): Source;
  /**
   * `isFollowed`: cells are made of the sums, and threads make them of each part as soon as its
   * sums are there.
   */
  ofContraction(contraction: Contraction, isFollowed: boolean): PlannedContraction;
  /**
   * The contractions in a definition's steps and the rest of the definition; `undefined` if it has
   * none.
   */
  ofSteps(sized: Sized, axes: readonly HeldAxis[]): PlannedSteps | undefined;
  ofRecurrence(step: LoopStep, held: ReadonlyMap<Definition, readonly HeldAxis[]>): Source;
}

/** If a step of a recurrence does less work than this, the loop runs inside one kernel. */
const leastStep = 4096;

/** Plans the steps of a schedule. `members` are the definitions that get cells. */
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

type HeldAxes = ReadonlyMap<Definition, readonly HeldAxis[]>;

function workOfLoop(
  step: LoopStep,
  members: ReadonlyMap<Definition, Sized>,
  held: HeldAxes,
): number {
  return [...step.axes.keys()].reduce((total, definition) => {
    const sized = members.get(definition);
    return total + (sized ? workIn(sized) / timesAround(sized, held.get(definition) ?? []) : 0);
  }, 0);
}

/** Whether the steps of a loop are called one by one, instead of running inside one kernel. */
export function isWorthCalls(step: LoopStep, members: ReadonlyMap<Definition, Sized>): boolean {
  return workOfLoop(step, members, new Map()) >= leastStep * stepCountOf(step, members);
}

export function planLoop(
  step: LoopStep,
  members: ReadonlyMap<Definition, Sized>,
  kernels: Kernels,
  held: ReadonlyMap<Definition, readonly HeldAxis[]> = new Map(),
): PlannedLoop {
  const extent = stepCountOf(step, members);
  const work = workOfLoop(step, members, held);
  if (work < leastStep * extent) {
    const around = new Map(
      [...held].filter(([definition]) => step.axes.has(definition) && members.has(definition)),
    );
    return {
      kind: "recurrence",
      source: kernels.ofRecurrence(step, around),
      work,
      held: [...around.values()],
    };
  }
  const inside = new Map(held);
  for (const [definition, axis] of step.axes) {
    if (!members.has(definition)) continue;
    const own = {
      axis,
      positions: positionsInLoop(step, definition, extent),
      first: firstPositionOf(step, definition, extent),
    };
    inside.set(definition, [...(held.get(definition) ?? []), own]);
  }
  return {
    kind: "loop",
    extent,
    reversed: step.reversed,
    body: planSteps(step.body.steps, members, kernels, inside),
  };
}

/** How many positions the loops around a definition have. */
function timesAround({ shape }: Sized, axes: readonly HeldAxis[]): number {
  return Math.max(
    1,
    axes.reduce((total, { axis }) => total * shape[axis]!, 1),
  );
}

function scattersIn({ regions }: Sized): readonly Scatter[] {
  return regions.flatMap((region) => region.scatters ?? []);
}

function planBlocks(sized: Sized, blocks: Blocks, kernels: Kernels): Planned {
  const last: Sized = { ...sized, blocks: undefined };
  return {
    kind: "blocks",
    parts: planCells(blocks.parts, kernels),
    last: planCells(last, kernels),
    blocks,
  };
}

function planCells(sized: Sized, kernels: Kernels): PlannedCells {
  return {
    kind: "cells",
    sized,
    source: kernels.ofCells(sized, []),
    axes: [],
    work: workIn(sized),
  };
}

/**
 * Plans operands that have to be made, then the products, then the cells that are made of the sums.
 */
function planContractions(sized: Sized, { all, exactly }: Contractions, kernels: Kernels): Planned {
  const isFollowed = sized.regions.length > 0;
  const parts = all.flatMap((contraction, k): readonly Planned[] => {
    const made = [contraction.left, contraction.right].flatMap((operand) => operand.made ?? []);
    return [
      ...made.map((own) => planCells(own, kernels)),
      {
        kind: "contraction",
        contraction: kernels.ofContraction(contraction, isFollowed && k === all.length - 1),
      },
    ];
  });
  if (isFollowed) parts.push(planCells(sized, kernels));
  return { kind: "contracted", parts, exactly: () => [planCells(exactly(), kernels)] };
}

/** Plans totals, their terms, and then the cells: each is a kernel of its own. */
function planScatters(sized: Sized, kernels: Kernels): readonly Planned[] {
  const cells = (own: Sized): Planned => planCells(own, kernels);
  const scatters = scattersIn(sized).flatMap((scatter): readonly Planned[] => {
    return [cells(initialTotals(scatter.totals, scatter.sides)), planTerms(scatter, kernels)];
  });
  const rest = sized.regions.flatMap((region) =>
    region.cases.length > 0 ? [{ ...region, scatters: [] }] : [],
  );
  return rest.length === 0 ? scatters : [...scatters, cells({ ...sized, regions: rest })];
}

/** With fewer additions than this, it does not pay that every thread walks all terms. */
const worthOwning = 1 << 16;

/**
 * Threads divide the cells of a scatter among them, so that each cell gets its terms in their
 * order.
 */
function planTerms(scatter: Scatter, kernels: Kernels): Planned {
  const work = termCount(scatter);
  const axis = threadCount() > 1 && work >= worthOwning ? ownerAxis(scatter) : undefined;
  const owned = axis === undefined ? undefined : kernels.ofOwners(scatter, axis);
  return owned?.imports.length === 0
    ? { kind: "owned terms", source: owned, work }
    : { kind: "terms", source: kernels.ofTerms(scatter), work };
}

/**
 * How many terms a scatter adds: the product of the reduced extents, for each position of the
 * coordinates that no guard ties.
 *
 *     sum[p](v[p] where at[p] == i)   // one term for each p: the guard ties i
 */
function termCount({ body, ties, sides }: Scatter): number {
  const untied = sides.filter((_, axis) => !ties.some((tie) => tie.axis === axis));
  const copies = untied.reduce((total, { from, to }) => total * (to - from), 1);
  return body.loops.reduce((total, each) => total * roughLength(each), copies);
}

/** Roughly how many scalars are evaluated. */
export function workIn(sized: Sized): number {
  const { shape, regions } = sized;
  const cells = sizeOf(shape);
  const terms = scattersIn(sized).reduce((total, scatter) => total + termCount(scatter), 0);
  let most = 1;
  for (const { cases } of regions) {
    for (const { reductions } of cases) {
      const terms = reductions.map(({ body }) =>
        body.loops.reduce((total, loop) => total * roughLength(loop), 1),
      );
      most = Math.max(
        most,
        terms.reduce((a, b) => a + b, 0),
      );
    }
  }
  const products = (sized.contractions?.all ?? []).reduce(
    (total, each) => total + productsOf(each),
    0,
  );
  return cells * most + terms + products + (sized.blocks ? workIn(sized.blocks.parts) : 0);
}

/** The extent of a loop. Bounds that depend on coordinates are taken for 32 positions. */
function roughLength({ from, to }: Loop): number {
  const [first, end] = [from, to].map((bound) =>
    bound.kind === "integer" ? constantOf(bound.term) : undefined,
  );
  return first === undefined || end === undefined ? 32 : Math.max(0, end - first);
}

/** The definitions that the kernels of a definition read. */
export function readsOfSized({
  definition,
  regions,
  contractions,
  blocks,
}: Sized): ReadonlySet<Definition> {
  const found = new Set(blocks ? readsOfSized(blocks.parts) : []);
  for (const scalar of regions.flatMap(scalarsInRegion))
    eachScalar(
      scalar,
      (part) =>
        void (part.kind === "read" && part.definition !== definition && found.add(part.definition)),
    );
  for (const { left, right } of contractions?.all ?? []) {
    for (const { read, made } of [left, right]) {
      if (made) for (const each of readsOfSized(made)) found.add(each);
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
