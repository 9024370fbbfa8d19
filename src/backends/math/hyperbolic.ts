// tanh, without a second formula near 0.
//
// With n the integer below |x| / (½ ln 2) + ¼ and h = |x| - n · ½ ln 2, so that -0.09 < h < 0.26,
// and E(h) = h · coth h, the addition theorem says
//
//   tanh |x| = (w + h) / (w + E)        w = ½ (2^n - 1) · (E + h)
//
// Near 0, w is 0. Elsewhere w ≥ 0.46, so a negative h cancels little, and E needs only a short
// interval. The denominator is computed as (w + h) + (E - h): the rounding of w + h, the largest
// one, is then in both and cancels. The value can never exceed 1, and is 1 as soon as h and E
// vanish beside w.

import type { Lanes } from "./lanes.ts";
import { polynomial } from "./polynomial.ts";

/** E(h) = 1 + h² · C(h²) by `npm run fit`: relative error below 2^-25. */
const evenPart = [0.33332914113998413, -0.02202281728386879];

/** From 9.02 on, tanh rounds to 1. */
const end = 9.1;

/** ½ ln 2 happens to be within 2^-30 of an f32, so it needs no second part. */
const period = Math.LN2 / 2;

/**
 * 1.5 · 2^23 + 126. The sum of n and this number has the exponent of 2^n / 2 in its lowest bits.
 */
const magic = 12582912 + 126;

export function tanh<V>(m: Lanes<V>, x: V): V {
  const sign = m.integer(1 << 31);
  const size = m.pmin(m.float(end), m.andNot(x, sign));
  const n = m.floor(m.mulAdd(size, m.float(1 / period), m.float(0.25)));
  const h = m.mulSubtractFrom(size, n, m.float(period));
  const square = m.mul(h, h);
  const e = m.mulAdd(polynomial(m, square, evenPart), square, m.float(1));
  const halfScale = m.shiftLeft(m.add(n, m.float(magic)), 23);
  const factor = m.sub(halfScale, m.float(0.5));
  const above = m.mulAdd(factor, e, m.mulAdd(factor, h, h));
  // The sign of x is set before the denominator is computed, so that nothing waits for it.
  return m.div(m.or(above, m.and(x, sign)), m.add(above, m.sub(e, h)));
}
