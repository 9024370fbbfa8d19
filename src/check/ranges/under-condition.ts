// The place inside a condition. An index there does not restrict the ranges of the coordinates that
// the condition mentions, because the condition may protect the read: in
// `if i > 0 { x[i - 1] } else { 0.0 }` the range of i still starts at 0.

import type { Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { isInteger } from "../../scalar/types.ts";
import type { Checker, Place } from "../context.ts";
import { integerTerm } from "../types/integers.ts";
import type { Typed } from "../types/typed.ts";
import { decided } from "../types/types.ts";

/**
 * The place under an integer condition. Affine uses of the coordinates that the condition mentions
 * do not restrict their ranges.
 */
export function underCondition(place: Place, condition: Typed): Place {
  const mentioned = new Set(place.guarded);
  collectVariables(place, condition, mentioned);
  return { ...place, guarded: mentioned };
}

function collectVariables(place: Place, condition: Typed, into: Set<Variable>): void {
  if (condition.kind !== "apply") return;
  switch (condition.operation) {
    case "and":
    case "or":
    case "not":
      for (const operand of condition.operands) collectVariables(place, operand, into);
      return;
    case "equal":
    case "notEqual":
    case "less":
    case "lessEqual":
    case "greater":
    case "greaterEqual":
      for (const operand of condition.operands) {
        if (operand.type.kind !== "tensor" || !isInteger(decided(operand.type.element))) return;
      }
      for (const operand of condition.operands) {
        for (const v of variablesIn(place.checker, operand)) into.add(v);
      }
      return;
    default:
      return;
  }
}

/**
 * The variables of an integer expression, also those in quotients, remainders and powers. Gathers
 * are not searched.
 */
function variablesIn(checker: Checker, operand: Typed): readonly Variable[] {
  return [...variablesOf(integerTerm(checker, operand))].flatMap((v) => {
    const value = checker.opaqueValue.get(v);
    return value?.kind === "apply"
      ? value.operands.flatMap((part) => variablesIn(checker, part))
      : [v];
  });
}
