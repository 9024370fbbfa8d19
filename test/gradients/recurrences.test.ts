// Gradients through recurrences: the adjoint runs backwards, passes cotangents on, and adds up over
// the steps.

import { describe, expect, it } from "vitest";
import { derive } from "./derived.ts";
import { agrees, close, messagesOf, valueOf } from "./testing.ts";
import { reachable } from "../../src/analyse/schedule.ts";
import { rootsOf } from "../../src/ir/roots.ts";

describe("recurrences", () => {
  it.each([
    [
      "a scalar state",
      "let W = 0.7; let x = [0.5, 0.3, 0.2]; let h[0] = x[0]; " +
        "let h[t in 1..4] = tanh(h[t - 1] * W + x[t - 1]); let l = sum[t](h[t] ** 2); " +
        "let a = @l / @W; let b = @l / @x;",
    ],
    [
      "two steps back",
      "let a = 0.3; let b = 0.9; let f[0] = a; let f[1] = b; " +
        "let f[t in 2..7] = f[t - 1] * f[t - 2] + a; let l = f[6]; let g = @l / @a; " +
        "let h = @l / @b;",
    ],
    [
      "a vector state",
      "let W = [[0.5, -0.25], [0.125, 1.0]]; let x = [[0.1, 0.2], [0.3, 0.4], [-0.5, 0.6]]; " +
        "let h[0, i in 0..2] = 0.0; let h[t in 1..4, i] = " +
        "tanh(sum[j](W[i, j] * h[t - 1, j]) + x[t - 1, i]); let l = sum[t, i](h[t, i] ** 2); " +
        "let a = @l / @W; let b = @l / @x;",
    ],
    [
      "downward",
      "let x = [1.0, 2.0, 3.0, 4.0]; let s[3] = x[3]; " +
        "let s[t in rev(0..3)] = x[t] * s[t + 1]; let l = s[0] + s[1] ** 2; let g = @l / @x;",
    ],
    [
      "mutual",
      "let p = 0.5; let a[0] = p; let b[0] = 0.3; " +
        "let a[t in 1..6] = a[t - 1] * 0.5 + b[t - 1]; let b[t in 1..6] = a[t] - b[t - 1] * p; " +
        "let l = sum[t](a[t] * b[t]); let g = @l / @p;",
    ],
    [
      "diffusion on a ring",
      "let u = [0.1, 0.5, -0.3, 0.8]; let h[0, i in 0..4] = u[i]; " +
        "let h[t in 1..4, i in 0..4] = h[t - 1, i] + " +
        "0.1 * (h[t - 1, (i + 1) % 4] - 2 * h[t - 1, i] + h[t - 1, (i + 3) % 4]); " +
        "let l = sum[i](h[3, i] ** 2); let g = @l / @u;",
    ],
    [
      "Cholesky",
      "let A = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]; " +
        "let L[i in 0..3, j in 0..3] = 0.0; " +
        "let L[i in 0..3, j in 0..3] = if i == " +
        "j { sqrt(A[i, j] - sum[s in 0..j](L[j, s] ** 2)) } else " +
        "{ (A[i, j] - sum[s in 0..j](L[i, s] * L[j, s])) / L[j, j] } where i >= j; " +
        "let l = sum[i, j](L[i, j] ** 3); let g = @l / @A;",
    ],
    [
      "a branch in the step",
      "let x = [1.0, 2.0, 0.5, 0.3]; let h[0] = 1.0; " +
        "let h[t in 1..4] = if x[t] > 0.4 { h[t - 1] * x[t] } else { h[t - 1] + x[t] }; " +
        "let l = h[3]; let g = @l / @x;",
    ],
    [
      "a guard with else",
      "let x = [1.0, 2.0, 0.5, 0.3]; let h[0] = 1.0; " +
        "let h[t in 1..4] = h[t - 1] * x[t] where x[t] > 0.4 else 2 * x[t]; " +
        "let l = sum[t](h[t]); let g = @l / @x;",
    ],
    [
      "a sum over all earlier steps",
      "let x = [1.0, 2.0, 0.5, 0.3]; let h[0] = x[1]; " +
        "let h[t in 1..4] = sum[k in 0..t](h[k] * x[t - k]); let l = sum[t](h[t] ** 2); " +
        "let g = @l / @x;",
    ],
    [
      "two axes at once",
      "let x = [1.0, 2.0, 0.5]; let w = [0.3, 0.4]; let h[t in 0..5, i in 0..3] = x[i]; " +
        "let h[t in 1..5, i in 1..3] = h[t - 1, i - 1] * w[0] + h[t, i - 1] * w[1]; " +
        "let l = sum[t, i](h[t, i] ** 2); let g = @l / @x; let k = @l / @w;",
    ],
    [
      "an initial state for all, overridden",
      "let x = [1.0, 2.0, 0.5]; let h[t in 0..4, i in 0..3] = x[i]; " +
        "let h[t in 1..4, i in 0..3] = h[t - 1, 2 - i] * x[i]; let l = sum[i](h[3, i] ** 2); " +
        "let g = @l / @x;",
    ],
    [
      "a looked-up step",
      "let x = [1.0, 2.0, 0.5, 0.3]; let idx = [0, 0, 1, 0]; let h[0] = x[1]; " +
        "let h[t in 1..4] = h[idx[t]] * x[t]; let l = sum[t](h[t] ** 2); let g = @l / @x;",
    ],
    [
      "a looked-up step, downward",
      "let x = [1.0, 2.0, 0.5, 0.3]; let idx = [3, 2, 3, 0]; let h[3] = x[1]; " +
        "let h[t in rev(0..3)] = h[idx[t]] * x[t] + sin(h[t + 1]); let l = sum[t](h[t] ** 2); " +
        "let g = @l / @x;",
    ],
    [
      "a looked-up place of the step before",
      "let x = [1.0, 2.0, 0.5]; let idx = [2, 0, 0]; let h[0, i in 0..3] = x[i]; " +
        "let h[t in 1..4, i in 0..3] = sin(h[t - 1, idx[i]]) * x[i]; " +
        "let l = sum[i](h[3, i] ** 2); let g = @l / @x;",
    ],
    [
      "a looked-up place beside an axis that is strictly backward",
      "let x = [[1.0, 0.2, 0.5], [0.3, 0.7, 0.4], [0.9, 0.6, 0.8]]; let d = [0, 1]; " +
        "let r[i in 0..3, j in 0..3] = x[i, j]; " +
        "let r[i in 1..3, j in 1..3] = x[i, j] * sum[k](sin(r[i - d[k], j - 1])); " +
        "let l = sum[i, j](r[i, j] ** 2); let g = @l / @x;",
    ],
    [
      "looked-up places along all axes, some of the same step",
      "let x = [[1.0, 0.2, 0.5], [0.3, 0.7, 0.4], [0.9, 0.6, 0.8]]; let di = [1, 0, 1]; " +
        "let dj = [1, 1, 0]; let r[i in 0..3, j in 0..3] = x[i, j]; " +
        "let r[i in 1..3, j in 1..3] = x[i, j] * sum[k](sin(r[i - di[k], j - dj[k]])) + 0.5; " +
        "let l = sum[i, j](r[i, j] ** 2); let g = @l / @x;",
    ],
    [
      "moves that a condition chooses",
      "let x = [0.3, 0.9, 0.4]; let y = [0.5, 0.1, 0.7]; let w = [0.1, 0.2, 0.3]; " +
        "let r[i in 0..4, j in 0..4] = if i + j == 0 { 0.0 } else { 5.0 }; " +
        "let r[i in 1..4, j in 1..4] = (x[i - 1] - y[j - 1]) ** 2 - " +
        "logsumexp[k in 0..3](w[k] - r[i - (if k == 1 { 0 } else { 1 }), " +
        "j - (if k == 2 { 0 } else { 1 })]); let l = r[3, 3]; let a = @l / @x; " +
        "let b = @l / @y; let c = @l / @w;",
    ],
    [
      "a looked-up step of a member that is computed first",
      "let x = [0.3, 0.9, 0.4, 0.7]; let at = [0, 1, 1, 3]; let a[0] = x[0]; " +
        "let b[0] = x[1]; let a[t in 1..4] = sin(b[at[t]]) * x[t]; " +
        "let b[t in 1..4] = a[t - 1] + x[t]; let l = sum[t](a[t] * b[t]); let g = @l / @x;",
    ],
    [
      "delays and sources from data",
      "let x = [[0.1, 0.5, 0.3], [0.8, 0.2, 0.4], [0.6, 0.7, 0.9], [0.3, 0.5, 0.1]]; " +
        "let lag = [[1, 2], [0, 1], [1, 0]]; let from = [[1, 2], [0, 2], [2, 1]]; " +
        "let h[t in 0..4, n in 0..3] = x[t, n]; " +
        "let h[t in 2..4, n in 0..3] = tanh(x[t, n] + sum[k](h[t - lag[n, k], from[n, k]])); " +
        "let l = sum[t, n](h[t, n] ** 2); let g = @l / @x;",
    ],
    [
      "a maximum over earlier steps",
      "let x = [1.0, 2.0, 0.5, 0.3]; let h[0] = x[1]; " +
        "let h[t in 1..4] = max[k in 0..t](h[k] * x[t]); let l = sum[t](h[t]); let g = @l / @x;",
    ],
    [
      "three steps back",
      "let a = 0.3; let f[t in 0..3] = a * (t + 1) as f32; " +
        "let f[t in 3..9] = sin(f[t - 1]) + f[t - 3] * a; let l = f[8] * f[7]; let g = @l / @a;",
    ],
    [
      "same-step reads of three members",
      "let p = 0.4; let a[0] = p; let a[t in 1..5] = sin(c[t - 1] + p); " +
        "let b[t in 0..5] = a[t] * p; let c[t in 0..5] = a[t] + b[t] ** 2; " +
        "let l = sum[t](c[t]); let g = @l / @p;",
    ],
    [
      "mutual, downward, with vectors",
      "let W = [[0.5, -0.25], [0.125, 1.0]]; let a[4, i in 0..2] = 0.3; " +
        "let b[4, i in 0..2] = 0.1; let a[t in rev(0..4), i in 0..2] = " +
        "tanh(sum[j](W[i, j] * b[t + 1, j]) + a[t + 1, 1 - i]); " +
        "let b[t in rev(0..4), i in 0..2] = a[t, i] * W[i, 0] + b[t + 1, i]; " +
        "let l = sum[i](a[0, i] * b[0, i]); let g = @l / @W;",
    ],
    [
      "a wavefront in two dimensions",
      "let w = [0.3, 0.4, 0.2]; let h[i in 0..4, j in 0..4] = 0.1 * (i + 2 * j + 1) as f32; " +
        "let h[i in 1..4, j in 1..4] = sin(w[0] * h[i - 1, j] + w[1] * h[i, j - 1] + " +
        "w[2] * h[i - 1, j - 1]); let l = h[3, 3] + h[2, 1]; let g = @l / @w;",
    ],
    [
      "the step before at a shifted place",
      "let x = [0.1, 0.5, -0.3, 0.8]; let h[t in 0..4, i in 0..4] = x[i]; " +
        "let h[t in 1..4, i in 0..3] = sin(h[t - 1, i + 1]) * x[i]; " +
        "let l = sum[t, i](h[t, i] ** 2); let g = @l / @x;",
    ],
    [
      "forward substitution",
      "let L = [[2.0, 0.0, 0.0], [0.5, 1.5, 0.0], [0.25, -0.5, 3.0]]; " +
        "let b = [1.0, 2.0, 3.0]; let x[i in 0..3] = " +
        "(b[i] - sum[j in 0..i](L[i, j] * x[j])) / L[i, i]; let l = sum[i](x[i] ** 2); " +
        "let g = @l / @b; let k = @l / @L;",
    ],
    [
      "a recurrence in every step of another",
      "let p = 0.6; let s[0] = p; let r[t in 0..4, 0] = s[t]; " +
        "let r[t in 0..4, k in 1..3] = sin(r[t, k - 1] * p); " +
        "let s[t in 1..4] = r[t - 1, 2] + s[t - 1]; let l = s[3]; let g = @l / @p;",
    ],
    [
      "a local recurrence in a step",
      "let x = [0.3, 0.7, 0.2]; let h[0] = 0.5; " +
        "let h[t in 1..4] = { let r[0] = h[t - 1]; let r[k in 1..3] = r[k - 1] * x[k] + 0.1; " +
        "r[2] * x[0] }; let l = h[3] ** 2; let g = @l / @x;",
    ],
    [
      "clauses for the even and the odd steps",
      "let x = [1.0, 2.0, 0.5, 0.3, 0.7, 0.9]; let h[0] = x[0]; " +
        "let h[t in 1..6] = h[t - 1] * x[t]; " +
        "let h[t in 2..6] = h[t - 2] + sin(x[t]) where t % 2 == 0; let l = sum[t](h[t] ** 2); " +
        "let g = @l / @x;",
    ],
    [
      "a running variance, whose adjoint is made of ones",
      "let x = [0.3, 0.9, -0.4, 0.7]; let m[0] = x[0]; let v[0] = 0.0; " +
        "let m[t in 1..4] = m[t - 1] + (x[t] - m[t - 1]) / (t + 1) as f32; " +
        "let v[t in 1..4] = v[t - 1] + (x[t] - m[t - 1]) * (x[t] - m[t]); let l = v[3]; " +
        "let g = @l / @x;",
    ],
    [
      "sums of one another, whose adjoints are made of ones",
      "let x = [0.3, 0.9, -0.4]; let a[0] = x[0]; let b[0] = x[1]; " +
        "let a[t in 1..4] = b[t - 1] + x[t % 3]; let b[t in 1..4] = a[t - 1] - x[2]; " +
        "let l = a[3] + b[3]; let g = @l / @x;",
    ],
    [
      "overlapping clauses of which the last owns a stretch",
      "let x = [1.0, 2.0, 0.5]; let h[t in 0..6, i in 0..3] = x[i]; " +
        "let h[t in 1..6, i in 0..3] = sin(h[t - 1, i]) * x[2 - i]; " +
        "let h[t in 3..5, i in 1..3] = h[t - 2, i - 1] * 0.5; let l = sum[t, i](h[t, i] ** 2); " +
        "let g = @l / @x;",
    ],
  ])("%s", (_, text) => {
    agrees(text);
  });

  it("of as many steps as the inputs decide", () => {
    agrees(
      "input x: [f32; time]; let h[0] = x[0]; " +
        "let h[t in 1..extent(time)] = tanh(h[t - 1] * 0.5 + x[t]); let l = sum[t](h[t] ** 2); " +
        "let g = @l / @x;",
      { inputs: { x: [0.1, 0.7, -0.4, 0.2, 0.9] } },
    );
  });

  it("as denominators carry a change on to later cells", () => {
    const { h } = agrees(
      "let x = [0.5, 0.3, 0.2]; let h[0] = x[0]; " +
        "let h[t in 1..4] = h[t - 1] * 0.5 + x[t - 1]; let l = h[3] + h[1]; let a = @l / @x; " +
        "let b = @l / @h;",
    );
    close(h, [0.625, 1.25, 0.5, 1]);
  });

  it("differentiated twice", () => {
    agrees(
      "let x = [0.5, 0.3, 0.2]; let W = 0.7; let h[0] = x[0]; " +
        "let h[t in 1..4] = tanh(h[t - 1] * W + x[t - 1]); let l = sum[t](h[t] ** 2); " +
        "let g = @l / @W; let n = g * g; let a = @n / @x; let b = @n / @W;",
    );
  });

  it("have their order among many sizes that are not known yet", () => {
    const text =
      "use std::linalg::*; input m: [f64; batch, n, n]; input r: [f64; batch, n, k]; " +
      "let y = solve_lower(m, r); input w: [f64; ?, ?, ?]; " +
      "let loss = sum[b, i, j](y[b, i, j] * w[b, i, j]); let d = @loss / @r;";
    expect(messagesOf(text)).toEqual([]);
  });

  it("stop at what has no derivative", () => {
    const text =
      "let x = [0.5, 0.3]; let h[0] = x[0]; " +
      "let h[t in 1..4] = (h[t - 1] > 0.2) as f32 * x[1]; let l = h[3]; let g = @l / @x;";
    expect(messagesOf(text)[0]).toEqual({ code: "E0701", title: "gradient of `>` is not defined" });
  });
});

describe("the tangents of a maximum over spans run in the order of its recurrence", () => {
  const start = "let s = [0.9, -0.3, 0.7, 0.2, -0.8]; let v = [0.3, 1.1, -0.4, 0.6, 0.5];";
  const ends = "let C[i in 0..5, 0] = s[i];";
  // Each with the clauses of C.
  const spans: readonly (readonly [string, string])[] = [
    [
      "one part",
      `${ends} let C[i in 0..5, l in 1..5] = ` +
        "max[k in 0..l](sin(C[i + k + 1, l - k - 1]) * s[k]) where i + l < 5 else 0.0;",
    ],
    [
      "two parts",
      `${ends} let C[i in 0..5, l in 1..5] = s[l] + ` +
        "max[k in 0..l](C[i, k] * C[i + k + 1, l - k - 1]) where i + l < 5 else 0.0;",
    ],
    [
      "a minimum",
      `${ends} let C[i in 0..5, l in 1..5] = ` +
        "s[l] * min[k in 0..l](sin(C[i, k]) - C[i + k + 1, l - k - 1]) where i + " +
        "l < 5 else 0.0;",
    ],
    [
      "several coordinates",
      `${ends} let C[i in 0..5, l in 1..5] = ` +
        "max[a in 0..2, k in 0..l](sin(C[i + k + 1, l - k - 1]) * s[a]) where i + " +
        "l < 5 else 0.0;",
    ],
    [
      "coordinates that bound one another",
      `${ends} let C[i in 0..5, l in 1..5] = ` +
        "max[k in 0..l, m in 0..k + 1](sin(C[i + k + 1, l - k - 1]) * C[i + m, l - m - 1] + " +
        "s[m]) where i + l < 5 else 0.0;",
    ],
    [
      "a window",
      "let C[i in 0..5, l in 0..2] = s[i] + l as f32; " +
        "let C[i in 0..5, l in 2..5] = max[k in 0..2](sin(C[i + k + 1, l - k - 1]) * s[k]) " +
        "where i + 2 < 5 else s[i];",
    ],
    [
      "downward",
      "let C[i in 0..5, 4] = s[i]; let C[i in 0..5, l in rev(0..4)] = " +
        "max[k in 0..4 - l](sin(C[i + k + 1, l + k + 1]) * s[k]) where i + 4 - l < 5 else 0.0;",
    ],
    [
      "mutual",
      `${ends} let D[i in 0..5, 0] = s[i] + 1.0; ` +
        "let C[i in 0..5, l in 1..5] = max[k in 0..l](sin(D[i + k + 1, l - k - 1]) * s[k]) " +
        "where i + l < 5 else 0.0; let D[i in 0..5, l in 1..5] = " +
        "min[k in 0..l](C[i, k] + C[i + k + 1, l - k - 1]) + C[i, l] where i + l < 5 else 0.0;",
    ],
    [
      "a lookup beside it",
      `let q = [0, 1, 0, 1, 0]; ${ends} let C[i in 0..5, l in 1..5] = ` +
        "max[k in 0..l](sin(C[i + q[k] + 1, l - k - 1]) * s[k]) where i + 1 < 4 else s[i];",
    ],
    [
      "an earlier step, or the same one further on",
      "let C[i in rev(0..5), j in 0..5] = s[i] + " +
        "max[a in 0..5, b in 0..5](sin(C[a, b]) * s[j] where b < j || b == j && a > i) where j " +
        "> 0 || i < 4 else s[0];",
    ],
  ];

  it.each(spans)("%s", (_, text) => {
    const program = `${start} ${text} let y = sum[i, l](C[i, l] ** 2); let g = @y / @s;`;
    agrees(program);
    const along =
      `${program} let J = @C / @s; let moved[i, l] = sum[p](J[i, l, p] * v[p]); ` +
      "let t = sum[i, l](2.0 * C[i, l] * moved[i, l]); let back = sum[p](g[p] * v[p]);";
    close(valueOf(along, "t"), valueOf(along, "back"));
    // The gradient of the tangent, the tangent of the gradient, and the tangent of the tangent.
    const again = `${along} let h = @t / @s; let H = @g / @s;
      let moving[p] = sum[q](H[p, q] * v[q]); let K = @moved / @s;
      let twice[i, l] = sum[q](K[i, l, q] * v[q]);
      let tt = sum[i, l](2.0 * (C[i, l] * twice[i, l] + moved[i, l] ** 2));
      let th = sum[p](h[p] * v[p]);`;
    close(valueOf(again, "moving"), valueOf(again, "h"));
    close(valueOf(again, "tt"), valueOf(again, "th"));
  });
});

describe("nothing is unrolled", () => {
  const program = (T: string): string =>
    `let W = 0.7; let b = 0.1; let h[0] = 0.5; let h[t in 1..${T}] = tanh(h[t - 1] * W + b); ` +
    `let l = h[${T} - 1] ** 2; let a = @l / @W; let c = @l / @b;`;
  const count = (text: string): number => reachable(rootsOf(derive(text).program)).length;

  // Each with T as the number of steps.
  it.each([
    ["a scalar state", program("T")],
    [
      "two steps back",
      "let a = 0.3; let f[0] = a; let f[1] = 0.5; " +
        "let f[t in 2..T] = sin(f[t - 1]) * f[t - 2] + a; let l = f[T - 1]; let g = @l / @a;",
    ],
    [
      "downward",
      "let a = 0.3; let f[t in T - 1..T] = a; let f[t in rev(0..T - 1)] = sin(f[t + 1] * a); " +
        "let l = sum[t](f[t]); let g = @l / @a;",
    ],
    [
      "mutual, with same-step reads",
      "let p = 0.5; let a[0] = p; let b[0] = 0.3; " +
        "let a[t in 1..T] = sin(a[t - 1] + b[t - 1]); let b[t in 1..T] = a[t] - b[t - 1] * p; " +
        "let l = sum[t](a[t] * b[t]); let g = @l / @p;",
    ],
    [
      "overlapping clauses",
      "let x = [1.0, 2.0, 0.5]; let h[t in 0..T, i in 0..3] = x[i]; " +
        "let h[t in 1..T, i in 0..2] = sin(h[t - 1, i + 1]) * x[i]; " +
        "let l = sum[i](h[T - 1, i]); let g = @l / @x;",
    ],
    [
      "training",
      "let lr = 0.1; let loss[t in 0..T] = (w[t] - 3.0) ** 2; let w[0] = 0.2; " +
        "let w[t in 1..T] = w[t - 1] - lr * @loss[t - 1] / @w[t - 1]; let l = loss[T - 1]; " +
        "let g = @l / @lr;",
    ],
    ["twice", `${program("T")} let n = a * c; let e = @n / @W;`],
    [
      "forward",
      `${program("T")} let s = [0.1, 0.2]; let r[0, i in 0..2] = s[i]; ` +
        "let r[t in 1..T, i in 0..2] = sin(r[t - 1, 1 - i]); let y[i] = r[T - 1, i]; " +
        "let J = @y / @s;",
    ],
  ])("the derived program has the same definitions for any number of steps: %s", (_, text) => {
    const [few, many] = ["10", "10000"].map((T) => count(text.replaceAll(/\bT\b/g, T)));
    expect(many).toBe(few);
    expect(count(`input x_in: [f32; time]; ${text.replaceAll(/\bT\b/g, "extent(time)")}`)).toBe(
      few,
    );
  });

  it("ten thousand steps end with the right number", () => {
    // The state settles long before the end, so the gradient is that of the fixed point: dh = (h +
    // …)·(1 - h²) / (1 - W·(1 - h²)).
    let h = 0.5;
    for (let t = 0; t < 9999; t++) h = Math.tanh(h * 0.7 + 0.1);
    const slope = 1 - h * h;
    close(valueOf(program("10000"), "a"), [(2 * h * h * slope) / (1 - 0.7 * slope)]);
    close(valueOf(program("10000"), "c"), [(2 * h * slope) / (1 - 0.7 * slope)]);
  });
});
