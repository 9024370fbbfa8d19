// Random programs on several threads, the same ones at every run.

import { expect, test } from "vitest";
import { fuzzThreads } from "./threads.ts";

test("large programs have the same bits on one, two and three threads", async () => {
  const { programs, failures } = await fuzzThreads(1, 15);
  expect(programs).toBe(15);
  expect(failures).toEqual([]);
});
