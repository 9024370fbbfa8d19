// How many points a nest of loops visits, as a polynomial in the extents.
//
// Guards that only speak of coordinates narrow the nest as they narrow the loops of a compiled program: an equation removes a
// coordinate that it determines (a diagonal, a scatter), a membership of i - k in 0..n leaves n values of i for each k, and a
// divisibility by s one in s, and of k <= i half of a square is left. Guards on data filter at run time and are counted as if everything passed.

import { printOperand } from "../print.ts";
import { integerOf } from "../integers.ts";
import type { Loop, Scalar } from "../program.ts";
import {
  add,
  constant,
  constantOf,
  floorDiv,
  one,
  plus as plusNumber,
  subtract,
  type Term,
  type Variable,
} from "../affine/term.ts";
import { coefficientOf, mentions, substitute, variablesOf, withoutVariable } from "../affine/visit.ts";
import { integerScalar } from "../substitute.ts";
import { usesAny } from "../ties.ts";
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

export interface Points {
  readonly count: Polynomial;
  /** Coordinates whose position an equation gives. */
  readonly determined: ReadonlySet<Variable>;
  /** Some points of the nest are left out. */
  readonly narrowed: boolean;
}

/** A loop under way of being narrowed: a guard may move an end of it, and `width` replaces its range. */
interface Walk {
  loop: Loop;
  width?: Polynomial;
}

export function pointsOf(loops: readonly Loop[], guards: readonly Scalar[]): Points {
  const walks = loops.map((loop): Walk => ({ loop }));
  const determined = new Set<Variable>();
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
    }
  }
  const strips = stripsIn(conditions, loops);
  const inStrips = new Set(strips.flatMap(({ halves }) => halves));
  for (const { form, width } of strips) {
    const candidates = walks.filter((walk) => !walk.width && isUnit(form, walk.loop.variable) && isFree(walk, loops));
    const widest = candidates.reduce<Walk | undefined>(
      (best, walk) => (!best || exceeds(sizeOf(walk.loop), sizeOf(best.loop)) ? walk : best),
      undefined,
    );
    if (widest && exceeds(sizeOf(widest.loop), width)) widest.width = width;
  }
  let isCut = false;
  for (const condition of conditions) {
    const half = halfOf(condition);
    if (half && !inStrips.has(condition)) isCut = cutBy(half, walks) || isCut;
  }
  return {
    count: scaled(nested(walks), 1, divisor),
    determined,
    narrowed: divisor > 1 || isCut || walks.some((walk) => walk.width !== undefined),
  };
}

/** The loops over the cells that guards on coordinates leave, as far as those move their ends. */
export function cutLoops(loops: readonly Loop[], conditions: readonly Scalar[]): readonly Loop[] {
  const walks = loops.map((loop): Walk => ({ loop }));
  for (const half of conditions.flatMap((condition) => halfOf(condition) ?? [])) cutBy(half, walks);
  return walks.map((walk) => walk.loop);
}

/** Moves an end of the innermost loop that a bound can be solved for, if it then lies between the ends wherever the other coordinates are. */
function cutBy(half: Term, walks: readonly Walk[]): boolean {
  for (const [k, walk] of [...walks.entries()].toReversed()) {
    const { loop, width } = walk;
    const { variable: v, from, to } = loop;
    if (width || !isUnit(half, v) || from.kind !== "integer" || to.kind !== "integer") continue;
    const loops = walks.map((each) => each.loop);
    const rest = withoutVariable(half, v);
    const around = [...variablesOf(rest)].filter((u) => loops.some(({ variable: other }) => other === u));
    // A bound in terms of loops further in would have to change places with them.
    if (!isFree(walk, loops) || around.some((u) => !loops.slice(0, k).some(({ variable: other }) => other === u)))
      continue;
    const rises = constantOf(coefficientOf(half, v)!) === 1;
    const end = rises ? subtract(constant(0), rest) : plusNumber(rest, 1);
    const others = loops.slice(0, k);
    if (!isInside(subtract(end, from.term), others) || !isInside(subtract(to.term, end), others)) continue;
    if (constantOf(rises ? subtract(end, from.term) : subtract(to.term, end)) === 0) continue;
    walk.loop = rises ? { ...loop, from: integerScalar(end) } : { ...loop, to: integerScalar(end) };
    return true;
  }
  return false;
}

/** Is a term never negative, whichever ends of their ranges the coordinates stand at? Every extent is taken to be 1 at least. */
function isInside(gap: Term, loops: readonly Loop[]): boolean {
  const inner = loops.findLast(({ variable: v }) => mentions(gap, v));
  if (!inner) return gap.parts.every(({ coefficient }) => coefficient > 0) && gap.parts.reduce((sum, { coefficient }) => sum + coefficient, gap.constant) >= 0; // prettier-ignore
  const { variable: v, from, to } = inner;
  if (from.kind !== "integer" || to.kind !== "integer" || !coefficientOf(gap, v)) return false;
  return [from.term, plusNumber(to.term, -1)].every((end) => isInside(substitute(gap, new Map([[v, end]])), loops));
}

function nested(walks: readonly Walk[]): Polynomial {
  return walks.reduceRight((inner, { loop, width }) => {
    const settled = atMiddle(inner, loop);
    const [from, to] = width ? [nothing, width] : boundsOf(loop);
    return summed(settled, loop.variable, from, to);
  }, number(1));
}

/** The bounds as polynomials; a range that data decides is as long as it is on average. */
function boundsOf(loop: Loop): readonly [Polynomial, Polynomial] {
  if (loop.from.kind === "integer" && loop.to.kind === "integer") return [ofTerm(loop.from.term), ofTerm(loop.to.term)];
  return [nothing, unknown(`${printOperand(loop.from)}..${printOperand(loop.to)}`)];
}

function sizeOf(loop: Loop): Polynomial {
  const [from, to] = boundsOf(loop);
  return minus(to, from);
}

/** Quotients, least and greatest of the coordinate do not sum to polynomials: they are taken at the middle of its range. */
function atMiddle(inner: Polynomial, { variable: v, from, to }: Loop): Polynomial {
  return replaced(inner, (quantity) => {
    if (quantity.kind === "data" || quantity.atom.kind === "variable") return undefined;
    const term: Term = { constant: 0, parts: [{ coefficient: 1, factors: [quantity.atom], key: `*${quantity.key}` }] };
    if (!mentions(term, v) || from.kind !== "integer" || to.kind !== "integer") return undefined;
    return ofTerm(substitute(term, new Map([[v, floorDiv(add(from.term, to.term), constant(2))]])));
  });
}

export function conjuncts(guard: Scalar): readonly Scalar[] {
  return guard.kind === "apply" && guard.operation === "and" ? guard.operands.flatMap(conjuncts) : [guard];
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
 * The loop whose coordinate an equation determines: the longest of those that it can be solved for. A range that data decides is walked
 * as long as there is another: to know that a position lies in it takes as many tests as there are ranges. Of two that are as long it is the one of
 * which fewer other conditions speak: those narrow the walk along the other.
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
  const bounded = candidates.filter(({ loop }) => loop.from.kind === "integer" && loop.to.kind === "integer");
  const asked = ({ loop }: Walk): number => others.filter((other) => usesAny(other, [loop])).length;
  const isBetter = (walk: Walk, best: Walk): boolean => {
    const [own, other] = [sizeOf(walk.loop), sizeOf(best.loop)];
    return exceeds(own, other) || (minus(own, other).length === 0 && asked(walk) < asked(best));
  };
  return (bounded.length > 0 ? bounded : candidates).reduce<Walk | undefined>(
    (best, walk) => (!best || isBetter(walk, best) ? walk : best),
    undefined,
  );
}

/** A coordinate that is compared with an i64 is one itself. */
function uncast(scalar: Scalar): Scalar {
  return scalar.kind === "cast" && scalar.type === "i64" ? scalar.operand : scalar;
}

/** No other range depends on it. */
function isFree({ loop }: Walk, loops: readonly Loop[]): boolean {
  return !loops.some((other) => usesAny(other.from, [loop]) || usesAny(other.to, [loop]));
}

function isUnit(form: Term, v: Variable): boolean {
  const coefficient = coefficientOf(form, v);
  const value = coefficient && constantOf(coefficient);
  return value === 1 || value === -1;
}

interface Strip {
  readonly form: Term;
  readonly width: Polynomial;
  /** The two comparisons that it is between. */
  readonly halves: readonly Scalar[];
}

/** Pairs of bounds on one integer form of the coordinates, from below and from above. */
function stripsIn(conditions: readonly Scalar[], loops: readonly Loop[]): readonly Strip[] {
  const halves = conditions.flatMap((condition) => {
    const term = halfOf(condition);
    return term ? [{ condition, term }] : [];
  });
  const variables = new Set(loops.map((loop) => loop.variable));
  const isClosed = (term: Term): boolean => ![...variablesOf(term)].some((v) => variables.has(v));
  const found: Strip[] = [];
  const used = new Set<Scalar>();
  for (const [k, lower] of halves.entries()) {
    if (isClosed(lower.term)) continue;
    for (const upper of halves.slice(k + 1)) {
      const gap = add(lower.term, upper.term);
      if (used.has(lower.condition) || used.has(upper.condition) || !isClosed(gap)) continue;
      used.add(lower.condition).add(upper.condition);
      found.push({ form: lower.term, width: ofTerm(plusNumber(gap, 1)), halves: [lower.condition, upper.condition] });
    }
  }
  return found;
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
