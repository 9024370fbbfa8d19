// The definitions and functions that a definition refers to: directly, and through the functions
// that it calls.

import { eachScalar, scalarsOf, scalarsOfFunction } from "./parts.ts";
import type { Clause, Definition, ScalarFunction } from "./program.ts";

/** The references of a definition, for the clauses and needs that it had when they were found. */
interface References {
  readonly clauses: readonly Clause[];
  readonly needs: number;
  readonly reads: ReadonlySet<Definition>;
  readonly calls: ReadonlySet<ScalarFunction>;
}

const knownReferences = new WeakMap<Definition, References>();

function referencesOf(definition: Definition): References {
  const { clauses, needs } = definition;
  const known = knownReferences.get(definition);
  if (known?.clauses === clauses && known.needs === needs.size) return known;
  const found = findReferences(definition);
  knownReferences.set(definition, found);
  return found;
}

export function readsOf(definition: Definition): ReadonlySet<Definition> {
  return referencesOf(definition).reads;
}

/** The functions that the clauses of a definition call directly. */
export function callsOf(definition: Definition): ReadonlySet<ScalarFunction> {
  return referencesOf(definition).calls;
}

const noCalls: ReadonlySet<ScalarFunction> = new Set();

function findReferences(definition: Definition): References {
  const found = new Set<Definition>(definition.needs);
  let calls: Set<ScalarFunction> | undefined;
  if (definition.request && definition.clauses.length === 0) {
    found.add(definition.request.of);
    found.add(definition.request.wrt);
    if (definition.request.contracted) found.add(definition.request.contracted.with);
  }
  for (const clause of definition.clauses) {
    for (const scalar of scalarsOf(clause)) {
      eachScalar(scalar, (part) => {
        if (part.kind === "read") found.add(part.definition);
        if (part.kind !== "call") return;
        (calls ??= new Set()).add(part.invocation.function);
        for (const read of readsOfFunction(part.invocation.function)) found.add(read);
      });
    }
  }
  return {
    clauses: definition.clauses,
    needs: definition.needs.size,
    reads: found,
    calls: calls ?? noCalls,
  };
}

/** All functions that a function calls, directly or not, and the function itself. */
export function functionsFrom(start: ScalarFunction): ReadonlySet<ScalarFunction> {
  const found = new Set([start]);
  for (const each of found) {
    for (const scalar of scalarsOfFunction(each))
      eachScalar(
        scalar,
        (part) => void (part.kind === "call" && found.add(part.invocation.function)),
      );
    for (const effect of each.effects ?? [])
      if (effect.kind === "call") found.add(effect.invocation.function);
  }
  return found;
}

/** The definitions that a function may read while it runs. */
export function readsOfFunction(start: ScalarFunction): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  for (const each of functionsFrom(start)) {
    for (const need of each.needs) found.add(need);
    for (const scalar of scalarsOfFunction(each))
      eachScalar(scalar, (part) => void (part.kind === "read" && found.add(part.definition)));
  }
  return found;
}
