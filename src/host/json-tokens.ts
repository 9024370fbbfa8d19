// Splits a JSON text into words: brackets, commas and colons, strings with their quotes, and other
// runs of characters.

export interface JsonToken {
  readonly word: string;
  /** The offset of the word in the text. */
  readonly at: number;
}

const plain = /[{}[\],:]|[^\s{}[\],:"]+|"/g;

/** The words of any text, even a wrong one. An unclosed string reaches to the end. */
export function* jsonTokens(text: string): Generator<JsonToken> {
  plain.lastIndex = 0;
  let at = 0;
  for (;;) {
    plain.lastIndex = at;
    const found = plain.exec(text);
    if (!found) return;
    const from = found.index;
    const end = found[0] === '"' ? endOfString(text, from) : from + found[0].length;
    yield { word: text.slice(from, end), at: from };
    at = end;
  }
}

/** The end of a string. A loop, because a pattern cannot match very long strings. */
function endOfString(text: string, from: number): number {
  const mark = /["\\]/g;
  mark.lastIndex = from + 1;
  for (;;) {
    const found = mark.exec(text);
    if (!found) return text.length;
    if (found[0] === '"') return found.index + 1;
    mark.lastIndex = found.index + 2;
  }
}
