// One step of the inversion of index equations: which unknown to solve for next, and how. The head
// of `solve.ts` states the rules, by name.

import { atMost, holds, lessThan } from "./prove.ts";
import {
  add,
  constant,
  constantOf,
  equal,
  floorDiv,
  gcd,
  isConstant,
  mod,
  multiply,
  negate,
  ofVariable,
  one,
  scale,
  subtract,
  zero,
} from "./term.ts";
import type { Term, Variable } from "./term.ts";
import { coefficientOf, mentions, withoutVariable } from "./visit.ts";
import { dependsOnUnknowns, solveFor } from "./working.ts";
import type { Unknown, Working } from "./working.ts";

type WorkingEquation = Working["equations"][number];

/** An equation as a linear one: Σ coefficient·unknown + rest = 0. */
interface Linear {
  readonly equation: WorkingEquation;
  readonly summands: { readonly unknown: Unknown; readonly coefficient: Term }[];
  readonly rest: Term;
}

export function chooseStep(work: Working): (() => void) | undefined {
  const linear = work.equations
    .map((equation) => linearIn(equation, work.unknowns))
    .filter((each) => each !== undefined);
  const plain = linear.map((each) => each.equation);
  return (
    commonFactor(linear, work) ??
    lastUnknown(linear, work) ??
    radix(linear, work) ??
    firstInOrder(plain, work)
  );
}

/** A step with an equation in which other unknowns stand inside a quotient, min or max. */
export function chooseMixedStep(work: Working): (() => void) | undefined {
  return firstInOrder(work.equations, work);
}

/**
 * The equation as a linear one, with coefficients free of unknowns. Undefined if it is not linear
 * or has no unknown.
 */
function linearIn(equation: WorkingEquation, unknowns: readonly Unknown[]): Linear | undefined {
  const summands: Linear["summands"] = [];
  let rest = equation.zero;
  for (const unknown of unknowns) {
    if (!mentions(equation.zero, unknown.variable)) continue;
    const coefficient = coefficientOf(equation.zero, unknown.variable);
    if (!coefficient || unknowns.some(({ variable: v }) => mentions(coefficient, v)))
      return undefined;
    summands.push({ unknown, coefficient });
    rest = withoutVariable(rest, unknown.variable);
  }
  return summands.length > 0 ? { equation, summands, rest } : undefined;
}

function remove(work: Working, equation: WorkingEquation): void {
  work.equations = work.equations.filter((other) => other !== equation);
}

/** gcd: g·e(u) + s = 0 becomes e(u) + s/g = 0 under g | s. */
function commonFactor(linear: readonly Linear[], work: Working): (() => void) | undefined {
  for (const { equation, summands, rest } of linear) {
    const factor = summands.reduce((g, { coefficient }) => gcd(g, constantOf(coefficient) ?? 1), 0);
    if (factor <= 1) continue;
    return () => {
      const by = constant(factor);
      // g·e(u) = s, written so that the first unknown counts upward.
      const sign = Math.sign(summands[0]!.coefficient.constant);
      const s = scale(rest, -sign);
      if (!equal(mod(s, by), zero)) work.divisible.push({ value: s, by });
      const unknowns = summands.map(({ unknown, coefficient }) =>
        scale(ofVariable(unknown.variable), (sign * coefficient.constant) / factor),
      );
      equation.zero = unknowns.reduce(add, negate(floorDiv(s, by)));
    };
  }
  return undefined;
}

/** one: an equation with a single unknown. Equations with coefficient ±1 come first. */
function lastUnknown(linear: readonly Linear[], work: Working): (() => void) | undefined {
  const single = linear.filter(({ summands }) => summands.length === 1);
  for (const accept of [isUnit, mayDivideBy(work)]) {
    const found = single.find(({ summands }) => accept(summands[0]!.coefficient));
    const [summand] = found?.summands ?? [];
    if (found && summand)
      return solveStep(work, found.equation, summand.unknown.variable, summand.coefficient);
  }
  return undefined;
}

/**
 * several: the first unknown in order that an equation can be solved for, preferably one with
 * coefficient ±1.
 */
function firstInOrder(
  equations: readonly WorkingEquation[],
  work: Working,
): (() => void) | undefined {
  for (const { variable: x } of work.unknowns) {
    for (const accept of [isUnit, mayDivideBy(work)]) {
      for (const equation of equations) {
        if (!mentions(equation.zero, x)) continue;
        const coefficient = coefficientOf(equation.zero, x);
        if (coefficient && accept(coefficient)) return solveStep(work, equation, x, coefficient);
      }
    }
  }
  return undefined;
}

function solveStep(
  work: Working,
  equation: WorkingEquation,
  x: Variable,
  coefficient: Term,
): () => void {
  return () => {
    remove(work, equation);
    const sign = signOf(coefficient);
    const numerator = scale(withoutVariable(equation.zero, x), -sign);
    solveFor(work, x, numerator, scale(coefficient, sign), equation.origin);
  };
}

function isUnit(coefficient: Term): boolean {
  return isConstant(coefficient) && Math.abs(coefficient.constant) === 1;
}

/**
 * Whether an equation may be divided by a coefficient: by a number, or by a parameter that is
 * certainly not 0.
 */
function mayDivideBy(work: Working): (coefficient: Term) => boolean {
  return (coefficient) => {
    if (isConstant(coefficient)) return coefficient.constant !== 0;
    if (work.unknowns.some(({ variable: v }) => mentions(coefficient, v))) return false;
    return holds(lessThan(zero, scale(coefficient, signOf(coefficient))), work.assumptions);
  };
}

function signOf(coefficient: Term): number {
  return Math.sign(coefficient.parts[0]?.coefficient ?? coefficient.constant);
}

/** radix: x is the remainder of a division by the common step of all other coefficients. */
function radix(linear: readonly Linear[], work: Working): (() => void) | undefined {
  for (const { equation, summands, rest } of linear) {
    for (const { unknown, coefficient } of summands) {
      const { range, variable: x } = unknown;
      if (!range || !isUnit(coefficient)) continue;
      if (dependsOnUnknowns(range.from, work) || dependsOnUnknowns(range.to, work)) continue;
      const others = summands.filter((summand) => summand.unknown !== unknown);
      const step =
        others.length > 0 ? commonStep(others.map((summand) => summand.coefficient)) : undefined;
      if (!step || !mayDivideBy(work)(step)) continue;
      if (!holds(atMost(subtract(range.to, range.from), step), work.assumptions)) continue;
      return () => {
        remove(work, equation);
        // ±x + d·e(u) + rest = 0, so x = s ∓ d·e(u) with s = ∓rest.
        const s = scale(rest, -coefficient.constant);
        const shifted = subtract(s, range.from);
        solveFor(work, x, add(range.from, mod(shifted, step)), one, equation.origin);
        const quotients = others.map((summand) =>
          multiply(
            scale(floorDiv(summand.coefficient, step), coefficient.constant),
            ofVariable(summand.unknown.variable),
          ),
        );
        work.equations.push({
          zero: quotients.reduce(add, negate(floorDiv(shifted, step))),
          origin: equation.origin,
        });
      };
    }
  }
  return undefined;
}

/** A positive term that divides all coefficients: their gcd, or one of them. */
function commonStep(coefficients: readonly Term[]): Term | undefined {
  if (coefficients.every(isConstant)) {
    return constant(coefficients.reduce((g, coefficient) => gcd(g, coefficient.constant), 0));
  }
  const candidates = coefficients.map((coefficient) => scale(coefficient, signOf(coefficient)));
  return candidates.find((step) =>
    coefficients.every((coefficient) =>
      equal(multiply(floorDiv(coefficient, step), step), coefficient),
    ),
  );
}
