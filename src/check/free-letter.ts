// A name for a coordinate in a repair: `any[k](xs[k] == i)` must not take `i` for the coordinate.

/** The first of the letters that is no word of the texts. */
export function freeLetter(letters: string, texts: string): string {
  const words = new Set(texts.match(/\w+/g));
  return [...letters].find((letter) => !words.has(letter)) ?? "at";
}
