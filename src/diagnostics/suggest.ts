// "Did you mean": finds the known name that a mistyped name most probably stands for.

import { sameWord } from "./same-word.ts";

/**
 * Longer names are only compared without regard to case. Slips of one or two letters in them are
 * not searched.
 */
const longestCompared = 64;

/** A word of at least this length may be the beginning of the name that was meant. */
const shortestPrefix = 3;

/**
 * The candidate nearest to the word, if one is near enough. Case is no mistake but breaks ties.
 * Another form of the same word (`colours` for `color`) comes before a mistyped name. A longer name
 * with this beginning (`softmax` for `soft`) is taken only if no mistyped name is near.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly rank: readonly (number | string)[] } | undefined;
  for (const name of new Set(candidates)) {
    const rank = comparisonKeys(word, name);
    if (rank && (!best || precedes(rank, best.rank))) best = { name, rank };
  }
  return best?.name;
}

/** The help for an unknown name. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const name = closest(word, candidates);
  return name === undefined ? undefined : `did you mean \`${name}\`?`;
}

/**
 * The values by which candidates are compared, smallest first. `undefined` for a candidate that is
 * too far.
 */
function comparisonKeys(word: string, name: string): readonly (number | string)[] | undefined {
  if (word === name) return undefined;
  const [folded, foldedName] = [word.toLowerCase(), name.toLowerCase()];
  if (folded === foldedName) return [0, 0, 0, name];
  const longest = Math.max(word.length, name.length);
  if (longest > longestCompared) return undefined;
  if (sameWord(word, name)) return [0.5, distance(word, name), 0, name];
  const allowed = mistakesAllowed(longest);
  if (Math.abs(word.length - name.length) <= allowed) {
    const mistakes = distance(folded, foldedName);
    if (mistakes <= allowed)
      return [mistakes, distance(word, name), -commonPrefix(folded, foldedName), name];
  }
  const [joined, joinedName] = [folded.replaceAll("_", ""), foldedName.replaceAll("_", "")];
  if (word.length >= shortestPrefix && joinedName.startsWith(joined))
    return [Infinity, name.length, 0, name];
  return undefined;
}

/** One mistake for every three letters, and at most three: `x` is no misspelt `y`. */
function mistakesAllowed(length: number): number {
  return Math.min(3, Math.floor(length / 3));
}

function precedes(a: readonly (number | string)[], b: readonly (number | string)[]): boolean {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * The Damerau–Levenshtein distance in its "optimal string alignment" form: insertions, deletions,
 * substitutions and swaps of neighbours cost 1 each. Three rows of the usual table are enough,
 * because a swap looks back two rows.
 */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        above[column]! + 1,
        current[column - 1]! + 1,
        above[column - 1]! + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, before[column - 2]! + 1);
      current.push(cost);
    }
    before = above;
    above = current;
  }
  return above[b.length]!;
}
