// How much memory derivatives take on kernels: saved states of long recurrences, one step of
// training, and nothing of the size of a Jacobian.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compile } from "../../driver/compile.ts";
import type { RunOptions, RunResult } from "../results.ts";
import type { TensorValue } from "../../scalar/values/value.ts";

function runProgram(text: string, options: RunOptions): RunResult {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics.map(({ title }) => title).join());
  const result = program.run(options);
  if (result.fault) throw new Error(result.fault.title);
  return result;
}

function tensor(...shape: readonly number[]): TensorValue {
  const cells = shape.reduce((a, b) => a * b, 1);
  return {
    dtype: "f32",
    shape,
    data: Float32Array.from({ length: cells }, (_, k) => Math.sin(k) / 4),
  };
}

describe("ten thousand steps under `checkpoint`", () => {
  const steps = 10_000;
  const width = 32;
  const network = (loss: string): string => `
    let W[i in 0..${width}, j in 0..${width}] = sin((3 * i + j) as f32) / ${width}.0;
    let b[i in 0..${width}] = 0.01 * i as f32;
    checkpoint let h[0, i in 0..${width}] = 0.5;
    let h[t in 1..${steps}, i in 0..${width}] = tanh(sum[j](W[i, j] * h[t - 1, j]) + b[i]);
    let loss = ${loss}; let d_W = @loss / @W; let d_b = @loss / @b;`;

  it.each([
    ["of the last step", `sum[i](h[${steps - 1}, i] ** 2)`],
    ["of every step", "sum[t, i](h[t, i] ** 2)"],
  ])("keep at most 4·√T states for a loss %s", (_, loss) => {
    const { peakBytes } = runProgram(network(loss), { get: ["d_W", "d_b"] });
    const matrices = 4 * width * width * 4;
    expect((peakBytes - matrices) / (width * 4)).toBeLessThan(4 * Math.sqrt(steps));
  });
});

describe("training on mini-batches with four parameter tensors", () => {
  const text = readFileSync(
    new URL("../../../examples/mini-batch-training.ein", import.meta.url),
    "utf8",
  );
  const peak = (steps: number, get: readonly string[]): number => {
    const inputs = {
      x: tensor(8, 64),
      y: tensor(8, 4),
      W1_start: tensor(48, 64),
      b1_start: tensor(48),
      W2_start: tensor(4, 48),
      b2_start: tensor(4),
    };
    return runProgram(text.replace("steps = 6", `steps = ${steps}`), {
      inputs: new Map(Object.entries(inputs)),
      get,
    }).peakBytes;
  };
  const matrix = 48 * 64 * 4;

  it("holds as much for a thousand steps as for ten, but for the choice of rows", () => {
    expect(peak(1000, ["last"]) - peak(10, ["last"])).toBeLessThan(990 * 2 * 4 + matrix);
    expect(peak(1000, ["last"])).toBeLessThan(8 * matrix);
  });

  it("holds every step of what is observed and its copy for the host, and only of that", () => {
    const more = peak(1000, ["last", "W1"]) - peak(100, ["last", "W1"]);
    expect(more).toBeGreaterThanOrEqual(2 * 900 * matrix);
    expect(more).toBeLessThan(2 * 900 * matrix * 1.01);
  });
});

describe("the Jacobian of a product of 512 × 512 matrices", () => {
  it.each([
    ["a cotangent", "let a[p, q] = sum[i, j](G[i, j] * J[i, j, p, q]);"],
    ["a direction", "let a[i, j] = sum[p, q](J[i, j, p, q] * G[p, q]);"],
  ])("takes the place of a few matrices when it meets %s", (_, use) => {
    const inputs = new Map(["A", "B", "G"].map((name) => [name, tensor(512, 512)]));
    const { peakBytes } = runProgram(
      `input A: [f32; 512, 512]; input B: [f32; 512, 512]; input G: [f32; 512, 512];
       let C[i, j] = sum[k](A[i, k] * B[k, j]); let J = @C / @A; ${use}`,
      { inputs, get: ["a"] },
    );
    expect(peakBytes).toBeLessThan(6 * 512 * 512 * 4);
  });
});
