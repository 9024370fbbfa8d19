// The integer solver. In this folder lie terms of integers, their ranges, what is provable about
// them, and the inversion of index equations; nothing here knows programs or tensors.
//
// Inverts index equations p = e(v). The question is which coordinates v reach the cell p. The set
// { v : e(v) = p, v in their ranges } is described exactly by
//
//   remaining   coordinates to sum over, in nest order (a range mentions only parameters and
//               earlier coordinates); most are unknowns that no equation fixes, some are introduced
//   solved      the other unknowns, in terms of the parameters and the remaining coordinates
//   guards      conditions on both; remaining coordinates that pass them give one v, and each v
//               is given once
//
// For example, p = 2·i + k with k in 0..2 gives i = p / 2 and k = p % 2. The rules, each an
// equivalence (u: unknowns, s: a term without them):
//
//   gcd         g·e(u) = s          ⇔  g | s  and  e(u) = s/g
//   one         a·x = s             ⇔  a | s  and  x = s/a
//                                      (x is the last unknown of its equation)
//   radix       d·e(u) + x = s, x in f..f+d
//                                   ⇔  x = f + (s - f) mod d  and  e(u) = ⌊(s - f)/d⌋
//   several     a·x + e(u) = s      ⇔  a | s - e(u)  and  x = (s - e(u))/a
//                                      (x is the first of the unknowns in order)
//   quotient    ⌊e(u)/d⌋            is a new unknown q with  e(u) = d·q + r,  r in 0..d
//   period      a·x = d·q + s, x in f..t, q free, a·(t - 1 - f) < d
//                                   ⇔  q = -⌊(s - a·f)/d⌋,  x in f..t
//   window      a·x = d·q + s, x in f..t, q free
//                                   ⇔  q in ⌈(a·f - s)/d⌉..⌈(a·(t - 1) + 1 - s)/d⌉
//
// An equation that fits no rule is reported as unsolved. The description then holds together with
// that equation.

import { holds, holdsWithin, equalsZero, sameValue, within } from "./prove.ts";
import type { Assumptions, Fact } from "./prove.ts";
import type { Range } from "./range.ts";
import { settleQuotients, undoChanges } from "./settle.ts";
import { simplify, simplifyRange } from "./simplify.ts";
import { chooseMixedStep, chooseStep } from "./step.ts";
import {
  add,
  attempt,
  ceilDiv,
  constant,
  constantOf,
  floorDiv,
  mod,
  multiply,
  negate,
  ofVariable,
  one,
  plus,
  scale,
  subtract,
  variable,
} from "./term.ts";
import type { Atom, Part, Term, Variable } from "./term.ts";
import {
  coefficientOf,
  eachAtom,
  mentions,
  rewrite,
  variablesOf,
  withoutVariable,
} from "./visit.ts";
import { solveFor } from "./working.ts";
import type { Failure, Unknown, Working } from "./working.ts";

export interface Coordinate {
  readonly variable: Variable;
  readonly range: Range;
}

/** left = right: the left side is a parameter, the right side is in the unknowns. */
export interface Equation {
  readonly left: Term;
  readonly right: Term;
}

export type Guard =
  | { readonly kind: "in"; readonly value: Term; readonly range: Range }
  | { readonly kind: "divisible"; readonly value: Term; readonly by: Term }
  | { readonly kind: "equal"; readonly left: Term; readonly right: Term };

export interface Solution {
  readonly solved: ReadonlyMap<Variable, Term>;
  readonly remaining: readonly Coordinate[];
  /** The remaining coordinates that are not among the unknowns. */
  readonly introduced: readonly Variable[];
  readonly guards: readonly Guard[];
  readonly unsolved: readonly Equation[];
}

/**
 * Solves for earlier unknowns and sums over later ones. The assumptions describe the parameters.
 */
export function solve(
  unknowns: readonly Coordinate[],
  equations: readonly Equation[],
  assumptions: Assumptions,
): Solution {
  const unsolved = new Set<number>();
  for (;;) {
    const active = equations.map((_, at) => at).filter((at) => !unsolved.has(at));
    const last = active.at(-1) ?? -1;
    let outcome = attempt(() => eliminate(unknowns, unknowns, equations, active, assumptions)) ?? {
      failed: last,
    };
    if ("failed" in outcome) {
      const order = dependentFirst(unknowns);
      outcome =
        attempt(() => eliminate(order, unknowns, equations, active, assumptions)) ?? outcome;
    }
    if (!("failed" in outcome))
      return { ...outcome, unsolved: equations.filter((_, at) => unsolved.has(at)) };
    if (last < 0)
      throw new RangeError("the ranges of the unknowns depend on one another in a circle");
    unsolved.add(active.includes(outcome.failed) ? outcome.failed : last);
  }
}

/**
 * An order in which no range loses the coordinate that it depends on: k in 0..i+1 is solved for
 * before i.
 */
function dependentFirst(unknowns: readonly Coordinate[]): Coordinate[] {
  const depth = ({ range }: Coordinate, within: number): number =>
    within > unknowns.length
      ? within
      : unknowns.reduce((most, other) => {
          const depends =
            mentions(range.from, other.variable) || mentions(range.to, other.variable);
          return depends ? Math.max(most, 1 + depth(other, within + 1)) : most;
        }, 0);
  return [...unknowns].sort((a, b) => depth(b, 0) - depth(a, 0));
}

/** The conditions of a guard as facts. */
export function factsOf(guard: Guard): Fact[] {
  switch (guard.kind) {
    case "in":
      return within(guard.value, guard.range);
    case "divisible":
      return [equalsZero(mod(guard.value, guard.by))];
    case "equal":
      return [sameValue(guard.left, guard.right)];
    default:
      return guard satisfies never;
  }
}

type Outcome = Omit<Solution, "unsolved"> | Failure;

const mostQuotients = 16;

function eliminate(
  order: readonly Coordinate[],
  coordinates: readonly Coordinate[],
  equations: readonly Equation[],
  active: readonly number[],
  assumptions: Assumptions,
): Outcome {
  const work: Working = {
    unknowns: order.map(({ variable: v, range }): Unknown => ({
      variable: v,
      range,
      role: "given",
    })),
    equations: active.map((at) => ({
      zero: subtract(equations[at]!.right, equations[at]!.left),
      origin: new Set([at]),
    })),
    solved: [],
    divisible: [],
    changes: [],
    assumptions,
  };
  for (let quotients = 0; ;) {
    const step = chooseStep(work);
    if (step) {
      step();
      continue;
    }
    if (quotients++ < mostQuotients && introduceQuotient(work)) continue;
    const mixed = chooseMixedStep(work);
    if (!mixed) break;
    mixed();
  }
  undoChanges(work);
  const stuck = work.equations.find(({ zero }) =>
    work.unknowns.some(({ variable: v }) => mentions(zero, v)),
  );
  if (stuck) return { failed: Math.max(...stuck.origin) };
  const windows = settleQuotients(work);
  if ("failed" in windows) return windows;
  return describeSolution(work, windows.inside, coordinates);
}

/** Replaces an innermost quotient of unknowns by a new unknown. False if there is none. */
function introduceQuotient(work: Working): boolean {
  const isUnknown = (term: Term): boolean =>
    work.unknowns.some(({ variable: v }) => mentions(term, v));
  let found: (Atom & { kind: "floor" }) | undefined;
  for (const { zero } of work.equations) {
    eachAtom(zero, (atom) => {
      if (atom.kind === "floor" && isUnknown(atom.dividend) && !isUnknown(atom.divisor))
        found = atom;
    });
  }
  if (!found) return false;
  const { key, dividend, divisor } = found;
  const name = [...variablesOf(dividend)].find((v) => isUnknown(ofVariable(v)))!.name;
  const quotient = variable(`${name}_quotient`);
  const remainder = variable(`${name}_remainder`);
  const origin = new Set<number>();
  for (const equation of work.equations) {
    const replaced = rewrite(equation.zero, (atom) =>
      atom.key === key ? ofVariable(quotient) : undefined,
    );
    if (replaced === equation.zero) continue;
    equation.zero = replaced;
    for (const at of equation.origin) origin.add(at);
  }
  work.unknowns.push({ variable: quotient, range: undefined, role: "quotient" });
  work.unknowns.push({
    variable: remainder,
    range: { from: constant(0), to: divisor },
    role: "remainder",
  });
  const whole = add(multiply(divisor, ofVariable(quotient)), ofVariable(remainder));
  // A change of variables where possible: x = d·q + r - (the rest of e).
  for (const { variable: x } of work.unknowns) {
    const coefficient = constantOf(coefficientOf(dividend, x) ?? constant(0));
    if (coefficient !== 1 && coefficient !== -1) continue;
    solveFor(
      work,
      x,
      scale(subtract(whole, withoutVariable(dividend, x)), coefficient),
      one,
      origin,
    );
    work.changes.push({ x, quotient, remainder, dividend, divisor });
    return true;
  }
  work.equations.push({ zero: subtract(dividend, whole), origin });
  return true;
}

// ── the description ─────────────────────────────────────────────────────────────────────────

function describeSolution(
  work: Working,
  inside: ReadonlySet<Variable>,
  coordinates: readonly Coordinate[],
): Outcome {
  const failure = (v: Variable): Failure => {
    const entry =
      work.solved.findLast(({ numerator }) => mentions(numerator, v)) ?? work.solved.at(-1);
    return { failed: Math.max(0, ...(entry ? entry.origin : [])) };
  };
  for (const unknown of work.unknowns) {
    const range = withoutSelfReference(unknown.range!, unknown.variable);
    if (!range) return failure(unknown.variable);
    unknown.range = range;
  }
  const place = (v: Variable): number =>
    coordinates.findIndex((coordinate) => coordinate.variable === v);
  const given = new Set(coordinates.map((coordinate) => coordinate.variable));
  const kept = work.unknowns.filter((unknown) => given.has(unknown.variable));
  const added = work.unknowns.filter((unknown) => !given.has(unknown.variable));
  const nest = inNestOrder([
    ...kept.sort((a, b) => place(a.variable) - place(b.variable)),
    ...added,
  ]);
  if ("variable" in nest) return failure(nest.variable);
  let facts: Fact[] = [...work.assumptions];
  const remaining = nest.order.map(({ variable: v, range }) => {
    const coordinate = { variable: v, range: simplifyRange(range!, facts) };
    facts = [...facts, ...within(ofVariable(v), coordinate.range)];
    return coordinate;
  });
  const simpler = (term: Term): Term => simplify(term, facts);
  const candidates: Guard[] = work.equations.map(({ zero }) => equality(simpler(zero)));
  for (const { value, by } of work.divisible)
    candidates.push({ kind: "divisible", value: simpler(value), by });
  const solved = new Map<Variable, Term>();
  const values = new Map(
    work.solved.map((entry) => [
      entry.unknown.variable,
      simpler(floorDiv(entry.numerator, entry.denominator)),
    ]),
  );
  for (const { variable: v } of coordinates) if (values.has(v)) solved.set(v, values.get(v)!);
  const byRole = [...work.solved].sort(
    (a, b) => roleOrder[a.unknown.role] - roleOrder[b.unknown.role],
  );
  for (const { unknown } of byRole) {
    if (!unknown.range || inside.has(unknown.variable)) continue;
    const range = simplifyRange(unknown.range, facts);
    candidates.push({ kind: "in", value: values.get(unknown.variable)!, range });
  }
  const introduced = remaining
    .map((coordinate) => coordinate.variable)
    .filter((v) => !given.has(v));
  return { solved, remaining, introduced, guards: needed(candidates, facts) };
}

const roleOrder = { given: 0, quotient: 1, remainder: 2 } as const;

/** The guards that do not follow from the facts and from earlier guards. */
function needed(candidates: readonly Guard[], facts: readonly Fact[]): Guard[] {
  const kept: Guard[] = [];
  let known = facts;
  for (const guard of candidates) {
    if (follows(guard, known)) continue;
    kept.push(guard);
    known = [...known, ...factsOf(guard)];
  }
  return kept;
}

function follows(guard: Guard, known: readonly Fact[]): boolean {
  if (guard.kind === "in") return holdsWithin(guard.value, guard.range, known);
  return factsOf(guard).every((fact) => holds(fact, known));
}

/** zero = 0, with its negative parts on the right. */
function equality(zero: Term): Guard {
  const side = (sign: number): Term => ({
    constant: zero.constant * sign > 0 ? Math.abs(zero.constant) : 0,
    parts: zero.parts
      .filter((part) => part.coefficient * sign > 0)
      .map((part): Part => ({ ...part, coefficient: Math.abs(part.coefficient) })),
  });
  return { kind: "equal", left: side(1), right: side(-1) };
}

/**
 * The same range with bounds that do not mention its own coordinate: v ≥ a·v + f is (1 - a)·v ≥ f,
 * and so on. Undefined if a bound is not linear in v or one side has no bound left.
 */
function withoutSelfReference(range: Range, v: Variable): Range | undefined {
  if (!mentions(range.from, v) && !mentions(range.to, v)) return range;
  const lows: Term[] = [];
  const highs: Term[] = [];
  for (const [bound, isTo] of [
    [range.from, false],
    [range.to, true],
  ] as const) {
    const a = constantOf(coefficientOf(bound, v) ?? ofVariable(v));
    if (a === undefined || a === 1) return undefined;
    const rest = withoutVariable(bound, v);
    const c = constant(Math.abs(1 - a));
    if (!isTo && a < 1) lows.push(ceilDiv(rest, c));
    else if (!isTo) highs.push(plus(floorDiv(negate(rest), c), 1));
    else if (a < 1) highs.push(plus(floorDiv(plus(rest, -1), c), 1));
    else lows.push(ceilDiv(plus(negate(rest), 1), c));
  }
  return lows.length === 1 && highs.length === 1 ? { from: lows[0]!, to: highs[0]! } : undefined;
}

/**
 * The unknowns in an order in which each range mentions earlier ones only, or an unknown that
 * stands in a cycle.
 */
function inNestOrder(unknowns: readonly Unknown[]): { order: Unknown[] } | { variable: Variable } {
  const order: Unknown[] = [];
  const waiting = [...unknowns];
  while (waiting.length > 0) {
    const at = waiting.findIndex(({ range }) => {
      const used = new Set([...variablesOf(range!.from), ...variablesOf(range!.to)]);
      return waiting.every((other) => !used.has(other.variable));
    });
    if (at < 0) return { variable: waiting[0]!.variable };
    order.push(...waiting.splice(at, 1));
  }
  return { order };
}
