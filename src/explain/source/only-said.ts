// Leaves out derived numbers that the printed text does not use. A range that can be inferred is
// not printed. Then nothing uses the number that bounds the range, nor the definitions that only
// this number needs. Which numbers are unused is known only after printing.

import type { Definition } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { isFloat } from "../../scalar/types.ts";

/** The printed lines, and the name of each definition in them. */
interface Written {
  readonly lines: readonly string[];
  readonly names: ReadonlyMap<Definition, string>;
}

/**
 * Prints the definitions, and prints again without the numbers that no line uses, until the
 * definitions with `isStaying` need all that is left.
 */
export function withoutUnusedNumbers(
  definitions: readonly Definition[],
  isStaying: (definition: Definition) => boolean,
  write: (left: readonly Definition[]) => Written,
): Written {
  for (let left = definitions; ;) {
    const written = write(left);
    const wordsUsed = wordsUsedIn(written.lines);
    const isUnusedNumber = (each: Definition): boolean =>
      each.axes.length === 0 &&
      !isFloat(each.element) &&
      !wordsUsed.has(written.names.get(each) ?? each.name);
    const needed = neededFor(left.filter(isStaying), (read) => !isUnusedNumber(read));
    const used = left.filter((each) => needed.has(each));
    if (used.length === left.length) return written;
    left = used;
  }
}

/**
 * The roots and the definitions that they read, directly or not. Reads without `counts` are not
 * followed.
 */
function neededFor(
  roots: readonly Definition[],
  counts: (read: Definition) => boolean,
): ReadonlySet<Definition> {
  const needed = new Set(roots);
  for (const each of needed) for (const read of readsOf(each)) if (counts(read)) needed.add(read);
  return needed;
}

/** The words of the lines. The name of a definition in its own lines does not count. */
function wordsUsedIn(lines: readonly string[]): ReadonlySet<string> {
  const said = new Set<string>();
  for (const line of lines) {
    const own = /^let (\w+)/.exec(line)?.[1];
    for (const [word] of line.matchAll(/\w+/g)) if (word !== own) said.add(word);
  }
  return said;
}
