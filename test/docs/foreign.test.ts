// The Python programs of docs/coming-from.md give the numbers of the Einlang programs beside them.
// Their output is recorded (test/reference/coming_from.py), so the test needs no Python.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readPage, type Block } from "./page.ts";

interface Recorded {
  readonly programs: readonly { readonly source: string; readonly printed: string }[];
}

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const { programs } = JSON.parse(read("test/reference/coming-from.json")) as Recorded;
const examples = readPage("coming-from.md", read("docs/coming-from.md")).filter(
  (piece) => typeof piece !== "string",
);
const blocks = examples.flatMap(({ heading, blocks: all }) =>
  all.map((block) => ({ heading, block })),
);
const of = (language: Block["language"]) =>
  blocks.filter(({ block }) => block.language === language);

describe("docs/coming-from.md", () => {
  test("every program is recorded as it stands, and nothing else is", () => {
    expect(of("python").map(({ block }) => block.text)).toEqual(
      programs.map(({ source }) => source),
    );
  });

  test.each(of("python").map(({ heading, block }) => ({ heading, block, line: block.line })))(
    "$heading: line $line prints the same numbers",
    ({ heading, block }) => {
      const [ours, ...others] = of("output").filter((output) => output.heading === heading);
      expect(others).toEqual([]);
      const theirs = numbers(programs.find(({ source }) => source === block.text)?.printed ?? "");
      expect(theirs.length).toBeGreaterThan(0);
      const expected = theirs.map((number) => expect.closeTo(number, 5) as number);
      expect(numbers(ours!.block.text)).toEqual(expected);
    },
  );
});

/** The numbers in the output of a program, in order. A bool is 1 or 0. */
function numbers(printed: string): readonly number[] {
  return [...printed.matchAll(/\b(?:true|false)\b|-?\d+\.?\d*(?:e[-+]?\d+)?/gi)].map(([word]) => {
    const bool = ["false", "true"].indexOf(word.toLowerCase());
    return bool >= 0 ? bool : Number(word);
  });
}
