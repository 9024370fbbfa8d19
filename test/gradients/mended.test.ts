// Programs with derivatives that were wrong once.

import { expect, test } from "vitest";
import { checkGradients } from "./check.ts";

test.each([
  [
    "conditions that are a range of one sum and a guard of another",
    "let at = [1, 1]; let x = [[0.9, 1.1], [0.7, 1.3]]; " +
      "let y[i in 0..2, j in 0..3] = x[at[i], i]; " +
      "let y[i in 1..2, j in 0..3] = sin(y[i - 1, (j + 1) % 3]) + x[i, at[i]] * x[i, i]; " +
      "let loss = sum[k in 0..2, l in 0..3](y[k, l]); let g = @loss / @x; " +
      "let q = sum[k in 0..2, l in 0..2](g[k, l]); let h = @q / @x;",
  ],
  [
    "running reductions with an else, as denominators",
    "let x = [[0.5, -0.3, 0.8], [0.2, 0.9, -0.4], [1.1, 0.4, 0.6]]; " +
      "let y[i in 0..3, j in 0..3] = logsumexp[k in 0..3](x[j, k] where k <= i) where j % 2 == " +
      "0 else tanh(x[i, j]); let p[i in 0..3, j in 0..3] = " +
      "prod[k in 0..i + 1](x[k, j]) where j > 0 else x[i, j] ** 2; " +
      "let loss = sum[i, j](sin(y[i, j]) * (i + j) as f32 + p[i, j] ** 2 * y[i, j]); " +
      "let d_x = @loss / @x; let d_y = @loss / @y; let d_p = @loss / @p;",
  ],
  [
    "values that a step chooses, of second order",
    "let x = [-0.31, -0.58, 1.13]; let y = [0.23, 0.25, -1.16]; " +
      "let w = [[-0.38, 0.92, -0.28, -0.32], [0.32, 0.16, -0.13, -0.62], " +
      "[-0.25, 0.96, -1.02, -0.18]]; let p = [-0.65, 1.04, 0.08]; let idx = [1, 0, 0]; " +
      "let wrt = -0.56; let a[0, i in 0..4] = w[0, i]; let b[0] = y[0]; " +
      "let a[t in 1..3, i in 0..4] = tanh({ let v0 = " +
      "(exp(0.3 * tanh(exp(0.3 * tanh(a[t - 1, (i + 1) % 4]))))) ** 2; " +
      "if i == 1 && i > 0 { (if t == 1 { (if b[t - 1] != " +
      "0.0 { 0.1 * tanh(1.0 / b[t - 1]) } else { v0 }) } else " +
      "{ (if i < 2 { a[t - 1, i + 1] } else { v0 }) }) } else " +
      "{ (if v0 > 0.0 { sqrt(v0) * b[t - 1] } else { 0.25 }) } }); " +
      "let b[t in 1..3] = 0.5 * { let v1 = " +
      "(if t == 1 || t == 0 { (if a[t, 0] > 0.79 { p[2] } else { x[1] }) } else " +
      "{ (p[2] - a[t - 1, 1]) }); let v2 = " +
      "(cos((if t == 1 { a[t, 3] } else { v1 })) - max(cos(v1), b[t - 1])); " +
      "let v3 = (if t == 2 && t > 1 { (x[1] - a[t, 0]) } else " +
      "{ (if a[t - 1, 2] > 0.0 && log(a[t - 1, 2]) < 2.0 { log(a[t - 1, 2]) } else " +
      "{ b[t - 1] }) }); if t == 1 { sigmoid((if v1 != " +
      "0.0 { 0.1 * tanh(1.0 / v1) } else { v3 })) } else " +
      "{ (if v1 > 0.0 { sqrt(v1) * a[t, 2] * v1 } else { 0.25 }) } }; " +
      "let loss = sum[i](a[2, i] * w[0, i]) + b[2]; let g_x = @loss / @x; " +
      "let sx = sum[q](g_x[q] * x[q]); let hx = @sx / @x;",
  ],
  [
    "a remainder that is introduced and taken back",
    "let x = [[[0.5, 0.2], [1.3, 1.4], [1.2, 0.8]]]; " +
      "let y[i in 0..2, j in 0..3] = x[i / 2, min(i, 2), (i + j) % 2]; " +
      "let l = sum[i, j](y[i, j] ** 2); let g = @l / @x;",
  ],
  [
    "what did not win a maximum, with an infinite slope",
    "let x = [0.0, 1.0, 4.0]; let s[i] = sqrt(x[i]); let l = max[i](s[i]); let g = @l / @x;",
  ],
  [
    "a draw of integers under a cast",
    "let x = [0.3, -0.7]; let l = sum[i](randint(7, i, 1, 5) as f32 * x[i]); let g = @l / @x;",
  ],
  [
    "a local that is used under a condition is not there where the condition fails",
    "let x = [0.658, 0.315]; let y[i in 0..2, j in 0..3, k in 0..3] = x[1]; " +
      "let z[i in 0..3] = { let t = y[i % 2, i, i] * y[i / 2, i % 3, 2]; t * t }; " +
      "let l = sum[i](z[i]); let g = @l / @x; let s = sum[i](g[i]); let h = @s / @x;",
  ],
  [
    "a cell that nothing reads has an adjoint of 0, whatever its slope",
    "let x = [0.0, 1.0, 4.0]; let s[i] = sqrt(x[i]); let l = s[1] + s[2]; let g = @l / @x;",
  ],
  [
    "the same behind a shifted index",
    "let x = [0.0, 1.0, 4.0]; let s[i] = sqrt(x[i]); let c[i in 0..2] = s[i + 1]; " +
      "let l = sum[i](c[i]); let g = @l / @x;",
  ],
  [
    "the same behind a lookup",
    "let x = [0.0, 1.0, 4.0]; let at = [1, 2]; let s[i] = sqrt(x[i]); " +
      "let l = sum[k](s[at[k]]); let g = @l / @x;",
  ],
  [
    "a convolution of a tensor with itself",
    "let x = [1.0, 3.0, 2.0, 5.0]; let y = sum[i in 0..4, k in 0..i + 1](x[k] * x[i - k]); " +
      "let g = @y / @x;",
  ],
  [
    "a quotient that is rounded down",
    "let x = [1.0, 2.0, 3.0]; let y[i in 0..2] = sum[s in i..2](x[(s + 3) % 3]); " +
      "let l = sum[i](y[i]); let g = @l / @x;",
  ],
  [
    "a product over a prefix",
    "let x = [1.0, 0.5, 3.0, 4.0]; let s[i in 0..4] = prod[k in 0..i + 1](x[k]); " +
      "let l = sum[i](s[i] ** 2 + s[i]); let g = @l / @x;",
  ],
  [
    "a product over ragged rows",
    "let x = [1.0, 3.0, 2.0]; let p = [0, 1, 3]; " +
      "let y[i in 0..2] = prod[k in p[i]..p[i + 1]](x[k] ** 2); let l = sum[i](y[i]); " +
      "let g = @l / @x;",
  ],
  [
    "a maximum over ragged rows",
    "let x = [1.0, 3.0, 2.0]; let p = [0, 1, 3]; " +
      "let y[i in 0..2] = max[k in p[i]..p[i + 1]](x[k] ** 2); let l = sum[i](y[i]); " +
      "let g = @l / @x;",
  ],
  [
    "a maximum over a triangle",
    "let x = [1.0, 3.0, 2.0]; let y = max[i, k in 0..i + 1](x[k] * x[i]); let g = @y / @x;",
  ],
  [
    "a product over a triangle",
    "let x = [1.0, 3.0, 2.0]; let y = prod[i, k in 0..i + 1](x[k] + x[i]); let g = @y / @x;",
  ],
  [
    "products over triangles, up, down, of nothing and with zeros",
    "let x = [1.0, 3.0, 0.0, 2.0]; let y = [0.5, -3.0, 1.5, 0.0]; " +
      "let p[i in 0..4] = prod[j in 0..i](x[j] + y[i]); " +
      "let q[i in 0..4] = prod[j in i..4](x[j] * y[i]); " +
      "let l = sum[i](p[i] ** 2 + q[i] * x[i]); let a = @l / @x; let b = @l / @y; " +
      "let c = @l / @p;",
  ],
  [
    "a product over ranges that end before they begin",
    "let x = [1.0, 3.0, 0.5, 2.0]; let y = [0.5, -3.0, 1.5, 0.0]; " +
      "let p[i in 0..4] = prod[j in 1..i](x[j] + y[i]); let l = sum[i](p[i] ** 2); " +
      "let a = @l / @x; let b = @l / @y;",
  ],
  [
    "products whose guards are ends of ranges, and more than that",
    "let x = [1.0, 3.0, 0.0, 2.0]; let w = [0.5, -3.0, 1.5, 0.2]; " +
      "let p[i] = prod[j](x[j] + w[i] where j <= i, w[j] > 0.3); " +
      "let q[i in 0..4] = prod[j](x[j] + x[i] where j <= i, j >= i - 2); " +
      "let l = sum[i](p[i] ** 2 + q[i]); let a = @l / @x; let b = @l / @w;",
  ],
  [
    "products over windows, to the second order",
    "let x = [1.0, 3.0, 0.0, 2.0, 1.5]; let p[i in 0..3] = prod[j in i..i + 3](x[j]); " +
      "let l = sum[i](p[i] ** 2 + p[i]); let a = @l / @x; let s = sum[i](a[i] ** 2); " +
      "let h = @s / @x;",
  ],
  [
    "products in clauses, each over rows of its own lengths",
    "let x = [1.0, 3.0, 0.5, 2.0, 1.5, 0.3]; " +
      "let p[i in 0..3] = prod[j in 0..i + 1](x[j] * x[i]); " +
      "let p[i in 3..6] = prod[j in i..6](x[j] + x[i]); let l = sum[i](p[i] + p[i] ** 2); " +
      "let a = @l / @x; let c = @l / @p;",
  ],
  [
    "a product over a triangle of pairs",
    "let x = [1.0, 3.0, 0.5]; let p[i in 0..3] = " +
      "prod[j in 0..i + 1, k in 0..2](x[j] + x[k]); let l = sum[i](p[i]); let a = @l / @x;",
  ],
  [
    "products over rows that overlap, to second order",
    "let v = [2.0, 3.0, 0.0, 5.0, 0.0, 7.0, 1.5]; let ptr = [0, 4, 2, 7, 7]; " +
      "let y[i in 0..4] = prod[k in ptr[i]..ptr[i + 1]](v[k]); " +
      "let l = sum[i](y[i] ** 2 + y[i]); let g = @l / @v; " +
      "let s = sum[k](g[k] * (k + 1) as f32); let h = @s / @v;",
  ],
  [
    "products of what is sent to two coordinates, to second order",
    "let g = [1.5, 2.0, 0.0, 3.0, 4.0, 0.5]; let row = [0, 1, 1, 0, 2, 1]; " +
      "let col = [1, 0, 0, 1, 1, 7]; let d[p in 0..3, q in 0..2] = " +
      "prod[k](g[k] + 0.5 where row[k] == p, col[k] == q); let l = sum[p, q](sin(d[p, q])); " +
      "let a = @l / @g; let s = sum[k](a[k] ** 2); let b = @s / @g;",
  ],
  [
    "products of what is sent to a coordinate beside another, under a guard on it",
    "let g = [[1.5, 2.0], [0.0, 3.0], [4.0, 0.5], [2.5, 1.0]]; let at = [2, 0, 2, 0]; " +
      "let d[p in 0..4, j] = prod[k](g[k, j] * g[k, 0] where at[k] == p) where p + j != 1; " +
      "let l = sum[p, j](d[p, j] * (p + 1) as f32); let a = @l / @g;",
  ],
  [
    "a product over rows as one clause of several",
    "let v = [2.0, 3.0, 0.5, 5.0]; let ptr = [0, 2, 4, 4]; let y[i in 0..4] = v[i]; " +
      "let y[i in 1..3] = prod[k in ptr[i]..ptr[i + 1]](v[k]); let l = sum[i](y[i] ** 2); " +
      "let g = @l / @v;",
  ],
  [
    "many factors, to second order",
    "let x = [1.5, 2.0]; let y = [0.0, 3.0]; let z = [4.0, 0.5]; let u = [2.5, 1.0]; " +
      "let w = [0.3, 0.7]; let p[i in 0..2] = x[i] * y[i] * z[1 - i] * u[i] / w[i] * x[i]; " +
      "let l = sum[i](sin(p[i])); let a = @l / @x; let b = @l / @w; " +
      "let s = sum[i](a[i] * b[i]); let c = @s / @y;",
  ],
  [
    "products over triangles, with zeros and guards, to second order",
    "let x = [2.0, 0.5, 0.5, -1.0]; let r[i] = sqrt(x[i]); " +
      "let y = prod[i, j](x[i] - x[j] where i < j) + prod[i in 1..4, j in 0..i](x[i] + x[j]) + " +
      "prod[i, j](r[i] + r[j] where j < i, x[i] > 0, x[j] > 0); let a = @y / @x; " +
      "let s = sum[k](a[k] * (k + 1) as f32); let b = @s / @x;",
  ],
  [
    "five factors under a guard that keeps them inside",
    "let x = [1.0, 2.0, 3.0]; let y = [0.5, -0.3, 0.2]; let z = [1.0, 2.0, 4.0]; " +
      "let u = [0.5, 0.3, 0.9]; let w = [1.1, 0.2, 0.8]; " +
      "let l = sum[i](x[i] * log(y[i]) * z[i] * u[i] * w[i + 1] where i + 1 < 3, y[i] > 0); " +
      "let a = @l / @x; let b = @l / @y; let e = @l / @w;",
  ],
  [
    "a self-read at a looked-up step",
    "let x = [1.0, 2.0, 0.5, 0.3]; let idx = [0, 0, 1, 0]; let h[0] = x[1]; " +
      "let h[t in 1..4] = h[idx[t]] * x[t]; let l = sum[t](h[t] ** 2); let g = @l / @x;",
  ],
  [
    "a maximum over earlier steps",
    "let x = [1.0, 2.0, 0.5, 0.3]; let h[0] = x[1]; " +
      "let h[t in 1..4] = max[k in 0..t](h[k] * x[t]); let l = sum[t](h[t]); let g = @l / @x;",
  ],
  [
    "bounds of a clamp that are the wrong way round",
    "let x = [0.5, 1.5, 2.5, 0.2]; let a = [2.0, 1.0, 2.0, 0.4]; " +
      "let b = [1.0, 2.0, 1.0, 0.9]; let l = sum[i]((i + 1) as f32 * clamp(x[i], a[i], b[i])); " +
      "let g = @l / @x; let h = @l / @a; let k = @l / @b;",
  ],
  [
    "long expressions in steps that read their own step, under a guard, upward and downward",
    "let x = [0.5, 1.5, 2.5, 0.2]; let w = [0.3, 0.7, 0.2, 0.9]; let h[0, i in 0..4] = x[i]; " +
      "let h[t in 1..4, 0] = w[t]; let h[t in 1..4, i in 1..4] = " +
      "tanh(h[t, i - 1] * w[i] + h[t - 1, i] * x[t]) * sin(h[t - 1, i - 1] * w[t] + x[i]) " +
      "where i != t; let r[t in rev(0..3), i in 0..4] = " +
      "sin(r[t + 1, i] * x[i] + w[t]) * cos(w[i] * x[t] + r[t + 1, i]) * x[i]; " +
      "let r[3, i in 0..4] = h[3, i]; let l = sum[i](r[0, i] ** 2); let g = @l / @x; " +
      "let k = @l / @w;",
  ],
  [
    "long expressions under reductions, with guards that keep them inside",
    "let x = [0.5, 1.5, 2.5, 0.2]; let w = [0.3, 0.7, 0.2, 0.9]; " +
      "let z = [1.0, 0.4, -0.5, 0.6]; let l = " +
      "mean[i](sin(x[i] * w[i] + log(z[i])) * cos(w[i] * x[i + 1]) where z[i] > 0, " +
      "i + 1 < 4) + prod[i](sin(x[i] * w[i] + z[i]) + sqrt(z[i]) where z[i] > 0) + " +
      "logsumexp[i](sin(x[i] * w[i] + z[i]) * cos(w[i] * x[i])); let g = @l / @x; " +
      "let h = @l / @w; let k = @l / @z; let s = sum[i](g[i] * h[i]); let m = @s / @x;",
  ],
  [
    "products and maxima over rows that data bounds, of what only one branch reads there",
    "let x = [2.0, 3.0]; let m = 5.0; let n = [4, 1]; " +
      "let p[i] = prod[k in 0..n[i]](if k < 2 { x[k] } else { m }); let l = sum[i](p[i]); " +
      "let g = @l / @m; let h = @g / @m; let d = @l / @x; " +
      "let w[i] = max[k in 0..n[i], l in 0..2](if k < 2 { x[k] } else { m }); " +
      "let v = sum[i](w[i]); let e = @v / @m;",
  ],
  [
    "products and maxima over rows of rows that data bounds",
    "let x = [2.0, 0.0, 3.0]; let m = 2.0; let n = [1, 3, 2]; let ends = [0, 2, 2, 3]; " +
      "let v[i in 0..3] = prod[k in ends[i]..ends[i + 1], l in 0..n[k]](m * x[0] + x[1]); " +
      "let l = sum[i](v[i]); let g = @l / @m; let h = @l / @x; " +
      "let w[i in 0..3] = max[k in 0..n[i], l in 0..2](m * x[l]); let s = sum[i](w[i]); " +
      "let e = @s / @x;",
  ],
  [
    "reductions over rows that data bounds, by what stands beside them",
    "let x = [1.0, 2.0, 3.0, 4.0]; let n = [1, 3, 0, 2]; let v = [0.5, 1.5, 2.5, 3.5]; " +
      "let ok = [true, false, true, true]; let y[i] = sum[k in 0..n[i]](v[k] * x[i] ** 2); " +
      "let l = sum[i](y[i] ** 2); let a = @l / @x; let b = @l / @v; " +
      "let z[i] = logsumexp[k in 0..n[i]](v[k] * x[i]) where n[i] > 0; " +
      "let m = sum[i](z[i] ** 2); let c = @m / @x; let f = sum[i](c[i] ** 2); let h = @f / @x; " +
      "let r[i, j in 0..2] = sum[k in 0..n[i], l in 0..k + 1](v[k] * x[i] * x[l] + x[2 * j]) " +
      "where ok[i]; let s = sum[i, j](r[i, j] ** 2); let d = @s / @x; " +
      "let q[i in 0..2] = mean[k in 0..n[2 * i + 1]](v[k] * x[2 * i + 1]); " +
      "let t = sum[i](q[i] ** 2); let e = @t / @x;",
  ],
  [
    "cells that nothing reads, among those that a guard filters",
    "let m = [[0.0, 1.0], [0.0, 4.0]]; let r[i, k] = sqrt(m[i, k]); " +
      "let s = sum[i](r[i, i] where i > 0); let g = @s / @m; " +
      "let t = sum[i, k](r[i, k] where i == k, i > 0); let h = @t / @m;",
  ],
  [
    "coordinates that guards hold at one another",
    "let x[i in 0..4] = sin(i as f32); let y = [0.5, 0.25]; let z = [0.1, 0.2, 0.3]; " +
      "let m[i in 0..3, j in 0..3] = cos((i + 3 * j) as f32); " +
      "let s[j] = sum[i in 0..4, k in 0..2](x[i] ** 2 * y[k] * z[j] where i == 3 * k + " +
      "2 * j - 1); let c[k in 0..3] = sum[i, j in 0..i + 1](m[i, j] ** 2 where i == k) + " +
      "sum[i, j](m[i, j] where i == j, i == 2 - j); " +
      "let l = sum[j](s[j] ** 2) + sum[k](c[k] ** 2); let a = @l / @x; let b = @l / @y; " +
      "let d = @l / @z; let e = @l / @m;",
  ],
  [
    "the tangent of a running product that goes down",
    "let x = [1.0, 0.5, 2.0]; let u = [0.3, 0.7, 0.1]; " +
      "let f = prod[i](x[i]) + sum[i](sin(x[i])); let d = @f / @x; " +
      "let w[i] = sum[j]((@d[i] / @x[j]) * u[j]); let l = sum[i](w[i] ** 2); let g = @l / @u; " +
      "let h = @l / @x;",
  ],
  [
    "second derivatives under guards that look up what is only there for the cells of a " +
      "product, or for the steps of a recurrence",
    "let x = [-1.0, 2.0, 4.0]; let a[i] = log(x[i]); let z = prod[i](a[i] where x[i] > 0.0); " +
      "let g = @z / @x; let s = sum[i, j]((@g[i] / @x[j]) ** 2 where x[i] > 0.0); " +
      "let h = @s / @x; let y = [1.0, 0.0, 4.0]; let r[i] = sqrt(y[i]); let t[0] = 1.0; " +
      "let t[k in 1..4] = if y[k - 1] > 0.0 { t[k - 1] * r[k - 1] } else { t[k - 1] }; " +
      "let l = t[3]; let d = @l / @y; let J[i, j] = @d[i] / @y[j]; " +
      "let e = sum[i, j](J[i, j] ** 2); let f = @e / @y;",
  ],
  [
    "a gradient of which nothing but rounding is left, of a number that is 0 itself",
    "let x = [0.3, 0.5, 0.9]; let ok = [true, false, true]; " +
      "let m = mean[i](x[i] where ok[i]); let z[i] = x[i] - m where ok[i]; " +
      "let l = sum[i](z[i] ** 3); let g = @l / @x;",
  ],
  [
    "steps of which the last is not read, and has an infinite slope",
    "let b = [1.0, 2.0, 0.0]; let h[0] = 0.5; let h[t in 1..4] = h[t - 1] / b[t - 1]; " +
      "let l = h[2]; let g = @l / @b; let m = h[0] + h[1]; let d = @m / @b;",
  ],
  [
    "sums without any term, times what is infinite there",
    "let a = [1.0, 2.0, 3.0]; let x = [0.5, 0.25, 2.0]; let c = [0.0, 2.0, 4.0]; " +
      "let y[i in 0..3] = sum[k in 0..i](x[k] * a[i] / c[i]); " +
      "let l = sum[i](y[i] ** 2) + sum[i](a[i] ** 3); let g = @l / @a; let h = @l / @x;",
  ],
  [
    "a sum over nothing, of terms that would be divided by 0",
    "let x = [1.0]; let a = 2.0; let b = 0.0; let c = 3.0; " +
      "let l = sum[i in 0..0](x[i] * a * c / b) + b * a * c; let g = @l / @b;",
  ],
  [
    "cells of steps that a guard on coordinates keeps from all readers, and that are infinite",
    "let x = [1.0, 0.5, 800.0, 2.0]; let h[0] = x[0]; " +
      "let h[t in 1..4] = sum[k in 0..t](exp(x[t]) * h[k] where k != 2); let l = h[3]; " +
      "let g = @l / @x;",
  ],
  [
    "steps after the last one that is read, under a guard on coordinates",
    "let x = [1.0, 0.5, 0.0, 2.0]; let a = 1.5; let h[0] = x[0]; " +
      "let h[t in 1..4] = h[t - 1] * a + 1.0 / x[t] where t > 0; let l = h[1]; let g = @l / @a;",
  ],
  [
    "third derivatives behind a guard, where a first one is 0",
    "let s = [1.0f64, -1.0f64, 3.0f64]; let a = 0.0f64; let b = 0.5f64; " +
      "let r[i] = sqrt(s[i] * b); let l = sum[i](a * a * a * b * b * r[i] + " +
      "a * b * r[i] where s[i] > 0); let ga = @l / @a; let gb = @l / @b; let h1 = @gb / @b; " +
      "let h2 = @gb / @a; let t1 = @h1 / @a; let t2 = @h2 / @b;",
  ],
  [
    "second derivatives behind a guard and a cast, where a first one is 0",
    "let s = [1.0f64, -1.0f64, 3.0f64]; let a = 0.0f64; let b = 0.5; " +
      "let r[i] = sqrt(s[i] * (b ** 1.5) as f64); let l = sum[i](a * r[i] where s[i] > 0); " +
      "let ga = @l / @a; let gb = @l / @b; let h1 = @gb / @a; let h2 = @ga / @b;",
  ],
  [
    "winners behind a guard that computes what the slope computes too",
    "let x = [0.909, 0.674, -0.761]; let at = [1, 1, 1, 2]; " +
      "fn f(v) { v * v } let y[i in 0..6] = min[r in 0..4](f(i as f32 * 0.3 - 0.2 + x[at[r]])) " +
      "where i as f32 * 0.3 - 0.2 > 0.768; let l = sum[i](sin(y[i])); let g = @l / @x;",
  ],
  [
    "a second derivative, of cells whose place protects what they look up",
    `let x = [[[0.482, -1.063, 1.307], [0.525, 1.311, 0.991], [0.948, 0.668, 0.796]],
        [[1.257, -1.483, 0.536], [0.571, 0.528, 1.3], [-1.136, 0.287, 1.03]],
        [[1.105, 0.799, 0.457], [-1.4, 0.677, -1.446], [-0.243, 0.861, 1.058]]];
      let a[0] = 0.5; let a[i in 1..2] = a[i - 1] + erf(x[2 - i, 2 - i, 2]);
      let b[i in 0..1, j in 0..2, k in 0..2] = a[i % 2];
      let b[i in 1..2, j in 0..2, k in 0..2] = x[max(i - 1, 0), i + k, i % 3] where j % 2 == 0;
      let c[i in 0..3] = min(sum[r in 0..4](b[i / 2, i % 2, 1]), 0.5);
      let l = sum[i](0.5 * a[i]) + sum[i, j, k](0.5 * b[i, j, k]) + sum[i](c[i] ** 2);
      let g = @l / @x; let s = sum[i, j, k](g[i, j, k] ** 2); let h = @s / @x;`,
  ],
  [
    "a second derivative, of two scatters with one guard whose lookup other guards protect",
    `let x = [[[0.697, 1.273], [-1.466, 1.231], [-0.567, -0.884]], [[-0.72, 0.945], [0.807, 1.172],
        [-0.827, -0.875]], [[0.532, 0.828], [1.108, -1.474], [-0.231, 0.475]]];
      let at = [0, 2, 2, 2];
      let y[i in 0..4, j] = prod[r in 0..4](x[at[r], j % 3, i % 2] * x[min(j + 1, 2), 2 - j, j])
        where x[j % 3, i / 2, j] > 0.672;
      let l = sum[i, j](0.5 * y[i, j]); let g = @l / @x;
      let s = sum[i, j, k](g[i, j, k] ** 2); let h = @s / @x;`,
  ],
  [
    "what looks up a winner that is there only under a condition",
    "let x = [[-0.8, 0.7, 0.2, 0.5], [-0.9, -0.5, 0.1, 0.6]]; " +
      "fn f(v) { { let t = v; t * t + 0.5 * t } } let m = " +
      "if x[0, 3] > 2.0 { min[r in 0..4, s](f(x[s, r / 2])) } else { x[0, 3] }; " +
      "let y[i, j] = cos(x[i, j] / (1.5 + m ** 2)); let l = sum[i, j](sin(y[i, j])); " +
      "let g = @l / @x;",
  ],
  [
    "a constant that f32 prints with fewer digits than f64",
    "let x = [0.6, -1.3]; let y[i] = sin(x[i] * 1.0625); let l = sum[i](sin(y[i])); " +
      "let g = @l / @x; let s = sum[i](g[i] ** 2); let h = @s / @x;",
  ],
  [
    "a product in steps that go down",
    "let x = [1.0, 2.0]; let h[3, i] = x[i]; " +
      "let h[t in rev(0..3), i in 0..2] = prod[j in 0..2](h[t + 1, j]); " +
      "let l = sum[i](h[0, i]); let g = @l / @x;",
  ],
  [
    "a product in steps, of second order",
    "let x = [1.5, 0.7]; let h[0] = 1.0; let h[t in 1..3] = prod[j](x[j] * h[t - 1]); " +
      "let l = h[2]; let g = @l / @x; let s = sum[i](g[i]); let h2 = @s / @x;",
  ],
  [
    "factors that are there only where their clause has cells",
    "let x = [1.0, 2.0, 3.0]; let a = [0, 99, 1]; let b = [2, 0, 1]; " +
      "let y[i in 0..3] = prod[j](x[i - 1] + x[j]) where i > 0; " +
      "let z[i] = prod[j](x[a[i]] + x[j]) where a[i] < 3; " +
      "let u[i] = prod[j](x[2 / b[i]] + x[j]) where b[i] > 0; " +
      "let l = sum[i](y[i] * 0.01 + z[i] * 0.02 + u[i] * 0.03); let g = @l / @x;",
  ],
  [
    "a guarded product, of second order",
    "let x = [0.5, 2.0, 3.0]; let w = [[1.0, 0.5], [0.3, 2.0], [1.5, 0.0]]; " +
      "let y[j in 0..2] = prod[i](x[i] * w[i, j]) where j > 0; let l = sum[j](y[j]); " +
      "let g = @l / @w; let s = sum[i, j](g[i, j] ** 2); let h = @s / @x;",
  ],
  [
    "a quotient that says where a term goes, behind the guard that protects it",
    "let a = [4, 6, 3]; let b = [2, 0, 1]; let w = [1.0, 2.0, 3.0]; " +
      "let x = [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]; " +
      "let y = sum[i](x[i, a[i] / b[i]] * w[i] where b[i] != 0); " +
      "let z = sum[i](x[i, a[i] / b[i]] ** 2 where b[i] != 0, w[i] > 0.0); let l = y * z; " +
      "let g = @l / @x;",
  ],
  [
    "a position and a value that share an expression",
    "let x = [0.5, 0.7, 1.1, 0.9, 0.2, 0.6]; let d = [0.1, 0.2, 0.1, 0.9, 0.3, 0.8]; " +
      "let y[t in 0..3] = x[t]; let y[t in 3..6] = " +
      "y[t - 1 - clamp(d[t] * d[t] * 2.0, 0.0, 1.5) as i32] * exp(d[t]) + " +
      "clamp(d[t] * d[t] * 2.0, 0.0, 1.5); let l = y[5] + y[4]; let g = @l / @d; " +
      "let h = @l / @x;",
  ],
  [
    "a position that is looked up behind the guard that protects it, in a recurrence's own past",
    "let p = [0, 0, 1]; let x = [0.5, 0.3, 0.2, 0.7, 0.4, 0.6]; " +
      "let r[i in 0..6] = if i > 2 { 0.5 * r[p[i - 3]] * x[i] } else { x[i] }; " +
      "let l = sum[i](r[i] ** 2); let g = @l / @x;",
  ],
])("%s", { timeout: 30_000 }, (_, program) => {
  expect(checkGradients(program).problems).toEqual([]);
});

// Each row gives c, the cells for which the row before the reader's row is read, and the last cell
// for which the reader's row is read.
const places =
  "let p = [0, 0, 1, 3]; let e = [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]]; " +
  "let before = [0, 0, 0, 2]; let c = [[0, 0, 0, 0], [1, 0, 1, 1], [1, 1, 0, 1], " +
  "[0, 0, 1, 1]]; let x[i in 0..4, j in 0..4] = 0.1 * ((i * 3 + j * j) as f32) + 0.3;";
const loss = "let l = sum[i, j](r[i, j] ** 2); let g = @l / @x;";

test.each<[string, string, string?]>([
  [
    "along the first axis",
    "let r[i in 0..4, j in 0..4] = if c[i, j] > 0 { 0.5 * r[p[i], 3 - j] + x[i, j] } else " +
      "{ 2.0 * x[i, j] };",
  ],
  [
    "along the second axis",
    "let r[i in 0..4, j in 0..4] = if c[j, i] > 0 { 0.5 * r[3 - i, p[j]] + x[i, j] } else " +
      "{ 2.0 * x[i, j] };",
  ],
  [
    "in steps that go down",
    "let r[i in 0..4, j in rev(0..4)] = if c[i, " +
      "3 - j] > 0 { 0.5 * r[p[i], 3 - j] + x[i, j] } else { 2.0 * x[i, j] };",
  ],
  [
    "of three axes",
    "let z[i in 0..4, k in 0..2, j in 0..4] = " +
      "if c[i, j] > 0 && (i < 3 || k > 0) { 0.5 * z[p[i], 1 - k, 3 - j] * x[k, j] + x[i, j] } " +
      "else { 2.0 * x[i, j] }; let r[i in 0..4, j in 0..4] = 0.7 * z[i, 1, j];",
  ],
  [
    "in two members",
    "let r[i in 0..4, j in 0..4] = if c[i, j] > 0 { s[p[i], 3 - j] * x[i, j] } else " +
      "{ x[i, j] }; let s[i in 0..4, j in 0..4] = 0.5 * r[i, j] + " +
      "(if c[i, j] > 0 { sin(r[p[i], 3 - j]) } else { 0.1 });",
  ],
  [
    "beside a member with fewer axes",
    "let r[i in 0..4, j in 0..4] = (if c[i, j] > 0 { 0.5 * r[p[i], 3 - j] } else " +
      "{ 0.2 * x[i, j] }) + 0.3 * s[i]; let s[i in 0..4] = x[i, 0] + " +
      "sum[j in 0..4](if i > 0 { r[before[i], j] * x[i, j] } else { 0.2 });",
  ],
  ...["sum", "max", "min", "prod", "logsumexp"].map((reduction): [string, string] => [
    `in a ${reduction}`,
    "let r[i in 0..4, j in 0..4] = x[i, j] + " +
      `0.4 * ${reduction}[k in 0..4](if c[i, j] > 0 && e[j, ` +
      "k] > 0 { r[p[i], 3 - k] * x[j, k] } else { 0.6 });",
  ]),
  [
    "of second order",
    "let r[i in 0..4, j in 0..4] = if c[i, j] > 0 { r[p[i], 3 - j] ** 2 * x[i, j] } else " +
      "{ 2.0 * x[i, j] };",
    "let t = sum[i, j](g[i, j] * x[j, i]); let h = @t / @x;",
  ],
])(
  "a cell of its own step that data finds: %s",
  { timeout: 30_000 },
  (_, recurrence, further = "") => {
    expect(checkGradients(`${places} ${recurrence} ${loss} ${further}`).problems).toEqual([]);
  },
);

test.each([
  "let l = prod[i in 1..extent(n)](x[i]);",
  "let p[i in 0..extent(n)] = prod[j in 0..i + 1](x[j] + x[i]); let l = sum[i](p[i] ** 2);",
])("a product of nothing, of fewer than nothing: %s", (lines) => {
  const text = `input x: [f32; n]; ${lines} let g = @l / @x;`;
  for (const x of [[], [2.0], [2.0, 0.0, 3.0]])
    expect(checkGradients(text, { inputs: { x } }).problems).toEqual([]);
});

test("a product of nothing", () => {
  const text = "input x: [f32; n]; let l = prod[i](x[i]); let g = @l / @x;";
  expect(checkGradients(text, { inputs: { x: [] } }).problems).toEqual([]);
});

test("a tangent of a factor that a zero gradient omits uses that gradient where it exists", () => {
  const text = `let a = [0.098f64, 0.086, 1.314]; let w = [-0.406f64, 0.577, -0.972];
    let z = [0.0f64, 0.0]; let u[0, v in 0..3] = a[v];
    let u[t in 1..4, v in 0..3] = { let rho = 0.5 + u[t - 1, 0];
      let vel = w[1] + (rho + u[t - 1, 0]); let pr = sqrt(u[t - 1, 0] + 0.3);
      (match v { 0 => 0.5, 1 => u[t - 1, v] * vel * pr, _ => 0.5 }) * 0.3 + 0.5
      / (1.5 + ((if v > 5 { z[0] } else { 0.5 }) + rho) ** 2) };
    let l = sum[v](u[3, v]); let g = @l / @a; let sq = sum[i](g[i] ** 2); let h = @sq / @z;
    let k = @sq / @w;`;
  expect(checkGradients(text).problems).toEqual([]);
});
