// A sweep may rewrite the clauses of the primal. The program that the question is about keeps its
// clauses: they are restored after the sweep.

import type { Definition } from "../../ir/program.ts";
import { reachable } from "../../analyse/schedule.ts";

interface Restored<T> {
  readonly result: T;
  /** While `look` runs, the definitions have the clauses that the sweep gave them. */
  readonly withRewritten: <U>(look: () => U) => U;
}

export function restoringClauses<T>(roots: readonly Definition[], sweep: () => T): Restored<T> {
  const all = reachable(roots);
  const before = clausesOf(all);
  const result = sweep();
  const rewritten = clausesOf(all);
  setClauses(before);
  return {
    result,
    withRewritten: (look) => {
      const now = clausesOf(all);
      setClauses(rewritten);
      try {
        return look();
      } finally {
        setClauses(now);
      }
    },
  };
}

type Clauses = ReadonlyMap<Definition, Definition["clauses"]>;

function clausesOf(definitions: readonly Definition[]): Clauses {
  return new Map(definitions.map((definition) => [definition, definition.clauses]));
}

function setClauses(all: Clauses): void {
  for (const [definition, clauses] of all) definition.clauses = clauses;
}
