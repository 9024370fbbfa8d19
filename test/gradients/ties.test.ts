// Programs with their operands in another order, and what their answers say about ties.

import { expect, test } from "vitest";
import { checkGradients } from "./check.ts";
import { inOrder } from "./ties.ts";

test.each([
  ["let y = max(a, b);", "let y = max( b,a);"],
  ["max(f(a, b), min(c[0, 1], d)) + max[i](x[i])", "max( min( d,c[0, 1]),f(a, b)) + max[i](x[i])"],
  ["max(a, b, c) + maximum(a, b)", "max(a, b, c) + maximum(a, b)"],
  [
    "max[i, r in 0..3](x[i, r] + min[s in a[r]..b](y[s])) + r",
    "max[i, r in 0..3](x[i, ((0) + (3) - 1 - r)] + " +
      "min[s in a[((0) + (3) - 1 - r)]..b](y[((a[((0) + (3) - 1 - r)]) + (b) - 1 - s)])) + r",
  ],
])("the order of %s", (text, turned) => {
  expect(inOrder("backwards", text)).toBe(turned);
});

test("the second comes first", () => {
  expect(inOrder("onward", "max[r in 1..4](x[r])")).toBe(
    "max[r in 1..4](x[((r - (1) + 1) % ((4) - (1)) + (1))])",
  );
});

test("ties without a derivative are not compared with differences", () => {
  const { requests, problems } = checkGradients(
    "let x = 1.5; let y = x; let m = max(x * min(y, x), x * x); let l = sin(m) + 0.3 * y; " +
      "let g = @l / @y;",
  );
  expect(problems).toEqual([]);
  expect(requests[0]!.skipped).toEqual([0]);
});

test("the same, of a greatest number among least ones", () => {
  const { requests, problems } = checkGradients(
    "let x = 1.2; let y[i in 0..4] = x * x; " +
      "let m = max[r in 0..3](min[s in 0..2](if r <= 1 { y[s + 1] } else { y[r] })); " +
      "let l = sin(m) + sum[i](0.3 * y[i]); let g = @l / @y;",
  );
  expect(problems).toEqual([]);
  expect(requests[0]!.skipped.length).toBeGreaterThan(0);
});

test("a wrong rule is still told beside ties that change nothing", () => {
  const { problems } = checkGradients(
    "@fn wrong(v) { 2.5 * @v } fn wrong(v) { v * v } let x = 1.5; " +
      "let l = max(x * x, x * x) + wrong(x) + max[i in 0..2](x * x); let g = @l / @x;",
  );
  expect(problems).toHaveLength(1);
});
