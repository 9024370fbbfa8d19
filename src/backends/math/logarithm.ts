// log and log1p.
//
// With x = 2^e · (1 + f), where 1 + f lies between √½ and √2,
//
//   log x = e · ln 2 + f - f²/2 + f³ · P(f) / Q(f)
//
// The parts are added from the smallest to the largest, with ln 2 in two parts. Near 1, where e =
// 0, only f then decides the result.

import type { Lanes } from "./lanes.ts";
import { polynomial } from "./polynomial.ts";

/**
 * (log(1 + f) - f + f²/2) / f³ by `npm run fit`: relative error of log(1 + f) below 2^-27. P and Q
 * are divided by the last coefficient of Q, which saves its multiplication.
 */
const lastOfQ = 0.47596654295921326;
const numerator = [0.333333283662796, 0.22618357837200165, 0.0015209148405119777].map(
  (c) => c / lastOfQ,
);
const denominator = [1 / lastOfQ, 1.4285446405410767 / lastOfQ];

/** ln 2 in two parts, the first of 16 bits, so that its product with an exponent is exact. */
const highPart = Math.floor(Math.LN2 * 2 ** 16) / 2 ** 16;
const lowPart = Math.LN2 - highPart;

const smallestNormal = 2 ** -126;
/** The bits of √½. Their difference to the bits of x has e in its exponent field. */
const rootHalf = 0x3f3504f3;
/** The bits of 2. */
const two = 0x40000000;
const exponentBits = 0xff800000 | 0;

/** The exponent e as the integer e · 2^23, for the fraction 1 + f between √½ and √2. */
function exponentField<V>(m: Lanes<V>, x: V): V {
  return m.and(m.subInteger(x, m.integer(rootHalf)), m.integer(exponentBits));
}

/** |x| as its fraction, 1 + f, and its exponent, e · 2^23: both are floats. */
interface Parts<V> {
  readonly fraction: V;
  readonly scaled: V;
}

function splitNormal<V>(m: Lanes<V>, x: V): Parts<V> {
  const field = exponentField(m, x);
  return { fraction: m.subInteger(x, field), scaled: m.toFloat(field) };
}

/**
 * The parts of a positive finite number, subnormal ones included. Other numbers give something
 * finite.
 */
export function split<V>(m: Lanes<V>, x: V): Parts<V> {
  const subnormal = m.less(x, m.float(smallestNormal));
  const { fraction, scaled } = splitNormal(m, m.choose(subnormal, m.mul(x, m.float(2 ** 23)), x));
  return { fraction, scaled: m.sub(scaled, m.and(subnormal, m.float(23 * 2 ** 23))) };
}

/** log(1 + f) + e · ln 2, where `scaled` is e · 2^23 as a float. */
function sum<V>(m: Lanes<V>, f: V, scaled: V): V {
  const square = m.mul(f, f);
  const q = m.add(m.mul(m.add(f, m.float(denominator[1]!)), f), m.float(denominator[0]!));
  const cubic = m.div(m.mul(m.mul(square, f), polynomial(m, f, numerator)), q);
  const small = m.add(cubic, m.mul(scaled, m.float(lowPart * 2 ** -23)));
  const near = m.sub(f, m.sub(m.mul(square, m.float(0.5)), small));
  return m.add(m.mul(scaled, m.float(highPart * 2 ** -23)), near);
}

function sumOf<V>(m: Lanes<V>, { fraction, scaled }: Parts<V>): V {
  return sum(m, m.sub(fraction, m.float(1)), scaled);
}

/**
 * `value` if 0 < at < ∞. Below 0 it is NaN, at 0 it is -∞, and ∞ and NaN stay as they are in
 * `whole`.
 */
function withSpecials<V>(m: Lanes<V>, at: V, whole: V, value: V): V {
  const finite = m.choose(m.less(at, m.float(Infinity)), value, whole);
  const defined = m.or(finite, m.less(at, m.float(0)));
  return m.choose(m.equal(at, m.float(0)), m.float(-Infinity), defined);
}

/**
 * Whether x is no positive normal number. Their bits lie from 2^23 to below 255 · 2^23, so after a
 * shift down one signed comparison decides.
 */
function isUnusual<V>(m: Lanes<V>, x: V): V {
  const shifted = m.addInteger(x, m.integer((1 << 31) - (1 << 23)));
  return m.lessInteger(m.integer((1 << 31) + (254 << 23) - 1), shifted);
}

export function log<V>(m: Lanes<V>, x: V): V {
  const ofAny = (): V => withSpecials(m, x, x, sumOf(m, split(m, x)));
  return m.except(isUnusual(m, x), ofAny, sumOf(m, splitNormal(m, x)));
}

/**
 * With u = 1 + x rounded and c = x - (u - 1) what the rounding lost, f includes c: 2^e · (1 + f) =
 * u + c.
 */
export function log1p<V>(m: Lanes<V>, x: V): V {
  const u = m.add(x, m.float(1));
  const lost = m.sub(x, m.sub(u, m.float(1)));
  const field = exponentField(m, u);
  // 2 · 2^-e, which is 0 and not negative for the largest e
  const inverse = m.subInteger(m.integer(two), field);
  const f = m.add(
    m.sub(m.subInteger(u, field), m.float(1)),
    m.mul(m.mul(lost, inverse), m.float(0.5)),
  );
  const value = withSpecials(m, u, x, sum(m, f, m.toFloat(field)));
  // The result for -0 is -0.
  return m.choose(m.equal(x, m.float(0)), x, value);
}
