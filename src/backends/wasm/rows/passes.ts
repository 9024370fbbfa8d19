// Arranges the steps of a row in passes over the row, as few as possible. A cell that one step of a
// pass writes is in a register when the next step reads it, and a cell that several steps read is
// loaded once.
//
//   let s[i] = sum[j](x[i, j]);         // pass 1
//   let y[i, j] = x[i, j] / s[i];       // pass 2, because it needs the whole sum
//
// A step comes after the passes of the reductions and of the neighbouring cells that it reads. A
// cell at its own position may be written in the same pass.

import { constant, type Variable } from "../../../affine/term.ts";
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
import { isVariable } from "../../../plan/same.ts";
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
  emitGoToNextRow,
  readsGivenOnly,
  sumsAhead,
  storeNextSum,
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

/** A step of a row: work along the row, or work that is done once. */
export type Step = AlongStep | OnceStep;

/** Terms that are added up, with the name of the sum; or cells that are written. */
type AlongStep =
  | { readonly kind: "sum"; readonly sum: Reduced }
  | { readonly kind: "cells"; readonly piece: Piece };

interface OnceStep {
  readonly kind: "once";
  /** The definition of which the step writes the row's cell. */
  readonly definition: Definition;
  readonly reads: readonly Scalar[];
  readonly emit: () => void;
}

/**
 * Emits all steps of one row. If the rows come one after the other, the first sums of the next row
 * may be computed in this row.
 */
export function emitPasses(kernel: Kernel, line: Line, steps: readonly Step[], row?: Row): void {
  kernel.known.set(line.variable, { least: 0, most: line.length - 1 });
  const passes = arrangedInPasses(kernel, line, steps);
  const host = row && passForNextSums(kernel, line, passes);
  const ahead = row && host ? sumsAhead(kernel, row, sumsIn(passes[1]!)) : [];
  for (const pass of passes) {
    const { along, once } = pass;
    if (row && host && pass === passes[1]) {
      // The sums of the first row use as many vectors at a time as those of the other rows, so that
      // equal rows have equal sums.
      emitFirstRow(kernel, row, ahead, () =>
        emitPass(kernel, line, along, [], streamsOf(kernel, line, host.along)),
      );
    } else if (along.length > 0) emitPass(kernel, line, along, pass === host ? ahead : []);
    for (const each of once) each.emit();
  }
  if (row && host) emitGoToNextRow(kernel, ahead);
}

/**
 * The pass in which the sums of the first pass can be computed for the next row. It has an
 * elementary function with equally many lanes, and the sums read nothing that the rows write.
 */
function passForNextSums(
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

/** The steps of one loop along the row, and the steps that are done once after it. */
interface Pass {
  readonly along: AlongStep[];
  readonly once: OnceStep[];
}

/**
 * Puts each step in the first pass that can take it. If several passes can, the one whose reads
 * have most in common with those of the step.
 */
function arrangedInPasses(kernel: Kernel, line: Line, steps: readonly Step[]): readonly Pass[] {
  const passes: Pass[] = [{ along: [], once: [] }];
  const summed = new Map<Local, number>();
  const written = new Map<Definition, number>();
  const given = new Map<Definition, number>();
  const earliest = (step: Step): number => {
    let earliestPass = step.kind === "once" ? 0 : 1;
    const comeAfter = (pass: number | undefined): void => {
      if (pass !== undefined)
        earliestPass = Math.max(earliestPass, step.kind === "once" ? pass : pass + 1);
    };
    for (const scalar of scalarsOf(step))
      eachScalar(scalar, (part) => {
        if (part.kind === "local") comeAfter(summed.get(part.local));
        if (part.kind !== "read") return;
        comeAfter(given.get(part.definition));
        const pass = written.get(part.definition);
        if (pass !== undefined && isIndexOf(part.indices.at(-1)!, line.variable))
          earliestPass = Math.max(earliestPass, pass);
        else comeAfter(pass);
      });
    return earliestPass;
  };
  for (const step of steps) {
    const first = earliest(step);
    if (step.kind === "once") {
      passes[first]!.once.push(step);
      given.set(step.definition, first);
      continue;
    }
    const ownReads = readsOf([step]);
    const shared = (at: number): number =>
      [...readsOf(passes[at]!.along)].filter((read) => ownReads.has(read)).length;
    let best = passes.length;
    for (let pass = first; pass < passes.length; pass++) {
      if (!canShareLoop(kernel, line, step, passes[pass]!.along)) continue;
      if (best === passes.length || shared(pass) > shared(best)) best = pass;
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

/** Whether an index is exactly the given coordinate. */
export function isIndexOf(index: Scalar, variable: Variable): boolean {
  return index.kind === "integer" && isVariable(index.term, variable);
}

/** So many sums, with two vectors each, fit into registers beside their operands. */
const mostSums = 4;
/**
 * A step with more instructions, such as an elementary function, needs the registers for itself.
 */
const mostInstructions = 14;
const mostTogether = 32;

/** Whether a step can share a loop with other steps. */
function canShareLoop(
  kernel: Kernel,
  line: Line,
  step: AlongStep,
  others: readonly AlongStep[],
): boolean {
  const lanes = lanesFor(kernel, line, step);
  if (!lanes || others.some((each) => lanesFor(kernel, line, each) !== lanes)) return false;
  const all = [...others, step];
  if (all.filter(({ kind }) => kind === "sum").length > mostSums) return false;
  const costs = all.map((each) => costIn(kernel, line, each, lanes));
  if (costs.every((cost) => cost <= mostInstructions) && totalCost(costs) <= mostTogether)
    return true;
  // A costly step still shares the loop if the other steps already compute at least half of what it
  // costs.
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

function totalCost(costs: readonly number[]): number {
  return costs.reduce((a, b) => a + b, 0);
}

// ── vectors ─────────────────────────────────────────────────────────────────────────────────────

/** How many positions of a step one vector has; `undefined` if the step has no vectors. */
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
  computed?: ReadonlySet<string>,
): number {
  const along = newAlong(variable, lanes);
  if (step.kind === "cells")
    return costOfVector(kernel, along, step.piece.only.value, new Set(), computed);
  return termCost(kernel, along, step.sum.body, new Set(), computed);
}

/** Whether all cells that a step reads and writes are vectors of neighbours in memory. */
export function hasVectorsOfNeighbours(kernel: Kernel, line: Line, step: AlongStep): boolean {
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

/**
 * If several steps have at most this many instructions for a vector, more vectors are processed at
 * a time.
 */
const fewInstructionsTogether = 6;

/** How many vectors of each step are processed at the same time. */
function streamsOf(kernel: Kernel, line: Line, steps: readonly AlongStep[]): number {
  const cost = totalCost(
    steps.map((step) => costIn(kernel, line, step, lanesFor(kernel, line, step)!)),
  );
  return vectorsAtOnce(
    cost <= (steps.length > 1 ? fewInstructionsTogether : fewInstructions),
    steps.flatMap(scalarsOf),
  );
}

/**
 * Emits a loop with some steps. The sums in `ahead` of the next row may be computed in the same
 * loop.
 */
function emitPass(
  kernel: Kernel,
  line: Line,
  steps: readonly AlongStep[],
  ahead: readonly SumAhead[],
  vectors?: number,
): void {
  const lanes = lanesFor(kernel, line, steps[0]!);
  if (!lanes) return steps.forEach((step) => emitWithoutVectors(kernel, line, step));
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
  ahead.forEach((sum, k) => storeNextSum(kernel, sum, next[k]!.finish()[0]!));
}

/** Emits a step that has no vectors. */
function emitWithoutVectors(kernel: Kernel, line: Line, step: AlongStep): void {
  if (step.kind === "cells") emitMap(kernel, step.piece, [sideOf(line)]);
  else kernel.bound.set(step.sum.name, reduceSingly(kernel, step.sum.body));
}
