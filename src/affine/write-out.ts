// A term written out as arithmetic, as a person would: no factor 1, no addend 0, differences
// instead of negative factors.

import type { Atom, Term } from "./term.ts";

/** What terms are written in. */
export interface Algebra<V> {
  readonly constant: (value: number) => V;
  readonly atom: (atom: Atom) => V;
  readonly apply: (operation: "add" | "subtract" | "multiply", a: V, b: V) => V;
}

export function writtenOut<V>(term: Term, { constant, atom, apply }: Algebra<V>): V {
  // What is added stands before what is taken away.
  const parts = [...term.parts].sort((a, b) => Math.sign(b.coefficient) - Math.sign(a.coefficient));
  let total: V | undefined;
  for (const { coefficient, factors } of parts) {
    const product = factors.map(atom).reduce((a, b) => apply("multiply", a, b));
    const isTaken = coefficient < 0 && total !== undefined;
    const factor = isTaken ? -coefficient : coefficient;
    const piece = factor === 1 ? product : apply("multiply", constant(factor), product);
    total = total === undefined ? piece : apply(isTaken ? "subtract" : "add", total, piece);
  }
  if (total === undefined) return constant(term.constant);
  if (term.constant === 0) return total;
  return apply(term.constant < 0 ? "subtract" : "add", total, constant(Math.abs(term.constant)));
}
