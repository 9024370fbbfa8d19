// The rules of the tolerance: which values have to be equal, and how far others may be apart.

import { describe, expect, test } from "vitest";
import {
  boundCast,
  boundOperation,
  boundReduction,
  exact,
  isNear,
  spreadOf,
  spreadOfProduct,
  spreadOfQuotient,
  unknown,
} from "./tolerance.ts";

const ulp = 2 ** -23;

describe("operations", () => {
  test("of exact operands are exact, but for elementary functions on f32", () => {
    for (const operation of ["add", "subtract", "multiply", "divide", "max"] as const)
      expect(boundOperation(operation, "f32", [exact(0.5), exact(3)]).error).toBe(0);
    expect(boundOperation("sqrt", "f32", [exact(2)]).error).toBe(0);
    expect(boundOperation("exp", "f64", [exact(1)]).error).toBe(0);
    const { value, error } = boundOperation("exp", "f32", [exact(1)]);
    expect(value).toBe(Math.fround(Math.E));
    expect(error).toBeGreaterThan(0);
    expect(error).toBeLessThan(4 * ulp * Math.E);
    expect(boundOperation("exp", "f32", [exact(-Infinity)]).error).toBe(0);
  });

  test("carry errors on, and know when they decide nothing", () => {
    const near = { value: 1, error: 1e-6 };
    expect(boundOperation("multiply", "f32", [near, exact(3)]).error).toBeGreaterThanOrEqual(3e-6);
    expect(boundOperation("multiply", "f32", [near, exact(3)]).error).toBeLessThan(4e-6);
    expect(boundOperation("less", "f32", [near, exact(2)])).toEqual({ value: true, error: 0 });
    expect(boundOperation("less", "f32", [near, exact(1)]).error).toBe(unknown);
    expect(boundOperation("equal", "f32", [near, exact(1)]).error).toBe(unknown);
    expect(boundOperation("divide", "f32", [exact(1), { value: 1e-7, error: 1e-6 }]).error).toBe(
      unknown,
    );
    expect(boundCast(near, "i32", (x) => Math.trunc(Number(x))).error).toBe(unknown);
    expect(boundCast({ value: 1.5, error: 1e-6 }, "i32", (x) => Math.trunc(Number(x)))).toEqual(
      exact(1),
    );
  });
});

describe("reductions", () => {
  test("of products of f32, which may be multiplied out, are within 4·ε·√n·Σ|terms|", () => {
    const terms = Array.from({ length: 100 }, (_, k) => exact(k % 2 === 0 ? 1 : -1));
    const { error } = boundReduction("sum", "f32", 0, terms, true);
    expect(error).toBeGreaterThanOrEqual(4 * ulp * 10 * 100);
    expect(error).toBeLessThan(4.1 * ulp * 10 * 100);
  });

  test("of other f32 are within 1 ulp of what they are in f64", () => {
    const terms = Array.from({ length: 100 }, (_, k) => exact(k % 2 === 0 ? 1.5 : 0.75));
    const rounding = 100 * 2 ** -52;
    expect(boundReduction("sum", "f32", 112.5, terms).error).toBeCloseTo(
      64 * ulp + rounding * 112.5,
      20,
    );
    expect(boundReduction("mean", "f32", 1.125, terms).error).toBeCloseTo(
      ulp + rounding * 1.125,
      20,
    );
    const product = terms.slice(0, 2);
    expect(boundReduction("prod", "f32", 1.125, product).error).toBeCloseTo(
      ulp + 2 * 2 ** -52 * 1.125,
      20,
    );
    expect(boundReduction("sum", "f32", 0, [exact(1), exact(-1)]).error).toBeLessThan(2 ** -49);
    // However many terms there are, a logsumexp has only the errors of its exponentials and its
    // logarithm.
    const zeros = Array.from({ length: 10_000 }, () => exact(0));
    expect(boundReduction("logsumexp", "f32", 9.2, zeros).error).toBeLessThan(40 * ulp);
  });

  test("of integers, and of what is special, are exact", () => {
    expect(boundReduction("sum", "i32", 3, [exact(1), exact(2)]).error).toBe(0);
    expect(boundReduction("sum", "f32", Infinity, [exact(1), exact(Infinity)]).error).toBe(0);
    expect(boundReduction("max", "f32", 2, [exact(1), exact(2)]).error).toBe(0);
    expect(boundReduction("sum", "f32", 0, []).error).toBe(0);
    expect(boundReduction("sum", "f32", 0, [exact(3e38), exact(3e38)], true).error).toBe(unknown);
    expect(
      boundReduction("sum", "f32", 3e38, [exact(3e38), exact(3e38), exact(-3e38)]).error,
    ).toBeLessThan(1e32);
    // It depends on the order: 3e38 twice before an infinity, or a factor that is taken out.
    expect(
      boundReduction("sum", "f32", -Infinity, [exact(3e38), exact(3e38), exact(-Infinity)], true)
        .error,
    ).toBe(unknown);
    const spread = spreadOfProduct(spreadOf(exact(3e38)), spreadOf(exact(1.5)));
    expect(
      boundReduction("sum", "f32", Infinity, [{ ...exact(Infinity), spread }], true).error,
    ).toBe(unknown);
    const tiny = spreadOfQuotient(spreadOf(exact(1e-40)), spreadOf(exact(3)));
    expect(
      boundReduction("sum", "f32", 3e-41, [{ ...exact(3e-41), spread: tiny }], true).error,
    ).toBeGreaterThan(1.4e-45);
    expect(
      boundReduction("prod", "f64", -Infinity, [exact(-Infinity), exact(1e-300), exact(1e-20)])
        .error,
    ).toBe(unknown);
    const ones = Array.from({ length: 40 }, () => ({
      ...exact(1),
      spread: { most: 10, least: 0.1 },
    }));
    expect(boundReduction("prod", "f32", 1, ones).error).toBeLessThan(1e-5);
    expect(
      boundReduction("argmax", "f32", 0, [{ value: 1, error: 1e-3 }, exact(0.9999)]).error,
    ).toBe(unknown);
  });
});

test("terms that a logsumexp does not see leave the error of the others", () => {
  const others = boundReduction("logsumexp", "f32", 1.3132616, [exact(1), exact(0)]);
  expect(others.error).toBeGreaterThan(0);
  expect(
    boundReduction("logsumexp", "f32", 1.3132616, [exact(1), exact(-Infinity), exact(0)]),
  ).toEqual(others);
  expect(
    boundReduction("logsumexp", "f32", -Infinity, [exact(-Infinity), exact(-Infinity)]).error,
  ).toBe(0);
  expect(
    boundReduction("logsumexp", "f32", Infinity, [exact(Infinity), exact(-Infinity), exact(0)])
      .error,
  ).toBe(0);
});

test("nearness asks for equal bits where nothing is inexact", () => {
  expect(isNear(-0, exact(0))).toBe(false);
  expect(boundOperation("multiply", "f32", [{ value: NaN, error: unknown }, exact(2)]).error).toBe(
    unknown,
  );
  expect(isNear(NaN, exact(NaN))).toBe(true);
  expect(isNear(1 + 1e-7, exact(1))).toBe(false);
  expect(isNear(1 + 1e-7, { value: 1, error: 2e-7 })).toBe(true);
  expect(isNear(NaN, { value: 1, error: 2e-7 })).toBe(false);
  expect(isNear(7n, exact(8n))).toBe(false);
  expect(isNear(Infinity, { value: (2 - 2 ** -23) * 2 ** 127, error: 2 ** 105 })).toBe(true);
});
