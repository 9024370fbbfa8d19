// Sums the contributions that arrive at a definition into its adjoint. A contribution that is a sum
// over path coordinates becomes a definition of its own:
//
//    d_x[i] = d_x_from_y[i] + d_z[i],   d_x_from_y[i] = sum[j](d_y[i, j])

import { holds, nonNegative } from "../../affine/prove.ts";
import { constantOf as termConstant, equal, ofVariable } from "../../affine/term.ts";
import { cannotFail } from "../../analyse/can-fail.ts";
import { eachScalar, isOfCoordinates } from "../../ir/parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, replacing, atIndices, coordinateScalar } from "../../ir/substitute.ts";
import { keyOf } from "../../ir/keys.ts";
import { isFloat } from "../../scalar/types.ts";
import { usesAny } from "../../analyse/ties.ts";
import { freshLoops, readCell } from "./cells.ts";
import { isEquation, looksUp, type Counting } from "../rewrites/choices.ts";
import { sumInCells } from "../rewrites/exclusive.ts";
import { tangentType } from "../legality/handed-on.ts";
import { hoisted } from "../rewrites/hoist.ts";
import { withChoices } from "../rewrites/opposite-branches.ts";
import { clausesOfCells, pinsOf, withPlaces } from "../rewrites/pinned-cells.ts";
import { algebraOf, unsigned } from "../scalar/products.ts";
import { sumBefore, sumOnce } from "../rewrites/same-sums.ts";
import { asItIs } from "./seeds.ts";
import { withShared } from "../rewrites/share.ts";
import { isStepGraph } from "../requests/step-graph.ts";
import {
  axesFor,
  loopsFor,
  most,
  zerosOf,
  type Adjoint,
  type Arrived,
  type Sweep,
} from "./sweep.ts";
import { aliasOf, clauseOf, conditionsOf, type Piece } from "../transpose/transpose.ts";

export function adjointOf(sweep: Sweep, definition: Definition): Adjoint | undefined {
  const arrived = sweep.pieces.get(definition);
  if (!arrived || !isFloat(tangentType(definition))) return undefined;
  const [only] = arrived;
  if (arrived.length === 1) {
    const alias = aliasOf(only!.piece);
    const known = alias && sweep.adjoints.get(alias);
    // A denominator has an adjoint with a name of its own, even if another adjoint has the same
    // value.
    if (known && !sweep.denominators.has(definition)) return known;
    return adjointOfOne(sweep, definition, only!);
  }
  // The adjoint claims the name `d_x` before its parts claim longer names.
  const adjoint = sweep.define(
    `d_${definition.name}`,
    tangentType(definition),
    axesFor(sweep, definition),
    [],
    definition.span,
  );
  const summed = (there: readonly Arrived[]): Clause => summedClause(sweep, definition, there);
  const rows = asRows(sweep, definition, arrived);
  adjoint.clauses = (sweep.lanes.length === 0 && clausesOfCells(rows, summed)) || [summed(rows)];
  return { definition: adjoint, zeros: zerosOf(arrived) };
}

/** The adjoint of a definition with one contribution. */
function adjointOfOne(sweep: Sweep, definition: Definition, arrived: Arrived): Adjoint {
  const { piece, zeros } = arrived;
  const adjoint = sweep.define(
    `d_${definition.name}`,
    tangentType(definition),
    axesFor(sweep, definition),
    [clauseOfOne(sweep, piece, definition.name)],
    definition.span,
  );
  const constant = constantOf(piece);
  if (constant !== undefined) return { definition: adjoint, zeros: "none", constant };
  if (piece.guards.length === 0 || piece.summed.length > 0)
    return { definition: adjoint, zeros: zerosOf([arrived]) };
  const guards = testedBy(piece);
  // Some cells inside the support may not be read.
  const isAll =
    guards.length === piece.guards.length + piece.ranges.length && piece.ties.length === 0;
  const support = { loops: piece.axes, guards };
  return { definition: adjoint, zeros: most([zeros, isAll ? "none" : "unread"]), support };
}

/**
 * The contributions to a definition. A sum that goes only to some positions becomes a smaller sum
 * and a read of it. A single contribution needs no such sum. Between members of a recurrence, a sum
 * keeps the axes along which the recurrence runs, because cells at different steps are computed at
 * different times.
 */
export function asRows(
  sweep: Sweep,
  definition: Definition,
  arrived: readonly Arrived[],
  recurrence: readonly Definition[] = [],
): readonly Arrived[] {
  if (sweep.lanes.length > 0 || arrived.length < 2) return arrived;
  const loops = sweep.loops.get(definition);
  const walked = new Set(
    loops ? loops.map(({ axes }) => axes.get(definition)!) : definition.axes.keys(),
  );
  const isOutside = (each: Arrived): boolean =>
    recurrence.length === 0 || (arrived.includes(each) && !recurrence.includes(each.from));
  return withChoices(arrived, definition.span).map((each) =>
    asRow(sweep, definition, each, isOutside(each) ? new Set() : walked),
  );
}

/**
 * A sum that goes only to fixed positions of some axes is computed without these axes:
 *
 *    d_h[t, i] = sum[j](d_y[i, j]) where t == 9   is   d_h_from_y[i] = sum[j](d_y[i, j]),
 *                                                      d_h[t, i] = d_h_from_y[i] where t == 9
 */
function asRow(
  sweep: Sweep,
  definition: Definition,
  arrived: Arrived,
  walked: ReadonlySet<number>,
): Arrived {
  const { piece, from } = arrived;
  const pins = pinsOf(piece, walked);
  const isSent = piece.ties.length > 0 || isStepGraph(sweep.graph);
  if (piece.summed.length === 0 || pins.length === 0 || isSent) return arrived;
  const isOpen = (_: unknown, axis: number): boolean => !pins.some((pin) => pin.axis === axis);
  const said = pins.map((pin) => pin.said);
  const row = withPlaces(piece, pins, sweep.opaque, sweep.known);
  const positive = unsigned(row.value);
  const summed = positive ? { ...row, value: positive } : row;
  const partialSum = sumOnce(sweep, summed, () =>
    sweep.define(
      `d_${definition.name}_from_${from.name}`,
      tangentType(definition),
      axesFor(sweep, definition).filter(isOpen),
      [summingClause(sweep, summed, definition.name)],
      definition.span,
    ),
  );
  sweep.trace.parts.set(piece, partialSum);
  const axes = freshLoops(piece.axes, new Map());
  const by = atIndices(piece.axes, axes.map(coordinateScalar));
  const sum = readCell(partialSum, axes.filter(isOpen), piece.span);
  const value = positive
    ? algebraOf(tangentType(definition), piece.span).apply("negate", sum)
    : sum;
  return {
    ...arrived,
    piece: { ...asItIs(axes, value, piece.span), ranges: said.map((pin) => instantiate(pin, by)) },
  };
}

/**
 * The guards of a piece. Guards that read cells come after the ranges, inside which these cells
 * exist.
 */
function testedBy({ ranges, guards }: Piece): readonly Scalar[] {
  return guards.some(looksUp) ? [...ranges, ...guards] : guards;
}

/** The clause that adds several contributions, cell by cell. */
export function summedClause(
  sweep: Sweep,
  definition: Definition,
  arrived: readonly Arrived[],
): Clause {
  const [first] = arrived;
  const algebra = algebraOf(tangentType(definition), definition.span);
  if (!first)
    return {
      loops: loopsFor(sweep, definition),
      guards: [],
      body: { kind: "map", value: algebra.number(0) },
      span: definition.span,
    };
  if (arrived.length === 1) return clauseOfOne(sweep, first.piece, definition.name);
  const chosen = sweep.lanes.length === 0 ? withChoices(arrived, definition.span) : arrived;
  if (chosen.length === 1) return clauseOfOne(sweep, chosen[0]!.piece, definition.name);
  const loops = freshLoops(first.piece.axes, new Map());
  const parts = chosen.map((each) => contributionAt(sweep, definition, each, loops));
  const guards = guardsOfAll(parts, loops);
  const isGuard = new Set(guards.map(keyOf));
  const behind = parts.map((part) => ({
    ...part,
    conditions: part.conditions.filter((each) => !isGuard.has(keyOf(each))),
  }));
  const value = sumInCells(sweep, definition, behind, loops);
  return {
    loops,
    guards,
    body: { kind: "map", value: withShared(value) },
    span: definition.span,
  };
}

/**
 * Conditions that all contributions share, as guards of their sum: all conditions if they are
 * equal, the conditions on coordinates with which all of them begin, and equations that say which
 * cells get anything.
 */
function guardsOfAll(parts: readonly Counting[], loops: readonly Loop[]): readonly Scalar[] {
  const [first, ...others] = parts.map(({ conditions }) => conditions.map(keyOf));
  const [{ conditions }] = parts as [Counting];
  if (others.every((keys) => keys.join() === first!.join())) return conditions;
  const isBegun = (each: Scalar, k: number): boolean =>
    isOfCoordinates(each) && others.every((keys) => keys[k] === first![k]);
  const other = conditions.findIndex((each, k) => !isBegun(each, k));
  const begun = other < 0 ? conditions.length : other;
  return conditions.filter(
    (each, k) =>
      k < begun ||
      (isEquation(each) &&
        usesAny(each, loops) &&
        canBeTestedEverywhere(each, loops) &&
        others.every((keys) => keys.includes(first![k]!))),
  );
}

/**
 * Can the condition be tested at every position of the coordinates? Then no other condition has to
 * protect its reads and divisions.
 */
function canBeTestedEverywhere(condition: Scalar, loops: readonly Loop[]): boolean {
  let isSafe = true;
  eachScalar(condition, (part) => {
    if (part.kind === "call" || (part.kind === "apply" && !cannotFail(part))) isSafe = false;
    if (part.kind !== "read") return;
    const { axes } = part.definition;
    isSafe &&= part.indices.every((index, k) => {
      const loop = loops.find(
        ({ variable: v }) => index.kind === "integer" && equal(index.term, ofVariable(v)),
      );
      return (
        loop?.from.kind === "integer" &&
        loop.to.kind === "integer" &&
        termConstant(loop.from.term) === 0 &&
        equal(loop.to.term, axes[k]!.extent)
      );
    });
  });
  return isSafe;
}

/** The number that a piece puts into every cell. */
function constantOf({ summed, value, ...conditions }: Piece): number | undefined {
  if (summed.length > 0 || conditionsOf(conditions).length > 0 || value.kind !== "constant")
    return undefined;
  return value.value as number;
}

/** The clause of an adjoint with one contribution. A sum that is a definition already is read. */
function clauseOfOne(sweep: Sweep, piece: Piece, name: string): Clause {
  const known = piece.summed.length > 0 ? sumBefore(sweep, piece) : undefined;
  if (!known) return summingClause(sweep, piece, name);
  return clauseOf(asItIs(piece.axes, readCell(known, piece.axes, piece.span), piece.span));
}

/**
 * The clause of a piece. Equal parts are computed once, and factors that do not change along the
 * sum are computed before it.
 */
function summingClause(sweep: Sweep, piece: Piece, name: string): Clause {
  const countTimesValue = countTimesNumber(sweep, piece);
  if (countTimesValue) return clauseOf({ ...piece, summed: [], value: countTimesValue });
  const { axes, summed, value } = piece;
  const moved = isStepGraph(sweep.graph)
    ? value
    : hoisted(sweep, name, axes, summed, value, conditionsOf(piece));
  return clauseOf({ ...piece, value: withShared(moved) });
}

/** A sum of equal numbers, as the number times the count: sum[k in 0..n](2) = n·2. */
function countTimesNumber(
  { known }: Sweep,
  { axes, summed, value, span, ...conditions }: Piece,
): Scalar | undefined {
  if (summed.length === 0 || value.kind !== "constant" || !isFloat(value.type)) return undefined;
  if (conditionsOf(conditions).length > 0) return undefined;
  const algebra = algebraOf(value.type, span);
  const loops = [...axes, ...summed];
  const sizes = summed.map(({ from, to }): Scalar | undefined => {
    if (from.kind !== "integer" || to.kind !== "integer" || termConstant(from.term) !== 0)
      return undefined;
    const size = termConstant(to.term);
    if (size !== undefined) return algebra.number(size);
    const isExtent = !usesAny(to, loops) && holds(nonNegative(to.term), known);
    return isExtent ? { kind: "cast", type: value.type, operand: to } : undefined;
  });
  if (!sizes.every((size) => size !== undefined)) return undefined;
  const numbersFirst = sizes.toSorted(
    (a, b) => Number(b.kind === "constant") - Number(a.kind === "constant"),
  );
  return numbersFirst.reduce<Scalar>(
    (total, size) => algebra.apply("multiply", total, size),
    value,
  );
}

/**
 * One of several contributions, at the coordinates of the adjoint. A sum becomes a definition of
 * its own.
 */
function contributionAt(
  sweep: Sweep,
  definition: Definition,
  { from, piece }: Arrived,
  loops: readonly Loop[],
): Counting {
  if (piece.summed.length > 0) {
    // A sum of negated terms is the negative of a sum.
    const positive = unsigned(piece.value);
    const summed = positive ? { ...piece, value: positive } : piece;
    const partialSum = sumOnce(sweep, summed, () =>
      sweep.define(
        `d_${definition.name}_from_${from.name}`,
        tangentType(definition),
        axesFor(sweep, definition),
        [summingClause(sweep, summed, definition.name)],
        definition.span,
      ),
    );
    sweep.trace.parts.set(piece, partialSum);
    const sum = readCell(partialSum, loops, piece.span);
    const algebra = algebraOf(tangentType(definition), piece.span);
    return { conditions: [], value: positive ? algebra.apply("negate", sum) : sum };
  }
  const by = atIndices(piece.axes, loops.map(coordinateScalar));
  const replaced = replacing(by);
  return {
    conditions: conditionsOf(piece).map((guard) => replaced(guard)),
    value: replaced(piece.value),
  };
}
