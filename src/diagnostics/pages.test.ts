// Every code has a page of the agreed form, every page has a code, and what the pages on syntax show is true.

import { describe, expect, test } from "vitest";
import { pageNames, pages, readPage, type Page } from "../../test/pages.ts";
import { parse } from "../syntax/parser.ts";
import { codes } from "./codes.ts";

test("codes and pages match one to one", () => {
  expect(pageNames()).toEqual(Object.keys(codes).sort());
});

describe.each(pages().map((page) => [page.code, page] as const))("%s", (code, page) => {
  test("is headed by the line from the list of codes", () => {
    expect(page.title).toBe(codes[code as keyof typeof codes]);
  });

  test("is prose that fits a terminal, in whole sentences", () => {
    for (const text of [page.cause, page.advice]) {
      expect(text).toMatch(/^[A-Z`(][\s\S]*[.)]$/);
      for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    }
  });

  test("shows a fix that differs from the example", () => {
    expect(page.fix).not.toBe(page.example);
  });
});

describe("the form", () => {
  const good = "# E0101: t\n\nCause.\n\n## Example\n\n```ein\na\n\nb\n```\n\n## Fix\n\n```ein\nc\n```\n\nAdvice.\n";

  test("is read", () => {
    expect(readPage("E0101", good)).toEqual({
      code: "E0101",
      title: "t",
      language: "ein",
      cause: "Cause.",
      example: "a\n\nb\n",
      fix: "c\n",
      advice: "Advice.",
    });
  });

  test.each([
    ["another code", good.replace("E0101", "E0102")],
    ["no cause", good.replace("Cause.\n\n", "")],
    ["two examples", good.replace("## Fix", "```ein\nx\n```\n\n## Fix")],
    ["no fix", good.replace(/## Fix[\s\S]*/, "")],
    ["two languages", good.replace("## Fix\n\n```ein", "## Fix\n\n```sh")],
    ["no advice", good.replace("\nAdvice.\n", "")],
    ["a further section", `${good}\n## More\n\nText.\n`],
  ])("is strict: %s", (_, text) => {
    expect(text).not.toBe(good);
    expect(() => readPage("E0101", text)).toThrow("docs/errors/E0101.md");
  });
});

describe("what the pages on syntax show", () => {
  const codesOf = (text: string) => parse({ name: "page.ein", text }).diagnostics.map(({ code }) => code);
  const programs = pages().filter(({ language }) => language === "ein");
  // The tree has room for an expression in a slot, so the parser takes one and the checker refuses it.
  const isParsers = ({ code }: Page) => code.startsWith("E01");

  test.each(programs.filter(isParsers))("$code: the example has this mistake alone", ({ code, example }) => {
    expect(codesOf(example)).toEqual([code]);
  });

  test.each(programs.filter((page) => !isParsers(page)))("$code: the example can be parsed", ({ example }) => {
    expect(codesOf(example)).toEqual([]);
  });

  test.each(programs)("$code: the fix can be parsed", ({ fix }) => {
    expect(codesOf(fix)).toEqual([]);
  });
});
