// Which variant an enum value is: a question about its tag, answered as far as the compiler can
// see.

import type { Span } from "../../../base/source.ts";
import { decidedBy, knownNumber, truth } from "../../expressions/conditions.ts";
import type { Place } from "../../context.ts";
import { apply } from "../../expressions/operators.ts";
import { membersOf } from "../../values/tuples.ts";
import type { Typed } from "../../types/typed.ts";
import { scalar } from "../../types/types.ts";

/** Whether an enum value is of a variant. */
export function isVariant(place: Place, value: Typed, index: number): Typed {
  return tagIs(place, membersOf(value)![0]!, index, value.span);
}

/**
 * A tag made of few choices says more than its number: the choices are what the solver can use. One
 * made of many, each of which may be made of choices again, is asked for its number, so that what a
 * value went through does not stand in every question about it.
 */
const few = 4;

function tagIs(place: Place, tag: Typed, index: number, span: Span): Typed {
  const known = knownNumber(place.checker, tag);
  if (known !== undefined) return truth(known === index, span);
  switch (tag.kind) {
    case "select":
      return decidedBy(
        tag.condition,
        tagIs(place, tag.then, index, span),
        tagIs(place, tag.otherwise, index, span),
      );
    case "block": {
      const inside = tagIs(place, tag.value, index, span);
      return inside.kind === "constant" ? inside : { ...tag, value: inside, type: inside.type };
    }
    case "reference": {
      const behind = tag.binding.kind === "value" ? tag.binding.value : undefined;
      const choices = behind ? choicesIn(behind) : 0;
      if (behind && choices > 0 && choices <= few) return tagIs(place, behind, index, span);
      break;
    }
    default:
  }
  const wanted: Typed = { kind: "constant", value: index, type: scalar("i32"), span };
  return apply(place, "equal", [tag, wanted], span);
}

const counts = new WeakMap<Typed, number>();

/** How many choices decide a tag, through whatever names. */
export function choicesIn(tag: Typed): number {
  let count = counts.get(tag);
  if (count === undefined) counts.set(tag, (count = countChoices(tag)));
  return count;
}

function countChoices(tag: Typed): number {
  switch (tag.kind) {
    case "select":
      return 1 + choicesIn(tag.then) + choicesIn(tag.otherwise);
    case "block":
      return choicesIn(tag.value);
    case "reference":
      return tag.binding.kind === "value" && tag.binding.value ? choicesIn(tag.binding.value) : 0;
    default:
      return 0;
  }
}
