// Quasi-affine integer expressions in a canonical form: the arithmetic of indices, bounds of ranges
// and extents.
//
// A term is  c + Σ aₖ·mₖ  with integers c and aₖ ≠ 0 and distinct monomials mₖ in a fixed order. A
// monomial is a product of atoms, so that a coefficient may be a symbolic extent (`n * i`). An atom
// is a variable, ⌊e/d⌋ with a positive divisor, or the min or max of several terms. A remainder has
// no atom of its own: e mod d = e - d·⌊e/d⌋.
//
// Two terms with the same canonical form have the same value under every assignment for which both
// are defined. The converse does not hold (`prove` decides more). These rewrites are done here:
//
//   ⌊(d·q + r)/d⌋ = q + ⌊r/d⌋        with constant d: coefficients of r smaller than d, its
//                                    constant in 0..d
//   ⌊(g·e + r)/(g·d)⌋ = ⌊(e + ⌊r/g⌋)/d⌋
//   ⌊(⌊e/a⌋ + r)/b⌋ = ⌊(e + a·r)/(a·b)⌋
//   min(a, a + c) = a  for c ≥ 0, and min(min(a, b), c) = min(a, b, c); max likewise
//
// A symbolic divisor is the caller's promise: it is positive wherever the term is evaluated.
//
// Numbers stay within ±(2⁵³ - 1). An operation whose result would leave that interval throws
// `AffineOverflow` and does not round; `attempt` turns the exception into `undefined`. The prover
// and the solver catch it themselves.

export interface Variable {
  readonly id: number;
  readonly name: string;
  /** For a coordinate of a pack: the name of the pack, `..b`. */
  readonly pack?: string;
}

export type Atom =
  | { readonly kind: "variable"; readonly variable: Variable; readonly key: string }
  | {
      readonly kind: "floor";
      readonly dividend: Term;
      readonly divisor: Term;
      readonly key: string;
    }
  | { readonly kind: "min" | "max"; readonly members: readonly Term[]; readonly key: string };

export interface Part {
  readonly coefficient: number;
  /** The atoms of the monomial, sorted, repeated as often as they occur. */
  readonly factors: readonly Atom[];
  /** Identifies the monomial. */
  readonly key: string;
}

export interface Term {
  readonly constant: number;
  readonly parts: readonly Part[];
}

/** A coefficient or a constant left the safe integers. */
export class AffineOverflow extends Error {
  constructor() {
    super("index arithmetic left the integers that are exact in 64-bit floats");
    this.name = "AffineOverflow";
  }
}

/** The result of `compute`, or `undefined` if its arithmetic overflowed. */
export function attempt<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof AffineOverflow) return undefined;
    throw error;
  }
}

let variableCount = 0;

export function variable(name: string, pack?: string): Variable {
  return { id: ++variableCount, name, ...(pack === undefined ? {} : { pack }) };
}

/** A new variable for the same coordinate of the source. */
export function renewed({ name, pack }: Variable): Variable {
  return variable(name, pack);
}

const keys = new WeakMap<Term, string>();

/** A text that is the same for structurally equal terms, and only for those. */
export function keyOf(term: Term): string {
  if (term.parts.length === 0) return String(term.constant);
  let key = keys.get(term);
  if (key === undefined) {
    key = String(term.constant);
    for (const part of term.parts)
      key += (part.coefficient < 0 ? "" : "+") + part.coefficient + part.key;
    keys.set(term, key);
  }
  return key;
}

export function equal(a: Term, b: Term): boolean {
  if (a === b) return true;
  if (a.constant !== b.constant || a.parts.length !== b.parts.length) return false;
  return a.parts.every(
    (part, k) => part.coefficient === b.parts[k]!.coefficient && part.key === b.parts[k]!.key,
  );
}

export function isConstant(term: Term): boolean {
  return term.parts.length === 0;
}

/** The value of a term without atoms. */
export function constantOf(term: Term): number | undefined {
  return term.parts.length === 0 ? term.constant : undefined;
}

export function isZero(term: Term): boolean {
  return constantOf(term) === 0;
}

// ── construction ────────────────────────────────────────────────────────────────────────────

/** The number itself; throws where it is no longer exact. */
export function safe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new AffineOverflow();
  return value + 0; // turns -0 into 0
}

export function constant(value: number): Term {
  return { constant: safe(value), parts: [] };
}

export const zero: Term = constant(0);
export const one: Term = constant(1);

const ofVariables = new WeakMap<Variable, Term>();

export function ofVariable(v: Variable): Term {
  let term = ofVariables.get(v);
  if (!term)
    ofVariables.set(v, (term = ofAtom({ kind: "variable", variable: v, key: `v${v.id}` })));
  return term;
}

export function ofAtom(atom: Atom): Term {
  return { constant: 0, parts: [{ coefficient: 1, factors: [atom], key: `*${atom.key}` }] };
}

export function ofFactors(factors: readonly Atom[]): Term {
  return factors.length === 0 ? one : { constant: 0, parts: [newPart(1, factors)] };
}

function newPart(coefficient: number, factors: readonly Atom[]): Part {
  let key = "";
  for (const factor of factors) key += `*${factor.key}`;
  return { coefficient, factors, key };
}

const atomRank = { variable: 0, floor: 1, min: 2, max: 3 } as const;

function compareAtoms(a: Atom, b: Atom): number {
  if (a.kind === "variable" && b.kind === "variable") return a.variable.id - b.variable.id;
  if (a.key === b.key) return 0;
  if (a.kind === "floor" && b.kind === "floor") {
    return compareTerms(a.dividend, b.dividend) || compareTerms(a.divisor, b.divisor);
  }
  if ((a.kind === "min" || a.kind === "max") && a.kind === b.kind)
    return compareLists(a.members, b.members, compareTerms);
  return atomRank[a.kind] - atomRank[b.kind];
}

/**
 * An order that depends only on the order of the variables, and not on their numbers. Constants
 * come last.
 */
function compareTerms(a: Term, b: Term): number {
  return (
    compareLists(a.parts, b.parts, (x, y) => compareParts(x, y) || x.coefficient - y.coefficient) ||
    a.constant - b.constant
  );
}

/** Element by element. If one list is the beginning of the other, the longer one comes first. */
function compareLists<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (x: T, y: T) => number,
): number {
  for (let k = 0; k < a.length && k < b.length; k++) {
    const order = compare(a[k]!, b[k]!);
    if (order !== 0) return order;
  }
  return b.length - a.length;
}

/** Longer products first, then in the order in which the variables were made. */
function compareParts(a: Part, b: Part): number {
  if (a.factors.length !== b.factors.length) return b.factors.length - a.factors.length;
  for (let k = 0; k < a.factors.length; k++) {
    const order = compareAtoms(a.factors[k]!, b.factors[k]!);
    if (order !== 0) return order;
  }
  return 0;
}

export function add(a: Term, b: Term): Term {
  const sum = safe(a.constant + b.constant);
  if (a.parts.length === 0) return sum === b.constant ? b : { constant: sum, parts: b.parts };
  if (b.parts.length === 0) return sum === a.constant ? a : { constant: sum, parts: a.parts };
  const parts: Part[] = [];
  let i = 0;
  let j = 0;
  while (i < a.parts.length && j < b.parts.length) {
    const left = a.parts[i]!;
    const right = b.parts[j]!;
    const order = left.key === right.key ? 0 : compareParts(left, right);
    if (order < 0) parts.push(left);
    else if (order > 0) parts.push(right);
    else {
      const coefficient = safe(left.coefficient + right.coefficient);
      if (coefficient !== 0) parts.push({ coefficient, factors: left.factors, key: left.key });
    }
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  while (i < a.parts.length) parts.push(a.parts[i++]!);
  while (j < b.parts.length) parts.push(b.parts[j++]!);
  return { constant: sum, parts };
}

export function scale(a: Term, by: number): Term {
  if (by === 0) return zero;
  if (by === 1) return a;
  const parts = a.parts.map(({ coefficient, factors, key }): Part => ({
    coefficient: safe(coefficient * by),
    factors,
    key,
  }));
  return { constant: safe(a.constant * by), parts };
}

export function negate(a: Term): Term {
  return scale(a, -1);
}

export function subtract(a: Term, b: Term): Term {
  return add(a, negate(b));
}

/** a + n for an integer n. */
export function plus(a: Term, n: number): Term {
  return n === 0 ? a : { constant: safe(a.constant + n), parts: a.parts };
}

export function sum(terms: readonly Term[]): Term {
  return terms.reduce(add, zero);
}

export function multiply(a: Term, b: Term): Term {
  if (a.parts.length === 0) return scale(b, a.constant);
  if (b.parts.length === 0) return scale(a, b.constant);
  const found = new Map<string, Part>();
  for (const left of a.parts) {
    for (const right of b.parts) {
      const part = newPart(
        safe(left.coefficient * right.coefficient),
        [...left.factors, ...right.factors].sort(compareAtoms),
      );
      const same = found.get(part.key);
      found.set(
        part.key,
        same ? { ...part, coefficient: safe(same.coefficient + part.coefficient) } : part,
      );
    }
  }
  const parts = [...found.values()].filter((part) => part.coefficient !== 0).sort(compareParts);
  const product: Term = { constant: safe(a.constant * b.constant), parts };
  return add(
    product,
    add(scale({ ...a, constant: 0 }, b.constant), scale({ ...b, constant: 0 }, a.constant)),
  );
}

// ── division ────────────────────────────────────────────────────────────────────────────────

export function gcd(a: number, b: number): number {
  let x = Math.abs(a);
  let y = Math.abs(b);
  while (y !== 0) {
    const rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

/** ⌊a/d⌋ of integers, exact where the quotient of floats would round. */
export function floorQuotient(a: number, d: number): number {
  return (a - floorRemainder(a, d)) / d + 0;
}

export function floorRemainder(a: number, d: number): number {
  const remainder = a % d;
  return (remainder !== 0 && remainder < 0 !== d < 0 ? remainder + d : remainder) + 0;
}

/** An index is divided by an extent that is 0 in this run. */
export class ZeroDivisor extends RangeError {}

/** The result of `compute`, or `undefined` if an index was divided by 0 on the way. */
export function unlessByZero<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof ZeroDivisor) return undefined;
    throw error;
  }
}

/** ⌊e/d⌋. A constant divisor must not be 0; a symbolic one is promised to be positive. */
export function floorDiv(e: Term, d: Term): Term {
  if (d.parts.length > 0) return divideBySymbol(e, d);
  if (d.constant === 0) throw new ZeroDivisor("division of an index by the constant 0");
  return d.constant < 0 ? divideByNumber(negate(e), -d.constant) : divideByNumber(e, d.constant);
}

/** ⌈e/d⌉ = ⌊(e + d - 1)/d⌋ for a positive divisor. */
export function ceilDiv(e: Term, d: Term): Term {
  return floorDiv(plus(add(e, d), -1), d);
}

/** e mod d, in 0..d for a positive divisor. */
export function mod(e: Term, d: Term): Term {
  return subtract(e, multiply(d, floorDiv(e, d)));
}

function divideByNumber(e: Term, d: number): Term {
  if (d === 1) return e;
  // Coefficients keep their sign, so that ⌊(i - k)/2⌋ stays readable. The constant goes to 0..d, so
  // that ⌊r/d⌋ = 0 is seen.
  const whole: Part[] = [];
  const rest: Part[] = [];
  for (const part of e.parts) {
    const remainder = part.coefficient % d;
    if (remainder !== 0) rest.push({ ...part, coefficient: remainder });
    if (remainder !== part.coefficient)
      whole.push({ ...part, coefficient: (part.coefficient - remainder) / d });
  }
  const quotient: Term = { constant: floorQuotient(e.constant, d), parts: whole };
  if (rest.length === 0) return quotient;
  const divisor = rest.reduce((g, part) => gcd(g, part.coefficient), d);
  const reduced: Term = {
    constant: floorQuotient(floorRemainder(e.constant, d), divisor),
    parts: rest.map((part) => ({ ...part, coefficient: part.coefficient / divisor })),
  };
  return add(quotient, floorAtom(reduced, constant(d / divisor)));
}

function divideBySymbol(e: Term, d: Term): Term {
  // Polynomial division by d, as long as each step makes the dividend shorter.
  const leading = d.parts[0]!;
  let quotient = zero;
  let rest = e;
  for (let k = 0; k < rest.parts.length;) {
    const part = rest.parts[k]!;
    const others =
      part.coefficient % leading.coefficient === 0 ? withoutFactors(part, leading) : undefined;
    const step = others && scale(ofFactors(others), part.coefficient / leading.coefficient);
    const next = step && subtract(rest, multiply(step, d));
    if (next && next.parts.length < rest.parts.length) {
      quotient = add(quotient, step);
      rest = next;
      k = 0;
    } else k++;
  }
  if (rest.parts.length === 0 && rest.constant === 0) return quotient;
  const divisor = [rest, d].reduce(
    (g, t) => t.parts.reduce((h, part) => gcd(h, part.coefficient), gcd(g, t.constant)),
    0,
  );
  const unscale = (t: Term): Term => ({
    constant: t.constant / divisor,
    parts: t.parts.map((part) => ({ ...part, coefficient: part.coefficient / divisor })),
  });
  return add(quotient, divisor > 1 ? floorAtom(unscale(rest), unscale(d)) : floorAtom(rest, d));
}

/** The factors of one monomial after division by another; undefined if it does not divide. */
export function withoutFactors(part: Part, by: Part): Atom[] | undefined {
  const rest = [...part.factors];
  for (const factor of by.factors) {
    const at = rest.findIndex((other) => other.key === factor.key);
    if (at < 0) return undefined;
    rest.splice(at, 1);
  }
  return rest;
}

function floorAtom(dividend: Term, divisor: Term): Term {
  const inner = dividend.parts.filter(
    (part) => part.factors.length === 1 && part.factors[0]!.kind === "floor",
  );
  if (inner.length === 1 && inner[0]!.coefficient === 1) {
    const atom = inner[0]!.factors[0]!;
    if (atom.kind === "floor") {
      const rest = subtract(dividend, ofAtom(atom));
      return floorDiv(
        add(atom.dividend, multiply(rest, atom.divisor)),
        multiply(atom.divisor, divisor),
      );
    }
  }
  return ofAtom({
    kind: "floor",
    dividend,
    divisor,
    key: `(${keyOf(dividend)}/${keyOf(divisor)})`,
  });
}

// ── min and max ─────────────────────────────────────────────────────────────────────────────

export function minimum(a: Term, b: Term): Term {
  return extremum("min", [a, b]);
}

export function maximum(a: Term, b: Term): Term {
  return extremum("max", [a, b]);
}

export function extremum(kind: "min" | "max", terms: readonly Term[]): Term {
  const kept: Term[] = [];
  for (const candidate of terms.flatMap((term) => membersUnder(kind, term))) {
    const at = kept.findIndex((other) => isConstant(subtract(other, candidate)));
    if (at < 0) kept.push(candidate);
    else if (candidate.constant < kept[at]!.constant === (kind === "min")) kept[at] = candidate;
  }
  if (kept.length === 1) return kept[0]!;
  const members = kept.sort(compareTerms);
  return ofAtom({ kind, members, key: `${kind}(${members.map(keyOf).join(",")})` });
}

function membersUnder(kind: "min" | "max", term: Term): readonly Term[] {
  const part = term.parts[0];
  const atom = part?.factors[0];
  if (!atom || term.parts.length > 1 || part.coefficient !== 1 || part.factors.length > 1)
    return [term];
  if (atom.kind !== kind) return [term];
  return atom.members.map((member) => plus(member, term.constant));
}
