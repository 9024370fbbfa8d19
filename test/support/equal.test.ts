// Equal trees may differ in layout, parentheses and comments, and in nothing else.

import { expect, test } from "vitest";
import type { Module } from "../../src/syntax/tree/ast.ts";
import { firstDifference, equal } from "./equal.ts";
import { parse } from "../../src/syntax/parse/parser.ts";

function read(text: string): Module {
  return parse({ name: "<test>", text }).module;
}

test("layout, comments and parentheses do not matter", () => {
  expect(equal(read("let x = a+(b); // c"), read("\n\nlet x =\n  a + b;\n"))).toBe(true);
});

test.each([
  ["let x = 1;", "let y = 1;", "statements.0.pattern.name.text"],
  ["let x = 1;", "let x = 1.0;", "statements.0.value.text"],
  ["let x = 1;", "const x = 1;", "statements.0.kind"],
  ["let x = 1;", "let x = 1; x;", "statements.1"],
  ["f(a, b);", "f(a);", "statements.0.value.arguments.1"],
  ["let x = a;", "let x: f32 = a;", "statements.0.type"],
  ["a - (b - c);", "a - b - c;", "statements.0.value.left.kind"],
])("%s and %s differ", (a, b, path) => {
  expect(firstDifference(read(a), read(b))).toBe(path);
  expect(equal(read(b), read(a))).toBe(false);
});

test("deep trees are compared without recursion", () => {
  const sum = Array.from({ length: 30_000 }, () => "x").join(" + ");
  expect(equal(read(`${sum};`), read(`${sum};`))).toBe(true);
});
