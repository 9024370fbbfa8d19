// Which kernels another batch size compiles anew: none that differ only in the number of rows, and
// none that do not depend on the batch.

import { expect, test } from "vitest";
import { compile } from "../../driver/compile.ts";
import type { TensorValue } from "../../scalar/values/value.ts";

/** How many modules are compiled while an action runs. */
function modulesMade(action: () => void): number {
  const host = globalThis as unknown as {
    WebAssembly: { Module: new (bytes: Uint8Array<ArrayBuffer>) => object };
  };
  const { Module } = host.WebAssembly;
  let count = 0;
  host.WebAssembly.Module = class extends Module {
    constructor(bytes: Uint8Array<ArrayBuffer>) {
      super(bytes);
      count++;
    }
  };
  try {
    action();
  } finally {
    host.WebAssembly.Module = Module;
  }
  return count;
}

type Runner = (
  shapes: Readonly<Record<string, readonly number[]>>,
  integers?: Readonly<Record<string, number>>,
) => number;

/** Runs a program on tensors of given shapes and on given integers. */
function runner(text: string, get: readonly string[]): Runner {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics[0]!.title);
  return (shapes, integers = {}) => {
    const inputs = new Map<string, TensorValue>(
      Object.entries(shapes).map(([name, shape]) => {
        const length = shape.reduce((a, b) => a * b, 1);
        const data = Float32Array.from({ length }, (_, k) => Math.sin(k * 0.37));
        return [name, { dtype: "f32" as const, shape, data }];
      }),
    );
    for (const [name, value] of Object.entries(integers))
      inputs.set(name, { dtype: "i32", shape: [], data: Int32Array.of(value) });
    return modulesMade(() => {
      const { fault } = program.run({ inputs, get, leastWork: 0 });
      if (fault) throw new Error(fault.title);
    });
  };
}

test("rows that are more or fewer need no other kernel", () => {
  const run = runner(
    `input x: [f32; batch, feature];
     let m[batch] = mean[f](x[batch, f]);
     let c[batch, feature] = tanh(x[batch, feature] - m[batch]) * 2.0;
     let n[batch] = sum[f](c[batch, f] * c[batch, f]);
     let y[batch, feature] = c[batch, feature] / sqrt(n[batch] + 1.0);`,
    ["y"],
  );
  expect(run({ x: [64, 33] })).toBeGreaterThan(0);
  for (const batch of [48, 65, 200]) expect(run({ x: [batch, 33] }), `${batch} rows`).toBe(0);
  expect(run({ x: [64, 40] })).toBeGreaterThan(0);
});

test("what has no rows of the batch is compiled once", () => {
  const alone = "let u[i, j] = tanh(w[i, j]) * 0.7 + 0.01; let s[i] = logsumexp[j](u[i, j] * 1.3);";
  const batch =
    "let y[b, j] = sum[i](x[b, i] * u[i, j]); let loss = sum[b, j](y[b, j] * s[j]) / 3.5;";
  const declared = "input x: [f32; batch, i]; input w: [f32; i, j];";
  const both = runner(`${declared} ${alone} ${batch}`, ["loss", "s"]);
  const first = both({ x: [64, 40], w: [40, 40] });
  const again = both({ x: [48, 40], w: [40, 40] });
  expect(again).toBeLessThan(first);
  // A size that was seen before needs no new kernel.
  expect(both({ x: [64, 40], w: [40, 40] })).toBe(0);
});

test("an integer that only enters arithmetic is read when kernels run", () => {
  const run = runner(
    `input w: [f32; n]; input g: [f32; n]; input t: i32; input k: i32;
     let rate = 0.1 / (1.0 - 0.9 ** (t as f32));
     let next[i] = w[i] - rate * g[i] * ((2 * t + 1) as f32) + if t > 3 { 1.0 } else { 0.0 };
     let shifted[i in 0..8] = w[i + k];`,
    ["next", "shifted"],
  );
  const modulesAt = (t: number, k: number) => run({ w: [64], g: [64] }, { t, k });
  expect(modulesAt(1, 0)).toBeGreaterThan(0);
  for (const t of [2, 3, 7, 1000, -1]) expect(modulesAt(t, 0), `step ${t}`).toBe(0);
  // `k` is part of a position: kernels are made for its value.
  expect(modulesAt(1, 1)).toBeGreaterThan(0);
});

test("what is read when kernels run is what the oracle computes, from run to run", () => {
  const text = `input w: [f32; n]; input t: i32;
     let s = t * 3 - 1;
     let y[i] = w[i] * (s as f32) + ((t % 5) as f32) + (if t > 2 { w[i] } else { 0.5 });
     let z = sum[i](y[i] * (t as f32));
     let h[0] = t as f32; let h[k in 1..40] = h[k - 1] * 0.5 + (t as f32);`;
  const { program } = compile({ name: "test.ein", text });
  const w = {
    dtype: "f32" as const,
    shape: [40],
    data: Float32Array.from({ length: 40 }, (_, k) => Math.sin(k)),
  };
  for (const t of [1, 2, 3, 4, 5, 5, 6, 0, 1000]) {
    const inputs = new Map<string, TensorValue>([
      ["w", w],
      ["t", { dtype: "i32", shape: [], data: Int32Array.of(t) }],
    ]);
    const [kernels, oracle] = (["wasm", "interpret"] as const).map((backend) => {
      const { values, fault } = program!.run({
        inputs,
        get: ["y", "h", "s"],
        leastWork: 0,
        backend,
      });
      if (fault) throw new Error(fault.title);
      return [...values].map(([name, { value }]) => [name, ...(value.data as Float32Array)]);
    });
    expect(kernels, `t = ${t}`).toEqual(oracle);
  }
});
