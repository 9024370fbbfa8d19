// The elementary functions against reference values.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { erf, power, sigmoid } from "./elementary.ts";

// Written by test/reference/erf.py.
const erfTable: readonly (readonly [number, number])[] = [
  [0.0, 0.0],
  [1e-300, 1.1283791670955126e-300],
  [1e-10, 1.1283791670955126e-10],
  [0.1, 0.1124629160182849],
  [0.25, 0.2763263901682369],
  [0.5, 0.5204998778130465],
  [0.75, 0.7111556336535151],
  [0.84374, 0.7672201241832406],
  [0.84375, 0.7672256612323416],
  [0.9, 0.7969082124228322],
  [1.0, 0.8427007929497149],
  [1.1, 0.8802050695740817],
  [1.2499, 0.922876473187532],
  [1.25, 0.9229001282564582],
  [1.5, 0.9661051464753108],
  [2.0, 0.9953222650189527],
  [2.5, 0.999593047982555],
  [2.857, 0.9999466417399131],
  [2.858, 0.9999469625944368],
  [3.0, 0.9999779095030014],
  [3.5, 0.9999992569016276],
  [4.0, 0.9999999845827421],
  [5.0, 0.9999999999984626],
  [5.9, 0.9999999999999999],
  [5.999, 1.0],
  [6.0, 1.0],
  [30.0, 1.0],
];

describe("erf", () => {
  it.each(erfTable)("of %d", (x, expected) => {
    expect(Math.abs(erf(x) - expected)).toBeLessThanOrEqual(Math.abs(expected) * 2 ** -52);
    expect(erf(-x)).toBe(-erf(x));
  });

  it("has its limits", () => {
    expect(erf(Infinity)).toBe(1);
    expect(erf(-Infinity)).toBe(-1);
    expect(erf(NaN)).toBeNaN();
    expect(erf(-0)).toBe(-0);
  });

  it("rises", () => {
    fc.assert(
      fc.property(fc.double({ min: -7, max: 7, noNaN: true }), (x) => erf(x + 1e-3) >= erf(x)),
    );
  });
});

describe("sigmoid", () => {
  it("neither overflows nor loses its small values", () => {
    expect(sigmoid(-1000)).toBe(0);
    expect(sigmoid(1000)).toBe(1);
    expect(sigmoid(-700)).toBe(Math.exp(-700));
    expect(sigmoid(0)).toBe(0.5);
    expect(sigmoid(NaN)).toBeNaN();
  });
});

describe("power", () => {
  it("follows IEEE 754 where JavaScript does not", () => {
    expect(power(1, NaN)).toBe(1);
    expect(power(-1, -Infinity)).toBe(1);
    expect(power(NaN, 0)).toBe(1);
    expect(power(-8, 3)).toBe(-512);
    expect(power(-8, 0.5)).toBeNaN();
  });
});
