// Compares tiles of cells and steps of recurrences with the oracle.

import { describe, test } from "vitest";
import { holds } from "../../../../test/support/kernels.ts";

describe("reductions", () => {
  test("of several cells at once, in tiles of every size", () => {
    for (const [m, n, k] of [
      [1, 1, 1],
      [4, 8, 3],
      [5, 9, 16],
      [7, 17, 33],
      [8, 32, 40],
      [3, 4, 300],
    ] as const)
      for (const type of ["f32", "f64", "i32"])
        holds(`let a[i in 0..${m}, k in 0..${k}] = ((i * 5 + k) % 7 - 3) as ${type};
          let b[k in 0..${k}, j in 0..${n}] = ((k * 3 + j) % 5 - 2) as ${type};
          let c[i in 0..${m}, j in 0..${n}] = sum[k](a[i, k] * b[k, j]);
          let d[j in 0..${n}, i in 0..${m}] = sum[k](a[i, k] * b[k, j]);
          let e[i in 0..${m}, j in 0..${m}] = sum[k](a[i, k] * a[j, k]);`);
  });
});

describe("recurrences", () => {
  test("upward, downward, over two axes and with several steps back", () => {
    for (const n of [4, 5, 17])
      holds(`let h[0, j in 0..${n}] = j as f32; let h[1, j in 0..${n}] = 1.0;
        let h[t in 2..40, j in 0..${n}] = 0.5 * h[t - 1, (j + 1) % ${n}] - 0.25 * h[t - 2, j];
        let g[t in 0..40, j in 0..${n}] = h[t, j];
        let g[t in rev(0..39), j in 0..${n}] = g[t + 1, j] * 0.5 + h[t, j];
        let p[i in 0..9, j in 0..${n}] = 1;
        let p[i in 1..9, j in 1..${n}] = p[i - 1, j] + p[i, j - 1];
        let last[j in 0..${n}] = g[0, j];`);
  });

  test("with products that the step decides about", () => {
    for (const guard of ["t > k - 10", "x[t, b, k] > 0.0", "k % t == 0"])
      holds(`let w[k in 0..33, j in 0..33] = cos((k * 5 + j) as f32) * 0.2;
        let x[t in 0..7, b in 0..20, j in 0..33] = sin((t * 7 + b * 3 + j) as f32);
        let u[0, b in 0..20, j in 0..33] = 0.1;
        let u[t in 1..7, b, j] = sum[k](u[t - 1, b, k] * w[k, j] where ${guard});
        let y[b in 0..20, j in 0..33] = u[6, b, j];`);
  });
});
