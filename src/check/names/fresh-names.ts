// Texts for repairs: names of coordinates that capture nothing, and operands that an index can
// follow.
//
// In  any[i](excluded[i] == i)  the coordinate has taken the place of the `i` that was asked for,
// so that a repair takes a name that occurs nowhere in what it repeats:  any[j](excluded[j] == i).

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";

const usual = "ijkmnpqrst";

/** So many names that occur nowhere in a text, the first letters first. */
export function freshNames(count: number, text: string, letters = usual): readonly string[] {
  const taken = new Set(text.match(/\w+/g));
  const found: string[] = [];
  for (let round = 0; found.length < count; round++)
    for (const letter of letters) {
      const name = round === 0 ? letter : `${letter}${round}`;
      if (found.length < count && !taken.has(name)) found.push(name);
    }
  return found;
}

/** The text of an expression as something that an index can follow. */
export function indexable(e: ast.Expression): string {
  const isClosed = ["path", "array", "index", "call", "comprehension"].includes(e.kind);
  const text = textOf(e.span);
  return isClosed || text.startsWith("(") ? text : `(${text})`;
}

export function asText(e: ast.Expression): string {
  const text = textOf(e.span);
  return e.kind === "binary" || e.kind === "range" ? `(${text})` : text;
}
