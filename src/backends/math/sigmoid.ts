// The logistic function 1 / (1 + e^-x), with one division.
//
// With n the integer nearest to x / ln 2, r = x - n · ln 2 and G(r) = r · coth(r/2), which is even,
//
//   e^x = 2^n · (G + r) / (G - r)
//   sigmoid x = 2^n (G + r) / (2^n (G + r) + (G - r))
//
// Numerator and denominator have a common factor 2^30. Both are then normal numbers for results
// down to the smallest subnormal, and the quotient is rounded once.

import type { Lanes } from "./lanes.ts";
import { polynomial } from "./polynomial.ts";

/** G(r) = 2 + r² · C(r²) by `npm run fit`: relative error of e^r below 2^-29. */
const evenPart = [0.1666661649942398, -0.0027658205945044756];

/**
 * Below `low` the value is less than half the smallest subnormal. From `high` on, 1 + e^x rounds to
 * e^x.
 */
const low = -104;
const high = 18;

const lift = 30;
/**
 * 1.5 · 2^23 + 127 + 30. The sum of n and this number has the exponent of 2^n · 2^30 in its lowest
 * bits.
 */
const magic = 12582912 + 127 + lift;

/** ln 2 in two parts, the first of 16 bits, so that its product with n is exact. */
const highPart = Math.floor(Math.LN2 * 2 ** 16) / 2 ** 16;
const lowPart = Math.LN2 - highPart;

export function sigmoid<V>(m: Lanes<V>, x: V): V {
  const bounded = m.pmax(m.float(low), m.pmin(m.float(high), x));
  const shifted = m.add(m.mul(bounded, m.float(1 / Math.LN2)), m.float(magic));
  const n = m.sub(shifted, m.float(magic));
  const r = m.sub(m.sub(bounded, m.mul(n, m.float(highPart))), m.mul(n, m.float(lowPart)));
  const square = m.mul(r, r);
  const g = m.add(m.mul(polynomial(m, square, evenPart), square), m.float(2));
  const e = m.mul(m.add(g, r), m.shiftLeft(shifted, 23));
  return m.div(e, m.add(e, m.mul(m.sub(g, r), m.float(2 ** lift))));
}
