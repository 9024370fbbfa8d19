// Fresh names and texts for repairs. A repair must not reuse a name of the text that it repeats,
// because the name would then mean the new coordinate. For `excluded == i` with a tensor
// `excluded`:
//
//   any[i](excluded[i] == i)   // wrong: compares with the new `i`
//   any[j](excluded[j] == i)   // right: `j` occurs nowhere in the repeated text

import type * as ast from "../../syntax/tree/ast.ts";
import { textOf } from "../../base/source.ts";

const usual = "ijkmnpqrst";

/** Names that do not occur in a text, single letters first. */
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

/** The text of an expression in a form that an index can follow: `(a + b)` for `a + b`. */
export function indexable(e: ast.Expression): string {
  const isClosed = ["path", "array", "index", "call", "comprehension"].includes(e.kind);
  const text = textOf(e.span);
  return isClosed || text.startsWith("(") ? text : `(${text})`;
}

export function asText(e: ast.Expression): string {
  const text = textOf(e.span);
  return e.kind === "binary" || e.kind === "range" ? `(${text})` : text;
}
