// How much memory runs on kernels take: windows of adjoints, saved states, cells only as long as
// somebody reads them, and nothing from run to run.

import { describe, expect, it } from "vitest";
import { compile, type CompiledProgram } from "../../driver/compile.ts";
import type { RunOptions, RunResult } from "../results.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import { sharedMemory } from "./memory/arena.ts";
import { holds } from "../../../test/support/kernels.ts";

function compiled(text: string): CompiledProgram {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics.map(({ title }) => title).join());
  return program;
}

function ran(text: string, options: RunOptions): RunResult {
  const result = compiled(text).run(options);
  if (result.fault) throw new Error(result.fault.title);
  return result;
}

const cells = ({ values }: RunResult, name: string): readonly number[] => [
  ...(values.get(name)!.value.data as Float64Array),
];

const heat = (steps: number, checkpoint: string, width = 200): string => `
  let k = 0.2f64;
  let start[x in 0..${width}] = sin(x as f64 * 0.1);
  ${checkpoint} let u[0, x in 0..${width}] = start[x];
  let u[t in 1..${steps}, x in 0..${width}] =
    if x == 0 || x == ${width - 1} { u[t - 1, x] }
    else { u[t - 1, x] + k * (u[t - 1, x - 1] - 2.0 * u[t - 1, x] + u[t - 1, x + 1]) };
  let misfit = sum[x](u[${steps - 1}, x] ** 2) + sum[t](u[t, 7]);
  let d_k = @misfit / @k;
  let d_start = @misfit / @start;`;

describe("a gradient through a recurrence", () => {
  const get = ["d_k", "d_start", "misfit"];
  const row = 200 * 8;

  it("holds the history once, and a window of the adjoint", () => {
    const { peakBytes } = ran(heat(300, ""), { get });
    expect(peakBytes).toBeGreaterThan(300 * row);
    expect(peakBytes).toBeLessThan(312 * row);
  });

  it("holds saved states and a segment under `checkpoint`, and gives the same numbers", () => {
    const states = (steps: number): number =>
      ran(heat(steps, "checkpoint"), { get }).peakBytes / row;
    expect(states(400)).toBeLessThan(4 * 20);
    expect(states(1600) / states(400)).toBeLessThan(2);
    const [saved, plain] = ["checkpoint", ""].map((how) => ran(heat(400, how), { get }));
    for (const name of get) {
      const right = cells(plain!, name);
      for (const [k, value] of cells(saved!, name).entries())
        expect(value).toBeCloseTo(right[k]!, 9);
    }
  });

  it("is the oracle's", () => {
    holds(heat(40, "checkpoint", 12));
    holds(heat(40, "", 12));
  });

  it("reads back recurrences that read one another, downward ones, and several steps", () => {
    holds(`
      let w = 0.5f64;
      checkpoint let a[0] = 1.0f64; let a[1] = w; let a[t in 2..30] = a[t - 1] * w + sin(a[t - 2]);
      checkpoint let b[0] = 0.5f64; let b[t in 1..30] = b[t - 1] * a[t] + a[t - 1];
      checkpoint let c[29] = 1.0f64; let c[t in rev(0..29)] = c[t + 1] * w + b[t];
      let loss = sum[t](c[t] * b[t]) + a[29];
      let d_w = @loss / @w;`);
  });

  it("adds a sum up in blocks, so that a long one is as exact as a short one", () => {
    const steps = 20000;
    const text = `
      let w = 0.0; let x[t in 0..${steps}] = 0.1;
      let h[0] = 0.0; let h[t in 1..${steps}] = h[t - 1] * w + x[t];
      let loss = sum[t](h[t]);`;
    const { values, peakBytes } = ran(text, { get: ["loss"] });
    expect(Number(values.get("loss")!.value.data[0])).toBeCloseTo(
      (steps - 1) * Math.fround(0.1),
      2,
    );
    expect(peakBytes).toBeLessThan(4 * steps);
  });
});

describe("cells", () => {
  const chain = (length: number): string =>
    Array.from(
      { length },
      (_, k) => `let y${k + 1}[i] = sum[j](y${k}[j]) * 1e-6 + sin(y${k}[i]) + cos(y${k}[i]);`,
    ).join("\n");
  const text = `input y0: [f32; i];\n${chain(12)}\nlet last[i] = y12[i] + 1.0;`;
  const input = (length: number): TensorValue => ({
    dtype: "f32",
    shape: [length],
    data: new Float32Array(length),
  });

  it("are there as long as somebody reads them", () => {
    const inputs = new Map([["y0", input(100_000)]]);
    const { peakBytes } = ran(text, { inputs, get: ["last"] });
    expect(peakBytes).toBeLessThan(4.1 * 400_000);
  });

  it("are written in the place of an operand that dies", () => {
    const maps =
      "input x: [f32; i]; let a[i] = sin(x[i]); let b[i] = a[i] * a[i] + tanh(a[i]); " +
      "let s = sum[i](b[i]); let c[i] = b[i] * s; let d[i] = exp(c[i]) + c[i];";
    const { peakBytes } = ran(maps, { inputs: new Map([["x", input(100_000)]]), get: ["d"] });
    expect(peakBytes).toBeLessThan(3.1 * 400_000);
    holds(maps.replace("input x: [f32; i];", "let x[i in 0..100] = i as f32 * 0.01;"));
  });

  it("are planned as they are: the memory is as large as the peak says", () => {
    const inputs = new Map([["y0", input(3_000_000)]]);
    const before = sharedMemory().buffer.byteLength;
    const { peakBytes, values } = ran(text, { inputs, get: ["last"] });
    const outputs = values.get("last")!.value.data as Float32Array;
    const grown = sharedMemory().buffer.byteLength - before;
    expect(grown).toBeGreaterThan(0);
    expect((sharedMemory().buffer.byteLength + outputs.byteLength) / peakBytes).toBeGreaterThan(
      0.95,
    );
    expect((grown + outputs.byteLength) / peakBytes).toBeLessThan(1.05);
  });

  it("take no memory from run to run, but for the outputs", () => {
    const program = compiled(text);
    const run = (): RunResult =>
      program.run({ inputs: new Map([["y0", input(1_000_000)]]), get: ["last"] });
    run();
    const { buffer } = sharedMemory();
    const given = input(1_000_000);
    const before = process.memoryUsage().arrayBuffers;
    const { values } = program.run({ inputs: new Map([["y0", given]]), get: ["last"] });
    const taken = process.memoryUsage().arrayBuffers - before;
    expect(sharedMemory().buffer).toBe(buffer);
    expect(taken).toBeLessThanOrEqual(
      (values.get("last")!.value.data as Float32Array).byteLength + 100_000,
    );
  });

  it("of extent 0 are none", () => {
    const inputs = new Map([["y0", input(0)]]);
    expect(cells(ran(text, { inputs, get: ["last"] }), "last")).toEqual([]);
  });
});

describe("what the oracle holds", () => {
  it("is read there where a copy for kernels would be beyond the limit", () => {
    const text =
      "fn down(k: f32) -> f32 { if k < 1.0 { k } else { down(k - 1.0) } }\n" +
      "let x[i in 0..1000] = down(i as f32 * 0.1); let s = max[i](x[i]);";
    const get = ["x", "s"];
    const { peakBytes, ...right } = ran(text, { get, leastWork: 0 });
    // Room for one copy of the tensor, and not for two.
    const tight = ran(text, { get, leastWork: 0, maxMemory: 6000 });
    expect([peakBytes, tight.peakBytes].map((bytes) => bytes > 6000)).toEqual([true, false]);
    for (const name of get)
      expect(cells(tight, name)).toEqual(cells({ ...right, peakBytes }, name));
  });
});

describe("programs", () => {
  it("share one memory, a hundred of them as one", () => {
    const text = (k: number): string =>
      `let x[i in 0..100000] = sin(i as f32 * ${k + 1}.0); let s = sum[i](x[i] * x[i]);`;
    const first = compiled(text(0));
    const right = Number(first.run({ get: ["s"] }).values.get("s")!.value.data[0]);
    const before = sharedMemory().buffer.byteLength;
    const programs = Array.from({ length: 100 }, (_, k) => compiled(text(k)));
    for (const program of programs) program.run({ get: ["s"] });
    expect(sharedMemory().buffer.byteLength).toBe(before);
    expect(programs[0]!.run({ get: ["s"] }).values.get("s")!.value.data[0]).toBe(right);
  });

  it("may be run while another one runs", () => {
    const inner = compiled("let z[i in 0..5000] = 7.0; let s = sum[i](z[i]);");
    const text =
      'let x[i in 0..5000] = sin(i as f32); print("now"); let s = sum[i](x[i] * x[i]); ' +
      "print(x[3]);";
    const program = compiled(text);
    const right = cells(program.run({}), "s");
    const found: number[] = [];
    const outer = program.run({
      onPrint: () => void found.push(...cells(inner.run({}), "s"), ...cells(program.run({}), "s")),
    });
    expect(cells(outer, "s")).toEqual(right);
    expect(found).toEqual([35000, ...right, 35000, ...right]);
  });
});
