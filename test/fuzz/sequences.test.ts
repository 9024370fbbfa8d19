// Random recurrences over batches, the same programs in every run.

import { expect, test } from "vitest";
import { fuzzSequences } from "./sequences.ts";
import { atDepth } from "../depth.ts";

const many = atDepth(3, 25);

test(
  "recurrences over batches compute as the oracle does, with the same bits on one, " +
    "two and three threads",
  async () => {
    const { programs, failures } = await fuzzSequences(1, many);
    expect(programs).toBe(many);
    expect(failures).toEqual([]);
  },
);
