// Gradients of random programs, the same programs in every run.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { fuzzGradients, fuzzRecurrences, fuzzTraining, problemOf } from "./grad.ts";
import { atDepth } from "../depth.ts";

describe("gradients", () => {
  // In portions, so that a slow machine shows which portion was slow.
  const many = atDepth(24, 60);
  test.each(atDepth([1], [1, 61, 121, 181]))(
    `of ${many} random programs from seed %i on agree with differences`,
    { timeout: 180_000 },
    (seed) => {
      const { programs, failures, cells } = fuzzGradients(seed, many);
      expect(programs).toBe(many);
      expect(failures.slice(0, 3)).toEqual([]);
      // Most cells must have been compared. Kinks and infinities are exceptions.
      expect(cells.agreed).toBeGreaterThan(10 * many);
      expect(cells.skipped).toBeLessThan(cells.agreed / 20);
    },
  );

  const recurrences = atDepth(12, 40);
  test.each(atDepth([1], [1, 41, 81]))(
    `of ${recurrences} random recurrences from seed %i on agree with differences`,
    { timeout: 180_000 },
    (seed) => {
      const { failures, cells } = fuzzRecurrences(seed, recurrences);
      expect(failures.slice(0, 3)).toEqual([]);
      expect(cells.agreed).toBeGreaterThan(3 * recurrences);
      expect(cells.skipped).toBeLessThan(cells.agreed / 20);
    },
  );

  const training = atDepth(6, 60);
  test(
    `that the steps of ${training} random recurrences ask for agree with differences`,
    { timeout: 180_000 },
    () => {
      const { programs, failures } = fuzzTraining(1, training);
      expect(programs).toBe(training);
      expect(failures).toEqual([]);
    },
  );

  test("the script needs nothing that only the tests' setup brings", { timeout: 60_000 }, () => {
    const script = fileURLToPath(new URL("../../scripts/fuzz.mjs", import.meta.url));
    // A program whose functions are instances.
    const told = execFileSync(process.execPath, [
      script,
      "grad",
      "--count",
      "1",
      "--seed",
      "900001",
    ]).toString();
    expect(told).toMatch(/1 programs in .* s, 0 failures/);
  });

  test("a wrong gradient is noticed", () => {
    // `stop` has a derivative that is wrong on purpose.
    const problem = problemOf(
      "let x = [1.0, 2.0]; let y = sum[i](x[i] * stop(x[i])); let g = @y / @x;",
    );
    const [, difference] = /^@y \/ @x at cell 0 is 1, and the difference (.*)$/m.exec(problem!)!;
    expect(Number(difference)).toBeCloseTo(2, 9);
  });
});
