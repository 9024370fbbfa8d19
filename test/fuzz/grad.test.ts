// Gradients of random programs, the same ones at every run.

import { describe, expect, test } from "vitest";
import { fuzzGradients, problemOf } from "./grad.ts";

describe("gradients", () => {
  test("of 200 random programs agree with differences", { timeout: 120_000 }, () => {
    const { programs, failures, cells } = fuzzGradients(1, 200);
    expect(programs).toBe(200);
    expect(failures.slice(0, 3)).toEqual([]);
    // Most cells must have been compared: kinks and infinities are the exception.
    expect(cells.agreed).toBeGreaterThan(2000);
    expect(cells.skipped).toBeLessThan(cells.agreed / 20);
  });

  test("a wrong gradient is noticed", () => {
    // `stop` is a derivative that is wrong on purpose.
    expect(problemOf("let x = [1.0, 2.0]; let y = sum[i](x[i] * stop(x[i])); let g = @y / @x;")).toMatch(
      /^@y \/ @x at cell 0 is 1, and the difference 2/,
    );
  });
});
