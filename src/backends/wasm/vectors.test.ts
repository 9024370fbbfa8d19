// Cells as vectors against the oracle: every extent at which they can end, for each type.

import { describe, test } from "vitest";
import { holds, table, types } from "./testing.ts";

/** Around two and four lanes, and around tiles of them. */
const extents = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65];

describe("maps", () => {
  test.each(types)("of %s end at any extent, read backwards and with strides", (type) => {
    for (const n of extents) {
      holds(`${table(type, 2, 2 * n)}
        let a[i in 0..2, j in 0..${n}] = x[i, j] * x[i, ${2 * n - 1} - j] + x[1 - i, 2 * j];
        let b[i in 0..2, j in 0..${n}] = if j % 3 == 1 { a[i, j] } else { x[i, (j + 1) % ${n}] - a[1 - i, j / 2] };
        let c[i in 0..${n}, j in 0..2] = b[j, i];`);
    }
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
});
