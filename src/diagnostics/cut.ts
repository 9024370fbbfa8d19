// What a message repeats of a user's text: the beginning and the end of a long one, as in
// `10000000…00000000`.

/** A text of more characters than this is cut in its middle. */
const longest = 64;

/** So much is left of each end. */
const kept = 28;

/** The text, cut in its middle where it is long. */
export function cut(text: string): string {
  return text.length <= longest ? text : `${head(text)}…${tail(text)}`;
}

/** The text in double quotes for a message, with escapes for what cannot be seen. */
export function quotedCut(text: string): string {
  return JSON.stringify(cut(text));
}

/** A pair of code units that make one character stays whole. */
function head(text: string): string {
  const start = text.slice(0, kept);
  return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start;
}

function tail(text: string): string {
  const end = text.slice(-kept);
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}

const word = /[\p{L}\p{N}_.]+/gu;

/**
 * The sentence with each long word cut, be it a number, a name or a part of either: `write
 * 1000…0000.0`.
 */
export function cutWords(sentence: string): string {
  return sentence.length <= longest ? sentence : sentence.replace(word, cut);
}
