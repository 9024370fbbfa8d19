// Derived definitions without those that their text does not need. A range that can be inferred is
// not written, and the number that it would be said with is then left over, with all that only it
// is made of: which numbers that are is known when everything is written down.

import type { Definition } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { isFloat } from "../../scalar/types.ts";

/** The lines of some definitions, and what each of them is called there. */
interface Written {
  readonly lines: readonly string[];
  readonly names: ReadonlyMap<Definition, string>;
}

/**
 * Writes definitions down, and again without the numbers that no line speaks of, until all are
 * needed for those that stay.
 */
export function onlySaid(
  definitions: readonly Definition[],
  isStaying: (definition: Definition) => boolean,
  write: (left: readonly Definition[]) => Written,
): Written {
  for (let left = definitions; ;) {
    const written = write(left);
    const said = saidIn(written.lines);
    const isUnsaid = (each: Definition): boolean =>
      each.axes.length === 0 &&
      !isFloat(each.element) &&
      !said.has(written.names.get(each) ?? each.name);
    const needed = neededFor(left.filter(isStaying), (read) => !isUnsaid(read));
    const used = left.filter((each) => needed.has(each));
    if (used.length === left.length) return written;
    left = used;
  }
}

/** Some definitions and what they are made of, as far as that counts. */
function neededFor(
  roots: readonly Definition[],
  counts: (read: Definition) => boolean,
): ReadonlySet<Definition> {
  const needed = new Set(roots);
  for (const each of needed) for (const read of readsOf(each)) if (counts(read)) needed.add(read);
  return needed;
}

/** The names that lines speak of; that of a definition in its own lines does not count. */
function saidIn(lines: readonly string[]): ReadonlySet<string> {
  const said = new Set<string>();
  for (const line of lines) {
    const own = /^let (\w+)/.exec(line)?.[1];
    for (const [word] of line.matchAll(/\w+/g)) if (word !== own) said.add(word);
  }
  return said;
}
