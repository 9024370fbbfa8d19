// Compares scatters on kernels with the oracle: ties by equality and by interval, several ties at
// once, and every reduction that kernels can add up.

import { afterAll, describe, expect, test } from "vitest";
import { compile } from "../../../driver/compile.ts";
import { faults, holds, leftToOracleIn } from "../../../../test/support/kernels.ts";
import { useThreads } from "../threads/threads.ts";

const data = `
  let idx[k in 0..40] = (k * 7 + 3) % 11;
  let col[k in 0..40] = (k * 5) % 4;
  let g[k in 0..40, j in 0..9] = ((k * 3 + j * 5) % 13 - 6) as f32 * 0.25;`;

/** Checks the values, and that kernels compute the named definitions. */
function onKernels(text: string, ...names: readonly string[]): void {
  holds(text);
  const left = leftToOracleIn(text);
  for (const name of names) expect(left.get(name), text).toBeUndefined();
}

describe("scatters", () => {
  test("rows go where a lookup says", () => {
    onKernels(`${data} let d[p in 0..11, j in 0..9] = sum[k](g[k, j] where idx[k] == p);`, "d");
    onKernels(`${data} let d[j in 0..9, p in 0..11] = sum[k](g[k, j] where idx[k] == p);`, "d");
  });

  test("terms outside of the result go nowhere", () => {
    onKernels(`${data} let d[p in 0..5, j in 0..9] = sum[k](g[k, j] where idx[k] == p);`, "d");
    onKernels(
      `${data} let d[p in 3..8] = sum[k](g[k, 1] where idx[k] - 2 == p); let d[p in 0..3] = 1.5;`,
      "d",
    );
  });

  test("two ties, one of them under a further guard", () => {
    onKernels(
      `${data} let d[p in 0..11, q in 0..4] = sum[k](g[k, 2] where idx[k] == p, col[k] == q);`,
      "d",
    );
    onKernels(
      `${data} let d[p in 0..11, q in 0..4] = sum[k](g[k, p % 9] where idx[k] == p, ` +
        "col[k] == q, k < 3 * p);",
      "d",
    );
    onKernels(
      `${data} let d[p in 0..11, j in 0..9] = sum[k](g[k, j] where idx[k] == p, g[k, j] > 0.0);`,
      "d",
    );
  });

  test("intervals", () => {
    const ptr = "let ptr[i in 0..8] = i * (i + 1) / 2;";
    onKernels(
      `${data}${ptr} let d[p in 0..30] = sum[i in 0..7](g[i, 0] where ptr[i] <= p, ` +
        "p < ptr[i + 1]);",
      "d",
    );
    onKernels(
      `${data}${ptr} let d[p in 0..20, j in 0..9] = ` +
        "max[i in 0..7](g[i, j] where ptr[i] <= p, p <= ptr[i + 1] + 2);",
      "d",
    );
  });

  test("a coordinate that chooses among terms sends each its own way", () => {
    const place = "(if part == 0 { idx[k] } else if part == 1 { col[k] } else { -1 })";
    for (const columns of [1, 3, 4, 9, 33, 40]) {
      const wide = `let h[k in 0..40, j in 0..${columns}] =
        ((k * 3 + j * 5) % 13 - 6) as f32 * 0.25;`;
      const chosen =
        "if part == 0 { h[k, j] * 2.0 } else if part == 1 { h[k, j] - h[39 - k, j] } else { 7.0 }";
      // Several terms that go to the same row, and terms that go to no row.
      onKernels(
        `${data}${wide} let d[p in 0..11, j in 0..${columns}] = ` +
          `sum[k, part in 0..2](${chosen} where ${place} == p);`,
        "d",
      );
      onKernels(
        `${data}${wide} let d[p in 0..3, j in 0..${columns}] = ` +
          `sum[k, part in 0..3](${chosen} where ${place} == p);`,
        "d",
      );
      onKernels(
        `${data}${wide} let d[j in 0..${columns}, p in 0..11] = ` +
          `max[k, part in 0..2](${chosen} where ${place} == p, h[k, j] > 0.0);`,
        "d",
      );
      onKernels(
        `${data}${wide} let d[p in 0..11, j in 0..${columns}] = ` +
          `sum[part in 0..2, k in 3..30](${chosen} where ${place} == p, k != 7);`,
        "d",
      );
    }
    const sides =
      "if part == 0 { if i == 1 { idx[k] } else { -1 } } else if i == 0 { col[k] } else { -1 }";
    onKernels(
      `${data} let d[p in 0..11, i in 0..2] = ` +
        `sum[k, part in 0..2](if part == 0 { g[k, 1] } else { g[k, 2] } where (${sides}) == p);`,
      "d",
    );
  });

  test("gradients of a table that is looked up at several places", () => {
    for (const columns of [3, 32, 35])
      onKernels(
        `let T[e in 0..12, k in 0..${columns}] = ((e * 5 + k * 3) % 9 - 4) as f32 * 0.3;
        let R[r in 0..3, k in 0..${columns}] = ((r * 2 + k) % 5 - 2) as f32 * 0.4;
        let h[n in 0..50] = (n * 7) % 12; let t[n in 0..50] = (n * 5 + n / 9) % 12;
        let l[n in 0..50] = n % 3;
        let s[n] = sum[k](T[h[n], k] * R[l[n], k] * T[t[n], k] - R[l[n], k] * T[h[n], k]);
        let loss = sum[n](log1p(exp(-s[n]))); let g = @loss / @T; let r = @loss / @R;`,
        "g",
        "r",
      );
  });

  test("every reduction that needs one cell for each total", () => {
    for (const type of ["f32", "f64", "i32", "i64"]) {
      const names = type.startsWith("f") ? ["sum", "prod", "max", "min", "mean"] : ["sum", "prod"];
      const lines = names.map(
        (name) => `let d_${name}[p in 0..12] = ${name}[k](g[k, 3] as ${type} where idx[k] == p);`,
      );
      onKernels(`${data}${lines.join("\n")}`, ...names.map((name) => `d_${name}`));
    }
    onKernels(
      `${data}
      let n[p in 0..12] = count[k](g[k, 3] > 0.0 where idx[k] == p);
      let some[p in 0..12] = any[k](g[k, 3] > 1.0 where idx[k] == p);
      let every[p in 0..12] = all[k](g[k, 3] > -1.0 where idx[k] == p);`,
      "n",
      "some",
      "every",
    );
  });

  test("what needs more than a cell is right all the same", () => {
    holds(
      `${data} let d[p in 0..11] = argmax[k](g[k, 3] where idx[k] == p); ` +
        "let l[p in 0..11] = logsumexp[k](g[k, 2] where idx[k] == p);",
    );
  });

  test("64-bit positions", () => {
    onKernels(
      `${data} let far[k in 0..40] = if k == 7 { 4294967299i64 } else { idx[k] as i64 };
      let d[p in 0..11] = sum[k](g[k, 3] where far[k] == p as i64);`,
      "d",
    );
  });

  test("under guards and else values of the declaration, among clauses", () => {
    onKernels(
      `${data} let d[p in 0..11] = sum[k](g[k, 3] where idx[k] == p) where idx[p] > 4 else -1.0;`,
      "d",
    );
    onKernels(
      `${data} let d[p in 0..14] = 2.0; let d[p in 2..11] = sum[k](g[k, 3] where idx[k] == p);`,
      "d",
    );
  });

  test("many terms keep their digits", () => {
    onKernels(
      "let idx[k in 0..60000] = k % 3; let d[p in 0..3] = sum[k](0.1 where idx[k] == p); " +
        "let m[p in 0..3] = mean[k](0.7 where idx[k] == p);",
      "d",
      "m",
    );
    onKernels(
      "let idx[k in 0..1500] = k % 3; let d[p in 0..3, j in 0..7] = " +
        "sum[k](0.1 * (j as f32 + 1.0) where idx[k] == p);",
      "d",
    );
  });

  test("in the steps of a recurrence", () => {
    onKernels(
      `${data}
      let h[0, p in 0..11] = 1.0;
      let h[t in 1..6, p in 0..11] =
        sum[k](g[k, t] * h[t - 1, (idx[k] + 1) % 11] where idx[k] == p);`,
      "h",
    );
    // Means, scatters that are a part of a larger value, and sums with many terms have totals of
    // their own for one step at a time.
    onKernels(
      `${data}
      let h[0, p in 0..11] = 1.0;
      let h[t in 1..6, p in 0..11] =
        h[t - 1, p] + mean[k](g[k, t] * h[t - 1, (idx[k] + 1) % 11] where idx[k] == p);
      let far[k in 0..300] = k % 7;
      let c[0, p in 0..7, j in 0..9] = 0.0;
      let c[t in 1..4, p in 0..7, j in 0..9] =
        sum[k](0.1 + 0.001 * c[t - 1, far[k], j] where far[k] == p);
      let last[p, j] = c[3, p, j];`,
      "h",
      "c",
    );
  });

  test("gradients of lookups", () => {
    onKernels(
      `${data}
      let table[p in 0..11, j in 0..9] = (p * 9 + j) as f32 * 0.01;
      let loss = sum[k, j](table[idx[k], j] * g[k, j]);
      let d_table = @loss / @table;`,
      "d_table",
    );
  });

  test("a lookup outside of its tensor is the same fault", () => {
    faults(`${data} let d[p in 0..11] = sum[k](g[k, idx[k] * 2] where idx[k] == p);`);
  });
});

describe("scatters on several threads", () => {
  const many = `let idx[k in 0..9000] = (k * 7919) % 611; let col[k in 0..9000] = (k * 31) % 5;
    let g[k in 0..9000, j in 0..16] = sin((k * 3 + j) as f32);
    let rows[p in 0..611, j in 0..16] = sum[k](g[k, j] where idx[k] == p);
    let some[p in 0..600, q in 0..5] = sum[k, j](g[k, j] where idx[k] == p, col[k] == q, j < 9);
    let most[p in 0..611] = max[k, j](g[k, j] * 0.5 where idx[k] == p);
    let columns[j in 0..16, p in 0..611] = sum[k](g[k, j] * g[k, 0] where idx[k] == p);`;
  const get = ["rows", "some", "most", "columns"];
  const values = (): readonly number[] => {
    const { program } = compile({ name: "test.ein", text: many });
    program!.run({ get });
    const { values: found, fault } = program!.run({ get });
    if (fault) throw new Error(fault.title);
    return get.flatMap((name) => Array.from(found.get(name)!.value.data as Float32Array));
  };

  test("have the same bits as on one", async () => {
    const alone = values();
    for (const threads of [2, 3, 4]) {
      useThreads(threads);
      values();
      await new Promise((resume) => setTimeout(resume, 100));
      expect(values()).toEqual(alone);
    }
  });
  afterAll(() => void useThreads(1));
});
