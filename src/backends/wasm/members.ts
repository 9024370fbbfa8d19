// Brings the definitions of a unit, once sizes are numbers, into the form from which kernels are
// made: boxes of cells, with scatters, running reductions and contractions taken apart. Says also
// what they read and write beside their own cells.

import { eachScalar } from "../../ir/parts.ts";
import type { Definition } from "../../ir/program.ts";
import type { Schedule } from "../../analyse/schedule.ts";
import { scalarsInRegion, sized, type Sized, type Sizing } from "../../plan/regions/regions.ts";
import { contracted } from "../../plan/reductions/contraction.ts";
import type { Operand } from "../../plan/reductions/operand.ts";
import { inPhases } from "../../plan/regions/phases.ts";
import { became, concerning, noted } from "../../plan/rules.ts";
import { scanned, stillRuns } from "../../plan/reductions/scan.ts";
import { inBlocks } from "../../plan/reductions/split.ts";
import { isUntied, scattered } from "../../plan/reductions/scatter.ts";
import { withShares, type Shares } from "../../plan/reductions/shares.ts";
import type { Totals } from "../../plan/reductions/totals.ts";
import { shapeInRun } from "../interpret/evaluate.ts";
import { isRunning } from "../interpret/reduce.ts";
import { clausesIn } from "./abilities.ts";
import type { Layout } from "./code/kernels.ts";
import { whole, windowed } from "./memory/places.ts";
import { readsOfSized } from "./units.ts";
import type { Setting } from "./prepared.ts";
import { Unsupported } from "./unsupported.ts";

/** The definitions of a schedule that get cells of their own, each with its boxes of cells. */
export function sizedMembers(
  setting: Setting,
  schedule: Schedule,
  sizing: Sizing,
): Map<Definition, Sized> {
  const { merged } = setting.fused;
  const members = new Map<Definition, Sized>();
  const stepped = steppedAxes(schedule);
  for (const definition of schedule.definitions) {
    const reader = merged.get(definition);
    if (schedule.recurrent && reader !== undefined && schedule.definitions.includes(reader))
      continue;
    members.set(definition, sizedMember(setting, schedule, stepped, definition, sizing));
  }
  return members;
}

/** A definition with its scatters and running reductions taken apart. */
function sizedMember(
  setting: Setting,
  { recurrent }: Schedule,
  stepped: ReadonlyMap<Definition, ReadonlySet<number>>,
  definition: Definition,
  sizing: Sizing,
): Sized {
  const products = recurrent ? undefined : withProducts(setting, definition, sizing);
  if (products) return became(products);
  // In a recurrence the loop decides the order of the cells, so they are not divided into phases.
  const divide = recurrent ? undefined : inPhases;
  const steps = recurrent ? (stepped.get(definition) ?? new Set<number>()) : undefined;
  const own = scanned(
    scattered(sized(definition, shapeInRun(setting.machine, definition), sizing, divide), steps),
    steps,
  );
  if (stillRuns(own) && clausesIn(setting.fused, definition).some(isRunning))
    throw new Unsupported("a running reduction");
  if (!recurrent && !isUntied(own))
    throw new Unsupported("a scatter whose totals need more than a cell");
  if (recurrent) return became(own);
  const along = setting.fused.sharesOf.get(definition);
  return became(
    along ? withShares(own, sharesIn(setting, along)) : inBlocks(own, setting.hasCompanions),
  );
}

function sharesIn(setting: Setting, definition: Definition): Shares {
  return {
    definition,
    element: setting.machine.typeOf(definition.element),
    shape: shapeInRun(setting.machine, definition),
  };
}

/** A definition whose contractions can be multiplied with their operands as they lie in memory. */
function withProducts(setting: Setting, definition: Definition, sizing: Sizing): Sized | undefined {
  if (setting.storage.kept.has(definition) || clausesIn(setting.fused, definition).some(isRunning))
    return undefined;
  const found = concerning(definition, () =>
    contracted(definition, shapeInRun(setting.machine, definition), sizing, setting.leastProducts),
  );
  const isAsItLies = ({ read, made }: Operand): boolean => {
    if (made) return true;
    const { element, window } = setting.layoutOf(read.definition);
    return element === read.type && !window;
  };
  const all = found?.contractions!.all;
  if (!all?.every(({ left, right }) => isAsItLies(left) && isAsItLies(right))) return undefined;
  for (const { depth, left, right } of all) {
    noted(
      "multiply",
      () => `over ${depth.map(({ variable }) => variable.name).join(", ")}`,
      definition,
    );
    for (const { made } of [left, right])
      if (made) noted("operand", () => `of ${made.shape.join(" × ")} cells`, definition);
  }
  return found;
}

/** The axes of each definition along which the loops of a schedule step. */
function steppedAxes(
  { steps }: Schedule,
  found = new Map<Definition, Set<number>>(),
): typeof found {
  for (const step of steps) {
    if (step.kind === "cells") continue;
    for (const [definition, axis] of step.axes)
      found.set(definition, new Set([...(found.get(definition) ?? []), axis]));
    steppedAxes(step.body, found);
  }
  return found;
}

/**
 * A recurrence whose steps are looked up by data, as in `h[at[t]]`, may ask for a step that is not
 * computed yet. Only the oracle keeps track of computed steps.
 */
export function refuseLookups(schedule: Schedule, members: ReadonlyMap<Definition, Sized>): void {
  const axes = steppedAxes(schedule);
  for (const { regions } of members.values()) {
    for (const scalar of regions.flatMap(scalarsInRegion)) {
      eachScalar(scalar, (part) => {
        if (part.kind !== "read" || !members.has(part.definition)) return;
        const stepped = axes.get(part.definition);
        if (part.indices.some((index, axis) => index.kind !== "integer" && stepped?.has(axis)))
          throw new Unsupported("steps looked up by data");
      });
    }
  }
}

/** The cells in which members add up their reductions, beside their own cells. */
export function totalsIn(members: ReadonlyMap<Definition, Sized>): ReadonlyMap<Definition, Layout> {
  return layoutsOf([...members.values()].flatMap(({ scratch = [] }) => scratch));
}

export function layoutsOf(totals: readonly Totals[]): ReadonlyMap<Definition, Layout> {
  return new Map(
    totals.map(({ definition, element, shape, heldAt }) => [
      definition,
      heldAt === undefined ? whole(element, shape) : windowed(element, shape, heldAt, 1),
    ]),
  );
}

export function layoutIn(
  { machine, storage }: Setting,
  definition: Definition,
  shape: readonly number[],
): Layout {
  const element = machine.typeOf(definition.element);
  const kept = storage.kept.get(definition);
  if (!kept) return whole(element, shape);
  return windowed(element, shape, kept.axis, kept.steps);
}

/** The definitions that the members read, without the members themselves. */
export function readsBeside(members: ReadonlyMap<Definition, Sized>): ReadonlySet<Definition> {
  const reads = new Set([...members.values()].flatMap((each) => [...readsOfSized(each)]));
  for (const definition of [...members.keys(), ...totalsIn(members).keys()])
    reads.delete(definition);
  return reads;
}
