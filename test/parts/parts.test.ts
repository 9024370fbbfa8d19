// The core alone compiles plain programs. A run needs one further part, and other programs load
// exactly the parts that they need.

import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parts } from "../../scripts/parts/table.mjs";
import { dividedLibrary, type Divided } from "./divided.ts";

let library: Divided;

beforeAll(async () => {
  library = await dividedLibrary();
});

beforeEach(() => library.forgetParts());

const loaded = (): readonly string[] => Object.keys(parts).filter(library.isThere);

const product = `input w: [f64; 4];
fn run(i: i32, p: f64) -> f64 { if i == 4 { p } else { run(i + 1, p * w[i]) } }
let y = run(0, 1.0);
`;

test.each([
  [
    "a product of matrices",
    "input A: [f32; m, k]; input B: [f32; k, n]; let C[i, j] = sum[k](A[i, k] * B[k, j]);",
  ],
  [
    "a softmax",
    "input x: [f32; n, c]; let m[i] = max[j](x[i, j]); let e[i, j] = exp(x[i, j] - m[i]); " +
      "let y[i, j] = e[i, j] / sum[k](e[i, k]);",
  ],
  [
    "a layer, with a function that is replaced by its body",
    "input x: [f32; n, i]; input W: [f32; i, o]; " +
      "fn relu(a) { max(a, 0.0) } let h[n, o] = relu(sum[i](x[n, i] * W[i, o]));",
  ],
  [
    "a convolution",
    "input x: [f32; h, w]; input k: [f32; 3, 3]; " +
      "let y[i in 0..extent(h) - 2, j in 0..extent(w) - 2] = " +
      "sum[r, s](x[i + r, j + s] * k[r, s]);",
  ],
  [
    "a recurrence",
    "input x: [f32; n]; let h[0] = x[0]; let h[t in 1..extent(n)] = 0.9 * h[t - 1] + x[t];",
  ],
  [
    "a choice",
    "input x: [f32; n]; let y[i] = if x[i] > 0.0 { x[i] } else { 0.1 * z } where z = x[i] * x[i];",
  ],
  [
    "a function with declared types",
    "input x: [f32; n]; fn total(a: [f32; k]) -> f32 { sum[i](a[i]) } let y: [f32; n] = x; " +
      "let z = total(y);",
  ],
  ["a table", "let rows = [[1, 2], [3, 4]]; let n = rows[1, 0];"],
])("%s needs no part", async (_, text) => {
  expect((await library.compiledInParts({ name: "test.ein", text })).took).toEqual([]);
});

test.each([
  [
    "a derivative",
    "input w: [f64; 4]; let z = sum[i](w[i] ** 2); let dz = @z / @w;",
    ["derivatives"],
  ],
  ["a Jacobian", "input w: [f64; 4]; let z[i] = w[i] ** 2; let dz = @z / @w;", ["derivatives"]],
  ["a recursion", product, ["values", "rare"]],
  [
    "a derivative through a recursion",
    `${product}let dw = @y / @w;`,
    ["values", "rare", "derivatives"],
  ],
  ["the standard library", "use std::ml::relu; let s = relu(1.0);", ["modules", "std"]],
  ["a name that nothing declares", "let y = x + 1.0;", ["mistakes", "std"]],
  ["a choice by patterns", "let y = match 3 { 0 => 1.0, _ => 2.0 };", ["rare", "values"]],
  [
    "ragged rows",
    "let rows: jagged [i32] = [[1, 2], [3]]; let n = rows[1][0];",
    ["rare", "values"],
  ],
  ["text", 'let x = 2.0; print("{x:.3}");', ["text"]],
])("%s", async (_, text, took) => {
  const result = await library.compiledInParts({ name: "test.ein", text });
  expect(result.took).toEqual(took);
});

describe("the library", () => {
  const text =
    "input A: [f32; m, k]; input B: [f32; k, n]; let C[i, j] = sum[k](A[i, k] * B[k, j]);";
  const inputs = { A: [[1, 2]], B: [[3], [4]] };

  test("runs a program on the core and kernels, and has what `grad` needs", async () => {
    const program = await library.compile(text);
    expect(loaded()).toEqual(["runs", "kernels", "derivatives", "mistakes", "rare"]);
    expect([...program.run(inputs).C!.data]).toEqual([11]);
    expect(program.grad("C", ["A"]).values).toContain("d_A");
  });

  test("runs what is asked for no derivatives without those", async () => {
    const { C } = await library.ein`let C[i, j] = sum[k](${inputs.A}[i, k] * ${inputs.B}[k, j]);`;
    expect([...C!.data]).toEqual([11]);
    expect(loaded()).toEqual(["runs", "kernels", "mistakes"]);
  });

  test.each([
    "input a: [f32; ?]; let y = prod[i](a[i]);",
    "input a: [f32; ?]; let c[0] = a[0]; let c[i in 1..len(a)] = c[i - 1] * a[i]; " +
      "let y = sum[i](c[i]);",
    "input a: [f32; ?, 3]; input b: [f32; ?]; let y = sum[i, k](a[i, k] ** 3 * b[i]);",
  ])("has what the gradient of a gradient needs: %s", async (source) => {
    let gradient = (await library.compile(source)).grad("y", ["a"]);
    for (let order = 2; order < 4; order++)
      gradient = gradient.grad(gradient.derivatives["a"]!, ["a"]);
    expect(gradient.values).toContain(gradient.derivatives["a"]);
  });

  test("loads no kernels for a program that is not run on them", async () => {
    const program = await library.compile(text, { backend: "js" });
    expect(loaded()).toEqual(["runs", "derivatives", "mistakes", "rare"]);
    expect([...program.run(inputs).C!.data]).toEqual([11]);
  });
});
