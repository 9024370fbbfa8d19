// The width of single characters, and their harmless pictures.

import { expect, test } from "vitest";
import { displayCells, harmless } from "./display.ts";

const widths = (line: string) => displayCells(line).map(({ width }) => width);

test.each([
  ["abc", [1, 1, 1]],
  ["漢a", [2, 1]],
  ["ｆ", [2]],
  ["한", [2]],
  ["𝒙", [1]],
  ["😀", [2]],
  ["e\u0301x", [1, 1]],
  ["👩‍👩‍👧", [2]],
  ["❤\ufe0f", [2]],
  ["🇩🇪", [2]],
  ["a\tb", [1, 3, 1]],
  ["\t\t", [4, 4]],
  ["漢\tb", [2, 2, 1]],
  ["", []],
])("widths of %j", (line, expected) => {
  expect(widths(line)).toEqual(expected);
});

test("cells cover the line without gaps, in UTF-16 units", () => {
  const line = "a漢\t𝒙e\u0301👩‍👩‍👧\u001b\ud800z";
  let at = 0;
  for (const { start, end } of displayCells(line)) {
    expect(start).toBe(at);
    expect(end).toBeGreaterThan(start);
    at = end;
  }
  expect(at).toBe(line.length);
});

test.each([
  ["\u001b[31m", "␛[31m"],
  ["\u0000\u007f", "␀␡"],
  ["a\u009bb", "a�b"],
  ["a\u202eb\u2066", "a�b�"],
  ["a\u200bb\ufeff", "a�b�"],
  ["\ud800x", "�x"],
  ["\u0301", "◌\u0301"],
  ["one\r\ntwo\tthree", "one two three"],
  ["é 漢 😀", "é 漢 😀"],
])("harmless(%j) is %j", (text, expected) => {
  expect(harmless(text)).toBe(expected);
});
