// Random comprehensions, and lookups in bounds and guards, the same programs in every run.

import { expect, test } from "vitest";
import { fuzzLists } from "./lists.ts";
import { atDepth } from "../depth.ts";

const many = atDepth(6, 20);

test.each(atDepth([1], [1, 21]))(
  `${many} lists from seed %i on have the same values everywhere, and their derivatives`,
  { timeout: 180_000 },
  (seed) => {
    const { failures, cells } = fuzzLists(seed, many);
    expect(failures).toEqual([]);
    expect(cells.agreed).toBeGreaterThan(2.5 * many);
  },
);
