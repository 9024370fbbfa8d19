// The repair for sizes on the left, as other languages write them: `let T[N, N] = …;` with an
// integer `N`. In Einlang the brackets on the left hold coordinates, and sizes stand in ranges:
//
//   let T[i in 0..N, j in 0..N] = …;

import type * as ast from "../../syntax/tree/ast.ts";
import { fixed, replace, type Repair } from "../../diagnostics/fixes.ts";
import { textOf } from "../../base/source.ts";
import { freshNames } from "../names/fresh-names.ts";

/** `undefined` if no name in the bracket is an integer of the program. */
export function sizesOnLeft(
  { name, slots, value, where }: ast.IndexedLet,
  isInteger: (name: string) => boolean,
): Repair | undefined {
  const sizes = slots.flatMap((slot) =>
    slot.kind === "coordinate" && !slot.range && isInteger(slot.name.text) ? [slot.name.text] : [],
  );
  const [size] = sizes;
  if (size === undefined) return undefined;
  const taken = [name.text, ...slots, value, where].map((each) =>
    each === undefined ? "" : typeof each === "string" ? each : textOf(each.span),
  );
  const fresh = freshNames(slots.length, taken.join(" "));
  const texts = slots.map((slot, k) => {
    const text = textOf(slot.span);
    const isSize = sizes.includes(text) || /^\d+$/.test(text);
    return isSize ? `${fresh[k]!} in 0..${text}` : text;
  });
  const left = `${name.text}[${texts.join(", ")}]`;
  const edits = slots.flatMap((slot, k) =>
    texts[k] === textOf(slot.span) ? [] : [replace(slot.span, texts[k]!)],
  );
  return {
    help: `\`${size}\` is an integer, and a size stands behind \`in\`: \`let ${left} = …;\``,
    ...fixed(`write \`${left}\``, ...edits),
  };
}
