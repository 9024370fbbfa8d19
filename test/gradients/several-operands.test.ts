// Several operands of one expression that get the same cotangent. Each of them gets all of it.

import { expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { agrees } from "./testing.ts";

test.each([
  [
    "at other coordinates",
    "let a = [[0.5, 1.5], [0.25, 2.0]]; let b = [[1.0, 0.5], [0.75, 1.25]]; " +
      "let y[i, j] = tanh(sum[k](a[i, k] * b[k, j]) + b[j, i]); " +
      "let l = sum[i, j](y[i, j] ** 2); let g = @l / @a; let h = @l / @b;",
  ],
  [
    "under one guard and not under the other",
    "let a = [0.5, 1.5, 2.5]; let b = [1.0, 0.5, 0.75]; " +
      "let s[i in 0..3] = sum[k in 0..2](a[i] * b[k]); " +
      "let r[i in 0..3] = b[i] * 2.0 where i > 0; let y[i] = exp(s[i] * 0.1 + r[i]); " +
      "let l = sum[i](y[i]); let g = @l / @a; let h = @l / @b;",
  ],
  [
    "in some of the cells",
    "let a = [0.5, 1.5, 2.5]; let c = 0.3; " +
      "let s[i in 0..3] = sum[k in 0..2](a[k] * (i + 1) as f32); let y[i in 0..1] = s[i]; " +
      "let y[i in 1..3] = exp(s[i] * 0.1 + c); let l = sum[i](y[i] ** 2); let g = @l / @a; " +
      "let h = @l / @c;",
  ],
  [
    "in two clauses",
    "let a = [0.5, 1.5, 2.5]; let c = 0.3; " +
      "let s[i in 0..3] = sum[k in 0..2](a[k] * (i + 1) as f32); " +
      "let y[i in 0..2] = exp(s[i] * 0.1 + c); let y[i in 2..3] = exp(s[i] * 0.1 + c) * 2.0; " +
      "let l = sum[i](y[i] ** 2); let g = @l / @a; let h = @l / @c;",
  ],
  [
    "at a shifted position",
    "let a = [0.5, 1.5, 2.5, 1.0]; let c = [0.3, 0.2, 0.1]; " +
      "let y[i in 0..3] = tanh(sum[k in 0..2](a[i + k]) * 0.5 + a[i + 1] + c[i]); " +
      "let l = sum[i](y[i] ** 2); let g = @l / @a; let h = @l / @c;",
  ],
  [
    "where guards look at data",
    "let a = [0.5, -1.5, 2.5]; let c = 0.3; " +
      "let s[i] = sum[k in 0..2](a[i] * (k + 1) as f32); " +
      "let y[i] = log(s[i] + c + 2.0 * a[i]) where a[i] > 0; let l = sum[i](y[i]); " +
      "let g = @l / @a; let h = @l / @c;",
  ],
  [
    "along a recurrence",
    "let w = [[0.5, 0.25], [0.1, 0.3]]; let u = [0.2, 0.4]; let h[0, i in 0..2] = 0.5; " +
      "let h[t in 1..5, i in 0..2] = tanh(sum[j](w[i, j] * h[t - 1, j]) + " +
      "sum[j](u[j] * w[j, i]) + u[i]); let l = sum[t, i](h[t, i] ** 2); let g = @l / @w; " +
      "let d = @l / @u;",
  ],
  [
    "of several states",
    "let w = [[0.5, 0.25], [0.1, 0.3]]; let u = [0.2, 0.4]; let h[0, i in 0..2] = 0.5; " +
      "let c[0, i in 0..2] = 0.1; let c[t in 1..4, i in 0..2] = " +
      "tanh(sum[j](w[i, j] * h[t - 1, j]) + c[t - 1, i] + u[i]); " +
      "let h[t in 1..4, i in 0..2] = tanh(sum[j](w[i, j] * c[t - 1, j]) + u[i]); " +
      "let l = sum[i](h[3, i] * c[3, i]); let g = @l / @w; let d = @l / @u;",
  ],
  [
    "twice",
    "let a = [0.5, 1.5]; let c = 0.3; let s[i in 0..2] = sum[k](a[k] * (i + k) as f32); " +
      "let y[i] = tanh(s[i] + c); let l = sum[i](y[i] ** 3); let g = @l / @a; let d = @l / @c; " +
      "let m = sum[i](g[i] ** 2) * d; let e = @m / @a; let f = @m / @c;",
  ],
  [
    "summed for two operands",
    "let p = [[0.5, 1.5], [0.25, 2.0], [1.0, 0.75]]; let q = [[1.0, 0.5], [0.75, 1.25]]; " +
      "let f[0, s in 0..2] = 0.0; let f[i in 1..3, s in 0..2] = " +
      "logsumexp[r](f[i - 1, r] + p[i - 1, r] + q[r, s]); " +
      "let l = logsumexp[s](f[2, s] + p[2, s]); let g = @l / @p; let h = @l / @q;",
  ],
  [
    "summed for one that has more cells",
    "let p = [[0.5, 1.5], [0.25, 2.0], [1.0, 0.75], [2.0, 0.5]]; " +
      "let q = [[1.0, 0.5], [0.75, 1.25]]; let f[0, s in 0..2] = 0.0; " +
      "let f[i in 1..3, s in 0..2] = logsumexp[r](f[i - 1, r] + p[i - 1, r] + q[r, s]); " +
      "let l = logsumexp[s](f[2, s] + p[3, s]); let g = @l / @p; let h = @l / @q;",
  ],
  [
    "summed with another sign",
    "let p = [[0.5, 1.5], [0.25, 2.0], [1.0, 0.75]]; let q = [[1.0, 0.5], [0.75, 1.25]]; " +
      "let f[0, s in 0..2] = 0.0; let f[i in 1..3, s in 0..2] = " +
      "logsumexp[r](f[i - 1, r] - p[i - 1, r] + q[r, s]); " +
      "let l = logsumexp[s](f[2, s] + p[2, s]); let g = @l / @p; let h = @l / @q;",
  ],
])("the same number %s", (_, text) => {
  agrees(text);
});

test("what two operands get that stand beside one another in a sum is summed once", () => {
  const text = `input p: [f32; 5, 3]; input q: [f32; 3, 3]; input c: [f32; 5, 3];
    let f[0, s in 0..3] = 0.0;
    let f[i in 1..5, s in 0..3] = logsumexp[r](f[i - 1, r] + p[i - 1, r] + q[r, s] + c[i - 1, r]);
    let loss = logsumexp[s](f[4, s] + p[4, s]);`;
  const derived = compile({ name: "a.ein", text }).program!.grad("loss", ["p", "q", "c"]);
  if (!("source" in derived)) throw new Error("no derivation");
  const lines = derived.source.split("\n").filter((line) => line.startsWith("let d_"));
  expect(lines.filter((line) => line.includes("sum["))).toHaveLength(2);
  expect(lines.at(-1)).toBe("let d_c[i, r] = d_f_from_f[i, r];");
});
