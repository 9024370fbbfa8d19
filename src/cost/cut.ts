// Turns guards on coordinates into ends of loops: half of a square is a loop that ends at the
// position of the loop around it.
//
//   k in 0..n, i in 0..n where k <= i   is   k in 0..n, i in k..n
//
// An end is moved if the new end always lies between the old ones, wherever the outer loops are. If
// a loop would end before it begins, the outer loops are cut too:
//
//   l in 0..n, i in 0..n, k in l + 1..n where k + i < n
//     is   l in 0..n, i in 0..n - l, k in l + 1..n - i

import { holds, nonNegative, positive, within } from "../affine/prove.ts";
import {
  ceilDiv,
  constant,
  constantOf,
  floorDiv,
  minimum,
  ofVariable,
  plus as plusNumber,
  scale,
  subtract,
  zero,
  type Term,
  type Variable,
} from "../affine/term.ts";
import {
  coefficientOf,
  mentions,
  substitute,
  variablesOf,
  withoutVariable,
} from "../affine/visit.ts";
import type { Loop } from "../ir/program.ts";
import { integerScalar } from "../ir/substitute.ts";
import type { Polynomial } from "./polynomial.ts";

/**
 * A loop that is being narrowed. A guard may move one of its ends, and `width` replaces its range.
 */
export interface Walk {
  loop: Loop;
  width?: Polynomial;
}

/**
 * The walks over exactly the points where no term in `halves` is negative. Undefined if ends of
 * loops cannot express that.
 */
export function cutByAll(
  halves: readonly Term[],
  walks: readonly Walk[],
): readonly Walk[] | undefined {
  const cut = walks.map((walk): Walk => ({ ...walk }));
  let pending = halves;
  // One bound may make it possible to move an end for another, or make the other redundant, so the
  // bounds are tried until none is left or none succeeds.
  for (let before = -1; pending.length > 0 && pending.length !== before;) {
    before = pending.length;
    pending = pending.filter(
      (half) => !isInside(half, narrowedLoops(loopsDownTo(half, cut))) && !cutBy(half, cut),
    );
  }
  return pending.length === 0 ? cut : undefined;
}

/**
 * Moves ends of outer loops so that no range ends before it begins. An empty range would count as a
 * negative number of points.
 */
export function cutByRanges(walks: readonly Walk[]): void {
  for (const [k, { loop, width }] of walks.entries()) {
    if (width || loop.from.kind !== "integer" || loop.to.kind !== "integer") continue;
    const size = subtract(loop.to.term, loop.from.term);
    const outer = walks.slice(0, k);
    const atLeastOne = quotientAsHalf(size);
    if (atLeastOne) cutFalling(atLeastOne, outer);
    else if (
      outer.some((each) => mentions(size, each.loop.variable)) &&
      !isInside(size, narrowedLoops(outer))
    )
      cutBy(size, outer);
  }
}

/**
 * The outer loops without the positions at which an inner loop has no range:
 * `i in 0..n, q in 0..(n + 7 - i) / n` is `i in 0..min(n, 8), …`.
 */
export function cutToRanges(loops: readonly Loop[], inner: readonly Loop[]): readonly Loop[] {
  const walks = [...loops, ...inner].map((loop): Walk => ({ loop }));
  cutByRanges(walks);
  return narrowedLoops(walks).slice(0, loops.length);
}

/** A term that is not negative exactly where ⌊e/d⌋ + c is at least 1: e - d·(1 - c). */
function quotientAsHalf({ constant: more, parts: [part, another] }: Term): Term | undefined {
  const [atom, factor] = part?.factors ?? [];
  if (another || part?.coefficient !== 1 || factor || atom?.kind !== "floor") return undefined;
  return subtract(atom.dividend, scale(atom.divisor, 1 - more));
}

/** Ends the loops along which a term falls, where it becomes negative. */
function cutFalling(half: Term, walks: readonly Walk[]): void {
  for (const walk of walks) {
    const { variable: v, from, to } = walk.loop;
    if (
      walk.width ||
      from.kind !== "integer" ||
      to.kind !== "integer" ||
      constantOf(coefficientOf(half, v) ?? zero) !== -1
    )
      continue;
    const end = plusNumber(withoutVariable(half, v), 1);
    if (
      walks.some((each) => mentions(end, each.loop.variable)) ||
      !isInside(subtract(end, from.term), [])
    )
      continue;
    walk.loop = { ...walk.loop, to: integerScalar(minimum(to.term, end)) };
  }
}

/** The loops down to the last one that a term mentions. Inner loops may have no points. */
function loopsDownTo(half: Term, walks: readonly Walk[]): readonly Walk[] {
  return walks.slice(0, walks.findLastIndex(({ loop }) => mentions(half, loop.variable)) + 1);
}

/** The loops over the cells that guards on coordinates leave, as far as the guards move ends. */
export function cutLoops(loops: readonly Loop[], halves: readonly Term[]): readonly Loop[] {
  const walks = loops.map((loop): Walk => ({ loop }));
  for (const half of halves) cutBy(half, walks);
  return narrowedLoops(walks);
}

/** Moves an end of the innermost loop for which the bound can be solved. */
export function cutBy(half: Term, walks: readonly Walk[]): boolean {
  for (const [k, walk] of [...walks.entries()].toReversed()) {
    const { loop, width } = walk;
    const { variable: v, from, to } = loop;
    const bound = boundIn(half, v);
    if (width || !bound || from.kind !== "integer" || to.kind !== "integer") continue;
    const outer = walks.slice(0, k);
    const { rest, rises, end } = bound;
    // A bound in terms of inner loops would require another order of the loops. A position along a
    // loop with a width is not known.
    const known = new Set(outer.filter((each) => !each.width).map((each) => each.loop.variable));
    if (walks.some((each) => mentions(rest, each.loop.variable) && !known.has(each.loop.variable)))
      continue;
    const removed = rises ? subtract(end, from.term) : subtract(to.term, end);
    if (constantOf(removed) === 0 || !isInside(removed, narrowedLoops(outer))) continue;
    const remaining = rises ? subtract(to.term, end) : subtract(end, from.term);
    // If the end moves by fractions of a position, the bound is tested at the other end.
    const atEnd = substitute(half, new Map([[v, rises ? plusNumber(to.term, -1) : from.term]]));
    if (!leavesPositions(remaining, outer) && (isUnit(half, v) || !leavesPositions(atEnd, outer)))
      continue;
    walk.loop = rises ? { ...loop, from: integerScalar(end) } : { ...loop, to: integerScalar(end) };
    return true;
  }
  return false;
}

/**
 * The bound that a non-negative term puts on a coordinate: where the coordinate begins, if the term
 * rises along it, or where it ends.
 */
function boundIn(
  half: Term,
  v: Variable,
): { readonly rest: Term; readonly rises: boolean; readonly end: Term } | undefined {
  const slope = constantOf(coefficientOf(half, v) ?? zero);
  if (!slope) return undefined;
  const [rest, size, rises] = [withoutVariable(half, v), constant(Math.abs(slope)), slope > 0];
  return {
    rest,
    rises,
    end: rises ? ceilDiv(subtract(zero, rest), size) : plusNumber(floorDiv(rest, size), 1),
  };
}

/**
 * Moves an end of a loop to a bound, or to the end of its range if the bound may lie behind that:
 * `i in 0..n where i < 2` is `i in 0..min(n, 2)`.
 */
export function cutAtMost(half: Term, walks: readonly Walk[]): boolean {
  for (const walk of walks) {
    const { variable: v, from, to } = walk.loop;
    const bound = boundIn(half, v);
    if (walk.width || !bound || from.kind !== "integer" || to.kind !== "integer") continue;
    const { rest, rises, end } = bound;
    if (
      walks.some((each) => mentions(rest, each.loop.variable)) ||
      !isInside(subtract(end, from.term), [])
    )
      continue;
    if (constantOf(subtract(end, rises ? from.term : to.term)) === 0) continue;
    const at = integerScalar(minimum(end, to.term));
    walk.loop = rises ? { ...walk.loop, from: at } : { ...walk.loop, to: at };
    return true;
  }
  return false;
}

/**
 * Whether a loop has positions left wherever the outer loops are, after these are cut to where it
 * has some.
 */
function leavesPositions(left: Term, outer: readonly Walk[]): boolean {
  if (isInside(left, narrowedLoops(outer))) return true;
  const before = narrowedLoops(outer);
  if (cutBy(left, outer) && isInside(left, narrowedLoops(outer))) return true;
  for (const [k, walk] of outer.entries()) walk.loop = before[k]!;
  return false;
}

function narrowedLoops(walks: readonly Walk[]): readonly Loop[] {
  return walks.map((walk) => walk.loop);
}

/**
 * Whether a term is never negative, wherever the coordinates are. Every extent counts as at least
 * 1.
 */
export function isInside(gap: Term, loops: readonly Loop[]): boolean {
  const inside = loops.flatMap(({ variable: v, from, to }) =>
    from.kind === "integer" && to.kind === "integer"
      ? within(ofVariable(v), { from: from.term, to: to.term })
      : [],
  );
  const walked = new Set(loops.map((loop) => loop.variable));
  const facts = [nonNegative(gap), ...inside];
  const extents = new Set(
    facts.flatMap(({ term }) => [...variablesOf(term)]).filter((v) => !walked.has(v)),
  );
  return holds(facts[0]!, [...inside, ...[...extents].map((v) => positive(ofVariable(v)))]);
}

export function isUnit(form: Term, v: Variable): boolean {
  const coefficient = coefficientOf(form, v);
  const value = coefficient && constantOf(coefficient);
  return value === 1 || value === -1;
}
