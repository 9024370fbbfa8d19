// Steps of a recurrence: what one of its points reads of earlier ones is there, whoever computes it.

import { constantOf, ofVariable, subtract } from "../affine/term.ts";
import { integerOf } from "../integers.ts";
import { eachScalar, scalarsOf } from "../parts.ts";
import type { Definition, Loop, Scalar } from "../program.ts";

export type Read = Extract<Scalar, { kind: "read" }>;

/** Whether a cell comes before the point that reads it: of some first coordinates, one is behind and those before it are the same. */
export function isEarlier(loops: readonly Loop[], { indices }: Read, first = indices.length): boolean {
  for (const [k, index] of indices.slice(0, first).entries()) {
    const loop = loops[k];
    const place = loop && integerOf(index);
    const gap = place && constantOf(subtract(place, ofVariable(loop.variable)));
    if (gap === undefined) return false;
    if (gap !== 0) return loop!.reversed ? gap > 0 : gap < 0;
  }
  return false;
}

/** Whether a definition does not depend on itself while some first coordinates stand still: the cells along the others are one step. */
export function isOneStep(definition: Definition, first: number): boolean {
  const found = new Set<Definition>();
  const visit = (each: Definition): void => {
    for (const clause of each.clauses)
      for (const scalar of scalarsOf(clause))
        eachScalar(scalar, (part) => {
          if (part.kind === "read" && !isEarlier(clause.loops, part, first)) found.add(part.definition);
        });
  };
  visit(definition);
  for (const each of found) visit(each);
  return !found.has(definition);
}
