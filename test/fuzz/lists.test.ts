// Random comprehensions and what bounds and guards look up, the same programs at every run.

import { expect, test } from "vitest";
import { fuzzLists } from "./lists.ts";

test.each([1, 21])(
  "20 lists from seed %i on have the same values everywhere, and their derivatives",
  { timeout: 180_000 },
  (seed) => {
    const { failures, cells } = fuzzLists(seed, 20);
    expect(failures).toEqual([]);
    expect(cells.agreed).toBeGreaterThan(50);
  },
);
