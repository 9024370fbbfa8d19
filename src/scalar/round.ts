// Rounding a number to a float type, and the bit patterns of the two half-width types.
//
// A format with p significant bits and least normal exponent m has, at a number of exponent e, the
// spacing q = 2^(max(e, m) - (p - 1)). Dividing by q is exact (q is a power of two and the quotient
// has at most 53 bits), so one rounding to an integer, half to even, is the only rounding that
// happens: starting from an f64 nothing is rounded twice.

import type { FloatType } from "./types.ts";

interface Format {
  readonly significantBits: number;
  readonly leastExponent: number;
  /** The first power of two that is too large. */
  readonly overflow: number;
}

const f16Format: Format = { significantBits: 11, leastExponent: -14, overflow: 2 ** 16 };
const bf16Format: Format = { significantBits: 8, leastExponent: -126, overflow: 2 ** 128 };

/**
 * The value of the float type nearest to `x`, ties to even; what is too large becomes an infinity.
 */
export function roundTo(type: FloatType, x: number): number {
  switch (type) {
    case "f64":
      return x;
    case "f32":
      return Math.fround(x);
    case "f16":
      return roundToFormat(f16Format, x);
    case "bf16":
      return roundToFormat(bf16Format, x);
    default:
      return type satisfies never;
  }
}

/**
 * The value of the float type that an arithmetic operation gives when its result in f64 is `x`.
 * The half-width types compute in f32, so their results pass through it.
 */
export function roundResult(type: FloatType, x: number): number {
  switch (type) {
    case "f64":
      return x;
    case "f32":
      return Math.fround(x);
    case "f16":
    case "bf16":
      return roundTo(type, Math.fround(x));
    default:
      return type satisfies never;
  }
}

/** The integer nearest to `x`, ties to even; keeps the sign of zero. */
export function roundHalfEven(x: number): number {
  const size = Math.abs(x);
  // From 2^52 on every f64 is an integer. Below it the sum has spacing 1, so adding 2^52 rounds as
  // IEEE does.
  if (!(size < 2 ** 52)) return x;
  const rounded = size + 2 ** 52 - 2 ** 52;
  return x < 0 || Object.is(x, -0) ? -rounded : rounded;
}

function roundToFormat(format: Format, x: number): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  const exponent = Math.max(exponentOf(x), format.leastExponent);
  const spacing = 2 ** (exponent - (format.significantBits - 1));
  const rounded = roundHalfEven(x / spacing) * spacing;
  if (rounded >= format.overflow) return Infinity;
  if (rounded <= -format.overflow) return -Infinity;
  return rounded;
}

const asF64 = new DataView(new ArrayBuffer(8));
const asF32 = new Float32Array(1);
const asWord = new Uint32Array(asF32.buffer);

/**
 * floor(log2 |x|) of a normal f64; -1023 for smaller ones, which are below the range of every
 * caller's format.
 */
function exponentOf(x: number): number {
  asF64.setFloat64(0, x);
  return ((asF64.getUint16(0) >> 4) & 0x7ff) - 1023;
}

export function f16FromBits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The bits of `x` rounded to f16; every NaN becomes the quiet one, 0x7e00. */
export function f16ToBits(x: number): number {
  const value = roundTo("f16", x);
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === Infinity) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  const exponent = exponentOf(size);
  return sign | ((exponent + 15) << 10) | (size * 2 ** (10 - exponent) - 1024);
}

export function bf16FromBits(bits: number): number {
  asWord[0] = bits << 16;
  return asF32[0]!;
}

/** The bits of `x` rounded to bf16; every NaN becomes the quiet one, 0x7fc0. */
export function bf16ToBits(x: number): number {
  const value = roundTo("bf16", x);
  if (Number.isNaN(value)) return 0x7fc0;
  // A bf16 is the upper half of the f32 with the same value.
  asF32[0] = value;
  return asWord[0]! >>> 16;
}
