// Whether an enum value is of a variant. The question is about its tag, and it is answered while
// compiling where the tag is known.

import type { Span } from "../../../base/source.ts";
import { decidedBy, knownNumber, truth } from "../../expressions/conditions.ts";
import type { Place } from "../../context.ts";
import { apply } from "../../expressions/operators.ts";
import { membersOf } from "../../values/tuples.ts";
import type { Typed } from "../../types/typed.ts";
import { scalar } from "../../types/types.ts";

/** Whether an enum value is of a variant, as a condition. */
export function isVariant(place: Place, value: Typed, index: number): Typed {
  return isTag(place, membersOf(value)![0]!, index, value.span);
}

/**
 * The most choices in a tag that a condition takes apart. The solver can use these choices. A tag
 * of more choices is compared as a number, because otherwise each condition would repeat the
 * history of the value.
 */
const mostChoices = 4;

function isTag(place: Place, tag: Typed, index: number, span: Span): Typed {
  const known = knownNumber(place.checker, tag);
  if (known !== undefined) return truth(known === index, span);
  switch (tag.kind) {
    case "select":
      return decidedBy(
        tag.condition,
        isTag(place, tag.then, index, span),
        isTag(place, tag.otherwise, index, span),
      );
    case "block": {
      const inside = isTag(place, tag.value, index, span);
      return inside.kind === "constant" ? inside : { ...tag, value: inside, type: inside.type };
    }
    case "reference": {
      const behind = tag.binding.kind === "value" ? tag.binding.value : undefined;
      const choices = behind ? choicesIn(behind) : 0;
      if (behind && choices > 0 && choices <= mostChoices) return isTag(place, behind, index, span);
      break;
    }
    default:
  }
  const wanted: Typed = { kind: "constant", value: index, type: scalar("i32"), span };
  return apply(place, "equal", [tag, wanted], span);
}

const counts = new WeakMap<Typed, number>();

/** The number of choices that decide a tag, looked up through names. */
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
