// Rounding to the float types, checked on every bit pattern of f16 and bf16.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bf16FromBits,
  bf16ToBits,
  f16FromBits,
  f16ToBits,
  roundHalfEven,
  roundTo,
} from "./round.ts";

const formats = [
  { type: "f16", from: f16FromBits, to: f16ToBits, infinity: 0x7c00, nan: 0x7e00 },
  { type: "bf16", from: bf16FromBits, to: bf16ToBits, infinity: 0x7f80, nan: 0x7fc0 },
] as const;

describe.each(formats)("$type", ({ type, from, to, infinity, nan }) => {
  it("is the identity on every one of its bit patterns", () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const value = from(bits);
      if (Number.isNaN(value)) expect(to(value)).toBe(nan);
      else if (to(value) !== bits || !Object.is(roundTo(type, value), value))
        expect.fail(`pattern ${bits.toString(16)}`);
    }
  });

  it("rounds to the nearer neighbour and ties to even, between every two neighbours", () => {
    for (let bits = 0; bits < infinity - 1; bits++) {
      const low = from(bits);
      const high = from(bits + 1);
      const middle = low + (high - low) / 2;
      const even = bits % 2 === 0 ? low : high;
      // The f64 neighbours of the middle would go wrong in a rounding through f32.
      const nudge = (high - low) * 2 ** -40;
      const wrong =
        roundTo(type, middle) !== even ||
        roundTo(type, middle - nudge) !== low ||
        roundTo(type, middle + nudge) !== high;
      if (wrong) expect.fail(`between patterns ${bits} and ${bits + 1}`);
    }
  });

  it("overflows to infinity from half a spacing above the largest value", () => {
    const largest = from(infinity - 1);
    const spacing = largest - from(infinity - 2);
    expect(roundTo(type, largest + spacing / 2)).toBe(Infinity);
    expect(roundTo(type, largest + spacing * 0.4999999)).toBe(largest);
    expect(roundTo(type, -largest - spacing / 2)).toBe(-Infinity);
    expect(roundTo(type, Infinity)).toBe(Infinity);
    expect(roundTo(type, Number.MAX_VALUE)).toBe(Infinity);
  });

  it("keeps signed zeros, vanishes below half the least subnormal, and keeps NaN", () => {
    const least = from(1);
    expect(roundTo(type, -0)).toBe(-0);
    expect(roundTo(type, least / 2)).toBe(0);
    expect(roundTo(type, (least / 2) * (1 + 2 ** -50))).toBe(least);
    expect(roundTo(type, -5e-324)).toBe(-0);
    expect(roundTo(type, NaN)).toBeNaN();
  });
});

it("knows the well-known patterns", () => {
  expect([1, -2, 65504, 2 ** -24, 0.333251953125].map(f16ToBits)).toEqual([
    0x3c00, 0xc000, 0x7bff, 1, 0x3555,
  ]);
  expect([1, -2, 3.140625, 2 ** -133].map(bf16ToBits)).toEqual([0x3f80, 0xc000, 0x4049, 1]);
});

it("rounds halves to even", () => {
  expect([0.5, 1.5, 2.5, -0.5, -1.5, 2251799813685248.5, 1e300].map(roundHalfEven)).toEqual([
    0, 2, 2, -0, -2, 2251799813685248, 1e300,
  ]);
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), (x) => {
      const nearest = roundHalfEven(x);
      return Math.abs(x - nearest) <= 0.5 && (Math.abs(x - nearest) < 0.5 || nearest % 2 === 0);
    }),
  );
});
