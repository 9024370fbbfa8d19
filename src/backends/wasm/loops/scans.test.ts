// Compares running reductions on kernels with the oracle: from either side, in rows and columns,
// with ends that move by one, by more, or only now and then.

import { describe, expect, test } from "vitest";
import { cellsOf, heardIn, holds, leftToOracleIn } from "../../../../test/support/kernels.ts";

const data = "let x[i in 0..23, j in 0..9] = ((i * 7 + j * 3) % 11 - 4) as f32 * 0.5;";

function onKernels(text: string): void {
  holds(text);
  const left = [...leftToOracleIn(text).values()].filter((why) => why === "a running reduction");
  expect(left, text).toEqual([]);
}

/** Tells which reductions of a program are scans. */
function scansIn(text: string): string {
  onKernels(`${data} ${text}`);
  return heardIn(`${data} ${text}`, "scan");
}

describe("scans", () => {
  const ranges = [
    "0..i + 1",
    "0..i",
    "i..23",
    "i + 1..23",
    "0..23 - i",
    "2..i + 1",
    "i..20",
    "0..min(i + 1, 15)",
    "max(i, 4)..23",
    "0..(i + 1) / 2",
    "0..min(2 * i, 23)",
  ];
  test.each(ranges)("over %s", (range) => {
    onKernels(`${data} let y[i in 0..23] = sum[k in ${range}](x[k, 2]);`);
    onKernels(`${data} let y[i in 0..23, j in 0..9] = sum[k in ${range}](x[k, j]);`);
    onKernels(`${data} let y[j in 0..9, i in 0..23] = sum[k in ${range}](x[k, j] * 2.0);`);
    onKernels(
      `${data} let y[j in 0..3, i in 0..23, m in 0..5] = max[k in ${range}](x[k, j] * x[k, m]);`,
    );
  });

  test("that guards bound, sums of coordinates too, and diagonals of them", () => {
    expect(scansIn("let y[i in 0..23] = sum[k](x[k, 2] where i < k + 1);")).toContain("y");
    expect(
      scansIn("let y[i in 0..23] = sum[k](x[k, 2] where 0 <= i && k + 2 <= i + 2);"),
    ).toContain("y");
    // Each cell of the diagonal is read by two sums. It belongs to neither, and has terms of its
    // own.
    onKernels(`${data} let A[i in 0..9, j in 0..9] =
      sum[k in 0..23](x[k, i] * x[k, j]) + (if i == j { 9.0 } else { 0.0 });
      let L[i in 0..9, j in 0..9] =
        if j > i { 0.0 }
        else if i == j { sqrt(A[i, i] - sum[k in 0..j](L[i, k] ** 2)) }
        else { (A[i, j] - sum[k in 0..j](L[i, k] * L[j, k])) / L[j, j] };
      let loss = sum[i](log(L[i, i])); let g = @loss / @A;`);
  });

  test("every reduction that needs one total", () => {
    for (const type of ["f32", "f64", "i32", "i64"]) {
      const names = type.startsWith("f") ? ["sum", "prod", "max", "min", "mean"] : ["sum", "prod"];
      const lines = names.flatMap((name) => [
        `let a_${name}[i in 0..23] = ${name}[k in 0..i + 1](x[k, 1] as ${type});`,
        `let b_${name}[i in 0..23, j in 0..9] = ${name}[k in i..23](x[k, j] as ${type});`,
      ]);
      onKernels(`${data}${lines.join("\n")}`);
    }
    onKernels(`${data}
      let n[i in 0..23] = count[k in 0..i](x[k, 3] > 0.0);
      let m[i in 0..23, j in 0..9] = count[k in 0..i](x[k, j] > 0.0);
      let some[i in 0..23] = any[k in 0..i + 1](x[k, 3] > 1.0);
      let every[i in 0..23, j in 0..9] = all[k in i..23](x[k, j] > -1.0);`);
  });

  test("what needs more than one total is right all the same", () => {
    holds(`${data}
      let a[i in 0..23] = argmax[k in 0..i + 1](x[k, 3]);
      let l[i in 0..23] = logsumexp[k in 0..i + 1](x[k, 3]);
      let h[i in 0..23] = max[k in 0..i + 1](x[k, 3] as i32);`);
  });

  test("over further coordinates, with guards on data, on indices, and on the cells", () => {
    onKernels(`${data} let y[i in 0..23] = sum[k in 0..i + 1, j](x[k, j]);`);
    onKernels(`${data} let y[i in 0..23] = sum[j, k in 0..i + 1](x[k, j] where x[k, j] > 0.0);`);
    onKernels(`${data} let y[i in 0..23] = sum[k in 0..23](x[k, 1] where k <= i);`);
    onKernels(
      `${data} let y[i in 0..23, j in 0..9] = sum[k in 0..i + 1](x[k, j] where x[k, j] < 1.0);`,
    );
    onKernels(
      `${data} let y[i in 0..23, j in 0..9] = sum[k in 0..i + 1](x[k, j]) where x[i, ` +
        "j] < 1.0 else 9.0;",
    );
    onKernels(
      `${data} let y[i in 0..30] = 1.0; let y[i in 3..20] = ` +
        "sum[k in 3..i + 1](x[k, 0]) * 2.0 + x[i, 1];",
    );
    onKernels(
      `${data} let y[i in 0..23] = sum[k in 0..i + 1](x[k, 1]) / ` +
        "sum[k in i..23](x[k, 2] * x[k, 2] + 1.0);",
    );
  });

  test("in parts, with totals that stay from call to call", () => {
    const n = 150_000;
    const prefix = (term: (k: number) => number): readonly number[] => {
      let total = 0;
      return Array.from({ length: n }, (_, k) => (total += term(k)));
    };
    const right = prefix((k) => k % 7);
    const x = `let x[i in 0..${n}] = (i % 7) as f64;`;
    expect(cellsOf(`${x} let y[i in 0..${n}] = sum[k in 0..i + 1](x[k]);`, "y")).toEqual(right);
    const down = cellsOf(`${x} let y[i in 0..${n}] = sum[k in i..${n}](x[k]);`, "y");
    expect(down.slice(-3)).toEqual(
      [(n - 3) % 7, (n - 2) % 7, (n - 1) % 7].map((_, k, all) =>
        all.slice(k).reduce((a, b) => a + b),
      ),
    );
    expect(down[0]).toBe(right.at(-1));
    const rows = cellsOf(
      "let x[i in 0..20000, j in 0..9] = (i % 7 * j) as f64; " +
        "let y[i in 0..20000, j in 0..9] = sum[k in 0..i](x[k, j]);",
      "y",
    );
    expect(rows.slice(-9)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((j) => right[19_998]! * j));
    const counted = cellsOf(`let y[i in 0..${n}] = count[k in 0..i + 1](k % 7 == 3);`, "y");
    expect(counted).toEqual(prefix((k) => Number(k % 7 === 3)));
  });

  test("in the steps of a recurrence, and over its steps", () => {
    onKernels(
      `${data} let h[0, i in 0..23] = x[i, 0]; ` +
        "let h[t in 1..5, i in 0..23] = 0.5 * sum[k in 0..i + 1](h[t - 1, k]);",
    );
    holds("let h[0] = 1.0; let h[t in 1..30] = 0.5 * sum[k in 0..t](h[k]);");
  });

  test("gradients", () => {
    onKernels(
      `${data} let y[i in 0..23] = sum[k in 0..i + 1](x[k, 2]); ` +
        "let loss = sum[i](y[i] * y[i]); let d_x = @loss / @x;",
    );
  });
});
