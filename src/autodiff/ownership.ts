// Which cells of a clause are its own: those that no later clause takes.

import { ofVariable } from "../ir/affine/term.ts";
import { atMost, holds, type Fact } from "../ir/affine/prove.ts";
import { boundsOf, type Opaque } from "../ir/facts.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import type { Span } from "../syntax/source.ts";
import { negation } from "./transpose.ts";

/** Guards, in the clause's own coordinates, that leave out the cells of later clauses; none where the ranges are apart. */
export function ownershipGuards(
  opaque: Opaque,
  definition: Definition,
  position: number,
  known: readonly Fact[],
): readonly Scalar[] {
  const own = definition.clauses[position]!;
  return definition.clauses.slice(position + 1).flatMap((later) => {
    if (apart(opaque, own, later, known)) return [];
    return [negation(claim(own.loops, later), later.span)];
  });
}

/** Where a cell has the `else` value of this clause: nobody owns it, and no later guarded clause reaches it. */
export function fallbackGuards(definition: Definition, position: number): readonly Scalar[] {
  const own = definition.clauses[position]!;
  return definition.clauses.flatMap((clause, k) => {
    if (k === position)
      return clause.guards.length === 0
        ? []
        : [
            negation(
              clause.guards.reduce((a, b) => both(a, b, clause.span)),
              clause.span,
            ),
          ];
    return [
      negation(k > position ? claim(own.loops, { ...clause, guards: [] }) : claim(own.loops, clause), clause.span),
    ];
  });
}

function apart(opaque: Opaque, a: Clause, b: Clause, known: readonly Fact[]): boolean {
  return a.loops.some((loop, axis) => {
    const [x, y] = [boundsOf(opaque, loop, known), boundsOf(opaque, b.loops[axis]!, known)];
    return holds(atMost(x.to, y.from), known) || holds(atMost(y.to, x.from), known);
  });
}

/** The later clause's ranges and guards, at the position of these loops. */
function claim(at: readonly Loop[], later: Clause): Scalar {
  const by = new Map(later.loops.map((loop, axis) => [loop.variable, integerScalar(ofVariable(at[axis]!.variable))]));
  const parts = later.loops.flatMap((loop, axis) => {
    const here = integerScalar(ofVariable(at[axis]!.variable));
    return [
      compare("lessEqual", instantiate(loop.from, by), here, later.span),
      compare("less", here, instantiate(loop.to, by), later.span),
    ];
  });
  const all = [...parts, ...later.guards.map((guard) => instantiate(guard, by))];
  return all.length === 0
    ? { kind: "constant", type: "bool", value: true }
    : all.reduce((a, b) => both(a, b, later.span));
}

function compare(operation: "lessEqual" | "less", a: Scalar, b: Scalar, span: Span): Scalar {
  return { kind: "apply", type: "bool", within: "i32", operation, operands: [a, b], span };
}

function both(a: Scalar, b: Scalar, span: Span): Scalar {
  return { kind: "apply", type: "bool", within: "bool", operation: "and", operands: [a, b], span };
}
