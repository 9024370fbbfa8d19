// Compares cells that are computed as vectors with the oracle, for each type and for every extent
// at which vectors can end.

import { describe, expect, test } from "vitest";
import {
  faults,
  heardIn,
  holds,
  leftToOracleIn,
  table,
  types,
} from "../../../../test/support/kernels.ts";

/** Extents around two and four lanes, and around tiles of vectors. */
const extents = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65];

describe("maps", () => {
  test.each(types)("of %s end at any extent, read backwards and with strides", (type) => {
    for (const n of extents) {
      holds(`${table(type, 2, 2 * n)}
        let a[i in 0..2, j in 0..${n}] = x[i, j] * x[i, ${2 * n - 1} - j] + x[1 - i, 2 * j];
        let b[i in 0..2, j in 0..${n}] =
          if j % 3 == 1 { a[i, j] } else { x[i, (j + 1) % ${n}] - a[1 - i, j / 2] };
        let c[i in 0..${n}, j in 0..2] = b[j, i];`);
    }
  });

  test.each(["f32", "f64", "i32", "i64"])("and sums of %s, of rows that are looked up", (type) => {
    for (const n of [1, 4, 7, 33]) {
      holds(`${table(type, 5, n)} let at[k in 0..9] = (k * 7) % 5;
        let rows[k, j] = x[at[k], j] + x[at[8 - k], ${n} - 1 - j];
        let s = sum[k, j](x[at[k], j] * x[at[k], j]);
        let t[k] = sum[j](x[at[k], j]) + max[j](x[at[k], j]);
        let u[j] = sum[k](x[at[k], j] where at[k] > 1);
        let picked[k, j] = if at[k] < 3 { x[at[k], j] } else { x[0, j] };`);
    }
  });

  test("that look up rows which are not there fail, and those behind a guard do not", () => {
    const data = `${table("f32", 5, 16)} let at = [1, 9, 2];`;
    faults(`${data} let y[k, j] = x[at[k], j];`);
    faults(`${data} let s = sum[k, j](x[at[k], j]);`);
    holds(`${data} let y[k, j] = if at[k] < 5 { x[at[k], j] } else { 0.0 };`);
    holds(`${data} let s = sum[k, j](x[at[k], j] where at[k] < 5);`);
    holds(`${data} let z[k in 0..3, j in 0..0] = x[at[k], j];`);
  });

  test("of comparisons and choices", () => {
    for (const n of extents) {
      holds(`${table("f32", 1, n)}
        let m[j in 0..${n}] = x[0, j] > 1.0 || j % 4 == 2;
        let w[j in 0..${n}] = (x[0, j] as f64) <= 0.0f64;
        let p[j in 0..${n}] = if m[j] && !w[j] { x[0, j] } else { -1.0 };
        let q[j in 0..${n}] = m[j] as i32 + w[j] as i32;
        let r[j in 0..${n}] = if w[j] { x[0, j] as f64 } else { m[j] as f64 };
        let s[j in 0..${n}] = ((x[0, j] as f64) * 1.5f64) as i32;`);
    }
  });

  test.each(["f32", "f64"])(
    "of signs in %s: of zeros of both signs, " +
      "of what is not finite and of numbers that are hardly there",
    (type) => {
      for (const n of extents) {
        const said = leftToOracleIn(
          `let x[j in 0..${n}] = [0.0, -0.0, 1.5, -2.5, 1e-45, -1e-45, 1e38, -1e38, 0.0, ` +
            `-1.0, 3.0][j % 11] as ${type}; let y[j] = sign(x[j]);`,
        );
        expect(said.get("y")).toBeUndefined();
        holds(`let x[j in 0..${n}] =
          [0.0, -0.0, 1.5, -2.5, 1e-45, -1e-45, 1e38, -1e38, 0.0, -1.0, 3.0][j % 11] as ${type};
        let s[j] = sign(x[j]); let side[j] = 1.0 / (s[j] as f32);
        let far[j] = sign(x[j] / 0.0); let sum_of = sum[j](sign(x[j]) * (j as ${type}));`);
      }
    },
  );

  test("of quotients and remainders by numbers of either sign, of integers of either sign", () => {
    for (const by of [1, 2, 3, 7, -1, -2, -5]) {
      const text = `let k[j in 0..37] = (j - 18) * (j - 18) * (j - 18) * 40000 - j;
        let least = [-2147483647 - 1, 2147483647, 0, -1];
        let q[j] = k[j] / (${by}); let r[j] = k[j] % (${by});
        let ends[j] = least[j] / (${by}) + least[j] % (${by});
        let x[j in 0..50] = sin(j as f32);
        let y[j in 0..37] =
          if (j - 4) % (${by}) == 0 { x[(j + 6) / ${Math.abs(by)}] } else { 0.0 };`;
      holds(text);
      // The divisions call no function of the host, so the two maps can be computed together.
      expect(heardIn(text, "together")).toMatch(/q: with .*r/);
    }
    faults("let z[j in 0..9] = j - 4; let q[j] = 7 / z[j];");
  });
});

test(
  "f64 among f32 takes two registers: " +
    "it is computed, chosen, read and written like the others",
  () => {
    for (const n of [4, 7, 33])
      holds(`let x[i in 0..${n}] = (i % 5) as f32 * 0.3; let w[i in 0..${n}] = (i * i) as f64 * 0.7;
      let a[i] = (x[i] as f64 * w[i] + 1.0) as f32; let b[i] = x[i] as f64 - w[i] / 3.0;
      let c[i] = (if x[i] > 0.5 { w[i] } else { x[i] as f64 }) as f32 + x[i];
      let d[i] = if w[i] > 3.0 { x[i] } else { 0.25 }; let e[i] = w[${n - 1} - i] * (x[i] as f64);
      let f[i in 0..${n}] = (i as f64 + sqrt(w[i])) as f32 * x[i];
      let g[i] = exp(w[i] * 0.01) as f32 + x[i];
      let h[i] = ((x[i] > 0.5) as f64 * w[i]) as f32 - x[i]; let s = sum[i](w[i] * (x[i] as f64));
      let t[i] = (w[i] as f32 + x[i]) as i32; let u = max[i](x[i] as f64 + w[i]);`);
  },
);
