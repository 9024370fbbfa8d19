// Splits a system of facts into parts that share no variable. The system has a solution exactly if
// each part has one, so a question costs no time for facts that have nothing to do with it.
//
//   i < n, 0 <= i, k < m     two parts: {i < n, 0 <= i} and {k < m}

import type { Fact } from "./prove.ts";
import type { Variable } from "./term.ts";
import { eachAtom } from "./visit.ts";

/** The parts in the order of their first facts, without those that certainly have a solution. */
export function connected(facts: readonly Fact[]): readonly (readonly Fact[])[] {
  const parents = facts.map((_, k) => k);
  const rootOf = (k: number): number => {
    let root = k;
    while (parents[root] !== root) root = parents[root] = parents[parents[root]!]!;
    return root;
  };
  const firstWith = new Map<Variable, number>();
  for (const [k, { term }] of facts.entries()) {
    eachAtom(term, (atom) => {
      if (atom.kind !== "variable") return;
      const other = firstWith.get(atom.variable);
      if (other === undefined) firstWith.set(atom.variable, k);
      else {
        const [a, b] = [rootOf(other), rootOf(k)];
        parents[Math.max(a, b)] = Math.min(a, b);
      }
    });
  }
  const parts = new Map<number, Fact[]>();
  for (const [k, fact] of facts.entries()) {
    const root = rootOf(k);
    const part = parts.get(root);
    if (part) part.push(fact);
    else parts.set(root, [fact]);
  }
  return [...parts.values()].filter((part) => part.length > 1 || !isSatisfiable(part[0]!));
}

/** A bound on a single variable always has a solution. */
function isSatisfiable({ term, relation }: Fact): boolean {
  const [only, ...others] = term.parts;
  return (
    relation !== "==" &&
    others.length === 0 &&
    only?.factors.length === 1 &&
    only.factors[0]!.kind === "variable"
  );
}
