// JSON texts: a message about a wrong text names the problem and the place.

import { describe, expect, it } from "vitest";
import { jsonIn } from "./json-in.ts";
import { jsonProblem } from "./json-problem.ts";
import { fromJson } from "./json.ts";

describe("what is no JSON", () => {
  it.each([
    ["", "the text is empty"],
    ["[1, 2", "line 1, column 1: this `[` is never closed"],
    ["[1, 2,]", "line 1, column 7: a value is expected, not `]`"],
    ["[1 2]", "line 1, column 4: `,` or `]` is expected, not `2`"],
    ["[1]\n[2]", "line 2, column 1: nothing more is expected, not `[`"],
    ["[01]", "line 1, column 2: a value or `]` is expected, not `01`"],
    ["[1,\n .5]", "line 2, column 2: a value is expected, not `.5`"],
    ["['a']", "line 1, column 2: a value or `]` is expected, not `'a'`"],
    ["{x: 1}", "line 1, column 2: a key in double quotes or `}` is expected, not `x`"],
    ['{"x" 1}', "line 1, column 6: `:` is expected, not `1`"],
    ['{"x": 1 "y"}', 'line 1, column 9: `,` or `}` is expected, not `"y"`'],
    [
      "[NaN]",
      "line 1, column 2: a value or `]` is expected, not `NaN`; " +
        'numbers that are not finite are written "NaN", "Infinity", "-Infinity"',
    ],
    [
      '["a\nb"]',
      "line 1, column 2: this string is not closed, " +
        "or has an escape or a line break that JSON does not know",
    ],
    [
      '["a',
      "line 1, column 2: this string is not closed, " +
        "or has an escape or a line break that JSON does not know",
    ],
    [
      `[${"1".repeat(99)}x]`,
      "line 1, column 2: a value or `]` is expected, " +
        `not \`${"1".repeat(28)}…${"1".repeat(27)}x\``,
    ],
  ])("%j", (text, problem) => {
    expect(jsonIn(text, "f32")).toEqual({ error: `it is not JSON: ${problem}` });
  });

  it("is the same for the host", () => {
    const words = ["[", "]", "{", "}", ",", ":", "1", '"a"', "-", "null", " "];
    for (let seed = 0; seed < 11 ** 4; seed++) {
      const text = Array.from({ length: 4 }, (_, k) => words[Math.floor(seed / 11 ** k) % 11]).join(
        "",
      );
      expect([text, jsonProblem(text) === undefined]).toEqual([text, isJson(text)]);
    }
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("what is JSON and no tensor", () => {
  it.each([
    [`${"[".repeat(1e5)}${"]".repeat(1e5)}`, "arrays are nested more than 64 deep"],
    [`[1, ${"[".repeat(1e5)}${"]".repeat(1e5)}]`, "arrays are nested more than 64 deep"],
    [
      "[true, 2, 3]",
      "element [0]: true is a bool, and f32 is wanted; write 1 or 0, or declare bool",
    ],
    ["true", "true is a bool, and f32 is wanted; write 1 or 0, or declare bool"],
    [
      "[1, 1e39]",
      "element [1]: 1e+39 is too large for f32, which goes to 3.4e38; " +
        "declare a wider float, or run with `--f64`; infinity is written Infinity",
    ],
    [
      "[[1], [1e999]]",
      "element [1, 0]: a number is too large for f64, which goes to 1.8e308; " +
        'infinity is written "Infinity"',
    ],
    ['["constructor"]', 'element [0]: "constructor" is not a number'],
    [
      '{"dtype": "f32", "shape": [1], "data": [true]}',
      "element [0]: true is a bool, and f32 is wanted; write 1 or 0, or declare bool",
    ],
    [
      `{"dtype": "f32", "shape": [${"1,".repeat(4999)}1], "data": [1]}`,
      "the shape has 5000 axes; a tensor from outside has at most 64",
    ],
    [
      `{"dtype": ${"[".repeat(1e5)}${"]".repeat(1e5)}}`,
      '"dtype" is a nested list, not an element type; ' +
        'the form is {"dtype": "f32", "shape": [2], "data": [1, 2]}',
    ],
    [
      '{"__proto__": {"dtype": "f32"}}',
      '"dtype" is missing, not an element type; ' +
        'the form is {"dtype": "f32", "shape": [2], "data": [1, 2]}',
    ],
  ])("%.40s", (text, error) => {
    const read = jsonIn(text, "f32");
    expect("json" in read ? fromJson(read.json, "f32") : read).toEqual({ error });
  });

  it("has no key twice", () => {
    const text = '{"dtype": "f32", "shape": [1], "data": [1], "data": [2]}';
    expect(jsonIn(text, "f32")).toEqual({ error: "it has the key `data` twice" });
  });

  it("keeps every digit of an integer, and strings as long as there are", () => {
    expect(jsonIn('[9007199254740993, 1, "9007199254740993"]', "i64")).toEqual({
      json: ["9007199254740993", 1, "9007199254740993"],
    });
    const long = `["${'\\"'.repeat(2_000_000)}"]`;
    expect(jsonIn(long, "i64")).toEqual({ json: ['"'.repeat(2_000_000)] });
    expect(fromJson(["9".repeat(1000)], "i64")).toMatchObject({
      error: expect.stringMatching(/^element \[0\]: 9{28}…9{28} does not fit in i64/) as string,
    });
  });
});
