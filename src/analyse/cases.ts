// What a clause reads, case by case: where a guard says `a || b`, one case knows a, and the other
// knows b. Facts cannot hold a disjunction, and the order of a recurrence may have to be proved for
// each side in another way.

import { accessesOf, type Access, type Opaque } from "./facts.ts";
import type { Fact } from "../affine/prove.ts";
import type { Clause, Scalar } from "../ir/program.ts";

/** Cases multiply: a clause with more is taken as a whole. */
const most = 16;

export function accessesByCase(
  opaque: Opaque,
  clause: Clause,
  known: readonly Fact[],
): readonly Access[] {
  return casesOf(clause).flatMap((each) => accessesOf(opaque, each, known));
}

function casesOf(clause: Clause): readonly Clause[] {
  const { body } = clause;
  // Who takes over where the guards fail does not ask which side of them does.
  const own = clause.otherwise ? [clause.guards] : alternatives(clause.guards);
  const inside = body.kind === "reduce" ? alternatives(body.guards) : [[]];
  if (own.length * inside.length === 1 || own.length * inside.length > most) return [clause];
  return own.flatMap((guards) =>
    inside.map((each) => ({
      ...clause,
      guards,
      body: body.kind === "reduce" ? { ...body, guards: each } : body,
    })),
  );
}

/** The ways in which all conditions can hold. */
function alternatives(conditions: readonly Scalar[]): readonly (readonly Scalar[])[] {
  let found: readonly (readonly Scalar[])[] = [[]];
  for (const condition of conditions) {
    const ways = waysOf(condition);
    found = found.flatMap((before) => ways.map((way) => [...before, ...way]));
    if (found.length > most) return [conditions];
  }
  return found;
}

function waysOf(condition: Scalar): readonly (readonly Scalar[])[] {
  if (condition.kind !== "apply") return [[condition]];
  if (condition.operation === "or") return condition.operands.flatMap(waysOf);
  return condition.operation === "and" ? alternatives(condition.operands) : [[condition]];
}
