// Turns guards that bound a reduced coordinate into bounds of its loop, so that the loop walks only
// the positions that count.
//
//   sum[k in 0..n](x[k] where k < i)   becomes   sum[k in 0..min(n, i)](x[k])

import {
  attempt,
  ceilDiv,
  constant,
  constantOf,
  floorDiv,
  gcd,
  maximum,
  minimum,
  negate,
  plus,
  scale,
  subtract,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import { coefficientOf, mentions, withoutVariable } from "../../affine/visit.ts";
import { halfOf } from "../../cost/points.ts";
import type { Body, Loop, Scalar } from "../../ir/program.ts";
import { integerWithQuotients } from "../../ir/integers.ts";
import { lookedUpIn } from "../../analyse/pins.ts";
import { arithmetic, integerScalar } from "../../ir/substitute.ts";
import { conjuncts, inAnyOrder, tiesOf, usesAny } from "../../analyse/ties.ts";
import { intervalOf, type Interval, type Intervals } from "./intervals.ts";
import { noted } from "../rules.ts";
import { valueOf } from "../../analyse/can-fail.ts";
import { dividedBy, folded, simplify, simplifyTerm, type Place } from "./simplify.ts";
import { textOfScalar } from "../text.ts";

type Reduction = Extract<Body, { kind: "reduce" }>;

interface Bounds {
  from: Term;
  to: Term;
}

/**
 * Simplifies a reduction and moves guards into ranges. `around` are the surrounding loops. A guard
 * that ties one of them to the terms must not make a range depend on it, because the terms of a
 * scatter are walked once for all cells.
 */
export function tightened(body: Reduction, around: readonly Loop[], place: Place): Reduction {
  const known = new Map(place.known);
  const inner: Place = { ...place, known };
  const whole = new Map([...known, ...body.loops.flatMap(knownRange)]);
  const guards = inAnyOrder(body.guards.map((guard) => simplify(guard, place))).map((guard) =>
    asIntegers(guard, whole),
  );
  let { value } = body;
  if (body.reduction === "sum") ({ value } = withoutZeroBranch(value, guards));
  const tiedLoops = tiesOf(around, body.loops, guards).map(({ axis }) => around[axis]!);
  const stays = (guard: Scalar): boolean => tiedLoops.length > 0 && usesAny(guard, tiedLoops);
  const loops: Loop[] = [];
  let open: readonly Scalar[] = guards;
  for (const [k, loop] of body.loops.entries()) {
    const from = simplify(loop.from, inner);
    const to = simplify(loop.to, inner);
    const later = body.loops.slice(k + 1);
    if (from.kind === "integer" && to.kind === "integer") {
      const bounds: Bounds = { from: from.term, to: to.term };
      open = open.filter((guard) => {
        const isOpen =
          stays(guard) ||
          later.some((each) => usesCoordinate(guard, each)) ||
          !movesIntoBounds(guard, loop, bounds);
        if (!isOpen)
          noted("tighten", (names) => `${textOfScalar(names, guard)} bounds ${loop.variable.name}`);
        return isOpen;
      });
      const start = simplifyTerm(bounds.from, known);
      const end = simplifyTerm(bounds.to, known);
      const whole = { ...loop, from: integerScalar(start), to: integerScalar(end) };
      const pin = open.find(
        (guard) => !stays(guard) && positionFromData(guard, loop, [loop, ...later]),
      );
      if (pin) {
        open = open.filter((guard) => guard !== pin);
        noted("tighten", (names) => `${textOfScalar(names, pin)} bounds ${loop.variable.name}`);
      }
      loops.push(pin ? onlyAt(whole, positionFromData(pin, loop, [loop, ...later])!) : whole);
      known.set(loop.variable, {
        least: intervalOf(start, known).least,
        most: intervalOf(end, known).most - 1,
      });
    } else {
      loops.push({ ...loop, from, to });
      known.set(loop.variable, { least: 0, most: 2 ** 31 - 1 } satisfies Interval);
    }
  }
  const others = open
    .map((guard) => simplify(guard, inner))
    .filter((guard) => valueOf(guard) !== true);
  return { ...body, loops, guards: others, value: folded(value, inner) };
}

/** The interval of a coordinate whose range is made of numbers. */
function knownRange({ variable, from, to }: Loop): readonly (readonly [Variable, Interval])[] {
  const [first, end] = [valueOf(from), valueOf(to)];
  return first === undefined || end === undefined
    ? []
    : [[variable, { least: Number(first), most: Number(end) - 1 }]];
}

/**
 * Writes a comparison of sums and products of coordinates as a comparison of integer terms. Leaves
 * the guard as it is if a side may overflow an i32.
 */
function asIntegers(guard: Scalar, known: Intervals): Scalar {
  if (guard.kind !== "apply" || guard.type !== "bool" || guard.within !== "i32") return guard;
  const isNotNegative = (term: Term): boolean =>
    staysWithin(term, known) && intervalOf(term, known).least >= 0;
  const sides = guard.operands.map((operand) =>
    attempt(() => integerWithQuotients(operand, isNotNegative)),
  );
  const isHeld = (side: Term | undefined): side is Term =>
    side !== undefined && staysWithin(side, known);
  return sides.every(isHeld)
    ? withoutQuotient({ ...guard, operands: sides.map(integerScalar) }, known)
    : guard;
}

function staysWithin(term: Term, known: Intervals): boolean {
  const { least, most } = intervalOf(term, known);
  return least >= -(2 ** 31) && most < 2 ** 31;
}

/**
 * Rewrites a comparison with a quotient to one without it, so that the guard can bound coordinates
 * of the dividend: `k < i / 8` is `8 * (k + 1) <= i`. Leaves the guard as it is if a side may
 * overflow an i32.
 */
function withoutQuotient(guard: Scalar, known: Intervals): Scalar {
  const half = halfOf(guard);
  const part = half?.parts.find(
    ({ coefficient, factors: [atom, another] }) =>
      Math.abs(coefficient) === 1 && !another && atom?.kind === "floor",
  );
  const [atom] = part?.factors ?? [];
  const divisor = atom?.kind === "floor" ? (constantOf(atom.divisor) ?? 0) : 0;
  if (!half || !part || atom?.kind !== "floor" || divisor <= 0) return guard;
  const rest = scale({ ...half, parts: half.parts.filter((other) => other !== part) }, divisor);
  // ⌊e / d⌋ + r >= 0 is e >= -d·r, and r - ⌊e / d⌋ >= 0 is e <= d·r + d - 1.
  const [low, high] =
    part.coefficient > 0 ? [negate(rest), atom.dividend] : [atom.dividend, plus(rest, divisor - 1)];
  return [low, high].every((side) => staysWithin(side, known))
    ? {
        ...(guard as Extract<Scalar, { kind: "apply" }>),
        operation: "lessEqual",
        operands: [low, high].map(integerScalar),
      }
    : guard;
}

/**
 * The position that data gives a coordinate, as in `idx[i] == p`, if it is known before the loop of
 * the coordinate and the loops inside.
 */
function positionFromData(guard: Scalar, loop: Loop, inside: readonly Loop[]): Scalar | undefined {
  if (guard.kind !== "apply" || guard.within !== "i32") return undefined;
  const at = lookedUpIn(guard, loop);
  return at && !usesAny(at, inside) ? at : undefined;
}

/** A loop over a single position, or over none if the position is not in the range of the loop. */
function onlyAt(loop: Loop, at: Scalar): Loop {
  const next = arithmetic("add", at, integerScalar(constant(1)));
  return { ...loop, from: arithmetic("max", loop.from, at), to: arithmetic("min", loop.to, next) };
}

/** In a sum, `if c { x } else { 0 }` is x under the guard c, if c is a comparison of indices. */
function withoutZeroBranch(value: Scalar, guards: Scalar[]): { readonly value: Scalar } {
  let left = value;
  while (
    left.kind === "select" &&
    Number(valueOf(left.otherwise)) === 0 &&
    !Object.is(valueOf(left.otherwise), -0)
  ) {
    const conditions = conjuncts(left.condition);
    if (!conditions.every(isIndexComparison)) break;
    guards.push(...conditions);
    left = left.then;
  }
  return { value: left };
}

function isIndexComparison(scalar: Scalar): boolean {
  return (
    scalar.kind === "apply" &&
    scalar.type === "bool" &&
    scalar.operands.length === 2 &&
    scalar.operands.every((operand) => operand.kind === "integer")
  );
}

function usesCoordinate(guard: Scalar, loop: Loop): boolean {
  if (guard.kind !== "apply") return true;
  return guard.operands.some(
    (operand) => operand.kind !== "integer" || mentions(operand.term, loop.variable),
  );
}

/**
 * Divides a difference by a common factor of its numbers. Its sign, and so the comparison, stays
 * the same.
 */
function dividedByCommonFactor(difference: Term): Term {
  const common = difference.parts.reduce(
    (g, { coefficient }) => gcd(g, coefficient),
    difference.constant,
  );
  return (Math.abs(common) > 1 && dividedBy(difference, Math.abs(common))) || difference;
}

/**
 * Moves a guard into the bounds, if it is a comparison that bounds the coordinate. Gives whether it
 * has done so.
 */
function movesIntoBounds(guard: Scalar, loop: Loop, bounds: Bounds): boolean {
  if (!isIndexComparison(guard) || guard.kind !== "apply") return false;
  const [a, b] = guard.operands.map((operand) => (operand as { term: Term }).term);
  const difference = dividedByCommonFactor(subtract(b!, a!)); // b - a
  const factor = coefficientOf(difference, loop.variable);
  const coefficient = factor && constantOf(factor);
  if (!coefficient) return false;
  const rest = withoutVariable(difference, loop.variable);
  // With r the coordinate: b - a = c·r + rest, so a and b are equal at r = -rest / c. If c does not
  // divide rest, this lies between two positions.
  const root = coefficient > 0 ? negate(rest) : rest;
  const step = constant(Math.abs(coefficient));
  const [last, first] = [floorDiv(root, step), ceilDiv(root, step)];
  const atLeast = (least: Term): void => void (bounds.from = maximum(bounds.from, least));
  const below = (end: Term): void => void (bounds.to = minimum(bounds.to, end));
  switch (guard.operation) {
    case "less": // b - a > 0
      if (coefficient > 0) atLeast(plus(last, 1));
      else below(first);
      return true;
    case "lessEqual":
      if (coefficient > 0) atLeast(first);
      else below(plus(last, 1));
      return true;
    case "greater": // b - a < 0
      if (coefficient > 0) below(first);
      else atLeast(plus(last, 1));
      return true;
    case "greaterEqual":
      if (coefficient > 0) below(plus(last, 1));
      else atLeast(first);
      return true;
    case "equal":
      atLeast(first);
      below(plus(last, 1));
      return true;
    default:
      return false;
  }
}
