// Guards of a reduction that bound one of its coordinates become bounds of that coordinate's loop:
// the loop walks what counts.

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
import { conjuncts, tiesOf, usesAny } from "../../analyse/ties.ts";
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
 * The reduction simplified, with guards moved into ranges; its coordinates' intervals become known
 * for what is inside. `left` are the loops around it: where a guard ties one of them to the terms,
 * no range may come to depend on it, so that the terms can be walked once for all cells.
 */
export function tightened(body: Reduction, left: readonly Loop[], place: Place): Reduction {
  const known = new Map(place.known);
  const inner: Place = { ...place, known };
  const whole = new Map([...known, ...body.loops.flatMap(rangeOf)]);
  const guards = body.guards
    .map((guard) => simplify(guard, place))
    .flatMap(conjuncts)
    .map((guard) => asIntegers(guard, whole));
  let { value } = body;
  if (body.reduction === "sum") ({ value } = withoutZeroBranch(value, guards));
  const tied = tiesOf(left, body.loops, guards).map(({ axis }) => left[axis]!);
  const stays = (guard: Scalar): boolean => tied.length > 0 && usesAny(guard, tied);
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
          stays(guard) || later.some((each) => uses(guard, each)) || !moved(guard, loop, bounds);
        if (!isOpen)
          noted("tighten", (names) => `${textOfScalar(names, guard)} bounds ${loop.variable.name}`);
        return isOpen;
      });
      const start = simplifyTerm(bounds.from, known);
      const end = simplifyTerm(bounds.to, known);
      const whole = { ...loop, from: integerScalar(start), to: integerScalar(end) };
      const pin = open.find((guard) => !stays(guard) && lookedUp(guard, loop, [loop, ...later]));
      if (pin) {
        open = open.filter((guard) => guard !== pin);
        noted("tighten", (names) => `${textOfScalar(names, pin)} bounds ${loop.variable.name}`);
      }
      loops.push(pin ? onlyAt(whole, lookedUp(pin, loop, [loop, ...later])!) : whole);
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

/** All positions of a coordinate whose range is made of numbers. */
function rangeOf({ variable, from, to }: Loop): readonly (readonly [Variable, Interval])[] {
  const [first, end] = [valueOf(from), valueOf(to)];
  return first === undefined || end === undefined
    ? []
    : [[variable, { least: Number(first), most: Number(end) - 1 }]];
}

/**
 * A comparison whose sides are sums and products of coordinates and integers, as one of integers:
 * where no side leaves what an i32 holds, it is what these come to.
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
    ? inMultiples({ ...guard, operands: sides.map(integerScalar) }, known)
    : guard;
}

function staysWithin(term: Term, known: Intervals): boolean {
  const { least, most } = intervalOf(term, known);
  return least >= -(2 ** 31) && most < 2 ** 31;
}

/**
 * A comparison with a quotient as one with what is divided, so that it can bound the coordinates of
 * that: `k < i / 8` is `8 * (k + 1) <= i`, where no multiple leaves what an i32 holds.
 */
function inMultiples(guard: Scalar, known: Intervals): Scalar {
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
 * The position that data gives a coordinate, `idx[i] == p`, if that is known before its loop and
 * those inside.
 */
function lookedUp(guard: Scalar, loop: Loop, inside: readonly Loop[]): Scalar | undefined {
  if (guard.kind !== "apply" || guard.within !== "i32") return undefined;
  const at = lookedUpIn(guard, loop);
  return at && !usesAny(at, inside) ? at : undefined;
}

/** A loop over one of its positions, or over none where that is not among them. */
function onlyAt(loop: Loop, at: Scalar): Loop {
  const next = arithmetic("add", at, integerScalar(constant(1)));
  return { ...loop, from: arithmetic("max", loop.from, at), to: arithmetic("min", loop.to, next) };
}

/** In a sum, `if c { x } else { 0 }` is x under the guard c, where c is a comparison of indices. */
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

function uses(guard: Scalar, loop: Loop): boolean {
  if (guard.kind !== "apply") return true;
  return guard.operands.some(
    (operand) => operand.kind !== "integer" || mentions(operand.term, loop.variable),
  );
}

/** A difference by which two terms compare in the same way, in smaller numbers. */
function reduced(difference: Term): Term {
  const common = difference.parts.reduce(
    (g, { coefficient }) => gcd(g, coefficient),
    difference.constant,
  );
  return (Math.abs(common) > 1 && dividedBy(difference, Math.abs(common))) || difference;
}

/** Whether a guard is now said by the bounds. */
function moved(guard: Scalar, loop: Loop, bounds: Bounds): boolean {
  if (!isIndexComparison(guard) || guard.kind !== "apply") return false;
  const [a, b] = guard.operands.map((operand) => (operand as { term: Term }).term);
  const difference = reduced(subtract(b!, a!)); // b - a
  const factor = coefficientOf(difference, loop.variable);
  const coefficient = factor && constantOf(factor);
  if (!coefficient) return false;
  const rest = withoutVariable(difference, loop.variable);
  // With r the coordinate: b - a = c·r + rest, so r = -rest / c where they are equal. That is
  // between two positions where c does not divide it.
  const root = coefficient > 0 ? negate(rest) : rest;
  const size = constant(Math.abs(coefficient));
  const [last, first] = [floorDiv(root, size), ceilDiv(root, size)];
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
