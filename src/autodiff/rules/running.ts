// Running reductions as recurrences. If each cell adds one position to its neighbour, the
// derivative goes from cell to cell as the value does:
//
//    y[s] = op[k in 0..s + 1](f(k))   is   y[s] = y[s - 1] ∘ f(s)
//
//    product         dy[s] = f(s)·dy[s - 1] + y[s - 1]·df(s)
//    log-sum-exp     dy[s] = exp(y[s - 1] - y[s])·dy[s - 1] + exp(f(s) - y[s])·df(s),
//                    and 0 where y[s] is -∞
//
// A coefficient for each pair of a cell and a position would make linear work quadratic. The rules
// do not divide, and no exponent is above 0. Sums need no such rule, because their coefficient is
// the same everywhere. The winner of a maximum is a single position.

import { isOff } from "../../ir/rewrites.ts";
import { constantOf, ofVariable, plus, subtract, type Term as Integer } from "../../affine/term.ts";
import { coefficientOf, mentions, substitute, withoutVariable } from "../../affine/visit.ts";
import { halfOf } from "../../cost/points.ts";
import { isOneStep } from "../../cost/running.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { reachable } from "../../analyse/schedule.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import { instantiate, integerScalar } from "../../ir/substitute.ts";
import { conjuncts, usesAny } from "../../analyse/ties.ts";
import { compared } from "../../ir/integers.ts";
import { tightenedLoop, type Reduction } from "../transpose/box.ts";
import { readCell } from "../sweep/cells.ts";
import { algebraOf, one } from "../scalar/products.ts";
import type { Term } from "./terms.ts";

/** How a cell of a running reduction follows from its neighbour. */
export interface Running {
  readonly body: Reduction;
  /** The cell that this cell goes on from, and the condition that this cell exists. */
  readonly neighbour: Scalar;
  readonly goesOn: Scalar;
  /** The element that is added, and the conditions that it exists. */
  readonly added: Scalar;
  readonly exists: readonly Scalar[];
  /**
   * Has the first cell an element of its own? If not, every cell with an element goes on from a
   * neighbour.
   */
  readonly startsFull: boolean;
}

/** The end of the range that a coordinate of the cell moves, and the position of that end. */
interface Moving {
  readonly side: Loop;
  readonly end: "from" | "to";
  readonly bound: Integer;
  /** The guard that moves the end, if it is not a bound of the range. */
  readonly guard?: Scalar;
}

const foundRunning = new WeakMap<Clause, Running | false>();

export function runningOf(definition: Definition): Running | undefined {
  const [clause, another] = definition.clauses;
  if (!clause || another || !isFloat(definition.element) || isOff("running")) return undefined;
  const { body } = clause;
  if (body.kind !== "reduce" || (body.reduction !== "prod" && body.reduction !== "logsumexp"))
    return undefined;
  let found = foundRunning.get(clause);
  if (found === undefined)
    foundRunning.set(clause, (found = findRunning(definition, clause, body) ?? false));
  return found || undefined;
}

function findRunning(definition: Definition, clause: Clause, body: Reduction): Running | undefined {
  const [moving] = clause.loops
    .toReversed()
    .flatMap((side) => movedEnd(withGuardsAsEnds(clause, side), body) ?? []);
  if (!moving) return undefined;
  const { side, end, bound, guard } = moving;
  const [range] = body.loops;
  const ends = [range!.from, range!.to, side.from, side.to].map(
    (each) => (each as IntegerScalar).term,
  );
  const [low, high, first, last] = ends as [Integer, Integer, Integer, Integer];
  const rises = constantOf(coefficientOf(bound, side.variable)!) === 1;
  const isUpward = rises === (end === "to");
  const at = (s: Integer): Integer => substitute(bound, new Map([[side.variable, s]]));
  const start = at(isUpward ? first : plus(last, -1));
  const inside = constantOf(end === "to" ? subtract(start, low) : subtract(high, start));
  if (inside === undefined || inside > 1) return undefined;
  // In a recurrence, all cells that follow from one another must belong to one step.
  const along = clause.loops.findIndex((loop) => loop.variable === side.variable);
  if (reachable([...readsOf(definition)]).includes(definition) && !isOneStep(definition, along))
    return undefined;
  const s = ofVariable(side.variable);
  const position = end === "to" ? plus(bound, -1) : bound;
  const { span } = body;
  const goesOn = isUpward ? atMost(plus(first, 1), s, span) : atMost(plus(s, 2), last, span);
  const here = new Map([[range!.variable, integerScalar(position)]]);
  const neighbours = new Map([[side.variable, integerScalar(plus(s, isUpward ? -1 : 1))]]);
  // If the range is empty at first, a cell goes on from its neighbour exactly if it adds an
  // element.
  const isClipped = (other: "from" | "to"): boolean =>
    end === other ? guard !== undefined : inside !== 0;
  const clipped = [
    ...(isClipped("from") ? [[low, position] as const] : []),
    ...(isClipped("to") ? [[plus(position, 1), high] as const] : []),
  ].filter(([a, b]) => !isAlways(a, b, side));
  const others = body.guards.flatMap(conjuncts).filter((each) => each !== guard);
  return {
    body,
    neighbour: instantiate(readCell(definition, clause.loops, span), neighbours),
    goesOn,
    added: instantiate(body.value, here),
    exists: [
      ...clipped.map(([a, b]) => atMost(a, b, span)),
      ...others.map((each) => instantiate(each, here)),
    ],
    startsFull: inside === 1,
  };
}

/**
 * A coordinate of the cell, with guards on cells as ends of its range. `undefined` if a guard says
 * more about the coordinate.
 */
function withGuardsAsEnds({ loops, guards }: Clause, side: Loop): Loop | undefined {
  const others = loops.filter((loop) => loop !== side);
  const { loop, guards: left } = tightenedLoop(others, side, [], guards);
  return left.some((guard) => usesAny(guard, [side])) ? undefined : loop;
}

type IntegerScalar = Extract<Scalar, { kind: "integer" }>;

/**
 * The end of the range that a coordinate of the cell moves by one position from cell to cell.
 * `undefined` if the coordinate does anything else.
 */
function movedEnd(side: Loop | undefined, body: Reduction): Moving | undefined {
  const [range, another] = body.loops;
  if (!side || !range || another || usesAny(body.value, [side])) return undefined;
  if ([range.from, range.to, side.from, side.to].some((bound) => bound.kind !== "integer"))
    return undefined;
  const guarding = body.guards.flatMap(conjuncts).filter((guard) => usesAny(guard, [side]));
  const candidates: Moving[] = (["from", "to"] as const).flatMap((end) =>
    usesAny(range[end], [side]) ? [{ side, end, bound: (range[end] as IntegerScalar).term }] : [],
  );
  for (const guard of guarding) {
    const half = halfOf(guard);
    const slope = half && constantOf(coefficientOf(half, range.variable) ?? half);
    if (!half || (slope !== 1 && slope !== -1)) return undefined;
    const rest = withoutVariable(half, range.variable);
    const bound = slope === -1 ? plus(rest, 1) : subtract({ constant: 0, parts: [] }, rest);
    candidates.push({ side, end: slope === -1 ? "to" : "from", bound, guard });
  }
  const [only, second] = candidates;
  if (!only || second || mentions(only.bound, range.variable)) return undefined;
  const step = constantOf(coefficientOf(only.bound, side.variable) ?? only.bound);
  return step === 1 || step === -1 ? only : undefined;
}

/** Is a at most b at both ends of the coordinate's range? Only numbers are compared. */
function isAlways(a: Integer, b: Integer, { variable: v, from, to }: Loop): boolean {
  const gap = subtract(b, a);
  const ends = [(from as IntegerScalar).term, plus((to as IntegerScalar).term, -1)];
  return ends.every((end) => (constantOf(substitute(gap, new Map([[v, end]]))) ?? -1) >= 0);
}

function atMost(a: Integer, b: Integer, span: Reduction["span"]): Scalar {
  return compared("lessEqual", integerScalar(a), integerScalar(b), span);
}

/** The two terms of a running reduction: the neighbour, and the added element. */
export function runningTerms(
  running: Running,
  definition: Definition,
  clause: Clause,
): readonly Term[] {
  const { body, neighbour, goesOn, added, exists, startsFull } = running;
  const { loops, guards } = clause;
  const { span } = body;
  const algebra = algebraOf(body.value.type as FloatType, span);
  const carried = { value: neighbour, loops, guards: [...guards, goesOn], span };
  const own = {
    value: added,
    loops,
    guards: [...guards, ...(startsFull ? [] : [goesOn]), ...exists],
    span,
  };
  if (body.reduction === "prod") {
    const unit = algebra.number(1);
    const factor = exists.reduceRight((inner, guard) => algebra.select(guard, inner, unit), added);
    const others = startsFull ? algebra.select(goesOn, neighbour, unit) : neighbour;
    return [
      { ...carried, factor: { product: { ...one, factors: [factor] }, conditions: [] } },
      { ...own, factor: { product: { ...one, factors: [others] }, conditions: [] } },
    ];
  }
  const cell = readCell(definition, loops, span);
  const conditions = [
    { value: algebra.apply("equal", cell, algebra.number(-Infinity)), holds: false },
  ];
  const weighed = (element: Scalar): Term["factor"] => ({
    product: { ...one, factors: [algebra.apply("exp", algebra.apply("subtract", element, cell))] },
    conditions,
  });
  return [
    { ...carried, factor: weighed(neighbour) },
    { ...own, factor: weighed(added) },
  ];
}
