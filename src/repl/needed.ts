// Finds the entries that a new entry may refer to, so that a long session stays quick. The search
// compares words only: an entry too many does no harm.

import type { Statement, UseTree } from "../syntax/tree/ast.ts";
import { declaredBy, wordsOfStatement, type Entry } from "./entry.ts";

/** An entry and its position in the session. */
export interface Placed {
  readonly at: number;
  readonly entry: Entry;
}

export function placed(entries: readonly Entry[]): readonly Placed[] {
  return entries.map((entry, at) => ({ at, entry }));
}

/** The new entry and the entries that it needs, in order. */
export function neededBy(entries: readonly Entry[], last: Entry): readonly Placed[] {
  const words = new Set(wordsOfEntry(last));
  const found: Placed[] = [{ at: entries.length, entry: last }];
  for (const { at, entry } of placed(entries).toReversed()) {
    if (!entry.module.statements.some((statement) => declaresOneOf(statement, words))) continue;
    for (const word of wordsOfEntry(entry)) words.add(word);
    found.push({ at, entry });
  }
  return found.reverse();
}

const wordsIn = new WeakMap<Entry, readonly string[]>();

function wordsOfEntry(entry: Entry): readonly string[] {
  const known = wordsIn.get(entry);
  if (known) return known;
  const words = entry.module.statements.flatMap(wordsOfStatement);
  wordsIn.set(entry, words);
  return words;
}

function declaresOneOf(statement: Statement, words: ReadonlySet<string>): boolean {
  switch (statement.kind) {
    case "input":
      // The type of an input introduces names of dimensions.
      return wordsOfStatement(statement).some((word) => words.has(word));
    case "tangent-fn":
      return words.has(statement.name.text);
    case "use":
      return hasStar(statement.tree) || declares(statement, words);
    case "let":
    case "indexed-let":
    case "const":
    case "fn":
    case "mod":
    case "enum":
    case "struct":
    case "expression":
    case "missing":
      return declares(statement, words);
    default:
      return statement satisfies never;
  }
}

function declares(statement: Statement, words: ReadonlySet<string>): boolean {
  return Object.values(declaredBy(statement)).some((names: readonly string[]) =>
    names.some((name) => words.has(name)),
  );
}

/** `use m::*` may declare any name. */
function hasStar(tree: UseTree): boolean {
  return tree.kind === "all" || (tree.kind === "group" && tree.members.some(hasStar));
}
