// Counts the copies of cells on their way into a program and out of it, as `set` and `slice` of
// blocks.

import { spawnSync } from "node:child_process";
import { afterEach, describe, expect, test, vi } from "vitest";
import { sharedMemory } from "../../src/backends/wasm/memory/arena.ts";
import { compile, EinError, tensor, type Program } from "../../src/index.ts";

const n = 4096;
const text =
  "input x: [f32; n];\ninput w: [f32; n];\nlet y[i] = x[i] * w[i] + 1.0;\n" +
  "let total = sum[i](y[i]);";

const methods = ["set", "slice", "map", "fill", "copyWithin"] as const;
type Cells = Float32Array & Record<(typeof methods)[number], unknown>;

/**
 * Counts copies of large arrays by method. The arguments of copying constructors show their copies.
 */
function countCopies(): { readonly counts: Record<string, number>; readonly stop: () => void } {
  const counts: Record<string, number> = {};
  const prototype = Object.getPrototypeOf(Float32Array.prototype) as Cells;
  const count = (name: string, length: number): void => {
    if (length >= n) counts[name] = (counts[name] ?? 0) + 1;
  };
  const spies = methods.map((name) => {
    const original = prototype[name] as (...words: unknown[]) => unknown;
    return vi.spyOn(prototype, name as "set").mockImplementation(function (
      this: Float32Array,
      ...words: unknown[]
    ) {
      const [first, second] = words;
      if (name === "set") count(name, (first as ArrayLike<number>).length);
      else if (name === "slice")
        count(name, first === undefined ? this.length : Number(second) - Number(first));
      else count(name, this.length < 1 << 20 ? this.length : 0);
      return original.apply(this, words) as void;
    });
  });
  const constructors = ["Float32Array", "Float64Array", "Uint8Array"] as const;
  const before = constructors.map((name) => globalThis[name]);
  for (const name of constructors) {
    const Original = globalThis[name] as unknown as new (...words: unknown[]) => object;
    const watched = new Proxy(Original, {
      construct(target, words, newTarget) {
        const [first] = words as [unknown];
        // A view shares its buffer. The constructor copies an array or another view cell by cell.
        if (Array.isArray(first) || ArrayBuffer.isView(first))
          count(`new ${name}`, (first as Float32Array).length);
        return Reflect.construct(target, words, newTarget) as object;
      },
    });
    vi.stubGlobal(name, watched);
  }
  return {
    counts,
    stop: () => {
      for (const spy of spies) spy.mockRestore();
      vi.unstubAllGlobals();
      expect(constructors.map((name) => globalThis[name])).toEqual(before);
    },
  };
}

function counted(action: () => void): Record<string, number> {
  const { counts, stop } = countCopies();
  try {
    action();
  } finally {
    stop();
  }
  return counts;
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const cells = (seed: number): Float32Array =>
  Float32Array.from({ length: n }, (_, k) => ((k * seed) % 13) - 6);

async function warm(): Promise<Program> {
  const program = await compile(text);
  // The first runs compile kernels.
  for (let k = 0; k < 3; k++) program.run({ x: cells(3), w: cells(5) }, { get: ["y"] });
  return program;
}

describe("copies", () => {
  test("the counting sees them", () => {
    const x = cells(1);
    expect(counted(() => void x.slice())).toEqual({ slice: 1 });
    expect(counted(() => void new Float32Array(x))).toEqual({ "new Float32Array": 1 });
    expect(counted(() => new Float32Array(n).set(x))).toEqual({ set: 1 });
  });

  test("foreign arrays cost one block copy each way, and no conversion of cells", async () => {
    const program = await warm();
    const [x, w] = [cells(7), cells(2)];
    expect(counted(() => program.run({ x, w }, { get: ["y"] }))).toEqual({ set: 2, slice: 1 });
    expect(counted(() => program.run({ x: tensor("f32", [n], x), w }, { get: ["y"] }))).toEqual({
      set: 2,
      slice: 1,
    });
  });

  test("inputs in the arena and results in place cost none", async () => {
    const program = await warm();
    const [x, w] = [program.alloc<"f32">("x", [n]), program.alloc<"f32">("w", [n])];
    x.data.set(cells(7));
    w.data.set(cells(2));
    let y = program.run({ x, w }, { get: ["y"], view: true }).y;
    const counts = counted(() => {
      ({ y } = program.run({ x, w }, { get: ["y"], view: true }));
    });
    expect(counts).toEqual({});
    expect((y.data as Float32Array).buffer).toBe(sharedMemory().buffer);
    expect(x.data.buffer).toBe(sharedMemory().buffer);
    expect([...y.data]).toEqual(Array.from(cells(7), (cell, k) => cell * cells(2)[k]! + 1));
  });

  test("a result in place goes into the next program without a copy", async () => {
    const program = await warm();
    const [x, w] = [program.alloc<"f32">("x", [n]), program.alloc<"f32">("w", [n])];
    x.data.fill(1);
    w.data.fill(2);
    let { y } = program.run({ x, w }, { get: ["y"], view: true });
    ({ y } = program.run({ x: y, w }, { get: ["y"], view: true }));
    expect(
      counted(() => {
        ({ y } = program.run({ x: y, w }, { get: ["y"], view: true }));
      }),
    ).toEqual({});
    // 3, 7, 15
    expect([...new Set(y.data as Float32Array)]).toEqual([15]);
  });
});

describe("values in the arena", () => {
  test("stay whole while other programs run and the memory grows", async () => {
    const program = await warm();
    const [x, w] = [program.alloc<"f32">("x", [n]), program.alloc<"f32">("w", [n])];
    x.data.set(cells(7));
    w.data.fill(1);
    const { y } = program.run({ x, w }, { get: ["y"], view: true });
    const large = await compile(
      "let a[i in 0..3000, j in 0..3000] = (i * j % 7) as f32;\nlet b[j] = sum[i](a[i, j]);",
    );
    const before = sharedMemory().buffer;
    large.run({}, { get: ["a", "b"] });
    expect(sharedMemory().buffer).not.toBe(before);
    expect([...x.data]).toEqual([...cells(7)]);
    expect([...y.data]).toEqual(Array.from(cells(7), (cell) => cell + 1));
    expect([...program.run({ x, w }, { get: ["y"] }).y.data]).toEqual(
      Array.from(cells(7), (cell) => cell + 1),
    );
  });

  test("are never written over by a run that is done with them", async () => {
    const program = await compile(
      "input x: [f32; n];\nlet y[i] = x[i] * 2.0;\nlet z[i] = y[i] + 1.0;",
    );
    const x = program.alloc<"f32">("x", [n]);
    x.data.set(cells(3));
    for (let k = 0; k < 5; k++) program.run({ x }, { get: ["z"], view: true });
    expect([...x.data]).toEqual([...cells(3)]);
  });

  test("are read by the oracle too, after the memory has grown during a run", async () => {
    const program = await compile(
      "input x: [f32; n];\nfn down(k: i32, t: " +
        "f32) -> f32 { if k == 0 { t } else { down(k - 1, t + x[0]) } }\n" +
        "let a[i in 0..2500, j in 0..2500] = x[(i + j) % extent(n)];\n" +
        "let s = sum[i, j](a[i, j]);\nlet big = a;\nlet y = down(10, 0.0);",
    );
    const x = program.alloc<"f32">("x", [3]);
    x.data.set([1, 2, 3]);
    const { y, s } = program.run({ x }, { get: ["s", "big", "y"] }) as Record<
      string,
      { data: ArrayLike<number> }
    >;
    expect(y!.data[0]).toBe(10);
    expect(s!.data[0]).toBeGreaterThan(1e7);
  });

  test("of a run before the last are refused", async () => {
    const program = await warm();
    const given = { x: cells(1), w: cells(2) };
    const { y } = program.run(given, { get: ["y"], view: true });
    program.run(given, { get: ["y"], view: true });
    program.run(given, { get: ["total"] });
    expect(() => program.run({ x: y, w: cells(2) })).toThrow(EinError);
    expect(() => program.run({ x: y, w: cells(2) })).toThrow("a view of an earlier run");
  });

  test("have a shape that the declaration gives, or that is given and fits", async () => {
    const program = await compile(
      "input W: [f64; 2, 3];\ninput x: [i32; n, 3];\ninput who: str;\nlet y = W;",
    );
    expect(program.alloc("W")).toMatchObject({
      dtype: "f64",
      shape: [2, 3],
      data: new Float64Array(6),
    });
    expect(program.alloc("x", [4, 3]).data.length).toBe(12);
    const integers = await compile("input k: [i64; 2]; let y[i] = k[i] + 1;");
    expect(integers.run({ k: integers.alloc("k") }).y!.data).toEqual(new BigInt64Array([1n, 1n]));
    const messages = [
      () => program.alloc("x"),
      () => program.alloc("x", [4]),
      () => program.alloc("x", [4, 2]),
      () => program.alloc("x", [-1, 3]),
      () => program.alloc("w"),
      () => program.alloc("who"),
    ].map((action) => {
      try {
        action();
        return "";
      } catch (problem) {
        return (problem as EinError).diagnostics[0]!.title;
      }
    });
    expect(messages).toEqual([
      "there is no `x` of that form: it is declared `[i32; n, 3]`, so give its shape: " +
        '`alloc("x", [n, 3])`',
      "there is no `x` of that form: it is declared `[i32; n, 3]`, " +
        "and the shape that came is [4]",
      "there is no `x` of that form: it is declared `[i32; n, 3]`, " +
        "and the shape that came is [4, 2]",
      "there is no `x` of that form: it is declared `[i32; n, 3]`, and [-1, 3] is no shape",
      "the program declares no input `w`",
      "there is no `who` of that form: it is declared `str`, " +
        "and strings do not lie in the kernels' memory",
    ]);
  });

  test("take room from one another only while they live", async () => {
    const program = await compile("input x: [f32; n];\nlet y[i] = x[i] + 1.0;");
    const x = cells(1);
    const sizes: number[] = [];
    for (let k = 0; k < 40; k++) {
      program.run({ x }, { get: ["y"], view: true });
      sizes.push(sharedMemory().buffer.byteLength);
    }
    expect(sizes.at(-1)).toBe(sizes[3]);
  });
});

/** A process of its own, in which nothing else uses the memory of the kernels. */
const asking = `
  const { compile, tensor } = await import(process.argv[1]);
  const program = await compile(${JSON.stringify(text)});
  const w = tensor("f32", [${n}], new Float32Array(${n}));
  const addresses = new Set();
  for (let k = 0; k < 24; k++) {
    const x = program.alloc("x", [${n}]);
    addresses.add(x.data.byteOffset);
    program.run({ x, w }, { get: ["total"], view: true });
    for (let turn = 0; turn < 2; turn++) {
      gc();
      await new Promise((resume) => setTimeout(resume, 2));
    }
  }
  console.log(addresses.size);`;

test("room that was asked for is free again once nobody has it", () => {
  const library = new URL("../../dist/index.js", import.meta.url).href;
  const words = ["--expose-gc", "--input-type=module", "-e", asking, library];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect(stderr).toBe("");
  // One result is still held while the next is asked for.
  expect(Number(stdout)).toBeLessThanOrEqual(3);
});
