// Finds scatters. Where guards tie each term of a reduction to the cells that it goes to, the terms
// are walked once and each is added to its cells.
//
//   d[p] = sum[k](g[k] where idx[k] == p)   becomes
//   total[p] = 0,  then for each k  total[idx[k]] += g[k],  then  d[p] = total[p]
//
// Where the cells are nothing but the sums, they serve as the totals.

import { choicesOf, chooserAmong } from "../../analyse/choosers.ts";
import type { Local, Scalar } from "../../ir/program.ts";
import { tiesOf, type Tie } from "../../analyse/ties.ts";
import { rewriteScalar } from "../rewrite.ts";
import { noted } from "../rules.ts";
import { textOfScalar } from "../text.ts";
import {
  loopsOfSides,
  type Case,
  type Reduction,
  type Region,
  type Side,
  type Sized,
} from "../regions/regions.ts";
import {
  inTotals,
  newTotals,
  onlyReduction,
  readTotals,
  startOf,
  totalsType,
  withoutMeans,
  type Totals,
} from "./totals.ts";

export interface Scatter {
  readonly totals: Totals;
  readonly body: Reduction;
  /** For each tied axis of the region, the positions along it that a term goes to. */
  readonly ties: readonly Tie[];
  readonly sides: readonly Side[];
  /**
   * The terms at one point of the loops, if one of the coordinates only chooses among a few terms,
   * as `part` does in `sum[k, part in 0..2](if part == 0 { a[k] } else { b[k] } where …)`. Each
   * term has its own guards and cells.
   */
  readonly choices?: readonly Pick<Scatter, "body" | "ties">[];
}

function scatterOf(
  totals: Totals,
  body: Reduction,
  ties: readonly Tie[],
  sides: readonly Side[],
): Scatter {
  const whole: Scatter = { totals, body, ties, sides };
  const chooser = chooserAmong(body.loops, [...body.guards, body.value]);
  if (!chooser) return whole;
  const loops = body.loops.filter((loop) => loop !== chooser);
  const tied = new Set(ties.map(({ axis }) => axis));
  const choices = choicesOf(chooser, body.guards, [body.value], loopsOfSides(sides)).map(
    ({ guards, scalars: [value] }) => ({
      body: { ...body, loops, guards, value: value! },
      ties: tiesOf(loopsOfSides(sides), loops, guards, tied),
    }),
  );
  // All choices must tie the same axes, because one kernel addresses the cells of all of them.
  const axes = ({ ties: own }: Pick<Scatter, "ties">): string => own.map(({ axis }) => axis).join();
  return loops.length > 0 &&
    choices.length > 0 &&
    choices.every((each) => axes(each) === axes(whole))
    ? { ...whole, choices }
    : whole;
}

/**
 * Separates the scatters of a definition. `stepped` has the axes that the loops of a recurrence
 * hold.
 */
export function scattered(sized: Sized, stepped: ReadonlySet<number> = new Set()): Sized {
  const scratch: Totals[] = [];
  const [heldAt] = stepped;
  const regions = sized.regions.map((region) => {
    const [tie] = region.cases.flatMap((each) => tiesIn(region, each));
    if (!tie) return region;
    noted(
      "scatter",
      (names) =>
        `each term goes to ${region.sides[tie.axis]!.variable.name} = ` +
        textOfScalar(names, tie.only ?? tie.from),
      sized.definition,
    );
    return inOwnCells(sized, region) ?? inTotalsBeside(sized, region, heldAt, scratch);
  });
  return scratch.length > 0 ? { ...sized, regions, scratch } : { ...sized, regions };
}

/**
 * Whether no reduction with ties is left. Such a reduction would walk all its terms for each cell.
 */
export function isUntied({ regions }: Sized): boolean {
  return regions.every((region) => region.cases.every((each) => tiesIn(region, each).length === 0));
}

function tiesIn({ sides }: Region, { reductions }: Case): readonly Tie[] {
  const around = loopsOfSides(sides);
  return reductions.flatMap(({ body }) => tiesOf(around, body.loops, body.guards));
}

/**
 * The region as a scatter into its own cells, if the cells are nothing but the result of one
 * reduction in their own type.
 */
function inOwnCells({ definition, element, shape }: Sized, region: Region): Region | undefined {
  const only = onlyReduction(region);
  // Totals are addressed by the positions of the region. In a phase, these are not its cells.
  if (!only || region.cells || totalsType(only.body.reduction, only.body.value.type) !== element)
    return undefined;
  const { sides } = region;
  const ties = tiesOf(loopsOfSides(sides), only.body.loops, only.body.guards);
  const totals: Totals = {
    definition,
    element,
    shape,
    start: startOf(only.body.reduction, element),
  };
  return { sides, cases: [], scatters: [scatterOf(totals, only.body, ties, sides)] };
}

function inTotalsBeside(
  { definition, shape }: Sized,
  region: Region,
  heldAt: number | undefined,
  scratch: Totals[],
): Region {
  const { sides } = region;
  const scatters: Scatter[] = [];
  const cases = region.cases.map((whole) => {
    if (tiesIn(region, whole).length === 0) return whole;
    const withSums = withoutMeans(whole);
    const names = new Map<Local, Local>();
    const reading = (scalar: Scalar): Scalar => rewriteScalar(scalar, () => undefined, names);
    const reductions = withSums.reductions.filter(({ name, body }) => {
      const ties = tiesOf(loopsOfSides(sides), body.loops, body.guards);
      const { type } = body.value;
      const element = ties.length > 0 ? totalsType(body.reduction, type) : undefined;
      names.set(name, name);
      if (!element) return true;
      const totalsOfAll = newTotals(definition, element, shape, startOf(body.reduction, element));
      const totals = heldAt === undefined ? totalsOfAll : { ...totalsOfAll, heldAt };
      scratch.push(totals);
      scatters.push(
        scatterOf(totals, { ...body, value: reading(inTotals(body, element)) }, ties, sides),
      );
      const result = body.reduction === "count" ? "i32" : type;
      names.set(name, { name: name.name, value: readTotals(totals, sides, result, body) });
      return false;
    });
    return { ...withSums, reductions, value: reading(withSums.value) };
  });
  return { ...region, cases, scatters };
}
