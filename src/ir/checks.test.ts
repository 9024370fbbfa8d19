// What is left to be checked when extents are known, and how each definition is computed.

import { describe, expect, it } from "vitest";
import { compile } from "../compile.ts";

describe("of a program with symbolic extents, compiling proves all but", () => {
  it.each<readonly [program: string, checks: readonly string[], plan: readonly string[]]>([
    ["input x: [f32; n]; let y[i in 0..3] = x[i];", ["x[i]: `i` < n"], ["map y: f32 [i = 3]"]],
    ["input x: [f32; n]; let y[i] = x[i] - x[i + 1];", [], ["map y: f32 [i = extent(n) - 1]"]],
    [
      "input x: [f32; n]; let y[i in 1..extent(n)] = x[i - 1];",
      ["`y[i in 0..min(n, 1)]` is empty"],
      ["map y: f32 [i = extent(n)]"],
    ],
    ["input x: [f32; n]; let y[i in 0..extent(n)] = x[i - 1] where i > 0;", [], ["map y: f32 [i = extent(n)]"]],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = x[i - 1] where i > 0 && x[i] > 0;",
      [],
      ["map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = x[i - 1] where i > 0 || x[i] > 0;",
      ["x[i - 1]: `i - 1` >= 0"],
      ["map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = if !(i == 0) { x[i - 1] } else { x[i] };",
      [],
      ["map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = if i < 1 { 0 } else { x[i - 1] };",
      [],
      ["map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = if x[i] > 0 { x[i - 1] } else { 0 };",
      ["x[i - 1]: `i - 1` >= 0"],
      ["map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; let y[k] = x[idx[k]];",
      ["x[idx[k]]: the index of axis 0 in 0..n"],
      ["map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; let y[k] = x[max(min(idx[k], extent(n) - 1), 0)];",
      ["x[max(min(idx[k], extent(n) - 1), 0)]: the index of axis 0 < n"],
      ["map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; let y[k] = x[idx[k]] where idx[k] in 0..extent(n);",
      [],
      ["map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; let y[k] = x[idx[k]] where idx[k] >= 0, idx[k] < extent(n);",
      [],
      ["map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; let y[k] = x[j] where j = idx[k], j >= 0, j < extent(n);",
      [],
      ["map y: f32 [k]"],
    ],
    [
      "input x: [f32; n, m]; let f[p in 0..extent(n) * extent(m)] = x[p / extent(m), p % extent(m)];",
      [],
      ["map f: f32 [p = extent(n) * extent(m)]"],
    ],
    ["input x: [f32; n]; let y[i in 0..extent(n)] = x[(i + 1) % extent(n)];", [], ["map y: f32 [i = extent(n)]"]],
    [
      "input x: [f32; n]; let y[i in 0..extent(n) / 2] = x[2 * i + 1];",
      [],
      ["map y: f32 [i = (extent(n) - (extent(n) % 2 + 2) % 2) / 2]"],
    ],
    [
      "input x: [f32; n]; let s = x[0] + x[len(x) - 1];",
      ["x[0]: `0` < n", "x[len(x) - 1]: `n - 1` >= 0"],
      ["map s: f32"],
    ],
    [
      "input x: [f32; n]; input k: i32; let y = x[k]; let z[i in 0..k] = x[i];",
      ["x[k]: `k` in 0..n", "x[i]: `i` < n"],
      ["map y: f32", "map z: f32 [i = k]"],
    ],
    ["input x: [f32; n]; let y[i in 0..2 * extent(n)] = x[i / 2];", [], ["map y: f32 [i = 2 * extent(n)]"]],
    [
      "input x: [f32; n]; let s[i in 0..extent(n)] = sum[k in 0..i + 1](x[k]);",
      [],
      ["reduction s: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let h[0] = x[0]; let h[t in 1..extent(n)] = h[t - 1] + x[t];",
      ["x[0]: `0` < n"],
      ["recurrence h: f32 [t = max(extent(n), 1)]; loop t upward; lookback 1 along t; full history (observed by name)"],
    ],
    [
      "input x: [f32; n]; let h[0] = x[0]; let h[t in 1..4] = h[t - 1] + x[t];",
      ["x[0]: `0` < n", "x[t]: `t` < n"],
      ["recurrence h: f32 [t = 4]; loop t upward; lookback 1 along t; full history (observed by name)"],
    ],
    [
      "input T: i32; let h[0] = 1; let h[1] = 1; let h[t in 2..T] = h[t - 1] + h[t - 2]; let last = h[T - 1];",
      ["h[T - 1]: `T - 1` >= 0"],
      [
        "recurrence h: i32 [t = max(T, 2)]; loop t upward; lookback 2 along t; full history (observed by name, read by last)",
        "map last: i32",
      ],
    ],
    [
      "input a: [f32; n]; input b: [f32; m]; let c[i in 0..extent(n)] = a[i]; let c[i in extent(n)..extent(n) + extent(m)] = b[i - extent(n)];",
      [],
      ["map c: f32 [i = max(extent(n) + extent(m), extent(n))]"],
    ],
    [
      "input a: [f32; n]; let c[i in 0..3] = a[i]; let c[i in 4..extent(n)] = a[i];",
      ["a[i]: `i` < n", "`c[i in 3..min(max(n, 3), 4)]` is empty"],
      ["map c: f32 [i = max(extent(n), 3)]"],
    ],
    [
      "input a: [f32; n, n]; let L[i in 0..extent(n), j in 0..extent(n)] = a[i, j] - sum[k in 0..j](L[i, k] * L[j, k]) where i >= j;",
      [],
      [
        "recurrence L: f32 [i = extent(n), j = extent(n)]; loop j upward; whole history read along j; full history (observed by name, read by L_2)",
        "recurrence L_2: f32 [i = extent(n), j = extent(n)]; loop j upward; lookback 0 along j; buffer of 1",
      ],
    ],
    [
      "input x: [f32; n]; let y = x + [1.0, 2.0];",
      ["two axes that meet in `x + [1.0, 2.0]`: n == 2"],
      ["literal y_2: f32 [2]", "map y: f32 [extent(n)]"],
    ],
  ])("%s", (text, checks, plan) => {
    const { program, diagnostics } = compile({ name: "p", text });
    expect(diagnostics).toEqual([]);
    const lines = (pass: string): readonly string[] =>
      program!
        .dump(pass)
        .split("\n")
        .filter((line) => line !== "");
    expect(lines("checks")).toEqual(checks);
    expect(lines("plan").filter((line) => !line.startsWith("input "))).toEqual(plan);
  });
});
