// Running reductions: a coordinate of the cell only moves one end of the reduced range. Each term
// is then added once, for all cells along that coordinate.
//
//   y[i] = sum[k in 0..i + 1](d[k])      visits each k once, and so does
//   y[i] = sum[k](d[k] where k <= i)
//
// Kernels compute such a reduction as a scan, and the oracle continues from the cell before. In a
// recurrence a reduction can only run within one step:
//
//   h[t, i] = sum[k in 0..i + 1](h[t - 1, k])   runs along i: all cells h[t, …] are one step
//   h[t] = sum[k in 0..t](h[k])                 does not run along t: h[t - 1] comes first

import { direction } from "../affine/direction.ts";
import { holds, positive } from "../affine/prove.ts";
import {
  constant,
  constantOf,
  ofVariable,
  plus,
  subtract,
  zero,
  type Term,
} from "../affine/term.ts";
import { coefficientOf, mentions, substitute, withoutVariable } from "../affine/visit.ts";
import { factsOf, loopFacts, newOpaque } from "../analyse/facts.ts";
import { integerOf } from "../ir/integers.ts";
import { eachScalar, scalarsOf } from "../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { integerScalar } from "../ir/substitute.ts";
import { conjuncts, isCoordinate, usesAny } from "../analyse/ties.ts";
import { cutLoops } from "./cut.ts";
import { halfOf, halvesOf } from "./points.ts";

type Reduction = Extract<Clause["body"], { kind: "reduce" }>;

/** The loops and guards whose points are the terms that are added. */
export interface Nest {
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  /**
   * `side` is the coordinate of the cell that moves an end of the loop `moving`. `whole` is the
   * range of `moving` over all positions of `side`.
   */
  readonly side: Loop;
  readonly moving: Loop;
  readonly end: End;
  readonly whole: Loop;
}

/**
 * The terms of a running reduction. Undefined if each cell has terms of its own. If several
 * coordinates move an end, the innermost one counts.
 */
export function runningNest(clause: Clause, body: Reduction): Nest | undefined {
  const [first] = runningNests(clause, body);
  return first;
}

/** The terms of a reduction, for each coordinate that moves an end of a range. */
export function* runningNests({ loops: written, guards }: Clause, body: Reduction): Iterable<Nest> {
  const loops = cutLoops(
    written,
    guards.flatMap(conjuncts).flatMap((guard) => halfOf(guard) ?? []),
  );
  const conditions = [...guards, ...body.guards].flatMap(conjuncts);
  for (const side of loops.toReversed()) {
    for (const moving of body.loops) {
      const found = wholeRange(side, moving, body, conditions);
      if (!found) continue;
      const { whole, end } = found;
      yield {
        loops: [
          ...loops.filter((loop) => loop !== side),
          ...body.loops.map((loop) => (loop === moving ? whole : loop)),
        ],
        guards: conditions.filter((condition) => !usesAny(condition, [side])),
        side,
        moving,
        end,
        whole,
      };
    }
  }
}

type End = "from" | "to";

/**
 * The range of a loop over all positions of a coordinate of the cell, and the end that the
 * coordinate moves. Undefined if the coordinate does more than to move one end.
 */
function wholeRange(
  side: Loop,
  moving: Loop,
  body: Reduction,
  conditions: readonly Scalar[],
): { readonly whole: Loop; readonly end: End } | undefined {
  const around = [side];
  const others = body.loops.filter((loop) => loop !== moving).flatMap(({ from, to }) => [from, to]);
  if ([body.value, ...others].some((scalar) => usesAny(scalar, around))) return undefined;
  const ends = (["from", "to"] as const).filter((end) => usesAny(moving[end], around));
  const guarding = conditions.filter((condition) => usesAny(condition, around));
  const halves = guarding.map((condition) => halfFor(condition, moving, body));
  if (ends.length === 0 && !halves.some((half) => half && half !== "of the cell")) return undefined;
  const moved = new Set<End>(ends);
  const ways = new Set<number | undefined>();
  for (const half of halves) {
    if (!half) return undefined;
    if (half === "of the cell") continue;
    moved.add(half.end);
    ways.add(direction(half.bound, side.variable));
  }
  const [only] = moved;
  const bound = moving[only!];
  if (ends.length > 0)
    ways.add(bound.kind === "integer" ? direction(bound.term, side.variable) : undefined);
  const [way] = ways;
  if (moved.size !== 1 || ways.size !== 1 || !way) return undefined;
  if (!canContinue(body, only!, side)) return undefined;
  const whole =
    ends.length === 0
      ? moving
      : { ...moving, [only!]: atFurthest(bound, side, (way === 1) === (only === "to")) };
  return { whole, end: only! };
}

interface Half {
  readonly end: End;
  readonly bound: Term;
}

/**
 * A comparison of coordinates as a bound of a reduced coordinate. "of the cell" if it mentions no
 * reduced coordinate.
 */
function halfFor(
  condition: Scalar,
  { variable }: Loop,
  { loops }: Reduction,
): Half | "of the cell" | undefined {
  if (!usesAny(condition, loops)) return "of the cell";
  const term = halfOf(condition);
  if (!term) return undefined;
  const coefficient = constantOf(coefficientOf(term, variable) ?? term);
  const bound = withoutVariable(term, variable);
  if (loops.some((loop) => mentions(bound, loop.variable))) return undefined;
  if (coefficient === -1) return { end: "to", bound };
  return coefficient === 1 ? { end: "from", bound: subtract(constant(0), bound) } : undefined;
}

/**
 * Whether a reduction can continue from the cell before: in a kernel, which has cells for the
 * totals of some types, or in the oracle, which keeps the state of the cell before.
 */
function canContinue(
  { reduction, value, loops, guards }: Reduction,
  end: End,
  side: Loop,
): boolean {
  const isKept =
    loops.length === 1 && end === "to" && !guards.some((guard) => usesAny(guard, [side]));
  switch (reduction) {
    case "sum":
    case "prod":
    case "mean":
      return isKept || ["f32", "f64", "i32", "i64"].includes(value.type);
    case "max":
    case "min":
      return isKept || ["f32", "f64"].includes(value.type);
    case "count":
    case "any":
    case "all":
      return true;
    case "argmax":
    case "argmin":
    case "logsumexp":
      return isKept;
    default:
      return reduction satisfies never;
  }
}

/** A bound at the last position of a coordinate, or at its first. */
function atFurthest(bound: Scalar, { variable, from, to }: Loop, isLast: boolean): Scalar {
  if (bound.kind !== "integer" || from.kind !== "integer" || to.kind !== "integer") return bound;
  return integerScalar(
    substitute(bound.term, new Map([[variable, isLast ? plus(to.term, -1) : from.term]])),
  );
}

// ── the steps of a recurrence ───────────────────────────────────────────────────────────────────

/**
 * Whether a definition does not depend on itself while its first coordinates stay the same. Its
 * cells along the other coordinates are then one step: `h[t, i] = h[t - 1, i + 1]` with the first
 * one, t.
 */
export function isOneStep(definition: Definition, first: number): boolean {
  const found = new Set<Definition>();
  const visit = (each: Definition): void => {
    for (const clause of each.clauses) {
      const points = pointsIn(clause);
      for (const scalar of scalarsOf(clause))
        eachScalar(scalar, (part) => {
          if (part.kind === "read" && !isEarlier(points, part.indices, first))
            found.add(part.definition);
        });
    }
  };
  visit(definition);
  for (const each of found) visit(each);
  return !found.has(definition);
}

/** The points at which a clause reads. The loops of the cell come first. */
type PointsOfClause = Pick<Nest, "loops" | "guards">;

function pointsIn({ loops, guards, body }: Clause): PointsOfClause {
  return body.kind === "map"
    ? { loops, guards }
    : { loops: [...loops, ...body.loops], guards: [...guards, ...body.guards] };
}

/**
 * Whether a cell comes before the point that reads it: one of its first indices is behind the
 * point, and the indices before that one are the point's own. For `h[t, i]` these are `h[t - 1, j]`
 * and `h[t, i - 1]`. If data chooses the position along a step, as in `h[back[t], i]`, the cell is
 * of an earlier step.
 */
function isEarlier(points: PointsOfClause, indices: readonly Scalar[], first: number): boolean {
  for (const [k, index] of indices.slice(0, first).entries()) {
    const loop = points.loops[k];
    if (!loop) return false;
    const place = integerOf(index);
    const isOwn = (other: Scalar, m: number): boolean => {
      const own = points.loops[k + 1 + m];
      return own !== undefined && isCoordinate(other, own.variable);
    };
    if (!place) return indices.slice(k + 1).every(isOwn);
    const ahead = subtract(place, ofVariable(loop.variable));
    const gap = constantOf(ahead);
    if (gap === undefined) return isPositive(points, loop.reversed ? ahead : subtract(zero, ahead));
    if (gap !== 0) return loop.reversed ? gap > 0 : gap < 0;
  }
  return false;
}

/** Whether a range or a guard says that a term is at least 1: `t - s` is, for `s in 0..t`. */
function isPositive({ loops, guards }: PointsOfClause, term: Term): boolean {
  const ranges = loops.flatMap(({ variable: v, from, to }) => {
    const [start, end] = [integerOf(from), integerOf(to)];
    return [
      ...(start ? [subtract(ofVariable(v), start)] : []),
      ...(end ? [subtract(plus(end, -1), ofVariable(v))] : []),
    ];
  });
  const halves = [...ranges, ...guards.flatMap(conjuncts).flatMap(halvesOf)];
  if (halves.some((half) => (constantOf(subtract(term, half)) ?? 0) >= 1)) return true;
  const opaque = newOpaque();
  const inside = loopFacts(opaque, loops, []);
  return holds(positive(term), [
    ...inside,
    ...guards.flatMap((guard) => factsOf(opaque, guard, true, inside)),
  ]);
}
