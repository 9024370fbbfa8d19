// Conditions that say no more than others of the same list: behind `i != 0`, `!(i == 0 && j == 0)`
// is nothing new.
//
// Branches leave such lists behind: what stands last in `if a && b { … } else if a { … } else { …
// }` is where neither `a && b` nor `a` holds.

import { cannotFail } from "./can-fail.ts";
import { keyOf } from "../ir/keys.ts";
import { oppositeOf } from "./opposite.ts";
import { isAnywhere } from "../ir/parts.ts";
import type { Scalar } from "../ir/program.ts";
import { conjuncts } from "./ties.ts";

/**
 * Conditions without those of which one side is said by another. A condition may rely on those
 * before it: one that may fail stays behind all of them.
 */
export function withoutImplied(conditions: readonly Scalar[]): readonly Scalar[] {
  const sides = conditions.map(sidesOf);
  if (sides.every(({ length }) => length < 2)) return conditions;
  // Where each is said first, and by another one.
  const said = new Map<string, number[]>();
  for (const [at, condition] of conditions.entries())
    for (const key of new Set(conjuncts(condition).map(keyOf))) {
      const places = said.get(key) ?? [];
      if (places.length < 2) said.set(key, [...places, at]);
    }
  const failing = nextOf(conditions, (condition) => !isSafe(condition));
  return conditions.filter((_, k) => {
    if (sides[k]!.length < 2) return true;
    const isSaid = (at: number): boolean => at !== k && at < failing[k]!;
    return !sides[k]!.some((side) => said.get(keyOf(side))?.some(isSaid));
  });
}

/**
 * For each place of a list, the next one behind it with such an element; the length of the list
 * where there is none.
 */
function nextOf<T>(list: readonly T[], isIt: (element: T) => boolean): readonly number[] {
  const found: number[] = [];
  let next = list.length;
  for (let at = list.length - 1; at >= 0; at--) {
    found[at] = next;
    if (isIt(list[at]!)) next = at;
  }
  return found;
}

/** Whether a condition looks up nothing, and computes nothing that may fail. */
function isSafe(condition: Scalar): boolean {
  return !isAnywhere(condition, (part) =>
    part.kind === "apply" ? !cannotFail(part) : part.kind !== "integer" && part.kind !== "constant",
  );
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
