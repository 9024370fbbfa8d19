// Clauses that are run in one way and differentiated in another: where what is computed is kept for
// a pullback, or comes out of one, a formula says the same in terms that have rules.

import type { Clause, Definition } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";

const formulas = new WeakMap<Clause, Clause>();
const written = new WeakMap<Clause, Clause>();

/** The clause as a formula over the same cells. */
export function asFormula(clause: Clause): Clause {
  return formulas.get(clause) ?? clause;
}

export function setFormula(clause: Clause, formula: Clause): void {
  formulas.set(clause, formula);
}

const only = new WeakSet<Clause>();

/** A formula that further derivatives go through, whatever the clause itself is made of. */
export function setOnlyFormula(clause: Clause, formula: Clause): void {
  setFormula(clause, formula);
  only.add(clause);
}

export function hasOnlyFormula(clause: Clause): boolean {
  return only.has(clause);
}

/** A clause that is said in another way, and its formula with it. */
export function alongWithFormula(clause: Clause, said: (clause: Clause) => Clause): Clause {
  const made = said(clause);
  const formula = formulas.get(clause);
  if (formula) formulas.set(made, formula === clause ? made : said(formula));
  if (only.has(clause)) only.add(made);
  const before = written.get(clause);
  if (before) written.set(made, said(before));
  return made;
}

/** What a definition reads, and what the formulas of its clauses read beside that. */
export function readsWithFormulas(definition: Definition): ReadonlySet<Definition> {
  const own = readsOf(definition);
  if (!definition.clauses.some((clause) => formulas.has(clause))) return own;
  return new Set([
    ...own,
    ...readsOf({ ...definition, clauses: definition.clauses.map(asFormula) }),
  ]);
}

/** The clause before its calls were kept. */
export function beforeKeeping(clause: Clause): Clause {
  return formulas.get(clause) ?? written.get(clause) ?? clause;
}

export function setBefore(clause: Clause, before: Clause): void {
  written.set(clause, before);
}

/**
 * What is said of a program is said of its formulas: the clauses as they were before calls were
 * kept, as long as they are looked at.
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
