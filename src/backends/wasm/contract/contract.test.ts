// Compares contractions of every form, computed as matrix products, with the oracle.

import { describe, expect, onTestFinished, test } from "vitest";
import { subjectOf, type Inputs } from "../../../../test/backends/compare.ts";
import type { TensorValue } from "../../../scalar/values/value.ts";
import { runProgram } from "../../../run/run.ts";
import { takeKept } from "../memory/arena.ts";
import { release } from "../memory/kept.ts";
import { cellsOf, holds } from "../../../../test/support/kernels.ts";
import { formFor, tallFormFor, useRelaxedSimd } from "./form.ts";
import { rowsAtOnce } from "./task.ts";

const filled = (name: string, axes: string, value: string, type = "f32"): string =>
  `let ${name}[${axes}] = ((${value}) % 11 - 5) as ${type} * 0.25;\n`;

describe("matrices", () => {
  test("of every size around a tile's", () => {
    for (const type of ["f32", "f64"])
      for (const [m, n, k] of [
        [4, 4, 4],
        [5, 9, 7],
        [8, 16, 12],
        [13, 21, 330],
        [131, 9, 5],
        [6, 2051, 4],
      ] as const)
        holds(
          filled("a", `i in 0..${m}, k in 0..${k}`, "i * 5 + k * 3", type) +
            filled("b", `k in 0..${k}, j in 0..${n}`, "k * 7 + j * 2", type) +
            `let c[i, j] = sum[k](a[i, k] * b[k, j]);`,
        );
  });

  test(
    "in tiles of six rows, which rows nearly fill, " +
      "where a product and a sum are one instruction",
    () => {
      const areTall = (): readonly boolean[] =>
        [59, 60, 61, 119].map((rows) => tallFormFor("f32", rows) !== undefined);
      expect(areTall()).toEqual([false, false, false, false]);
      expect(useRelaxedSimd()).toBe(true);
      onTestFinished(() => void useRelaxedSimd(false));
      expect(areTall()).toEqual([true, true, false, true]);
      for (const form of [formFor("f32"), tallFormFor("f32", 60)!])
        expect(rowsAtOnce % form.rows).toBe(0);
      for (const type of ["f32", "f64"])
        for (const [m, n, k] of [
          [6, 8, 4],
          [59, 21, 7],
          [60, 16, 20],
          [59, 9, 530],
          [130, 17, 3],
        ] as const)
          holds(
            filled("a", `i in 0..${m}, k in 0..${k}`, "i * 5 + k * 3", type) +
              filled("b", `k in 0..${k}, j in 0..${n}`, "k * 7 + j * 2", type) +
              "let c[i, j] = sum[k](a[i, k] * b[k, j]); " +
              "let turned[j, i] = sum[k](a[i, k] * b[k, j]);",
          );
    },
  );

  test("whose operands are read as they lie, or partly so", () => {
    // Numbers of rows on both sides of `fewRows`, columns that fill their panels or not, and a
    // depth of one block and of two.
    for (const [m, n, k] of [
      [64, 24, 40],
      [65, 24, 40],
      [9, 29, 330],
      [7, 64, 321],
    ] as const)
      holds(
        filled("a", `i in 0..${m}, k in 0..${k}`, "i * 5 + k * 3") +
          filled("b", `k in 0..${k}, j in 0..${n}`, "k * 7 + j * 2") +
          `let c[i, j] = sum[k](a[i, k] * b[k, j]);
           let flipped[i in 0..${m}, j] =
             sum[k in 0..${k}](a[${m - 1} - i, ${k - 1} - k] * b[k, j]);
           let backwards[i, j] = sum[k in 0..${k}](a[i, k] * b[${k - 1} - k, j]);
           let every[i, j] = sum[k in 0..${k >> 1}](a[i, 2 * k] * b[2 * k + 1, j]);`,
      );
  });

  test("that lie on both sides of 2 GiB", () => {
    const subject = subjectOf(
      "test.ein",
      "input a: [f32; 16, 64]; input b: [f32; 64, 64]; let c[i, j] = sum[k](a[i, k] * b[k, j]);",
    );
    if ("errors" in subject) throw new Error("it does not compile");
    const cells = (...shape: readonly [number, number]): TensorValue => {
      const data = Float32Array.from(
        { length: shape[0] * shape[1] },
        (_, k) => ((k * 7 + 3) % 9) - 4,
      );
      return { dtype: "f32", shape, data };
    };
    const inputs: Inputs = new Map([
      ["a", cells(16, 64)],
      ["b", cells(64, 64)],
    ]);
    const run = (backend: "wasm" | "interpret"): unknown =>
      runProgram(subject.program, subject.analysis, {
        inputs,
        backend,
        leastWork: 0,
        leastProducts: 0,
      }).values.get("c")!.value.data;
    const right = run("interpret");
    for (let before = 0; before <= 40960; before += 4096) {
      // The memory below is never touched, so it is only reserved.
      const first = takeKept(64)!;
      release(first);
      const below = takeKept(2 ** 31 - first.address - before)!;
      expect(run("wasm")).toEqual(right);
      release(below);
    }
  });

  test("transposed, batched, with shared batches and with diagonals", () => {
    holds(
      filled("a", "b in 0..3, i in 0..9, k in 0..10", "b * 3 + i * 5 + k") +
        filled("w", "b in 0..3, k in 0..10, j in 0..11", "b + k * 7 + j * 2") +
        `let plain[b, i, j] = sum[k](a[b, i, k] * w[b, k, j]);
         let left[b, k, j] = sum[i](a[b, i, k] * plain[b, i, j]);
         let right[b, i, k] = sum[j](plain[b, i, j] * w[b, k, j]);
         let shared[k, j] = sum[b, i](a[b, i, k] * plain[b, i, j]);
         let turned[j, i, b] = sum[k](a[b, i, k] * w[b, k, j]);
         let diagonal[i, j] = sum[k in 0..10](a[1, i, k] * w[2, k, j] * w[1, k, k]);
         let gram[i, j] = sum[b, k](a[b, i, k] * a[b, j, k]);`,
    );
  });

  test("whose factors are expressions, more than two, or scalars", () => {
    holds(
      filled("a", "i in 0..9, k in 0..10", "i * 5 + k") +
        filled("w", "k in 0..10, j in 0..11", "k * 7 + j * 2") +
        filled("s", "k in 0..10", "k") +
        filled("r", "i in 0..9", "i") +
        `let c[i, j] = sum[k](tanh(a[i, k]) * s[k] * w[k, j] * 0.5);
         let d[i, j] = sum[k]((a[i, k] - 1.0) * (w[k, j] + s[k]));
         let e[i, j] = relu(sum[k](a[i, k] * w[k, j]) + r[i]);
         let f[i, j] = sum[k](a[i, k] * w[k, j]) + sum[k](s[k] * a[i, k] * w[k, j]);
         let idx[k in 0..10] = (k * 3) % 9;
         let g[i in 0..10, j] = sum[k](a[idx[i], k] * w[k, j]);
         let loss = sum[i, j](e[i, j] * e[i, j] + c[i, j]);
         let da = @loss / @a; let dw = @loss / @w;`,
    );
  });
});

describe("windows", () => {
  for (const [what, body] of [
    ["plain", "sum[ci, kh, kw](x[ci, oh + kh, ow + kw] * w[co, ci, kh, kw])"],
    ["strided", "sum[ci, kh, kw](x[ci, 2 * oh + kh, 2 * ow + kw] * w[co, ci, kh, kw])"],
    ["dilated", "sum[ci, kh, kw](x[ci, oh + 2 * kh, ow + 2 * kw] * w[co, ci, kh, kw])"],
    ["flipped", "sum[ci, kh, kw](x[ci, 9 - oh - kh, ow + kw] * w[co, ci, kh, kw])"],
  ] as const)
    test(`${what}, with both gradients`, () => {
      holds(
        filled("x", "c in 0..3, i in 0..10, j in 0..11", "c * 3 + i * 5 + j") +
          filled("w", "o in 0..5, c in 0..3, i in 0..3, j in 0..2", "o + c * 7 + i * 2 + j") +
          `let y[co, oh in 0..4, ow in 0..4] = ${body};
           let loss = sum[co, oh, ow](y[co, oh, ow] * y[co, oh, ow]);
           let dx = @loss / @x; let dw = @loss / @w;`,
      );
    });

  test("padded by guards", () => {
    holds(
      filled("x", "b in 0..2, c in 0..3, i in 0..6, j in 0..7", "b + c * 3 + i * 5 + j") +
        filled("w", "o in 0..5, c in 0..3, i in 0..3, j in 0..3", "o + c * 7 + i * 2 + j") +
        `let y[b, co, oh in 0..6, ow in 0..7] =
          sum[ci, kh, kw](x[b, ci, oh + kh - 1, ow + kw - 1] * w[co, ci, kh, kw]
           where oh + kh >= 1, oh + kh < 7, ow + kw >= 1, ow + kw < 8);
         let loss = sum[b, co, oh, ow](y[b, co, oh, ow] * y[b, co, oh, ow]);
         let dx = @loss / @x; let dw = @loss / @w;`,
    );
  });

  test("leave out what guards leave out, whatever the other factor is", () => {
    const text = `let x[i in 0..12, j in 0..6] = (i + j) as f32;
      let w[k in 0..5, o in 0..6] = if k == 0 { 1.0 / 0.0 } else { (k + o) as f32 };
      let y[i in 0..12, o in 0..6] =
        sum[k in 0..5](x[i + k - 2, 0] * w[k, o] where i + k >= 2, i + k < 14);`;
    holds(text);
    expect(cellsOf(text, "y").slice(0, 6).every(Number.isFinite)).toBe(true);
  });

  test("that are computed term by term in a later run have the cells of that run", () => {
    const subject = subjectOf(
      "test.ein",
      `input a: [f32; 8, 16]; input b: [f32; 16, 12];
       let s[i, k] = a[i, k] * 2.0;
       let y[i, j] = sum[k](s[i, k] * b[k, j] where k <= i);`,
    );
    if ("errors" in subject) throw new Error("it does not compile");
    const given = (by: number, far: number): Inputs =>
      new Map([
        [
          "a",
          {
            dtype: "f32",
            shape: [8, 16],
            data: Float32Array.from({ length: 128 }, (_, k) => by * (k % 7)),
          },
        ],
        [
          "b",
          {
            dtype: "f32",
            shape: [16, 12],
            data: Float32Array.from({ length: 192 }, (_, k) => (k === 180 ? far : by * (k % 5))),
          },
        ],
      ]);
    const run = (inputs: Inputs, backend: "wasm" | "interpret"): unknown =>
      runProgram(subject.program, subject.analysis, {
        inputs,
        backend,
        leastWork: 0,
        leastProducts: 0,
      }).values.get("y")!.value.data;
    for (const inputs of [given(1, 0), given(2, Infinity), given(3, Infinity)])
      expect(run(inputs, "wasm")).toEqual(run(inputs, "interpret"));
  });
});

describe("steps", () => {
  const network = (T: number, batch: number, width: number): string =>
    filled("x", `t in 0..${T}, b in 0..${batch}, i in 0..${width}`, "t * 3 + b * 5 + i") +
    filled("Wx", `i in 0..${width}, j in 0..${width}`, "i * 7 + j * 2") +
    filled("Wh", `i in 0..${width}, j in 0..${width}`, "i * 3 + j * 5") +
    `let h[0, b in 0..${batch}, j in 0..${width}] = 0.1;
     let h[t in 1..${T + 1}, b, j] =
       tanh(0.1 * sum[i](x[t - 1, b, i] * Wx[i, j]) + 0.1 * sum[i](h[t - 1, b, i] * Wh[i, j]));
     let loss = sum[t, b, j](h[t, b, j] ** 2); let dx = @loss / @x; let dWh = @loss / @Wh;
     let dWx = @loss / @Wx;`;

  test("of a network, and back", () => {
    for (const [T, batch, width] of [
      [1, 4, 4],
      [3, 5, 9],
      [4, 8, 17],
    ] as const)
      holds(network(T, batch, width));
  });

  test("downward, two steps back, with a base of their own, and of a state that turns", () => {
    holds(
      filled("A", "i in 0..12, j in 0..12", "i * 7 + j * 2") +
        `let u[t in 0..9, i in 0..12, j in 0..12] = (i + j) as f32 * 0.01;
         let u[t in rev(0..7), i in 0..12, j in 0..12] =
           0.05 * sum[k](A[i, k] * u[t + 2, k, j]) + 0.5 * u[t + 1, j, i];
         let v[0, i in 0..12, j in 0..12] = if i == j { 1.0 } else { 0.0 };
         let v[t in 1..8, i in 0..12, j in 0..12] =
           0.1 * sum[k](v[t - 1, i, k] * v[t - 1, k, j]) + 0.2 * sum[k](A[i, k] * v[t - 1, j, k]);
         let last[i, j] = v[7, i, j] + u[0, i, j];`,
    );
  });

  test("keep a window of states, and give the same", () => {
    const text = (T: number): string =>
      filled("A", "i in 0..16, j in 0..16", "i * 7 + j * 2") +
      `let v[0, b in 0..8, j in 0..16] = (b + j) as f32 * 0.01;
       let v[t in 1..${T}, b, j] = tanh(0.1 * sum[i](v[t - 1, b, i] * A[i, j]));
       let last[b, j] = v[${T - 1}, b, j];`;
    holds(text(40));
  });
});
