// Reductions: reference values, NaN, first winners, and reductions over nothing.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArithmeticFault } from "./fault.ts";
import { reductionNames, reductionRow, typeReduction, type ReductionName } from "./reductions.ts";
import type { ElementType, Scalar } from "./types.ts";

/** The reduction of the given elements, which have the positions 0, 1, …. */
function reduce(reduction: ReductionName, type: ElementType, elements: Iterable<Scalar>): Scalar {
  const accumulator = reductionRow(reduction).start(type);
  let position = 0;
  for (const element of elements) accumulator.step(element, position++);
  return accumulator.finish();
}

describe("sums and products", () => {
  it("wrap on integers", () => {
    expect(reduce("sum", "i32", [2147483647, 1])).toBe(-2147483648);
    expect(reduce("sum", "i8", [100, 100])).toBe(-56);
    expect(reduce("prod", "i64", [2n ** 62n, 4n])).toBe(0n);
    expect(reduce("prod", "i32", [3, 4, 5])).toBe(60);
  });

  it("round an f32 result once", () => {
    const terms = [16777216, 1, 1];
    expect(reduce("sum", "f32", terms)).toBe(16777218);
    expect(reduce("mean", "f32", [1, 2, 4])).toBe(Math.fround(7 / 3));
    fc.assert(
      fc.property(fc.array(fc.float({ min: -1000, max: 1000, noNaN: true })), (xs) => {
        expect(reduce("sum", "f32", xs)).toBe(Math.fround(xs.reduce((a, b) => a + b, 0)));
      }),
    );
  });

  it("accumulate f16 in f32", () => {
    // In f16, 2048 + 1 is 2048, so a sum in f16 would never grow.
    expect(reduce("sum", "f16", [2048, 1, 1, 1, 1])).toBe(2052);
    expect(reduce("mean", "bf16", [1, 2])).toBe(1.5);
    expect(reduce("sum", "f16", [60000, 60000])).toBe(Infinity);
    // In f64 this would be 1. In f32 the 1 is lost beside 2^24.
    expect(reduce("sum", "bf16", [2 ** 24, 1, -(2 ** 24)])).toBe(0);
  });
});

describe("winners", () => {
  it("take the first in order", () => {
    expect(reduce("argmax", "f32", [1, 3, 3, 2])).toBe(1);
    expect(reduce("argmin", "i64", [5n, -1n, -1n])).toBe(1);
    expect(reduce("max", "i32", [-5, -7])).toBe(-5);
    expect(reduce("min", "f64", [2, -0.5])).toBe(-0.5);
  });

  it("give the coordinate's own value", () => {
    const accumulator = reductionRow("argmax").start("f32");
    accumulator.step(1, 10);
    accumulator.step(2, 11);
    expect(accumulator.finish()).toBe(11);
  });

  it("let the first NaN win", () => {
    expect(reduce("argmax", "f32", [1, NaN, 9, NaN])).toBe(1);
    expect(reduce("argmin", "f32", [NaN, -9])).toBe(0);
  });
});

it("NaN is contagious", () => {
  for (const name of ["sum", "prod", "mean", "max", "min", "logsumexp"] as const) {
    expect(reduce(name, "f32", [1, NaN, 2]), name).toBeNaN();
    expect(reduce(name, "f32", [NaN, Infinity]), name).toBeNaN();
  }
});

describe("logsumexp", () => {
  it("does not overflow, and has its limits", () => {
    expect(reduce("logsumexp", "f64", [1000, 1000])).toBe(1000 + Math.LN2);
    expect(reduce("logsumexp", "f64", [-1000, -1000])).toBe(-1000 + Math.LN2);
    expect(reduce("logsumexp", "f64", [-Infinity, -Infinity])).toBe(-Infinity);
    expect(reduce("logsumexp", "f64", [-Infinity, 3])).toBe(3);
    expect(reduce("logsumexp", "f64", [Infinity, 3, Infinity, -Infinity])).toBe(Infinity);
  });

  it("agrees with two passes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 1 }),
        (xs) => {
          const m = Math.max(...xs);
          const exact = m + Math.log(xs.reduce((s, x) => s + Math.exp(x - m), 0));
          expect(Math.abs((reduce("logsumexp", "f64", xs) as number) - exact)).toBeLessThan(1e-13);
        },
      ),
    );
  });
});

it("has its value on nothing, and so has its accumulator", () => {
  const f32: Record<string, unknown> = {
    sum: 0,
    prod: 1,
    mean: NaN,
    max: -Infinity,
    min: Infinity,
    logsumexp: -Infinity,
  };
  for (const [name, value] of Object.entries(f32))
    expect(reduce(name as "sum", "f32", []), name).toBe(value);
  expect(reduce("sum", "i64", [])).toBe(0n);
  expect(reduce("prod", "i64", [])).toBe(1n);
  expect(reduce("any", "bool", [])).toBe(false);
  expect(reduce("all", "bool", [])).toBe(true);
  expect(reduce("count", "bool", [])).toBe(0);
  expect(() => reduce("max", "i32", [])).toThrow(new ArithmeticFault("max of nothing"));
  expect(() => reduce("argmin", "f32", [])).toThrow(new ArithmeticFault("argmin of nothing"));
  for (const name of reductionNames) {
    const type = typeReduction(name, "f32") ? "f32" : "bool";
    const outcome = reductionRow(name).onNothing(type);
    if ("fault" in outcome) expect(() => reduce(name, type, [])).toThrow(outcome.fault);
    else expect(reduce(name, type, [])).toBe(outcome.value);
  }
});

it("decides and counts", () => {
  expect(reduce("any", "bool", [false, true])).toBe(true);
  expect(reduce("all", "bool", [false, true])).toBe(false);
  expect(reduce("count", "bool", [true, false, true])).toBe(2);
});

it("types its result", () => {
  expect(typeReduction("sum", "i8")).toBe("i8");
  expect(typeReduction("mean", "i32")).toBeUndefined();
  expect(typeReduction("logsumexp", "i64")).toBeUndefined();
  expect(typeReduction("argmax", "f64")).toBe("i32");
  expect(typeReduction("any", "i32")).toBeUndefined();
  expect(typeReduction("count", "bool")).toBe("i32");
});
