// A sweep may rewrite the primal for its own good; the program that is asked about stays as it is.

import type { Definition } from "../../ir/program.ts";
import { reachable } from "../../analyse/schedule.ts";

interface Left<T> {
  readonly result: T;
  /** For as long as one looks, clauses are as the sweep has rewritten them. */
  readonly withRewritten: <U>(look: () => U) => U;
}

export function leavingClauses<T>(roots: readonly Definition[], sweep: () => T): Left<T> {
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
