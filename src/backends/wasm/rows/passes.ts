// What is done in a row, in as few passes over it as what is read allows: what one step writes is
// in a register when the next reads it, and what several read is loaded once.
//
// A step comes after the passes that give what it reads: what a reduction comes to, a cell that has
// it, or a neighbour's cell. A cell of its own position may be written in the same pass.

import { constant, constantOf, ofVariable, subtract, type Variable } from "../../../affine/term.ts";
import { numberOf } from "../../../ir/keys.ts";
import { eachScalar } from "../../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../../ir/program.ts";
import { integerScalar } from "../../../ir/substitute.ts";
import {
  scalarsInReduction,
  type Reduced,
  type Reduction,
  type Side,
} from "../../../plan/regions/regions.ts";
import { reduceSingly } from "../loops/accumulators.ts";
import { hasChain } from "../code/abreast.ts";
import { accumulatorsOf, newSum, walkAlong, type Sum, type Work } from "../loops/along.ts";
import type { Kernel } from "../code/kernel.ts";
import {
  cellsWork,
  emitMap,
  fewInstructions,
  lanesAmong,
  lanesOfCells,
  vectorsAtOnce,
  type Piece,
} from "../code/maps.ts";
import { combinesVectors, termCost } from "../loops/reductions.ts";
import {
  emitFirstRow,
  goToNextRow,
  readsGivenOnly,
  sumsAhead,
  taken,
  type Row,
  type SumAhead,
} from "./rows-ahead.ts";
import { storableSides } from "../code/stores.ts";
import { costOfVector, newAlong, strideOf } from "../code/vectors.ts";

/** The positions of a row. */
export interface Line {
  readonly variable: Variable;
  readonly length: number;
}

export function loopOf({ variable, length }: Line): Loop {
  return {
    variable,
    from: integerScalar(constant(0)),
    to: integerScalar(constant(length)),
    reversed: false,
  };
}

export function sideOf({ variable, length }: Line): Side {
  return { variable, from: 0, to: length };
}

/** What is done along a row, or once in it. */
export type Step = AlongStep | OnceStep;

/** Terms that are added up under a name, or cells that are written. */
export type AlongStep =
  | { readonly kind: "sum"; readonly sum: Reduced }
  | { readonly kind: "cells"; readonly piece: Piece };

export interface OnceStep {
  readonly kind: "once";
  /** What it gives a cell for the row. */
  readonly definition: Definition;
  readonly reads: readonly Scalar[];
  readonly emit: () => void;
}

/**
 * Everything that is done in one row. Where rows come one after the other, what the next one begins
 * with may be done in this one already.
 */
export function emitPasses(kernel: Kernel, line: Line, steps: readonly Step[], row?: Row): void {
  kernel.known.set(line.variable, { least: 0, most: line.length - 1 });
  const passes = arranged(kernel, line, steps);
  const host = row && hostIn(kernel, line, passes);
  const ahead = row && host ? sumsAhead(kernel, row, sumsIn(passes[1]!)) : [];
  for (const pass of passes) {
    const { along, once } = pass;
    if (row && host && pass === passes[1]) {
      // Added up as in all other rows: equal rows have equal sums.
      emitFirstRow(kernel, row, ahead, () =>
        emitPass(kernel, line, along, [], streamsOf(kernel, line, host.along)),
      );
    } else if (along.length > 0) emitPass(kernel, line, along, pass === host ? ahead : []);
    for (const each of once) each.emit();
  }
  if (row && host) goToNextRow(kernel, ahead);
}

/**
 * A pass in which the sums of the first one can be taken for the next row: it has an elementary
 * function of as many lanes, and they read nothing that rows write.
 */
function hostIn(
  kernel: Kernel,
  line: Line,
  [, first, ...others]: readonly Pass[],
): Pass | undefined {
  if (!first || first.along.length === 0 || sumsIn(first).length < first.along.length)
    return undefined;
  const lanes = lanesFor(kernel, line, first.along[0]!);
  if (!lanes) return undefined;
  const isGiven = sumsIn(first).every(({ body }) =>
    scalarsInReduction(body).every((scalar) => readsGivenOnly(kernel, scalar)),
  );
  return isGiven
    ? others.find(
        ({ along: [only, ...more] }) =>
          only &&
          more.length === 0 &&
          lanesFor(kernel, line, only) === lanes &&
          scalarsOf(only).some(hasChain),
      )
    : undefined;
}

function sumsIn({ along }: Pass): readonly Reduced[] {
  return along.flatMap((step) => (step.kind === "sum" ? [step.sum] : []));
}

// ── in which pass ───────────────────────────────────────────────────────────────────────────────

/** What is done along the row in one loop, and what is done once after it. */
interface Pass {
  readonly along: AlongStep[];
  readonly once: OnceStep[];
}

/**
 * Each step in the first pass that can have it; where several can, in the one that reads most of
 * what it reads.
 */
function arranged(kernel: Kernel, line: Line, steps: readonly Step[]): readonly Pass[] {
  const passes: Pass[] = [{ along: [], once: [] }];
  const summed = new Map<Local, number>();
  const written = new Map<Definition, number>();
  const given = new Map<Definition, number>();
  const earliest = (step: Step): number => {
    let at = step.kind === "once" ? 0 : 1;
    const after = (pass: number | undefined): void => {
      if (pass !== undefined) at = Math.max(at, step.kind === "once" ? pass : pass + 1);
    };
    for (const scalar of scalarsOf(step))
      eachScalar(scalar, (part) => {
        if (part.kind === "local") after(summed.get(part.local));
        if (part.kind !== "read") return;
        after(given.get(part.definition));
        const pass = written.get(part.definition);
        if (pass !== undefined && isAt(part.indices.at(-1)!, line.variable))
          at = Math.max(at, pass);
        else after(pass);
      });
    return at;
  };
  for (const step of steps) {
    const first = earliest(step);
    if (step.kind === "once") {
      passes[first]!.once.push(step);
      given.set(step.definition, first);
      continue;
    }
    const own = readsOf([step]);
    const shared = (at: number): number =>
      [...readsOf(passes[at]!.along)].filter((read) => own.has(read)).length;
    let best = passes.length;
    for (let at = first; at < passes.length; at++) {
      if (!fits(kernel, line, step, passes[at]!.along)) continue;
      if (best === passes.length || shared(at) > shared(best)) best = at;
    }
    if (best === passes.length) passes.push({ along: [], once: [] });
    passes[best]!.along.push(step);
    if (step.kind === "sum") summed.set(step.sum.name, best);
    else written.set(step.piece.sized.definition, best);
  }
  return passes;
}

function readsOf(steps: readonly AlongStep[]): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  for (const scalar of steps.flatMap(scalarsOf))
    eachScalar(scalar, (part) => void (part.kind === "read" && found.add(part.definition)));
  return found;
}

function scalarsOf(step: Step): readonly Scalar[] {
  if (step.kind === "once") return step.reads;
  return step.kind === "sum" ? scalarsInReduction(step.sum.body) : [step.piece.only.value];
}

/** Whether an index is a coordinate as it is. */
export function isAt(index: Scalar, variable: Variable): boolean {
  return index.kind === "integer" && constantOf(subtract(index.term, ofVariable(variable))) === 0;
}

/**
 * The sums that are under way at once fit into registers, each with two vectors, beside what they
 * are fed with.
 */
const mostSums = 4;
/** What takes more instructions, an elementary function, needs the registers for itself. */
const mostInstructions = 14;
const mostTogether = 32;

/** Whether a step can share a loop with others. */
function fits(kernel: Kernel, line: Line, step: AlongStep, others: readonly AlongStep[]): boolean {
  const lanes = lanesFor(kernel, line, step);
  if (!lanes || others.some((each) => lanesFor(kernel, line, each) !== lanes)) return false;
  const all = [...others, step];
  if (all.filter(({ kind }) => kind === "sum").length > mostSums) return false;
  const costs = all.map((each) => costIn(kernel, line, each, lanes));
  if (costs.every((cost) => cost <= mostInstructions) && total(costs) <= mostTogether) return true;
  // What the others compute already is not computed again, however much it is.
  const own = costs.at(-1)!;
  return 2 * costIn(kernel, line, step, lanes, appliedIn(others)) <= own;
}

/** The operations in some steps, by their numbers. */
function appliedIn(steps: readonly AlongStep[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const scalar of steps.flatMap(scalarsOf))
    eachScalar(scalar, (part) => void (part.kind === "apply" && found.add(numberOf(part))));
  return found;
}

function total(costs: readonly number[]): number {
  return costs.reduce((a, b) => a + b, 0);
}

// ── vectors ─────────────────────────────────────────────────────────────────────────────────────

/** How many positions of a step come at once; nothing where they come singly. */
function lanesFor(kernel: Kernel, line: Line, step: AlongStep): 2 | 4 | undefined {
  const lanes = lanesIn(step);
  return lanes && costIn(kernel, line, step, lanes) < Infinity ? lanes : undefined;
}

function lanesIn(step: AlongStep): 2 | 4 | undefined {
  if (step.kind === "sum") {
    const { value, guards } = step.sum.body;
    return combinesVectors(step.sum.body) ? lanesAmong([value, ...guards], value.type) : undefined;
  }
  const { sized, only } = step.piece;
  return lanesOfCells(sized.element, only.value);
}

function costIn(
  kernel: Kernel,
  { variable }: Line,
  step: AlongStep,
  lanes: 2 | 4,
  there?: ReadonlySet<string>,
): number {
  const along = newAlong(variable, lanes);
  if (step.kind === "cells")
    return costOfVector(kernel, along, step.piece.only.value, new Set(), there);
  return termCost(kernel, along, step.sum.body, new Set(), there);
}

/** Whether all that a step reads and writes are vectors of neighbours. */
export function comesInVectors(kernel: Kernel, line: Line, step: AlongStep): boolean {
  kernel.known.set(line.variable, { least: 0, most: line.length - 1 });
  const lanes = lanesFor(kernel, line, step);
  if (!lanes) return false;
  const along = newAlong(line.variable, lanes);
  let fine = true;
  for (const scalar of scalarsOf(step))
    eachScalar(scalar, (part) => {
      if (part.kind !== "read") return;
      const stride = strideOf(kernel, along, part);
      fine &&= stride === 0 || stride === 1;
    });
  if (step.kind === "sum") return fine;
  const { sized, indices } = step.piece;
  return fine && storableSides(kernel, sized, indices, [sideOf(line)]).length > 0;
}

/** Several steps of no more instructions for a vector do more vectors at a time. */
const fewTogether = 6;

/** How many vectors of each step are under way at once. */
function streamsOf(kernel: Kernel, line: Line, steps: readonly AlongStep[]): number {
  const cost = total(
    steps.map((step) => costIn(kernel, line, step, lanesFor(kernel, line, step)!)),
  );
  return vectorsAtOnce(
    cost <= (steps.length > 1 ? fewTogether : fewInstructions),
    steps.flatMap(scalarsOf),
  );
}

/** Beside the steps, sums of the next row may be under way. */
function emitPass(
  kernel: Kernel,
  line: Line,
  steps: readonly AlongStep[],
  ahead: readonly SumAhead[] = [],
  vectors?: number,
): void {
  const lanes = lanesFor(kernel, line, steps[0]!);
  if (!lanes) return steps.forEach((step) => emitAlone(kernel, line, step));
  const along = newAlong(line.variable, lanes);
  const names = [...kernel.bound.keys()];
  const streams = vectors ?? streamsOf(kernel, line, steps);
  const bodies = [
    ...steps.flatMap((step) => (step.kind === "sum" ? [step.sum] : [])),
    ...ahead,
  ].map(({ body }) => body);
  const isHeavy = steps.flatMap(scalarsOf).some(hasChain);
  const accumulators = isHeavy ? 1 : accumulatorsOf(along, bodies, streams);
  const newSumOf = (body: Reduction): Sum =>
    newSum(
      kernel,
      along,
      body,
      [{ by: new Map() }],
      names,
      streams,
      body.value.type === "f64" ? accumulators : streams,
    );
  const sums = new Map<Reduced, Sum>();
  const works = steps.map((step): Work => {
    if (step.kind === "cells") return cellsWork(kernel, along, step.piece);
    const sum = newSumOf(step.sum.body);
    sums.set(step.sum, sum);
    return sum;
  });
  const next = ahead.map(({ body }) => newSumOf(body));
  walkAlong(kernel, along, [loopOf(line)], [...works, ...next], streams);
  for (const [{ name }, sum] of sums) kernel.bound.set(name, sum.finish()[0]!);
  ahead.forEach((sum, k) => taken(kernel, sum, next[k]!.finish()[0]!));
}

/** A step that has no vectors. */
function emitAlone(kernel: Kernel, line: Line, step: AlongStep): void {
  if (step.kind === "cells") emitMap(kernel, step.piece, [sideOf(line)]);
  else kernel.bound.set(step.sum.name, reduceSingly(kernel, step.sum.body));
}
