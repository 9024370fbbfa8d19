// Reductions over the same positions, none of which reads what another comes to: one loop does for
// all of them.

import { isOff } from "../../ir/rewrites.ts";
import { constantOf, ofVariable } from "../../affine/term.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Definition, Local, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar, type Replacements } from "../../ir/substitute.ts";
import { scalarsInReduction, type Reduced, type Reduction } from "../regions/regions.ts";
import { noted } from "../rules.ts";
import { reductionText } from "../text.ts";

/**
 * Reductions in their order, those together that can share a loop: they have the coordinates of the
 * first then.
 */
export function overSamePositions(reductions: readonly Reduced[]): readonly (readonly Reduced[])[] {
  if (isOff("siblings")) return reductions.map((reduced) => [reduced]);
  const names = new Map(reductions.map(({ name }) => [name, name]));
  const groups: Reduced[][] = [];
  for (const reduced of reductions) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (first && haveSamePositions(first.body, reduced.body) && !readsAny(reduced.body, group!))
      group!.push({ name: reduced.name, body: walkedBy(first.body.loops, reduced.body, names) });
    else groups.push([reduced]);
  }
  return groups;
}

/** Whether the coordinates of two reductions take the same positions, known as numbers. */
function haveSamePositions(a: Reduction, b: Reduction): boolean {
  return (
    a.loops.length === b.loops.length && a.loops.every((each, k) => isSameRange(each, b.loops[k]!))
  );
}

function isSameRange(a: Loop, b: Loop): boolean {
  const number = (scalar: Scalar): number | undefined =>
    scalar.kind === "integer" ? constantOf(scalar.term) : undefined;
  const [from, to] = [number(a.from), number(a.to)];
  return from !== undefined && to !== undefined && from === number(b.from) && to === number(b.to);
}

/** Whether a reduction reads what one of the others comes to. */
export function readsAny(body: Reduction, others: readonly Pick<Reduced, "name">[]): boolean {
  let found = false;
  for (const scalar of scalarsInReduction(body))
    eachScalar(scalar, (part) => {
      if (part.kind === "local" && others.some(({ name }) => name === part.local)) found = true;
    });
  return found;
}

/** A reduction with the coordinates of other loops. */
function walkedBy(
  loops: readonly Loop[],
  body: Reduction,
  names: ReadonlyMap<Local, Local>,
): Reduction {
  const by: Replacements = new Map(
    body.loops.map(({ variable }, k) => [variable, integerScalar(ofVariable(loops[k]!.variable))]),
  );
  const own = (scalar: Scalar): Scalar => instantiate(scalar, by, new Map(names));
  return { ...body, loops, guards: body.guards.map(own), value: own(body.value) };
}

export function noteSiblings(group: readonly Reduced[], of: Definition): void {
  const [first, ...rest] = group.map(({ body }) => body);
  if (rest.length === 0) return;
  noted(
    "siblings",
    (names) =>
      `${reductionText(names, first!)} with ` +
      `${rest.map((body) => reductionText(names, body)).join(", ")}`,
    of,
  );
}
