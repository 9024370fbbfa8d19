// Random programs on kernels, the same programs in every run.

import { describe, expect, test } from "vitest";
import { parse } from "../../src/syntax/parse/parser.ts";
import { fuzzBackends } from "./backends.ts";
import { shrink } from "./shrink.ts";
import { atDepth } from "../depth.ts";

describe("kernels", () => {
  // In portions, so that a slow machine shows which portion was slow.
  const many = atDepth(30, 50);
  test.each(atDepth([1], [1, 51, 101, 151, 201, 251]))(
    `compute ${many} random programs from seed %i on as the oracle does`,
    { timeout: 180_000 },
    (seed) => {
      const { programs, failures, cells, rejected, faults } = fuzzBackends(seed, many);
      expect(programs).toBe(many);
      expect(failures).toEqual([]);
      // Most programs compile and run, and most of their cells can be compared.
      expect(rejected).toBeLessThan(many / 5);
      expect(faults).toBeLessThan(0.6 * many);
      expect(cells.compared).toBeGreaterThan(100 * many);
      expect(cells.skipped).toBeLessThan(cells.compared / 10);
    },
  );
});

describe("shrinking", () => {
  test("leaves out lines and parts that do not matter", () => {
    const text = "let a = 1;\nlet b = max(2, (3 + sin(4)));\nlet c = 5;";
    const fails = (each: string): boolean =>
      each.includes("sin(4)") && parse({ name: "test", text: each }).diagnostics.length === 0;
    expect(shrink(text, fails)).toBe("let b = sin(4);");
  });

  test("gives up nothing that matters", () => {
    expect(shrink("let a = (1 + 2);", (each) => each === "let a = (1 + 2);")).toBe(
      "let a = (1 + 2);",
    );
  });
});
