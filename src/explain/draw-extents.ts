// Sizes for dimensions that nobody gave: those that must agree get one size, the others different ones.

import type { DeclaredInput } from "../core.ts";
import type { TensorValue } from "../host/value.ts";
import { constantOf, type Variable } from "../ir/affine/term.ts";
import { agreeing, alone } from "../ir/agreeing.ts";
import type { Program } from "../ir/program.ts";

const smallest = 3;

/** Does the size of the dimensions grow or fall in the order of the inputs? A window must not be longer than what it slides over. */
export type Order = "growing" | "falling";

/** The inputs with a number for every extent that stands alone. */
export function withExtents(
  program: Program,
  given: ReadonlyMap<string, TensorValue>,
  order: Order,
): readonly DeclaredInput[] {
  const leader = agreeing(program.agreements);
  const sizes = new Map<Variable, number>();
  const open = new Set<Variable>();
  for (const input of program.inputs) {
    const value = given.get(input.name);
    input.axes.forEach(({ extent }, axis) => {
      const v = alone(extent);
      if (v && value?.shape[axis] !== undefined) sizes.set(leader(v), value.shape[axis]);
      else if (v) open.add(leader(v));
    });
  }
  // An extent that meets a number has that size.
  for (const { left: one, right: other } of program.agreements) {
    const v = alone(one) ?? alone(other);
    const size = constantOf(one) ?? constantOf(other);
    if (v && size !== undefined && !sizes.has(leader(v))) sizes.set(leader(v), size);
  }
  const left = [...open].filter((v) => !sizes.has(v));
  left.forEach((v, k) => sizes.set(v, smallest + (order === "growing" ? k : left.length - 1 - k)));
  return program.inputs.map(({ name, element, axes }) => ({
    name,
    dtype: element,
    shape: axes.map(({ extent, name: axis }) => {
      const v = alone(extent);
      return constantOf(extent) ?? (v && sizes.get(leader(v))) ?? axis;
    }),
  }));
}
