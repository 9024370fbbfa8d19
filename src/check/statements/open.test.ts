// Open programs: a single equation, pasted without declarations, is a program.

import { describe, expect, test } from "vitest";
import { compile } from "../../driver/compile.ts";
import { fromNested, type TensorValue } from "../../scalar/values/value.ts";

const compiled = (text: string) => compile({ name: "open.ein", text }, { open: true });

describe("open programs", () => {
  test("undeclared names become inputs, with ranks and elements from use", () => {
    const { program, diagnostics } = compiled(
      "let C[i, j] = sum[k](A[i, k] * B[k, j]) * scale + A[index[i], 0];",
    );
    expect(diagnostics.filter(({ level }) => level === "error")).toEqual([]);
    expect(program!.inputs.map(({ name, dtype, shape }) => [name, dtype, shape?.length])).toEqual([
      ["A", "f32", 2],
      ["B", "f32", 2],
      ["scale", "f32", 0],
      ["index", "i32", 1],
    ]);
  });

  test("what is compared with a position is one, on whichever side", () => {
    const { program } = compiled(
      "let s[p in 0..3] = sum[k](v[k] where row[k] == p, p <= last[k], v[k] < limit[k]);",
    );
    const types = Object.fromEntries(program!.inputs.map(({ name, dtype }) => [name, dtype]));
    expect(types).toEqual({ v: "f32", row: "i32", last: "i32", limit: "f32" });
  });

  test(
    "axes are called after the coordinates that walk them, " +
      "and share a name where they must agree",
    () => {
      const { program } = compiled(
        "let i = 2; let y[t, c] = sum[k](x[t + k, c] * w[k]) + b[c] * i as f32 + u[m[t], c];",
      );
      expect(program!.inputs.map(({ name, shape }) => [name, shape])).toEqual([
        ["x", ["j", "c"]],
        ["w", ["k"]],
        ["b", ["c"]],
        ["u", ["l", "c"]],
        ["m", ["t"]],
      ]);
    },
  );

  test("they run, and say when extents disagree", () => {
    const { program } = compiled("let C[i, j] = sum[k](A[i, k] * B[k, j]);");
    const tensor = (nested: number[][]): TensorValue => fromNested("f32", nested) as TensorValue;
    const right = new Map([
      ["A", tensor([[1, 2]])],
      ["B", tensor([[3], [4]])],
    ]);
    expect([
      ...(program!.run({ inputs: right }).values.get("C")!.value.data as Float32Array),
    ]).toEqual([11]);
    const wrong = new Map([...right, ["B", tensor([[3], [4], [5]])] as const]);
    const { fault } = program!.run({ inputs: wrong });
    expect(fault?.code).toBe("E0887");
    expect(fault?.title).toBe("`k` is 2 in the input `A` and 3 in `B`");
  });

  test("without the option they stay undefined", () => {
    expect(compile({ name: "closed.ein", text: "let y[i] = x[i];" }).diagnostics[0]?.code).toBe(
      "E0201",
    );
  });
});
