// Whole layers of networks.

import { describe, it } from "vitest";
import { agrees } from "./testing.ts";

/** Numbers without a pattern, so that a wrong index shows. */
function cells(shape: readonly number[], seed: number): string {
  let state = seed;
  const next = (): string => {
    state = (state * 16807 + 11) % 2147483647;
    return ((state % 2000) / 1000 - 1).toFixed(3);
  };
  const nested = (axis: number): string =>
    axis === shape.length
      ? next()
      : `[${Array.from({ length: shape[axis]! }, () => nested(axis + 1)).join(", ")}]`;
  return nested(0);
}

describe("layers", () => {
  it("dense, relu, mean squared error", () => {
    agrees(`let x = ${cells([3, 4], 1)}; let W = ${cells([2, 4], 2)}; let bias = ${cells([2], 3)};
      let target = ${cells([3, 2], 4)};
      let z[b, out] = sum[in](x[b, in] * W[out, in]) + bias[out]; let a[b, out] = relu(z[b, out]);
      let loss = mean[b, out]((a[b, out] - target[b, out]) ** 2);
      let dx = @loss / @x; let dW = @loss / @W; let db = @loss / @bias; let dz = @loss / @z;`);
  });

  it("two layers", () => {
    agrees(`let x = ${cells([3, 4], 1)}; let U = ${cells([5, 4], 2)}; let V = ${cells([2, 5], 3)};
      let h[b, k] = tanh(sum[i](U[k, i] * x[b, i]));
      let y[b, o] = sigmoid(sum[k](V[o, k] * h[b, k]));
      let loss = sum[b, o](-log(y[b, o]) * (o + 1) as f32);
      let dU = @loss / @U; let dV = @loss / @V; let dh = @loss / @h; let dx = @loss / @x;`);
  });

  it("softmax cross entropy", () => {
    agrees(`let z = ${cells([3, 4], 5)}; let label = [2, 0, 3];
      let m[b] = max[c](z[b, c]); let e[b, c] = exp(z[b, c] - m[b]);
      let p[b, c] = e[b, c] / sum[k](e[b, k]);
      let loss = mean[b](-log(p[b, label[b]])); let dz = @loss / @z; let dp = @loss / @p;`);
    agrees(`let z = ${cells([3, 4], 5)}; let label = [2, 0, 3];
      let loss = mean[b](logsumexp[c](z[b, c]) - z[b, label[b]]); let dz = @loss / @z;`);
  });

  it("layer norm", () => {
    agrees(`let x = ${cells([3, 4], 6)}; let gain = ${cells([4], 7)}; let shift = ${cells([4], 8)};
      let w = ${cells([3, 4], 9)};
      let m[b] = mean[f](x[b, f]); let v[b] = mean[f]((x[b, f] - m[b]) ** 2);
      let y[b, f] = (x[b, f] - m[b]) / sqrt(v[b] + 1e-5) * gain[f] + shift[f];
      let loss = sum[b, f](w[b, f] * y[b, f]); let dx = @loss / @x; let dg = @loss / @gain;
      let ds = @loss / @shift;`);
  });

  it("batch norm over batch and space", () => {
    agrees(`let x = ${cells([2, 3, 4], 6)}; let w = ${cells([2, 3, 4], 9)};
      let m[c] = mean[b, p](x[b, c, p]); let v[c] = mean[b, p]((x[b, c, p] - m[c]) ** 2);
      let y[b, c, p] = (x[b, c, p] - m[c]) / sqrt(v[c] + 1e-3);
      let loss = sum[b, c, p](w[b, c, p] * y[b, c, p]); let dx = @loss / @x; let dm = @loss / @m;`);
  });

  it("causal attention with heads", () => {
    agrees(`let Q = ${cells([2, 3, 2], 10)}; let K = ${cells([2, 3, 2], 11)};
      let V = ${cells([2, 3, 2], 12)};
      let s[h, q, k] = sum[d](Q[h, q, d] * K[h, k, d]) / sqrt(2.0);
      let m[h, q] = max[k](s[h, q, k] where k <= q);
      let e[h, q, k] = exp(s[h, q, k] - m[h, q]) where k <= q;
      let w[h, q, k] = e[h, q, k] / sum[k2](e[h, q, k2]);
      let o[h, q, d] = sum[k](w[h, q, k] * V[h, k, d]);
      let loss = sum[h, q, d](o[h, q, d] ** 2 * (q + 2 * d + 1) as f32);
      let dQ = @loss / @Q; let dK = @loss / @K; let dV = @loss / @V; let ds = @loss / @s;`);
  });

  it("embedding, sum, and a bag of words", () => {
    agrees(`let E = ${cells([4, 3], 13)}; let words = [[0, 2], [2, 2], [1, 0]];
      let bag[b, j] = mean[k](E[words[b, k], j]); let loss = sum[b, j](bag[b, j] ** 3);
      let dE = @loss / @E;`);
  });

  it("pairwise distances and a kernel", () => {
    agrees(`let x = ${cells([4, 2], 14)}; let D[i, j] = sum[d]((x[i, d] - x[j, d]) ** 2);
      let K[i, j] = exp(-D[i, j] / 2);
      let loss = sum[i, j](K[i, j] where i < j); let dx = @loss / @x;`);
  });

  it("distances whose slope is infinite on the diagonal", () => {
    agrees(`let x = ${cells([4, 2], 14)}; let D[i, j] = sqrt(sum[d]((x[i, d] - x[j, d]) ** 2));
      let loss = sum[i, j](D[i, j] where i != j); let dx = @loss / @x;`);
  });
});
