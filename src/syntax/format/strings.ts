// Prints string literals. The expressions in their braces stay on one line.

import type { Expression, StringLiteral } from "../tree/ast.ts";
import { escapeText } from "../lex/escape.ts";

/**
 * The literal as it is written in a source. `printValue` gives the one-line text of an expression
 * in braces.
 */
export function printString(
  literal: StringLiteral,
  printValue: (value: Expression) => string,
): string {
  const parts = literal.parts.map((part) => {
    if (part.kind === "text") return escapeText(part.text);
    const text = printValue(part.value);
    // A value that begins with `{` would give `{{`, which is a brace in the text. The `:` of a
    // typed lambda would begin a format.
    const value = text.startsWith("{") || part.value.kind === "lambda" ? `(${text})` : text;
    return part.format === undefined ? `{${value}}` : `{${value}:${part.format}}`;
  });
  return `"${parts.join("")}"`;
}
