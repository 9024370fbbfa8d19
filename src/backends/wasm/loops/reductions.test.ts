// Compares reductions on kernels with the oracle: along rows, across columns and in several
// streams.

import { describe, expect, test } from "vitest";
import { cellsOf, holds, table, types } from "../../../../test/support/kernels.ts";

describe("reductions", () => {
  const reductions = ["sum", "prod", "max", "min", "mean", "logsumexp"];
  test.each(types)("of %s over rows, over columns and over both", (type) => {
    const names = type.includes("f") ? reductions : reductions.slice(0, 4);
    for (const n of [1, 3, 4, 8, 16, 17, 33]) {
      const lines = names.map(
        (name) => `
        let ${name}_rows[i in 0..5] = ${name}[j](x[i, j]);
        let ${name}_columns[j in 0..${n}] = ${name}[i](x[i, j]);
        let ${name}_both = ${name}[i, j](x[i, j]);
        let ${name}_some[i in 0..5] = ${name}[j](x[i, j] where j <= i);`,
      );
      holds(`${table(type, 5, n)}${lines.join("")}`);
    }
  });

  test("that find positions, with ties", () => {
    for (const type of ["f32", "f64", "i32", "i64"])
      for (const n of [1, 4, 17])
        holds(`${table(type, 3, n)}
          let a[i in 0..3] = argmax[j](x[i, j]);
          let b[i in 0..3] = argmin[j](x[i, j]);
          let c[j in 0..${n}] = argmax[i](x[i, j] * x[i, j]);`);
  });

  test("of many equal terms stay within their bound", () => {
    holds("let x[i in 0..100000] = 0.1; let s = sum[i](x[i]); let m = mean[i](x[i]);");
    holds("let x[i in 0..7, j in 0..24, k in 0..16] = 0.7; let s = sum[i, j, k](x[i, j, k]);");
    holds("let x[k in 0..20000, j in 0..5] = 0.1; let s[j in 0..5] = sum[k](x[k, j]);");
    for (const n of [250, 700, 3808, 8000]) {
      holds(`let x[k in 0..${n}, j in 0..8] = 0.1; let s[j in 0..8] = sum[k](x[k, j]);`);
      holds(
        `let x[i in 0..3, k in 0..${n}] = 0.1; let s[i in 0..3] = sum[k](x[i, k]); ` +
          "let m[i in 0..3] = mean[k](x[i, k]);",
      );
    }
    // The bound holds for any number of terms, in the steps of a recurrence too.
    const [, second] = cellsOf(
      "let y[k in 0..2000000] = 0.0; let q[0, j in 0..16] = 0.103994; " +
        "let q[t in 1..2, j in 0..16] = sum[k](y[k] + q[t - 1, j]); let s[t in 0..2] = q[t, 7];",
      "s",
    );
    expect(Math.abs(second! / (2000000 * Math.fround(0.103994)) - 1)).toBeLessThan(1e-5);
    // The term k = 8 of each row is left over after the vectors.
    holds(
      "let x[i in 0..9000, k in 0..9] = if k == 8 { 0.1 } else { 0.0 }; " +
        "let s = sum[i, k](x[i, k]);",
    );
  });
});
