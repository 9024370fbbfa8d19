// The reads of a clause, case by case. With a guard `a || b`, one case knows a and the other knows
// b. Facts cannot express a disjunction, and the order of a recurrence may need another proof in
// each case: `r[p, q] where p < i || p == i && q < j`.

import { accessesOf, type Access, type Opaque } from "./facts.ts";
import type { Fact } from "../affine/prove.ts";
import type { Clause, Scalar } from "../ir/program.ts";

/**
 * The number of cases grows with every `||`. A clause with more cases than this is taken as a
 * whole.
 */
const mostCases = 16;

export function accessesByCase(
  opaque: Opaque,
  clause: Clause,
  known: readonly Fact[],
): readonly Access[] {
  return casesOf(clause).flatMap((each) => accessesOf(opaque, each, known));
}

function casesOf(clause: Clause): readonly Clause[] {
  const { body } = clause;
  // An `else` value applies whichever side of the guards fails, so it has no cases.
  const own = clause.otherwise ? [clause.guards] : alternatives(clause.guards);
  const inside = body.kind === "reduce" ? alternatives(body.guards) : [[]];
  if (own.length * inside.length === 1 || own.length * inside.length > mostCases) return [clause];
  return own.flatMap((guards) =>
    inside.map((each) => ({
      ...clause,
      guards,
      body: body.kind === "reduce" ? { ...body, guards: each } : body,
    })),
  );
}

/** All combinations in which all conditions hold. */
function alternatives(conditions: readonly Scalar[]): readonly (readonly Scalar[])[] {
  let found: readonly (readonly Scalar[])[] = [[]];
  for (const condition of conditions) {
    const ways = waysOf(condition);
    found = found.flatMap((before) => ways.map((way) => [...before, ...way]));
    if (found.length > mostCases) return [conditions];
  }
  return found;
}

function waysOf(condition: Scalar): readonly (readonly Scalar[])[] {
  if (condition.kind !== "apply") return [[condition]];
  if (condition.operation === "or") return condition.operands.flatMap(waysOf);
  return condition.operation === "and" ? alternatives(condition.operands) : [[condition]];
}
