// Comments that were meant as divisions, and comments that are comments.

import { describe, expect, it } from "vitest";
import { silentDivisions } from "./double-slash.ts";
import { parse } from "../parser.ts";

const sourceOf = (text: string): { name: string; text: string } => ({ name: "slashes.ein", text });

const isOfDivision = (title: string): boolean => title.startsWith("`//` starts a comment");

/** The text after the edits. */
function edited(
  text: string,
  edits: readonly {
    readonly span: { readonly start: number; readonly end: number };
    readonly text: string;
  }[],
): string {
  const last = [...edits].sort((a, b) => b.span.start - a.span.start);
  return last.reduce(
    (all, { span, text: by }) => all.slice(0, span.start) + by + all.slice(span.end),
    text,
  );
}

function silently(text: string): string | undefined {
  const { module, diagnostics } = parse(sourceOf(text));
  expect(diagnostics).toEqual([]);
  const edits = silentDivisions(module, parse);
  return edits.length > 0 ? edited(text, edits) : undefined;
}

describe("a comment that reads on as an operand", () => {
  it.each([
    ["7 // 2", "7 / 2"],
    ["let a = 7 // 2", "let a = 7 / 2"],
    ["let a = 7 // 2;\n", "let a = 7 / 2;\n"],
    ["let a = 7 // 2 // two\n", "let a = 7 / 2 // two\n"],
    ["let n = 2; 7 // n", "let n = 2; 7 / n"],
    ["let n = 2; let x = [4]; x[0] //n+1", "let n = 2; let x = [4]; x[0] /n+1"],
    ["7 // -2", "7 / -2"],
    ["let n = 7; let half = n // 2; print(half);", "let n = 7; let half = n / 2; print(half);"],
    ["fn f(x: i32) -> i32 {\n  x // 2\n}", "fn f(x: i32) -> i32 {\n  x / 2\n}"],
    ["let a = 7; let b = (a + 1) // (a - 2)\n", "let a = 7; let b = (a + 1) / (a - 2)\n"],
    ["let a = 1\n  + 7 // 2\n  + 3;", "let a = 1\n  + 7 / 2\n  + 3;"],
    ["print(\n  7 // 2\n);", "print(\n  7 / 2\n);"],
  ])("is a division: %s", (text, meant) => {
    expect(silently(text)).toBe(meant);
  });

  it.each([
    "let a = 7; // 2",
    "let a = 7; // two",
    "let a = 7 // two",
    "let a = 7 // the answer",
    "let a = 7 // a is the answer",
    "let a = 7 /// 2",
    "// 2\nlet a = 7",
    "let a = [\n  1, // 2\n  3 // 4\n];",
    "let n = 5; // 2; see below\nprint(n);",
    "let n = 5 // 2; see below",
    "struct P {\n  x: f32 // 3\n}",
    "fn f(\n  x: [f32; 3] // 3\n) { x }",
    "let a = if true { 1 } else { 2 } // 3",
    "let a = // 2\n  7;",
    'print("7 // 2");',
    "input x: f32 // 32",
    "let a = 7 // 3x as much",
    "let a = 7 // todo: 2",
  ])("is a comment: %s", (text) => {
    expect(silently(text)).toBeUndefined();
  });
});

describe("a statement that is unfinished before `//`", () => {
  it.each([
    ["let a = 7 // 2\nlet b = 3;", "let a = 7 / 2;\nlet b = 3;"],
    ["let a = 7 // 2;\nlet b = 3;", "let a = 7 / 2;\nlet b = 3;"],
    ["let x = 5;\nprint(x // 2);", "let x = 5;\nprint(x / 2);"],
    ["let x = 5;\nprint(x // y);", "let x = 5;\nprint(x / y);"],
    ["let x = 5;\nprint(x // 2)\nprint(x);", "let x = 5;\nprint(x / 2);\nprint(x);"],
    ["let x = [5];\nlet y = x[0 // 2];\nprint(y);", "let x = [5];\nlet y = x[0 / 2];\nprint(y);"],
    ["print(\n  7 // 2,\n  3);", "print(\n  7 / 2,\n  3);"],
    ["fn f(x: i32) -> i32 { x // 2 }\nprint(f(3));", "fn f(x: i32) -> i32 { x / 2 }\nprint(f(3));"],
  ])("says so: %s", (text, meant) => {
    const said = parse(sourceOf(text)).diagnostics.filter(({ title }) => isOfDivision(title));
    expect(said.length).toBe(1);
    expect(said[0]!.fixes![0]!.title).toBe("write `/`");
    expect(edited(text, said[0]!.fixes![0]!.edits)).toBe(meant);
    expect(parse(sourceOf(meant)).diagnostics).toEqual([]);
  });

  it.each([
    "let a = 7 // two\nlet b = 3;",
    "let a = 7 // the answer\nlet b = 3;",
    "let a = [1 // first\n",
  ])("has another repair where the comment is one: %s", (text) => {
    const { diagnostics } = parse(sourceOf(text));
    expect(diagnostics.map(({ help }) => help)).toEqual([expect.stringMatching(/^add/)]);
  });

  it("is found in time that grows with the text", () => {
    const lines = (count: number): string => "let y = 7 // 2\n".repeat(count);
    const { diagnostics } = parse(sourceOf(lines(2000)));
    expect(diagnostics.filter(({ title }) => isOfDivision(title)).length).toBe(1999);
  });
});
