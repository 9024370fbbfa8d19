// Kernels on several threads give the same bits as on one, and fail instead of hanging.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { compile } from "../../../driver/compile.ts";
import { newPool } from "./pool.ts";
import { WorkerFault } from "./worker-fault.ts";
import { encodeModule } from "../code/encode.ts";
import { assemble } from "../contract/assembly.ts";
import { useRelaxedSimd } from "../contract/form.ts";
import { webAssembly } from "../web-assembly.ts";
import { threadCount, useThreads } from "./threads.ts";

/**
 * Programs with enough work for several threads: maps, reductions, products, strips, recurrences,
 * scans and scatters.
 */
const programs: Readonly<Record<string, string>> = {
  maps: `let x[i in 0..300001] = sin(i as f32); let y[i] = tanh(x[i] * 0.5) + x[(i + 1) % 300001];`,
  rows: `let x[i in 0..600, j in 0..301] = ((i * 7 + j * 3) % 11) as f32;
    let m[i] = max[j](x[i, j]);
    let e[i, j] = exp(x[i, j] - m[i]); let s[i] = sum[j](e[i, j]); let p[i, j] = e[i, j] / s[i];
    let t = sum[i, j](p[i, j]);`,
  products: `let a[i in 0..201, k in 0..333] = ((i * 5 + k) % 7) as f32 * 0.1;
    let b[k in 0..333, j in 0..95] = ((k * 3 + j) % 5) as f32;
    let c[i, j] = tanh(sum[k](a[i, k] * b[k, j])); let loss = sum[i, j](c[i, j]);
    let da = @loss / @a;`,
  // The rows lie as the tiles read them, the columns are packed: each thread takes columns of its
  // own.
  "products by columns":
    "let a[i in 0..600, k in 0..130] = sin((i * 5 + k) as f32); " +
    "let b[k in 0..130, j in 0..520] = cos((k * 3 + j) as f32); " +
    "let c[i, j] = sum[k](a[i, k] * b[k, j]);",
  steps: `let u[0, i in 0..40000] = (i % 10) as f32;
    let u[t in 1..30, i in 0..40000] = 0.25 * u[t - 1, (i + 39999) % 40000] +
      0.5 * u[t - 1, i] + 0.25 * u[t - 1, (i + 1) % 40000];`,
  // Cells that are made of products: of the same part of the products, of products of other rows,
  // which all have to be there first, and of rows of a batch.
  epilogues: `let a[i in 0..262, k in 0..96] = sin((i * 5 + k) as f32);
    let b[k in 0..96, j in 0..121] = cos((k * 3 + j) as f32); let c[j in 0..121] = 0.1 * (j as f32);
    let h[i, j] = tanh(sum[k](a[i, k] * b[k, j]) + c[j]) * (i as f32);
    let r[i in 0..262, j] = relu(sum[k](a[(i + 1) % 262, k] * b[k, j])) - h[(i + 3) % 262, j];
    let t[j, i] = exp(0.1 * sum[k](a[i, k] * b[k, j]));
    let p[n in 0..9, i in 0..40, k in 0..33] = sin((n * 7 + i * k) as f32);
    let q[n, i, l in 0..40] = abs(sum[k](p[n, i, k] * p[n, l, k])) - 0.5;
    let s[i] = max[j](h[i, j]) + sum[j](r[i, j]);`,
  "steps with ends": `let x[i in 0..60007] = sin(i as f32); let u[t in 0..40, i] = x[i];
    let u[t in 1..40, i] = u[t - 1, i] +
      0.25 * (u[t - 1, i - 1] - 2.0 * u[t - 1, i] + u[t - 1, i + 1]);
    let y[i in 0..60007] = u[39, i];`,
  "steps of several": `let u[0, i in 0..30000] = sin(i as f32); let v[0, i in 0..30000] = 0.0;
    let u[t in 1..60, i in 0..30000] = u[t - 1, i] + 0.1 * v[t - 1, (i + 7) % 30000];
    let v[t in 1..60, i in 0..30000] = 0.9 * v[t - 1, i] +
      0.05 * (u[t, (i + 29999) % 30000] - u[t, i]);
    let e[t in 0..60] = max[i](u[t, i]);`,
  // Each sequence of a batch runs by itself: products, states that are kept and states that are
  // not, and sums over the batch, which come after them.
  sequences: `let x[t in 0..70, b in 0..19, i in 0..37] = sin((t * 7 + b * 3 + i) as f32);
    let w[i in 0..37, j in 0..37] = cos((i * 5 + j * 11) as f32) * 0.2;
    let c[j in 0..37] = 0.01 * (j as f32); let h[0, b in 0..19, j in 0..37] = 0.0;
    let h[t in 1..71, b, j] = tanh(sum[k](h[t - 1, b, k] * w[k, j]) + x[t - 1, b, j] + c[j]);
    let loss = sum[t, b, j](h[t, b, j] ** 2); let dw = @loss / @w; let dc = @loss / @c;
    let dx = @loss / @x;`,
  "sequences of cells": `let a[b in 0..5003] = 0.5 + 0.0001 * (b as f32);
    let u[0, b in 0..5003] = 0.3; let v[0, b in 0..5003] = 0.1;
    let u[t in 1..90, b] = u[t - 1, b] + 0.01 * v[t - 1, b];
    let v[t in 1..90, b] = v[t - 1, b] - 0.01 * a[b] * sin(u[t, b]);
    let e[t in 0..90] = sum[b](u[t, b] * u[t, b] + v[t, b]); let y[b in 0..5003] = u[89, b];`,
  // Rows are reduced four at a time, wherever the part of a thread begins.
  "sequences in tiles": `let w[k in 0..21, j in 0..21] = cos((k * 5 + j * 11) as f64);
    let u[0, b in 0..28, j in 0..21] = sin((b * 3 + j) as f64);
    let u[t in 1..42, b, j] = 0.3 * sum[k](u[t - 1, b, k] * w[k, j]);
    let loss = sum[b, j](u[41, b, j] ** 2); let dw = @loss / @w;`,
  // Tiles begin where a region begins.
  "sequences in regions": `let w[k in 0..200, b in 0..100] = cos((k * 5 + b * 11) as f32);
    let u[0, b in 0..100] = sin((b * 3) as f32);
    let u[t in 1..42, b in 0..100] = if b < 5 { 0.5 * u[t - 1, b] }
      else { 0.3 * sum[k](u[t - 1, b] * w[k, b]) };
    let y[b in 0..100] = u[41, b];`,
  "sequences downward": `let x[t in 0..50, b in 0..70, j in 0..30] = cos((t * b + j) as f32);
    let g[50, b in 0..70, j in 0..30] = 1.0 as f64;
    let g[t in rev(0..50), b, j] = 0.5 * g[t + 1, b, j] +
      (x[t, b, j] as f64) * max[k in 0..30](g[t + 1, b, k]);
    let s[b in 0..70] = sum[t, j](g[t, b, j]); let m[t in 0..50] = max[b, j](g[t, b, j]);`,
  // Gradients of several tensors that go through the same points: sums along rows, over rows, and
  // over both.
  "the same points": `let x[n in 0..3001] = sin((n * n) as f32);
    let c[k in 0..40] = cos((k * 7) as f32); let a[k in 0..40] = 1.0 + 0.1 * sin(k as f32);
    let w = 0.75;
    let loss = sum[n]((sum[k](a[k] * exp(-w * abs(x[n] - c[k]))) - 1.0) ** 2);
    let g_x = @loss / @x; let g_c = @loss / @c; let g_a = @loss / @a; let g_w = @loss / @w;`,
  // A table that is looked up at several positions. Each thread has some of its columns, or some of
  // its rows if they are short.
  lookups: `let T[e in 0..90, k in 0..67] = sin((e * 5 + k * 3) as f32);
    let R[r in 0..5, k in 0..67] = cos((r + k) as f32);
    let P[e in 0..90, k in 0..3] = sin((e * 7 + k) as f32);
    let h[n in 0..2000] = (n * 7) % 90; let t[n in 0..2000] = (n * 11 + n / 9) % 90;
    let s[n] = sum[k](T[h[n], k] * R[n % 5, k] * T[t[n], k] - R[n % 5, k] * T[h[n], k]);
    let loss = sum[n](log1p(exp(-0.1 * s[n])) + sum[k]((P[h[n], k] - P[t[n], k]) ** 2));
    let g_T = @loss / @T; let g_R = @loss / @R; let g_P = @loss / @P;`,
  running: `let x[i in 0..200000] = ((i * 7) % 13) as f32;
    let c[i in 0..200000] = sum[k in 0..i + 1](x[k]);
    let h[p in 0..50] = sum[i](x[i] where (i * 31) % 50 == p);`,
};

/** The programs whose sums of products are computed in tiles. */
const ofProducts = ["products", "products by columns", "epilogues", "sequences"];

const bytesOf = (text: string): ReadonlyMap<string, Uint8Array> => {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics[0]!.title);
  const run = () => program.run({});
  // Workers need time to start and to install the kernels.
  let { values, fault } = run();
  for (let again = 0; again < 3; again++) ({ values, fault } = run());
  if (fault) throw new Error(fault.title);
  return new Map(
    [...values].map(([name, { value }]) => {
      const { buffer, byteOffset, byteLength } = value.data as Float32Array;
      return [name, new Uint8Array(buffer, byteOffset, byteLength).slice()];
    }),
  );
};

describe("results", () => {
  const alone = new Map<string, ReturnType<typeof bytesOf>>();
  beforeAll(() => {
    useThreads(1);
    for (const [name, text] of Object.entries(programs)) alone.set(name, bytesOf(text));
  });
  afterAll(() => void useThreads(1));

  test("are not asked of what is no number", () => {
    expect(() => useThreads("two" as unknown as number)).toThrow(
      "takes a number of threads, not two",
    );
  });

  const holdOn = async (
    threads: number,
    name: string,
    right: ReturnType<typeof bytesOf>,
  ): Promise<void> => {
    expect(useThreads(threads)).toBe(threads);
    expect(threadCount()).toBe(threads);
    bytesOf(programs[name]!);
    await new Promise((resume) => setTimeout(resume, 100));
    for (const [value, bytes] of bytesOf(programs[name]!)) {
      const own = right.get(value)!;
      expect(
        bytes.every((byte, k) => byte === own[k]),
        `${name}: ${value}`,
      ).toBe(true);
    }
  };

  for (const threads of [2, 4])
    test(`have the same bits on ${threads} threads as on one`, async () => {
      for (const name of Object.keys(programs)) await holdOn(threads, name, alone.get(name)!);
    });

  test("have the same bits where a product and a sum are one instruction", async () => {
    expect(useRelaxedSimd()).toBe(true);
    onTestFinished(() => void useRelaxedSimd(false));
    for (const name of ofProducts) {
      useThreads(1);
      const right = bytesOf(programs[name]!);
      for (const threads of [2, 4]) await holdOn(threads, name, right);
    }
  });
});

test(
  "what passes from kernel to kernel does not lie over rows that other threads have still to " +
    "read",
  async () => {
    const text = `let x[i in 0..331, j in 0..220] = sin((i * 7 + j * 3) as f32);
    let a[i, j] = cos(x[i, j] * 2.0) + x[(i + 1) % 331, j];
    let s[j] = sum[i](a[i, j]); let b[i, j] = exp(a[i, j]) * s[j]; let m[i] = max[j](b[i, j]);
    let y[i, j] = exp(b[i, j] - m[i]) + b[i, j];`;
    const { program } = compile({ name: "test.ein", text });
    const run = (): ArrayLike<number> =>
      program!.run({ get: ["y"] }).values.get("y")!.value.data as Float32Array;
    useThreads(1);
    const right = Float32Array.from(run());
    useThreads(2);
    run();
    await new Promise((resume) => setTimeout(resume, 100));
    for (let again = 0; again < 40; again++) {
      const own = run();
      expect(right.findIndex((cell, at) => cell !== own[at])).toBe(-1);
    }
    useThreads(1);
  },
);

test("kernels that read a window are made again where others need a wider one", async () => {
  const text = `input k: i32; let c[b in 0..2000] = 0.3 + sin(b as f32);
    let h[0, b in 0..2000] = c[b];
    let h[t in 1..101, b in 0..2000] = if b + k < 2000
      { 0.5 * c[b] + 0.9 * sin(h[t - 1, b + k]) } else { 0.3 * h[t - 1, b] };
    let m[t in 0..101] = sum[b](h[t, b] * c[b]);
    let y[b in 0..2000] = cos(h[100, 1999 - b]) + h[99, b] * 2.0;`;
  const { program } = compile({ name: "test.ein", text });
  const run = (k: number): readonly number[] => {
    const inputs = new Map([["k", { dtype: "i32" as const, shape: [], data: Int32Array.of(k) }]]);
    const { values } = program!.run({ inputs, get: ["y", "m"] });
    return [...values.values()].flatMap(({ value }) => [...(value.data as Float32Array)]);
  };
  useThreads(1);
  const right = [0, 1].map(run);
  useThreads(2);
  run(0);
  await new Promise((resume) => setTimeout(resume, 100));
  for (const k of [0, 1, 0, 1, 1, 0]) expect(run(k)).toEqual(right[k]);
  useThreads(1);
});

/** A memory, its pool, and a function of a module that all threads have. */
async function pooled(
  code: Parameters<typeof assemble<["i32", "i32", "i32"]>>[2],
  workers: number,
) {
  const { Memory, Module, Instance } = webAssembly();
  const memory = new Memory({ initial: 1, maximum: 1, shared: true });
  const bytes = encodeModule({
    imports: [],
    memory: { pages: 1, shared: { most: 1 } },
    functions: [assemble(["i32", "i32", "i32"], [], code)],
  });
  const call = new Instance(new Module(bytes), { host: { memory } }).exports["0"] as (
    ...args: readonly number[]
  ) => void;
  const pool = newPool(memory, workers)!;
  while (!pool.isReady()) await new Promise((resume) => setTimeout(resume, 5));
  return { memory, pool, bytes, call, number: pool.install(bytes, 1)! };
}

type Code = Parameters<typeof pooled>[0];

/**
 * The code of a function that sets each cell of a part to one more than another cell, whose address
 * `other` pushes.
 */
const oneMoreThan =
  (
    other: (asm: Parameters<Code>[0], cell: () => void, index: number, base: number) => void,
  ): Code =>
  (asm, [base, from, to]) => {
    const cell = (): void => {
      asm.get(base, from);
      asm.i32(2);
      asm.op("i32.shl", "i32.add");
    };
    asm.loop(
      from,
      () => asm.get(to),
      1,
      () => {
        cell();
        other(asm, cell, from, base);
        asm.at("i32.load", 0);
        asm.i32(1);
        asm.op("i32.add");
        asm.at("i32.store", 0);
      },
    );
  };

describe("a pool", () => {
  test("does every part once, thousands of times", async () => {
    const { memory, pool, call, number } = await pooled(
      oneMoreThan((_, cell) => cell()),
      3,
    );
    const rounds = 3000;
    for (let round = 0; round < rounds; round++)
      pool.run([{ call, args: [64], rowsEach: 1, slides: [] }], [number], { from: 0, to: 100 }, 7);
    pool.stop();
    const counts = new Int32Array(memory.buffer, 64, 101);
    expect(counts.slice(0, 100).every((count) => count === rounds)).toBe(true);
    expect(counts[100]).toBe(0);
  });

  test("takes steps together: each reads what every part of the step before wrote", async () => {
    // cell[step, k] = cell[step - 1, (k + 1) % 64] + 1, for 64 cells that lie 512 bytes behind
    // those of the step before.
    const code = oneMoreThan((asm, _, index, base) => {
      asm.get(base, index);
      asm.i32(1);
      asm.op("i32.add");
      asm.i32(63);
      asm.op("i32.and");
      asm.i32(2);
      asm.op("i32.shl", "i32.add");
      asm.i32(512);
      asm.op("i32.sub");
    });
    const { memory, pool, call, number } = await pooled(code, 3);
    const cells = new Int32Array(memory.buffer);
    const moves = [{ argument: 0, by: 512 }];
    const stepping = { from: 0, to: 1 << 20, moves };
    const steppingCall = { call, args: [1024], rowsEach: 1, slides: [], stepping };
    for (let round = 0; round < 300; round++) {
      cells.fill(0);
      for (let k = 0; k < 64; k++) cells[128 + k] = k;
      pool.run([steppingCall], [number], { from: 0, to: 64 }, 1 + (round % 40), {
        from: 0,
        to: 100,
        areTogether: true,
      });
      const last = [...cells.subarray((1024 + 99 * 512) / 4, (1024 + 99 * 512) / 4 + 64)];
      expect(last).toEqual(Array.from({ length: 64 }, (_, k) => ((k + 100) % 64) + 100));
    }
    pool.stop();
  });

  test("does a job that comes again, and one that differs from it in a word", async () => {
    const { memory, pool, call, number } = await pooled((asm, [place, from, to]) => {
      asm.get(place, place);
      asm.at("i32.load", 0);
      asm.get(to, from);
      asm.op("i32.sub", "i32.add");
      asm.at("i32.store", 0);
    }, 1);
    const args = [64];
    for (const place of [64, 64, 128, 64, 128, 128]) {
      // The array is the caller's own, and the caller goes on using it.
      args[0] = place;
      pool.run([{ call, args, rowsEach: 1, slides: [] }], [number], { from: 0, to: 5 }, 5);
    }
    pool.stop();
    const totals = new Int32Array(memory.buffer);
    expect([totals[16], totals[32]]).toEqual([15, 15]);
  });

  test("installs functions one after the other, while it is woken for other things", async () => {
    const { pool, bytes, call, number } = await pooled(() => undefined, 3);
    for (let n = 1; n <= 3000; n++) {
      expect(pool.install(bytes, 1)).toBe(number + n);
      if (n % 3 === 0)
        pool.run(
          [{ call, args: [0], rowsEach: 1, slides: [] }],
          [number + n],
          { from: 0, to: 2 },
          1,
        );
    }
    pool.stop();
  });

  test("says that a call failed in a worker, and hangs for nobody", async () => {
    const { pool, number } = await pooled((asm) => asm.op("unreachable"), 2);
    // On this thread the call does nothing for a while, so that workers take parts.
    const slow = (): void => {
      const end = Date.now() + 50;
      while (Date.now() < end);
    };
    for (const steps of [undefined, { from: 0, to: 10, areTogether: true }])
      expect(() =>
        pool.run(
          [{ call: slow, args: [0], rowsEach: 1, slides: [] }],
          [number],
          { from: 0, to: 64 },
          1,
          steps,
        ),
      ).toThrow(WorkerFault);
    // A failure on this thread leaves no worker waiting.
    const fails = (): void => {
      throw new RangeError("here");
    };
    const calm = await pooled(() => undefined, 2);
    for (let again = 0; again < 20; again++)
      expect(() =>
        calm.pool.run(
          [{ call: fails, args: [0], rowsEach: 1, slides: [] }],
          [calm.number],
          { from: 0, to: 64 },
          1,
          {
            from: 0,
            to: 1000,
            areTogether: true,
          },
        ),
      ).toThrow("here");
    calm.pool.stop();
    pool.stop();
  });
});
