// Finds the cells that a clause owns: those that no later clause defines.
//
//    let h[t in 0..9] = 1.0;  let h[t in 1..9] = …;   the first clause owns   t == 0

import { equal, ofVariable, plus } from "../../affine/term.ts";
import { atMost, holds, type Fact } from "../../affine/prove.ts";
import { boundsOf, loopFacts, type Opaque } from "../../analyse/facts.ts";
import { compared, integerOf } from "../../ir/integers.ts";
import { negation } from "../../analyse/opposite.ts";
import type { Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, integerScalar, atIndices, coordinateScalar } from "../../ir/substitute.ts";
import type { Span } from "../../base/source.ts";
import { applied } from "../../ir/simple-scalars.ts";

/**
 * Guards in the coordinates of the clause that leave out the cells of later clauses. `false` if
 * later clauses define all cells.
 */
export function ownershipGuards(
  opaque: Opaque,
  definition: Definition,
  position: number,
  known: readonly Fact[],
): readonly Scalar[] {
  const own = definition.clauses[position]!;
  const facts = [...known, ...loopFacts(opaque, own.loops, known)];
  return definition.clauses.slice(position + 1).flatMap((later) => {
    if (apart(opaque, own, later, known)) return [];
    const claims = claimsOf(own.loops, later).filter((claim) => !isCertain(claim, facts));
    if (claims.length !== 1) return [negation(allOf(claims, later.span), later.span)];
    return [positionLeft(own.loops, claims[0]!) ?? opposite(claims[0]!, later.span)];
  });
}

function isCertain(claim: Scalar, facts: readonly Fact[]): boolean {
  if (claim.kind !== "apply" || claim.within !== "i32") return false;
  const [a, b] = claim.operands.map(integerOf);
  if (!a || !b || (claim.operation !== "lessEqual" && claim.operation !== "less")) return false;
  return holds(atMost(claim.operation === "less" ? plus(a, 1) : a, b), facts);
}

/**
 * A clause for all steps whose later clause starts at the next step keeps one position: `t == 0`.
 */
function positionLeft(loops: readonly Loop[], claim: Scalar): Scalar | undefined {
  if (claim.kind !== "apply" || claim.within !== "i32") return undefined;
  const [a, b] = claim.operands.map(integerOf);
  const at = claim.operation === "lessEqual" ? b : claim.operation === "less" ? a : undefined;
  const loop = at && loops.find(({ variable }) => equal(at, ofVariable(variable)));
  const [from, to] = [loop?.from, loop?.to].map((bound) => bound && integerOf(bound));
  if (!a || !b || !at || !from || !to) return undefined;
  const only = at === b ? plus(a, -1) : b;
  if (!equal(only, at === b ? from : plus(to, -1))) return undefined;
  return { ...claim, operation: "equal", operands: [integerScalar(at), integerScalar(only)] };
}

/** Positions are never NaN, so the opposite of a comparison is a comparison. */
function opposite(claim: Scalar, span: Span): Scalar {
  if (claim.kind !== "apply" || claim.within !== "i32") return negation(claim, span);
  const [a, b] = claim.operands;
  if (claim.operation === "lessEqual") return compared("less", b!, a!, span);
  return claim.operation === "less" ? compared("lessEqual", b!, a!, span) : negation(claim, span);
}

/**
 * Conditions under which a cell has the `else` value of this clause: no clause owns the cell, and
 * no later clause with a guard reaches it.
 */
export function fallbackGuards(definition: Definition, position: number): readonly Scalar[] {
  const own = definition.clauses[position]!;
  return definition.clauses.flatMap((clause, k) => {
    if (k === position)
      return clause.guards.length === 0
        ? []
        : [
            negation(
              clause.guards.reduce((a, b) => applied("and", [a, b], clause.span)),
              clause.span,
            ),
          ];
    const claims = claimsOf(own.loops, k > position ? { ...clause, guards: [] } : clause);
    return [negation(allOf(claims, clause.span), clause.span)];
  });
}

function apart(opaque: Opaque, a: Clause, b: Clause, known: readonly Fact[]): boolean {
  return a.loops.some((loop, axis) => {
    const [x, y] = [boundsOf(opaque, loop, known), boundsOf(opaque, b.loops[axis]!, known)];
    return holds(atMost(x.to, y.from), known) || holds(atMost(y.to, x.from), known);
  });
}

/** The later clause's ranges and guards, at the position of these loops. */
function claimsOf(at: readonly Loop[], later: Clause): readonly Scalar[] {
  const by = atIndices(later.loops, at.map(coordinateScalar));
  const parts = later.loops.flatMap((loop, axis) => {
    const here = coordinateScalar(at[axis]!);
    return [
      compared("lessEqual", instantiate(loop.from, by), here, later.span),
      compared("less", here, instantiate(loop.to, by), later.span),
    ];
  });
  return [...parts, ...later.guards.map((guard) => instantiate(guard, by))];
}

function allOf(claims: readonly Scalar[], span: Span): Scalar {
  const [first, ...others] = claims;
  return first
    ? others.reduce((a, b) => applied("and", [a, b], span), first)
    : { kind: "constant", type: "bool", value: true };
}
