// Splits a region into phases. Where a guard lets only every m-th term through, the cells that get
// the same terms are computed together, and the guard disappears.
//
//   d[p] = sum[k in 0..3](g[(p - k) / 2] * w[k] where (p - k) % 2 == 0)
//
// With p = 2·q + r there is one dense sum for each r:
//
//   d[2·q]     = sum[k in 0..2](g[q - k] * w[2·k])
//   d[2·q + 1] = sum[k in 0..1](g[q - k] * w[2·k + 1])
//
// The adjoint of a convolution with a stride has this form. Without phases, the guard would skip
// half of all terms along each coordinate.

import { isOff } from "../../ir/rewrites.ts";
import {
  ceilDiv,
  constant,
  constantOf,
  floorRemainder,
  gcd,
  ofVariable,
  plus,
  scale,
  subtract,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import { coefficientOf, eachAtom, variablesOf } from "../../affine/visit.ts";
import type { Local, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar, type Replacements } from "../../ir/substitute.ts";
import { conjuncts, tiesOf } from "../../analyse/ties.ts";
import { intervalOf } from "./intervals.ts";
import {
  freshVariable,
  loopsOfSides,
  intervalsOfSides,
  type Case,
  type Reduced,
  type Reduction,
  type Region,
  type Side,
} from "./regions.ts";
import { noted } from "../rules.ts";
import { integerTermOf } from "../same.ts";
import { valueOf } from "../../analyse/can-fail.ts";
import { simplify, type Place } from "./simplify.ts";
import { withoutLocals } from "../../ir/parts.ts";

/** The code of more kernels than this is not worth its size. */
const mostPhases = 64;

/** Divides a region into one region for each phase; a region without such guards is unchanged. */
export function inPhases(whole: Region, typeOf: Place["typeOf"]): readonly Region[] {
  const place = placeInRegion(whole, typeOf);
  const periods = periodsOf(whole, place);
  if (periods.size === 0 || isOff("phases")) return [whole];
  noted("phases", () =>
    [...periods].map(([{ variable }, period]) => `${period} of ${variable.name}`).join(", "),
  );
  const variables = new Map(
    [...periods.keys()].map((side) => [side, freshVariable(side.variable.name)]),
  );
  return residuesOf([...periods]).map((residues) =>
    phaseOf(whole, place, periods, variables, residues),
  );
}

/** The intervals of the coordinates of a region and of its reductions. */
function placeInRegion({ sides, cases }: Region, typeOf: Place["typeOf"]): Place {
  const known = new Map(intervalsOfSides(sides));
  for (const { variable, from, to } of cases
    .flatMap(({ reductions }) => reductions)
    .flatMap(({ body }) => body.loops)) {
    const [first, end] = [integerTermOf(from), integerTermOf(to)];
    if (first && end)
      known.set(variable, {
        least: intervalOf(first, known).least,
        most: intervalOf(end, known).most - 1,
      });
  }
  return { known, typeOf, locals: new Map() };
}

// ── what there is to split ──────────────────────────────────────────────────────────────────────

/** States that `dividend` leaves the remainder `residue` when divided by `modulus`. */
interface Congruence {
  readonly dividend: Term;
  readonly modulus: number;
  readonly residue: number;
}

/** The number of phases of each coordinate that has phases. */
function periodsOf({ sides, cases }: Region, place: Place): ReadonlyMap<Side, number> {
  const periods = new Map<Side, number>();
  const around = loopsOfSides(sides);
  for (const { body } of cases.flatMap(({ reductions }) => reductions)) {
    if (tiesOf(around, body.loops, body.guards).length > 0) return new Map();
    for (const congruence of congruencesOf(body, place)) {
      if (!isSolvable(congruence, sides, body.loops)) continue;
      for (const side of sides) {
        if (!changesRemainder(congruence, side.variable)) continue;
        const before = periods.get(side) ?? 1;
        periods.set(side, (before * congruence.modulus) / gcd(before, congruence.modulus));
      }
    }
  }
  const total = [...periods.values()].reduce((product, period) => product * period, 1);
  const isWorthwhile = [...periods].every(([{ to }, period]) => to >= 2 * period);
  return total <= mostPhases && isWorthwhile ? periods : new Map();
}

/**
 * The remainders that the guards of a reduction require. For a sum, a term of the form
 * `if c { … } else { 0 }` has the guard c.
 */
function congruencesOf(
  { reduction, guards, value }: Reduction,
  place: Place,
): readonly Congruence[] {
  // A phase takes every m-th position and numbers them anew. The result of an argmax is such a
  // number.
  if (reduction === "argmax" || reduction === "argmin") return [];
  const conditions = guards.flatMap(conjuncts);
  let left = withoutLocals(value);
  if (reduction === "sum") {
    while (left.kind === "select" && valueOf(left.otherwise) === 0) {
      conditions.push(...conjuncts(left.condition));
      left = withoutLocals(left.then);
    }
  }
  return conditions.flatMap((condition) => congruenceOf(simplify(condition, place)) ?? []);
}

/**
 * The congruence that a comparison requires. With f = ⌊e/m⌋ the comparison has the form
 * `s·(e - m·f) + c == 0`.
 */
function congruenceOf(condition: Scalar): Congruence | undefined {
  if (condition.kind !== "apply" || condition.operation !== "equal") return undefined;
  const [a, b] = condition.operands.map(withoutLocals);
  const whole = divisibilityOf(a!, b!) ?? divisibilityOf(b!, a!);
  if (whole) return whole;
  const [left, right] = [integerTermOf(a!), integerTermOf(b!)];
  if (!left || !right) return undefined;
  const difference = subtract(left, right);
  for (const part of difference.parts) {
    const [atom, ...others] = part.factors;
    if (atom?.kind !== "floor" || others.length > 0) continue;
    const modulus = constantOf(atom.divisor);
    if (modulus === undefined || modulus < 2 || part.coefficient % modulus !== 0) continue;
    const factor = -part.coefficient / modulus;
    const quotient: Term = { constant: 0, parts: [part] };
    const rest = constantOf(subtract(subtract(difference, quotient), scale(atom.dividend, factor)));
    if (rest === undefined || rest % factor !== 0) continue;
    return { dividend: atom.dividend, modulus, residue: floorRemainder(-rest / factor, modulus) };
  }
  return undefined;
}

/** The congruence of `e % m == 0`. The sign that a remainder has does not matter here. */
function divisibilityOf(remainder: Scalar, nothing: Scalar): Congruence | undefined {
  if (remainder.kind !== "apply" || remainder.operation !== "remainder" || valueOf(nothing) !== 0)
    return undefined;
  const [dividend, divisor] = remainder.operands.map(withoutLocals);
  const modulus = divisor && Math.abs(Number(valueOf(divisor)));
  if (dividend?.kind !== "integer" || modulus === undefined || !(modulus >= 2)) return undefined;
  return { dividend: dividend.term, modulus, residue: 0 };
}

/** Whether the remainder depends on a coordinate. */
function changesRemainder({ dividend, modulus }: Congruence, variable: Variable): boolean {
  const coefficient = constantOf(coefficientOf(dividend, variable) ?? constant(0));
  return coefficient !== undefined && coefficient % modulus !== 0;
}

/**
 * Whether the remainder is determined by the phases of the cell's coordinates and at most one
 * reduced coordinate.
 */
function isSolvable(
  congruence: Congruence,
  sides: readonly Side[],
  loops: readonly Loop[],
): boolean {
  const { dividend, modulus } = congruence;
  let isLinear = true;
  eachAtom(dividend, (atom) => (isLinear &&= atom.kind === "variable"));
  const own = [...sides, ...loops].map(({ variable }) => variable);
  const isOwn = [...variablesOf(dividend)].every((variable) => own.includes(variable));
  const deciding = loops.filter(({ variable }) => changesRemainder(congruence, variable));
  const isCoprime = deciding.every(
    ({ variable }) => gcd(coefficientOf(dividend, variable)!.constant, modulus) === 1,
  );
  const isRanged = deciding.every(
    ({ from, to }) => from.kind === "integer" && to.kind === "integer",
  );
  return isLinear && isOwn && isCoprime && isRanged && deciding.length <= 1;
}

// ── splitting ───────────────────────────────────────────────────────────────────────────────────

type Residues = ReadonlyMap<Side, number>;

function residuesOf([first, ...rest]: readonly (readonly [Side, number])[]): readonly Residues[] {
  if (!first) return [new Map()];
  const [side, period] = first;
  const later = residuesOf(rest);
  return Array.from({ length: period }, (_, r) =>
    later.map((others) => new Map([[side, r], ...others])),
  ).flat();
}

/** The cells at p = m·q + r, with the given r for each coordinate p. */
function phaseOf(
  { sides, cases }: Region,
  place: Place,
  periods: ReadonlyMap<Side, number>,
  walked: ReadonlyMap<Side, Variable>,
  residues: Residues,
): Region {
  const renaming = new Map<Variable, Scalar>();
  const phaseSides = sides.map((side): Side => {
    const period = periods.get(side);
    if (period === undefined) return side;
    const variable = walked.get(side)!;
    const residue = residues.get(side)!;
    renaming.set(side.variable, integerScalar(plus(scale(ofVariable(variable), period), residue)));
    return { variable, from: 0, to: Math.ceil((side.to - residue) / period) };
  });
  const cells = sides.map(
    ({ variable }) => (renaming.get(variable) as Integer | undefined)?.term ?? ofVariable(variable),
  );
  return {
    sides: phaseSides,
    cells,
    cases: cases.map((each) => caseInPhase(each, place, renaming, sides, residues)),
  };
}

type Integer = Extract<Scalar, { kind: "integer" }>;

function caseInPhase(
  { guards, reductions, value }: Case,
  place: Place,
  places: Replacements,
  sides: readonly Side[],
  residues: Residues,
): Case {
  const names = new Map<Local, Local>();
  const own = reductions.map(({ name, body }): Reduced => {
    const dense = denseBody(body, place, places, sides, residues, names);
    const renamed: Local = { name: name.name, value: instantiate(name.value, places) };
    names.set(name, renamed);
    names.set(renamed, renamed);
    return { name: renamed, body: dense };
  });
  return {
    guards: guards.map((guard) => instantiate(guard, places, new Map(names))),
    reductions: own,
    value: instantiate(value, places, new Map(names)),
  };
}

/**
 * A reduction in which each coordinate with a required remainder walks only the positions that have
 * this remainder: k = m·k' + s.
 */
function denseBody(
  body: Reduction,
  place: Place,
  places: Replacements,
  sides: readonly Side[],
  residues: Residues,
  names: ReadonlyMap<Local, Local>,
): Reduction {
  const inner = new Map(places);
  const solved = congruencesOf(body, place).filter((congruence) =>
    isSolvable(congruence, sides, body.loops),
  );
  const loops = body.loops.map((loop): Loop => {
    const [from, to] = [instantiate(loop.from, inner), instantiate(loop.to, inner)];
    const variable = freshVariable(loop.variable.name);
    const congruence = solved.find((congruence) => changesRemainder(congruence, loop.variable));
    if (!congruence || from.kind !== "integer" || to.kind !== "integer") {
      inner.set(loop.variable, integerScalar(ofVariable(variable)));
      return { ...loop, variable, from, to };
    }
    const { modulus } = congruence;
    const first = remainderOf(congruence, loop.variable, sides, residues);
    inner.set(loop.variable, integerScalar(plus(scale(ofVariable(variable), modulus), first)));
    const bound = (end: Term): Scalar =>
      integerScalar(ceilDiv(plus(end, -first), constant(modulus)));
    return { ...loop, variable, from: bound(from.term), to: bound(to.term) };
  });
  const locals = new Map(names);
  return {
    ...body,
    loops,
    guards: body.guards.map((guard) => instantiate(guard, inner, locals)),
    value: instantiate(body.value, inner, locals),
  };
}

/** The s for which k = m·k' + s has the required remainder in this phase. */
function remainderOf(
  { dividend, modulus, residue }: Congruence,
  k: Variable,
  sides: readonly Side[],
  residues: Residues,
): number {
  const known = sides.reduce((total, side) => {
    const coefficient = coefficientOf(dividend, side.variable)!.constant;
    return total + coefficient * (coefficient % modulus === 0 ? 0 : (residues.get(side) ?? 0));
  }, dividend.constant);
  const factor = coefficientOf(dividend, k)!.constant;
  for (let s = 0; s < modulus; s++)
    if (floorRemainder(known + factor * s - residue, modulus) === 0) return s;
  throw new Error("a factor that is coprime to the modulus reaches every remainder");
}
