// Prints string literals: one canonical escape for each character, interpolations on one line.

import type { Expression, StringLiteral } from "./ast.ts";

const escapes: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\t", "\\t"],
  ["\r", "\\r"],
  ["\0", "\\0"],
  ["\\", "\\\\"],
  ['"', '\\"'],
  ["{", "{{"],
  ["}", "}}"],
]);

/** What cannot stand in a source text as itself: control characters, line separators, halves of surrogate pairs. */
// eslint-disable-next-line no-control-regex
const escaped = /[\\"{}\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Surrogate}/gu;

export function escapeText(text: string): string {
  return text.replace(escaped, (char) => escapes.get(char) ?? `\\u{${char.codePointAt(0)!.toString(16)}}`);
}

/** The literal as written in a source; `printValue` gives the one-line text of an interpolated expression. */
export function printString(literal: StringLiteral, printValue: (value: Expression) => string): string {
  const parts = literal.parts.map((part) => {
    if (part.kind === "text") return escapeText(part.text);
    const text = printValue(part.value);
    // `{{` would be a brace in the text, and a `:` outside of brackets would begin the format.
    const value = text.startsWith("{") || part.value.kind === "lambda" ? `(${text})` : text;
    return part.format === undefined ? `{${value}}` : `{${value}:${part.format}}`;
  });
  return `"${parts.join("")}"`;
}
