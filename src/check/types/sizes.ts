// `extent(i)` while the range of `i` is still being found: a variable stands for the size, and is
// replaced once the range is known.

import { ofVariable, subtract, type Term, type Variable } from "../../affine/term.ts";
import { someVariable, substitute, variablesOf } from "../../affine/visit.ts";
import { extentVariable, type Checker } from "../context.ts";
import type { Binder } from "./typed.ts";

/** Whose size a variable stands for. */
const sized = new WeakMap<Variable, Binder>();
const standIns = new WeakMap<Binder, Variable>();

/** The size of a coordinate, or what will be it. */
export function sizeOf(checker: Checker, binder: Binder): Term {
  const known = knownSize(binder);
  if (known) return known;
  let stand = standIns.get(binder);
  if (!stand) {
    stand = extentVariable(checker, `extent(${binder.name})`);
    standIns.set(binder, stand);
    sized.set(stand, binder);
  }
  return ofVariable(stand);
}

/**
 * Whether a term was written with a size that had still to be found: it cannot help to find one.
 */
export function awaitsSize(term: Term): boolean {
  return someVariable(term, (v) => sized.has(v));
}

/** A term with the sizes that are known by now in their places. */
export function resolved(term: Term): Term {
  if (!awaitsSize(term)) return term;
  const sizes = new Map<Variable, Term>();
  for (const v of variablesOf(term)) {
    const binder = sized.get(v);
    const size = binder && knownSize(binder);
    if (size) sizes.set(v, resolved(size));
  }
  return substitute(term, sizes);
}

/** A range that has been found, or one that is written with terms. */
function knownSize({ from, to }: Binder): Term | undefined {
  return from?.kind === "integer" && to?.kind === "integer"
    ? subtract(to.term, from.term)
    : undefined;
}
