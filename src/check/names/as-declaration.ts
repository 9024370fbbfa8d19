// A repair that needs coordinates of its own: a tensor is declared where an expression stood.
//
//   let s = sum(X, axis=0);     `let s[j] = sum[i](X[i, j]);`

import { replace } from "../../diagnostics/fixes.ts";
import type { Edit } from "../../diagnostics/diagnostic.ts";
import { textOf, type Span } from "../../base/source.ts";
import { coordinatesInSight } from "../expressions/condition-help.ts";
import type { Place } from "../context.ts";
import { freshNames } from "./fresh-names.ts";

/** A statement as text, and the edits that put it into the program. */
export interface PlacedStatement {
  readonly text: string;
  readonly edits: readonly Edit[];
}

/**
 * Puts a tensor in the place of an expression. The right side of a `let` becomes its declaration;
 * elsewhere a block declares the tensor.
 */
export function asDeclaration(
  place: Place,
  whole: Span,
  coordinates: readonly string[],
  value: string,
): PlacedStatement {
  const { text } = whole.source;
  const bound = /\blet\s+((\w+)\s*=\s*)$/.exec(text.slice(0, whole.start));
  const isAlone = bound !== null && /^\s*;/.test(text.slice(whole.end));
  const around = [textOf(whole), value, ...coordinatesInSight(place.scope)].join(" ");
  const [name = "r"] = isAlone ? [bound[2]!] : freshNames(1, around, "rsyz");
  const declared = `${name}[${coordinates.join(", ")}] = ${value}`;
  const start = isAlone ? whole.start - bound[1]!.length : whole.start;
  const own = isAlone ? declared : `{ let ${declared}; ${name} }`;
  const edits = isAlone || !place.indexed ? [replace({ ...whole, start }, own)] : [];
  return { text: `let ${declared};`, edits };
}
