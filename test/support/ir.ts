// For tests: the IR of a source text, and small programs that together use every part of the IR.

import { answerRequests } from "../../src/autodiff/requests/requests.ts";
import { check } from "../../src/check/check.ts";
import { parse } from "../../src/syntax/parse/parser.ts";
import { analyse, type Analysis } from "../../src/analyse/analyse.ts";
import { normalise } from "../../src/lower/normalise.ts";
import type { Program } from "../../src/ir/program.ts";

export interface Lowered {
  readonly program: Program;
  readonly analysis: Analysis;
}

/** Throws if the text has errors. */
export function lowered(text: string): Lowered {
  const { module, diagnostics } = parse({ name: "test.ein", text });
  const { checker, program: typed } = check(module);
  const program = normalise(checker, typed);
  const answered = answerRequests(program, checker.extents);
  const analysis = analyse(program, checker.extents);
  const wrong = [
    ...diagnostics,
    ...checker.diagnostics,
    ...answered,
    ...analysis.diagnostics,
  ].filter(({ level }) => level === "error");
  if (wrong.length > 0)
    throw new Error(wrong.map(({ code, title }) => `${code}: ${title}`).join("\n"));
  return { program, analysis };
}

/** Programs without inputs, by the part that they show. */
export const programs: Readonly<Record<string, string>> = {
  map: "let x = [1.0, 2.0, 3.0]; let y[i] = 2 * x[i] + 1;",
  broadcast:
    "let a = [1.0, 2.0]; let b = [3.0, 4.0, 5.0]; let c[i, j] = a[i] * b[j]; " +
    "let d[k in 0..4, i] = a[i];",
  matmul:
    "let A = [[1.0, 2.0], [3.0, 4.0]]; let B = [[5.0, 6.0], [7.0, 8.0]]; " +
    "let C[i, j] = sum[k](A[i, k] * B[k, j]);",
  "nested reductions":
    "let x = [[1.0, 2.0], [3.0, 5.0]]; let p[b, j] = exp(x[b, j]) / sum[k](exp(x[b, k])); " +
    "let y_2 = 1; let y[i] = 1 + sum[k](x[i, k]) + y_2 as f32;",
  reductions:
    "let x = [3.0, 1.0, 2.0]; let s = (sum[i](x[i]), prod[i](x[i]), mean[i](x[i])).1; " +
    "let a = argmax[i](x[i]); let n = count[i](x[i] > 1); " +
    "let e = any[i](x[i] > 5) || all[i](x[i] > 0); let l = logsumexp[i](x[i]);",
  "guarded reduction": "let d = [1.0, -2.0, 3.0]; let s = sum[i](d[i] where d[i] > 0, i != 2);",
  "guards and else":
    "let x = [1.0, 2.0, 3.0, 4.0]; let y[i] = x[i] where i > 0, x[i] < 4 else -1; " +
    "let z[i, j in 0..4] = x[i] where i == j;",
  clauses:
    "let a = [1, 2]; let b = [3, 4, 5]; let c[i in 0..2] = a[i]; " +
    "let c[i in 2..5] = b[i - 2]; let c[0] = 9;",
  fibonacci: "let f[0] = 0; let f[1] = 1; let f[t in 2..12] = f[t - 1] + f[t - 2];",
  rnn:
    "let W = [[0.5, -0.25], [0.125, 1.0]]; let x = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]; " +
    "let h[0, i in 0..2] = 0.0; let h[t in 1..4, i] = " +
    "tanh(sum[j](W[i, j] * h[t - 1, j]) + x[t - 1, i]);",
  downward:
    "let x = [1.0, 2.0, 3.0, 4.0]; let s[3] = x[3]; let s[t in rev(0..3)] = x[t] + s[t + 1];",
  mutual:
    "let a[0] = 1; let b[0] = 0; let a[t in 1..6] = a[t - 1] + b[t - 1]; " +
    "let b[t in 1..6] = a[t] - b[t - 1];",
  lcs:
    "let p = [1, 2, 3, 4]; let q = [2, 4, 3]; let L[i in 0..5, j in 0..4] = 0; " +
    "let L[i in 1..5, j in 1..4] = if p[i - 1] == " +
    "q[j - 1] { L[i - 1, j - 1] + 1 } else { max(L[i - 1, j], L[i, j - 1]) };",
  convolution:
    "let x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]; " +
    "let w = [[1.0, -1.0], [0.5, 2.0]]; let y[oh, ow] = " +
    "sum[kh, kw](x[oh + kh, ow + kw] * w[kh, kw]);",
  "padded convolution":
    "let x = [1.0, 2.0, 3.0, 4.0]; let w = [1.0, 2.0, 3.0]; " +
    "let y[i in 0..4] = sum[k](x[i + k - 1] * w[k] where i + k - 1 in 0..4);",
  strided:
    "let x = [1, 2, 3, 4, 5, 6, 7]; let y[i] = x[2 * i + 1]; " +
    "let z[i] = sum[k in 0..3](x[2 * i + k]);",
  "division and remainder":
    "let x = [[1, 2, 3], [4, 5, 6]]; let f[p in 0..6] = x[p / 3, p % 3]; " +
    "let g[p in 0..6] = -p / 4 * 10 + -p % 4; let r[i in 0..6] = f[(i + 5) % 6];",
  gathers:
    "let m = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]; let idx = [2, 0, 1, 2]; " +
    "let col = [1, 1, 0, 0]; let g[k] = m[idx[k], col[k]]; " +
    "let s[p in 0..3] = sum[k](g[k] where idx[k] == p);",
  casts:
    "let x = [1.5, -2.5, 3.25]; let y[i] = x[i] as i32; let z[i in 0..3] = i as f32 * 0.5; " +
    "let w[i] = x[i] as f64 + 0.1; let b = 3 as f64; let c[i] = (x[i] > 0) as i32; " +
    "let n[i] = (16777217i32 as f32) + x[i]; let u[i in 0..2] = -(i as f32) as i32;",
  selects:
    "let x = [1.0, -2.0, 0.5]; let y[i] = if x[i] > 0 { x[i] } else if x[i] < -1 { 0 } else " +
    "{ -x[i] }; let z[i] = (if i == 0 { 1 } else { 2 }) * x[i]; " +
    "let d[i] = if i > 0 { x[i] - x[i - 1] } else { x[i] };",
  i64:
    "let n = [9007199254740993i64, -9223372036854775808]; let m[i] = n[i] + 1; " +
    "let c[i in 0..2] = 5i64; let k[i in 0..2] = i as i64 * 4_000_000_000 + 1;",
  f64:
    "let x = [0.1f64, 0.2, 1e-20]; let y[i] = x[i] * 3 + 0.25; let c[i in 0..2] = 2.0f64; " +
    "let s = sum[i](x[i]); let t[i in 0..2] = sum[k in 0..3](1.0f64);",
  "half widths":
    "let x = [1.5f16, 2.25]; let y[i] = x[i] * 2; let z[i in 0..2] = 0.5bf16; " +
    "let q = [1i8, -128]; let r[i] = q[i] + 1;",
  bools:
    "let b = [true, false, true]; let c[i] = !b[i] && (b[i] || i == 1); " +
    "let e[i] = b[i] == (i > 1); let n = count[i](b[i]);",
  "zero extents":
    "let e[i in 0..0] = 1.0; let s = sum[i](e[i]); let p[i in 0..3, j in 0..0] = i; " +
    "let q[i] = sum[j](p[i, j]);",
  "bindings in where":
    "let x = [1.0, 2.0, 3.0]; let y[i] = z * z + i as f32 where z = x[i] - 2, z < 1 else 7; " +
    "let s = sum[i](w * w where w = x[i] + 1);",
  "infinite and tiny":
    "let x = [1.0, 0.0, -1.0]; let y[i] = x[i] / 0; let m = max[i](x[i] where x[i] > 5); " +
    "let t = 1e-30; let u = 1.0e20; let v = -0.0; " +
    "let q[i] = x[i] ** -2 + (-x[i]) ** 2 - -x[i] ** 2;",
  scalars:
    "let n = [4, 2]; let k = n[1]; let y[i in 0..k + 1] = i * i; let m = n[0]; " +
    "let z[i in 0..m] = sum[j in 0..k](i - j);",
  "running sums":
    "let d = [1.0, 2.0, 3.0, 4.0]; let s[i in 0..4] = sum[k in 0..i + 1](d[k]); " +
    "let t[i in 0..4] = 1 + sum[k in 0..i + 1](d[k]);",
  ragged:
    "let ptr = [0, 2, 2, 5]; let v = [1.0, 2.0, 3.0, 4.0, 5.0]; " +
    "let s[i in 0..3] = sum[k in ptr[i]..ptr[i + 1]](v[k]); " +
    "let t[i in 0..3] = s[i] / (1 + sum[k in ptr[i]..ptr[i + 1]](1.0));",
  names:
    "let i = [1.0, 2.0]; let y[i2] = i[i2]; let z[j, k] = i[j] - i[k]; " +
    "let sum_2[k] = i[k] + sum[k](i[k]); let w[t in 0..2] = [10.0, 20.0][t];",
  "functions and blocks":
    "fn half(v) { v / 2.0 } let x = [2.0, 4.0]; " +
    "let y[i] = { let t = half(x[i]); t * t + t }; " +
    "let n = { let s[i] = y[i] + 1; sum[i](s[i]) }; n",
  prints:
    'let x = [1.5, 2.5]; print("x is {x[0]:.2f} {{really}}", x, 3); ' +
    'assert(x[1] > 2, "too small: {x[1]}"); x',
  "effects under conditions":
    'fn tell(c, v) { if c { print("yes {v}"); ' +
    '1 } else { if v > 1 { print(if v > 2 { "big" } else { "middle {v}" }, "{"[{v}]":>6}"); ' +
    "} 0 } } let y = tell(false, 2) + tell(true, 3) + tell(false, 0);",
};
