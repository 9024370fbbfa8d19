// What another batch size compiles anew: nothing whose rows are only more or fewer, and nothing that has no rows of the batch.

import { expect, test } from "vitest";
import { compile } from "../../compile.ts";

/** How many modules are compiled while something is done. */
function modulesMade(action: () => void): number {
  const host = globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array<ArrayBuffer>) => object } };
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

/** Runs a program on tensors of some shapes. */
function runner(text: string, get: readonly string[]): (shapes: Readonly<Record<string, readonly number[]>>) => number {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics[0]!.title);
  return (shapes) => {
    const inputs = new Map(
      Object.entries(shapes).map(([name, shape]) => {
        const length = shape.reduce((a, b) => a * b, 1);
        const data = Float32Array.from({ length }, (_, k) => Math.sin(k * 0.37));
        return [name, { dtype: "f32" as const, shape, data }];
      }),
    );
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
  const batch = "let y[b, j] = sum[i](x[b, i] * u[i, j]); let loss = sum[b, j](y[b, j] * s[j]) / 3.5;";
  const declared = "input x: [f32; batch, i]; input w: [f32; i, j];";
  const both = runner(`${declared} ${alone} ${batch}`, ["loss", "s"]);
  const first = both({ x: [64, 40], w: [40, 40] });
  const again = both({ x: [48, 40], w: [40, 40] });
  expect(again).toBeLessThan(first);
  // A size that was there before needs nothing.
  expect(both({ x: [64, 40], w: [40, 40] })).toBe(0);
});
