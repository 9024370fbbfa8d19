// x to the power y, as 2^(y · log2 |x|) in f64: the error of an f32 logarithm would be multiplied
// by y.
//
// With |x| = 2^e · m, m from √½ to √2, and s = (m - 1) / (m + 1),
//
//   log2 |x| = e + s · L(s²)        2^t = 2^n · T(t - n), n the integer nearest to t
//
// The result is rounded once, to f32, also if it is subnormal or overflows. The exponents of zeros
// and infinities are ∓∞.

import type { Doubles, Lanes } from "./lanes.ts";
import { split } from "./logarithm.ts";
import { widePolynomial } from "./polynomial.ts";

/**
 * L by `npm run fit`: relative error below 2^-37. Where it matters, y · log2 |x| is at most 150,
 * and so exact to 2^-30.
 */
const logarithmPart = [
  2.8853900817901414, 0.961796673267382, 0.5770836001204097, 0.4116717578615448,
  0.34074876821839384,
];

/** T for |f| ≤ ½ by `npm run fit`: relative error below 2^-29. */
const powerPart = [
  1.0000000005541632, 0.6931472057366871, 0.24022646889935884, 0.05550328777916765,
  0.00961848904931414, 0.0013399930897631063, 0.0001534578461041373,
];

/** Beyond ±200 the result is infinite or zero. */
const furthest = 200;

function widePower<W>(d: Doubles<W>, fraction: W, scaled: W, y: W): W {
  const s = d.div(d.sub(fraction, d.double(1)), d.add(fraction, d.double(1)));
  const part = d.mul(s, widePolynomial(d, d.mul(s, s), logarithmPart));
  const logarithm = d.add(d.mul(scaled, d.double(2 ** -23)), part);
  const t = d.pmax(d.double(-furthest), d.pmin(d.double(furthest), d.mul(y, logarithm)));
  const n = d.nearest(t);
  return d.mul(widePolynomial(d, d.sub(t, n), powerPart), d.powerOfTwo(n));
}

export function power<V>(m: Lanes<V>, x: V, y: V): V {
  const size = m.abs(x);
  const finite = m.less(size, m.float(Infinity));
  const { fraction, scaled } = split(m, size);
  const exponent = m.choose(
    m.equal(size, m.float(0)),
    m.float(-Infinity),
    m.choose(finite, scaled, size),
  );
  const ofSize = m.wide([fraction, exponent, y], (d, [f, e, by]) => widePower(d, f!, e!, by!));

  // Anything to the power 0 is 1, so is 1 to any power, and so is -1 to an infinite power.
  const infinitePower = m.and(m.equal(size, m.float(1)), m.equal(m.abs(y), m.float(Infinity)));
  const isOne = m.or(m.or(m.equal(y, m.float(0)), m.equal(x, m.float(1))), infinitePower);
  const value = m.choose(isOne, m.float(1), ofSize);

  // Odd powers keep the sign. Below 0, a power that is no integer is undefined.
  const integer = m.equal(m.floor(y), y);
  const half = m.mul(y, m.float(0.5));
  const odd = m.andNot(integer, m.equal(m.floor(half), half));
  const sign = m.and(odd, m.and(x, m.integer(1 << 31)));
  const undefinedBelow = m.andNot(m.and(m.less(x, m.float(0)), finite), integer);
  return m.or(m.xor(value, sign), undefinedBelow);
}
