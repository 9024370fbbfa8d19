// The rule of `max` and `min`: everything goes to the first winner, whose position the forward pass keeps. Values are never compared again.

import { constant, constantOf, ofVariable, variable, zero } from "../ir/affine/term.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { boxed, flattened, type Reduction } from "./box.ts";
import { everywhere, freshLoops, readCell, type Define } from "./cells.ts";
import { measuring } from "./measured.ts";
import { one } from "./products.ts";
import type { Term } from "./terms.ts";

/** Positions that a rule keeps are constants, although an `argmax` finds them. */
const winners = new WeakSet<Definition>();

export function isWinner(definition: Definition): boolean {
  return winners.has(definition);
}

/** `max` and `min`: the term at the position of the first winner. */
export function winningTerm(definition: Definition, clause: Clause, written: Reduction, define: Define): Term {
  const { body, walk, at, outer, by, size } = walkOf(definition, clause, written, define);
  const reductionOf = (name: "argmax" | "argmin" | "any", value: Scalar): Clause["body"] => ({
    kind: "reduce",
    reduction: name,
    loops: [walk],
    guards: body.guards.map((guard) => instantiate(guard, by)),
    value,
    span: body.span,
  });
  const guards = clause.guards.map((guard) => instantiate(guard, by));
  const value = instantiate(body.value, by);
  const mayBeEmpty = body.guards.length > 0 || (size ?? 0) <= 0;
  const winnerGuards = [...guards];
  let some: Definition | undefined;
  if (mayBeEmpty) {
    const yes: Scalar = { kind: "constant", type: "bool", value: true };
    const anyBy = new Map<Loop["variable"], Scalar>();
    const anyLoops = freshLoops(outer, anyBy);
    const anyWalk = freshLoops([walk], anyBy);
    const made = reductionOf("any", yes) as Reduction;
    some = define(`${definition.name}_some`, "bool", definition.axes, everywhere(definition, definition.axes, [
      {
        loops: anyLoops,
        guards: guards.map((guard) => instantiate(guard, anyBy)),
        body: { ...made, loops: anyWalk, guards: made.guards.map((guard) => instantiate(guard, anyBy)) },
        span: body.span,
      },
    ], { kind: "constant", type: "bool", value: false }), body.span); // prettier-ignore
    winnerGuards.push(readCell(some, outer, body.span));
  }
  const winner = define(`${definition.name}_winner`, "i32", definition.axes, everywhere(definition, definition.axes, [
    {
      loops: outer,
      guards: winnerGuards,
      body: reductionOf(body.reduction === "max" ? "argmax" : "argmin", value),
      otherwise: integerScalar(constant(-1)),
      span: body.span,
    },
  ], integerScalar(constant(-1))), body.span); // prettier-ignore
  winners.add(winner);

  const won = readCell(winner, clause.loops, body.span);
  const placed = at(won);
  const exists = some && readCell(some, clause.loops, body.span);
  return {
    value: instantiate(written.value, new Map(written.loops.map((loop, k) => [loop.variable, placed[k]!]))),
    loops: clause.loops,
    guards: exists ? [...clause.guards, exists] : clause.guards,
    factor: { product: one, conditions: [] },
    span: body.span,
  };
}

/** The reduction along one coordinate, in the clause's coordinates under fresh names. */
interface Walk {
  readonly body: Reduction;
  readonly outer: readonly Loop[];
  readonly by: Map<Loop["variable"], Scalar>;
  readonly walk: Loop;
  /** How many positions it visits, where that is a number. */
  readonly size: number | undefined;
  /** The reduced coordinates at a position that won. */
  readonly at: (won: Scalar) => readonly Scalar[];
}

function walkOf(definition: Definition, clause: Clause, written: Reduction, define: Define): Walk {
  const by = new Map<Loop["variable"], Scalar>();
  const outer = freshLoops(clause.loops, by);
  const [only, ...others] = written.loops;
  const plain = flattened(written.loops);
  // One coordinate is its own position, whatever its range is.
  if (!plain && others.length === 0) {
    const [walk] = freshLoops([only!], by);
    return { body: written, outer, by, walk: walk!, size: undefined, at: (won) => [won] };
  }
  const body = plain ? written : boxed(clause.loops, written, measuring(definition, clause, written, define));
  const flat = plain ?? flattened(body.loops)!;
  const walk: Loop = {
    variable: variable(body.loops.map((loop) => loop.variable.name).join("_")),
    from: integerScalar(zero),
    to: instantiate(integerScalar(flat.size), by),
    reversed: false,
  };
  const positions = flat.at(ofVariable(walk.variable)).map((position) => instantiate(integerScalar(position), by));
  for (const [k, position] of positions.entries()) by.set(body.loops[k]!.variable, position);
  const q = variable("won");
  const at = (won: Scalar): readonly Scalar[] =>
    flat.at(ofVariable(q)).map((position) => instantiate(integerScalar(position), new Map([[q, won]])));
  return { body, outer, by, walk, size: constantOf(flat.size), at };
}
