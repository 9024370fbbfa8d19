// Runs on another thread, tested on the built package, in which the thread is a file of its own.

import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import type * as Library from "../../src/index.ts";

const built = new URL("../../dist/index.js", import.meta.url).href;
let library: typeof Library;

beforeAll(async () => {
  library = (await import(/* @vite-ignore */ built)) as typeof Library;
});

const endless =
  "input n: i64;\nlet h[0] = 1.0;\nlet h[t in 1..1000000000] = sin(h[t - 1]) + 0.1;\n" +
  "let y = h[999999999];";

describe("runAsync", () => {
  test("gives what run gives, prints, and loads the library where the text uses it", async () => {
    const text =
      "use std::ml::softmax;\ninput x: [f32; n];\nlet y = softmax(x);\n" +
      'print("sum {sum[i](x[i])}");';
    const program = await library.compile(text);
    const x = Float32Array.of(1, 2, 3);
    const lines: string[] = [];
    const onPrint = ({ text: line }: Library.Printed): void => void lines.push(line);
    const { y } = await program.runAsync({ x }, { onPrint });
    expect(y).toEqual(program.run({ x }, { onPrint }).y);
    expect(lines).toEqual(["sum 6.0", "sum 6.0"]);
    // The caller still owns its array.
    expect([...x]).toEqual([1, 2, 3]);
  });

  test("computes with what its arrays hold when it is called, however many wait", async () => {
    const program = await library.compile(
      "input x: [f64; n]; input k: [i64; n]; let y[i] = 2 * x[i];",
    );
    const [x, k] = [new Float64Array(3), new BigInt64Array(3)];
    const runs = Array.from({ length: 12 }, (_, step) =>
      program.runAsync({ x: x.fill(step), k }, { get: ["y"] }),
    );
    x.fill(-1);
    const sums = (await Promise.all(runs)).map(({ y }) => [...y.data]);
    expect(sums).toEqual(Array.from({ length: 12 }, (_, step) => [2 * step, 2 * step, 2 * step]));
  });

  test("goes on after orders that cannot be sent", async () => {
    const odd = { name: "p.ein", text: "input x: f32; let y = 2 * x;", more: () => 1 };
    const program = await library.compile(odd);
    const runs = Array.from({ length: 6 }, () =>
      program.runAsync({ x: 1 }, { get: [(() => "y") as unknown as string] }),
    );
    expect((await Promise.allSettled(runs)).every(({ status }) => status === "rejected")).toBe(
      true,
    );
    expect([...(await program.runAsync({ x: 1 })).y!.data]).toEqual([2]);
  });

  test("leaves the calling thread awake, and tells how far it is", async () => {
    const program = await library.compile(
      "let h[0, i in 0..64] = i as f32;\nlet h[t in 1..2000000, i in 0..64] = " +
        "sin(h[t - 1, i]) + 0.1;\nlet y = h[1999999, 3];",
    );
    const seen: Library.Progress[] = [];
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const { y } = await program.runAsync(
      {},
      { get: ["y"], onProgress: (progress) => seen.push(progress) },
    );
    clearInterval(timer);
    expect(y.data.length).toBe(1);
    expect(ticks).toBeGreaterThan(5);
    expect(seen.length).toBeGreaterThan(2);
    // The last report may be about the part after the loop, which has no steps.
    expect(seen.findLast(({ steps }) => steps)!.steps!.of).toBe(2000000);
    const fractions = seen.map(({ fraction }) => fraction);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  });

  test("ends with what a listener throws, and the next run has its thread", async () => {
    const mine = (): never => {
      throw new Error("mine");
    };
    const long = await library.compile(endless);
    await expect(long.runAsync({ n: 1n }, { get: ["y"], onProgress: mine })).rejects.toThrow(
      "mine",
    );
    const short = await library.compile("print(1);\nlet y = 2.0;");
    await expect(short.runAsync({}, { onPrint: mine })).rejects.toThrow("mine");
    const control = new AbortController();
    const both = (): never => {
      control.abort(new Error("enough"));
      return mine();
    };
    await expect(
      long.runAsync({ n: 1n }, { get: ["y"], signal: control.signal, onProgress: both }),
    ).rejects.toThrow("enough");
    const runs = Array.from({ length: 6 }, () =>
      short.runAsync({}, { get: ["y"], onPrint: () => undefined }),
    );
    expect((await Promise.all(runs)).map(({ y }) => y.data[0])).toEqual([2, 2, 2, 2, 2, 2]);
  });

  test("is ended by its signal wherever it is, and others go on", async () => {
    const program = await library.compile(endless);
    const control = new AbortController();
    const run = program.runAsync({ n: 1n }, { get: ["y"], signal: control.signal });
    const other = await library.compile("input x: [f32; n];\nlet y = sum[i](x[i]);");
    expect((await other.runAsync({ x: [1, 2] })).y!.data[0]).toBe(3);
    setTimeout(() => control.abort(new Error("enough")), 50);
    await expect(run).rejects.toThrow("enough");
    await expect(program.runAsync({ n: 1n }, { signal: AbortSignal.abort() })).rejects.toThrow(
      "aborted",
    );
    expect((await other.runAsync({ x: [1, 2] })).y!.data[0]).toBe(3);
  });

  test("has many runs at once, and those that wait can be ended too", async () => {
    const program = await library.compile("input k: i32;\nlet y = k * k;");
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, k) => program.runAsync({ k })),
    );
    expect(results.map(({ y }) => y!.data[0])).toEqual(Array.from({ length: 12 }, (_, k) => k * k));
    const busy = await library.compile(endless);
    const control = new AbortController();
    const runs = Array.from({ length: 6 }, () =>
      busy.runAsync({ n: 1n }, { get: ["y"], signal: control.signal }),
    );
    setTimeout(() => control.abort(), 50);
    const ends = await Promise.allSettled(runs);
    expect(ends.map(({ status }) => status)).toEqual(runs.map(() => "rejected"));
    expect((await program.runAsync({ k: 3 })).y!.data[0]).toBe(9);
  });

  test("throws what run throws", async () => {
    const program = await library.compile(
      "input idx: [i32; n];\nlet x = [1.0];\nlet y[k] = x[idx[k]];",
    );
    await expect(program.runAsync({})).rejects.toMatchObject({ code: "E0801" });
    await expect(program.runAsync({ idx: [3] })).rejects.toMatchObject({
      name: "EinError",
      code: "E0901",
    });
    await expect(program.runAsync({ idx: [0] }, { get: ["z"] })).rejects.toMatchObject({
      code: "E0884",
    });
  });

  test("takes what lies in the arena, and functions of programs", async () => {
    const program = await library.compile(
      "input x: [f32; 3];\nlet y = x * 2.0;\npub fn half(x: [f32; n]) -> [f32; n] { x[n] / 2.0 }",
    );
    const x = program.alloc<"f32">("x");
    x.data.set([1, 2, 3]);
    expect([...(await program.runAsync({ x })).y!.data]).toEqual([2, 4, 6]);
    expect([...(await program.fn("half").async([1, 2])).data]).toEqual([0.5, 1]);
  });

  test("does not keep a process alive that is done", () => {
    const script = `import { compile } from ${JSON.stringify(built)};
      const program = await compile("let y = 1 + 1;");
      console.log((await program.runAsync()).y.data[0]);`;
    expect(
      execFileSync(process.execPath, ["--input-type=module", "-e", script], {
        timeout: 20_000,
      }).toString(),
    ).toBe("2\n");
  });
});
