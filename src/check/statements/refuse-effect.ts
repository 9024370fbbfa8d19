// `print` and `assert` have no place where values are computed position by position: nothing says
// which comes first.

import { textOf, type Span } from "../../base/source.ts";
import { refuse, type Place } from "../context.ts";
import type { Typed } from "../types/typed.ts";

/**
 * `around` is what computes position by position: an indexed `let`, a reduction, or a
 * comprehension.
 */
export function refuseEffect(place: Place, effect: string, span: Span, around: Span): Typed {
  // Only a comprehension begins with its bracket.
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
