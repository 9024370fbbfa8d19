// Random recurrences over batches, the same ones at every run.

import { expect, test } from "vitest";
import { fuzzSequences } from "./sequences.ts";

test("recurrences over batches compute as the oracle does, with the same bits on one, two and three threads", async () => {
  const { programs, failures } = await fuzzSequences(1, 25);
  expect(programs).toBe(25);
  expect(failures).toEqual([]);
});
