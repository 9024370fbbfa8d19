// e^x, and e^x - 1 without the cancellation near 0.
//
// With k the integer nearest to x / (2 ln 2) and r = x - k · 2 ln 2, so that |r| ≤ ln 2,
//
//   e^x = 2^k · 2^k · e^r      e^r = 1 + r / D(r)
//   D(r) = r / (e^r - 1) = 1 - r/2 + r² · E(r²)
//
// Two factors 2^k instead of one 2^n reach every result, from the smallest subnormal to the
// overflow, with one shift and one rounding. After its second term, the series of D has even powers
// only (the Bernoulli numbers), so three coefficients of E make e^r exact to 2^-32. And r / D is
// e^r - 1 without cancellation.

import type { Lanes } from "./lanes.ts";
import { polynomial } from "./polynomial.ts";

/** E(z) for z = r² from 0 to (ln 2)², by `npm run fit`: relative error of e^r below 2^-32. */
const evenPart = [0.08333331346511841, -0.00138865748886019, 0.00003228256537113339];

/**
 * 1.5 · 2^23 + 127. The sum of a small float and this number has the nearest integer, plus the bias
 * of an exponent, in its lowest bits.
 */
const magic = 12582912 + 127;

/** 2 ln 2 in two parts, the first of 16 bits, so that its product with k is exact. */
const period = 2 * Math.LN2;
const periodHigh = Math.floor(period * 2 ** 15) / 2 ** 15;
const periodLow = period - periodHigh;

interface Reduced<V> {
  /** A float that is an integer, never -0. */
  readonly k: V;
  readonly r: V;
  /** D(r) */
  readonly d: V;
  /** 2^k */
  readonly scale: V;
}

/**
 * Reduces x between `low` and `high`. An x beyond a bound is taken for that bound; NaN stays NaN.
 */
function reduce<V>(m: Lanes<V>, x: V, low: number, high: number): Reduced<V> {
  const bounded = m.pmax(m.float(low), m.pmin(m.float(high), x));
  const shifted = m.mulAdd(bounded, m.float(1 / period), m.float(magic));
  const k = m.sub(shifted, m.float(magic));
  const r = m.mulSubtractFrom(
    m.mulSubtractFrom(bounded, k, m.float(periodHigh)),
    k,
    m.float(periodLow),
  );
  // Horner's rule to the end, so that only the last sum rounds in the last place of D.
  const even = polynomial(m, m.mul(r, r), evenPart);
  const d = m.mulAdd(m.mulAdd(even, r, m.float(-0.5)), r, m.float(1));
  return { k, r, d, scale: m.shiftLeft(shifted, 23) };
}

/** Below this, e^x is less than half the smallest subnormal. */
const underflow = -104;
const overflow = 89;

export function exp<V>(m: Lanes<V>, x: V): V {
  const { r, d, scale } = reduce(m, x, underflow, overflow);
  // A product with a power of two is exact, so this is (q + 1) · scale, rounded once.
  return m.mul(m.mulAdd(m.div(r, d), scale, scale), scale);
}

/**
 * With q = r / D = e^r - 1 and s = 2^k, e^x - 1 = s · (s·q + (s - 1/s)). The difference is exact as
 * long as it matters. For k = 0 the result is q itself, which keeps -0 and the subnormals.
 */
export function expm1<V>(m: Lanes<V>, x: V): V {
  const { k, r, d, scale } = reduce(m, x, -18, overflow);
  const q = m.div(r, d);
  const inverse = m.subInteger(m.integer(254 << 23), scale);
  const scaled = m.mul(scale, m.add(m.mul(scale, q), m.sub(scale, inverse)));
  return m.choose(m.equal(k, m.float(0)), q, scaled);
}
