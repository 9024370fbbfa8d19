// The inside of a string literal: one canonical escape for each character that cannot stand there
// as itself.

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
 * What cannot stand in a source text as itself: control characters, line separators, halves of
 * surrogate pairs.
 */
// eslint-disable-next-line no-control-regex
const escaped = /[\\"{}\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|\p{Surrogate}/gu;

export function escapeText(text: string): string {
  return text.replace(
    escaped,
    (char) => escapes.get(char) ?? `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
}

/** A string literal that reads back to the text. */
export function quoted(text: string): string {
  return `"${escapeText(text)}"`;
}
