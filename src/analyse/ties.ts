// Finds scatters: guards of a reduction that say where each of its terms goes.
//
// In  d[p] = sum[k](g[k] where idx[k] == p)  the guard fixes p for each k. So the sum can walk k
// once and add g[k] to d[idx[k]]: the cost is the reduced range plus the result, not their product.
// An interval of positions does the same for several cells.

import { ofVariable, subtract, type Term, type Variable } from "../affine/term.ts";
import { coefficientOf, mentions } from "../affine/visit.ts";
import { constantOf } from "../affine/term.ts";
import { somewhere, isAnywhere } from "../ir/parts.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import { mayEndRun } from "./can-fail.ts";
import { applied } from "../ir/simple-scalars.ts";

/**
 * The positions along an axis of the definition to which a term goes: from `from` to just before
 * `to`.
 */
export interface Tie {
  readonly axis: number;
  readonly from: Scalar;
  readonly to: Scalar;
  /** The position, if there is only one. */
  readonly only?: Scalar;
  /** The guards that the tie expresses. */
  readonly said: readonly Scalar[];
}

/**
 * The ties: one for each axis that the guards bind to the reduced coordinates. Along the axes in
 * `numbered`, a guard may bind the axis to a number too.
 */
export function tiesOf(
  left: readonly Loop[],
  reduced: readonly Loop[],
  guards: readonly Scalar[],
  numbered: ReadonlySet<number> = new Set(),
): readonly Tie[] {
  const conditions = guards.flatMap(conjuncts);
  const ties: Tie[] = [];
  const tied = new Set<Variable>();
  const isFree = (loop: Loop): boolean =>
    !reduced.some((each) => usesAny(each.from, [loop]) || usesAny(each.to, [loop]));
  for (const [axis, loop] of left.entries()) {
    const found =
      equality(loop, left, reduced, conditions, tied) ??
      interval(loop, left, reduced, conditions, tied) ??
      (numbered.has(axis) ? atNumber(loop, conditions) : undefined);
    if (!found || !isFree(loop)) continue;
    // If another tie depends on this position, the position must be known first, so it is not tied.
    if (ties.some(({ from, to }) => usesAny(from, [loop]) || usesAny(to, [loop]))) continue;
    ties.push({ axis, ...found });
    tied.add(loop.variable);
  }
  return ties;
}

/** Whether data bounds the ranges of a reduction, or sends its terms to their cells. */
export function isBoundByData(
  left: readonly Loop[],
  { loops, guards }: { readonly loops: readonly Loop[]; readonly guards: readonly Scalar[] },
): boolean {
  if (loops.some(({ from, to }) => from.kind !== "integer" || to.kind !== "integer")) return true;
  return tiesOf(left, loops, guards).some(
    ({ only }) => only !== undefined && only.kind !== "integer",
  );
}

/**
 * The conditions that a guard joins with `&&`. A condition that may end the run stays together with
 * the conditions behind it: `x[at[s]] > 0 && s > 0` is one condition, because a test of `s > 0`
 * must not come before the read of `x[at[s]]`.
 */
export function conjuncts(guard: Scalar): readonly Scalar[] {
  return guard.kind === "apply" && guard.operation === "and" && !mayEndRun(guard.operands[0]!)
    ? guard.operands.flatMap(conjuncts)
    : [guard];
}

/** The conditions of guards, which may be tested in any order (see `conjuncts`). */
export function inAnyOrder(guards: readonly Scalar[]): readonly Scalar[] {
  const conditions = guards.flatMap(conjuncts);
  const unsure = conditions.findIndex(mayEndRun);
  if (unsure < 0) return conditions;
  const rest = conditions
    .slice(unsure)
    .reduceRight((behind, before) => applied("and", [before, behind]));
  return [...conditions.slice(0, unsure), rest];
}

type Place = Omit<Tie, "axis">;

function equality(
  loop: Loop,
  left: readonly Loop[],
  reduced: readonly Loop[],
  conditions: readonly Scalar[],
  tied: ReadonlySet<Variable>,
): Place | undefined {
  for (const condition of conditions) {
    if (condition.kind !== "apply" || condition.operation !== "equal") continue;
    for (const [own, other] of bothWays(condition.operands)) {
      if (
        !isCoordinate(own, loop.variable) ||
        !isDeterminedByReduced(other, loop, left, reduced, tied)
      )
        continue;
      return { from: other, to: plusOne(other), only: other, said: [condition] };
    }
  }
  return undefined;
}

function atNumber(loop: Loop, conditions: readonly Scalar[]): Place | undefined {
  for (const condition of conditions) {
    if (condition.kind !== "apply" || condition.operation !== "equal") continue;
    for (const [own, other] of bothWays(condition.operands)) {
      if (
        !isCoordinate(own, loop.variable) ||
        other.kind !== "integer" ||
        constantOf(other.term) === undefined
      )
        continue;
      return { from: other, to: plusOne(other), only: other, said: [condition] };
    }
  }
  return undefined;
}

/** `a <= p` and `p < b`. */
function interval(
  loop: Loop,
  left: readonly Loop[],
  reduced: readonly Loop[],
  conditions: readonly Scalar[],
  tied: ReadonlySet<Variable>,
): Place | undefined {
  let from: Scalar | undefined;
  let to: Scalar | undefined;
  const said = new Set<Scalar>();
  for (const condition of conditions) {
    if (condition.kind !== "apply") continue;
    const before = [from, to];
    const [a, b] = condition.operands;
    const isOwn = (scalar: Scalar | undefined): boolean =>
      scalar !== undefined && isCoordinate(scalar, loop.variable);
    const fits = (scalar: Scalar | undefined): scalar is Scalar =>
      scalar !== undefined && isDeterminedByReduced(scalar, loop, left, reduced, tied);
    switch (condition.operation) {
      case "lessEqual":
        if (isOwn(b) && fits(a)) from ??= a;
        if (isOwn(a) && fits(b)) to ??= plusOne(b);
        break;
      case "less":
        if (isOwn(b) && fits(a)) from ??= plusOne(a);
        if (isOwn(a) && fits(b)) to ??= b;
        break;
      case "greaterEqual":
        if (isOwn(a) && fits(b)) from ??= b;
        if (isOwn(b) && fits(a)) to ??= plusOne(a);
        break;
      case "greater":
        if (isOwn(a) && fits(b)) from ??= plusOne(b);
        if (isOwn(b) && fits(a)) to ??= a;
        break;
      default:
        break;
    }
    if (from !== before[0] || to !== before[1]) said.add(condition);
  }
  return from && to ? { from, to, said: [...said] } : undefined;
}

export function bothWays(operands: readonly Scalar[]): readonly (readonly [Scalar, Scalar])[] {
  const [a, b] = operands;
  return a && b
    ? [
        [a, b],
        [b, a],
      ]
    : [];
}

/** Whether a scalar is the coordinate and nothing else. */
export function isCoordinate(scalar: Scalar, v: Variable): boolean {
  if (scalar.kind === "cast" && scalar.type === "i64") return isCoordinate(scalar.operand, v);
  return scalar.kind === "integer" && isVariable(scalar.term, v);
}

function isVariable(term: Term, v: Variable): boolean {
  return (
    constantOf(subtract(term, ofVariable(v))) === 0 &&
    constantOf(coefficientOf(term, v) ?? term) === 1
  );
}

/** Whether a scalar mentions one of the coordinates. */
export function usesAny(scalar: Scalar, loops: readonly Pick<Loop, "variable">[]): boolean {
  return isAnywhere(scalar, (part) => isMention(part, loops));
}

/** The same test, for many parts of one scalar. */
export function mentioning(loops: readonly Loop[]): (scalar: Scalar) => boolean {
  return somewhere((part) => isMention(part, loops));
}

function isMention(part: Scalar, loops: readonly Pick<Loop, "variable">[]): boolean {
  return part.kind === "integer" && loops.some((loop) => mentions(part.term, loop.variable));
}

/**
 * Whether the reduced coordinates determine a scalar: it mentions one of them, and neither this
 * coordinate nor a coordinate that is tied already.
 */
function isDeterminedByReduced(
  scalar: Scalar,
  loop: Loop,
  left: readonly Loop[],
  reduced: readonly Loop[],
  tied: ReadonlySet<Variable>,
): boolean {
  const open = left.filter((each) => each === loop || tied.has(each.variable));
  return usesAny(scalar, reduced) && !usesAny(scalar, open);
}

function plusOne(scalar: Scalar): Scalar {
  const { type } = scalar;
  const one: Scalar = { kind: "constant", type, value: type === "i64" ? 1n : 1 };
  const span = "span" in scalar ? scalar.span : undefined;
  if (scalar.kind === "integer")
    return { ...scalar, term: { ...scalar.term, constant: scalar.term.constant + 1 } };
  return applied("add", [scalar, one], span);
}
