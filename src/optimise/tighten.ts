// Guards of a reduction that bound one of its coordinates become bounds of that coordinate's loop: the loop walks what counts.

import {
  add,
  attempt,
  constant,
  constantOf,
  gcd,
  maximum,
  minimum,
  negate,
  plus,
  subtract,
  type Term,
  type Variable,
} from "../ir/affine/term.ts";
import { coefficientOf, mentions, withoutVariable } from "../ir/affine/visit.ts";
import type { Body, Loop, Scalar } from "../ir/program.ts";
import { integerOf } from "../ir/integers.ts";
import { lookedUpIn } from "../ir/pins.ts";
import { arithmetic, integerScalar } from "../ir/substitute.ts";
import { conjuncts, tiesOf, usesAny } from "../ir/ties.ts";
import { intervalOf, type Interval, type Intervals } from "./intervals.ts";
import { noted } from "./rules.ts";
import { valueOf } from "../ir/can-fail.ts";
import { dividedBy, folded, simplify, simplifyTerm, type Place } from "./simplify.ts";
import { textOf } from "./text.ts";

type Reduction = Extract<Body, { kind: "reduce" }>;

interface Bounds {
  from: Term;
  to: Term;
}

/**
 * The reduction simplified, with guards moved into ranges; its coordinates' intervals become known for what is inside. `left` are the loops
 * around it: where a guard ties one of them to the terms, no range may come to depend on it, so that the terms can be walked once for all cells.
 */
export function tightened(body: Reduction, left: readonly Loop[], place: Place): Reduction {
  const known = new Map(place.known);
  const inner: Place = { ...place, known };
  const whole = new Map([...known, ...body.loops.flatMap(rangeOf)]);
  const guards = body.guards.map((guard) => simplify(guard, place)).flatMap(conjuncts).map((guard) => asIntegers(guard, whole)); // prettier-ignore
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
        const isOpen = stays(guard) || later.some((each) => uses(guard, each)) || !moved(guard, loop, bounds);
        if (!isOpen) noted("tighten", (names) => `${textOf(names, guard)} bounds ${loop.variable.name}`);
        return isOpen;
      });
      const start = simplifyTerm(bounds.from, known);
      const end = simplifyTerm(bounds.to, known);
      const whole = { ...loop, from: integerScalar(start), to: integerScalar(end) };
      const pin = open.find((guard) => !stays(guard) && lookedUp(guard, loop, [loop, ...later]));
      if (pin) {
        open = open.filter((guard) => guard !== pin);
        noted("tighten", (names) => `${textOf(names, pin)} bounds ${loop.variable.name}`);
      }
      loops.push(pin ? onlyAt(whole, lookedUp(pin, loop, [loop, ...later])!) : whole);
      known.set(loop.variable, { least: intervalOf(start, known).least, most: intervalOf(end, known).most - 1 });
    } else {
      loops.push({ ...loop, from, to });
      known.set(loop.variable, { least: 0, most: 2 ** 31 - 1 } satisfies Interval);
    }
  }
  const others = open.map((guard) => simplify(guard, inner)).filter((guard) => valueOf(guard) !== true);
  return { ...body, loops, guards: others, value: folded(value, inner) };
}

/** All positions of a coordinate whose range is made of numbers. */
function rangeOf({ variable, from, to }: Loop): readonly (readonly [Variable, Interval])[] {
  const [first, end] = [valueOf(from), valueOf(to)];
  return first === undefined || end === undefined ? [] : [[variable, { least: Number(first), most: Number(end) - 1 }]];
}

/** A comparison whose sides are sums and products of coordinates and integers, as one of integers: where no side leaves what an i32 holds, it is what these come to. */
function asIntegers(guard: Scalar, known: Intervals): Scalar {
  if (guard.kind !== "apply" || guard.type !== "bool" || guard.within !== "i32") return guard;
  const sides = guard.operands.map((operand) => attempt(() => integerOf(operand)));
  const isHeld = (side: Term | undefined): side is Term => {
    const range = side && intervalOf(side, known);
    return range !== undefined && range.least >= -(2 ** 31) && range.most < 2 ** 31;
  };
  return sides.every(isHeld) ? { ...guard, operands: sides.map(integerScalar) } : guard;
}

/** The position that data gives a coordinate, `idx[i] == p`, if that is known before its loop and those inside. */
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
  while (left.kind === "select" && Number(valueOf(left.otherwise)) === 0 && !Object.is(valueOf(left.otherwise), -0)) {
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
  return guard.operands.some((operand) => operand.kind !== "integer" || mentions(operand.term, loop.variable));
}

/** A difference by which two terms compare in the same way, in smaller numbers. */
function reduced(difference: Term): Term {
  const common = difference.parts.reduce((g, { coefficient }) => gcd(g, coefficient), difference.constant);
  return (Math.abs(common) > 1 && dividedBy(difference, Math.abs(common))) || difference;
}

/** Whether a guard is now said by the bounds. */
function moved(guard: Scalar, loop: Loop, bounds: Bounds): boolean {
  if (!isIndexComparison(guard) || guard.kind !== "apply") return false;
  const [a, b] = guard.operands.map((operand) => (operand as { term: Term }).term);
  const difference = reduced(subtract(b!, a!)); // b - a
  const factor = coefficientOf(difference, loop.variable);
  const coefficient = factor && constantOf(factor);
  if (coefficient !== 1 && coefficient !== -1) return false;
  const rest = withoutVariable(difference, loop.variable);
  // With r the coordinate: b - a = ±r + rest, so r = ∓rest where they are equal.
  const root = coefficient === 1 ? negate(rest) : rest;
  const atLeast = (least: Term): void => void (bounds.from = maximum(bounds.from, least));
  const below = (end: Term): void => void (bounds.to = minimum(bounds.to, end));
  switch (guard.operation) {
    case "less": // b - a > 0
      if (coefficient === 1) atLeast(plus(root, 1));
      else below(root);
      return true;
    case "lessEqual":
      if (coefficient === 1) atLeast(root);
      else below(plus(root, 1));
      return true;
    case "greater": // b - a < 0
      if (coefficient === 1) below(root);
      else atLeast(plus(root, 1));
      return true;
    case "greaterEqual":
      if (coefficient === 1) below(plus(root, 1));
      else atLeast(root);
      return true;
    case "equal":
      atLeast(root);
      below(add(root, constant(1)));
      return true;
    default:
      return false;
  }
}
