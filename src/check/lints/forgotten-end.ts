// A bracket at the beginning of a line that cannot belong to what stands before it: the statement
// there lacks its semicolon.

import { after, repair } from "../../diagnostics/fixes.ts";
import type { Span } from "../../base/source.ts";
import { refuse, type Place } from "../context.ts";
import type { Typed } from "../types/typed.ts";

/**
 * Says so where a line break stands between the two parts of a call or an index that is refused.
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
