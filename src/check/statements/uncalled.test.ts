// Functions that nothing calls: those of the program are checked, those that `use` brings are not.

import { expect, test } from "vitest";
import { parse } from "../../syntax/parse/parser.ts";
import { check } from "../check.ts";

test.each([
  "use std::ml::*;",
  "use std::ml::*; use std::math::*; use std::array::*; use std::linalg::*;",
  "use std::ml::{relu6, softmax};",
])("functions that `%s` brings are not checked before they are called", (text) => {
  const { checker } = check(parse({ name: "p", text }).module);
  expect(checker.diagnostics).toEqual([]);
  expect(checker.uncalled).toEqual([]);
});

test("functions of the file and of its modules are checked without a call", () => {
  const text = "mod m { pub fn f(x: f32) -> f32 { x } } use m::*; fn g(x: f32) -> f32 { x + 1.0 }";
  const { checker } = check(parse({ name: "p", text }).module);
  expect(checker.uncalled.map(({ name }) => name).sort()).toEqual(["f", "g"]);
});
