// Choices by bounds as visits of their own: what a clause computes at most of its cells is one, and goes along with what has no more points than that.
//
//   d_h[t in 0..n] = if t + 1 < n { d_h[t + 1]·w·h[t] } else { 1 }   goes along with   d_w = sum[t in 1..n](d_h[t]·h[t - 1]²),   but for the last cell

import { constantOf, ofVariable, plus, subtract } from "../../affine/term.ts";
import { compared, integerOf } from "../integers.ts";
import { oppositeOf } from "../opposite.ts";
import { isOfCoordinates } from "../parts.ts";
import type { Loop, Scalar } from "../program.ts";
import { integerScalar } from "../substitute.ts";
import { isInside } from "./cut.ts";
import { conjuncts, halvesOf, solutionOf } from "./points.ts";
import { tallyOf, workInWalk } from "./tally.ts";
import type { Visit } from "./visits.ts";

/** The visits that a visit consists of: at the points that bounds choose, and at the others. */
export function piecesOf(whole: Visit): readonly Visit[] {
  const visit = { ...whole, guards: withBounds(whole.guards.flatMap(conjuncts), whole.loops) };
  const value = visit.scalars.at(-1)!;
  const piece =
    value.kind === "select" && !visit.reduction ? pieceOf(value, visit.loops) : undefined;
  if (!piece) return [visit];
  const { bounds, inside, outside } = piece;
  const before = visit.scalars.slice(0, -1);
  const most: Visit = {
    ...visit,
    isPiece: true,
    guards: [...visit.guards, ...bounds],
    scalars: [...before, inside],
  };
  // What is tested at all points is tested along with those.
  const rest: Visit = { ...visit, at: undefined, scalars: [outside], isRest: true };
  return [...piecesOf(most), ...(workInWalk([outside]) > 0 ? [rest] : [])];
}

type Select = Extract<Scalar, { kind: "select" }>;

interface Piece {
  readonly bounds: readonly Scalar[];
  readonly inside: Scalar;
  /** What is left, at few points. */
  readonly outside: Scalar;
}

/** The part of a choice that takes most, where bounds say at which points it stands. */
function pieceOf(select: Select, loops: readonly Loop[]): Piece | undefined {
  const { condition, then, otherwise, type } = select;
  const none: Scalar = { kind: "constant", type, value: 0 };
  const parts = conjuncts(condition);
  const bounds = parts.filter(isOfCoordinates);
  if (workInWalk([then]) < workInWalk([otherwise])) {
    const bound = besideEnd(condition, "equal", loops) ?? otherSide(condition);
    return bound && { bounds: [bound], inside: otherwise, outside: { ...select, otherwise: none } };
  }
  const isBounded = bounds.length > 0 && bounds.every((bound) => halvesOf(bound).length > 0);
  if (!isBounded || !isForFew(otherwise)) return undefined;
  const tests = parts.filter((part) => !bounds.includes(part));
  const inside = tests.reduceRight<Scalar>(
    (chosen, test) => ({ ...select, condition: test, then: chosen }),
    then,
  );
  return { bounds, inside, outside: { ...select, then: none } };
}

/** Conditions, with those that leave out a first or a last position as bounds. */
function withBounds(guards: readonly Scalar[], loops: readonly Loop[]): readonly Scalar[] {
  const halves = guards.flatMap(halvesOf);
  return guards.map((guard) => {
    if (guard.kind !== "apply" || guard.operation !== "notEqual") return guard;
    const [a, b] = guard.operands as [Scalar, Scalar];
    const isBound = (low: Scalar, high: Scalar): boolean => {
      const [from, to] = [integerOf(low), integerOf(high)];
      return (
        from !== undefined &&
        to !== undefined &&
        halves.some((half) => constantOf(subtract(half, subtract(to, from))) === 0)
      );
    };
    if (isBound(a, b)) return compared("less", a, b, guard.span);
    return isBound(b, a)
      ? compared("less", b, a, guard.span)
      : (besideEnd(guard, "notEqual", loops) ?? guard);
  });
}

/** That a bound does not hold. */
function otherSide(condition: Scalar): Scalar | undefined {
  const opposite = halvesOf(condition).length === 1 ? oppositeOf(condition) : undefined;
  return opposite && halvesOf(opposite).length > 0 ? opposite : undefined;
}

/** Whether all that a scalar takes is taken at few points. */
function isForFew(scalar: Scalar): boolean {
  const { arithmetic, reads, calls } = tallyOf([scalar]);
  return arithmetic + reads + calls.length === 0;
}

/** That a coordinate is not its first or its last position, where a condition says that it is, or that it is not. */
function besideEnd(
  condition: Scalar,
  operation: "equal" | "notEqual",
  loops: readonly Loop[],
): Scalar | undefined {
  if (condition.kind !== "apply" || condition.operation !== operation) return undefined;
  for (const { variable: v, from, to } of loops) {
    const [first, end, place] = [integerOf(from), integerOf(to), solutionOf(condition, v)];
    if (!first || !end || !place) continue;
    const at = integerScalar(ofVariable(v));
    if (isInside(subtract(first, place), loops))
      return compared("less", integerScalar(place), at, condition.span);
    if (isInside(subtract(place, plus(end, -1)), loops))
      return compared("less", at, integerScalar(place), condition.span);
  }
  return undefined;
}
