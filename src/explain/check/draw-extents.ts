// Sizes for dimensions that nobody gave: those that must agree get one size, the others different
// ones.

import type { DeclaredInput } from "../../lower/declared-input.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import { constantOf, subtract, ZeroDivisor, type Term, type Variable } from "../../affine/term.ts";
import { evaluate, variablesOf } from "../../affine/visit.ts";
import { agreeing, asVariable } from "../../affine/agreeing.ts";
import { integerOf } from "../../ir/integers.ts";
import type { Clause, Program } from "../../ir/program.ts";
import { rootsOf } from "../../ir/roots.ts";
import { reachable } from "../../analyse/schedule.ts";

const smallest = 3;

/**
 * Does the size of the dimensions grow or fall in the order of the inputs? Where a run of the one
 * fails, the other is tried.
 */
export type Order = "growing" | "falling";

/**
 * How many cells an axis that slides over another should have, and how much may be added for that.
 */
const [fewest, most] = [2, 24];

/**
 * Adds to the sizes that were drawn until every axis of the program has some cells, and every walk
 * some positions: windows fit into what they slide over.
 */
function makeRoom(
  program: Program,
  drawn: readonly Variable[],
  leader: (v: Variable) => Variable,
  sizes: Map<Variable, number>,
): void {
  const isKnown = (extent: Term): boolean =>
    [...variablesOf(extent)].every((v) => sizes.has(leader(v)));
  const extents = reachable(rootsOf(program)).flatMap(({ axes, clauses }) => [
    ...axes.map(({ extent }) => extent).filter(isKnown),
    ...clauses.flatMap(lengthsIn).filter(isKnown),
  ]);
  const sizeOf = (extent: Term): number => {
    try {
      return evaluate(extent, (v) => sizes.get(leader(v))!);
    } catch (failure) {
      if (failure instanceof ZeroDivisor) return fewest;
      throw failure;
    }
  };
  const grows = (extent: Term, v: Variable): boolean => {
    const [own, size] = [sizes.get(v)!, sizeOf(extent)];
    sizes.set(v, own + most);
    const isMore = sizeOf(extent) > size;
    sizes.set(v, own);
    return isMore;
  };
  for (let added = 0; added < most; added++) {
    const [wider] = extents
      .filter((extent) => sizeOf(extent) < fewest)
      .flatMap((extent) => drawn.find((v) => grows(extent, v)) ?? []);
    if (!wider) return;
    sizes.set(wider, sizes.get(wider)! + 1);
  }
}

/** How many positions each reduced coordinate has, where extents say so. */
function lengthsIn({ body }: Clause): readonly Term[] {
  const loops = body.kind === "reduce" ? body.loops : [];
  return loops.flatMap(({ from, to }) => {
    const [first, end] = [integerOf(from), integerOf(to)];
    return first && end ? [subtract(end, first)] : [];
  });
}

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
      const v = asVariable(extent);
      if (v && value?.shape[axis] !== undefined) sizes.set(leader(v), value.shape[axis]);
      else if (v) open.add(leader(v));
    });
  }
  // An extent that meets a number has that size.
  for (const { left: one, right: other } of program.agreements) {
    const v = asVariable(one) ?? asVariable(other);
    const size = constantOf(one) ?? constantOf(other);
    if (v && size !== undefined && !sizes.has(leader(v))) sizes.set(leader(v), size);
  }
  const left = [...open].filter((v) => !sizes.has(v));
  left.forEach((v, k) => sizes.set(v, smallest + (order === "growing" ? k : left.length - 1 - k)));
  makeRoom(program, left, leader, sizes);
  return program.inputs.map(({ name, element, axes }) => ({
    name,
    dtype: element,
    shape: axes.map(({ extent, name: axis }) => {
      const v = asVariable(extent);
      return constantOf(extent) ?? (v && sizes.get(leader(v))) ?? axis;
    }),
  }));
}
