import { describe, expect, test } from "vitest";
import { columnOf, compared, ofRow } from "./differences.ts";

function verdict(f: (x: number) => number, x: number, own: number, least = 1): string {
  const column = columnOf((step) => [f(x + step)], [f(x)], x);
  return compared(own, ofRow(column, 0), least).kind;
}

describe("a derivative against differences", () => {
  test.each<readonly [string, (x: number) => number, number, number]>([
    ["a polynomial", (x) => x ** 3 - 2 * x, 1.3, 3 * 1.3 ** 2 - 2],
    ["a steep one", (x) => Math.exp(5 * x), 1.2, 5 * Math.exp(6)],
    ["one with a jump of the curvature", (x) => Math.max(x, 0) ** 2, 0, 0],
    ["one beside a kink", (x) => Math.abs(x - 5e-4), 0, -1],
    ["one that rounding hides at small steps", (x) => 1e8 + x, 0.5, 1],
    ["one that is left of two large numbers", (x) => 1e7 + x - 1e7, 0.5, 1],
  ])("%s", (_, f, x, right) => {
    expect(verdict(f, x, right)).toBe("agrees");
    for (const wrong of [right + 1e-3 + 1e-5 * Math.abs(right), -right - 0.1, 2 * right + 0.01])
      expect(verdict(f, x, wrong)).toBe("differs");
  });

  test(
    "rounding does not speak for a derivative: " +
      "a large number that does not move with anything else",
    () => {
      expect(verdict((x) => 1e10 + x, 0.5, 0)).toBe("differs");
      expect(verdict((x) => 1e10 + x, 0.5, 3)).toBe("differs");
    },
  );

  test(
    "rounding on the way to a small number does not make a derivative wrong, " +
      "nor hide one that is",
    () => {
      // The difference from 1 has the rounding errors of 1. They are a hundred thousand times
      // coarser than the rounding errors of the difference itself.
      const left = (x: number): number => 1 - 1 / (1 + Math.exp(-12 - 0.01 * x));
      const slope = (x: number): number =>
        -0.01 / (1 + Math.exp(12 + 0.01 * x)) / (1 + Math.exp(-12 - 0.01 * x));
      const points = Array.from({ length: 400 }, (_, k) => 0.5 + k / 400);
      const verdicts = (factor: number): readonly string[] =>
        points.map((x) => verdict(left, x, factor * slope(x), 1e-9));
      const right = verdicts(1);
      expect(right).not.toContain("differs");
      // Rounding errors sometimes look like a kink.
      expect(right.filter((kind) => kind === "agrees").length).toBeGreaterThan(380);
      for (const factor of [1.001, 0.999]) {
        const found = verdicts(factor);
        expect(found).not.toContain("agrees");
        expect(found.filter((kind) => kind === "differs").length).toBeGreaterThan(390);
      }
    },
  );

  test("where nothing cancels, an error just above the tolerance is seen", () => {
    for (const x of Array.from({ length: 100 }, (_, k) => 0.5 + k / 100))
      for (const wrong of [1 + 2e-6, 1 - 2e-6])
        expect(verdict(Math.exp, x, wrong * Math.exp(x))).toBe("differs");
  });

  test("at a kink nothing is said, not even of what lies halfway", () => {
    for (const own of [0, 0.5, 1, 7])
      expect(verdict((x) => Math.max(x, 0), 0, own)).toBe("undecided");
  });

  test("what turns faster than the steps cannot be told", () => {
    expect(verdict((x) => Math.sin(1e9 * x), 0.3, 1e9 * Math.cos(3e8))).toBe("undecided");
    // Every step of 5e-6 · x, and every multiple of it, is a whole number of waves.
    const x = 28343448143.03061;
    expect(verdict((at) => 1.5 * Math.sin(at), x, 1.5 * Math.cos(x))).toBe("undecided");
  });
});
