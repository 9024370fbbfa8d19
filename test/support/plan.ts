// What the tests of the optimiser's rules share: a definition of a program, with its sizes known.

import { subjectOf } from "../backends/compare.ts";
import type { Definition, Program } from "../../src/ir/program.ts";
import type { Schedule } from "../../src/analyse/schedule.ts";
import { unfused, type Freedom } from "../../src/plan/fuse.ts";
import type { Sizing } from "../../src/plan/regions/regions.ts";

export const sizing: Sizing = { known: new Map(), typeOf: (type) => type, ...unfused };

export function programOf(text: string): {
  readonly program: Program;
  readonly schedules: readonly Schedule[];
} {
  const subject = subjectOf("test.ein", text);
  if ("errors" in subject) throw new Error(subject.errors.map(({ title }) => title).join());
  return { program: subject.program, schedules: subject.analysis.schedules };
}

/** The definition that has the sum of `y`, which may be a helper of it, and its shape. */
export function definitionOf(
  text: string,
  name = "y",
): { readonly definition: Definition; readonly shape: number[] } {
  const { schedules } = programOf(text);
  const definition = schedules
    .flatMap(({ definitions }) => definitions)
    .find((each) => each.name === name)!;
  return { definition, shape: definition.axes.map(({ extent }) => extent.constant) };
}

/** Everything may be fused, and nobody reads what he does not read as it is written. */
export const asWritten: Freedom = {
  mayFuse: () => true,
  mayShare: () => true,
  mayRead: () => false,
};
