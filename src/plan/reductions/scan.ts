// Scans: where a coordinate of the cell only moves one end of a reduction's range, each cell goes
// on from its neighbour.
//
//   y[i] = sum[k in 0..i + 1](d[k])   becomes   total = 0,  then for each i  total += d[i], y[i] = total
//
// The end may move by any number of positions from cell to cell, as long as it always moves the
// same way; where the beginning moves, or the end moves back, the cells are walked from the last
// one. Guards that bound the coordinate have become its range before.

import { direction } from "../../affine/direction.ts";
import { constantOf, plus, subtract, type Term, type Variable } from "../../affine/term.ts";
import { coefficientOf, withoutVariable } from "../../affine/visit.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Local, Loop, Scalar } from "../../ir/program.ts";
import { positionBy } from "../../analyse/pins.ts";
import { conjuncts, usesAny } from "../../analyse/ties.ts";
import { intervalOf, type Interval } from "../regions/intervals.ts";
import { rewriteScalar } from "../rewrite.ts";
import { noted } from "../rules.ts";
import { reductionText } from "../text.ts";
import {
  loopsOf,
  scalarsInReduction,
  type Case,
  type Reduction,
  type Region,
  type Side,
  type Sized,
} from "../regions/regions.ts";
import {
  inTotals,
  newTotals,
  readTotals,
  startOf,
  totalsType,
  withoutMeans,
  type Totals,
} from "./totals.ts";

export interface Scan {
  readonly axis: number;
  /** Whether the last cell comes first. */
  readonly down: boolean;
  /**
   * The totals of all cells behind the axis are kept side by side; otherwise there is one at a
   * time.
   */
  readonly rows: boolean;
  readonly runs: readonly Running[];
}

/** A reduction whose result is there as far as the walk has come. */
export interface Running {
  readonly name: Local;
  readonly body: Reduction;
  /** The loop of the body of which one end moves. */
  readonly moving: Loop;
  readonly end: "from" | "to";
  /** The one position that a cell adds, where it is one for every cell. */
  readonly adds?: Term;
  readonly totals: Totals;
}

/** How a reduction runs along a side. */
interface Course {
  readonly moving: Loop;
  readonly end: "from" | "to";
  readonly down: boolean;
}

/**
 * The definition with its running reductions as scans. `stepped` are the axes that loops of a
 * recurrence hold: no scan runs along them, and totals of rows have no place there.
 */
export function scanned(sized: Sized, stepped: ReadonlySet<number> | undefined): Sized {
  const scratch: Totals[] = [...(sized.scratch ?? [])];
  const regions = sized.regions
    .flatMap(withoutEmptyCells)
    .map((region) => scannedRegion(sized, region, stepped, scratch) ?? region);
  return scratch.length > 0 ? { ...sized, regions, scratch } : { ...sized, regions };
}

/** Whether a reduction is left that runs along a side, and would be computed anew for each cell. */
export function stillRuns({ regions }: Sized): boolean {
  return regions.some(({ sides, cases }) =>
    cases.some(({ guards, reductions }) =>
      reductions.some(({ body }) =>
        sides.some(
          (side) =>
            !isShort(side) &&
            !isPinned(side, sides, guards) &&
            !isNothing(body, sides) &&
            courseOf(body, side) !== undefined,
        ),
      ),
    ),
  );
}

/** Whether there is one cell along a side for each position along another, as on a diagonal. */
function isPinned(side: Side, sides: readonly Side[], guards: readonly Scalar[]): boolean {
  const [own] = loopsOf([side]);
  const others = loopsOf(sides.filter((each) => each !== side));
  return guards.flatMap(conjuncts).some((guard) => {
    const at = positionBy(guard, own!);
    return at !== undefined && usesAny(at, others);
  });
}

function isShort({ from, to }: Side): boolean {
  return to - from < 2;
}

function knownOf(sides: readonly Side[]): ReadonlyMap<Variable, Interval> {
  return new Map(sides.map(({ variable, from, to }) => [variable, { least: from, most: to - 1 }]));
}

/** How many positions a loop has, where its ends are terms. */
function lengthOf({ from, to }: Loop): Term | undefined {
  return from.kind === "integer" && to.kind === "integer"
    ? subtract(to.term, from.term)
    : undefined;
}

/** Whether some range of a reduction is empty in every cell. */
function isNothing({ loops }: Reduction, sides: readonly Side[]): boolean {
  return loops.some((loop) => {
    const length = lengthOf(loop);
    return length !== undefined && intervalOf(length, knownOf(sides)).most <= 0;
  });
}

/**
 * A region cut where the range of a running reduction begins to hold something: what goes on from
 * cell to cell then does so in each.
 */
function withoutEmptyCells(region: Region): readonly Region[] {
  const { sides, cases } = region;
  for (const [axis, side] of sides.entries()) {
    for (const { body } of cases.flatMap(({ reductions }) => reductions)) {
      const course = isShort(side) ? undefined : courseOf(body, side);
      const length = course && lengthOf(course.moving);
      const slope = length && constantOf(coefficientOf(length, side.variable) ?? length);
      const rest = length && constantOf(withoutVariable(length, side.variable));
      if (rest === undefined || (slope !== 1 && slope !== -1)) continue;
      const point = slope === 1 ? 1 - rest : rest;
      if (point <= side.from || point >= side.to) continue;
      const part = (from: number, to: number): Region => {
        return {
          ...region,
          sides: sides.map((each, at) => (at === axis ? { ...side, from, to } : each)),
        };
      };
      return [part(side.from, point), part(point, side.to)];
    }
  }
  return [region];
}

function scannedRegion(
  { definition, shape }: Sized,
  region: Region,
  stepped: ReadonlySet<number> | undefined,
  scratch: Totals[],
): Region | undefined {
  const { sides } = region;
  // Of several coordinates that move an end, the innermost one is walked.
  for (let axis = sides.length - 1; axis >= 0; axis--) {
    const side = sides[axis]!;
    if (stepped?.has(axis) || isShort(side)) continue;
    const after = sides.slice(axis + 1);
    const rows = after.some((each) => each.to - each.from > 1);
    if (rows && stepped) continue;
    const runs: Running[] = [];
    const cases = region.cases.map((whole): Case => {
      const each = withoutMeans(whole);
      if (each.reductions.every(({ body }) => isNothing(body, sides) || !courseOf(body, side)))
        return whole;
      const names = new Map<Local, Local>();
      const reductions = each.reductions.filter(({ name, body }) => {
        names.set(name, name);
        const course =
          isNothing(body, sides) || !isRectangular(body, rows ? after : [])
            ? undefined
            : courseOf(body, side);
        const { type } = body.value;
        const element = course && totalsType(body.reduction, type);
        if (!element || (runs.length > 0 && course.down !== isDown(runs[0]!, side))) return true;
        const totals = newTotals(
          definition,
          element,
          rows ? shape.slice(axis + 1) : [],
          startOf(body.reduction, element),
        );
        const { moving, end } = course;
        const adds = addsOne(moving, end, side, sides);
        // A total in a local knows its type by itself.
        const own = rows ? { ...body, value: inTotals(body, element) } : body;
        runs.push({ name, body: own, moving, end, ...(adds ? { adds } : {}), totals });
        const result = body.reduction === "count" ? "i32" : type;
        if (rows)
          names.set(name, { name: name.name, value: readTotals(totals, after, result, body) });
        return false;
      });
      return { ...each, reductions, value: rewriteScalar(each.value, () => undefined, names) };
    });
    // A reduction of all terms that needs the total of each cell stays with it.
    const names = new Set(runs.map(({ name }) => name));
    const isTorn = cases.some(({ reductions }) =>
      reductions.some(({ body }) => mentionsAny(body, names)),
    );
    if (isTorn) return undefined;
    scratch.push(...runs.map(({ totals }) => totals));
    for (const { body } of runs)
      noted(
        "scan",
        (names) => `${reductionText(names, body)} goes on along ${side.variable.name}`,
        definition,
      );
    if (runs.length > 0)
      return { ...region, cases, scan: { axis, down: isDown(runs[0]!, side), rows, runs } };
  }
  return undefined;
}

/** Whether the ranges of a reduction are the same at every position of some sides. */
function isRectangular({ loops }: Reduction, sides: readonly Side[]): boolean {
  return loops.every(({ from, to }) =>
    [from, to].every((bound) => !usesAny(bound, loopsOf(sides))),
  );
}

function mentionsAny(body: Reduction, names: ReadonlySet<Local>): boolean {
  let found = false;
  for (const scalar of scalarsInReduction(body))
    eachScalar(
      scalar,
      (part) => void (part.kind === "local" && names.has(part.local) && (found = true)),
    );
  return found;
}

function isDown({ moving, end }: Course | Running, { variable }: Side): boolean {
  const bound = moving[end] as Extract<Scalar, { kind: "integer" }>;
  return (direction(bound.term, variable) === 1) === (end === "from");
}

/**
 * How the range of one loop moves along a side of which nothing else depends; absent where it is no
 * scan.
 */
function courseOf(body: Reduction, side: Side): Course | undefined {
  const around = loopsOf([side]);
  for (const [k, moving] of body.loops.entries()) {
    const ends = (["from", "to"] as const).filter((end) => usesAny(moving[end], around));
    const [end] = ends;
    if (!end || ends.length > 1) continue;
    const others = scalarsInReduction({
      ...body,
      loops: body.loops.filter((each) => each !== moving),
    });
    const isApart = ![...others, moving[end === "to" ? "from" : "to"]].some((scalar) =>
      usesAny(scalar, around),
    );
    if (
      !isApart ||
      [moving.from, moving.to].some((scalar) => usesAny(scalar, body.loops.slice(0, k)))
    )
      return undefined;
    const bound = moving[end];
    if (bound.kind !== "integer" || !direction(bound.term, side.variable)) return undefined;
    return { moving, end, down: isDown({ moving, end, down: false }, side) };
  }
  return undefined;
}

/**
 * The position that comes in with each cell, where the moving end goes on by one from cell to cell
 * and no cell's range is empty.
 */
function addsOne(
  moving: Loop,
  end: "from" | "to",
  { variable }: Side,
  sides: readonly Side[],
): Term | undefined {
  const length = lengthOf(moving);
  const slope = length && constantOf(coefficientOf(length, variable) ?? length);
  if ((slope !== 1 && slope !== -1) || intervalOf(length!, knownOf(sides)).least < 1)
    return undefined;
  const { term } = moving[end] as Extract<Scalar, { kind: "integer" }>;
  return end === "to" ? plus(term, -1) : term;
}
