// A repeated run gives what a new run would give, and notices when it cannot repeat.

import { describe, expect, test } from "vitest";
import { compile, type CompiledProgram } from "../../../driver/compile.ts";
import type { TensorValue } from "../../../scalar/values/value.ts";
import { compile as compileAsync, type Value } from "../../../index.ts";
import { keptNow } from "./kept.ts";
import { leftToOracleIn } from "../../../../test/support/kernels.ts";
import { useThreads } from "../threads/threads.ts";

const compiled = (text: string): CompiledProgram => compile({ name: "test.ein", text }).program!;
const floats = (...data: readonly number[]): TensorValue => ({
  dtype: "f32",
  shape: [data.length],
  data: Float32Array.from(data),
});
const integer = (value: number): TensorValue => ({
  dtype: "i32",
  shape: [],
  data: Int32Array.of(value),
});
const cells = (
  program: CompiledProgram,
  inputs: Readonly<Record<string, TensorValue>>,
  name: string,
) => {
  const { values, fault } = program.run({
    inputs: new Map(Object.entries(inputs)),
    get: [name],
    leastWork: 0,
  });
  return fault ? fault.code : [...(values.get(name)!.value.data as Float32Array)];
};

describe("a program that is run often", () => {
  test("reads what it is given each time", () => {
    const program = compiled(
      "input x: [f32; n]; let t = [1.0, 2.0, 3.0]; let y[i] = x[i] * 2.0 + t[i % 3]; " +
        "let z[i] = y[i] + x[i];",
    );
    for (let k = 0; k < 12; k++)
      expect(cells(program, { x: floats(k, 1, 2, 3) }, "z")).toEqual([3 * k + 1, 5, 9, 10]);
  });

  test("follows sizes, integers and types that change", () => {
    const program = compiled("input x: [f32; n]; input k: i32; let y[i] = x[i] * k as f32;");
    for (let round = 0; round < 3; round++) {
      for (let again = 0; again < 6; again++)
        expect(cells(program, { x: floats(1, 2), k: integer(3) }, "y")).toEqual([3, 6]);
      expect(cells(program, { x: floats(1, 2), k: integer(4) }, "y")).toEqual([4, 8]);
      expect(cells(program, { x: floats(1, 2, 3), k: integer(3) }, "y")).toEqual([3, 6, 9]);
      const doubles: TensorValue = { dtype: "f64", shape: [2], data: Float64Array.of(1.5, 2.5) };
      expect(cells(program, { x: doubles, k: integer(3) }, "y")).toEqual([4.5, 7.5]);
    }
  });

  test("multiplies matrices, reduces in blocks and adds up what goes here and there", () => {
    const text = `input x: [f32; n, n]; input at: [i32; n];
      let w[i, j] = x[i, j] + 0.5; let y[i, j] = tanh(sum[k](x[i, k] * w[k, j]));
      let s = sum[i, j](y[i, j]); let c[j] = sum[i](x[i, j]);
      let h[p in 0..4] = sum[i](c[i] where at[i] == p); let z[p] = h[p] + s;`;
    const program = compiled(text);
    const n = 160;
    const square = (seed: number): TensorValue => ({
      dtype: "f32",
      shape: [n, n],
      data: Float32Array.from({ length: n * n }, (_, k) => ((k * 7 + seed) % 11) / 11 - 0.5),
    });
    const at: TensorValue = {
      dtype: "i32",
      shape: [n],
      data: Int32Array.from({ length: n }, (_, k) => (k * 3) % 4),
    };
    const first = [0, 1, 2].map((seed) => cells(compiled(text), { x: square(seed), at }, "z"));
    for (let k = 0; k < 12; k++)
      expect(cells(program, { x: square(k % 3), at }, "z")).toEqual(first[k % 3]);
  });

  test("still says what is wrong", () => {
    const program = compiled("input x: [f32; n]; input at: [i32; m]; let y[i] = x[at[i]];");
    const at = (...data: readonly number[]): TensorValue => ({
      dtype: "i32",
      shape: [data.length],
      data: Int32Array.from(data),
    });
    for (let k = 0; k < 8; k++)
      expect(cells(program, { x: floats(5, 6), at: at(1, 0) }, "y")).toEqual([6, 5]);
    expect(cells(program, { x: floats(5, 6), at: at(1, 2) }, "y")).toBe("E0901");
    expect(cells(program, { x: floats(5, 6), at: at(0, 0) }, "y")).toEqual([5, 5]);
  });

  test("is not confused by runs of another kind in between", () => {
    const program = compiled("input x: [f32; n]; let y[i] = x[i] + 1.0; let z[i] = y[i] * 2.0;");
    const inputs = new Map([["x", floats(1, 2, 3)]]);
    for (let k = 0; k < 8; k++) {
      expect(cells(program, { x: floats(k, 2) }, "z")).toEqual([2 * k + 2, 6]);
      if (k % 2 === 1) program.run({ inputs, get: ["z"], leastWork: 0, view: true });
      if (k % 3 === 1) expect(cells(program, { x: floats(7) }, "y")).toEqual([8]);
    }
  });

  const grid = (rows: number, columns: number, cell: (n: number) => number): TensorValue => ({
    dtype: "f32",
    shape: [rows, columns],
    data: Float32Array.from({ length: rows * columns }, (_, n) => cell(n)),
  });

  test("multiplies matrices that are gone once they are multiplied", () => {
    const program = compiled(
      "input a: [f32; m, n]; input b: [f32; o, n]; input g: [f32; m, o]; " +
        "let y[i, k] = sum[j](a[i, j] * b[k, j]); let total = sum[i, k](g[i, k] * y[i, k]); " +
        "let d = @total / @b;",
    );
    const inputs = {
      a: grid(32, 64, Math.sin),
      b: grid(16, 64, Math.cos),
      g: grid(32, 16, (n) => n % 5),
    };
    const first = cells(program, inputs, "d");
    for (let k = 0; k < 8; k++) expect(cells(program, inputs, "d")).toEqual(first);
  });

  test("multiplies term by term again where an operand is not finite", () => {
    const program = compiled(
      "input a: [f32; m, n]; input b: [f32; n, o]; " +
        "let y[i, k] = sum[j](a[i, j] * b[j, k] where j <= i); let z[i, k] = y[i, k] + 1.0;",
    );
    const [a, b] = [grid(24, 24, Math.sin), grid(24, 24, Math.cos)];
    const endless = grid(24, 24, (n) => (n >= 23 * 24 ? Infinity : Math.cos(n)));
    const [finite, infinite] = [
      cells(program, { a, b }, "z"),
      cells(program, { a, b: endless }, "z"),
    ];
    for (let k = 0; k < 6; k++) {
      for (let again = 0; again < 6; again++) expect(cells(program, { a, b }, "z")).toEqual(finite);
      expect(cells(program, { a, b: endless }, "z")).toEqual(infinite);
    }
  });

  test("goes on from results where they lie, with others kept beside them", async () => {
    const text = `input h: [f32; n]; input w: [f32; n, n]; input unread: [f32; n];
      let next[i] = tanh(sum[j](w[i, j] * h[j]) + h[i]); let size = sum[i](next[i] * next[i]);`;
    const n = 96;
    const program = await compileAsync(text);
    const inputs: Record<string, Value> = {};
    for (const name of ["h", "w", "unread"])
      inputs[name] = program.alloc(name, name === "w" ? [n, n] : [n]);
    const fill = (cells: Float32Array): void =>
      cells.forEach((_, k) => (cells[k] = Math.sin(k) * 0.1));
    for (const { data } of Object.values(inputs)) fill(data as Float32Array);
    let [h, w] = [
      floats(...(inputs["h"]!.data as Float32Array)),
      grid(n, n, (k) => Math.fround(Math.sin(k) * 0.1)),
    ];
    const plain = compiled(text);
    for (let k = 0; k < 24; k++) {
      const result = program.run(inputs, { get: ["next", "size"], view: true });
      const right = plain.run({
        inputs: new Map([
          ["h", h],
          ["w", w],
          ["unread", h],
        ]),
        get: ["next", "size"],
      }).values;
      expect([...(result["next"].data as Float32Array)]).toEqual([
        ...(right.get("next")!.value.data as Float32Array),
      ]);
      expect(result["size"].data[0]).toBe(right.get("size")!.value.data[0]);
      h = right.get("next")!.value;
      inputs["h"] = result["next"]!;
      // Another block of memory is taken in between.
      if (k % 7 === 6) (program.alloc("unread", [n]).data as Float32Array).fill(NaN);
      if (k % 5 === 4) {
        (inputs["w"]!.data as Float32Array)[k] = 0.5;
        w = {
          ...w,
          data: Float32Array.from(w.data as Float32Array, (cell, at) => (at === k ? 0.5 : cell)),
        };
      }
    }
  });

  const network = `input w: [f32; j, i]; input x: [f32; t, i]; let h[0, i in 0..extent(i)] = 0.1;
    let h[s in 1..extent(t), i] = tanh(sum[j](w[j, i] * h[s - 1, j]) + x[s, i]);
    let loss = sum[i](h[extent(t) - 1, i] ** 2);
    let d_w = @loss / @w; let d_x = @loss / @x;`;

  test.each([20, 900])("goes through %i steps and back again", (steps) => {
    const program = compiled(network);
    const inputs = (k: number): Readonly<Record<string, TensorValue>> => ({
      w: grid(24, 24, (n) => Math.sin(n + k) * 0.2),
      x: grid(steps, 24, (n) => Math.cos(n * (k + 1))),
    });
    const first = [0, 1, 2].map((k) =>
      ["d_w", "d_x"].map((name) => cells(compiled(network), inputs(k), name)),
    );
    for (let k = 0; k < 9; k++)
      ["d_w", "d_x"].forEach((name, at) =>
        expect(cells(program, inputs(k % 3), name)).toEqual(first[k % 3]![at]),
      );
  });

  test("finds the memory as it was before, however many results take turns in it", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const sizes = [[40, 30], [30, 50], [50, 20], [30], [50]];
    const declared = names.map((name, k) => `input ${name}: [f32; ${sizes[k]!.join(", ")}];`);
    const text = `input x: [f32; n, 40]; ${declared.join(" ")}
      let h[n, i] = tanh(sum[j](x[n, j] * a[j, i]) + d[i]);
      let g[n, i] = tanh(sum[j](h[n, j] * b[j, i]) + e[i]);
      let y[n, i] = sum[j](g[n, j] * c[j, i]); let loss = sum[n, i](y[n, i] ** 2);
      ${names.map((name) => `let new_${name} = ${name} - 0.001 * (@loss / @${name});`).join(" ")}`;
    const program = await compileAsync(text);
    const inputs: Record<string, Value> = { x: program.alloc("x", [64, 40]) };
    names.forEach((name, k) => (inputs[name] = program.alloc(name, sizes[k])));
    Object.values(inputs).forEach(({ data }, k) =>
      (data as Float32Array).set(Array.from(data as Float32Array, (_, n) => Math.sin(n + k) * 0.3)),
    );
    let given = new Map(
      Object.entries(inputs).map(([name, { shape, data }]) => [
        name,
        { dtype: "f32", shape, data: Float32Array.from(data as Float32Array) } as const,
      ]),
    );
    const plain = compiled(text);
    const get = [...names.map((name) => `new_${name}`), "loss"];
    const kept: unknown[] = [];
    for (let k = 0; k < 30; k++) {
      const result = program.run(inputs, { get, view: true });
      const { values } = plain.run({ inputs: given, get });
      for (const name of get)
        expect([...(result[name]!.data as Float32Array)]).toEqual([
          ...(values.get(name)!.value.data as Float32Array),
        ]);
      for (const name of names) inputs[name] = result[`new_${name}`]!;
      given = new Map([
        ["x", given.get("x")!],
        ...names.map((name) => [name, values.get(`new_${name}`)!.value as never] as const),
      ]);
      kept.push(keptNow());
    }
    expect(kept.at(-1)).toEqual(kept.at(-3));
    expect(kept.at(-2)).toEqual(kept.at(-4));
  });

  test("gives values in place that nobody can change for later runs", async () => {
    const program = await compileAsync("input x: [f32; n]; let y[i] = x[i] * 2.0;");
    const x = program.alloc("x", [5000]);
    for (let k = 0; k < 12; k++) {
      (x.data as Float32Array).fill(k);
      const { y } = program.run({ x }, { get: ["y"], view: true });
      expect([y.shape, y.names, y.data[4999]]).toEqual([[5000], ["i"], 2 * k]);
      if (Object.isFrozen(y))
        expect(() => Object.assign(y, { shape: [2, 2500] })).toThrow(TypeError);
    }
  });

  test.each([
    [1000, new Map([["s", "too small"]])],
    [100_000, new Map()],
  ])("of %i cells leaves little to the oracle, and nothing where they are many", (n, left) => {
    const text = `let y[i in 0..${n}] = exp(i as f32 * 0.001); let s = sum[i in 0..8](exp(y[i]));`;
    expect(leftToOracleIn(text, {})).toEqual(left);
  });

  test("goes on in the memory that threads share", () => {
    const program = compiled("input x: [f32; n]; let y[i] = x[i] * 2.0 + 1.0;");
    const filled = (value: number): TensorValue => floats(...new Array<number>(5000).fill(value));
    for (let k = 0; k < 6; k++) expect(cells(program, { x: filled(k) }, "y")[4999]).toBe(2 * k + 1);
    useThreads(2);
    try {
      cells(
        compiled("input x: [f32; n]; let y[i] = x[i] + 1.0;"),
        { x: floats(...new Array<number>(60000).fill(1)) },
        "y",
      );
      for (let k = 0; k < 6; k++)
        expect(cells(program, { x: filled(k + 50) }, "y")[4999]).toBe(2 * k + 101);
    } finally {
      useThreads(1);
    }
  });
});
