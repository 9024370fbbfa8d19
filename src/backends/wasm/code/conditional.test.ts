// Tests reductions with guards that are the same for all terms of a cell, and recurrences inside of
// recurrences, whose inner loops are one kernel.

import { describe, expect, test } from "vitest";
import { faults, holds, leftToOracleIn, table, types } from "../../../../test/support/kernels.ts";

describe("guards that are the same for all terms of a cell", () => {
  test.each(types.filter((type) => type !== "i8"))("of %s", (type) => {
    holds(
      `${table(type, 9, 40)} let y[i in 0..9, c in 0..9] = sum[j](x[i, j] where i > c) + ` +
        "sum[j](x[c, j] where i == c);",
    );
  });

  test("for every reduction", () => {
    for (const reduction of ["sum", "prod", "max", "min", "mean", "logsumexp"])
      holds(
        `${table("f32", 9, 40)} let y[i in 0..9, c in 0..9] = ` +
          `{ let s = ${reduction}[j](0.1 * x[i, j] where i >= c); ` +
          "if i >= c { s } else { 1.0 } };",
      );
    holds(
      `${table("f32", 9, 40)} let y[i in 0..9, c in 0..9] = any[j](x[i, j] > 5.0 where i > c);`,
    );
    holds(
      `${table("i32", 9, 40)} let y[i in 0..9, c in 0..9] = sum[j](x[i, j] where i > c, ` +
        "x[i, j] > 0);",
    );
  });

  test("the greatest of no integers is nothing", () => {
    faults(
      "let y[i in 0..33] = min[r in 0..17, s in 1..4](i as bf16 as i32 where i != 13, 3 == 1);",
    );
    faults(
      "let y[i in 0..7, j in 0..7, k in 0..3, l in 0..1] = min[r in l..1](l where l > 0, i > 0);",
    );
  });

  test("beside those that are not, and by what is read", () => {
    holds(
      `${table("f32", 9, 40)} let m[i in 0..9] = x[i, 3] > 0.0; ` +
        "let y[i] = sum[j](x[i, j] where m[i], x[i, j] > 1.0) + " +
        "sum[j](x[i, j] * 2.0 where !m[i]);",
    );
    holds(
      `${table("f32", 9, 40)} let y[i] = { let t = sum[j](x[i, j]); ` +
        "t + sum[j](x[i, j] * x[i, j] where t > 30.0) };",
    );
  });
});

describe("a recurrence inside a recurrence", () => {
  const cholesky = (n: number): string => `
    let A[i in 0..${n}, j in 0..${n}] =
      (if i == j { ${n}.0 } else { 0.0 }) + 1.0 / (1.0 + ((i - j) ** 2) as f32);
    let L[i, j] = (A[i, j] - sum[k in 0..j](L[i, k] * L[j, k])) / L[j, j] where i > j;
    let L[i, j] = sqrt(A[i, j] - sum[k in 0..j](L[i, k] ** 2)) where i == j;`;

  test("cell by cell, without the oracle", () => {
    for (const n of [1, 5, 40, 90]) holds(cholesky(n));
    expect(leftToOracleIn(cholesky(90))).toEqual(new Map());
  });

  test("of several definitions, in either direction", () => {
    holds(
      `let a[i in 0..50] = (i * 7919 + 13) % 4; let b[i in 0..60] = (i * 104729 + 7) % 4;
      let l[0, j in 0..61] = 0; let l[i in 1..51, 0] = 0;
      let l[i in 1..51, j in 1..61] =
        if a[i - 1] == b[j - 1] { l[i - 1, j - 1] + 1 } else { max(l[i - 1, j], l[i, j - 1]) };`,
    );
    holds(
      `let u[0, j in 0..40] = 0.5; let u[i in 1..30, 0] = 0.25;
      let v[i in 0..30, j in 0..40] = 0.5 * u[i, j] + 0.1;
      let u[i in 1..30, j in 1..40] = 0.3 * u[i - 1, j] + 0.3 * u[i, j - 1] + 0.2 * v[i, j - 1];
      let loss = sum[i, j](u[i, j] * v[i, j]);`,
    );
    holds(
      `let w = 0.3; let u[0, j in 0..40] = 0.5; let u[i in 1..30, 0] = 0.25;
      let u[i in 1..30, j in 1..40] = tanh(w * u[i - 1, j] + 0.4 * u[i, j - 1]);
      let loss = sum[i, j](u[i, j] ** 2); let d = @loss / @w;`,
    );
  });

  test("with products summed up after the loop", () => {
    holds(
      `let x[t in 0..30, b in 0..4, i in 0..20] = sin((t * 31 + b * 7 + i) as f32);
      let Wx[i in 0..20, j in 0..20] = 0.1 * cos((i * 3 + j) as f32);
      let Wh[i in 0..20, j in 0..20] = 0.1 * sin((i + 5 * j) as f32);
      let h[0, b in 0..4, j in 0..20] = 0.0;
      let h[t in 1..31, b, j] =
        tanh(sum[i](x[t - 1, b, i] * Wx[i, j]) + sum[k](h[t - 1, b, k] * Wh[k, j]));
      let loss = sum[t, b, j](h[t, b, j] ** 2);
      let dx = @loss / @Wx; let dh = @loss / @Wh;`,
    );
  });
});
