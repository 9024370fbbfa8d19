// Operands that change places, and what a program's answers say of ties.

import { expect, test } from "vitest";
import { checkGradients } from "./check.ts";
import { withOperandsSwapped } from "./ties.ts";

test.each([
  ["let y = max(a, b);", "let y = max( b, a);"],
  ["max(f(a, b), min(c[0, 1], d)) + max[i](x[i], y)", "max( min( d, c[0, 1]), f(a, b)) + max[i](x[i], y)"],
  ["max(a, b, c) + maximum(a, b)", "max(a,  b,  c) + maximum(a, b)"],
])("the operands of %s", (text, swapped) => {
  expect(withOperandsSwapped(text)).toBe(swapped);
});

test("winners of ties that together are nobody's derivative are not compared with differences", () => {
  const { requests, problems } = checkGradients(
    "let x = 1.5; let y = x; let m = max(x * min(y, x), x * x); let l = sin(m) + 0.3 * y; let g = @l / @y;",
  );
  expect(problems).toEqual([]);
  expect(requests[0]!.skipped).toEqual([0]);
});

test("a wrong rule is still told where an operand of `max` is equal to the other one", () => {
  const { problems } = checkGradients(
    "@fn wrong(v) { 2.5 * @v } fn wrong(v) { v * v } let x = 1.5; let y = x * x; let l = max(y, 1.0) + max(wrong(x), 1.0); let g = @l / @x;",
  );
  expect(problems).toHaveLength(1);
});
