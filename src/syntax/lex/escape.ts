// Escapes a text for the inside of a string literal. Each character that cannot stand there as
// itself has exactly one escape.

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

/**
 * The characters that need an escape: quotes, backslashes, braces, control characters, line
 * separators and lone halves of surrogate pairs.
 */
// eslint-disable-next-line no-control-regex
const escaped = /[\\"{}\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Surrogate}/gu;

export function escapeText(text: string): string {
  return text.replace(
    escaped,
    (char) => escapes.get(char) ?? `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
}

/** A string literal whose value is the text. */
export function quoted(text: string): string {
  return `"${escapeText(text)}"`;
}
