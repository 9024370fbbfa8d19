// Contractions of many factors, split into contractions of fewer before they are differentiated.
//
//   y[i, l] = Σ { j, k } A[i, j]·B[j, k]·C[k, l]   visits i·j·k·l points;
//   t[j, l] = Σ { k } B[j, k]·C[k, l],
//   y[i, l] = Σ { j } A[i, j]·t[j, l]              visit j·k·l + i·j·l, and so do their adjoints.
//
// A coordinate is summed early with the factors that mention it wherever that visits fewer points.
// The order is the greedy one: the cheapest split first, until none helps.

import { isOff } from "../../ir/rewrites.ts";
import type { Variable } from "../../affine/term.ts";
import { exceeds, plus, type Polynomial } from "../../cost/polynomial.ts";
import { pointsOf } from "../../cost/points.ts";
import { usesAny } from "../../analyse/ties.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { reachable } from "../../analyse/schedule.ts";
import { instantiate } from "../../ir/substitute.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import { algebraOf, factorsOf } from "../scalar/products.ts";
import { countedFromStart, freshLoops, type Define } from "../sweep/cells.ts";
import { withOperands } from "./operands.ts";

/** Rewrites the clauses of a definition in place; the new definitions are read by them. */
export function splitContractions(
  definition: Definition,
  varies: (definition: Definition) => boolean,
  define: Define,
): void {
  if (!isFloat(definition.element) || isOff("split-contractions")) return;
  definition.clauses = definition.clauses.map((clause) =>
    split(definition, withOperands(definition, clause, varies, define), define),
  );
}

type Sum = Extract<Clause["body"], { kind: "reduce" }>;

function split(definition: Definition, clause: Clause, define: Define): Clause {
  const { body } = clause;
  if (
    body.kind !== "reduce" ||
    body.reduction !== "sum" ||
    body.guards.length > 0 ||
    clause.guards.length > 0
  )
    return clause;
  const factors = factorsOf(body.value);
  if (factors.length < 3 || !independent([...clause.loops, ...body.loops])) return clause;
  const best = bestSplit(clause, body, factors);
  // A part of a recurrence would have to join it.
  if (!best || reachable([...readsOf(definition)]).includes(definition)) return clause;
  const part = partialSum(definition, clause, body, best, define);
  const rest = factors.flatMap((factor) =>
    factor === best.factors[0] ? [part] : best.factors.includes(factor) ? [] : [factor],
  );
  const algebra = algebraOf(definition.element as FloatType, body.span);
  const value = rest.reduce((a, b) => algebra.apply("multiply", a, b));
  const loops = body.loops.filter((loop) => !best.summed.includes(loop));
  const made: Clause = {
    ...clause,
    body: loops.length > 0 ? { ...body, loops, value } : { kind: "map", value },
  };
  return split(definition, made, define);
}

/** No range depends on another coordinate, or on data. */
function independent(loops: readonly Loop[]): boolean {
  return loops.every(
    (loop) =>
      loop.from.kind === "integer" &&
      loop.to.kind === "integer" &&
      !usesAny(loop.from, loops) &&
      !usesAny(loop.to, loops),
  );
}

interface Split {
  readonly factors: readonly Scalar[];
  readonly summed: readonly Loop[];
  /** The coordinates that the partial sum keeps. */
  readonly kept: readonly Loop[];
  readonly cost: Polynomial;
}

function bestSplit(clause: Clause, body: Sum, factors: readonly Scalar[]): Split | undefined {
  const all = [...clause.loops, ...body.loops];
  const points = (loops: readonly Loop[]): Polynomial => pointsOf(loops, []).count;
  let best: Split | undefined;
  for (const loop of body.loops) {
    const own = factors.filter((factor) => usesAny(factor, [loop]));
    if (own.length === factors.length || own.length === 0) continue;
    const mentioned = all.filter((other) => own.some((factor) => usesAny(factor, [other])));
    const others = factors.filter((factor) => !own.includes(factor));
    // Whatever else is summed and only these factors mention goes along.
    const summed = mentioned.filter(
      (other) => body.loops.includes(other) && !others.some((factor) => usesAny(factor, [other])),
    );
    const kept = mentioned.filter((other) => !summed.includes(other));
    const left = all.filter((other) => !summed.includes(other));
    const cost = plus(points(mentioned), points(left));
    if (exceeds(points(all), cost) && (!best || exceeds(best.cost, cost)))
      best = { factors: own, summed, kept, cost };
  }
  return best;
}

/**
 * Σ of some factors over some coordinates, as a definition over the coordinates that stay; read
 * where the sum stood.
 */
function partialSum(
  definition: Definition,
  clause: Clause,
  body: Sum,
  chosen: Split,
  define: Define,
): Scalar {
  const by = new Map<Variable, Scalar>();
  const { loops, axes, indices } = countedFromStart(chosen.kept, by);
  const summed = freshLoops(chosen.summed, by);
  const algebra = algebraOf(definition.element as FloatType, body.span);
  const value = instantiate(
    chosen.factors.reduce((a, b) => algebra.apply("multiply", a, b)),
    by,
  );
  const made = define(
    `${definition.name}_part`,
    definition.element,
    axes,
    [{ loops, guards: [], body: { ...body, loops: summed, value }, span: clause.span }],
    body.span,
  );
  return { kind: "read", type: definition.element, definition: made, indices, span: body.span };
}
