// Rounding a number to a float type, and the bit patterns of f16 and bf16.
//
// Take a format with p significant bits and least normal exponent m. At a number with exponent e
// its values are spaced by q:
//
//   q = 2^(max(e, m) - (p - 1))
//
// Dividing by q is exact, because q is a power of two and the quotient has at most 53 bits. The
// only rounding is then the one to an integer, half to even. So a number that starts as an f64 is
// never rounded twice.

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
 * The value of the float type nearest to `x`, ties to even. A value that is too large becomes an
 * infinity.
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
 * The result of an arithmetic operation in the float type, if the result in f64 is `x`. f16 and
 * bf16 compute in f32, so their results are rounded to f32 first.
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
  // From 2^52 on, every f64 is an integer. Below, `size + 2^52` has spacing 1, so the addition
  // rounds as IEEE 754 does.
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
 * floor(log2 |x|) of a normal f64. For a subnormal f64 the result is -1023, which is below the
 * least exponent of f16 and bf16.
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

/** The bits of `x` rounded to f16. Every NaN becomes the quiet NaN 0x7e00. */
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

/** The bits of `x` rounded to bf16. Every NaN becomes the quiet NaN 0x7fc0. */
export function bf16ToBits(x: number): number {
  const value = roundTo("bf16", x);
  if (Number.isNaN(value)) return 0x7fc0;
  // A bf16 is the upper half of the f32 with the same value.
  asF32[0] = value;
  return asWord[0]! >>> 16;
}
