// The whole text of printed programs.

import { expect, it } from "vitest";
import { compile } from "../driver/compile.ts";
import { complete, printProgram } from "./print.ts";
import { lowered, programs } from "../../test/support/ir.ts";

const printed: Readonly<Record<string, readonly string[]>> = {
  map: ["let x = [1.0, 2.0, 3.0];", "let y[i] = 2 * x[i] + 1;"],
  broadcast: [
    "let a = [1.0, 2.0];",
    "let b = [3.0, 4.0, 5.0];",
    "let c[i, j] = a[i] * b[j];",
    "let d[k in 0..4, i] = a[i];",
  ],
  matmul: [
    "let A = [[1.0, 2.0], [3.0, 4.0]];",
    "let B = [[5.0, 6.0], [7.0, 8.0]];",
    "let C[i, j] = sum[k](A[i, k] * B[k, j]);",
  ],
  "nested reductions": [
    "let x = [[1.0, 2.0], [3.0, 5.0]];",
    "let p_2[b] = sum[k](exp(x[b, k]));",
    "let p[b, j] = exp(x[b, j]) / p_2[b];",
    "let y_2 = 1;",
    "let y_3[i] = sum[k](x[i, k]);",
    "let y[i] = 1 + y_3[i] + 1 as f32;",
  ],
  "guarded reduction": [
    "let d = [1.0, -2.0, 3.0];",
    "let s = sum[i](d[i] where d[i] > 0, i != 2);",
  ],
  "guards and else": [
    "let x = [1.0, 2.0, 3.0, 4.0];",
    "let y[i] = x[i] where i > 0, x[i] < 4 else -1.0;",
    "let z[i, j in 0..4] = x[i] where i == j;",
  ],
  clauses: [
    "let a = [1, 2];",
    "let b = [3, 4, 5];",
    "let c[i] = a[i];",
    "let c[i] = b[i - 2];",
    "let c[0] = 9;",
  ],
  fibonacci: ["let f[0] = 0;", "let f[1] = 1;", "let f[t in 2..12] = f[t - 1] + f[t - 2];"],
  rnn: [
    "let W = [[0.5, -0.25], [0.125, 1.0]];",
    "let x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];",
    "let h[0, i in 0..2] = 0.0;",
    "let h_2[t in 0..4, i] = sum[j](W[i, j] * h[t - 1, j]) where t >= 1;",
    "let h[t, i] = tanh(h_2[t, i] + x[t - 1, i]);",
  ],
  downward: [
    "let x = [1.0, 2.0, 3.0, 4.0];",
    "let s[3] = x[3];",
    "let s[t in rev(0..3)] = x[t] + s[t + 1];",
  ],
  mutual: [
    "let a[0] = 1;",
    "let b[0] = 0;",
    "let a[t in 1..6] = a[t - 1] + b[t - 1];",
    "let b[t in 1..6] = a[t] - b[t - 1];",
  ],
  lcs: [
    "let p = [1, 2, 3, 4];",
    "let q = [2, 4, 3];",
    "let L[i in 0..5, j in 0..4] = 0;",
    "let L[i in 1..5, j in 1..4] = if p[i - 1] == " +
      "q[j - 1] { L[i - 1, j - 1] + 1 } else { max(L[i - 1, j], L[i, j - 1]) };",
  ],
  convolution: [
    "let x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];",
    "let w = [[1.0, -1.0], [0.5, 2.0]];",
    "let y[oh, ow] = sum[kh, kw](x[oh + kh, ow + kw] * w[kh, kw]);",
  ],
  "padded convolution": [
    "let x = [1.0, 2.0, 3.0, 4.0];",
    "let w = [1.0, 2.0, 3.0];",
    "let y[i in 0..4] = sum[k](x[i + k - 1] * w[k] where i + k - 1 in 0..4);",
  ],
  strided: [
    "let x = [1, 2, 3, 4, 5, 6, 7];",
    "let y[i] = x[2 * i + 1];",
    "let z[i in 0..3] = sum[k in 0..3](x[2 * i + k]);",
  ],
  "division and remainder": [
    "let x = [[1, 2, 3], [4, 5, 6]];",
    "let f[p in 0..6] = x[p / 3, p % 3];",
    "let g[p in 0..6] = -p / 4 * 10 + -p % 4;",
    "let r[i in 0..6] = f[(i + 5) % 6];",
  ],
  gathers: [
    "let m = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];",
    "let idx = [2, 0, 1, 2];",
    "let col = [1, 1, 0, 0];",
    "let g[k] = m[idx[k], col[k]];",
    "let s[p in 0..3] = sum[k](g[k] where idx[k] == p);",
  ],
  casts: [
    "let x = [1.5, -2.5, 3.25];",
    "let y[i] = x[i] as i32;",
    "let z[i in 0..3] = i as f32 * 0.5;",
    "let w[i] = x[i] as f64 + 0.1;",
    "let b = 3.0f64 as f64;",
    "let c[i] = (x[i] > 0) as i32;",
    "let n[i] = 16777217i32 as f32 + x[i];",
    "let u[i in 0..2] = -(i as f32) as i32;",
  ],
  selects: [
    "let x = [1.0, -2.0, 0.5];",
    "let y[i] = if x[i] > 0 { x[i] } else if x[i] < -1 { 0 } else { -x[i] };",
    "let z[i] = (if i == 0 { 1 } else { 2 }) * x[i];",
    "let d[i] = if i > 0 { x[i] - x[i - 1] } else { x[i] };",
  ],
  i64: [
    "let n = [9007199254740993i64, -9223372036854775808];",
    "let m[i] = n[i] + 1;",
    "let c[i in 0..2] = 5i64;",
    "let k[i in 0..2] = i as i64 * 4000000000 + 1;",
  ],
  f64: [
    "let x = [0.1f64, 0.2, 1e-20];",
    "let y[i] = x[i] * 3 + 0.25;",
    "let c[i in 0..2] = 2.0f64;",
    "let s = sum[i](x[i]);",
    "let t[i in 0..2] = sum[k in 0..3](1.0f64);",
  ],
  "half widths": [
    "let x = [1.5f16, 2.25];",
    "let y[i] = x[i] * 2;",
    "let z[i in 0..2] = 0.5bf16;",
    "let q = [1i8, -128];",
    "let r[i] = q[i] + 1;",
  ],
  bools: [
    "let b = [true, false, true];",
    "let c[i] = !b[i] && (b[i] || i == 1);",
    "let e[i] = b[i] == i > 1;",
    "let n = count[i](b[i]);",
  ],
  "zero extents": [
    "let e[i in 0..0] = 1.0;",
    "let s = sum[i](e[i]);",
    "let p[i in 0..3, j in 0..0] = i;",
    "let q[i] = sum[j](p[i, j]);",
  ],
  "bindings in where": [
    "let x = [1.0, 2.0, 3.0];",
    "let y[i] = z * z + i as f32 where z = x[i] - 2, z < 1 else 7.0;",
    "let s = sum[i](w * w where w = x[i] + 1);",
  ],
  "infinite and tiny": [
    "let x = [1.0, 0.0, -1.0];",
    "let y[i] = x[i] / 0;",
    "let m = max[i](x[i] where x[i] > 5);",
    "let t = 1e-30;",
    "let u = 1e20;",
    "let v = -0.0;",
    "let q[i] = x[i] ** -2 + (-x[i]) ** 2 - -x[i] ** 2;",
  ],
  scalars: [
    "let n = [4, 2];",
    "let k = n[1];",
    "let y[i in 0..k + 1] = i * i;",
    "let m = n[0];",
    "let z[i in 0..m] = sum[j in 0..k](i - j);",
  ],
  "running sums": [
    "let d = [1.0, 2.0, 3.0, 4.0];",
    "let s[i in 0..4] = sum[k in 0..i + 1](d[k]);",
    "let t_2[i in 0..4] = sum[k in 0..i + 1](d[k]);",
    "let t[i] = 1 + t_2[i];",
  ],
  ragged: [
    "let ptr = [0, 2, 2, 5];",
    "let v = [1.0, 2.0, 3.0, 4.0, 5.0];",
    "let s[i] = sum[k in ptr[i]..ptr[i + 1]](v[k]);",
    "let t_2[i] = sum[k in ptr[i]..ptr[i + 1]](1.0);",
    "let t[i] = s[i] / (1 + t_2[i]);",
  ],
  names: [
    "let i = [1.0, 2.0];",
    "let y[i2] = i[i2];",
    "let z[j, k] = i[j] - i[k];",
    "let sum_2_2 = sum[k](i[k]);",
    "let sum_2[k] = i[k] + sum_2_2;",
    "let w_2 = [10.0, 20.0];",
    "let w[t] = w_2[t];",
  ],
  "functions and blocks": [
    "let x = [2.0, 4.0];",
    "let y[i] = t * t + t where t = x[i] / 2;",
    "let s[i] = y[i] + 1;",
    "let n = sum[i](s[i]);",
    "n;",
  ],
};

it.each(Object.entries(printed))("%s", (name, lines) => {
  const { program, analysis } = lowered(programs[name]!);
  expect(printProgram(program, analysis.schedules, complete).trimEnd().split("\n")).toEqual(lines);
});

it.each([
  [
    "input x: [f32; n]; let y[i in 0..extent(n)] = x[i - 1] where i > 0;",
    ["input x: [f32; n];", "let y[i in 0..extent(n)] = x[i - 1] where i > 0;"],
  ],
  [
    "input x: [f32; n, m]; let f[p in 0..extent(n) * extent(m)] = x[p / extent(m), p % extent(m)];",
    [
      "input x: [f32; n, m];",
      "let f[p in 0..extent(n) * extent(m)] = x[p / extent(m), p % extent(m)];",
    ],
  ],
  [
    "input x: [f32; n]; input k: i32; let y = x[k]; let z[i in 0..k] = x[i]; " +
      "let w[i in 0..max(k, 2)] = i;",
    [
      "input x: [f32; n];",
      "input k: i32;",
      "let y = x[k];",
      "let z[i in 0..k] = x[i];",
      "let w[i in 0..max(k, 2)] = i;",
    ],
  ],
  [
    "input a: [f32; n]; input b: [f32; m]; let c[i in 0..extent(n)] = a[i]; " +
      "let c[i in extent(n)..extent(n) + extent(m)] = b[i - extent(n)];",
    [
      "input a: [f32; n];",
      "input b: [f32; m];",
      "let c[i] = a[i];",
      "let c[i] = b[i - extent(n)];",
    ],
  ],
  [
    "input a: [f32; n, n]; let L[i in 0..extent(n), j in 0..extent(n)] = " +
      "a[i, j] - sum[k in 0..j](L[i, k] * L[j, k]) where i >= j;",
    [
      "input a: [f32; n, n];",
      "let L[i, j] = a[i, j] - L_2[i, j] where i >= j;",
      "let L_2[i in 0..extent(n), j in 0..extent(n)] = " +
        "sum[k in 0..j](L[i, k] * L[j, k]) where i >= j;",
    ],
  ],
  [
    "input x: [f32; n]; let y = x + 1; let z = x * y; let w = -x; " +
      "let s = sum[i](y[i]) / len(x) as f32;",
    [
      "input x: [f32; n];",
      "let y[n] = x[n] + 1;",
      "let z[n] = x[n] * y[n];",
      "let w[n] = -x[n];",
      "let s_2 = sum[i](y[i]);",
      "let s = s_2 / extent(n) as f32;",
    ],
  ],
  [
    "input x: [f32; n]; input idx: [i64; k]; let y[k] = x[j] * x[j] where j = idx[k] as i32, " +
      "j in 0..extent(n) else 2;",
    [
      "input x: [f32; n];",
      "input idx: [i64; k];",
      "let y[k] = x[j] * x[j] where j = idx[k] as i32, j in 0..extent(n) else 2.0;",
    ],
  ],
  [
    "input x: [f32; n]; let y[i] = if x[i] > 0 && i > 1 || " +
      "x[i] < -1 { if x[i] > 5 { 5 } else { x[i] } } else { -x[i] ** 2 };",
    [
      "input x: [f32; n];",
      "let y[i] = if x[i] > 0 && i > 1 || x[i] < -1 { if x[i] > 5 { 5 } else { x[i] } } else " +
        "{ -x[i] ** 2 };",
    ],
  ],
  [
    "input x: [f32; n]; let y[i in 0..extent(n) / 2] = x[2 * i] - x[2 * i + 1]; " +
      "let z[i in 0..extent(n) / 2 + 1] = i % 3;",
    [
      "input x: [f32; n];",
      "let y[i] = x[2 * i] - x[2 * i + 1];",
      "let z[i in 0..extent(n) / 2 + 1] = i % 3;",
    ],
  ],
  [
    "input b: [bool; n]; input s: [i8; n]; let c[i] = !(b[i] || s[i] > 3) && true; " +
      "let d[i] = (s[i] + 1) * 2 - (3 - s[i]); let e[i] = s[i] / (2 * s[i]) % 3;",
    [
      "input b: [bool; n];",
      "input s: [i8; n];",
      "let c[i] = !(b[i] || s[i] > 3) && true;",
      "let d[i] = (s[i] + 1) * 2 - (3 - s[i]);",
      "let e[i] = s[i] / (2 * s[i]) % 3;",
    ],
  ],
  [
    "let x = [[1.0f64, 2.5], [3.0, -4.0]]; let e[i in 0..0, j in 0..2] = true; " +
      "let n = [1i8, 2]; let m = [[3i64]]; let o = [true, false];",
    [
      "let x = [[1.0f64, 2.5], [3.0, -4.0]];",
      "let e[i in 0..0, j in 0..2] = true;",
      "let n = [1i8, 2];",
      "let m = [[3i64]];",
      "let o = [true, false];",
    ],
  ],
  [
    "input x: [f32; n]; let h[0] = x[0]; " +
      "let h[t in 1..extent(n)] = 0.5 * h[t - 1] + x[t] where x[t] > 0 else -1; " +
      "let last = h[len(x) - 1];",
    [
      "input x: [f32; n];",
      "let h[0] = x[0];",
      "let h[t in 1..extent(n)] = 0.5 * h[t - 1] + x[t] where x[t] > 0 else -1.0;",
      "let last = h[extent(n) - 1];",
    ],
  ],
])("%s", (text, lines) => {
  const { program } = compile({ name: "p", text });
  expect(program!.dump("ir").trimEnd().split("\n")).toEqual(lines);
});
