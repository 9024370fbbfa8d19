// Damaged data files, the same files in every run.

import { expect, test } from "vitest";
import { fuzzFiles } from "./files.ts";

test("2,000 damaged files are read right or refused in our own words", { timeout: 60_000 }, () => {
  expect(fuzzFiles(1, 2000).failures).toEqual([]);
});
