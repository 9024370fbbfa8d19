// Random mistakes, the same mistakes in every run.

import { expect, test } from "vitest";
import { atDepth } from "../depth.ts";
import { fuzzMistakes } from "./mistakes.ts";

test("programs with mistakes are answered promptly and in words", { timeout: 180_000 }, () => {
  expect(fuzzMistakes(1, atDepth(50, 500)).failures).toEqual([]);
});
