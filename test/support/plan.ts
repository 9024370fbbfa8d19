// Helpers of the tests of the optimiser's rules: a definition of a program, with known sizes.

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

/** The definition with the sum of `y`, which may be a helper definition, and its shape. */
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

/** Everything may be fused, and no reader has reads beyond those that are written. */
export const asWritten: Freedom = {
  mayFuse: () => true,
  mayShare: () => true,
  mayRead: () => false,
};
