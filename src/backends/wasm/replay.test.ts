// Runs that repeat earlier ones give what those would have given, and notice when they cannot.

import { describe, expect, test } from "vitest";
import { compile, type CompiledProgram } from "../../compile.ts";
import type { TensorValue } from "../../host/value.ts";
import { compile as compileAsync, type Value } from "../../index.ts";
import { useThreads } from "./threads/threads.ts";

const compiled = (text: string): CompiledProgram => compile({ name: "test.ein", text }).program!;
const floats = (...data: readonly number[]): TensorValue => ({ dtype: "f32", shape: [data.length], data: Float32Array.from(data) }); // prettier-ignore
const integer = (value: number): TensorValue => ({ dtype: "i32", shape: [], data: Int32Array.of(value) });
const cells = (program: CompiledProgram, inputs: Readonly<Record<string, TensorValue>>, name: string) => {
  const { values, fault } = program.run({ inputs: new Map(Object.entries(inputs)), get: [name], leastWork: 0 });
  return fault ? fault.code : [...(values.get(name)!.value.data as Float32Array)];
};

describe("a program that is run often", () => {
  test("reads what it is given each time", () => {
    const program = compiled(
      "input x: [f32; n]; let t = [1.0, 2.0, 3.0]; let y[i] = x[i] * 2.0 + t[i % 3]; let z[i] = y[i] + x[i];",
    );
    for (let k = 0; k < 12; k++) expect(cells(program, { x: floats(k, 1, 2, 3) }, "z")).toEqual([3 * k + 1, 5, 9, 10]);
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
      let y[i, j] = tanh(sum[k](x[i, k] * x[k, j])); let s = sum[i, j](y[i, j]); let c[j] = sum[i](x[i, j]);
      let h[p in 0..4] = sum[i](c[i] where at[i] == p); let z[p] = h[p] + s;`;
    const program = compiled(text);
    const n = 160;
    const square = (seed: number): TensorValue => ({ dtype: "f32", shape: [n, n], data: Float32Array.from({ length: n * n }, (_, k) => ((k * 7 + seed) % 11) / 11 - 0.5) }); // prettier-ignore
    const at: TensorValue = { dtype: "i32", shape: [n], data: Int32Array.from({ length: n }, (_, k) => (k * 3) % 4) };
    const first = [0, 1, 2].map((seed) => cells(compiled(text), { x: square(seed), at }, "z"));
    for (let k = 0; k < 12; k++) expect(cells(program, { x: square(k % 3), at }, "z")).toEqual(first[k % 3]);
  });

  test("still says what is wrong", () => {
    const program = compiled("input x: [f32; n]; input at: [i32; m]; let y[i] = x[at[i]];");
    const at = (...data: readonly number[]): TensorValue => ({ dtype: "i32", shape: [data.length], data: Int32Array.from(data) }); // prettier-ignore
    for (let k = 0; k < 8; k++) expect(cells(program, { x: floats(5, 6), at: at(1, 0) }, "y")).toEqual([6, 5]);
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
      "input a: [f32; m, n]; input b: [f32; o, n]; input g: [f32; m, o]; let y[i, k] = sum[j](a[i, j] * b[k, j]); let total = sum[i, k](g[i, k] * y[i, k]); let d = @total / @b;",
    );
    const inputs = { a: grid(32, 64, Math.sin), b: grid(16, 64, Math.cos), g: grid(32, 16, (n) => n % 5) };
    const first = cells(program, inputs, "d");
    for (let k = 0; k < 8; k++) expect(cells(program, inputs, "d")).toEqual(first);
  });

  test("multiplies term by term again where an operand is not finite", () => {
    const program = compiled(
      "input a: [f32; m, n]; input b: [f32; n, o]; let y[i, k] = sum[j](a[i, j] * b[j, k] where j <= i); let z[i, k] = y[i, k] + 1.0;",
    );
    const [a, b] = [grid(24, 24, Math.sin), grid(24, 24, Math.cos)];
    const endless = grid(24, 24, (n) => (n >= 23 * 24 ? Infinity : Math.cos(n)));
    const [finite, infinite] = [cells(program, { a, b }, "z"), cells(program, { a, b: endless }, "z")];
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
    for (const name of ["h", "w", "unread"]) inputs[name] = program.alloc(name, name === "w" ? [n, n] : [n]);
    const fill = (cells: Float32Array): void => cells.forEach((_, k) => (cells[k] = Math.sin(k) * 0.1));
    for (const { data } of Object.values(inputs)) fill(data as Float32Array);
    let [h, w] = [floats(...(inputs["h"]!.data as Float32Array)), grid(n, n, (k) => Math.fround(Math.sin(k) * 0.1))];
    const plain = compiled(text);
    for (let k = 0; k < 24; k++) {
      const result = program.run(inputs, { get: ["next", "size"], view: true });
      const right = plain.run({ inputs: new Map([["h", h], ["w", w], ["unread", h]]), get: ["next", "size"] }).values; // prettier-ignore
      expect([...(result["next"].data as Float32Array)]).toEqual([...(right.get("next")!.value.data as Float32Array)]);
      expect(result["size"].data[0]).toBe(right.get("size")!.value.data[0]);
      h = right.get("next")!.value;
      inputs["h"] = result["next"]!;
      // Somebody else's memory in between.
      if (k % 7 === 6) (program.alloc("unread", [n]).data as Float32Array).fill(NaN);
      if (k % 5 === 4) {
        (inputs["w"]!.data as Float32Array)[k] = 0.5;
        w = { ...w, data: Float32Array.from(w.data as Float32Array, (cell, at) => (at === k ? 0.5 : cell)) };
      }
    }
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
      for (let k = 0; k < 6; k++) expect(cells(program, { x: filled(k + 50) }, "y")[4999]).toBe(2 * k + 101);
    } finally {
      useThreads(1);
    }
  });
});
