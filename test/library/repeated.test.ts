// A repeated call reuses its decisions on the present data. A call that only looks the same decides
// again.

import { describe, expect, test } from "vitest";
import { sharedMemory } from "../../src/backends/wasm/memory/arena.ts";
import {
  compile,
  tensor,
  type EinError,
  type Given,
  type Program,
  type Value,
} from "../../src/index.ts";

const n = 512;
const text =
  "input x: [f32; n];\ninput w: [f32; n];\nlet y[i] = x[i] * w[i] + 1.0;\nlet z[i] = x[i] - w[i];";

const inPlace = { get: ["y"], view: true } as const;
const arrayOf = ({ data }: Value): Float32Array => data as Float32Array;
const cellsOf = (value: Value): number[] => [...arrayOf(value)];
const filled = (value: number): number[] => Array.from({ length: n }, () => value);
const codeOf = (action: () => unknown): string | undefined => {
  try {
    action();
    return undefined;
  } catch (problem) {
    return (problem as EinError).diagnostics[0]!.code;
  }
};

function placed(
  program: Program,
  values: Readonly<Record<string, number>>,
): Record<string, Value<"f32">> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const own = program.alloc<"f32">(name, [n]);
      own.data.fill(value);
      return [name, own];
    }),
  );
}

/** A program that was called often enough to reuse its decisions. */
async function known(): Promise<{
  readonly program: Program;
  readonly given: Record<string, Value<"f32">>;
}> {
  const program = await compile(text);
  const given = placed(program, { x: 2, w: 3 });
  for (let k = 0; k < 8; k++) expect(cellsOf(program.run(given, inPlace).y)).toEqual(filled(7));
  return { program, given };
}

describe("a call that is made again", () => {
  test("lies where it lay, and sees what has been written since", async () => {
    const { program, given } = await known();
    const { y } = program.run(given, inPlace);
    given["x"]!.data.fill(5);
    const { y: next } = program.run(given, { get: ["y"], view: true });
    expect(arrayOf(next).byteOffset).toBe(arrayOf(y).byteOffset);
    expect(cellsOf(next)).toEqual(filled(16));
    expect(next).toEqual({ data: next.data, shape: [n], dtype: "f32", names: ["i"] });
  });

  test("gives an object of its own, whose values nobody can change", async () => {
    const { program, given } = await known();
    const one = program.run(given, inPlace) as Record<string, Value>;
    delete one["y"];
    const other = program.run(given, inPlace);
    expect(cellsOf(other.y)).toEqual(filled(7));
    expect(Object.isFrozen(other.y)).toBe(true);
  });

  test("is another one where anything else is asked for", async () => {
    const { program, given } = await known();
    expect(Object.keys(program.run(given, { get: ["y", "z"], view: true }))).toEqual(["y", "z"]);
    expect(cellsOf(program.run(given, { get: ["z"], view: true }).z)).toEqual(filled(-1));
    expect(program.run(given, { get: ["y"], view: true, f64: true }).y.dtype).toBe("f64");
    const copy = program.run(given, { get: ["y"], view: false }).y;
    expect(arrayOf(copy).buffer).not.toBe(sharedMemory().buffer);
    expect(cellsOf(copy)).toEqual(filled(7));
    expect(codeOf(() => program.run(given, { get: ["y"], veiw: true } as never))).toBe("E0806");
    expect(codeOf(() => program.run(given, { get: ["q"], view: true }))).toBe("E0884");
    expect(codeOf(() => program.run(given, { ...inPlace, maxMemory: -1 }))).toBe("E0806");
  });

  test("is another one where anything else is given", async () => {
    const { program, given } = await known();
    const run = (more: Readonly<Record<string, Given | undefined>>): number[] =>
      cellsOf(program.run({ ...given, ...more } as Record<string, Given>, inPlace).y);
    expect(run(placed(program, { x: 4 }))).toEqual(filled(13));
    expect(run({ x: new Float32Array(n).fill(1) })).toEqual(filled(4));
    expect(run({ x: tensor("f32", [n], new Float32Array(n).fill(0)) })).toEqual(filled(1));
    expect(run({})).toEqual(filled(7));
    expect(codeOf(() => run({ x: undefined }))).toBe("E0801");
    expect(codeOf(() => run({ v: 1 }))).toBe("E0885");
    const { data } = given["x"]!;
    const odd = (value: object): string | undefined => codeOf(() => run({ x: value as never }));
    expect(odd({ data, shape: [n, 1], dtype: "f32" })).toBe("E0887");
    expect(odd({ data, shape: [n], dtype: "i32" })).toBe("E0887");
    expect(odd({ data: data.subarray(1), shape: [n], dtype: "f32" })).toBe("E0887");
    expect(
      odd({ data: new Int32Array(data.buffer, data.byteOffset, n), shape: [n], dtype: "f32" }),
    ).toBe("E0887");
    expect(run({ v: undefined })).toEqual(filled(7));
  });

  test("finds its inputs after the memory has grown", async () => {
    const { program, given } = await known();
    const before = sharedMemory().buffer;
    const large = await compile(
      "let a[i in 0..3000, j in 0..3000] = (i * j % 7) as f32;\nlet b[j] = sum[i](a[i, j]);",
    );
    large.run({}, { get: ["a", "b"] });
    expect(sharedMemory().buffer).not.toBe(before);
    for (let k = 0; k < 3; k++) {
      given["x"]!.data.fill(k);
      expect(cellsOf(program.run(given, inPlace).y)).toEqual(filled(3 * k + 1));
    }
  });

  test("leaves alone what others have asked for in the meantime", async () => {
    const { program, given } = await known();
    const other = await compile("input a: [f32; n]; let b[i] = 2.0 * a[i];");
    const kept: Value<"f32">[] = [];
    for (let k = 0; k < 6; k++) {
      const a = other.alloc<"f32">("a", [n]);
      a.data.fill(k);
      kept.push(a);
      const { b } = other.run({ a }, { get: ["b"], view: true });
      expect(cellsOf(program.run(given, inPlace).y)).toEqual(filled(7));
      expect(cellsOf(b)).toEqual(filled(2 * k));
    }
    expect(kept.map(cellsOf)).toEqual(kept.map((_, k) => filled(k)));
  });

  test("may be given the results of the one before", async () => {
    const program = await compile("input x: [f32; n]; input r: f32; let y[i] = x[i] * r + 1.0;");
    const r = program.alloc<"f32">("r");
    r.data[0] = 0.5;
    let x: Value = program.alloc<"f32">("x", [n]);
    for (let k = 1; k <= 12; k++) {
      ({ y: x } = program.run({ x, r }, inPlace));
      expect(cellsOf(x)).toEqual(filled(2 - 2 ** (1 - k)));
    }
  });

  test("checks in each run that numbers are finite and which integers decide", async () => {
    const finite = await compile("input x: [f32; n]; let y[i] = x[i] + 1.0;", { finite: true });
    const given = placed(finite, { x: 1 });
    for (let k = 0; k < 8; k++) finite.run(given, inPlace);
    given["x"]!.data[3] = NaN;
    expect(codeOf(() => finite.run(given, inPlace))).toBe("E0802");
    const counted = await compile("input k: i32; let y[i in 0..k] = i as f32;");
    const count = counted.alloc<"i32">("k");
    for (const extent of [3, 3, 3, 3, 3, 3, 5, 5, 2]) {
      count.data[0] = extent;
      expect(counted.run({ k: count }, inPlace).y.data.length).toBe(extent);
    }
  });

  test("says what goes wrong this time, and is right again the next", async () => {
    const program = await compile("input x: [f32; n]; input at: [i32; n]; let y[i] = x[at[i]];");
    const given = { ...placed(program, { x: 1 }), at: program.alloc<"i32">("at", [n]) };
    for (let k = 0; k < 8; k++) program.run(given, inPlace);
    given.at.data[7] = n;
    expect(codeOf(() => program.run(given, inPlace))).toBe("E0901");
    given.at.data[7] = 0;
    for (let k = 0; k < 8; k++) expect(cellsOf(program.run(given, inPlace).y)).toEqual(filled(1));
  });

  test("has the same message as the first one for what the kernels' host finds wrong", async () => {
    const program = await compile("input a: [i32; n]; input b: [i32; n]; let y[i] = a[i] / b[i];");
    const [a, b] = [program.alloc<"i32">("a", [n]), program.alloc<"i32">("b", [n])];
    a.data.fill(6);
    for (const view of [true, false]) {
      const run = (): Value => program.run({ a, b }, { get: ["y"], view }).y;
      b.data.fill(2);
      for (let k = 0; k < 9; k++) run();
      b.data[3] = 0;
      expect(codeOf(run)).toBe("E0902");
      b.data[3] = 3;
      expect([...(run().data as Int32Array)].slice(2, 5)).toEqual([3, 2, 3]);
    }
  });

  test("is recognised: nothing is asked of the host or of the call's form", async () => {
    const { program, given } = await known();
    let questions = 0;
    Object.defineProperty(globalThis, "document", {
      get: () => void questions++,
      configurable: true,
    });
    try {
      program.run(given, inPlace);
      expect(questions).toBe(0);
      program.run(given, { get: ["z"], view: true });
      expect(questions).toBeGreaterThan(0);
    } finally {
      delete (globalThis as { document?: unknown }).document;
    }
  });
});
