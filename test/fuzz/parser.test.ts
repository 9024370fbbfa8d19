// The parser on 2,000 damaged programs, the same programs in every run.

import { describe, expect, test } from "vitest";
import { corpus } from "./corpus.ts";
import { fuzzParser, problemOf } from "./parser.ts";
import { parse } from "../../src/syntax/parse/parser.ts";

describe("parser", () => {
  test.each(corpus.map((text, n) => [n, text] as const))(
    "corpus program %i has no errors",
    (_, text) => {
      expect(parse({ name: "corpus", text }).diagnostics).toEqual([]);
      expect(problemOf(text)).toBeUndefined();
    },
  );

  test("survives 2,000 damaged programs", { timeout: 60_000 }, () => {
    const { programs, failures } = fuzzParser(1, 2000);
    expect(programs).toBe(2000);
    expect(failures.slice(0, 3)).toEqual([]);
  });
});
