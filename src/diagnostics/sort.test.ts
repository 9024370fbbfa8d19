// The order of messages.

import { expect, test } from "vitest";
import { span, type Source } from "../base/source.ts";
import { error, warning, type Diagnostic } from "./diagnostic.ts";
import { ordered } from "./sort.ts";

const [a, b]: Source[] = [
  { name: "a.ein", text: "let x = y + z;" },
  { name: "b.ein", text: "let x = y + z;" },
];
const titles = (diagnostics: readonly Diagnostic[]) => diagnostics.map(({ title }) => title);

test("by source, then by place; errors and warnings mixed; no place first", () => {
  const messages = [
    error("E0201", "z in b", span(b!, 12, 13)),
    error("E0201", "z in a", span(a!, 12, 13)),
    warning("E0203", "whole sum", span(a!, 8, 13)),
    warning("E0203", "warning on y", span(a!, 8, 9)),
    error("E0203", "later code on y", span(a!, 8, 9)),
    error("E0201", "error on y", span(a!, 8, 9)),
    error("E0801", "nowhere", undefined),
    warning("E0203", "x in b", span(b!, 4, 5)),
  ];
  const expected = [
    "nowhere",
    "error on y",
    "later code on y",
    "warning on y",
    "whole sum",
    "z in a",
    "x in b",
    "z in b",
  ];
  expect(titles(ordered(messages))).toEqual(expected);
  expect(titles(ordered(messages.toReversed()))).toEqual(expected);
});

test("exact duplicates go, even from a source that was read twice; everything else stays", () => {
  const again: Source = { ...a! };
  const labels = [{ span: span(a!, 0, 3), text: "t" }];
  const messages = [
    error("E0201", "no `y`", span(a!, 8, 9)),
    error("E0201", "no `y`", span(again, 8, 9)),
    error("E0201", "no `y`", span(a!, 8, 10)),
    error("E0201", "no `y`", span(a!, 8, 9), { labels }),
    error("E0201", "no `y`", span(a!, 8, 9), { text: "here" }),
    error("E0201", "no `y`", span(a!, 8, 9), { help: "h" }),
    warning("E0201", "no `y`", span(a!, 8, 9)),
    error("E0201", "no `y`", undefined),
    error("E0201", "no `y`", undefined),
  ];
  expect(ordered(messages)).toHaveLength(7);
});

test("messages at one place with one code keep the order in which they came", () => {
  const messages = ["second", "first"].map((title) => error("E0201", title, span(a!, 8, 9)));
  expect(titles(ordered(messages))).toEqual(["second", "first"]);
  expect(titles(messages)).toEqual(["second", "first"]);
});
