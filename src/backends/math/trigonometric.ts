// sin, cos and tan of every float, however large.
//
// With n the integer nearest to x / (π/2) and r = x - n · π/2, the value is a polynomial of r. The
// last two bits of n decide which polynomial, and its sign. The subtraction cancels almost
// everything if x is close to a multiple of π/2, so it is made in f64.
//
// For large x, π/2 in two parts is not exact enough. Then 1/2π is multiplied in seven parts of 29
// bits (the idea of Payne and Hanek, 1983). A part times the 24 bits of x is exact in f64, so whole
// turns can be dropped from each product by itself, without an error. The sum of what is left is
// the angle.

import type { Doubles, Lanes } from "./lanes.ts";
import { polynomial, widePolynomial } from "./polynomial.ts";

// For |r| up to 0.8, a little more than π/4, by `npm run fit`: relative errors below 2^-27 and
// 2^-32.
/** sin r = r + r³ · S(r²) */
const sinePart = [-0.16666653752326965, 0.008332095108926296, -0.00019505539967212826];
/** cos r = 1 - r²/2 + r⁴ · C(r²) */
const cosinePart = [0.04166664183139801, -0.0013887130189687014, 0.000024412085622316226];

/**
 * 1.5 · 2^23. The sum of a small float and this number has the nearest integer in its lowest bits.
 */
const magic = 12582912;

/** π/2 in two parts, the first of 33 bits, so that its product with an n of 20 bits is exact. */
const quarterHigh = 1.5707963267341256;
const quarterLow = 6.077100506506192e-11;

/** From here on, x / (π/2) in f32 is too coarse to find the nearest integer. */
const large = 2 ** 17;

function subtractQuarters<W>(d: Doubles<W>, x: W, n: W): W {
  return d.sub(d.sub(x, d.mul(n, d.double(quarterHigh))), d.mul(n, d.double(quarterLow)));
}

/** r, and an integer whose last two bits are those of n + `quarters`. */
function reduce<V>(m: Lanes<V>, x: V, quarters: number): { readonly r: V; readonly n: V } {
  const shifted = m.add(m.mul(x, m.float(2 / Math.PI)), m.float(magic));
  const n = m.sub(shifted, m.float(magic));
  const r = m.wide([x, n], (d, [wideX, wideN]) => subtractQuarters(d, wideX!, wideN!));
  return { r, n: m.addInteger(shifted, m.integer(quarters)) };
}

function sine<V>(m: Lanes<V>, r: V, square: V): V {
  return m.add(r, m.mul(m.mul(r, square), polynomial(m, square, sinePart)));
}

function cosine<V>(m: Lanes<V>, square: V): V {
  const near = m.sub(m.float(1), m.mul(square, m.float(0.5)));
  return m.add(near, m.mul(m.mul(square, square), polynomial(m, square, cosinePart)));
}

/** 1/2π, 29 bits in each part. */
const turnParts = [85445659, 240010261, 88048874, 524801235, 249589169, 156865476, 119571452];

/** What is left of x after n quarter turns. */
interface Turned<W> {
  readonly r: W;
  readonly n: W;
}

function withoutTurns<W>(d: Doubles<W>, x: W): Turned<W> {
  const parts = turnParts.map((part, at) => {
    const turns = d.mul(x, d.double(part * 2 ** (-29 * (at + 1))));
    return d.sub(turns, d.nearest(turns));
  });
  const sum = (a: W, b: W): W => d.add(a, b);
  const n = d.nearest(d.mul(parts.reduce(sum), d.double(4)));
  // The quarter turns are subtracted first, so that the large parts cancel exactly before the small
  // ones are added.
  const left = parts.reduce(sum, d.mul(n, d.double(-0.25)));
  return { r: d.mul(left, d.double(2 * Math.PI)), n };
}

function withoutQuarters<W>(d: Doubles<W>, x: W): Turned<W> {
  const n = d.nearest(d.mul(x, d.double(2 / Math.PI)));
  return { r: subtractQuarters(d, x, n), n };
}

function wideSine<W>(d: Doubles<W>, r: W): W {
  const square = d.mul(r, r);
  return d.add(r, d.mul(d.mul(r, square), widePolynomial(d, square, sinePart)));
}

function wideCosine<W>(d: Doubles<W>, r: W): W {
  const square = d.mul(r, r);
  const near = d.sub(d.double(1), d.mul(square, d.double(0.5)));
  return d.add(near, d.mul(d.mul(square, square), widePolynomial(d, square, cosinePart)));
}

/** Whether n is odd, which shows in a remainder when it is halved. */
function isWideOdd<W>(d: Doubles<W>, n: W): W {
  const half = d.mul(n, d.double(0.5));
  return d.less(d.floor(half), half);
}

/** The sine of r plus n quarter turns. */
function wideTurned<W>(d: Doubles<W>, r: W, n: W): W {
  const value = d.choose(isWideOdd(d, n), wideCosine(d, r), wideSine(d, r));
  return d.choose(isWideOdd(d, d.floor(d.mul(n, d.double(0.5)))), d.neg(value), value);
}

/** sin / cos in even quarters, -cos / sin in odd ones. */
function wideTangent<W>(d: Doubles<W>, { r, n }: Turned<W>): W {
  const odd = isWideOdd(d, n);
  const s = wideSine(d, r);
  const c = wideCosine(d, r);
  return d.div(d.choose(odd, d.neg(c), s), d.choose(odd, s, c));
}

function isLarge<V>(m: Lanes<V>, x: V): V {
  return m.lessEqual(m.float(large), m.abs(x));
}

/** The sine of x plus so many quarter turns. */
function turned<V>(m: Lanes<V>, x: V, quarters: number): V {
  const { r, n } = reduce(m, x, quarters);
  const square = m.mul(r, r);
  const odd = m.equalInteger(m.and(n, m.integer(1)), m.integer(1));
  const value = m.choose(odd, cosine(m, square), sine(m, r, square));
  const sign = m.and(m.shiftLeft(n, 30), m.integer(1 << 31));
  const ofLarge = (): V =>
    m.wide([x], (d, [wideX]) => {
      const left = withoutTurns(d, wideX!);
      return wideTurned(d, left.r, d.add(left.n, d.double(quarters)));
    });
  return m.except(isLarge(m, x), ofLarge, m.xor(value, sign));
}

export function sin<V>(m: Lanes<V>, x: V): V {
  // The sine of -0 is -0. The sum in the polynomial would make it 0.
  return m.choose(m.equal(x, m.float(0)), x, turned(m, x, 0));
}

export function cos<V>(m: Lanes<V>, x: V): V {
  return turned(m, x, 1);
}

/**
 * The tangent, in f64 throughout: in f32 the errors of sine, cosine and quotient would add up to
 * more than 3 units of the last place.
 */
export function tan<V>(m: Lanes<V>, x: V): V {
  const usual = m.wide([x], (d, [wideX]) => wideTangent(d, withoutQuarters(d, wideX!)));
  const ofLarge = (): V => m.wide([x], (d, [wideX]) => wideTangent(d, withoutTurns(d, wideX!)));
  // The tangent of -0 is -0.
  return m.choose(m.equal(x, m.float(0)), x, m.except(isLarge(m, x), ofLarge, usual));
}
