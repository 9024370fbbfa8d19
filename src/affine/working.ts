// The state of an inversion of index equations, and the operation that all its rules share: to
// solve for an unknown.

import type { Assumptions } from "./prove.ts";
import type { Range } from "./range.ts";
import { add, equal, floorDiv, multiply, one } from "./term.ts";
import type { Term, Variable } from "./term.ts";
import { coefficientOf, mentions, substitute, withoutVariable } from "./visit.ts";

export interface Unknown {
  readonly variable: Variable;
  /** Undefined for a quotient, which has no range of its own. */
  range: Range | undefined;
  readonly role: "given" | "quotient" | "remainder";
}

/** The state of the elimination. The steps change it. */
export interface Working {
  unknowns: Unknown[];
  /** Terms that are zero, each with the given equations that it comes from. */
  equations: { zero: Term; origin: Set<number> }[];
  solved: {
    readonly unknown: Unknown;
    numerator: Term;
    readonly denominator: Term;
    readonly origin: Set<number>;
  }[];
  divisible: { value: Term; by: Term }[];
  /** Changes of variables x = (d·q + r - the rest of e)/±1 that were made for ⌊e/d⌋, in order. */
  changes: {
    readonly x: Variable;
    readonly quotient: Variable;
    readonly remainder: Variable;
    readonly dividend: Term;
    readonly divisor: Term;
  }[];
  readonly assumptions: Assumptions;
}

export interface Failure {
  /** The equation to give up. */
  readonly failed: number;
}

/** Whether a term mentions an unknown, solved or not, and so is more than a parameter. */
export function dependsOnUnknowns(term: Term, work: Working): boolean {
  return (
    work.unknowns.some((unknown) => mentions(term, unknown.variable)) ||
    work.solved.some((entry) => mentions(term, entry.unknown.variable))
  );
}

/** Records x = numerator / denominator and removes x from the equations. */
export function solveFor(
  work: Working,
  x: Variable,
  numerator: Term,
  denominator: Term,
  origin: ReadonlySet<number>,
): void {
  const at = work.unknowns.findIndex((unknown) => unknown.variable === x);
  const unknown = work.unknowns.splice(at, 1)[0]!;
  work.solved.push({ unknown, numerator, denominator, origin: new Set(origin) });
  if (!equal(denominator, one)) work.divisible.push({ value: numerator, by: denominator });
  for (const equation of work.equations) {
    if (!mentions(equation.zero, x)) continue;
    equation.zero = withSolution(equation.zero, x, numerator, denominator);
    for (const each of origin) equation.origin.add(each);
  }
}

/**
 * A term without x that is zero exactly where the given term is. Linear uses of x are
 * cross-multiplied and not divided.
 */
function withSolution(zero: Term, x: Variable, numerator: Term, denominator: Term): Term {
  if (equal(denominator, one)) return substitute(zero, new Map([[x, numerator]]));
  const coefficient = coefficientOf(zero, x);
  if (!coefficient) return substitute(zero, new Map([[x, floorDiv(numerator, denominator)]]));
  return add(multiply(denominator, withoutVariable(zero, x)), multiply(coefficient, numerator));
}
