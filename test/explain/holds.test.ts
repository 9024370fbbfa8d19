// Every derivative of random programs, explained; those of the suite are `test/suite`'s.

import { describe, expect, test } from "vitest";
import { gradientProgram } from "../generate/programs.ts";
import { holdsFor } from "./holds.ts";

describe("random programs", () => {
  // The last two have ranges that are empty for some of the coordinates around them, and functions
  // that ask for derivatives themselves.
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
