// A line that begins with `(` or `[` and cannot continue the line before it: that line probably
// lacks its semicolon.
//
//   let y = x
//   [1, 2]

import { after, repair } from "../../diagnostics/fixes.ts";
import type { Span } from "../../base/source.ts";
import { refuse, type Place } from "../context.ts";
import type { Typed } from "../types/typed.ts";

/**
 * Reports a missing `;` if a line break separates the base of a refused call or index from its
 * bracket.
 */
export function forgottenEnd(place: Place, first: Span, whole: Span): Typed | undefined {
  const { source, end } = first;
  if (!/^[^([]*\n/.test(source.text.slice(end, whole.end))) return undefined;
  const gap = { source, start: end, end };
  const text = "the statement ends here";
  return refuse(place, "E0111", "missing `;` after this statement", gap, {
    text,
    ...repair("add `;`", after(gap, ";")),
  });
}
