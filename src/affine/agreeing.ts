// Which extents must be equal: one variable represents all that agreements tie together.

import { nonNegative, sameValue, type Fact } from "./prove.ts";
import { equal, ofVariable, type Term, type Variable } from "./term.ts";
import { variablesOf } from "./visit.ts";
import type { Agreement } from "./agreement.ts";

/**
 * What is known about extents when a program is compiled: they are not negative, and agreements
 * hold. A run checks the agreements once it knows the sizes.
 */
export function knownOfSizes(
  { agreements }: { readonly agreements: readonly Agreement[] },
  extents: Iterable<Variable>,
): readonly Fact[] {
  return [
    ...[...extents].map((v) => nonNegative(ofVariable(v))),
    ...agreements.map(({ left, right }) => sameValue(left, right)),
  ];
}

/** The representative of each variable. Only agreements between two single variables count. */
export function agreeing(agreements: readonly Agreement[]): (v: Variable) => Variable {
  const next = new Map<Variable, Variable>();
  const representative = (v: Variable): Variable => {
    const other = next.get(v);
    return other ? representative(other) : v;
  };
  for (const { left, right } of agreements) {
    const [a, b] = [asVariable(left), asVariable(right)];
    if (a && b && representative(a) !== representative(b))
      next.set(representative(b), representative(a));
  }
  return representative;
}

/** The variable that a term consists of, if the term is nothing but a variable. */
export function asVariable(term: Term): Variable | undefined {
  const [v] = variablesOf(term);
  return v && equal(term, ofVariable(v)) ? v : undefined;
}
