// Explanations of every derivative of random programs. `test/suite` covers the programs of the
// suite.

import { describe, expect, test } from "vitest";
import { gradientProgram } from "../generate/programs.ts";
import { holdsFor } from "./holds.ts";

describe("random programs", () => {
  // The last two seeds have ranges that are empty for some outer coordinates, and functions that
  // request derivatives.
  test.each([...Array.from({ length: 20 }, (_, k) => k), 299, 829553443])(
    "number %i",
    { timeout: 60_000 },
    (seed) => {
      const { problems, slowest } = holdsFor(gradientProgram(seed));
      expect(problems).toEqual([]);
      expect(slowest).toBeLessThan(2000);
    },
  );
});
