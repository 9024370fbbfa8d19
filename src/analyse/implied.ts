// Removes conditions that others of the same list imply: behind `i != 0`, the condition
// `!(i == 0 && j == 0)` is redundant.
//
// Branches give rise to such lists. The last value of `if a && b { … } else if a { … } else { … }`
// applies where neither `a && b` nor `a` holds.

import { cannotFail } from "./can-fail.ts";
import { keyOf } from "../ir/keys.ts";
import { oppositeOf } from "./opposite.ts";
import { isAnywhere } from "../ir/parts.ts";
import type { Scalar } from "../ir/program.ts";
import { conjuncts } from "./ties.ts";

/**
 * Conditions without those that another condition implies. A condition may rely on the ones before
 * it. So it is not removed for a condition behind it if one that may fail stands between the two.
 */
export function withoutImplied(conditions: readonly Scalar[]): readonly Scalar[] {
  const sides = conditions.map(sidesOf);
  if (sides.every(({ length }) => length < 2)) return conditions;
  // The first two conditions in which each conjunct occurs.
  const occurrences = new Map<string, number[]>();
  for (const [at, condition] of conditions.entries())
    for (const key of new Set(conjuncts(condition).map(keyOf))) {
      const places = occurrences.get(key) ?? [];
      if (places.length < 2) occurrences.set(key, [...places, at]);
    }
  const failing = nextPositions(conditions, (condition) => !cannotFault(condition));
  return conditions.filter((_, k) => {
    if (sides[k]!.length < 2) return true;
    const isSaid = (at: number): boolean => at !== k && at < failing[k]!;
    return !sides[k]!.some((side) => occurrences.get(keyOf(side))?.some(isSaid));
  });
}

/**
 * For each position of a list, the next position with an element that passes a test; the length of
 * the list if there is none.
 */
function nextPositions<T>(list: readonly T[], isIt: (element: T) => boolean): readonly number[] {
  const found: number[] = [];
  let next = list.length;
  for (let at = list.length - 1; at >= 0; at--) {
    found[at] = next;
    if (isIt(list[at]!)) next = at;
  }
  return found;
}

/** Whether a condition reads nothing and computes nothing that may fail. */
function cannotFault(condition: Scalar): boolean {
  return !isAnywhere(condition, (part) =>
    part.kind === "apply" ? !cannotFail(part) : part.kind !== "integer" && part.kind !== "constant",
  );
}

/** Conditions of which at least one holds: `!a` and `!b` for `!(a && b)`. */
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
