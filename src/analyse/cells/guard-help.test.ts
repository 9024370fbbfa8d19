// The help for a read that leaves its tensor shows a guard, and the guard repairs the program.

import { expect, test } from "vitest";
import { compile } from "../../driver/compile.ts";

const helpOf = (text: string): string | undefined =>
  compile({ name: "p", text }).diagnostics[0]?.help;
const withGuard = (guard: string): string => `shorten the range, or guard the access: \`${guard}\``;

const picture = "let img[y in 0..8, x in 0..8] = 1.0;\nlet k[a in 0..3, b in 0..3] = 1.0;\n";
const border = "where y + a - 1 in 0..8, x + b - 1 in 0..8";

test("a stencil with a border of zeros", () => {
  const read = "img[y + a - 1, x + b - 1]";
  const out = (guard: string): string =>
    `${picture}let o[y in 0..8, x in 0..8] = sum[a, b](${read} * k[a, b]${guard});`;
  expect(helpOf(out(""))).toBe(withGuard(border));
  expect(compile({ name: "p", text: out(` ${border}`) }).diagnostics).toEqual([]);
});

test.each([
  ["let x = [1.0, 2.0];\nlet y[i in 0..4] = x[i];", "where i < 2"],
  ["let x = [1.0, 2.0];\nlet y[i in 0..2] = x[i + 1];", "where i + 1 in 0..2"],
  ["input x: [f32; n];\nlet y[i in 0..extent(n)] = x[i + 1];", "where i + 1 in 0..len(x)"],
  [
    "input x: [f32; m, n];\nlet y[i in 0..extent(n)] = x[0, 2 * i + 1];",
    "where 2 * i + 1 in 0..shape(x)[1]",
  ],
])("%s", (text, guard) => {
  expect(helpOf(text)).toBe(withGuard(guard));
  expect(compile({ name: "p", text: text.replace(/;$/, ` ${guard};`) }).diagnostics).toEqual([]);
});

test("an index without coordinates has no guard to print", () => {
  expect(helpOf("let x = [1.0, 2.0];\nprint(x[5]);")).toBe(
    "shorten the range, or guard the access with `where` or `if`",
  );
});
