// Finds scans. Where a coordinate of the cell only moves one end of a reduction's range, each cell
// continues the reduction of its neighbour.
//
//   y[i] = sum[k in 0..i + 1](d[k])   becomes
//   total = 0,  then for each i  total += d[i], y[i] = total
//
// The end may move by any number of positions from cell to cell, but always in the same direction.
// Where the beginning of the range moves forward, or its end moves backward, the cells are walked
// from the last one. Guards that bound the coordinate have already become part of its range
// (`regions/tighten.ts`).

import { direction } from "../../affine/direction.ts";
import { constantOf, plus, subtract, type Term } from "../../affine/term.ts";
import { coefficientOf, withoutVariable } from "../../affine/visit.ts";
import type { Local, Loop, Scalar } from "../../ir/program.ts";
import { positionBy } from "../../analyse/pins.ts";
import { conjuncts, usesAny } from "../../analyse/ties.ts";
import { intervalOf } from "../regions/intervals.ts";
import { rewriteScalar } from "../rewrite.ts";
import { noted } from "../rules.ts";
import { reductionText } from "../text.ts";
import {
  loopsOfSides,
  scalarsInReduction,
  readsAnyName,
  intervalsOfSides,
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
  /** Whether the cells are walked from the last to the first. */
  readonly down: boolean;
  /**
   * Whether the totals of all cells along the later axes are kept side by side. Otherwise there is
   * one total at a time.
   */
  readonly hasRowOfTotals: boolean;
  readonly runs: readonly Running[];
}

/** A reduction whose total is carried from cell to cell. */
export interface Running {
  readonly name: Local;
  readonly body: Reduction;
  /** The loop of the reduction that has an end which moves with the cell. */
  readonly moving: Loop;
  readonly end: "from" | "to";
  /** The one position that each cell adds, if every cell adds exactly one. */
  readonly adds?: Term;
  readonly totals: Totals;
}

/** How the range of a reduction moves along a side. */
interface Course {
  readonly moving: Loop;
  readonly end: "from" | "to";
  readonly down: boolean;
}

/**
 * Turns the reductions of a definition into scans where possible. `stepped` has the axes that the
 * loops of a recurrence hold. No scan runs along these axes, and inside of them there are no totals
 * side by side.
 */
export function scanned(sized: Sized, stepped: ReadonlySet<number> | undefined): Sized {
  const scratch: Totals[] = [...(sized.scratch ?? [])];
  const regions = sized.regions
    .flatMap(withoutEmptyCells)
    .map((region) => scannedRegion(sized, region, stepped, scratch) ?? region);
  return scratch.length > 0 ? { ...sized, regions, scratch } : { ...sized, regions };
}

/**
 * Whether some reduction that could run along a side is left. It would be computed anew for each
 * cell.
 */
export function stillRuns({ regions }: Sized): boolean {
  return regions.some(({ sides, cases }) =>
    cases.some(({ guards, reductions }) =>
      reductions.some(({ body }) =>
        sides.some(
          (side) =>
            !isShort(side) &&
            !isPinned(side, sides, guards) &&
            !isAlwaysEmpty(body, sides) &&
            courseAlong(body, side) !== undefined,
        ),
      ),
    ),
  );
}

/**
 * Whether a guard pins the position along a side to the position along another, as on a diagonal.
 */
function isPinned(side: Side, sides: readonly Side[], guards: readonly Scalar[]): boolean {
  const [own] = loopsOfSides([side]);
  const others = loopsOfSides(sides.filter((each) => each !== side));
  return guards.flatMap(conjuncts).some((guard) => {
    const at = positionBy(guard, own!);
    return at !== undefined && usesAny(at, others);
  });
}

function isShort({ from, to }: Side): boolean {
  return to - from < 2;
}

/** The number of positions of a loop as a term, if its ends are terms. */
function lengthTermOf({ from, to }: Loop): Term | undefined {
  return from.kind === "integer" && to.kind === "integer"
    ? subtract(to.term, from.term)
    : undefined;
}

/** Whether some range of a reduction is empty in every cell. */
function isAlwaysEmpty({ loops }: Reduction, sides: readonly Side[]): boolean {
  return loops.some((loop) => {
    const length = lengthTermOf(loop);
    return length !== undefined && intervalOf(length, intervalsOfSides(sides)).most <= 0;
  });
}

/**
 * Cuts a region where the range of a running reduction begins to have positions. After the cut,
 * each part has empty ranges only or none, so that a scan adds a position in each cell.
 */
function withoutEmptyCells(region: Region): readonly Region[] {
  const { sides, cases } = region;
  for (const [axis, side] of sides.entries()) {
    for (const { body } of cases.flatMap(({ reductions }) => reductions)) {
      const course = isShort(side) ? undefined : courseAlong(body, side);
      const length = course && lengthTermOf(course.moving);
      const slope = length && constantOf(coefficientOf(length, side.variable) ?? length);
      const rest = length && constantOf(withoutVariable(length, side.variable));
      if (rest === undefined || (slope !== 1 && slope !== -1)) continue;
      const point = slope === 1 ? 1 - rest : rest;
      if (point <= side.from || point >= side.to) continue;
      const part = (from: number, to: number): Region => {
        return {
          ...region,
          sides: sides.map((other, at) => (at === axis ? { ...side, from, to } : other)),
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
  // If several coordinates move an end, the scan walks along the innermost of them.
  for (let axis = sides.length - 1; axis >= 0; axis--) {
    const side = sides[axis]!;
    if (stepped?.has(axis) || isShort(side)) continue;
    const after = sides.slice(axis + 1);
    const rows = after.some((each) => each.to - each.from > 1);
    if (rows && stepped) continue;
    const runs: Running[] = [];
    const cases = region.cases.map((whole): Case => {
      const withSums = withoutMeans(whole);
      if (
        withSums.reductions.every(
          ({ body }) => isAlwaysEmpty(body, sides) || !courseAlong(body, side),
        )
      )
        return whole;
      const names = new Map<Local, Local>();
      const reductions = withSums.reductions.filter(({ name, body }) => {
        names.set(name, name);
        const course =
          isAlwaysEmpty(body, sides) || !isRectangular(body, rows ? after : [])
            ? undefined
            : courseAlong(body, side);
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
        const adds = positionAdded(moving, end, side, sides);
        // A single total is kept in a local variable of the kernel, which already has the wider
        // type.
        const widened = rows ? { ...body, value: inTotals(body, element) } : body;
        runs.push({ name, body: widened, moving, end, ...(adds ? { adds } : {}), totals });
        const result = body.reduction === "count" ? "i32" : type;
        if (rows)
          names.set(name, { name: name.name, value: readTotals(totals, after, result, body) });
        return false;
      });
      return {
        ...withSums,
        reductions,
        value: rewriteScalar(withSums.value, () => undefined, names),
      };
    });
    // If a remaining reduction reads the running total of its cell, the region stays as it is.
    const names = new Set(runs.map(({ name }) => name));
    const isTorn = cases.some(({ reductions }) =>
      reductions.some(({ body }) => readsAnyName(body, names)),
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
      return {
        ...region,
        cases,
        scan: { axis, down: isDown(runs[0]!, side), hasRowOfTotals: rows, runs },
      };
  }
  return undefined;
}

/** Whether the ranges of a reduction do not depend on the given sides. */
function isRectangular({ loops }: Reduction, sides: readonly Side[]): boolean {
  return loops.every(({ from, to }) =>
    [from, to].every((bound) => !usesAny(bound, loopsOfSides(sides))),
  );
}

function isDown({ moving, end }: Course | Running, { variable }: Side): boolean {
  const bound = moving[end] as Extract<Scalar, { kind: "integer" }>;
  return (direction(bound.term, variable) === 1) === (end === "from");
}

/**
 * How one end of one loop moves along a side, if nothing else in the reduction depends on this
 * side. `undefined` where the reduction is no scan.
 */
function courseAlong(body: Reduction, side: Side): Course | undefined {
  const around = loopsOfSides([side]);
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
 * The position that each cell adds, if the end moves by one position from cell to cell and no cell
 * has an empty range.
 */
function positionAdded(
  moving: Loop,
  end: "from" | "to",
  { variable }: Side,
  sides: readonly Side[],
): Term | undefined {
  const length = lengthTermOf(moving);
  const slope = length && constantOf(coefficientOf(length, variable) ?? length);
  if ((slope !== 1 && slope !== -1) || intervalOf(length!, intervalsOfSides(sides)).least < 1)
    return undefined;
  const { term } = moving[end] as Extract<Scalar, { kind: "integer" }>;
  return end === "to" ? plus(term, -1) : term;
}
