// Expressions that are split before they are differentiated, and products that are rewritten, have
// the derivatives of the original text.

import { describe, it } from "vitest";
import { agrees } from "./testing.ts";

describe("derivatives of long expressions", () => {
  it.each([
    [
      "a power of the same base above and below",
      "let vm = 1.5; let km = 0.75; let n = 1.25; let s = [0.5, 1.0, 2.0]; " +
        "let v = [0.25, 0.5, 0.75]; let l = " +
        "sum[i]((vm * s[i] ** n / (km ** n + s[i] ** n) - v[i]) ** 2); let a = @l / @vm; " +
        "let b = @l / @km; let c = @l / @n; let d = @l / @s;",
    ],
    [
      "a quotient in a logarithm",
      "let n = [0.5, 1.5, 2.0]; let T = 1.25; let V = 3.0; let m = [1.0, 2.0, 0.5]; " +
        "let l = sum[s](n[s] * T * (log(n[s] / (V * (m[s] * T) ** 1.5)) - 1.0)); " +
        "let a = @l / @n; let b = @l / @T; let c = @l / @V; let d = @l / @m;",
    ],
    [
      "a quotient in an exponential, summed over another coordinate",
      "let x = [0.5, -1.0, 2.0]; let mu = [0.25, 1.0]; let sd = [0.75, 1.5]; " +
        "let w = [0.5, 0.25]; let p[n] = sum[k](w[k] * " +
        "exp(-0.5 * ((x[n] - mu[k]) / sd[k]) ** 2) / (sd[k] * 2.5)); " +
        "let l = -sum[n](log(p[n])); let a = @l / @mu; let b = @l / @sd; let c = @l / @w; " +
        "let d = @l / @x;",
    ],
    [
      "a quotient in a log-sum-exp",
      "let x = [0.5, -1.0, 2.0]; let m = [0.25, 1.0]; let s = [0.75, 1.5]; " +
        "let w = [0.5, 0.25]; let l = -sum[n](logsumexp[k](w[k] - log(s[k]) - 0.5 * " +
        "((x[n] - m[k]) / s[k]) ** 2)); let a = @l / @m; let b = @l / @s; let c = @l / @w;",
    ],
    [
      "what few components share in steps",
      "let u0 = [[1.0, 1.3, 0.9, 1.1], [0.2, -0.1, 0.15, 0.05]]; let U[0, v, i] = u0[v, i]; " +
        "let c[t in 0..3, i in 0..4] = U[t, 1, i] / U[t, 0, i]; " +
        "let H[t in 0..3, v in 0..2, i in 0..4] = { let j = (i + 1) % 4; " +
        "let s = min(c[t, i] - 0.5 * U[t, 0, i], c[t, j] - 0.5 * U[t, 0, j]); " +
        "let r = max(c[t, i] + U[t, 0, i], c[t, j] + U[t, 0, j]); " +
        "if s > 0.0 { U[t, v, i] } else { (r * U[t, v, i] - s * U[t, v, j] + " +
        "s * r * (U[t, v, j] - U[t, v, i])) / (r - s) } }; " +
        "let U[t in 1..3, v in 0..2, i in 0..4] = " +
        "U[t - 1, v, i] - 0.05 * (H[t - 1, v, i] - H[t - 1, v, (i + 3) % 4]); " +
        "let l = sum[v, i](U[2, v, i] ** 2); let d = @l / @u0;",
    ],
    [
      "triples that two of their positions read",
      "let x = [[0.5, 0.2], [-0.3, 0.8], [1.1, -0.4], [0.1, 0.9]]; let eta = [0.3, 0.6]; " +
        "let zeta = 1.5; let r[i, j] = sqrt(sum[k]((x[j, k] - x[i, k]) ** 2) + 0.05); " +
        "let G[i, m] = sum[j, l]((1 + r[i, j] * r[i, l] / (1 + r[j, l])) ** zeta * " +
        "exp(-eta[m] * (r[i, j] ** 2 + r[i, l] ** 2)) where j != i, l != i, l != j); " +
        "let l = sum[i, m](tanh(G[i, m])); let a = @l / @x; let b = @l / @eta; " +
        "let c = @l / @zeta;",
    ],
    [
      "what omits the coordinates of the data",
      "let x = [0.5, -1.0, 2.0]; let mu = 0.25; let s = 0.75; let nu = 3.0; " +
        "let l = sum[i](log(s) + 0.5 * (nu + 1.0) * log(1.0 + ((x[i] - mu) / s) ** 2 / nu)); " +
        "let a = @l / @mu; let b = @l / @s; let c = @l / @nu;",
    ],
    [
      "weights of pairs that are read along one of them",
      "let Q = [[0.5, -0.25], [1.0, 0.75]]; let K = [[0.25, 1.0], [-0.5, 0.5], [1.5, -1.0]]; " +
        "let V = [[1.0, 0.5], [0.25, -0.75], [2.0, 1.0]]; " +
        "let s[q, k] = sum[d](Q[q, d] * K[k, d]); let r[q] = logsumexp[k](s[q, k]); " +
        "let o[q, e] = sum[k](exp(s[q, k] - r[q]) * V[k, e]); let l = sum[q, e](o[q, e] ** 2); " +
        "let a = @l / @Q; let b = @l / @K; let c = @l / @V;",
    ],
    [
      "a length of steps that is a parameter",
      "let vm = 0.75; let km = 0.5; let h = 0.25; let s0 = [2.0, 1.0]; " +
        "fn f(s: f32) -> f32 { -vm * s / (km + s) } let s[0, i] = s0[i]; " +
        "let s[t in 1..4, i in 0..2] = s[t - 1, i] + " +
        "h * f(s[t - 1, i] + 0.5 * h * f(s[t - 1, i])); let l = sum[i](s[3, i] ** 2); " +
        "let a = @l / @vm; let b = @l / @km; let c = @l / @h; let d = @l / @s0;",
    ],
    [
      "steps that end with the gradient of all cells",
      "let a = [0.5, 2.0]; let b = [1.5, 0.75]; let h[0, i in 0..2] = 1.0; " +
        "let h[t in 1..5, i in 0..2] = h[t - 1, i] * a[i] * b[i]; let l = sum[i](h[4, i]); " +
        "let d = @l / @a; let e = @l / @b;",
    ],
    [
      "cells that are read by their number",
      "let x = [0.5, 2.0, 1.5, 0.25]; let y[i in 0..4] = sin(x[i]) * x[(i + 1) % 4]; " +
        "let l = y[0] * y[1] + y[2] / y[3] + sum[i in 1..3](y[i] * x[i]); let d = @l / @x; " +
        "let e = @l / @y;",
    ],
    [
      "a part that uses one of its names twice, and that branches read",
      "let x = [0.75, -0.5, 1.25, 0.25]; fn f(v) { { let t = tanh(v); t * t + t } } let y[i] " +
        "= f(x[i]); let z[i in 0..4, j in 0..2] = max({ let t = tanh(y[2]); t * t + 0.5 * t }, " +
        "f(y[(j + i) % 4] + y[3])); let l = sum[i](sin(y[i])) + " +
        "sum[i, j]((0.5 + 0.25 * (i + 2 * j) as f32) * z[i, j]); let g = @l / @x;",
    ],
    [
      "a sum over nothing, of what would be divided by 0",
      "let x = [1.0, 2.0]; let a = 2.0; let b = 0.0; " +
        "let y[i in 0..0] = sin(x[i] * a) * (a / b) * x[i] * exp(a / b) / (x[i] + a / b); " +
        "let l = sum[i in 0..0](y[i] * a) + b * a; let g = @l / @a; let h = @l / @b;",
    ],
    [
      "a power of a parameter, summed over nothing",
      "let s = [1.0, 2.0]; let vm = 1.5; let km = 0.0; let n = 0.5; " +
        "let l = sum[i in 0..0]((vm * s[i] ** n / (km ** n + s[i] ** n) - s[i]) ** 2) + " +
        "vm * n; let a = @l / @vm; let b = @l / @km; let c = @l / @n;",
    ],
    [
      "a logarithm of a parameter, where a guard leaves nothing",
      "let x = [1.0, 2.0]; let q = 0.5; let p = 0.0; " +
        "let l = sum[i](sin(log(p) * x[i] * q) * exp(log(p) * x[i]) / (x[i] + log(p)) * x[i] " +
        "where x[i] > 5.0) + p * q; let a = @l / @p; let b = @l / @q; let c = @l / @x;",
    ],
    [
      "a logarithm of a parameter, where a guard leaves something",
      "let x = [1.0, 2.0, 6.0]; let q = 0.5; let p = 1.75; " +
        "let l = sum[i](sin(log(p) * x[i] * q) * exp(log(p) * x[i]) / (x[i] + log(p)) * x[i] " +
        "where x[i] > 1.5) + p * q; let a = @l / @p; let b = @l / @q; let c = @l / @x;",
    ],
  ])("%s", (_, text) => {
    agrees(text);
  });
});
