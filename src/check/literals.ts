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
    report(place, "E0407", `${value} does not fit into ${type}`, span, {
      text: `${type} goes from ${least} to ${greatest}`,
      help: type === "i64" ? `write \`${value}.0\` for a float` : `give it a wider type: \`${value}i64\``,
    });
  }
}
