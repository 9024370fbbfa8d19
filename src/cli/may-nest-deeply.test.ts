import { expect, test } from "vitest";
import { mayNestDeeply } from "./may-nest-deeply.ts";

test.each<[string, string]>([
  ["brackets", "(".repeat(100)],
  ["a long sum", `let y = ${"x + ".repeat(1000)} x;`],
  ["many functions", "fn f(a: f32) -> f32 { a }\n".repeat(100)],
  ["many lambdas", "let f = |x| f(x);\n".repeat(100)],
  ["other files", "mod parts;"],
])("%s may nest deeply", (_, text) => {
  expect(mayNestDeeply(text)).toBe(true);
});

test.each<[string, string]>([
  ["a long list", `let y = [${"1.0, ".repeat(10_000)}];`],
  ["many statements", "let y[i] = (x[i] + 1.0) * 2.0;\n".repeat(1000)],
  ["a few functions", "fn f(a: f32) -> f32 { a }\n".repeat(10)],
])("%s does not", (_, text) => {
  expect(mayNestDeeply(text)).toBe(false);
});
