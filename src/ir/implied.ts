// Conditions that say no more than others of the same list: behind `i != 0`, `!(i == 0 && j == 0)` is nothing new.
//
// Branches leave such lists behind: what stands last in `if a && b { … } else if a { … } else { … }` is where neither `a && b` nor `a` holds.

import { cannotFail } from "./can-fail.ts";
import { keyOf } from "./keys.ts";
import { oppositeOf } from "./opposite.ts";
import { eachScalar } from "./parts.ts";
import type { Scalar } from "./program.ts";
import { conjuncts } from "./ties.ts";

/** Conditions without those of which one side is said by another. A condition may rely on those before it: one that may fail stays behind all of them. */
export function withoutImplied(conditions: readonly Scalar[]): readonly Scalar[] {
  return conditions.filter((condition, k) => {
    const sides = sidesOf(condition);
    if (sides.length < 2) return true;
    const failing = conditions.findIndex((other, at) => at > k && !isSafe(other));
    const others = conditions.filter((_, at) => at !== k && (failing < 0 || at < failing));
    const said = new Set(others.flatMap(conjuncts).map(keyOf));
    return !sides.some((side) => said.has(keyOf(side)));
  });
}

/** Whether a condition looks up nothing, and computes nothing that may fail. */
function isSafe(condition: Scalar): boolean {
  let found = true;
  eachScalar(condition, (part) => {
    found &&=
      part.kind === "apply"
        ? cannotFail(part)
        : part.kind === "integer" || part.kind === "constant";
  });
  return found;
}

/** Conditions of which one holds: of `!(a && b)` these are `!a` and `!b`. */
export function sidesOf(condition: Scalar): readonly Scalar[] {
  if (condition.kind !== "apply") return [condition];
  if (condition.operation === "or") return condition.operands.flatMap(sidesOf);
  const [denied] = condition.operands;
  if (condition.operation !== "not" || denied?.kind !== "apply" || denied.operation !== "and")
    return [condition];
  return denied.operands.flatMap((operand) =>
    sidesOf(oppositeOf(operand) ?? { ...condition, operands: [operand] }),
  );
}
