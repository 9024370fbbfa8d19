// Gradients through recurrences: the adjoint runs backwards, carries what arrived, and adds up over the steps.

import { describe, expect, it } from "vitest";
import { agrees, close, messagesOf } from "./testing.ts";

describe("recurrences", () => {
  it.each([
    ["a scalar state", "let W = 0.7; let x = [0.5, 0.3, 0.2]; let h[0] = x[0]; let h[t in 1..4] = tanh(h[t - 1] * W + x[t - 1]); let l = sum[t](h[t] ** 2); let a = @l / @W; let b = @l / @x;"],
    ["two steps back", "let a = 0.3; let b = 0.9; let f[0] = a; let f[1] = b; let f[t in 2..7] = f[t - 1] * f[t - 2] + a; let l = f[6]; let g = @l / @a; let h = @l / @b;"],
    ["a vector state", "let W = [[0.5, -0.25], [0.125, 1.0]]; let x = [[0.1, 0.2], [0.3, 0.4], [-0.5, 0.6]]; let h[0, i in 0..2] = 0.0; let h[t in 1..4, i] = tanh(sum[j](W[i, j] * h[t - 1, j]) + x[t - 1, i]); let l = sum[t, i](h[t, i] ** 2); let a = @l / @W; let b = @l / @x;"],
    ["downward", "let x = [1.0, 2.0, 3.0, 4.0]; let s[3] = x[3]; let s[t in rev(0..3)] = x[t] * s[t + 1]; let l = s[0] + s[1] ** 2; let g = @l / @x;"],
    ["mutual", "let p = 0.5; let a[0] = p; let b[0] = 0.3; let a[t in 1..6] = a[t - 1] * 0.5 + b[t - 1]; let b[t in 1..6] = a[t] - b[t - 1] * p; let l = sum[t](a[t] * b[t]); let g = @l / @p;"],
    ["diffusion on a ring", "let u = [0.1, 0.5, -0.3, 0.8]; let h[0, i in 0..4] = u[i]; let h[t in 1..4, i in 0..4] = h[t - 1, i] + 0.1 * (h[t - 1, (i + 1) % 4] - 2 * h[t - 1, i] + h[t - 1, (i + 3) % 4]); let l = sum[i](h[3, i] ** 2); let g = @l / @u;"],
    ["Cholesky", "let A = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]; let L[i in 0..3, j in 0..3] = 0.0; let L[i in 0..3, j in 0..3] = if i == j { sqrt(A[i, j] - sum[s in 0..j](L[j, s] ** 2)) } else { (A[i, j] - sum[s in 0..j](L[i, s] * L[j, s])) / L[j, j] } where i >= j; let l = sum[i, j](L[i, j] ** 3); let g = @l / @A;"],
    ["a branch in the step", "let x = [1.0, 2.0, 0.5, 0.3]; let h[0] = 1.0; let h[t in 1..4] = if x[t] > 0.4 { h[t - 1] * x[t] } else { h[t - 1] + x[t] }; let l = h[3]; let g = @l / @x;"],
    ["a guard with else", "let x = [1.0, 2.0, 0.5, 0.3]; let h[0] = 1.0; let h[t in 1..4] = h[t - 1] * x[t] where x[t] > 0.4 else 2 * x[t]; let l = sum[t](h[t]); let g = @l / @x;"],
    ["a sum over all earlier steps", "let x = [1.0, 2.0, 0.5, 0.3]; let h[0] = x[1]; let h[t in 1..4] = sum[k in 0..t](h[k] * x[t - k]); let l = sum[t](h[t] ** 2); let g = @l / @x;"],
    ["two axes at once", "let x = [1.0, 2.0, 0.5]; let w = [0.3, 0.4]; let h[t in 0..5, i in 0..3] = x[i]; let h[t in 1..5, i in 1..3] = h[t - 1, i - 1] * w[0] + h[t, i - 1] * w[1]; let l = sum[t, i](h[t, i] ** 2); let g = @l / @x; let k = @l / @w;"],
    ["an initial state for all, overridden", "let x = [1.0, 2.0, 0.5]; let h[t in 0..4, i in 0..3] = x[i]; let h[t in 1..4, i in 0..3] = h[t - 1, 2 - i] * x[i]; let l = sum[i](h[3, i] ** 2); let g = @l / @x;"],
  ])("%s", (_, text) => {
    agrees(text);
  }); // prettier-ignore

  it("as denominators carry a change on to later cells", () => {
    const { h } = agrees(
      "let x = [0.5, 0.3, 0.2]; let h[0] = x[0]; let h[t in 1..4] = h[t - 1] * 0.5 + x[t - 1]; let l = h[3] + h[1]; let a = @l / @x; let b = @l / @h;",
    );
    close(h, [0.625, 1.25, 0.5, 1]);
  });

  it("differentiated twice", () => {
    agrees(
      "let x = [0.5, 0.3, 0.2]; let W = 0.7; let h[0] = x[0]; let h[t in 1..4] = tanh(h[t - 1] * W + x[t - 1]); let l = sum[t](h[t] ** 2); let g = @l / @W; let n = g * g; let a = @n / @x; let b = @n / @W;",
    );
  });

  it("stop at what has no derivative", () => {
    const text =
      "let x = [0.5, 0.3]; let h[0] = x[0]; let h[t in 1..4] = (h[t - 1] > 0.2) as f32 * x[1]; let l = h[3]; let g = @l / @x;";
    expect(messagesOf(text)[0]).toEqual({ code: "E0701", title: "gradient of `>` is not defined" });
  });
});
