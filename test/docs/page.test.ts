// The reading of pages: what forms an example, and what is refused.

import { describe, expect, test } from "vitest";
import type { Answer } from "../cli/session.ts";
import { readPage, writePage, type Example } from "./page.ts";
import { play } from "./play.ts";
import { inScratchFolder } from "./scratch.ts";

inScratchFolder();

const page = [
  "# Title",
  "",
  "Words.",
  "",
  "```input",
  "x = 1",
  "```",
  "",
  "```ein",
  "print(x);",
  "```",
  "",
  "```output",
  "1",
  "```",
  "",
  "```ein m.ein",
  "pub const a = 1;",
  "```",
  "",
  "```sh",
  "$ npx ein -e 'print(1",
  "> );'",
  "1",
  "```",
  "",
].join("\n");

const says =
  (out: string, err = "") =>
  async (): Promise<Answer> =>
    Promise.resolve({ code: 0, out, err });

describe("a page", () => {
  test("is written back as it was read", () => {
    expect(writePage(readPage("page.md", page))).toBe(page);
  });

  test("has examples of the blocks that belong together", () => {
    const examples = readPage("page.md", page).filter((piece) => typeof piece !== "string");
    const kinds = examples.map(({ blocks }) => blocks.map(({ language }) => language));
    expect(kinds).toEqual([["input", "ein", "output"], ["ein"], ["sh"]]);
  });

  test.each(["```\nx\n```\n", "```js\nx\n```\n"])(
    "is refused when it has a block that nothing runs: %j",
    (text) => {
      expect(() => readPage("page.md", text)).toThrow("page.md:1: nothing runs");
    },
  );
});

describe("an example", () => {
  const example = (language: "ein" | "output" | "sh", text: string): Example => ({
    heading: "",
    blocks: [{ language, name: "", text, line: 1 }],
  });

  test("that shows nothing is refused", async () => {
    await expect(play(example("ein", "let x = 1;"), says(""))).rejects.toThrow("shows nothing");
  });

  test("is not an output alone", async () => {
    await expect(play(example("output", "1"), says("1"))).rejects.toThrow("belongs to no program");
  });

  test("may only run the tool", async () => {
    await expect(play(example("sh", "$ ls"), says(""))).rejects.toThrow('not "ls"');
  });

  test("is a session whose lines are run as they stand", async () => {
    const asked: (readonly string[])[] = [];
    const session = example("sh", "$ npx ein -e 'print(\n> 1);'\nold\n$ npx ein --version");
    const blocks = await play(session, async (words) => {
      asked.push(words);
      return says(`${asked.length}\n`, "lint\n")();
    });
    expect(asked).toEqual([["-e", "print(\n1);"], ["--version"]]);
    expect(blocks[0]?.text).toBe(
      "$ npx ein -e 'print(\n> 1);'\n1\nlint\n$ npx ein --version\n2\nlint",
    );
  });
});
