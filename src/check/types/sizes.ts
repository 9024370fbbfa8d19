// The size of a coordinate, `extent(i)`, while its range is still being inferred. A variable stands
// for the size, and is replaced once the range is known.

import { ofVariable, subtract, type Term, type Variable } from "../../affine/term.ts";
import { someVariable, substitute, variablesOf } from "../../affine/visit.ts";
import { extentVariable, type Checker } from "../context.ts";
import type { Binder } from "./typed.ts";

/** The coordinate for whose size a variable stands. */
const binderOfSize = new WeakMap<Variable, Binder>();
const sizeVariables = new WeakMap<Binder, Variable>();

/** The size of a coordinate, or a variable for it while its range is unknown. */
export function coordinateSize(checker: Checker, binder: Binder): Term {
  const known = knownSize(binder);
  if (known) return known;
  let sizeVariable = sizeVariables.get(binder);
  if (!sizeVariable) {
    sizeVariable = extentVariable(checker, `extent(${binder.name})`);
    sizeVariables.set(binder, sizeVariable);
    binderOfSize.set(sizeVariable, binder);
  }
  return ofVariable(sizeVariable);
}

/**
 * Whether a term contains a size that was unknown when the term was made. Such a term cannot be
 * used to infer a range.
 */
export function awaitsSize(term: Term): boolean {
  return someVariable(term, (v) => binderOfSize.has(v));
}

/** The term with every size that is known by now in place of its variable. */
export function resolved(term: Term): Term {
  if (!awaitsSize(term)) return term;
  const sizes = new Map<Variable, Term>();
  for (const v of variablesOf(term)) {
    const binder = binderOfSize.get(v);
    const size = binder && knownSize(binder);
    if (size) sizes.set(v, resolved(size));
  }
  return substitute(term, sizes);
}

/** The size of a coordinate whose range is inferred, or written with terms. */
function knownSize({ from, to }: Binder): Term | undefined {
  return from?.kind === "integer" && to?.kind === "integer"
    ? subtract(to.term, from.term)
    : undefined;
}
