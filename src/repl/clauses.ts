// Clauses that come in several entries. Some declarations continue the clauses of earlier entries,
// as in a file: those that read their own tensor, and those that alone would leave cells undefined.
// Any other declaration begins a new tensor.
//
//   > let h[0] = 1.0;
//   > let h[t in 1..5] = 0.5 * h[t - 1];    // continues the tensor of the first entry

import { occurrences } from "../check/names/free-names.ts";
import type { IndexedLet, Statement } from "../syntax/tree/ast.ts";
import { declaredBy, type Entry } from "./entry.ts";

/**
 * How far an entry may reach back beyond the clauses of the current tensor. The edges of a table
 * often come one by one, each as a tensor of its own:
 *
 *   > let t[0, j in 0..4] = 1.0;
 *   > let t[i in 0..4, 0] = 1.0;
 *   > let t[i in 1..4, j in 1..4] = t[i - 1, j] + t[i, j - 1];
 */
const furthest = 4;

/**
 * The possible readings of an entry, the likeliest first: as it stands, or after earlier clauses of
 * its tensors.
 */
export function readings(entries: readonly Entry[], fresh: Entry): readonly Entry[] {
  const clauses = fresh.module.statements.filter((each) => each.kind === "indexed-let");
  const names = new Set(clauses.map((clause) => clause.name.text));
  const earlier = names.size > 0 ? clausesBackwards(entries, names) : [];
  const longer = earlier.map((list): Entry => ({
    source: fresh.source,
    module: { ...fresh.module, statements: [...list, ...fresh.module.statements] },
    continued: list.length,
  }));
  const readsItself = clauses.some((clause) => occurrences(clause, clause.name.text) > 0);
  return readsItself ? [...longer, fresh] : [fresh, ...longer];
}

/**
 * The clauses of the current tensors. The later lists reach further and further back, to clauses
 * that a newer tensor has replaced.
 */
function clausesBackwards(
  entries: readonly Entry[],
  names: ReadonlySet<string>,
): readonly (readonly IndexedLet[])[] {
  const found: (readonly IndexedLet[])[] = [];
  let clauses: readonly IndexedLet[] = [];
  let skipped = 0;
  for (const { module, continued } of entries.toReversed()) {
    const own = module.statements.filter((each) => isClauseOf(each, names));
    if (module.statements.some((each) => !isClauseOf(each, names) && declares(each, names))) break;
    if (own.length === 0) continue;
    // The first statements of a continued entry repeat the clauses of earlier entries, so these are
    // skipped.
    if (skipped > 0) {
      skipped--;
      continue;
    }
    clauses = [...own, ...clauses];
    found.push(clauses);
    if (found.length > furthest) break;
    skipped = entriesOf(module.statements.slice(0, continued));
  }
  return found;
}

/** The number of entries that some clauses come from. */
function entriesOf(statements: readonly Statement[]): number {
  return new Set(statements.map(({ span }) => span.source.name)).size;
}

function isClauseOf(statement: Statement, names: ReadonlySet<string>): statement is IndexedLet {
  return statement.kind === "indexed-let" && names.has(statement.name.text);
}

function declares(statement: Statement, names: ReadonlySet<string>): boolean {
  return declaredBy(statement).values.some((name) => names.has(name));
}
