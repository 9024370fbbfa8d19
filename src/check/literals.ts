// Integer literals are held to the range of the type that their context has given them.

import { isInteger, integerBounds } from "../ir/scalar/types.ts";
import { report, type Place } from "./context.ts";
import { decided } from "./types.ts";

export function checkLiterals(place: Place): void {
  for (const { value, element, span } of place.checker.literals) {
    const type = decided(element);
    if (!isInteger(type)) continue;
    const { least, greatest } = integerBounds[type];
    if (BigInt(value) >= BigInt(least) && BigInt(value) <= BigInt(greatest)) continue;
    const wider = (["i32", "i64"] as const).find(
      (each) =>
        BigInt(value) >= BigInt(integerBounds[each].least) && BigInt(value) <= BigInt(integerBounds[each].greatest),
    );
    report(place, "E0407", `${value} does not fit into ${type}`, span, {
      text: `${type} goes from ${least} to ${greatest}`,
      help: wider
        ? `give it a wider type: \`${wider}\` where \`${type}\` is declared, or \`${value}${wider}\``
        : `write \`${value}.0\` for a float`,
    });
  }
}
