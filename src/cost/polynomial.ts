// Polynomials in the extents of a program, with fractions as coefficients: how costs grow with
// sizes. `n²/2 + n/2`.

import { gcd, ofAtom, type Atom, type Term, type Variable } from "../affine/term.ts";
import { show } from "../affine/show.ts";
import { evaluate as evaluateTerm } from "../affine/visit.ts";

/**
 * A factor of a monomial: an extent, or a number that only a run can tell, such as the length of a
 * ragged row.
 */
type Quantity =
  | { readonly kind: "extent"; readonly atom: Atom; readonly key: string }
  | { readonly kind: "data"; readonly text: string; readonly key: string };

interface Monomial {
  readonly top: number;
  readonly bottom: number;
  /** Sorted by key, repeated as often as they occur. */
  readonly factors: readonly Quantity[];
}

export type Polynomial = readonly Monomial[];

export const nothing: Polynomial = [];

export function number(value: number): Polynomial {
  return value === 0 ? nothing : [{ top: value, bottom: 1, factors: [] }];
}

/** A number that only a run can tell. */
export function unknown(text: string): Polynomial {
  return [{ top: 1, bottom: 1, factors: [{ kind: "data", text, key: `"${text}"` }] }];
}

export function ofTerm(term: Term): Polynomial {
  const parts = term.parts.map((part): Monomial => ({
    top: part.coefficient,
    bottom: 1,
    factors: sorted(
      part.factors.map((atom): Quantity => ({ kind: "extent", atom, key: atom.key })),
    ),
  }));
  return inLowestTerms([...parts, ...number(term.constant)]);
}

export function plus(...parts: readonly Polynomial[]): Polynomial {
  return inLowestTerms(parts.flat());
}

export function minus(a: Polynomial, b: Polynomial): Polynomial {
  return plus(
    a,
    b.map((each) => ({ ...each, top: -each.top })),
  );
}

export function times(a: Polynomial, b: Polynomial): Polynomial {
  return inLowestTerms(
    a.flatMap((x) =>
      b.map((y): Monomial => ({
        top: x.top * y.top,
        bottom: x.bottom * y.bottom,
        factors: sorted([...x.factors, ...y.factors]),
      })),
    ),
  );
}

export function scaled(a: Polynomial, top: number, bottom = 1): Polynomial {
  return inLowestTerms(
    a.map((each) => ({ ...each, top: each.top * top, bottom: each.bottom * bottom })),
  );
}

function power(a: Polynomial, exponent: number): Polynomial {
  let result = number(1);
  for (let k = 0; k < exponent; k++) result = times(result, a);
  return result;
}

function sorted(factors: readonly Quantity[]): readonly Quantity[] {
  const rank = ({ kind, key }: Quantity): string => `${kind === "extent" ? 0 : 1}${key}`;
  return [...factors].sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
}

function inLowestTerms(monomials: readonly Monomial[]): Polynomial {
  const found = new Map<string, Monomial>();
  for (const each of monomials) {
    const key = each.factors.map((factor) => factor.key).join("*");
    const other = found.get(key);
    const [top, bottom] = other
      ? [each.top * other.bottom + other.top * each.bottom, each.bottom * other.bottom]
      : [each.top, each.bottom];
    const common = gcd(top, bottom) || 1;
    found.set(key, { top: top / common, bottom: bottom / common, factors: each.factors });
  }
  return [...found.values()]
    .filter((each) => each.top !== 0)
    .sort((a, b) => b.factors.length - a.factors.length);
}

/** A polynomial with some quantities replaced by polynomials. */
export function replaced(
  a: Polynomial,
  by: (quantity: Quantity) => Polynomial | undefined,
): Polynomial {
  return plus(
    ...a.map(({ top, bottom, factors }) =>
      factors.reduce<Polynomial>(
        (product, factor) =>
          times(product, by(factor) ?? [{ top: 1, bottom: 1, factors: [factor] }]),
        [{ top, bottom, factors: [] }],
      ),
    ),
  );
}

/**
 * Σ of the polynomial over v from `from` to just before `to`. Each power of v sums to a polynomial
 * of one degree more.
 */
export function summed(a: Polynomial, v: Variable, from: Polynomial, to: Polynomial): Polynomial {
  const isVariable = (factor: Quantity): boolean =>
    factor.kind === "extent" && factor.atom.kind === "variable" && factor.atom.variable === v;
  return plus(
    ...a.map((each) => {
      const degree = each.factors.filter(isVariable).length;
      const rest: Polynomial = [
        { ...each, factors: each.factors.filter((factor) => !isVariable(factor)) },
      ];
      return times(rest, minus(powerSum(degree, to), powerSum(degree, from)));
    }),
  );
}

/** 0ᵖ + 1ᵖ + … + (n - 1)ᵖ, from nᵖ⁺¹ = Σ { k ≤ p } C(p + 1, k)·(the same for k). */
function powerSum(p: number, n: Polynomial): Polynomial {
  let lower = nothing;
  let binomial = 1;
  for (let k = 0; k < p; k++) {
    lower = plus(lower, scaled(powerSum(k, n), binomial));
    binomial = (binomial * (p + 1 - k)) / (k + 1);
  }
  return scaled(minus(power(n, p + 1), lower), 1, p + 1);
}

/** The values of the quantities of a polynomial in a run. */
export interface Sizes {
  readonly extent: (v: Variable) => number;
  readonly data: (text: string) => number;
}

export function evaluate(a: Polynomial, sizes: Sizes): number {
  return a.reduce(
    (total, { top, bottom, factors }) =>
      total +
      (top / bottom) *
        factors.reduce(
          (product, factor) =>
            product *
            (factor.kind === "data"
              ? sizes.data(factor.text)
              : evaluateTerm(ofAtom(factor.atom), sizes.extent)),
          1,
        ),
    0,
  );
}

/** Whether a polynomial is greater than another one when all extents are large. */
export function exceeds(a: Polynomial, b: Polynomial): boolean {
  const large: Sizes = { extent: () => 1009, data: () => 31 };
  return evaluate(a, large) > evaluate(b, large);
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** In the notation of mathematics: `2·m·n + n²/2`. */
export function showPolynomial(a: Polynomial): string {
  if (a.length === 0) return "0";
  return a
    .map(({ top, bottom, factors }, at) => {
      const counts = new Map<string, { readonly text: string; power: number }>();
      for (const factor of factors) {
        const found = counts.get(factor.key);
        if (found) found.power++;
        else counts.set(factor.key, { text: quantityText(factor), power: 1 });
      }
      const texts = [...counts.values()].map(({ text, power: p }) =>
        p === 1 ? text : `${text}${raised(p)}`,
      );
      const size = Math.abs(top);
      const product = [...(size === 1 && texts.length > 0 ? [] : [String(size)]), ...texts].join(
        "·",
      );
      const sign = top < 0 ? (at === 0 ? "-" : " - ") : at === 0 ? "" : " + ";
      return `${sign}${product}${bottom === 1 ? "" : `/${bottom}`}`;
    })
    .join("");
}

function raised(power: number): string {
  return [...String(power)].map((digit) => superscripts[Number(digit)]!).join("");
}

function quantityText(quantity: Quantity): string {
  if (quantity.kind === "data") return `|${quantity.text}|`;
  const text = show(ofAtom(quantity.atom));
  return /^\w+$/.test(text) || text.endsWith(")") ? text : `(${text})`;
}
