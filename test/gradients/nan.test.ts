// A maximum or minimum of two numbers treats NaN like the reduction: the value is NaN, and the
// gradient goes to the first NaN.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import type { Backend } from "../../src/backends/results.ts";
import { close } from "./testing.ts";

const nan = Number.NaN;
const pairs = [
  [nan, 1],
  [1, nan],
  [nan, nan],
  [2, 1],
  [1, 2],
  [1, 1],
] as const;
const extremes = ["max", "min"] as const;
const backends: readonly Backend[] = ["wasm", "js", "interpret"];

/** The cells of the requested names, for these two cells of `input x`. */
function cellsOf(
  text: string,
  x: readonly number[],
  get: readonly string[],
  backend: Backend,
): readonly number[][] {
  const { program, diagnostics } = compile({ name: "nan.ein", text: `input x: [f64; 2]; ${text}` });
  expect(diagnostics).toEqual([]);
  const inputs = new Map([
    ["x", { dtype: "f64", shape: [2], data: Float64Array.from(x) } as const],
  ]);
  const { values, fault } = program!.run({ inputs, get, backend, leastWork: 0 });
  expect(fault).toBeUndefined();
  return get.map((name) => [...(values.get(name)!.value.data as Float64Array)]);
}

describe.each(extremes)("%s of two", (extreme) => {
  const written = [`let y = ${extreme}(x[0], x[1]);`, `let y = ${extreme}[i](x[i]);`];
  const forms: readonly (readonly [string, string])[] = [
    ["a gradient", "let g = @y / @x;"],
    ["a Hessian", "let loss = y ** 3; let d = @loss / @x; let g[i, j] = @d[i] / @x[j];"],
    [
      "a tangent",
      "let z[k in 0..3] = y * (k + 1) as f64; let v = [2.0f64, 5.0f64]; let J = @z / @x; " +
        "let g[k] = sum[i](J[k, i] * v[i]);",
    ],
  ];

  it.each(forms)("has the value and %s of the reduction", (_, asked) => {
    for (const backend of backends)
      for (const pair of pairs) {
        const [two, reduced] = written.map((text) =>
          cellsOf(`${text} ${asked}`, pair, ["y", "g"], backend),
        );
        close(two![0], reduced![0]!);
        close(two![1], reduced![1]!);
        expect(Number.isNaN(two![0]![0])).toBe(pair.some(Number.isNaN));
      }
  });

  it("has that gradient inside recursion and recurrences too", () => {
    const recursive =
      "fn most(i: i32, best: f64) -> f64 { if i == " +
      `2 { best } else { most(i + 1, ${extreme}(best, x[i])) } } let y = most(1, x[0]); ` +
      "let g = @y / @x;";
    const inSteps =
      `let m[0] = x[0]; let m[t in 1..2] = ${extreme}(m[t - 1], x[t]); let y = m[1]; ` +
      "let g = @y / @x;";
    for (const backend of backends)
      for (const pair of pairs) {
        const [, wanted] = cellsOf(`${written[1]} let g = @y / @x;`, pair, ["y", "g"], backend);
        for (const text of [recursive, inSteps])
          expect(cellsOf(text, pair, ["g"], backend)).toEqual([wanted]);
      }
  });

  it("has the argument that `arg` finds", () => {
    for (const pair of pairs) {
      const [found, slopes] = cellsOf(
        `let k = arg${extreme}[i](x[i]); ${written[0]} let g = @y / @x;`,
        pair,
        ["k", "g"],
        "wasm",
      );
      expect(slopes).toEqual([0, 1].map((k) => Number(k === found![0])));
    }
  });
});

describe("NaN beside a number that is written out", () => {
  it.each([
    ["max(x[0], 0.0)", "x[0] < 0"],
    ["max(0.0, x[0])", "0 >= x[0]"],
    ["min(x[0], 0.0)", "x[0] > 0"],
    ["min(0.0, x[0])", "0 <= x[0]"],
    ["min(max(x[0], 0.0), 6.0)", "x[0] < 0"],
    ["clamp(x[0], 0.0, 6.0)", "x[0] < 0 || x[0] > 6"],
  ])("gets the gradient of %s, by one comparison", (value, comparison) => {
    const text = `let y = ${value}; let g = @y / @x;`;
    for (const backend of backends)
      expect(cellsOf(text, [nan, 1], ["y", "g"], backend)).toEqual([[nan], [1, 0]]);
    const derived = compile({ name: "nan.ein", text: `input x: [f64; 2]; ${text}` }).program!.grad(
      "y",
      ["x"],
    );
    expect(derived).toMatchObject({ source: expect.stringContaining(`!(${comparison})`) });
    expect(derived).toMatchObject({ source: expect.not.stringContaining("!=") });
  });
});

describe("NaN in a branch", () => {
  it("leaves the gradient of what no cell takes at 0", () => {
    const text = `let f: [f64; 2, 2] = [[0.1, 0.4], [0.3, -0.2]]; let r[0, i, j] = sigmoid(f[i, j]);
      let r[t in 1..3, i in 0..2, j in 0..2] = max(r[t - 1, i, j], max(
        max(sigmoid(x[0]) * r[t - 1, max(i - 1, 0), j], sigmoid(x[1]) * r[t - 1, min(i + 1, 1), j]),
        max(sigmoid(0.25) * r[t - 1, i, max(j - 1, 0)], sigmoid(0.75)
        * r[t - 1, i, min(j + 1, 1)])));
      let y = sum[i, j](r[2, i, j]); let g = @y / @x;`;
    for (const backend of backends)
      expect(cellsOf(text, [0.5, nan], ["g"], backend)).toEqual([[0, nan]]);
  });
});
