// Clauses that run in one way and are differentiated in another way. A clause that keeps results
// for a pullback, or reads the results of a pullback, has a formula of equal value. Derivatives and
// readers use the formula.

import type { Clause, Definition } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";

const formulas = new WeakMap<Clause, Clause>();
const originals = new WeakMap<Clause, Clause>();

/** The formula of a clause, or the clause itself. */
export function asFormula(clause: Clause): Clause {
  return formulas.get(clause) ?? clause;
}

export function setFormula(clause: Clause, formula: Clause): void {
  formulas.set(clause, formula);
}

const only = new WeakSet<Clause>();

/** Sets a formula through which all further derivatives go, whatever the clause itself contains. */
export function setOnlyFormula(clause: Clause, formula: Clause): void {
  setFormula(clause, formula);
  only.add(clause);
}

export function hasOnlyFormula(clause: Clause): boolean {
  return only.has(clause);
}

/** Rewrites a clause and its formula in the same way. */
export function alongWithFormula(clause: Clause, rewrite: (clause: Clause) => Clause): Clause {
  const rewritten = rewrite(clause);
  const formula = formulas.get(clause);
  if (formula) formulas.set(rewritten, formula === clause ? rewritten : rewrite(formula));
  if (only.has(clause)) only.add(rewritten);
  const before = originals.get(clause);
  if (before) originals.set(rewritten, rewrite(before));
  return rewritten;
}

/** The definitions that a definition reads in its clauses or in their formulas. */
export function readsWithFormulas(definition: Definition): ReadonlySet<Definition> {
  const own = readsOf(definition);
  if (!definition.clauses.some((clause) => formulas.has(clause))) return own;
  return new Set([
    ...own,
    ...readsOf({ ...definition, clauses: definition.clauses.map(asFormula) }),
  ]);
}

/** The clause as it was before its calls were kept. */
export function beforeKeeping(clause: Clause): Clause {
  return formulas.get(clause) ?? originals.get(clause) ?? clause;
}

export function setBefore(clause: Clause, before: Clause): void {
  originals.set(clause, before);
}

/**
 * Calls `look` while all definitions have the clauses from before their calls were kept:
 * explanations are about formulas. Afterwards the clauses are as before.
 */
export function asFormulas<T>(roots: readonly Definition[], look: () => T): T {
  const seen = new Set(roots);
  const kept: (readonly [Definition, readonly Clause[]])[] = [];
  for (const definition of seen) {
    const { clauses } = definition;
    const before = clauses.map(beforeKeeping);
    if (before.some((clause, k) => clause !== clauses[k])) {
      kept.push([definition, clauses]);
      definition.clauses = before;
    }
    for (const read of readsOf(definition)) seen.add(read);
    if (definition.rule) seen.add(definition.rule.tangent);
  }
  try {
    return look();
  } finally {
    for (const [definition, clauses] of kept) definition.clauses = clauses;
  }
}
