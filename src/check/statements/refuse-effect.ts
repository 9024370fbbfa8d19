// Refuses `print` and `assert` inside an indexed body, a reduction or a comprehension. Cells are
// computed in no fixed order, so nothing says which print comes first.

import { textOf, type Span } from "../../base/source.ts";
import { refuse, type Place } from "../context.ts";
import type { Typed } from "../types/typed.ts";

/** `around` is the indexed `let`, the reduction or the comprehension that contains the effect. */
export function refuseEffect(place: Place, effect: string, span: Span, around: Span): Typed {
  // Only the text of a comprehension starts with a bracket.
  const isComprehension = textOf(around).startsWith("[");
  const [inside, each, whole] = isComprehension
    ? ["a comprehension", "element", "array"]
    : ["an indexed body", "cell", "tensor"];
  return refuse(place, "E0505", `\`${effect}\` inside ${inside}`, span, {
    labels: [{ span: around, text: `evaluated once per ${each}, in no fixed order` }],
    help:
      `finish the ${whole} and print ` +
      `that${isComprehension ? ", or print in a function that calls itself" : ""}`,
  });
}
