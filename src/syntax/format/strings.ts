// Prints string literals, interpolations on one line.

import type { Expression, StringLiteral } from "../tree/ast.ts";
import { escapeText } from "../lex/escape.ts";

/**
 * The literal as written in a source; `printValue` gives the one-line text of an interpolated
 * expression.
 */
export function printString(
  literal: StringLiteral,
  printValue: (value: Expression) => string,
): string {
  const parts = literal.parts.map((part) => {
    if (part.kind === "text") return escapeText(part.text);
    const text = printValue(part.value);
    // `{{` would be a brace in the text, and a `:` outside of brackets would begin the format.
    const value = text.startsWith("{") || part.value.kind === "lambda" ? `(${text})` : text;
    return part.format === undefined ? `{${value}}` : `{${value}:${part.format}}`;
  });
  return `"${parts.join("")}"`;
}
