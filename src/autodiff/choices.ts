// What counts under conditions is summed as it would be written by hand: of two opposite conditions one is tested, and what counts under the same one
// stands in one branch.
//
//   (if c && d { a } else { 0 }) + (if c && !d { b } else { 0 }) + (if !c { e } else { 0 })   is   if c { if d { a } else { b } } else { e }
//
// A condition may only make sense where those before it hold: each is tested behind them.

import { numberOf } from "../ir/keys.ts";
import { negation, outcomeOf, type Outcome, oppositeOf } from "../ir/opposite.ts";
import { eachScalar } from "../ir/parts.ts";
import type { Scalar } from "../ir/program.ts";
import type { Algebra } from "../scalar/derivative.ts";
import type { Span } from "../base/source.ts";
import { sumOf } from "./products.ts";

/** A value that counts where all of its conditions hold, in the order of testing. */
export interface Counting {
  readonly conditions: readonly Scalar[];
  readonly value: Scalar;
}

/** What counts under one condition, and under its opposite; without a condition, always. */
interface Choice<T> {
  readonly condition?: Scalar;
  readonly then: readonly T[];
  readonly otherwise: readonly T[];
}

export function sumOfCounting(
  parts: readonly Counting[],
  algebra: Algebra<Scalar>,
  span: Span,
): Scalar {
  const summed = (branch: readonly Counting[]): Scalar => sumOfCounting(branch, algebra, span);
  const values = choicesOf(parts, span).map(({ condition, then, otherwise }) => {
    if (!condition)
      return (
        sumOf(
          then.map((part) => part.value),
          algebra,
        ) ?? algebra.number(0)
      );
    const [first, second] = [summed(then), summed(otherwise)];
    return numberOf(first) === numberOf(second) ? first : algebra.select(condition, first, second);
  });
  return sumOf(values, algebra) ?? algebra.number(0);
}

/** Where something counts at all; nothing to test if that is everywhere. */
export function whereSomeCount(
  parts: readonly Pick<Counting, "conditions">[],
  span: Span,
): Scalar | undefined {
  const join = (operation: "and" | "or", operands: readonly Scalar[]): Scalar | undefined =>
    operands.length === 0
      ? undefined
      : operands.reduce((a, b) => ({
          kind: "apply",
          type: "bool",
          within: "bool",
          operation,
          operands: [a, b],
          span,
        }));
  const ways: Scalar[] = [];
  for (const { condition, then, otherwise } of choicesOf(parts, span)) {
    if (!condition) return undefined;
    const sides = [
      { outcome: condition, counting: then },
      { outcome: negation(condition, span), counting: otherwise },
    ].filter(({ counting }) => counting.length > 0);
    const within = sides.map(({ counting }) => whereSomeCount(counting, span));
    if (sides.length === 2 && within.every((each) => each === undefined)) return undefined;
    const always = within.indexOf(undefined);
    // Behind `c ||` its opposite need not be tested.
    if (sides.length === 2 && always >= 0) ways.push(sides[always]!.outcome, within[1 - always]!);
    else
      for (const [k, { outcome }] of sides.entries())
        ways.push(join("and", [outcome, ...(within[k] ? [within[k]] : [])])!);
  }
  return join("or", ways);
}

/** How many conditions all of some parts have before the others. */
export function conditionsInCommon(parts: readonly Pick<Counting, "conditions">[]): number {
  const [first, ...others] = parts.map((part) => part.conditions.map(numberOf));
  const length = first!.findIndex((key, k) => others.some((keys) => keys[k] !== key));
  return length < 0 ? first!.length : length;
}

/** Parts by the first of their conditions, which is taken off; those that have none stand together. */
function choicesOf<T extends Pick<Counting, "conditions">>(
  parts: readonly T[],
  span: Span,
): readonly Choice<T>[] {
  const choices = new Map<
    string,
    { readonly tested?: Scalar; readonly then: T[]; readonly otherwise: T[] }
  >();
  for (const part of parts) {
    const [condition, ...conditions] = part.conditions;
    const written = condition && outcomeOf(condition);
    const other = written && isOrder(written.value) ? oppositeOf(written.value) : undefined;
    const against = other && choices.get(numberOf(other));
    // Of `a > b` and `a <= b`, one is tested: the one that is met first.
    const outcome =
      written && against?.tested ? { value: against.tested, holds: !written.holds } : written;
    const key = outcome ? numberOf(outcome.value) : "";
    const choice = choices.get(key) ?? {
      ...(outcome ? { tested: outcome.value } : {}),
      then: [],
      otherwise: [],
    };
    choices.set(key, choice);
    // Behind a condition it need not be tested again.
    const others = conditions.filter((each) => !outcome || !isSame(outcomeOf(each), outcome));
    (outcome?.holds === false ? choice.otherwise : choice.then).push({
      ...part,
      conditions: others,
    });
  }
  return [...choices.values()].map(({ tested, then, otherwise }) =>
    // An equation has an opposite, and a condition on coordinates says where something is; what data decides is tested as it is written.
    tested && then.length === 0 && (isEquation(tested) || !looksUp(tested))
      ? { condition: negation(tested, span), then: otherwise, otherwise: then }
      : { ...(tested ? { condition: tested } : {}), then, otherwise },
  );
}

export function isEquation(condition: Scalar): boolean {
  return condition.kind === "apply" && condition.operation === "equal";
}

function isSame(a: Outcome, b: Outcome): boolean {
  return a.holds === b.holds && numberOf(a.value) === numberOf(b.value);
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
  let found = false;
  eachScalar(scalar, (part) => void (found ||= part.kind === "read"));
  return found;
}
