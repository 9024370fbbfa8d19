// Clauses that come one by one. A declaration that reads its own tensor goes on with the clauses
// that earlier entries have given it, as in a file, and so does one that leaves cells undefined;
// any other begins a new tensor.

import { occurrences } from "../check/names/free-names.ts";
import type { IndexedLet, Statement } from "../syntax/tree/ast.ts";
import { declaredBy, type Entry } from "./entry.ts";

/**
 * How far back an entry may reach beyond the tensor as it stands: the edges of a table are often
 * entered one by one.
 */
const furthest = 4;

/**
 * The ways to read an entry, the likeliest first: by itself, or behind earlier clauses of its
 * tensors.
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
 * The clauses that make the tensors as they stand; then, further and further back, with those that
 * were given up before.
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
    // The clauses with which an entry went on are those of the entries before it.
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

/** How many entries some clauses come from. */
function entriesOf(statements: readonly Statement[]): number {
  return new Set(statements.map(({ span }) => span.source.name)).size;
}

function isClauseOf(statement: Statement, names: ReadonlySet<string>): statement is IndexedLet {
  return statement.kind === "indexed-let" && names.has(statement.name.text);
}

function declares(statement: Statement, names: ReadonlySet<string>): boolean {
  return declaredBy(statement).values.some((name) => names.has(name));
}
