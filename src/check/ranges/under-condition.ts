// A place inside a condition: indices there do not restrict the ranges of the coordinates that the
// condition mentions. What is known of a condition when compiling is found in `conditions.ts`.

import type { Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { isInteger } from "../../scalar/types.ts";
import type { Checker, Place } from "../context.ts";
import { integerTerm } from "../types/integers.ts";
import type { Typed } from "../types/typed.ts";
import { decided } from "../types/types.ts";

/**
 * Inside an integer condition, affine uses of the coordinates it mentions do not restrict their
 * ranges.
 */
export function underCondition(place: Place, condition: Typed): Place {
  const mentioned = new Set(place.guarded);
  collect(place, condition, mentioned);
  return { ...place, guarded: mentioned };
}

function collect(place: Place, condition: Typed, into: Set<Variable>): void {
  if (condition.kind !== "apply") return;
  switch (condition.operation) {
    case "and":
    case "or":
    case "not":
      for (const operand of condition.operands) collect(place, operand, into);
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
 * The variables of an integer expression, those in quotients, remainders and powers included; a
 * lookup is not looked into.
 */
function variablesIn(checker: Checker, operand: Typed): readonly Variable[] {
  return [...variablesOf(integerTerm(checker, operand))].flatMap((v) => {
    const value = checker.opaqueValue.get(v);
    return value?.kind === "apply"
      ? value.operands.flatMap((part) => variablesIn(checker, part))
      : [v];
  });
}
