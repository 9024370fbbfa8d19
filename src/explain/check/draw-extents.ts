// Draws sizes for dimensions that have no given size. Dimensions that must agree get equal sizes.
// All others get different sizes.
//
//    input x: [f32; n, m];   gets   n = 3, m = 4

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
 * Do the sizes grow or fall in the order of the inputs? If a run with one order fails, the other
 * one is tried.
 */
export type Order = "growing" | "falling";

/**
 * The fewest cells that an axis should have, and the most that may be added to a size to get them.
 */
const [fewest, most] = [2, 24];

/**
 * Adds to the drawn sizes until every axis of the program has some cells, and every summed
 * coordinate has some positions. So a window fits into the axis along which it slides.
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
  const makesLarger = (extent: Term, v: Variable): boolean => {
    const [own, size] = [sizes.get(v)!, sizeOf(extent)];
    sizes.set(v, own + most);
    const isMore = sizeOf(extent) > size;
    sizes.set(v, own);
    return isMore;
  };
  for (let added = 0; added < most; added++) {
    const [wider] = extents
      .filter((extent) => sizeOf(extent) < fewest)
      .flatMap((extent) => drawn.find((v) => makesLarger(extent, v)) ?? []);
    if (!wider) return;
    sizes.set(wider, sizes.get(wider)! + 1);
  }
}

/** The number of positions of each reduced coordinate, if extents give that number. */
function lengthsIn({ body }: Clause): readonly Term[] {
  const loops = body.kind === "reduce" ? body.loops : [];
  return loops.flatMap(({ from, to }) => {
    const [first, end] = [integerOf(from), integerOf(to)];
    return first && end ? [subtract(end, first)] : [];
  });
}

/** The inputs, with a number for every extent that is a single variable. */
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
  // An extent that must agree with a number has that size.
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
