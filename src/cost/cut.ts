// Guards on coordinates as ends of loops: half of a square is a loop that ends where the one around
// it stands.
//
//   k in 0..n, i in 0..n where k <= i   is   k in 0..n, i in k..n
//
// An end moves where the new one lies between the old ones wherever the loops around it stand.
// Where a loop would end before it begins, those around it are cut too, so that it does not:
//
//   l in 0..n, i in 0..n, k in l + 1..n where k + i < n   is   l in 0..n, i in 0..n - l, k in l + 1..n - i

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
 * A loop under way of being narrowed: a guard may move an end of it, and `width` replaces its
 * range.
 */
export interface Walk {
  loop: Loop;
  width?: Polynomial;
}

/**
 * The walks that visit those points where none of some terms is negative, and no others; nothing
 * where ends of loops do not say that.
 */
export function cutByAll(
  halves: readonly Term[],
  walks: readonly Walk[],
): readonly Walk[] | undefined {
  const cut = walks.map((walk): Walk => ({ ...walk }));
  let pending = halves;
  // What one of them leaves to the others may be all that it takes to move an end, or for there to
  // be nothing to move.
  for (let before = -1; pending.length > 0 && pending.length !== before;) {
    before = pending.length;
    pending = pending.filter(
      (half) => !isInside(half, loopsOf(around(half, cut))) && !cutBy(half, cut),
    );
  }
  return pending.length === 0 ? cut : undefined;
}

/**
 * Moves ends so that no range ends before it begins: no point is there that another one could take
 * away.
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
      !isInside(size, loopsOf(outer))
    )
      cutBy(size, outer);
  }
}

/**
 * The loops around others, without positions at which one of those has no range: `i in 0..n, q in
 * 0..(n + 7 - i) / n` is `i in 0..min(n, 8), …`.
 */
export function cutToRanges(loops: readonly Loop[], inner: readonly Loop[]): readonly Loop[] {
  const walks = [...loops, ...inner].map((loop): Walk => ({ loop }));
  cutByRanges(walks);
  return loopsOf(walks).slice(0, loops.length);
}

/**
 * A term that is not negative where a quotient and a number are 1 at least: e - d·(1 - c) for ⌊e /
 * d⌋ + c.
 */
function quotientAsHalf({ constant: more, parts: [part, another] }: Term): Term | undefined {
  const [atom, factor] = part?.factors ?? [];
  if (another || part?.coefficient !== 1 || factor || atom?.kind !== "floor") return undefined;
  return subtract(atom.dividend, scale(atom.divisor, 1 - more));
}

/** Ends the loops along which a term falls where it becomes negative. */
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

/** The loops down to the last one that a term mentions: those further in may have no points. */
function around(half: Term, walks: readonly Walk[]): readonly Walk[] {
  return walks.slice(0, walks.findLastIndex(({ loop }) => mentions(half, loop.variable)) + 1);
}

/** The loops over the cells that guards on coordinates leave, as far as those move their ends. */
export function cutLoops(loops: readonly Loop[], halves: readonly Term[]): readonly Loop[] {
  const walks = loops.map((loop): Walk => ({ loop }));
  for (const half of halves) cutBy(half, walks);
  return loopsOf(walks);
}

/** Moves an end of the innermost loop that a bound can be solved for. */
export function cutBy(half: Term, walks: readonly Walk[]): boolean {
  for (const [k, walk] of [...walks.entries()].toReversed()) {
    const { loop, width } = walk;
    const { variable: v, from, to } = loop;
    const bound = boundIn(half, v);
    if (width || !bound || from.kind !== "integer" || to.kind !== "integer") continue;
    const outer = walks.slice(0, k);
    const { rest, rises, end } = bound;
    // A bound in terms of loops further in would have to change places with them, and positions
    // along one that is replaced are not known.
    const known = new Set(outer.filter((each) => !each.width).map((each) => each.loop.variable));
    if (walks.some((each) => mentions(rest, each.loop.variable) && !known.has(each.loop.variable)))
      continue;
    const taken = rises ? subtract(end, from.term) : subtract(to.term, end);
    if (constantOf(taken) === 0 || !isInside(taken, loopsOf(outer))) continue;
    const left = rises ? subtract(to.term, end) : subtract(end, from.term);
    // Where it moves by parts of a position, the bound itself says what is left at the other end.
    const atEnd = substitute(half, new Map([[v, rises ? plusNumber(to.term, -1) : from.term]]));
    if (!leaves(left, outer) && (isUnit(half, v) || !leaves(atEnd, outer))) continue;
    walk.loop = rises ? { ...loop, from: integerScalar(end) } : { ...loop, to: integerScalar(end) };
    return true;
  }
  return false;
}

/**
 * What a term that is not negative says about a coordinate: where it begins, if the term rises
 * along it, or where it ends.
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
 * Moves an end that may be moved past the other one, and not further: `i in 0..n where i < 2` is `i
 * in 0..min(n, 2)`.
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
 * Whether a loop has something left wherever those around it stand, once these are cut to where it
 * has.
 */
function leaves(left: Term, outer: readonly Walk[]): boolean {
  if (isInside(left, loopsOf(outer))) return true;
  const before = loopsOf(outer);
  if (cutBy(left, outer) && isInside(left, loopsOf(outer))) return true;
  for (const [k, walk] of outer.entries()) walk.loop = before[k]!;
  return false;
}

function loopsOf(walks: readonly Walk[]): readonly Loop[] {
  return walks.map((walk) => walk.loop);
}

/**
 * Is a term never negative, wherever the coordinates stand? Every extent is taken to be 1 at least.
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
