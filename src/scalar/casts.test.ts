// Casts: which are allowed, and their values at the edges.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cast, castAllowed, castHelp } from "./casts.ts";
import { elementTypes } from "./types.ts";

describe("cast", () => {
  it("goes from float to integer toward zero, saturating, with 0 for NaN", () => {
    expect([2.9, -2.9, NaN, Infinity, -1e10, -0.5].map((x) => cast("f32", "i32", x))).toEqual([
      2, -2, 0, 2147483647, -2147483648, 0,
    ]);
    expect([200, -200, 127.9, -128.9].map((x) => cast("f64", "i8", x))).toEqual([
      127, -128, 127, -128,
    ]);
    expect([1e30, -1e30, 2 ** 62, NaN, -1.5].map((x) => cast("f64", "i64", x))).toEqual([
      2n ** 63n - 1n,
      -(2n ** 63n),
      2n ** 62n,
      0n,
      -1n,
    ]);
  });

  it("wraps integers that narrow", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => {
        expect(cast("i64", "i32", n)).toBe(Number(BigInt.asIntN(32, n)));
        expect(cast("i64", "i8", n)).toBe(Number(BigInt.asIntN(8, n)));
      }),
    );
    expect(cast("i32", "i8", 200)).toBe(-56);
    expect(cast("i32", "i64", -5)).toBe(-5n);
  });

  it("goes from integer to float with one rounding", () => {
    expect(cast("i32", "f32", 16777217)).toBe(16777216);
    expect(cast("i32", "f32", 16777219)).toBe(16777220);
    // 2^54 + 2^30 is a tie of f32. One more is above the tie, and rounding to f64 first would lose
    // it.
    expect(cast("i64", "f32", 2n ** 54n + 2n ** 30n)).toBe(2 ** 54);
    expect(cast("i64", "f32", 2n ** 54n + 2n ** 30n + 1n)).toBe(2 ** 54 + 2 ** 31);
    expect(cast("i64", "f32", -(2n ** 54n) - 2n ** 30n - 1n)).toBe(-(2 ** 54) - 2 ** 31);
    expect(cast("i64", "f32", -(2n ** 54n) - 2n ** 30n + 1n)).toBe(-(2 ** 54));
    expect(cast("i64", "f64", 2n ** 53n + 1n)).toBe(2 ** 53);
    expect(cast("bool", "f32", true)).toBe(1);
    expect(cast("bool", "i64", true)).toBe(1n);
  });

  it("rounds from float to float", () => {
    expect(cast("f64", "f32", 0.1)).toBe(Math.fround(0.1));
    expect(cast("f32", "f16", 70000)).toBe(Infinity);
    expect(cast("f32", "bf16", 257)).toBe(256);
    expect(cast("f16", "f64", 0.5)).toBe(0.5);
  });

  it("keeps the value where the type does not change", () => {
    expect(cast("i64", "i64", 5n)).toBe(5n);
    expect(cast("bool", "bool", true)).toBe(true);
  });
});

it("allows numbers and bools to become numbers, and nothing else", () => {
  const refused = elementTypes.flatMap((from) =>
    elementTypes.filter((to) => !castAllowed(from, to)).map((to) => `${from}→${to}`),
  );
  const toBool = ["i8", "i32", "i64", "f16", "bf16", "f32", "f64"].flatMap((from) => [
    `${from}→bool`,
    `${from}→str`,
  ]);
  expect(refused.sort()).toEqual(
    [...toBool, "bool→str", ...elementTypes.map((to) => `str→${to}`)].sort(),
  );
  expect(() => cast("f32", "bool", 1)).toThrow(TypeError);
  expect(castHelp("i32", "bool", "n")).toBe("compare it: `n != 0`");
  expect(castHelp("f64", "bool", "x[i]")).toBe("compare it: `x[i] != 0.0`");
  expect(castHelp("i32", "str", "n")).toBe('put it into a string: `"{n}"`');
  expect(castHelp("str", "i32", "s")).toBe(
    "a number is taken from outside as one: `input x: i32;`",
  );
});
