// How many points a nest of loops visits, as a polynomial in the extents.
//
//   sum[i in 0..n, k in 0..n](… where k <= i)      n²/2 + n/2 points
//
// Guards on coordinates alone narrow the nest, as they narrow the loops of a compiled program. An
// equation removes a coordinate that it determines (a diagonal, a scatter). A guard i - k in 0..n
// leaves n values of i for each k, a divisibility by s leaves one position in s, and k <= i leaves
// half of a square. Guards on data filter at run time; the count assumes that every point passes
// them.

import { printOperand } from "../print/print.ts";
import { integerOf } from "../ir/integers.ts";
import { oppositeOf } from "../analyse/opposite.ts";
import { permutations } from "../ir/permutations.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import {
  add,
  constant,
  constantOf,
  floorDiv,
  one,
  plus as plusNumber,
  scale,
  subtract,
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
import { usesAny } from "../analyse/ties.ts";
import { cutAtMost, cutBy, cutByAll, cutByRanges, isUnit, type Walk } from "./cut.ts";
import {
  exceeds,
  minus,
  nothing,
  number,
  ofTerm,
  replaced,
  scaled,
  summed,
  unknown,
  type Polynomial,
} from "./polynomial.ts";

interface Points {
  readonly count: Polynomial;
  /** Coordinates whose position an equation gives. */
  readonly determined: ReadonlySet<Variable>;
  /** Whether some points of the nest are left out. */
  readonly narrowed: boolean;
}

export function pointsOf(loops: readonly Loop[], guards: readonly Scalar[]): Points {
  const walks = loops.map((loop): Walk => ({ loop }));
  const determined = new Set<Variable>();
  const solved = new Map<Variable, Term>();
  let divisor = 1;
  const conditions = guards.flatMap(conjuncts);
  for (const condition of conditions) {
    const stride = divisibility(condition);
    if (stride !== undefined) {
      divisor *= stride;
      continue;
    }
    const others = conditions.filter((other) => other !== condition);
    const found = equationFor(condition, walks, loops, others);
    if (found) {
      found.width = number(1);
      determined.add(found.loop.variable);
      const solution = solutionOf(condition, found.loop.variable);
      if (solution) solved.set(found.loop.variable, solution);
    }
  }
  cutByRanges(walks);
  const bounds = halvesIn(conditions, loops, solved);
  // With a stride, a share of whole strips is closer to the truth than a share of cut loops.
  const exact =
    cutByAll(bounds, walks) ?? (divisor === 1 ? cutInAnotherOrder(bounds, walks) : undefined);
  const left = exact ?? walks;
  let isCut =
    exact !== undefined && exact.some(({ loop }) => walks.every((walk) => loop !== walk.loop));
  if (!exact) {
    const halves = conditions.flatMap(halvesOf);
    const strips = stripsIn(halves, loops);
    const inStrips = new Set(strips.flatMap((strip) => strip.halves));
    for (const { form, width } of strips) {
      const candidates = walks.filter(
        (walk) => !walk.width && isUnit(form, walk.loop.variable) && isFree(walk, loops),
      );
      const widest = candidates.reduce<Walk | undefined>(
        (best, walk) =>
          !best || exceeds(lengthOfRange(walk.loop), lengthOfRange(best.loop)) ? walk : best,
        undefined,
      );
      // If the two widths cannot be told apart, the width of the strip counts.
      if (widest && !exceeds(width, lengthOfRange(widest.loop))) widest.width = width;
    }
    for (const half of halves)
      if (!inStrips.has(half)) isCut = cutBy(half, walks) || cutAtMost(half, walks) || isCut;
  }
  return {
    count: scaled(nested(left), 1, divisor),
    determined,
    narrowed: divisor > 1 || isCut || left.some((walk) => walk.width !== undefined),
  };
}

/** With more loops in the bounds than this, only the given order is tried. */
const mostOrdered = 3;

/**
 * Cuts the loops in another order, in which the bounds are ends of loops. For
 * `2 * k + 2 <= i && i < 3 * k + 3`, the bounds of i for each k may lie behind the range of i, but
 * those of k for each i do not.
 */
function cutInAnotherOrder(
  halves: readonly Term[],
  walks: readonly Walk[],
): readonly Walk[] | undefined {
  const loops = walks.map(({ loop }) => loop);
  const isFixed = (loop: Loop): boolean =>
    loops.some((other) => rangeDependsOn(loop, other) || rangeDependsOn(other, loop));
  const free = walks.filter(
    ({ loop }) => halves.some((half) => mentions(half, loop.variable)) && !isFixed(loop),
  );
  if (free.length > mostOrdered) return undefined;
  for (const order of permutations(free).slice(1)) {
    const rest = [...order];
    const cut = cutByAll(
      halves,
      walks.map((walk) => (free.includes(walk) ? rest.shift()! : walk)),
    );
    if (cut) return cut;
  }
  return undefined;
}

function rangeDependsOn(loop: Loop, other: Loop): boolean {
  return usesAny(loop.from, [other]) || usesAny(loop.to, [other]);
}

function nested(walks: readonly Walk[]): Polynomial {
  return walks.reduceRight((inner, { loop, width }) => {
    const settled = atMiddle(inner, loop);
    const [from, to] = width ? [nothing, width] : rangeAsPolynomials(loop);
    return summed(settled, loop.variable, from, to);
  }, number(1));
}

/** The bounds as polynomials. A range that data decides counts with its average length. */
function rangeAsPolynomials(loop: Loop): readonly [Polynomial, Polynomial] {
  if (loop.from.kind === "integer" && loop.to.kind === "integer")
    return [ofTerm(loop.from.term), ofTerm(loop.to.term)];
  return [nothing, unknown(`${printOperand(loop.from)}..${printOperand(loop.to)}`)];
}

function lengthOfRange(loop: Loop): Polynomial {
  const [from, to] = rangeAsPolynomials(loop);
  return minus(to, from);
}

/**
 * Quotients, min and max of the coordinate do not sum to polynomials. They are taken at the middle
 * of its range.
 */
function atMiddle(inner: Polynomial, { variable: v, from, to }: Loop): Polynomial {
  return replaced(inner, (quantity) => {
    if (quantity.kind === "data" || quantity.atom.kind === "variable") return undefined;
    const term: Term = {
      constant: 0,
      parts: [{ coefficient: 1, factors: [quantity.atom], key: `*${quantity.key}` }],
    };
    if (!mentions(term, v) || from.kind !== "integer" || to.kind !== "integer") return undefined;
    return ofTerm(substitute(term, new Map([[v, floorDiv(add(from.term, to.term), constant(2))]])));
  });
}

export function conjuncts(guard: Scalar): readonly Scalar[] {
  if (guard.kind !== "apply") return [guard];
  if (guard.operation === "and") return guard.operands.flatMap(conjuncts);
  const opposite = guard.operation === "not" ? oppositeOf(guard.operands[0]!) : undefined;
  return opposite ? conjuncts(opposite) : [guard];
}

/** The stride of a guard `e % s == 0`. */
function divisibility(condition: Scalar): number | undefined {
  if (condition.kind !== "apply" || condition.operation !== "equal") return undefined;
  const [rest, none] = condition.operands as [Scalar, Scalar];
  if (constantOf(integerOf(none) ?? one) !== 0) return undefined;
  if (rest.kind !== "apply" || rest.operation !== "remainder") return undefined;
  const [value, by] = rest.operands.map(integerOf);
  return value && by && constantOf(by);
}

/**
 * The loop whose coordinate an equation determines. Of several, it is the longest, and then the one
 * that fewer other conditions mention, because those narrow the other loop. A range that data
 * decides is the last choice: to find whether a position lies in it, all such ranges must be
 * tested.
 */
function equationFor(
  condition: Scalar,
  walks: readonly Walk[],
  loops: readonly Loop[],
  others: readonly Scalar[],
): Walk | undefined {
  if (condition.kind !== "apply" || condition.operation !== "equal") return undefined;
  if (condition.within !== "i32" && condition.within !== "i64") return undefined;
  const [a, b] = condition.operands.map(uncast) as [Scalar, Scalar];
  const [left, right] = [integerOf(a), integerOf(b)];
  const solves = (walk: Walk): boolean => {
    const v = walk.loop.variable;
    if (left && right) return isUnit(subtract(left, right), v);
    const [own, other] = left ? [left, b] : [right, a];
    return own !== undefined && isUnit(own, v) && !usesAny(other, [walk.loop]);
  };
  const candidates = walks.filter((walk) => !walk.width && solves(walk) && isFree(walk, loops));
  const bounded = candidates.filter(
    ({ loop }) => loop.from.kind === "integer" && loop.to.kind === "integer",
  );
  const mentionCount = ({ loop }: Walk): number =>
    others.filter((other) => usesAny(other, [loop])).length;
  const isBetter = (walk: Walk, best: Walk): boolean => {
    const [own, other] = [lengthOfRange(walk.loop), lengthOfRange(best.loop)];
    return (
      exceeds(own, other) ||
      (minus(own, other).length === 0 && mentionCount(walk) < mentionCount(best))
    );
  };
  return (bounded.length > 0 ? bounded : candidates).reduce<Walk | undefined>(
    (best, walk) => (!best || isBetter(walk, best) ? walk : best),
    undefined,
  );
}

/** The value that an equation of integers gives a coordinate. */
function solutionOf(condition: Scalar, v: Variable): Term | undefined {
  const [left, right] = (condition as Extract<Scalar, { kind: "apply" }>).operands.map((side) =>
    integerOf(uncast(side)),
  );
  if (!left || !right) return undefined;
  const gap = subtract(left, right);
  if (!isUnit(gap, v)) return undefined;
  const rest = withoutVariable(gap, v);
  return constantOf(coefficientOf(gap, v)!) === 1 ? subtract(constant(0), rest) : rest;
}

/**
 * All bounds of the remaining coordinates: the comparisons, and the ranges of the coordinates that
 * equations determine.
 */
function halvesIn(
  conditions: readonly Scalar[],
  loops: readonly Loop[],
  solved: ReadonlyMap<Variable, Term>,
): readonly Term[] {
  const ranges = loops.flatMap(({ variable: v, from, to }) => {
    const at = solved.get(v);
    if (!at || from.kind !== "integer" || to.kind !== "integer") return [];
    return [subtract(at, from.term), plusNumber(subtract(to.term, at), -1)];
  });
  return [...conditions.flatMap(halvesOf), ...ranges].map((half) => substitute(half, solved));
}

/** A coordinate under a cast to i64 counts as the coordinate. */
function uncast(scalar: Scalar): Scalar {
  return scalar.kind === "cast" && scalar.type === "i64" ? scalar.operand : scalar;
}

/** Whether no other range depends on a loop. */
function isFree({ loop }: Walk, loops: readonly Loop[]): boolean {
  return !loops.some((other) => rangeDependsOn(other, loop));
}

interface Strip {
  readonly form: Term;
  readonly width: Polynomial;
  /** The two bounds of the strip. */
  readonly halves: readonly Term[];
}

/** Pairs of bounds of one linear form of the coordinates, from below and from above. */
function stripsIn(halves: readonly Term[], loops: readonly Loop[]): readonly Strip[] {
  const variables = new Set(loops.map((loop) => loop.variable));
  const isClosed = (term: Term): boolean => ![...variablesOf(term)].some((v) => variables.has(v));
  const found: Strip[] = [];
  const used = new Set<Term>();
  for (const [k, lower] of halves.entries()) {
    if (isClosed(lower)) continue;
    for (const upper of halves.slice(k + 1)) {
      const gap = add(lower, upper);
      if (used.has(lower) || used.has(upper) || !isClosed(gap)) continue;
      used.add(lower).add(upper);
      found.push({ form: lower, width: ofTerm(plusNumber(gap, 1)), halves: [lower, upper] });
    }
  }
  return found;
}

/** The terms that must not be negative. `max(a, b) <= c` gives two: c - a and c - b. */
export function halvesOf(condition: Scalar): readonly Term[] {
  const half = halfOf(condition);
  const extreme = half?.parts.find(({ coefficient, factors: [atom, another] }) =>
    another
      ? false
      : (atom?.kind === "max" && coefficient === -1) || (atom?.kind === "min" && coefficient === 1),
  );
  const [atom] = extreme?.factors ?? [];
  if (!half || !extreme || (atom?.kind !== "max" && atom?.kind !== "min"))
    return half ? [half] : [];
  const rest: Term = { ...half, parts: half.parts.filter((part) => part !== extreme) };
  return atom.members.map((member) => add(rest, scale(member, extreme.coefficient)));
}

/** A comparison of integers as a term that must not be negative. */
export function halfOf(condition: Scalar): Term | undefined {
  if (condition.kind !== "apply" || condition.operands.length !== 2) return undefined;
  const [a, b] = condition.operands.map(integerOf);
  if (!a || !b) return undefined;
  switch (condition.operation) {
    case "lessEqual":
      return subtract(b, a);
    case "less":
      return plusNumber(subtract(b, a), -1);
    case "greaterEqual":
      return subtract(a, b);
    case "greater":
      return plusNumber(subtract(a, b), -1);
    default:
      return undefined;
  }
}
