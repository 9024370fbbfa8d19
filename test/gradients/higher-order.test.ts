// Derivatives of programs that contain derivatives, compared with differences of the inner
// derivatives.

import { describe, expect, it } from "vitest";
import { agrees, close, valueOf } from "./testing.ts";

describe("second order", () => {
  it.each([
    [
      "nested requests",
      "let x = 1.3; let f = sin(x) * x ** 3; let g = @f / @x; let h = @g / @x; " +
        "let k = @(@f / @x) / @x;",
    ],
    [
      "a gradient penalty",
      "let w = [0.3, -0.5]; let x = [[1.0, 2.0], [0.5, -1.0]]; " +
        "let f = sum[b](tanh(sum[i](w[i] * x[b, i])) ** 2); let g = @f / @w; " +
        "let l = f + 0.1 * sum[i](g[i] ** 2); let d = @l / @w;",
    ],
    [
      "a penalty on the gradient by the inputs",
      "let w = [0.3, -0.5]; let x = [1.0, 2.0]; let f = exp(sum[i](w[i] * x[i])); " +
        "let g = @f / @x; let n = sqrt(sum[i](g[i] ** 2)); let l = (n - 1.0) ** 2; " +
        "let d = @l / @w;",
    ],
    [
      "a function that contains a request",
      "fn slope(u, v) { let y = sin(u * v) + u ** 3; @y / @u } let a = 0.7; let b = 1.1; " +
        "let s = slope(a, b); let d = @s / @a; let e = @s / @b;",
    ],
    [
      "a function of a vector that contains a request",
      "fn flow(u) { let e = sum[i](u[i] ** 4 + u[i] * u[(i + 1) % 3]); " +
        "@e / @u } let x = [0.3, 0.5, -0.2]; let y = flow(x); let l = sum[i](y[i] ** 2); " +
        "let d = @l / @x;",
    ],
    [
      "a product with a zero",
      "let x = [1.5, 0.0, -2.0, 0.7]; let p = prod[i](x[i]); let g = @p / @x; " +
        "let s = sum[i](g[i] * (i + 1) as f32); let d = @s / @x;",
    ],
    [
      "a product with two zeros",
      "let x = [1.5, 0.0, 0.0, 0.7]; let p = prod[i](x[i]); let g = @p / @x; " +
        "let s = sum[i](g[i] * (i + 1) as f32) + p; let d = @s / @x;",
    ],
    [
      "softmax and its logarithm",
      "let z = [0.3, -0.2, 0.9]; let l = logsumexp[i](z[i]); let g = @l / @z; " +
        "let s = sum[i](g[i] ** 2); let d = @s / @z;",
    ],
    [
      "a recurrence",
      "let W = 0.7; let h[0] = 0.5; let h[t in 1..5] = tanh(h[t - 1] * W + 0.1); " +
        "let l = sum[t](h[t] ** 2); let g = @l / @W; let d = @g / @W;",
    ],
    [
      "a recurrence with a vector state",
      "let W = [[0.5, -0.25], [0.125, 1.0]]; let h[0, i in 0..2] = 0.3; " +
        "let h[t in 1..4, i in 0..2] = sin(sum[j](W[i, j] * h[t - 1, j])); " +
        "let l = sum[i](h[3, i] ** 2); let g = @l / @W; let n = sum[i, j](g[i, j] ** 2); " +
        "let d = @n / @W;",
    ],
    [
      "a maximum",
      "let x = [1.0, 3.0, 2.0]; let m = max[i](x[i] ** 2 * x[(i + 1) % 3]); let g = @m / @x; " +
        "let s = sum[i](g[i] ** 2); let d = @s / @x;",
    ],
    [
      "a gather",
      "let x = [0.3, 0.6, 0.9]; let at = [2, 0, 2, 1]; " +
        "let l = sum[k](sin(x[at[k]]) * x[at[k]]); let g = @l / @x; let s = sum[i](g[i] ** 3); " +
        "let d = @s / @x;",
    ],
    [
      "a rule",
      "fn cube(x) { x ** 3 } @fn cube(x) { 3.0 * x ** 2 * @x } let a = 1.2; let y = cube(a); " +
        "let g = @y / @a; let d = @g / @a;",
    ],
    [
      "a branch",
      "let x = [0.3, -0.6]; let l = sum[i](if x[i] > 0 { x[i] ** 3 } else { exp(x[i]) }); " +
        "let g = @l / @x; let s = sum[i](g[i] * sin(x[i])); let d = @s / @x;",
    ],
    [
      "a contraction with a Jacobian",
      "let x = [0.3, 0.7]; let y[i] = sin(x[i]) * x[1 - i]; let J[i, p] = @y[i] / @x[p]; " +
        "let s = sum[i, p](y[i] * J[i, p] * x[p]); let d = @s / @x;",
    ],
    [
      "a Jacobian that is built",
      "let x = [0.3, 0.7]; let y[i] = sin(x[i]) * x[1 - i]; let J[i, p] = @y[i] / @x[p]; " +
        "let s = sum[i, p](J[i, p] ** 2); let d = @s / @x;",
    ],
    [
      "a Hessian-vector product",
      "let x = [0.3, 0.7]; let v = [1.0, -2.0]; let f = exp(x[0] * x[1]) + x[0] ** 3; " +
        "let g = @f / @x; let H[i, j] = @g[i] / @x[j]; let hv[i] = sum[j](H[i, j] * v[j]); " +
        "let s = sum[i](hv[i] ** 2); let d = @s / @x; let e = @s / @v;",
    ],
    [
      "recursion in steps",
      "fn f(x: f32, w: f32, k: i32) -> f32 " +
        "{ if k <= 0 { x } else { f(x, w, k - 1) * w + x * x } } let w = 0.5; let v = 0.75; " +
        "let h[0] = w; let h[t in 1..5] = f(h[t - 1], w, 2) * v; let l = h[4]; " +
        "let g = @l / @w; let d = @g / @w; let e = @g / @v;",
    ],
    [
      "products of sparse rows in steps",
      "let v = [2.0, 0.0, 0.5, -1.0, 3.0, 1.5]; let a = [1.0, -0.5, 2.0]; " +
        "let ptr = [0, 2, 2, 6]; let col = [0, 1, 2, 0, 1, 2]; let h[0, i] = a[i]; " +
        "let h[t in 1..3, i in 0..3] = 0.5 * prod[k in ptr[i]..ptr[i + 1]](v[k] + " +
        "h[t - 1, col[k]]) + a[i]; let l = sum[i](h[2, i] * (i + 1) as f32); let g = @l / @v; " +
        "let s = sum[k](g[k] * (k - 2) as f32); let d = @s / @v; let e = @s / @a;",
    ],
    [
      "several lookups of one table",
      "let x = [0.3, 0.6, 0.9, 0.2]; let at = [2, 0, 2]; let to = [1, 2, 3]; " +
        "let l = sum[k](sin(x[at[k]]) * x[to[k]] where k != 1) + " +
        "sum[k, j in 0..2](x[to[k]] * x[at[j]]); let g = @l / @x; let s = sum[i](g[i] ** 3); " +
        "let d = @s / @x;",
    ],
    [
      "a step of Newton's method",
      "let a = 2.0; let x[0] = 1.5; let f[t in 0..4] = x[t] ** 3 / 3.0 - a * x[t]; " +
        "let g[t in 0..4] = @f[t] / @x[t]; let c[t in 0..4] = @g[t] / @x[t]; " +
        "let x[t in 1..4] = x[t - 1] - g[t - 1] / c[t - 1]; let r = x[3]; let d = @r / @a;",
    ],
  ])("%s", (_, text) => {
    agrees(text);
  });
});

describe("second order through data", () => {
  it("that holds arrays of itself", () => {
    const text = `enum Rose { R(f64, [Rose]) }
      let x = [1.0f64, 2.0f64, 3.0f64, 4.0f64, 5.0f64];
      fn rose(i: i32) -> Rose {
        Rose::R(x[i], [rose(j) | j in 0..len(x), j == 2 * i + 1 || j == 2 * i + 2]) }
      fn value(r: Rose) -> f64 { match r {
        Rose::R(v, kids) => v * (1.0 + sum[k](value(kids[k]))) } }
      let y = value(rose(0)); let g = @y / @x; let H = @g / @x;`;
    // y = x0 (1 + x1 (1 + x3 + x4) + x2)
    expect(valueOf(text, "H")).toEqual(
      [
        [0, 10, 1, 2, 2],
        [10, 0, 0, 1, 1],
        [1, 0, 0, 0, 0],
        [2, 1, 0, 0, 0],
        [2, 1, 0, 0, 0],
      ].flat(),
    );
  });
});

describe("third order", () => {
  it.each([
    [
      "of a number",
      "let x = 0.9; let f = sin(x) * x ** 4; let g = @f / @x; let h = @g / @x; let d = @h / @x;",
    ],
    [
      "of a product at zero",
      "let x = [0.0, 1.0, 2.0, 3.0]; let p = prod[i](x[i]); let a = @p / @x; " +
        "let s = sum[i](a[i] * x[i]); let b = @s / @x; let r = sum[i](b[i] * (i + 1) as f32); " +
        "let d = @r / @x;",
    ],
    [
      "of descent through recursion",
      "let a = [0.5f64, 0.25f64]; fn f(p: [f64; m], k: " +
        "i32) -> f64 { if k == 0 { sum[i](sin(p[i])) } else " +
        "{ f([v * 0.75 + p[0] * v * 0.25 | v in p], k - 1) } } let p[0, i] = a[i]; " +
        "let c[t in 0..3] = f(p[t], 2); let p[t in 1..3, i] = " +
        "p[t - 1, i] - 0.25 * @c[t - 1] / @p[t - 1, i]; let l = c[2]; let g = @l / @a; " +
        "let s = sum[i](g[i] ** 2); let d = @s / @a;",
    ],
    [
      "of a recurrence",
      "let W = 0.7; let h[0] = 0.5; let h[t in 1..4] = sin(h[t - 1] * W); let l = h[3]; " +
        "let g = @l / @W; let k = @g / @W; let d = @k / @W;",
    ],
  ])("%s", (_, text) => {
    agrees(text);
  });

  it("of a cube is a constant", () => {
    close(valueOf("let x = 2.0; let y = x ** 3; let d = @(@(@y / @x) / @x) / @x;", "d"), [6]);
  });
});

describe("Hessians", () => {
  it("are symmetric, and what differences of the gradient say", () => {
    const text =
      "let x = [0.3, 0.7, -0.4]; let f = exp(x[0] * x[1]) * x[2] ** 2 + x[0] ** 3; " +
      "let g = @f / @x; let H = @g / @x; let r0 = g[0]; let r1 = g[1]; let r2 = g[2]; " +
      "let a = @r0 / @x; let b = @r1 / @x; let c = @r2 / @x;";
    const { x } = agrees(text.replace("let H = @g / @x; ", ""));
    expect(x).toBeDefined();
    const rows = ["a", "b", "c"].flatMap((name) => valueOf(text, name));
    close(valueOf(text, "H"), rows);
    close(valueOf(`${text} let t[i, j] = H[j, i];`, "t"), rows);
  });
});
