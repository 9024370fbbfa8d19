// The last part of an inversion: what becomes of the quotients that `solve.ts` introduced. A
// quotient is turned back into its coordinate, or gets a value or a range.

import { atMost, holds, lessThan } from "./prove.ts";
import { mirror } from "./range.ts";
import type { Range } from "./range.ts";
import {
  add,
  ceilDiv,
  constant,
  equal,
  floorDiv,
  isConstant,
  mod,
  multiply,
  negate,
  one,
  plus,
  scale,
  subtract,
} from "./term.ts";
import type { Term, Variable } from "./term.ts";
import { coefficientOf, mentions, substitute, withoutVariable } from "./visit.ts";
import { solveFor } from "./working.ts";
import type { Failure, Unknown, Working } from "./working.ts";

/**
 * Turns a quotient and its remainder back into their coordinate if neither was solved for. One
 * coordinate is then summed over, and not two.
 */
export function undoChanges(work: Working): void {
  for (const { x, quotient, remainder, dividend, divisor } of work.changes.toReversed()) {
    const isFree = (v: Variable): boolean =>
      work.unknowns.some((unknown) => unknown.variable === v);
    if (!isFree(quotient) || !isFree(remainder)) continue;
    // The rest of the dividend may have been solved in terms of the quotient.
    if (
      work.solved.some(
        ({ unknown }) => unknown.variable !== x && mentions(dividend, unknown.variable),
      )
    )
      continue;
    const at = work.solved.findIndex((entry) => entry.unknown.variable === x);
    const [entry] = work.solved.splice(at, 1);
    work.unknowns = work.unknowns.filter(({ variable: v }) => v !== quotient && v !== remainder);
    work.unknowns.push(entry!.unknown);
    const values = new Map([
      [quotient, floorDiv(dividend, divisor)],
      [remainder, mod(dividend, divisor)],
    ]);
    for (const each of work.solved) each.numerator = substitute(each.numerator, values);
    for (const equation of work.equations) equation.zero = substitute(equation.zero, values);
    work.divisible = work.divisible.map(({ value, by }) => ({
      value: substitute(value, values),
      by,
    }));
  }
}

/**
 * A term with x replaced by its exact value. In a multiple of the denominator, the denominator is
 * cancelled and nothing is divided.
 */
function withValue(term: Term, x: Variable, numerator: Term, denominator: Term): Term {
  const coefficient = equal(denominator, one) ? undefined : coefficientOf(term, x);
  if (coefficient) {
    const times = floorDiv(coefficient, denominator);
    if (equal(multiply(times, denominator), coefficient)) {
      return add(withoutVariable(term, x), multiply(times, numerator));
    }
  }
  return substitute(term, new Map([[x, floorDiv(numerator, denominator)]]));
}

/**
 * Expresses all solved unknowns in those that are still free: later solutions are put into earlier
 * ones.
 */
function backSubstitute(work: Working): void {
  for (let at = work.solved.length - 1; at >= 0; at--) {
    const { unknown, numerator, denominator } = work.solved[at]!;
    const into = (term: Term): Term =>
      mentions(term, unknown.variable)
        ? withValue(term, unknown.variable, numerator, denominator)
        : term;
    for (let before = 0; before < at; before++)
      work.solved[before]!.numerator = into(work.solved[before]!.numerator);
    work.divisible = work.divisible.map(({ value, by }) => ({ value: into(value), by }));
    const ranged = [...work.unknowns, ...work.solved.map((entry) => entry.unknown)];
    for (const each of ranged)
      if (each.range) each.range = { from: into(each.range.from), to: into(each.range.to) };
  }
}

/**
 * Gives each quotient that is still free a value or a range. Both follow from the range of an
 * unknown that was solved with the quotient.
 */
export function settleQuotients(work: Working): { inside: Set<Variable> } | Failure {
  const inside = new Set<Variable>();
  backSubstitute(work);
  for (;;) {
    const free = work.unknowns.filter((unknown) => !unknown.range);
    if (free.length === 0) return { inside };
    const settled = free.some((unknown) => settle(work, unknown, free, inside));
    if (settled) continue;
    const entry = work.solved.find(({ numerator }) => mentions(numerator, free[0]!.variable));
    return { failed: Math.max(0, ...(entry ? entry.origin : [])) };
  }
}

function settle(
  work: Working,
  { variable: q }: Unknown,
  free: readonly Unknown[],
  inside: Set<Variable>,
): boolean {
  const candidates = work.solved
    .map((entry) => periodOf(work, entry, q, free))
    .filter((each) => each !== undefined);
  const chosen = candidates.find((each) => each.short) ?? candidates[0];
  if (!chosen) return false;
  const { x, range, step, rest, sign, short } = chosen;
  if (short) {
    const value = scale(negate(floorDiv(subtract(rest, range.from), step)), sign);
    solveFor(work, q, value, one, new Set());
    backSubstitute(work);
    return true;
  }
  // a·x = rest + step·(sign·q): the window for sign·q, mirrored if q counts downward.
  const window = {
    from: ceilDiv(subtract(range.from, rest), step),
    to: ceilDiv(subtract(range.to, rest), step),
  };
  work.unknowns.find((each) => each.variable === q)!.range = sign > 0 ? window : mirror(window);
  inside.add(x);
  return true;
}

/**
 * a·x = step·(sign·q) + rest, with a·x in the range. `short` says that the range contains at most
 * one such value.
 */
interface Period {
  readonly x: Variable;
  readonly range: Range;
  readonly step: Term;
  readonly rest: Term;
  readonly sign: number;
  readonly short: boolean;
}

function periodOf(
  work: Working,
  { numerator, denominator, unknown }: Working["solved"][number],
  q: Variable,
  free: readonly Unknown[],
): Period | undefined {
  const coefficient = coefficientOf(numerator, q);
  if (!coefficient || !unknown.range || equal(coefficient, constant(0))) return undefined;
  const sign = Math.sign(coefficient.parts[0]?.coefficient ?? coefficient.constant);
  const step = scale(coefficient, sign);
  const rest = withoutVariable(numerator, q);
  const range = {
    from: multiply(denominator, unknown.range.from),
    to: plus(multiply(denominator, plus(unknown.range.to, -1)), 1),
  };
  if (
    free.some(({ variable: v }) => [range.from, range.to, rest].some((term) => mentions(term, v)))
  )
    return undefined;
  if (work.unknowns.some(({ variable: v }) => mentions(step, v))) return undefined;
  if (!isConstant(step) && !holds(lessThan(constant(0), step), work.assumptions)) return undefined;
  const short = holds(atMost(subtract(range.to, range.from), step), work.assumptions);
  return { x: unknown.variable, range, step, rest, sign, short };
}
