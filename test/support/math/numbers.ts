// One lane on JavaScript numbers. A value is the 32 bits of its lane as a signed integer, so that
// masks and NaNs are never confused.

import type { Doubles, Lanes } from "../../../src/backends/math/lanes.ts";

const floats = new Float32Array(1);
const bits = new Int32Array(floats.buffer);

/** The bits of the f32 nearest to `value`. */
export function toBits(value: number): number {
  floats[0] = value;
  return bits[0]!;
}

export function fromBits(value: number): number {
  bits[0] = value;
  return floats[0]!;
}

const one =
  (compute: (a: number) => number) =>
  (a: number): number =>
    toBits(compute(fromBits(a)));

/**
 * Sums, products and quotients of f32 are computed in f64. Rounding them to f32 gives the same
 * result as rounding once.
 */
const two =
  (compute: (a: number, b: number) => number) =>
  (a: number, b: number): number =>
    toBits(compute(fromBits(a), fromBits(b)));

const compared =
  (holds: (a: number, b: number) => boolean) =>
  (a: number, b: number): number =>
    holds(fromBits(a), fromBits(b)) ? -1 : 0;

/** To the nearest integer, ties to even. A negative number that rounds to zero gives -0. */
export function nearest(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  const rounded = rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1;
  return rounded === 0 && (value < 0 || Object.is(value, -0)) ? -0 : rounded;
}

function truncateSaturating(value: number): number {
  if (value >= 2147483647) return 2147483647;
  if (value <= -2147483648) return -2147483648;
  return value | 0;
}

/** 2^-1022 to 2^1023, by doubling, because engines may approximate `**`. */
const powers = new Float64Array(2046);
for (let at = 0, power = 2.2250738585072014e-308; at < powers.length; at++, power *= 2)
  powers[at] = power;

/** A mask is a number, 1 if the comparison holds. */
const doubles: Doubles<number> = {
  double: (value) => value,
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  sqrt: Math.sqrt,
  nearest,
  floor: Math.floor,
  abs: Math.abs,
  neg: (a) => -a,
  pmin: (a, b) => (a < b ? a : b),
  pmax: (a, b) => (a > b ? a : b),
  less: (a, b) => (a < b ? 1 : 0),
  choose: (mask, a, b) => (mask === 0 ? b : a),
  powerOfTwo: (n) => powers[n + 1022] ?? NaN,
};

export const numbers: Lanes<number> = {
  float: toBits,
  integer: (value) => value | 0,

  add: two((a, b) => a + b),
  sub: two((a, b) => a - b),
  mul: two((a, b) => a * b),
  mulAdd: (a, b, c) => numbers.add(numbers.mul(a, b), c),
  mulSubtractFrom: (c, a, b) => numbers.sub(c, numbers.mul(a, b)),
  div: two((a, b) => a / b),
  sqrt: one(Math.sqrt),
  floor: one(Math.floor),
  nearest: one(nearest),
  abs: (a) => a & 0x7fffffff,
  neg: (a) => a ^ 0x80000000,
  pmin: (a, b) => (fromBits(a) < fromBits(b) ? a : b),
  pmax: (a, b) => (fromBits(a) > fromBits(b) ? a : b),

  less: compared((a, b) => a < b),
  lessEqual: compared((a, b) => a <= b),
  equal: compared((a, b) => a === b),
  notEqual: compared((a, b) => a !== b),
  choose: (mask, a, b) => (a & mask) | (b & ~mask),
  except: (mask, exceptional, usual) => (mask === 0 ? usual : exceptional()),

  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  andNot: (a, b) => a & ~b,

  addInteger: (a, b) => (a + b) | 0,
  subInteger: (a, b) => (a - b) | 0,
  mulInteger: Math.imul,
  shiftLeft: (a, by) => a << by,
  shiftRight: (a, by) => a >> by,
  shiftRightUnsigned: (a, by) => (a >>> by) | 0,
  equalInteger: (a, b) => (a === b ? -1 : 0),
  lessInteger: (a, b) => (a < b ? -1 : 0),

  toFloat: toBits,
  toInteger: (a) => truncateSaturating(fromBits(a)),

  wide: (args, compute) => toBits(compute(doubles, args.map(fromBits))),
};

/** A function of lanes as a function of numbers. Each argument is rounded to f32. */
export function onNumbers(
  compute: (m: Lanes<number>, x: number, y: number) => number,
  lanes: Lanes<number> = numbers,
): (x: number, y?: number) => number {
  return (x, y = x) => fromBits(compute(lanes, toBits(x), toBits(y)));
}

/** The operations of a host that rounds a product and a sum once. */
export const fusedNumbers: Lanes<number> = {
  ...numbers,
  mulAdd: (a, b, c) => toBits(fromBits(a) * fromBits(b) + fromBits(c)),
  mulSubtractFrom: (c, a, b) => toBits(fromBits(c) - fromBits(a) * fromBits(b)),
};
