// `if c { a } else { b }`. `choose.ts` makes one value of the two branches.

import type * as ast from "../../syntax/tree/ast.ts";
import { choose } from "../values/choose.ts";
import { foldedTruth } from "./conditions.ts";
import { refuse, type Place } from "../context.ts";
import { conditionOf } from "../elaborate.ts";
import type { Typed } from "../types/typed.ts";
import { unit } from "../types/types.ts";
import { underCondition } from "../ranges/under-condition.ts";
import { blockOf } from "./block.ts";

export function ifOf(place: Place, e: ast.If): Typed {
  const condition = conditionOf(place, e.condition, "the condition of `if`");
  const known =
    isSettled(place, condition) && e.otherwise ? foldedTruth(place.checker, condition) : undefined;
  if (known === true) return blockOf(place, e.then);
  if (known === false)
    return e.otherwise!.kind === "if" ? ifOf(place, e.otherwise!) : blockOf(place, e.otherwise!);
  const inside = underCondition(place, condition);
  const branch = (holds: boolean): Place => ({
    ...inside,
    when: [...place.when, { condition, holds }],
  });
  const then = blockOf(branch(true), e.then);
  if (!e.otherwise) {
    if (then.type === unit) return { kind: "tuple", members: [], type: unit, span: e.span };
    return refuse(place, "E0401", "an `if` that gives a value needs an `else`", e.span, {
      help: "add `else { … }`",
    });
  }
  const otherwise =
    e.otherwise.kind === "if"
      ? ifOf(branch(false), e.otherwise)
      : blockOf(branch(false), e.otherwise);
  return choose(place, condition, then, otherwise, e.span, "branches of `if`");
}

/**
 * Whether a known condition makes the other branch irrelevant, so that it is not checked. That is
 * so in the body of a recursive function: there a comparison of a rank or length has one outcome in
 * this call and another in the next.
 */
function isSettled(place: Place, condition: Typed): boolean {
  return place.unrolled === true || (place.recursion !== undefined && condition.kind === "apply");
}
