// Coordinates that only choose, such as `part in 0..2` in
//
//   if part == 0 { … } else if part == 1 { … } else { 0 }
//
// At each point of the other coordinates, the chosen scalars can be computed for all positions of
// such a coordinate, and nothing needs to be tested.

import { constant, constantOf, subtract, type Variable } from "../affine/term.ts";
import { mentions } from "../affine/visit.ts";
import { eachScalar, mapParts } from "../ir/parts.ts";
import type { Local, Loop, Scalar } from "../ir/program.ts";
import { integerOf } from "../ir/integers.ts";
import { copied, instantiate, integerScalar } from "../ir/substitute.ts";
import { bothWays, isCoordinate } from "./ties.ts";

/** The longest range of a coordinate that chooses. */
const mostChoices = 64;

/** The first coordinate that the scalars only compare with numbers. */
export function chooserAmong(loops: readonly Loop[], scalars: readonly Scalar[]): Loop | undefined {
  const bounds = loops.flatMap(({ from, to }) => [from, to]);
  return loops.find(
    (loop) =>
      numericPositions(loop).length > 0 && isCompared(loop.variable, [...bounds, ...scalars]),
  );
}

/** The guards and scalars that are left at one position of a coordinate that chooses. */
interface Choice {
  readonly guards: readonly Scalar[];
  readonly scalars: readonly Scalar[];
}

/**
 * The choices, position by position. Positions whose terms go to no cell of the other coordinates
 * are left out.
 */
export function choicesOf(
  loop: Loop,
  guards: readonly Scalar[],
  scalars: readonly Scalar[],
  others: readonly Loop[],
): readonly Choice[] {
  return numericPositions(loop).flatMap((position) => {
    const by = new Map([[loop.variable, integerScalar(constant(position))]]);
    const [copies, locals] = [new Map<Local, Local>(), new Map<Local, Local>()];
    const chosen = (scalar: Scalar): Scalar =>
      withoutDecidedChoices(instantiate(scalar, by, copies), locals);
    const left = guards.flatMap((guard) => conditionsIn(chosen(guard), others));
    if (left.some((guard) => gapIn(guard) || isNowhere(guard, others))) return [];
    return [{ guards: left.filter((guard) => gapIn(guard) !== 0), scalars: scalars.map(chosen) }];
  });
}

function numericPositions({ from, to }: Loop): readonly number[] {
  const [first, end] = [numberAt(from), numberAt(to)];
  if (first === undefined || end === undefined || end - first > mostChoices) return [];
  return Array.from({ length: Math.max(0, end - first) }, (_, k) => first + k);
}

function numberAt(scalar: Scalar): number | undefined {
  const term = integerOf(scalar);
  return term && constantOf(term);
}

function isCompared(v: Variable, scalars: readonly Scalar[]): boolean {
  let [tests, uses] = [0, 0];
  const mentionsCoordinate = (scalar: Scalar): boolean =>
    scalar.kind === "integer" && mentions(scalar.term, v);
  for (const scalar of scalars)
    eachScalar(scalar, (part) => {
      if (mentionsCoordinate(part)) uses++;
      if (
        part.kind === "apply" &&
        part.operation === "equal" &&
        part.operands.some(mentionsCoordinate) &&
        part.operands.some((side) => numberAt(side) !== undefined)
      )
        tests++;
    });
  return tests > 0 && tests === uses;
}

/** A scalar without the choices that comparisons of numbers decide. */
function withoutDecidedChoices(scalar: Scalar, locals: Map<Local, Local>): Scalar {
  const decide = (part: Scalar): Scalar => withoutDecidedChoices(part, locals);
  if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, decide, locals) };
  const gap = scalar.kind === "select" ? gapIn(scalar.condition) : undefined;
  if (scalar.kind === "select" && gap !== undefined)
    return decide(gap === 0 ? scalar.then : scalar.otherwise);
  return mapParts(scalar, decide);
}

/** The difference between the sides of an equation, if it is a number. */
function gapIn(condition: Scalar): number | undefined {
  if (condition.kind !== "apply" || condition.operation !== "equal") return undefined;
  const [a, b] = condition.operands.map(integerOf);
  return a && b && constantOf(subtract(a, b));
}

/**
 * A guard that sends some terms to no cell, as several conditions: `(if c { at } else { -1 }) == p`
 * is `c, at == p`.
 */
function conditionsIn(guard: Scalar, loops: readonly Loop[]): readonly Scalar[] {
  if (guard.kind !== "apply" || guard.operation !== "equal") return [guard];
  const sent = guard.operands.findIndex((side) => side.kind === "select");
  const side = guard.operands[sent];
  if (side?.kind !== "select") return [guard];
  const as = (place: Scalar): Scalar => ({ ...guard, operands: guard.operands.with(sent, place) });
  return isNowhere(as(side.otherwise), loops)
    ? [side.condition, ...conditionsIn(as(side.then), loops)]
    : [guard];
}

/** Whether a guard sends its terms to no cell of some coordinates: `-1 == p`. */
function isNowhere(guard: Scalar, loops: readonly Loop[]): boolean {
  if (guard.kind !== "apply" || guard.operation !== "equal") return false;
  return bothWays(guard.operands).some(([place, cell]) => {
    const isBelow = (loop: Loop): boolean =>
      Number(numberAt(place)) < Math.min(0, Number(numberAt(loop.from)));
    return loops.some((loop) => isCoordinate(cell, loop.variable) && isBelow(loop));
  });
}
