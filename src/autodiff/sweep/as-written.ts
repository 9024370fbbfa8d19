// The primal with the clauses that the program has. A sweep may have rewritten clauses so that
// values and derivatives share work.

import type { Definition } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { beforeKeeping } from "./formulas.ts";
import { unshared } from "../rules/other-factors.ts";

/** The definitions that the roots need, each with its original clauses. */
export function asWritten(roots: readonly Definition[]): ReadonlyMap<Definition, Definition> {
  const seen = new Set(roots);
  const found = new Map<Definition, Definition>();
  for (const definition of seen) {
    const clauses = definition.clauses.map((clause) =>
      beforeKeeping(unshared(beforeKeeping(clause))),
    );
    const isUnchanged = clauses.every((clause, k) => clause === definition.clauses[k]);
    const written = isUnchanged ? definition : { ...definition, clauses };
    found.set(definition, written);
    for (const read of readsOf(written)) seen.add(read);
  }
  return found;
}
