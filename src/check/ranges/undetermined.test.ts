// The range that a message suggests for a coordinate without one. It uses no name that may mean
// something else at that place.

import { describe } from "vitest";
import { refused, repaired } from "../../../test/support/check.ts";

describe("the range that was likely meant is known", () => {
  repaired([
    [
      "let l = [0, 1, 2]; const n = 60; const k = 3;\nlet c[0, q in 0..k] = 0.0;\n" +
        "let c[t in 1..4, q] = if l[t - 1] == q { 1.0 } else { 0.0 };",
      "let l = [0, 1, 2]; const n = 60; const k = 3;\nlet c[0, q in 0..k] = 0.0;\n" +
        "let c[t in 1..4, q in 0..k] = if l[t - 1] == q { 1.0 } else { 0.0 };",
    ],
    [
      "let d = [1, 2, 3];\nlet c[i] = sum[k in 0..i+1](d[i-k]);",
      "let d = [1, 2, 3];\nlet c[i in 0..len(d)] = sum[k in 0..i+1](d[i-k]);",
    ],
    [
      "input W: [f32; a, b];\nlet h[0, i] = 1.0;\n" +
        "let h[t in 1..3, i] = sum[j](W[j, i] * h[t - 1, i]);",
      "input W: [f32; a, b];\nlet h[0, i in 0..extent(b)] = 1.0;\n" +
        "let h[t in 1..3, i] = sum[j](W[j, i] * h[t - 1, i]);",
    ],
    [
      "input W: [f32; ?, ?];\nlet h[0, i] = 1.0;\n" +
        "let h[t in 1..3, i] = sum[j](W[j, i] * h[t - 1, i]);",
      "input W: [f32; ?, ?];\nlet h[0, i in 0..W.shape[1]] = 1.0;\n" +
        "let h[t in 1..3, i] = sum[j](W[j, i] * h[t - 1, i]);",
    ],
    [
      // The other clause has the range `0..k`, and here `k` is a coordinate.
      "const k = 3;\nlet c[0, q in 0..k] = 0.0;\nlet c[k in 1..4, q] = 1.0;",
      "const k = 3;\nlet c[0, q in 0..k] = 0.0;\nlet c[k in 1..4, q in 0..3] = 1.0;",
    ],
  ]);
});

describe("nothing is known", () => {
  const hole = "with the number of its positions for `…`";
  refused([
    [
      "let n = 60;\nlet ones[i] = 1.0;",
      "E0302 2:10 nothing determines the range of `i` | declare its range: " +
        `\`let ones[i in 0..…]\`, ${hole}`,
    ],
    [
      "let x = [1.0, 2.0];\nlet y[i] = x[i / 2];",
      "E0302 2:7 nothing determines the range of `i` | declare its range: " +
        `\`let y[i in 0..…]\`, ${hole}`,
    ],
  ]);
});
