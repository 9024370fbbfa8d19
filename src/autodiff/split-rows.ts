// Products over a triangle, split into the products of its rows before they are differentiated.
//
//   p = prod[i, j](f(i, j) where j < i)   is   r[i] = prod[j in 0..i](f(i, j)),   p = prod[i](r[i])
//
// What stands before and behind each factor is found along a walk over a box (other-factors.ts), and the box of a triangle has twice as many positions as
// there are factors; the box of a row has as many as the row.

import { isOff } from "../ir/rewrites.ts";
import { ofVariable, type Variable } from "../affine/term.ts";
import { mentions } from "../affine/visit.ts";
import type { Axis, Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { isFloat } from "../scalar/types.ts";
import { reachable } from "../ir/schedule.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { conjuncts, usesAny } from "../ir/ties.ts";
import { tightenedLoop, type Reduction } from "./box.ts";
import { countedFromStart, everywhere, freshLoops, termOf, type Define } from "./cells.ts";
import { setBefore } from "./formulas.ts";
import { algebraOf } from "./products.ts";
import { typeOf } from "./other-factors.ts";

/** Rewrites the clauses of a definition in place, and gives the definitions that they read instead. */
export function splitRows(definition: Definition, define: Define): readonly Definition[] {
  if (!isFloat(definition.element) || definition.rule || isOff("split-rows")) return [];
  const made: Definition[] = [];
  const clauses = definition.clauses.map((clause) => {
    const { body } = clause;
    const rows =
      body.kind === "reduce" && body.reduction === "prod" ? rowsOf(clause, body) : undefined;
    // A part of a recurrence would have to join it.
    if (!rows || reachable([...readsOf(definition)]).includes(definition)) return clause;
    const { split, row } = productOfRows(definition, clause, rows, define);
    made.push(row);
    setBefore(split, clause);
    return split;
  });
  if (made.length > 0) definition.clauses = clauses;
  return made;
}

/** The coordinate that rows are counted by, the product along one of them, and what decides whether there is a row. */
export interface Rows {
  readonly first: Loop;
  readonly body: Reduction;
  readonly around: readonly Scalar[];
}

/** Nothing where the range of the second coordinate does not depend on the first. */
export function rowsOf(clause: Clause, body: Reduction): Rows | undefined {
  const [first, second, ...others] = body.loops;
  if (
    !first ||
    !second ||
    [first, second].some(({ from, to }) => from.kind !== "integer" || to.kind !== "integer")
  )
    return undefined;
  if (usesAny(first.from, clause.loops) || usesAny(first.to, clause.loops)) return undefined;
  const along = [second, ...others];
  const all = body.guards.flatMap(conjuncts);
  const around = all.filter((guard) => !along.some((loop) => usesAny(guard, [loop])));
  const inside = all.filter((guard) => !around.includes(guard));
  const { loop, guards } = tightenedLoop([...clause.loops, first], second, others, inside);
  if (!mentions(termOf(loop.from), first.variable) && !mentions(termOf(loop.to), first.variable))
    return undefined;
  return { first, body: { ...body, loops: [loop, ...others], guards }, around };
}

function productOfRows(
  definition: Definition,
  clause: Clause,
  { first, body, around }: Rows,
  define: Define,
): { readonly split: Clause; readonly row: Definition } {
  const { span } = body;
  const by = new Map<Variable, Scalar>();
  const cells = freshLoops(clause.loops, by);
  const counted = countedFromStart([first], by);
  const axes: readonly Axis[] = [...definition.axes, ...counted.axes];
  const guards = [...clause.guards, ...around].map((guard) => instantiate(guard, by));
  const loops = freshLoops(body.loops, by);
  const [value, ...tests] = [body.value, ...body.guards].map((scalar) => instantiate(scalar, by));
  const along: Clause = {
    loops: [...cells, ...counted.loops],
    guards,
    body: { ...body, loops, guards: tests, value: value! },
    span: clause.span,
  };
  const unit = algebraOf(typeOf(definition), span).number(1);
  const name = `${definition.name}_rows`;
  const row = define(
    name,
    definition.element,
    axes,
    everywhere(definition, axes, along, unit),
    span,
  );
  const here = clause.loops.map((loop) => integerScalar(ofVariable(loop.variable)));
  const indices = [...here, ...counted.indices];
  const read: Scalar = { kind: "read", type: row.element, definition: row, indices, span };
  return {
    row,
    split: { ...clause, body: { ...body, loops: [first], guards: around, value: read } },
  };
}
