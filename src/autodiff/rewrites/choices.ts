// What counts under conditions is summed as it would be written by hand: of two opposite conditions
// one is tested, and what counts under the same one stands in one branch.
//
//   (if c && d { a } else { 0 }) + (if c && !d { b } else { 0 }) + (if !c { e } else { 0 })   is
//   if c { if d { a } else { b } } else { e }
//
// A condition may only make sense where those before it hold: each is tested behind them.

import { numberOf } from "../../ir/keys.ts";
import { negation, outcomeOf, type Outcome, oppositeOf } from "../../analyse/opposite.ts";
import { isAnywhere } from "../../ir/parts.ts";
import type { Scalar } from "../../ir/program.ts";
import type { Algebra } from "../../scalar/derivative.ts";
import type { Span } from "../../base/source.ts";
import { sumOf } from "../scalar/products.ts";
import { applied } from "../../ir/simple-scalars.ts";

/** A value that counts where all of its conditions hold, in the order of testing. */
export interface Counting {
  readonly conditions: readonly Scalar[];
  readonly value: Scalar;
}

type Conditional = Pick<Counting, "conditions">;

/** What counts under one condition, and under its opposite; without a condition, always. */
interface Choice<T> {
  readonly condition?: Scalar;
  /** What the condition tests, and how that comes out where it holds. */
  readonly outcome?: Outcome;
  readonly then: readonly T[];
  readonly otherwise: readonly T[];
}

/**
 * A part whose conditions are tested one after another: `c` first, then `d` of `c && d && c`. Where
 * `c` is tested again it holds, so each condition is looked at once, however many are tested before
 * it.
 */
interface Tested<T> {
  readonly part: T;
  /** Outcomes that are the same are one object. */
  readonly conditions: readonly Outcome[];
  /** How many conditions have been looked at. */
  looked: number;
}

export function sumOfCounting(
  parts: readonly Counting[],
  algebra: Algebra<Scalar>,
  span: Span,
): Scalar {
  const { tested, choicesOf, behind } = testing(parts, span);
  const summed = (branch: readonly Tested<Counting>[]): Scalar => {
    const values = choicesOf(branch).map(({ condition, outcome, then, otherwise }) => {
      if (!condition || !outcome)
        return (
          sumOf(
            then.map(({ part }) => part.value),
            algebra,
          ) ?? algebra.number(0)
        );
      const first = behind(outcome, true, () => summed(then));
      const second = behind(outcome, false, () => summed(otherwise));
      return numberOf(first) === numberOf(second)
        ? first
        : algebra.select(condition, first, second);
    });
    return sumOf(values, algebra) ?? algebra.number(0);
  };
  return summed(tested);
}

/** Where something counts at all; nothing to test if that is everywhere. */
export function whereSomeCount(parts: readonly Conditional[], span: Span): Scalar | undefined {
  const join = (operation: "and" | "or", operands: readonly Scalar[]): Scalar | undefined =>
    operands.length === 0 ? undefined : operands.reduce((a, b) => applied(operation, [a, b], span));
  const { tested, choicesOf, behind } = testing(parts, span);
  const where = (branch: readonly Tested<Conditional>[]): Scalar | undefined => {
    const ways: Scalar[] = [];
    for (const { condition, outcome, then, otherwise } of choicesOf(branch)) {
      if (!condition || !outcome) return undefined;
      const sides = [
        { holds: true, said: condition, counting: then },
        { holds: false, said: negation(condition, span), counting: otherwise },
      ].filter(({ counting }) => counting.length > 0);
      const within = sides.map(({ holds, counting }) =>
        behind(outcome, holds, () => where(counting)),
      );
      if (sides.length === 2 && within.every((each) => each === undefined)) return undefined;
      const always = within.indexOf(undefined);
      // Behind `c ||` its opposite need not be tested.
      if (sides.length === 2 && always >= 0) ways.push(sides[always]!.said, within[1 - always]!);
      else
        for (const [k, { said }] of sides.entries())
          ways.push(join("and", [said, ...(within[k] ? [within[k]] : [])])!);
    }
    return join("or", ways);
  };
  return where(tested);
}

/** How many conditions all of some parts have before the others. */
export function conditionsInCommon(parts: readonly Conditional[]): number {
  const [first, ...others] = parts.map((part) => part.conditions.map(numberOf));
  const length = first!.findIndex((key, k) => others.some((keys) => keys[k] !== key));
  return length < 0 ? first!.length : length;
}

interface Testing<T> {
  readonly tested: readonly Tested<T>[];
  readonly choicesOf: (branch: readonly Tested<T>[]) => readonly Choice<Tested<T>>[];
  /**
   * What is found behind a condition that holds, or does not: there it need not be tested again.
   */
  readonly behind: <R>(condition: Outcome, holds: boolean, find: () => R) => R;
}

/**
 * Parts before any of their conditions is tested, and what divides them by the conditions one after
 * another.
 */
function testing<T extends Conditional>(parts: readonly T[], span: Span): Testing<T> {
  const outcomes = new Map<string, Record<"yes" | "no", Outcome>>();
  const oneOf = ({ value, holds }: Outcome): Outcome => {
    const number = numberOf(value);
    let both = outcomes.get(number);
    if (!both) {
      both = { yes: { value, holds: true }, no: { value, holds: false } };
      outcomes.set(number, both);
    }
    return holds ? both.yes : both.no;
  };
  const known = new Map<Scalar, Outcome>();
  const conditionOf = (condition: Scalar): Outcome => {
    let said = known.get(condition);
    if (!said) known.set(condition, (said = oneOf(outcomeOf(condition))));
    return said;
  };
  const opposites = new Map<Scalar, Outcome | undefined>();
  /** `a <= b` for integers of which `a > b` is tested. */
  const oppositeTo = ({ value }: Outcome): Outcome | undefined => {
    if (!opposites.has(value)) {
      const other = isOrder(value) ? oppositeOf(value) : undefined;
      opposites.set(value, other && oneOf({ value: other, holds: true }));
    }
    return opposites.get(value);
  };
  const held = new Set<Outcome>();
  const behind = <R>({ value, holds }: Outcome, isSo: boolean, find: () => R): R => {
    const said = oneOf({ value, holds: holds === isSo });
    if (held.has(said)) return find();
    held.add(said);
    const found = find();
    held.delete(said);
    return found;
  };
  const nextOf = (tested: Tested<unknown>): Outcome | undefined => {
    const { conditions } = tested;
    while (tested.looked < conditions.length) {
      const said = conditions[tested.looked++]!;
      if (!held.has(said)) return said;
    }
    return undefined;
  };
  /** Parts by the next of their conditions; those that have none stand together. */
  const choicesOf = (branch: readonly Tested<T>[]): readonly Choice<Tested<T>>[] => {
    const choices = new Map<
      Scalar | undefined,
      { readonly value?: Scalar; readonly then: Tested<T>[]; readonly otherwise: Tested<T>[] }
    >();
    for (const part of branch) {
      const written = nextOf(part);
      const other = written && oppositeTo(written);
      // Of `a > b` and `a <= b`, one is tested: the one that is met first.
      const isAgainst = other !== undefined && choices.has(other.value);
      const key = isAgainst ? other.value : written?.value;
      const holds = !written || written.holds !== isAgainst;
      let choice = choices.get(key);
      if (!choice) {
        // It is tested as it is written here.
        const own = written && outcomeOf(part.part.conditions[part.looked - 1]!);
        choices.set(key, (choice = { ...(own && { value: own.value }), then: [], otherwise: [] }));
      }
      (holds ? choice.then : choice.otherwise).push(part);
    }
    return [...choices.values()].map(({ value, then, otherwise }) => {
      if (!value) return { then, otherwise };
      // An equation has an opposite, and a condition on coordinates says where something is; what
      // data decides is tested as it is written.
      return then.length === 0 && (isEquation(value) || !looksUp(value))
        ? {
            condition: negation(value, span),
            outcome: { value, holds: false },
            then: otherwise,
            otherwise: then,
          }
        : { condition: value, outcome: { value, holds: true }, then, otherwise };
    });
  };
  const tested = parts.map((part): Tested<T> => ({
    part,
    conditions: part.conditions.map(conditionOf),
    looked: 0,
  }));
  return { tested, choicesOf, behind };
}

export function isEquation(condition: Scalar): boolean {
  return condition.kind === "apply" && condition.operation === "equal";
}

/** A comparison of two integers that says which is greater. */
function isOrder(condition: Scalar): boolean {
  return (
    condition.kind === "apply" &&
    condition.within === "i32" &&
    !["equal", "notEqual"].includes(condition.operation) &&
    oppositeOf(condition) !== undefined
  );
}

export function looksUp(scalar: Scalar): boolean {
  return isAnywhere(scalar, (part) => part.kind === "read");
}
