// Random programs on several threads, the same programs in every run.

import { expect, test } from "vitest";
import { fuzzThreads } from "./threads.ts";
import { atDepth } from "../depth.ts";

const many = atDepth(3, 15);

test("large programs have the same bits on one, two and three threads", async () => {
  const { programs, failures } = await fuzzThreads(1, many);
  expect(programs).toBe(many);
  expect(failures).toEqual([]);
});
