// Groups reductions over the same positions, so that one loop computes all of them: `sum[i](x[i])`
// and `max[j](y[j])` with equal ranges. A reduction that reads the result of another cannot share a
// loop with it.

import { isOff } from "../../ir/rewrites.ts";
import { constantOf } from "../../affine/term.ts";
import type { Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import {
  instantiate,
  atIndices,
  coordinateScalar,
  type Replacements,
} from "../../ir/substitute.ts";
import { readsAnyName, type Reduced, type Reduction } from "../regions/regions.ts";
import { noted } from "../rules.ts";
import { reductionText } from "../text.ts";

/**
 * Groups neighbouring reductions that can share a loop, in their order. All reductions of a group
 * use the coordinates of its first.
 */
export function overSamePositions(reductions: readonly Reduced[]): readonly (readonly Reduced[])[] {
  if (isOff("siblings")) return reductions.map((reduced) => [reduced]);
  const names = new Map(reductions.map(({ name }) => [name, name]));
  const groups: Reduced[][] = [];
  for (const reduced of reductions) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (
      first &&
      haveSamePositions(first.body, reduced.body) &&
      !readsAnyName(reduced.body, new Set(group!.map(({ name }) => name)))
    )
      group!.push({ name: reduced.name, body: withLoopsOf(first.body.loops, reduced.body, names) });
    else groups.push([reduced]);
  }
  return groups;
}

/** Whether the ranges of two reductions are the same known numbers. */
function haveSamePositions(a: Reduction, b: Reduction): boolean {
  return (
    a.loops.length === b.loops.length && a.loops.every((each, k) => isSameRange(each, b.loops[k]!))
  );
}

function isSameRange(a: Loop, b: Loop): boolean {
  const numberOf = (scalar: Scalar): number | undefined =>
    scalar.kind === "integer" ? constantOf(scalar.term) : undefined;
  const [from, to] = [numberOf(a.from), numberOf(a.to)];
  return (
    from !== undefined && to !== undefined && from === numberOf(b.from) && to === numberOf(b.to)
  );
}

/** Rewrites a reduction to use the coordinates of other loops. */
function withLoopsOf(
  loops: readonly Loop[],
  body: Reduction,
  names: ReadonlyMap<Local, Local>,
): Reduction {
  const renaming: Replacements = atIndices(body.loops, loops.map(coordinateScalar));
  const renamed = (scalar: Scalar): Scalar => instantiate(scalar, renaming, new Map(names));
  return { ...body, loops, guards: body.guards.map(renamed), value: renamed(body.value) };
}

export function noteSiblings(group: readonly Reduced[], of: Definition): void {
  const [first, ...rest] = group.map(({ body }) => body);
  if (rest.length === 0) return;
  noted(
    "siblings",
    (names) =>
      `${reductionText(names, first!)} with ` +
      rest.map((body) => reductionText(names, body)).join(", "),
    of,
  );
}
