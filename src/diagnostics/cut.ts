// Shortens the texts of a user that a message repeats: `10000000…00000000`.

/** A text of more characters than this loses its middle. */
const longest = 64;

/** How many characters remain at each end. */
const kept = 28;

export function cut(text: string): string {
  return text.length <= longest ? text : `${head(text)}…${tail(text)}`;
}

/** The text in double quotes, with escapes for invisible characters. */
export function quotedCut(text: string): string {
  return JSON.stringify(cut(text));
}

/** The first characters. A surrogate pair is not split. */
function head(text: string): string {
  const start = text.slice(0, kept);
  return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start;
}

function tail(text: string): string {
  const end = text.slice(-kept);
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}

const word = /[\p{L}\p{N}_.]+/gu;

/** A sentence in which each long word, name or number is cut: `write 1000…0000.0`. */
export function cutWords(sentence: string): string {
  return sentence.length <= longest ? sentence : sentence.replace(word, cut);
}
