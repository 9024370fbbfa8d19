// The primal as the program has it: a sweep may have rewritten it so that value and derivatives
// share their work.

import type { Definition } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { beforeKeeping } from "./formulas.ts";
import { unshared } from "../rules/other-factors.ts";

/** Everything that some definitions need, each with the clauses that were written. */
export function asWritten(roots: readonly Definition[]): ReadonlyMap<Definition, Definition> {
  const seen = new Set(roots);
  const found = new Map<Definition, Definition>();
  for (const definition of seen) {
    const clauses = definition.clauses.map((clause) =>
      beforeKeeping(unshared(beforeKeeping(clause))),
    );
    const isSame = clauses.every((clause, k) => clause === definition.clauses[k]);
    const written = isSame ? definition : { ...definition, clauses };
    found.set(definition, written);
    for (const read of readsOf(written)) seen.add(read);
  }
  return found;
}
