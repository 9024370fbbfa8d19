// The checks that are left until extents are known, and how each definition is computed.

import { describe, expect, it } from "vitest";
import { compile } from "../../driver/compile.ts";
import { variablesOf } from "../../affine/visit.ts";
import { wrongWith } from "../analyse.ts";

describe("of a program with symbolic extents, compiling proves all but", () => {
  it.each<readonly [program: string, checks: readonly string[], plan: readonly string[]]>([
    [
      "input x: [f32; n]; let y[i in 0..3] = x[i];",
      ["x[i]: `i` < n"],
      ["input x: f32 [n]", "map y: f32 [i = 3]"],
    ],
    [
      "input x: [f32; n]; let y[i] = x[i] - x[i + 1];",
      [],
      ["input x: f32 [n]", "map y: f32 [i = extent(n) - 1]"],
    ],
    [
      "input x: [f32; n]; let y[i in 1..extent(n)] = x[i - 1];",
      ["`y[i in 0..min(n * min(max(n - 1, 0), 1), 1)]` is empty"],
      ["input x: f32 [n]", "map y: f32 [i = extent(n) * min(max(extent(n) - 1, 0), 1)]"],
    ],
    [
      "input x: [f32; n]; input k: i32; let y[i in k..extent(n)] = x[i];",
      [
        "x[i]: `i` >= 0",
        "`i` starts at 0 or above: k >= 0",
        "`y[i in 0..min(n * min(max(n - k, 0), 1), k)]` is empty",
      ],
      [
        "input k: i32",
        "input x: f32 [n]",
        "map y: f32 [i = extent(n) * min(max(extent(n) - k, 0), 1)]",
      ],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = x[i - 1] where i > 0;",
      [],
      ["input x: f32 [n]", "map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = x[i - 1] where i > 0 && x[i] > 0;",
      [],
      ["input x: f32 [n]", "map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = x[i - 1] where i > 0 || x[i] > 0;",
      ["x[i - 1]: `i - 1` >= 0"],
      ["input x: f32 [n]", "map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = if !(i == 0) { x[i - 1] } else { x[i] };",
      [],
      ["input x: f32 [n]", "map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = if i < 1 { 0 } else { x[i - 1] };",
      [],
      ["input x: f32 [n]", "map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = if x[i] > 0 { x[i - 1] } else { 0 };",
      ["x[i - 1]: `i - 1` >= 0"],
      ["input x: f32 [n]", "map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; let y[k] = x[idx[k]];",
      ["x[idx[k]]: the index of axis 0 in 0..n"],
      ["input x: f32 [n]", "input idx: i32 [k]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; let y[k] = x[max(min(idx[k], extent(n) - 1), 0)];",
      ["x[max(min(idx[k], extent(n) - 1), 0)]: the index of axis 0 < n"],
      ["input x: f32 [n]", "input idx: i32 [k]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; let y[k] = x[idx[k]] where idx[k] in 0..extent(n);",
      [],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; " +
        "let y[k] = x[idx[k]] where idx[k] >= 0, idx[k] < extent(n);",
      [],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; " +
        "let y[k] = x[j] where j = idx[k], j >= 0, j < extent(n);",
      [],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n, m]; let f[p in 0..extent(n) * extent(m)] = " +
        "x[p / extent(m), p % extent(m)];",
      [],
      ["input x: f32 [n, m]", "map f: f32 [p = extent(n) * extent(m)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n)] = x[(i + 1) % extent(n)];",
      [],
      ["input x: f32 [n]", "map y: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n) / 2] = x[2 * i + 1];",
      [],
      ["input x: f32 [n]", "map y: f32 [i = (extent(n) - (extent(n) % 2 + 2) % 2) / 2]"],
    ],
    [
      "input x: [f32; n]; let s = x[0] + x[len(x) - 1];",
      ["x[0]: `0` < n", "x[len(x) - 1]: `n - 1` >= 0"],
      ["input x: f32 [n]", "map s: f32"],
    ],
    [
      "input x: [f32; n]; input k: i32; let y = x[k]; let z[i in 0..k] = x[i];",
      ["x[k]: `k` in 0..n", "x[i]: `i` < n"],
      ["input k: i32", "input x: f32 [n]", "map y: f32", "map z: f32 [i = k]"],
    ],
    [
      "input x: [f32; n]; let y[i in 0..2 * extent(n)] = x[i / 2];",
      [],
      ["input x: f32 [n]", "map y: f32 [i = 2 * extent(n)]"],
    ],
    [
      "input x: [f32; n]; let s[i in 0..extent(n)] = sum[k in 0..i + 1](x[k]);",
      [],
      ["input x: f32 [n]", "reduction s: f32 [i = extent(n)]"],
    ],
    [
      "input x: [f32; n]; let h[0] = x[0]; let h[t in 1..extent(n)] = h[t - 1] + x[t];",
      ["x[0]: `0` < n"],
      [
        "input x: f32 [n]",
        "recurrence h: f32 [t = max(extent(n), 1)]; loop t upward; lookback 1 along t; " +
          "full history (observed by name)",
      ],
    ],
    [
      "input x: [f32; n]; let h[0] = x[0]; let h[t in 1..4] = h[t - 1] + x[t];",
      ["x[0]: `0` < n", "x[t]: `t` < n"],
      [
        "input x: f32 [n]",
        "recurrence h: f32 [t = 4]; loop t upward; lookback 1 along t; " +
          "full history (observed by name)",
      ],
    ],
    [
      "input T: i32; let h[0] = 1; let h[1] = 1; let h[t in 2..T] = h[t - 1] + h[t - 2]; " +
        "let last = h[T - 1];",
      ["h[T - 1]: `T - 1` >= 0"],
      [
        "input T: i32",
        "recurrence h: i32 [t = max(T, 2)]; loop t upward; lookback 2 along t; " +
          "full history (observed by name, read by last)",
        "map last: i32",
      ],
    ],
    [
      "input a: [f32; n]; input b: [f32; m]; let c[i in 0..extent(n)] = a[i]; " +
        "let c[i in extent(n)..extent(n) + extent(m)] = b[i - extent(n)];",
      [],
      ["input a: f32 [n]", "input b: f32 [m]", "map c: f32 [i = extent(n) + extent(m)]"],
    ],
    [
      "input a: [f32; n]; let c[i in 0..3] = a[i]; let c[i in 4..extent(n)] = a[i];",
      ["a[i]: `i` < n", "`c[i in 3..min(max(n * min(max(n - 4, 0), 1), 3), 4)]` is empty"],
      ["input a: f32 [n]", "map c: f32 [i = max(extent(n) * min(max(extent(n) - 4, 0), 1), 3)]"],
    ],
    [
      "input a: [f32; n, n]; let L[i in 0..extent(n), j in 0..extent(n)] = " +
        "a[i, j] - sum[k in 0..j](L[i, k] * L[j, k]) where i >= j;",
      [],
      [
        "input a: f32 [n, n]",
        "recurrence L: f32 [i = extent(n), j = extent(n)]; loop j upward; " +
          "whole history read along j; full history (observed by name, read by L_2)",
        "recurrence L_2: f32 [i = extent(n), j = extent(n)]; loop j upward; " +
          "lookback 0 along j; buffer of 1",
      ],
    ],
    [
      "input x: [f32; n]; let y = x + [1.0, 2.0];",
      ["two axes that meet in `x + [1.0, 2.0]`: n == 2"],
      ["input x: f32 [n]", "literal y_2: f32 [2]", "map y: f32 [extent(n)]"],
    ],
    [
      "input x: [f32; n]; input idx: [i64; k]; " +
        "let y[k] = x[idx[k] as i32] where idx[k] as i32 in 0..extent(n);",
      [],
      ["input idx: i64 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i64; k]; " +
        "let y[k] = x[j] where j = idx[k] as i32, j in 0..extent(n);",
      [],
      ["input idx: i64 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; " +
        "let y[k] = x[if idx[k] > 3 { idx[k] } else { 0 }] where " +
        "(if idx[k] > 3 { idx[k] } else { 0 }) in 0..extent(n);",
      [],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; " +
        "let y[k] = x[if idx[k] > 3 { idx[k] } else { 0 }] where " +
        "(if idx[k] > 2 { idx[k] } else { 0 }) in 0..extent(n);",
      ["x[if idx[k] > 3 { idx[k] } else { 0 }]: the index of axis 0 in 0..n"],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; " +
        "let y[k] = x[idx[k]] where !(idx[k] < 0 || idx[k] >= extent(n));",
      [],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; " +
        "let y[k] = if idx[k] < 0 || idx[k] >= extent(n) { 0 } else { x[idx[k]] };",
      [],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; " +
        "let y[k] = if idx[k] >= 0 && idx[k] < extent(n) { x[idx[k]] } else { 0 };",
      [],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; " +
        "let y[k] = if idx[k] >= 0 || idx[k] < extent(n) { x[idx[k]] } else { 0 };",
      ["x[idx[k]]: the index of axis 0 in 0..n"],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; let y[k] = x[idx[k] + 1] where idx[k] > -2, " +
        "idx[k] != -1, idx[k] + 1 < extent(n);",
      [],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; " +
        "let y[k] = x[-idx[k]] where idx[k] <= 0, idx[k] > -extent(n);",
      [],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; n]; input idx: [i32; k]; let y[k] = x[idx[k]] where idx[k] == 2;",
      ["x[idx[k]]: the index of axis 0 < n"],
      ["input idx: i32 [k]", "input x: f32 [n]", "map y: f32 [k]"],
    ],
    [
      "input x: [f32; 4]; input idx: [i32; k]; let y[k] = x[idx[k]] where idx[k] == 2; " +
        "let z[k] = x[idx[k] % 4] where idx[k] >= 0; let w[k] = x[abs(idx[k]) % 4];",
      ["x[abs(idx[k]) % 4]: the index of axis 0 in 0..4"],
      [
        "input idx: i32 [k]",
        "input x: f32 [4]",
        "map y: f32 [k]",
        "map z: f32 [k]",
        "map w: f32 [k]",
      ],
    ],
    [
      "input x: [f32; n]; let y[i in 0..extent(n), j in 0..extent(n)] = x[i - j] where i >= j;",
      [],
      ["input x: f32 [n]", "map y: f32 [i = extent(n), j = extent(n)]"],
    ],
    [
      "let h[3] = 1; let h[t in rev(0..3)] = h[t + 1] * 2;",
      [],
      [
        "recurrence h: i32 [t = 4]; loop t downward; lookback 1 along t; " +
          "full history (observed by name)",
      ],
    ],
    [
      "input x: [f32; ?, ?]; let y[i in 0..len(x)] = x[i, 0]; let z[j, i] = x[i, j];",
      ["x[i, 0]: `0` < ?"],
      [
        "input x: f32 [shape(x)[0], shape(x)[1]]",
        "map y: f32 [i = shape(x)[0]]",
        "map z: f32 [j = shape(x)[1], i = shape(x)[0]]",
      ],
    ],
    [
      "input p: [i32; 5]; let d[0] = 0; let d[i in 1..5] = d[p[i]] + 1;",
      ["d[p[i]]: the index of axis 0 in 0..5"],
      [
        "input p: i32 [5]",
        "recurrence d: i32 [i = 5]; loop i upward; whole history read along i; " +
          "full history (observed by name, read by d)",
      ],
    ],
    [
      "input p: [i32; 5]; let d[0] = 0; let d[i in 1..5] = d[p[i]] + 1 where p[i] >= 0, p[i] < i;",
      [],
      [
        "input p: i32 [5]",
        "recurrence d: i32 [i = 5]; loop i upward; whole history read along i; " +
          "full history (observed by name, read by d)",
      ],
    ],
    [
      "input x: [f32; n]; let m[i, j] = x[i] * x[j]; let t = sum[i](m[i, i]); " +
        "let r[i] = max[j](m[i, j] where j <= i);",
      [],
      [
        "input x: f32 [n]",
        "map m: f32 [i = extent(n), j = extent(n)]",
        "reduction t: f32",
        "reduction r: f32 [i = extent(n)]",
      ],
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
    expect(lines("plan")).toEqual(plan);
  });
});

describe("once sizes are known", () => {
  const text =
    "input x: [f32; n]; input at: [i32; k]; let y[i] = x[i] * 2.0; let z[k] = y[at[k]]; " +
    "let w[i in 0..3] = x[i];";
  const { program } = compile({ name: "test.ein", text });
  const parts = program!.variants()[0]!;

  it("only what was left open is looked at again", () => {
    expect(parts.analysis.undecided.map(({ name }) => name)).toEqual(["z", "w"]);
  });

  it("what is wrong then is said", () => {
    const [input] = parts.program.inputs;
    const [n] = variablesOf(input!.axes[0]!.extent);
    const wrong = wrongWith(parts.program, parts.analysis, new Map([[n!, 2]]));
    expect(wrong.map(({ title }) => title)).toEqual(["`x[i]` leaves `x`"]);
    expect(wrongWith(parts.program, parts.analysis, new Map([[n!, 3]]))).toEqual([]);
  });
});
