// The rule of `max` and `min`: the whole gradient goes to the first winner. The forward pass keeps
// its position, and values are never compared again.
//
//    y = max[i, j](f(i, j))   sends its gradient to f at
//    i* = argmax[i, j](f(i, j)),   j* = argmax[j](f(i*, j))
//
// An `argmax` over several coordinates gives the position along the first one. If the ranges form a
// box, one walk along all coordinates finds all positions at once. Otherwise each coordinate is
// found separately, with the positions of the coordinates before it. The first search takes as many
// steps as the maximum itself, and the other searches take fewer.

import {
  constant,
  constantOf,
  ofVariable,
  variable,
  zero,
  type Variable,
} from "../../affine/term.ts";
import { compared } from "../../ir/integers.ts";
import { keyOf } from "../../ir/keys.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import type { ElementType } from "../../scalar/types.ts";
import {
  instantiate,
  instantiateLoop,
  integerScalar,
  atIndices,
  type Replacements,
} from "../../ir/substitute.ts";
import { usesAny } from "../../analyse/ties.ts";
import { flattened, sizeOf, type Reduction } from "../transpose/box.ts";
import { definedEverywhere, freshLoops, readCell, type Define } from "../sweep/cells.ts";
import { one } from "../scalar/products.ts";
import type { Term } from "./terms.ts";

/**
 * Positions of winners. They are constants for a derivative, although an `argmax` computes them.
 */
const winners = new WeakSet<Definition>();

export function isWinner(definition: Definition): boolean {
  return winners.has(definition);
}

/** The term of `max` and `min`: the value at the first winner. */
export function winningTerm(
  definition: Definition,
  clause: Clause,
  written: Reduction,
  define: Define,
): Term {
  const site: Site = { definition, clause, define };
  const exists = conditionsForWinner(site, written);
  const won = positionsOfWinner(
    { ...site, clause: { ...clause, guards: [...clause.guards, ...exists] } },
    written,
  );
  return {
    value: instantiate(written.value, atIndices(written.loops, won)),
    loops: clause.loops,
    guards: [...clause.guards, ...exists],
    factor: { product: one, conditions: [] },
    span: written.span,
  };
}

interface Site {
  readonly definition: Definition;
  readonly clause: Clause;
  readonly define: Define;
}

/** The conditions under which a cell has a winner. */
function conditionsForWinner(site: Site, body: Reduction): readonly Scalar[] {
  const { loops, guards, span } = body;
  const isOpen = ({ from, to }: Loop): boolean =>
    usesAny(from, loops) || usesAny(to, loops) || from.type !== "i32" || to.type !== "i32";
  if (guards.length > 0 || loops.some(isOpen)) {
    const yes: Scalar = { kind: "constant", type: "bool", value: true };
    return [
      reducedIn(
        site,
        "some",
        "bool",
        { ...body, reduction: "any", value: yes },
        { ...yes, value: false },
      ),
    ];
  }
  const uncertain = loops.filter((loop) => (constantOf(sizeOf(loop) ?? zero) ?? 0) <= 0);
  const tests = uncertain.map(({ from, to }) => compared("less", from, to, span));
  return [...new Map(tests.map((test) => [keyOf(test), test])).values()];
}

/** The reduced coordinates at the first winner, in the coordinates of the cell. */
function positionsOfWinner(site: Site, body: Reduction): readonly Scalar[] {
  const [first, ...others] = body.loops;
  if (!first) return [];
  const flat = others.length > 0 ? flattened(body.loops) : undefined;
  if (!flat) {
    const won = winnerOf(site, body);
    return [
      won,
      ...positionsOfWinner(site, overOtherLoops(body, others, new Map([[first.variable, won]]))),
    ];
  }
  const v = variable(body.loops.map((loop) => loop.variable.name).join("_"));
  const walk: Loop = {
    variable: v,
    from: integerScalar(zero),
    to: integerScalar(flat.size),
    reversed: false,
  };
  const places = flat.at(ofVariable(v)).map(integerScalar);
  const won = winnerOf(site, overOtherLoops(body, [walk], atIndices(body.loops, places)));
  return places.map((place) => instantiate(place, new Map([[v, won]])));
}

/** The reduction over other coordinates. */
function overOtherLoops(body: Reduction, loops: readonly Loop[], by: Replacements): Reduction {
  return {
    ...body,
    loops: loops.map((loop) => instantiateLoop(loop, by)),
    guards: body.guards.map((guard) => instantiate(guard, by)),
    value: instantiate(body.value, by),
  };
}

/** The position of the first winner along the first coordinate. */
function winnerOf(site: Site, body: Reduction): Scalar {
  const none = integerScalar(constant(-1));
  const finding: Reduction = { ...body, reduction: body.reduction === "max" ? "argmax" : "argmin" };
  const won = reducedIn(site, "winner", "i32", finding, none);
  winners.add(won.definition);
  return won;
}

/** A reduction for every cell of the clause, read at its coordinates. */
function reducedIn(
  { definition, clause, define }: Site,
  name: string,
  element: ElementType,
  body: Reduction,
  none: Scalar,
): Extract<Scalar, { kind: "read" }> {
  const { axes } = definition;
  const { span } = body;
  const by = new Map<Variable, Scalar>();
  const loops = freshLoops(clause.loops, by);
  const guards = clause.guards.map((guard) => instantiate(guard, by));
  const own = overOtherLoops(body, freshLoops(body.loops, by), by);
  const each: Clause = { loops, guards, body: own, otherwise: none, span };
  const reduced = define(
    `${definition.name}_${name}`,
    element,
    axes,
    definedEverywhere(definition, axes, each, none),
    span,
  );
  return readCell(reduced, clause.loops, span);
}
