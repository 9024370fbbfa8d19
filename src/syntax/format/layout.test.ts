// Documents, and the texts to which they are laid out.

import { expect, test } from "vitest";
import {
  closingSoftline,
  concat,
  forcedBreak,
  group,
  hardline,
  ifBroken,
  indent,
  join,
} from "./layout.ts";
import { blankLine, layOut, layOutFlat, line, softline, suffix, type Doc } from "./layout.ts";

function call(...items: readonly Doc[]): Doc {
  const body = indent(softline, join(concat(",", line), items));
  return group("f(", body, ifBroken(","), closingSoftline, ")");
}

test("a group stays on its line up to the last column", () => {
  expect(layOut(call("aa", "bb"), 9)).toBe("f(aa, bb)");
  expect(layOut(call("aa", "bb"), 8)).toBe("f(\n  aa,\n  bb,\n)");
});

test("what follows a group counts, up to the next place that may break", () => {
  expect(layOut(concat(call("aa", "bb"), ";"), 9)).toBe("f(\n  aa,\n  bb,\n);");
  expect(layOut(concat(call("aa"), call("bb")), 7)).toBe("f(aa)f(\n  bb,\n)");
});

test("inner groups break only if they must", () => {
  expect(layOut(call(call("a", "b"), "c"), 10)).toBe("f(\n  f(a, b),\n  c,\n)");
});

test("a hard line breaks every group around it", () => {
  expect(layOut(call("a", concat("b", hardline, "c")), 80)).toBe("f(\n  a,\n  b\n  c,\n)");
  expect(layOut(call("a", concat(forcedBreak, "b")), 80)).toBe("f(\n  a,\n  b,\n)");
});

test("suffixes wait for the end of the line and take no room", () => {
  expect(layOut(concat("a", suffix("// long comment"), group(line, "b"), hardline, "c"), 4)).toBe(
    "a b // long comment\nc",
  );
});

test("a second suffix gets its own line, inside the bracket that closes next", () => {
  const doc = call("a", concat("b", suffix("// 1"), suffix("// 2"), forcedBreak));
  expect(layOut(doc, 80)).toBe("f(\n  a,\n  b, // 1\n  // 2\n)");
  expect(layOut(concat("a", suffix("// 1"), suffix("// 2")), 80)).toBe("a // 1\n// 2");
});

test("blank lines carry no indentation", () => {
  expect(layOut(indent("a", hardline, blankLine, "b"), 80)).toBe("a\n\n  b");
});

test("flat text has one line and no suffixes", () => {
  expect(layOutFlat(call("a", concat("b", suffix("// c"), hardline, blankLine, "d")))).toBe(
    "f(a, b d)",
  );
});

test("deep nesting is printed without recursion", () => {
  let doc: Doc = "x";
  for (let k = 0; k < 20_000; k++) doc = group("(", softline, doc, ")");
  expect(layOut(doc, 100)).toBe(`${"(\n".repeat(20_000)}x${")".repeat(20_000)}`);
});
