// Simplifies a contribution by its own ranges and guards: it removes conditions that hold for every
// cell, choices that are decided, and summed coordinates with a single position.

import { isOff } from "../../ir/rewrites.ts";
import { contradictory, holds, type Fact } from "../../affine/prove.ts";
import { constant, constantOf, ofVariable, subtract, type Variable } from "../../affine/term.ts";
import { factsOf, isExact, loopFacts, type Opaque } from "../../analyse/facts.ts";
import { integerOf } from "../../ir/integers.ts";
import { isOfCoordinates, somewhere } from "../../ir/parts.ts";
import type { Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar } from "../../ir/substitute.ts";
import { usesAny } from "../../analyse/ties.ts";
import { rebuilt } from "../rewrites/expression-parts.ts";
import type { Piece } from "./transpose.ts";

/** The simplified piece. `known` holds for all its cells. */
export function asDecided(opaque: Opaque, piece: Piece, known: readonly Fact[]): Piece {
  if (isOff("decided-pieces")) return piece;
  return withDecidedChoices(
    opaque,
    withoutImpliedGuards(opaque, withoutSinglePositions(opaque, piece, known), known),
    known,
  );
}

/** The most positions that are tried one by one. */
const fewPositions = 4;

/**
 * A piece without the summed coordinates to which conditions leave one position: for i = 2·p + r,
 * the guard `i % 2 == 0` leaves r = 0.
 */
function withoutSinglePositions(opaque: Opaque, piece: Piece, known: readonly Fact[]): Piece {
  const conditions = [...piece.ranges, ...piece.guards].filter(isOfCoordinates);
  for (const loop of piece.summed) {
    const [from, to] = [loop.from, loop.to].map((end) =>
      constantOf(integerOf(end) ?? ofVariable(loop.variable)),
    );
    const own = conditions.filter((condition) => usesAny(condition, [loop]));
    if (own.length === 0 || from === undefined || to === undefined || to - from > fewPositions)
      continue;
    const others = piece.summed.filter((each) => each !== loop);
    if (others.some((other) => usesAny(other.from, [loop]) || usesAny(other.to, [loop]))) continue;
    const around: readonly Fact[] = [...known, ...loopFacts(opaque, others, known)];
    const at = (position: number): ReadonlyMap<Variable, Scalar> =>
      new Map([[loop.variable, integerScalar(constant(position))]]);
    const isLeft = (position: number): boolean => {
      const here = own.map((condition) => instantiate(condition, at(position)));
      return !contradictory(
        here.reduce((facts, each) => [...facts, ...factsOf(opaque, each, true, facts)], around),
      );
    };
    const [only, ...more] = Array.from({ length: to - from }, (_, k) => from + k).filter(isLeft);
    if (only === undefined || more.length > 0) continue;
    const there = (scalar: Scalar): Scalar => instantiate(scalar, at(only));
    const left: Piece = {
      ...piece,
      summed: others,
      ranges: piece.ranges.map(there).flatMap((range) => withoutTrivialEquations(range) ?? []),
      guards: piece.guards.map(there).flatMap((guard) => withoutTrivialEquations(guard) ?? []),
      ties: piece.ties.map(there),
      value: there(piece.value),
      inverse: new Map([...piece.inverse].map(([v, position]) => [v, there(position)])),
    };
    return withoutSinglePositions(opaque, left, known);
  }
  return piece;
}

/** A condition without equations that are always true. `undefined` if nothing is left. */
function withoutTrivialEquations(condition: Scalar): Scalar | undefined {
  if (condition.kind !== "apply") return condition;
  const [first, second] = condition.operands;
  if (condition.operation === "and") {
    const [a, b] = [withoutTrivialEquations(first!), withoutTrivialEquations(second!)];
    return a && b ? { ...condition, operands: [a, b] } : (a ?? b);
  }
  const [a, b] = condition.operands.map(integerOf);
  return condition.operation === "equal" && a && b && constantOf(subtract(a, b)) === 0
    ? undefined
    : condition;
}

/**
 * A piece without the guards that hold in every cell. In the coordinates of the cell, a guard may
 * follow from the ranges.
 */
function withoutImpliedGuards(opaque: Opaque, piece: Piece, known: readonly Fact[]): Piece {
  if (piece.guards.length === 0) return piece;
  const around = [...known, ...loopFacts(opaque, piece.summed, known)];
  const facts = [
    ...around,
    ...piece.ranges.flatMap((range) => factsOf(opaque, range, true, around)),
  ];
  const holdsHere = (guard: Scalar): boolean =>
    (isExact(opaque, guard, true, facts) &&
      factsOf(opaque, guard, true, facts).every((fact) => holds(fact, facts))) ||
    // A negated guard holds if the condition that it negates holds nowhere.
    (guard.kind === "apply" &&
      guard.operation === "not" &&
      contradictory([...facts, ...factsOf(opaque, guard.operands[0]!, true, facts)]));
  return { ...piece, guards: piece.guards.filter((guard) => !holdsHere(guard)) };
}

/**
 * A piece without the choices that its ranges and guards decide: where the right neighbour sends a
 * contribution, the cell has a left neighbour. A guard may rely on the guards before it. A choice
 * between constants is a factor and stays.
 */
function withDecidedChoices(opaque: Opaque, piece: Piece, known: readonly Fact[]): Piece {
  const { summed, ranges, guards, value } = piece;
  if (![value, ...guards].some(somewhere(isChoice))) return piece;
  const around = [...known, ...loopFacts(opaque, summed, known)];
  const factsBehind = (conditions: readonly Scalar[]): readonly Fact[] => [
    ...around,
    ...conditions
      .filter(isOfCoordinates)
      .flatMap((condition) => factsOf(opaque, condition, true, around)),
  ];
  const decided = (scalar: Scalar, facts: readonly Fact[]): Scalar =>
    rebuilt(scalar, (part) => {
      if (!isChoice(part)) return undefined;
      const said = factsOf(opaque, part.condition, true, facts);
      if (isExact(opaque, part.condition, true, facts) && said.every((fact) => holds(fact, facts)))
        return decided(part.then, facts);
      return contradictory([...facts, ...said]) ? decided(part.otherwise, facts) : undefined;
    });
  // Guards that several contributions share are tested once if their texts are equal. So only
  // guards of sums are rewritten, and only those that depend on data.
  const mayBeRewritten = (guard: Scalar): boolean => summed.length > 0 && !isOfCoordinates(guard);
  return {
    ...piece,
    guards: guards.map((guard, k) =>
      mayBeRewritten(guard)
        ? decided(guard, factsBehind([...ranges, ...guards.slice(0, k)]))
        : guard,
    ),
    value: decided(value, factsBehind([...ranges, ...guards])),
  };
}

type Choice = Extract<Scalar, { kind: "select" }>;

function isChoice(scalar: Scalar): scalar is Choice {
  if (scalar.kind !== "select" || !isOfCoordinates(scalar.condition)) return false;
  return scalar.then.kind !== "constant" || scalar.otherwise.kind !== "constant";
}
