// The errors of TypeScript for `ein("…")`. Every line under a comment is wrong in the way that the
// comment names; the other lines are right. notation.test.ts compiles this file and compares the
// messages with the recorded ones.

import { ein, tensor } from "../../src/index.ts";

const A = tensor("f32", [2, 3], new Float32Array(6));
const B = tensor("f32", [3, 4], new Float32Array(12));
const v = tensor("f32", [3], new Float32Array(3));
const anyRank = {
  dtype: "f32",
  shape: [3] as readonly number[],
  data: new Float32Array(3),
} as const;

const product = ein("let C[i, j] = sum[k](A[i, k] * B[k, j]);");
const scaled = ein("input x: [f32; 2, 3]; let y[j] = sum[i](x[i, j]) * factor;");
const shared = ein("input x: [f32; n, m]; input y: [f32; n]; let z[i] = sum[j](x[i, j]) + y[i];");

// ── right ───────────────────────────────────────────────────────────────────────────────────────

const { C } = await product({ A, B });
export const extents: readonly [2, 4] = C.shape;
await product({ A: [[1, 2]], B: [[1], [2]] });
await product({ A: anyRank, B });
await scaled({ x: A, factor: 2 });
// A range only has to lie within the axis that it walks.
await ein("let y[o] = sum[k in 0..2](x[o + k] * w[k]);")({ x: v, w: v });
// Fewer indices than axes give a part of the tensor. A call may bind a coordinate, and the text may
// define a name.
ein(
  "let M[i, j] = A[i, j]; let row[j] = M[0]; let s[i] = softmax[j](A[i, j]); let t = 1; " +
    "let x = v[t];",
);
ein("let h[0] = 1.0; let h[t in 1..5] = 0.5 * h[t - 1] + x[t];");
ein("let g[k] = x[idx[k]]; let p[i, j] = x[2 * i + j] * (i as f32);");
// The compiler checks what the types do not read.
const derived = ein("let loss = sum[i](x[i] ** 2); let g = @loss / @x;");
await derived({ x: v });
ein("let y[i] = if i > 0 { x[i] } else { q[r] };");
ein("let y[i] = sum[j](x[j] where j == i);");

// ── wrong ───────────────────────────────────────────────────────────────────────────────────────

// a name: `k` is neither on the left nor reduced
ein("let C[i, j] = A[i, k] * B[k, j];");
// a name: the second statement is the wrong one
ein("let y[i] = x[i]; let z = y[j];");
// a rank: the text itself gives `C` two axes
ein("let C[i, j] = sum[k](A[i, k] * B[k, j]); let d[i] = C[i, i, i];");
// a rank: the value has one axis
await product({ A: v, B });
// a rank: what is only a number in the text
await scaled({ x: A, factor: v });
// an extent: `k` is walked along both
await product({ A, B: tensor("f32", [5, 4], new Float32Array(20)) });
// an extent: the declaration fixes it
await scaled({ x: tensor("f32", [2, 4], new Float32Array(8)), factor: 1 });
// an extent: one dimension name has one
await shared({ x: A, y: v });
// an element type
await scaled({ x: tensor("f64", [2, 3], new Float64Array(6)), factor: 1 });
// a name that is missing
await product({ A });
