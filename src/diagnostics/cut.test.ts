// Long texts are cut before a message repeats them.

import { expect, test } from "vitest";
import { span } from "../base/source.ts";
import { cut, cutWords, quotedCut } from "./cut.ts";
import { error } from "./diagnostic.ts";

const digits = `1${"0".repeat(99_999)}`;
const short = `1${"0".repeat(27)}…${"0".repeat(28)}`;

test("a long text loses its middle, a short one nothing", () => {
  expect(cut(digits)).toBe(short);
  expect(cut("a".repeat(64))).toBe("a".repeat(64));
  expect(quotedCut(`"${digits}`)).toBe(`"\\"1${"0".repeat(26)}…${"0".repeat(28)}"`);
  // No half of a surrogate pair remains.
  expect(cut(`${"a".repeat(27)}😀${"b".repeat(99)}😀${"c".repeat(27)}`)).toBe(
    `${"a".repeat(27)}…${"c".repeat(27)}`,
  );
});

test("of a sentence only long words are cut", () => {
  const sentence =
    `${"a long sentence goes on, ".repeat(20)}and names ` +
    `a/path/of/${"short/".repeat(20)}names.txt`;
  expect(cutWords(sentence)).toBe(sentence);
  expect(cutWords(`write \`${digits}.0\` for a float`)).toBe(
    `write \`1${"0".repeat(27)}…${"0".repeat(26)}.0\` for a float`,
  );
});

test("a diagnostic repeats little of a program, and its repair is whole", () => {
  const place = span({ name: "a.ein", text: digits }, 0, digits.length);
  const made = error("E0407", `${digits} is too large`, place, {
    text: digits,
    labels: [{ span: place, text: digits }],
    help: `write \`${digits}.0\``,
    fixes: [{ title: "write a float", edits: [{ span: place, text: `${digits}.0` }] }],
  });
  const { fixes, ...said } = made;
  expect(said).toMatchObject({
    title: `${short} is too large`,
    text: short,
    labels: [{ text: short }],
  });
  expect(said.help!.length).toBeLessThan(80);
  expect(fixes![0]!.edits[0]!.text).toHaveLength(digits.length + 2);
});
