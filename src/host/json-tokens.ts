// The words of a JSON text: brackets, commas and colons, strings with their quotes, and whatever
// else stands together.

export interface JsonToken {
  readonly word: string;
  /** Where the word begins in the text. */
  readonly at: number;
}

const plain = /[{}[\],:]|[^\s{}[\],:"]+|"/g;

/** Of any text. A string that is not closed goes to the end. */
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

/** A loop, as strings may be longer than what a pattern can match. */
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
