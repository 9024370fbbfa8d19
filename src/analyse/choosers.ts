// Coordinates that only choose: `if part == 0 { … } else if part == 1 { … } else { 0 }` for part in
// 0..2. At each point of the others, what they choose can be done for all of their positions, and
// nothing has to be tested.

import { constant, constantOf, subtract, type Variable } from "../affine/term.ts";
import { mentions } from "../affine/visit.ts";
import { eachScalar, mapParts } from "../ir/parts.ts";
import type { Local, Loop, Scalar } from "../ir/program.ts";
import { integerOf } from "../ir/integers.ts";
import { copied, instantiate, integerScalar } from "../ir/substitute.ts";
import { bothWays, isCoordinate } from "./ties.ts";

/** A coordinate that chooses goes through so many numbers at most. */
const mostChoices = 64;

/** The first of some coordinates that some scalars only compare with numbers. */
export function chooserAmong(loops: readonly Loop[], scalars: readonly Scalar[]): Loop | undefined {
  const bounds = loops.flatMap(({ from, to }) => [from, to]);
  return loops.find(
    (loop) => positionsOf(loop).length > 0 && isCompared(loop.variable, [...bounds, ...scalars]),
  );
}

/** What is left of guards and scalars at one position of a coordinate that chooses. */
export interface Choice {
  readonly guards: readonly Scalar[];
  readonly scalars: readonly Scalar[];
}

/**
 * What a coordinate chooses, position by position, where guards do not send all of it to no cell of
 * the others.
 */
export function choicesOf(
  loop: Loop,
  guards: readonly Scalar[],
  scalars: readonly Scalar[],
  others: readonly Loop[],
): readonly Choice[] {
  return positionsOf(loop).flatMap((position) => {
    const by = new Map([[loop.variable, integerScalar(constant(position))]]);
    const [copies, locals] = [new Map<Local, Local>(), new Map<Local, Local>()];
    const chosen = (scalar: Scalar): Scalar => decided(instantiate(scalar, by, copies), locals);
    const left = guards.flatMap((guard) => conditionsIn(chosen(guard), others));
    if (left.some((guard) => gapIn(guard) || isNowhere(guard, others))) return [];
    return [{ guards: left.filter((guard) => gapIn(guard) !== 0), scalars: scalars.map(chosen) }];
  });
}

function positionsOf({ from, to }: Loop): readonly number[] {
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
  const isIt = (scalar: Scalar): boolean => scalar.kind === "integer" && mentions(scalar.term, v);
  for (const scalar of scalars)
    eachScalar(scalar, (part) => {
      if (isIt(part)) uses++;
      if (
        part.kind === "apply" &&
        part.operation === "equal" &&
        part.operands.some(isIt) &&
        part.operands.some((side) => numberAt(side) !== undefined)
      )
        tests++;
    });
  return tests > 0 && tests === uses;
}

/** A scalar without the choices that numbers decide. */
function decided(scalar: Scalar, locals: Map<Local, Local>): Scalar {
  const again = (part: Scalar): Scalar => decided(part, locals);
  if (scalar.kind === "local") return { ...scalar, local: copied(scalar.local, again, locals) };
  const gap = scalar.kind === "select" ? gapIn(scalar.condition) : undefined;
  if (scalar.kind === "select" && gap !== undefined)
    return again(gap === 0 ? scalar.then : scalar.otherwise);
  return mapParts(scalar, again);
}

/** How far apart the sides of an equation are, where that is a number. */
function gapIn(condition: Scalar): number | undefined {
  if (condition.kind !== "apply" || condition.operation !== "equal") return undefined;
  const [a, b] = condition.operands.map(integerOf);
  return a && b && constantOf(subtract(a, b));
}

/**
 * A guard that sends some of what it guards to no cell, as conditions: `(if c { at } else { -1 })
 * == p` is `c, at == p`.
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

/** Whether a guard sends what it guards to no cell of some coordinates, `-1 == p`. */
function isNowhere(guard: Scalar, loops: readonly Loop[]): boolean {
  if (guard.kind !== "apply" || guard.operation !== "equal") return false;
  return bothWays(guard.operands).some(([place, cell]) => {
    const isBelow = (loop: Loop): boolean =>
      Number(numberAt(place)) < Math.min(0, Number(numberAt(loop.from)));
    return loops.some((loop) => isCoordinate(cell, loop.variable) && isBelow(loop));
  });
}
