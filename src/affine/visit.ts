// Walks over terms: substitution, evaluation, the variables of a term, and the coefficient of a
// variable.

import {
  add,
  extremum,
  floorDiv,
  floorQuotient,
  multiply,
  ofAtom,
  scale,
  constant,
  zero,
  ZeroDivisor,
  safe,
} from "./term.ts";
import type { Atom, Part, Term, Variable } from "./term.ts";

/**
 * Replaces atoms from the outside in. Where `replace` gives nothing, the atom stays and the terms
 * inside it are visited.
 */
export function rewrite(term: Term, replace: (atom: Atom) => Term | undefined): Term {
  let changed = false;
  const pieces = term.parts.map((part) => {
    const factors = part.factors.map((atom) => rewriteAtom(atom, replace));
    if (factors.every((factor) => factor === undefined)) return undefined;
    changed = true;
    const product = factors.map((factor, k) => factor ?? ofAtom(part.factors[k]!)).reduce(multiply);
    return scale(product, part.coefficient);
  });
  if (!changed) return term;
  const kept: Term = {
    constant: term.constant,
    parts: term.parts.filter((_, k) => pieces[k] === undefined),
  };
  return pieces.reduce<Term>((total, piece) => (piece ? add(total, piece) : total), kept);
}

/** The new value of an atom, or undefined if the atom stays as it is. */
function rewriteAtom(atom: Atom, replace: (atom: Atom) => Term | undefined): Term | undefined {
  const replaced = replace(atom);
  if (replaced) return replaced;
  switch (atom.kind) {
    case "variable":
      return undefined;
    case "floor": {
      const dividend = rewrite(atom.dividend, replace);
      const divisor = rewrite(atom.divisor, replace);
      return dividend === atom.dividend && divisor === atom.divisor
        ? undefined
        : floorDiv(dividend, divisor);
    }
    case "min":
    case "max": {
      const members = atom.members.map((member) => rewrite(member, replace));
      return members.every((member, k) => member === atom.members[k])
        ? undefined
        : extremum(atom.kind, members);
    }
    default:
      return atom satisfies never;
  }
}

export function substitute(term: Term, values: ReadonlyMap<Variable, Term>): Term {
  if (values.size === 0) return term;
  return rewrite(term, (atom) =>
    atom.kind === "variable" ? values.get(atom.variable) : undefined,
  );
}

/** Visits every atom of a term, with those inside other atoms. Outer atoms come first. */
export function eachAtom(term: Term, visit: (atom: Atom) => void): void {
  for (const part of term.parts) for (const atom of part.factors) eachAtomOf(atom, visit);
}

function eachAtomOf(atom: Atom, visit: (atom: Atom) => void): void {
  visit(atom);
  if (atom.kind === "floor") {
    eachAtom(atom.dividend, visit);
    eachAtom(atom.divisor, visit);
  } else if (atom.kind !== "variable") for (const member of atom.members) eachAtom(member, visit);
}

/** Visits every variable of a term, as often as it occurs. */
export function eachVariable(term: Term, visit: (v: Variable) => void): void {
  eachAtom(term, (atom) => {
    if (atom.kind === "variable") visit(atom.variable);
  });
}

export function variablesOf(term: Term): Set<Variable> {
  const found = new Set<Variable>();
  eachVariable(term, (v) => found.add(v));
  return found;
}

/**
 * Whether any variable of a term passes a test. Every index and every bound is tested, so the walk
 * allocates nothing.
 */
export function someVariable(term: Term, test: (v: Variable) => boolean): boolean {
  for (const part of term.parts)
    for (const atom of part.factors) if (someVariableOf(atom, test)) return true;
  return false;
}

function someVariableOf(atom: Atom, test: (v: Variable) => boolean): boolean {
  if (atom.kind === "variable") return test(atom.variable);
  if (atom.kind === "floor")
    return someVariable(atom.dividend, test) || someVariable(atom.divisor, test);
  return atom.members.some((member) => someVariable(member, test));
}

export function mentions(term: Term, v: Variable): boolean {
  return someVariable(term, (each) => each === v);
}

function atomMentions(atom: Atom, v: Variable): boolean {
  return someVariableOf(atom, (each) => each === v);
}

/**
 * The factor of v if the term is linear in v: 0 if v does not occur, undefined if the term is not
 * linear.
 */
export function coefficientOf(term: Term, v: Variable): Term | undefined {
  const parts: Part[] = [];
  let coefficient = 0;
  for (const part of term.parts) {
    const inside = part.factors.filter((atom) => atomMentions(atom, v));
    if (inside.length === 0) continue;
    if (inside.length > 1 || inside[0]!.kind !== "variable") return undefined;
    const factors = part.factors.filter((atom) => atom !== inside[0]);
    if (factors.length === 0) coefficient = part.coefficient;
    else
      parts.push({
        coefficient: part.coefficient,
        factors,
        key: factors.map((atom) => `*${atom.key}`).join(""),
      });
  }
  // A monomial with v is sorted by factors that include v. Without v the order may be another one,
  // so the parts are added up again.
  return parts.reduce<Term>(
    (total, part) => add(total, { constant: 0, parts: [part] }),
    constant(coefficient),
  );
}

/** A term that is linear in v, with 0 for v. */
export function withoutVariable(term: Term, v: Variable): Term {
  return substitute(term, new Map([[v, zero]]));
}

/**
 * The value under an assignment. Throws on a division by zero and on values beyond the safe
 * integers.
 */
export function evaluate(term: Term, valueOf: (v: Variable) => number): number {
  let total = term.constant;
  for (const part of term.parts) {
    let product = part.coefficient;
    for (const atom of part.factors) product = safe(product * evaluateAtom(atom, valueOf));
    total = safe(total + product);
  }
  return total;
}

function evaluateAtom(atom: Atom, valueOf: (v: Variable) => number): number {
  switch (atom.kind) {
    case "variable":
      return safe(valueOf(atom.variable));
    case "floor": {
      const divisor = evaluate(atom.divisor, valueOf);
      if (divisor === 0) throw new ZeroDivisor("an index expression divides by zero");
      return floorQuotient(evaluate(atom.dividend, valueOf), divisor);
    }
    case "min":
      return Math.min(...atom.members.map((member) => evaluate(member, valueOf)));
    case "max":
      return Math.max(...atom.members.map((member) => evaluate(member, valueOf)));
    default:
      return atom satisfies never;
  }
}
