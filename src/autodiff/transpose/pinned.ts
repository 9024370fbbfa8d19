// Finds coordinates for which only one position counts. They are replaced by that position, so
// nothing is summed over them.
//
//    y[i] = sum[j](x[j] where j == 2 * i)   has   j = 2·i

import {
  constant,
  constantOf,
  equal,
  negate,
  ofVariable,
  subtract,
  type Term as Integer,
  type Variable,
} from "../../affine/term.ts";
import { coefficientOf, mentions, withoutVariable } from "../../affine/visit.ts";
import { holds, within, type Fact } from "../../affine/prove.ts";
import type { Guard } from "../../affine/solve.ts";
import { boundsOf, isOpaque, loopFacts, type Opaque } from "../../analyse/facts.ts";
import { integerOf } from "../../ir/integers.ts";
import type { Loop, Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar } from "../../ir/substitute.ts";
import { usesAny } from "../../analyse/ties.ts";
import type { Condition } from "../scalar/products.ts";

interface Prover {
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
}

/** The conditions on the terms of a clause: its guards, and the branches in which a read stands. */
interface Tests {
  readonly guards: readonly Scalar[];
  readonly conditions: readonly Condition[];
}

interface Pinned extends Tests {
  readonly left: readonly Loop[];
  /** Conditions that the one position exists, if that depends on sizes. */
  readonly ranges: readonly Guard[];
}

/** The remaining coordinates and tests. The positions of the other coordinates are in `by`. */
export function pinned(
  { opaque, known }: Prover,
  loops: readonly Loop[],
  tests: Tests,
  by: Map<Variable, Scalar>,
): Pinned {
  const open = pinByExclusion(pinSingles(opaque, loops, by, known), tests, by);
  const taken = open.conditions.flatMap(({ value, holds: isTaken }) => (isTaken ? [value] : []));
  const {
    left,
    guards: rest,
    ranges,
  } = pinByGuards(opaque, open.left, [...open.guards, ...taken], by, known);
  return {
    left,
    ranges,
    guards: open.guards.filter((guard) => rest.includes(guard)),
    conditions: open.conditions.filter(
      ({ value, holds: isTaken }) => !isTaken || rest.includes(value),
    ),
  };
}

/** A position that is a number on the left side is that number. */
function pinSingles(
  opaque: Opaque,
  loops: readonly Loop[],
  by: Map<Variable, Scalar>,
  known: readonly Fact[],
): readonly Loop[] {
  return loops.flatMap((loop) => {
    const instantiated: Loop = {
      ...loop,
      from: instantiate(loop.from, by),
      to: instantiate(loop.to, by),
    };
    if (!loop.fixed) return [instantiated];
    by.set(loop.variable, integerScalar(boundsOf(opaque, instantiated, known).from));
    return [];
  });
}

/**
 * A guard or branch `2 == i` gives i = 2, and `i == j` gives the position of another coordinate.
 */
function pinByGuards(
  opaque: Opaque,
  loops: readonly Loop[],
  guards: readonly Scalar[],
  by: Map<Variable, Scalar>,
  known: readonly Fact[],
): Omit<Pinned, "conditions"> {
  let left = loops;
  const ranges: Guard[] = [];
  const rest = guards.filter((guard) => {
    if (guard.kind !== "apply" || guard.operation !== "equal" || guard.within !== "i32")
      return true;
    // A coordinate in the guard may have a position already.
    const [a, b] = guard.operands.map((operand) => integerOf(instantiate(operand, by)));
    if (!a || !b) return true;
    if (equal(a, b)) return false;
    // Of two equal coordinates, the inner one is replaced.
    for (const loop of left.toReversed()) {
      const value = solvedFor(loop.variable, subtract(a, b));
      const others = left.filter((each) => each !== loop);
      if (!value || others.some((each) => usesAny(each.from, [loop]) || usesAny(each.to, [loop])))
        continue;
      const range = boundsOf(opaque, loop, known);
      if (isOpaque(opaque, range.from) || isOpaque(opaque, range.to)) continue;
      const facts = [...known, ...loopFacts(opaque, others, known)];
      if (!within(value, range).every((fact) => holds(fact, facts)))
        ranges.push({ kind: "in", value, range });
      const here = new Map([[loop.variable, integerScalar(value)]]);
      for (const [v, before] of by) by.set(v, instantiate(before, here));
      by.set(loop.variable, integerScalar(value));
      left = others;
      return false;
    }
    return true;
  });
  return { left, guards: rest, ranges };
}

/** The value of a variable at which the term is 0, if the variable has the factor 1 or -1. */
function solvedFor(v: Variable, term: Integer): Integer | undefined {
  const slope = constantOf(coefficientOf(term, v) ?? term);
  const rest = withoutVariable(term, v);
  if ((slope !== 1 && slope !== -1) || mentions(rest, v)) return undefined;
  return slope === 1 ? negate(rest) : rest;
}

/**
 * If guards and branches exclude all positions but one, the coordinate has that position: the last
 * branch of `if i == 0 … else if i == 1 …`.
 */
function pinByExclusion(
  loops: readonly Loop[],
  { guards, conditions }: Tests,
  by: Map<Variable, Scalar>,
): Tests & { readonly left: readonly Loop[] } {
  const used = new Set<Scalar>();
  const left = loops.filter((loop) => {
    const bounds = [loop.from, loop.to].map((bound) =>
      constantOf(integerOf(bound) ?? ofVariable(loop.variable)),
    );
    const [from, to] = bounds;
    if (from === undefined || to === undefined || to - from < 2) return true;
    const excluding = new Map<Scalar, number>();
    const note = (test: Scalar, operation: "equal" | "notEqual"): void => {
      const at =
        test.kind === "apply" && test.operation === operation ? positionIn(test, loop) : undefined;
      if (at !== undefined) excluding.set(test, at);
    };
    for (const guard of guards) note(guard, "notEqual");
    for (const { value, holds: isTaken } of conditions) note(value, isTaken ? "notEqual" : "equal");
    const excluded = new Set(excluding.values());
    if (excluded.size < to - from - 1) return true;
    const open = Array.from({ length: to - from }, (_, k) => from + k).filter(
      (at) => !excluded.has(at),
    );
    const isBound = loops.some((each) => usesAny(each.from, [loop]) || usesAny(each.to, [loop]));
    if (open.length !== 1 || isBound) return true;
    by.set(loop.variable, integerScalar(constant(open[0]!)));
    for (const test of excluding.keys()) used.add(test);
    return false;
  });
  return {
    left,
    guards: guards.filter((guard) => !used.has(guard)),
    conditions: conditions.filter(({ value }) => !used.has(value)),
  };
}

/** The position with which a comparison compares a coordinate. */
function positionIn(
  { operands }: Extract<Scalar, { kind: "apply" }>,
  { variable: v }: Loop,
): number | undefined {
  const [a, b] = operands.map(integerOf);
  if (!a || !b) return undefined;
  if (equal(a, ofVariable(v))) return constantOf(b);
  return equal(b, ofVariable(v)) ? constantOf(a) : undefined;
}
