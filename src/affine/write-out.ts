// A term as arithmetic in the form that a person would write: no factor 1, no summand 0, and
// differences in place of negative factors. `j - a[0]`, and not `-1 * a[0] + j`.

import type { Atom, Term } from "./term.ts";

/** How to build a value of type V for a constant, an atom and an operation. */
interface Algebra<V> {
  readonly constant: (value: number) => V;
  readonly atom: (atom: Atom) => V;
  readonly apply: (operation: "add" | "subtract" | "multiply", a: V, b: V) => V;
}

export function writtenOut<V>(term: Term, { constant, atom, apply }: Algebra<V>): V {
  // Positive parts come before negative ones.
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
