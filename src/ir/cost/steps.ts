// Steps of a recurrence: what one of its points reads of earlier ones is there, whoever computes it.

import { holds, positive } from "../../affine/prove.ts";
import {
  constantOf,
  ofVariable,
  plus,
  subtract,
  zero,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import { factsOf, loopFacts, newOpaque } from "../facts.ts";
import { integerOf } from "../integers.ts";
import { eachScalar, scalarsOf } from "../parts.ts";
import type { Clause, Definition, Loop, Scalar } from "../program.ts";
import { conjuncts, isCoordinate } from "../ties.ts";
import { halvesOf } from "./points.ts";

export type Read = Extract<Scalar, { kind: "read" }>;

/** The points of a clause: those of its own coordinates come first. */
export interface Nest {
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  /** The coordinates that its recurrence steps along; where it does not say, all of its own. */
  readonly order?: ReadonlyMap<Variable, boolean>;
}

/**
 * Whether a cell comes before the point that reads it: of some first coordinates, one is behind and those before it are the same. Where data says along a step,
 * and nothing else, which cell is read, it is one of an earlier step.
 */
export function isEarlier(nest: Nest, { indices }: Read, first = indices.length): boolean {
  for (const [k, index] of indices.slice(0, first).entries()) {
    const loop = nest.loops[k];
    if (!loop) return false;
    const place = integerOf(index);
    const isOwn = (other: Scalar, m: number): boolean => {
      const own = nest.loops[k + 1 + m];
      return own !== undefined && isCoordinate(other, own.variable);
    };
    if (!place)
      return (nest.order?.has(loop.variable) ?? true) && indices.slice(k + 1).every(isOwn);
    const ahead = subtract(place, ofVariable(loop.variable));
    const gap = constantOf(ahead);
    if (gap === undefined) return isPositive(nest, loop.reversed ? ahead : subtract(zero, ahead));
    if (gap !== 0) return loop.reversed ? gap > 0 : gap < 0;
  }
  return false;
}

/** Whether a range or a guard says that a term is 1 at least. */
function isPositive({ loops, guards }: Nest, term: Term): boolean {
  const ranges = loops.flatMap(({ variable: v, from, to }) => {
    const [start, end] = [integerOf(from), integerOf(to)];
    return [
      ...(start ? [subtract(ofVariable(v), start)] : []),
      ...(end ? [subtract(plus(end, -1), ofVariable(v))] : []),
    ];
  });
  const halves = [...ranges, ...guards.flatMap(conjuncts).flatMap(halvesOf)];
  if (halves.some((half) => (constantOf(subtract(term, half)) ?? 0) >= 1)) return true;
  const opaque = newOpaque();
  const inside = loopFacts(opaque, loops, []);
  return holds(positive(term), [
    ...inside,
    ...guards.flatMap((guard) => factsOf(opaque, guard, true, inside)),
  ]);
}

/** Whether a definition does not depend on itself while some first coordinates stand still: the cells along the others are one step. */
export function isOneStep(definition: Definition, first: number): boolean {
  const found = new Set<Definition>();
  const visit = (each: Definition): void => {
    for (const clause of each.clauses)
      for (const scalar of scalarsOf(clause))
        eachScalar(scalar, (part) => {
          if (part.kind === "read" && !isEarlier(nestOf(clause), part, first))
            found.add(part.definition);
        });
  };
  visit(definition);
  for (const each of found) visit(each);
  return !found.has(definition);
}

function nestOf({ loops, guards, body }: Clause): Nest {
  return body.kind === "map"
    ? { loops, guards }
    : { loops: [...loops, ...body.loops], guards: [...guards, ...body.guards] };
}
