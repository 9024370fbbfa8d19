// Programs as host programs use them: inputs and outputs, the messages for wrong inputs, and
// programs made of programs.

import { describe, expect, test } from "vitest";
import {
  compile,
  ein,
  EinError,
  tensor,
  type Inputs,
  type Program,
  type ReadModule,
} from "../../src/index.ts";

const matmul =
  "input A: [f32; i, k];\ninput B: [f32; k, j];\nlet C[i, j] = sum[k](A[i, k] * B[k, j]);\n";
const A = tensor("f32", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
const B = tensor("f32", [3, 2], Float32Array.of(1, 0, 0, 1, 1, 1));

async function thrown(action: () => unknown): Promise<EinError> {
  try {
    await action();
  } catch (problem) {
    if (problem instanceof EinError) return problem;
    throw problem;
  }
  throw new Error("nothing was thrown");
}

describe("a program", () => {
  test("runs for any extents of its named dimensions, compiled once", async () => {
    const program = await compile(matmul);
    for (const [i, k, j] of [
      [2, 3, 2],
      [1, 1, 1],
      [5, 2, 7],
      [0, 3, 2],
      [40, 30, 20],
    ] as const) {
      const a = tensor(
        "f32",
        [i, k],
        Float32Array.from({ length: i * k }, (_, at) => (at % 7) - 3),
      );
      const b = tensor(
        "f32",
        [k, j],
        Float32Array.from({ length: k * j }, (_, at) => (at % 5) - 2),
      );
      const { C } = program.run({ A: a, B: b }, { get: ["C"] });
      expect(C.shape).toEqual([i, j]);
      const expected = Array.from({ length: i * j }, (_, at) => {
        let sum = 0;
        for (let s = 0; s < k; s++)
          sum += a.data[Math.floor(at / j) * k + s]! * b.data[s * j + (at % j)]!;
        return sum;
      });
      expect([...C.data]).toEqual(expected);
    }
  });

  test("gives what it is asked for, with names of axes, and computes nothing else", async () => {
    const program = await compile(
      `${matmul}let loss = sum[i, j](C[i, j] ** 2);\nlet none = 1 / (extent(i) - 2);`,
    );
    const { loss, C } = program.run({ A, B }, { get: ["loss", "C"] });
    expect(loss).toEqual({ dtype: "f32", shape: [], data: Float32Array.of(262), names: [] });
    expect(C.names).toEqual(["i", "j"]);
    expect(Object.keys(program.run({ A, B }, { get: ["C"] }))).toEqual(["C"]);
    expect(program.values).toEqual(["C", "loss", "none"]);
    expect((await thrown(() => program.run({ A, B }))).code).toBe("E0902");
  });

  test("takes nested arrays, scalars, bare typed arrays and strings", async () => {
    const program = await compile(
      "input x: [f32; n]; input W: [f64; 2, 2]; input k: i32; input big: i64; input on: " +
        "bool; input who: str;\nlet y = sum[i](x[i]) + k as f32; let z = W; " +
        'let text = "{who} {on} {big}";',
    );
    const W = Float64Array.of(1, 2, 3, 4);
    const given = { x: [1, 2, 3], W, k: 4, big: 2n ** 40n, on: true, who: "me" };
    const { y, z, text } = program.run(given, { get: ["y", "z", "text"] });
    expect(y.data[0]).toBe(10);
    expect(z).toMatchObject({ shape: [2, 2], dtype: "f64" });
    expect(text.data).toEqual(["me true 1099511627776"]);
    expect(
      program.run({
        x: Float32Array.of(1),
        W: [
          [1, 2],
          [3, 4],
        ],
        k: 0,
        big: 1,
        on: false,
        who: "",
      }).y!.data[0],
    ).toBe(1);
  });

  test("never hands out the caller's own cells as a result", async () => {
    const program = await compile("input x: [f32; n];\nlet y = x;");
    const x = Float32Array.of(1, 2);
    const { y } = program.run({ x });
    (y!.data as Float32Array)[0] = 7;
    expect([...x]).toEqual([1, 2]);
  });

  test("knows its text, its inputs and its warnings", async () => {
    const text = "input x: [f32; n];\ninput y: [f32; m];\nlet z[i] = x[i] * y[i];\n";
    const program = await compile(text, { name: "two.ein" });
    expect(program.source).toBe(text);
    expect(program.inputs.map(({ name, shape }) => [name, shape])).toEqual([
      ["x", ["n"]],
      ["y", ["m"]],
    ]);
    expect(program.diagnostics.map(({ code, level }) => [code, level])).toEqual([
      ["W0301", "warning"],
    ]);
  });

  test("that is wrong is thrown, with every message and its code frame", async () => {
    const problem = await thrown(() => compile("let a = b;\nlet c = (1;\n", { name: "wrong.ein" }));
    expect(problem.diagnostics.map(({ code }) => code)).toEqual(["E0201", "E0112"]);
    expect(problem.message).toContain("error[E0201]: ");
    expect(problem.message).toContain(" --> wrong.ein:1:9");
  });

  test("prints where it is told to", async () => {
    const program = await compile('print("one {1 + 1}");');
    const lines: string[] = [];
    program.run({}, { onPrint: ({ text }) => lines.push(text) });
    expect(lines).toEqual(["one 2"]);
  });

  test.each(["wasm", "js", "interpret"] as const)("runs on the backend %s", async (backend) => {
    const program = await compile(matmul, { backend });
    expect([...program.run({ A, B }).C!.data]).toEqual([4, 5, 10, 11]);
  });

  test("whose input has any rank is compiled for each rank once", async () => {
    const program = await compile("input x: [f32; *];\nlet y = x * 2.0;");
    expect([...program.run({ x: [1, 2] }).y!.data]).toEqual([2, 4]);
    expect(program.run({ x: [[1], [2]] }).y!.shape).toEqual([2, 1]);
  });

  test("says how far it has come", async () => {
    const program = await compile(
      "let h[0] = 1.0;\nlet h[t in 1..5000] = 0.5 * h[t - 1] + 1.0;\nlet last = h[4999];",
    );
    const seen: number[] = [];
    program.run({}, { get: ["last"], onProgress: ({ fraction }) => seen.push(fraction) });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.every((fraction) => fraction >= 0 && fraction <= 1)).toBe(true);
  });

  test("loads the standard library on demand, and a module through its host", async () => {
    const own = "pub fn twice(x: [f32; n]) -> [f32; n] { 2.0 * x[n] }";
    const text =
      "mod own;\nuse own::twice;\nuse std::ml::softmax;\ninput x: [f32; n];\n" +
      "let y = twice(softmax(x));";
    const program = await compile(text, {
      readModule: (name) => ({ source: { name: `${name}.ein`, text: own } }),
    });
    const { y } = program.run({ x: [0, 0] });
    expect([...y!.data]).toEqual([1, 1]);
    expect((await thrown(() => compile("mod own;"))).code).toBe("E0206");
  });
});

describe("what does not fit", () => {
  const declared =
    "input x: [f32; n, 3];\ninput idx: [i32; n];\nlet y[k] = x[k, 0] * idx[k] as f32;\n";
  const x = tensor("f32", [2, 3], new Float32Array(6));
  const idx = Int32Array.of(0, 1);
  const wrong = async (given: unknown, options = {}): Promise<string> => {
    const program = await compile(declared, { name: "p.ein", ...options });
    const problem = await thrown(() => program.run(given as Inputs));
    return problem.diagnostics.map(({ code, title }) => `${code} ${title}`).join("\n");
  };

  test("is refused by name, with what was declared and what came", async () => {
    const all = [
      await wrong({ idx }),
      await wrong({}),
      await wrong({ x, idx, z: 1 }),
      await wrong({ X: x, idx }),
      await wrong({ x: tensor("f64", [2, 3], new Float64Array(6)), idx }),
      await wrong({ x, idx: Float32Array.of(0, 1) }),
      await wrong({ x: [1, 2, 3], idx }),
      await wrong({ x: tensor("f32", [2, 4], new Float32Array(8)), idx }),
      await wrong({ x, idx: Int32Array.of(0, 1, 2) }),
      await wrong({ x: { ...x, shape: [2, 2] }, idx }),
      await wrong({ x: { ...x, shape: [2.5, 3] }, idx }),
      await wrong({ x: { ...x, dtype: "float" }, idx }),
      await wrong({ x: { ...x, data: [1, 2, 3, 4, 5, 6] }, idx }),
      await wrong({
        x: [
          [1, 2, 3],
          [4, 5],
        ],
        idx,
      }),
      await wrong({ x: null, idx }),
      await wrong({ x: () => 1, idx }),
      await wrong({ x: new Map(), idx }),
      await wrong({ x: new Float32Array(6), idx }),
      await wrong({ x, idx: new Uint8Array(2) }),
      await wrong({ x, idx: new Uint16Array(2) }),
      await wrong({ x, idx: [0.5, 1] }),
      await wrong({ x, idx: [2 ** 31, 1] }),
      await wrong({ x, idx: ["0", "1"] }),
      await wrong({ x: [[1, 2, "NaN"]], idx }),
      await wrong(null),
      await wrong(
        {
          x: [
            [1, 2, 3],
            [4, NaN, 6],
          ],
          idx,
        },
        { finite: true },
      ),
      await wrong(
        {
          x: [
            [1, 2, 3],
            [4, 5, -Infinity],
          ],
          idx,
        },
        { finite: ["x"] },
      ),
    ];
    expect(all.join("\n").split("\n")).toEqual([
      "E0801 the input `x` is missing",
      "E0801 the inputs `x`, `idx` are missing",
      "E0885 the program declares no input `z`",
      "E0885 the program declares no input `X`",
      "E0801 the input `x` is missing",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "the value that came is f64: declare it f64, or convert it before, " +
        "with `Float32Array.from`",
      "E0887 the value for `idx` does not fit: it is declared `[i32; n]`, " +
        "the value that came is f32: declare it f32, or convert it before, " +
        "with `Int32Array.from`",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "the value that came has rank 1 and the shape [3]",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "the value that came has the shape [2, 4]: axis 1 has 4, not 3",
      "E0887 `n` is 2 in the input `x` and 3 in `idx`",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "what came has the shape [2, 2] and 6 cells, not 4",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "what came has the shape [2.5, 3], which is not a list of extents",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        'what came has the dtype "float", which there is not',
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "what came says f32, and its data is not a Float32Array",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "and what came does not fit: the nested arrays are ragged: " +
        "element [1] has 2 elements, but [0] has 3 elements",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, what came is null",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "what came is a function",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "what came is an object without `data`, `shape` and `dtype`",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "the value that came is an array without a shape: give `{ data, shape, dtype }`",
      "E0887 the value for `idx` does not fit: it is declared `[i32; n]`, " +
        "the value that came is a Uint8Array, which holds bools",
      "E0887 the value for `idx` does not fit: it is declared `[i32; n]`, " +
        "the value that came is a Uint16Array, which holds no element type of the language",
      "E0887 the value for `idx` does not fit: it is declared `[i32; n]`, " +
        "and what came does not fit: element [0]: 0.5 is not an integer, and i32 is wanted",
      "E0887 the value for `idx` does not fit: it is declared `[i32; n]`, " +
        "and what came does not fit: element [0]: 2147483648 does not fit in i32, " +
        "which goes from -2147483648 to 2147483647",
      "E0887 the value for `idx` does not fit: it is declared `[i32; n]`, " +
        "what came is text, and not numbers",
      "E0887 the value for `x` does not fit: it is declared `[f32; n, 3]`, " +
        "what came is text, and not numbers",
      "E0801 the inputs `x`, `idx` are missing",
      "E0802 the input `x` has to be finite: it is declared `[f32; n, 3]`, " +
        "the element [1, 1] of what came is NaN",
      "E0802 the input `x` has to be finite: it is declared `[f32; n, 3]`, " +
        "the element [1, 2] of what came is -Infinity",
    ]);
  });

  test("is anything but numbers in nested arrays", async () => {
    const endless: unknown[] = [];
    endless.push(endless);
    const inside = [
      null,
      undefined,
      new Date(0),
      {},
      () => 1,
      Symbol("s"),
      new Float32Array(2),
      endless,
    ];
    const all = await Promise.all(inside.map((odd) => wrong({ x: [[1, odd, 3]], idx })));
    // eslint-disable-next-line no-sparse-arrays
    all.push(await wrong({ x: [[1, , 3]], idx }), await wrong({ x: endless, idx }));
    const lead =
      "E0887 the value for `x` does not fit: " +
      "it is declared `[f32; n, 3]`, and what came does not fit: ";
    expect(all.map((text) => text.replace(lead, ""))).toEqual([
      "element [0, 1] is null, and no scalar",
      "element [0, 1] is undefined, and no scalar",
      "element [0, 1] is of type Date, and no scalar",
      "element [0, 1] is of type Object, and no scalar",
      "element [0, 1] is a function, and no scalar",
      "element [0, 1] is a symbol, and no scalar",
      "element [0, 1] is of type Float32Array, and no scalar",
      "the nested arrays are ragged: element [0, 1] is an array, but [0, 0] is a scalar",
      "element [0, 1] is undefined, and no scalar",
      "arrays are nested more than 64 deep",
    ]);
  });

  test("is a name in `finite` that no input has", async () => {
    const problem = await thrown(() => compile(declared, { finite: ["x", "idy"] }));
    expect(problem.message).toBe(
      "error[E0885]: the program declares no input `idy`\n  = help: did you mean `idx`?",
    );
  });

  test("is nothing that was not asked to be finite", async () => {
    const program = await compile(declared, { finite: ["idx"] });
    expect(program.run({ x: [[NaN, 0, 0]], idx: [1] }).y!.data[0]).toBeNaN();
  });

  test("is a value that is not there", async () => {
    const program = await compile(matmul);
    const problem = await thrown(() => program.run({ A, B }, { get: ["c"] }));
    expect(problem.message).toBe(
      "error[E0884]: the program has no value `c` to ask for\n  = help: did you mean `C`?",
    );
  });

  test("a fault while running is thrown with its place", async () => {
    const program = await compile(
      "input idx: [i32; n];\nlet x = [1.0, 2.0];\nlet y[k] = x[idx[k]];",
    );
    expect((await thrown(() => program.run({ idx: [5] }))).code).toBe("E0901");
  });

  test("bools are 0 or 1, and half-width floats are rounded", async () => {
    const program = await compile(
      "input on: [bool; n];\ninput h: [f16; n];\nlet y[i] = if on[i] { h[i] } else { 0 };",
    );
    const problem = await thrown(() => program.run({ on: Uint8Array.of(1, 2), h: [1, 2] }));
    expect(problem.message).toContain("a cell of what came is 2; a bool is 0 or 1");
    const { y } = program.run({ on: Uint8Array.of(1, 0), h: Float32Array.of(0.1, 1) });
    expect(y!.data[0]).toBe(0.0999755859375);
  });
});

describe("options", () => {
  test("inputs gives types to names that the text only reads", async () => {
    const program = await compile("let y[i] = w * x[i];", { inputs: { x: "[f64; n]", w: "f64" } });
    expect(program.run({ x: [1, 2], w: 3 }).y).toMatchObject({
      dtype: "f64",
      data: Float64Array.of(3, 6),
    });
    const alike = await compile("let y[i] = x[i];", {
      inputs: { x: tensor("i32", [3], new Int32Array(3)) },
    });
    expect(alike.inputs[0]).toMatchObject({ dtype: "i32" });
    expect(
      (await thrown(() => compile("let y = x;", { inputs: { x: "[f32; " } }))).message,
    ).toContain("--> inputs:1:");
  });

  test("open makes inputs of undeclared names, and without it they are undefined", async () => {
    const text = "let y[k] = x[idx[k]];";
    const program = await compile(text, { open: true });
    expect([...program.run({ x: [1, 2, 3], idx: [2, 0] }).y!.data]).toEqual([3, 1]);
    expect((await thrown(() => compile(text))).diagnostics.map(({ code }) => code)).toEqual([
      "E0201",
      "E0201",
    ]);
  });
});

describe("grad", () => {
  test("is a program of its own, with the derivatives by name", async () => {
    const program = await compile(`${matmul}let loss = sum[i, j](C[i, j] ** 2);`);
    const gradient = program.grad("loss", ["A", "B"]);
    const { d_A } = gradient.run({ A, B }, { get: ["d_A"] });
    expect([...d_A.data]).toEqual([8, 10, 18, 20, 22, 42]);
    expect(gradient.source).toContain("let d_B[k, j] = sum[i](d_C[i, j] * A[i, k]);");
    expect(gradient.grad("d_A", ["B"]).values).toContain("d_B");
  });

  test("by what a value does not depend on is 0, and takes the inputs of the program", async () => {
    const program = await compile(
      "input x: [f32; n]; input un: [f32; m, 2]; let loss = sum[i](3 * x[i]);",
    );
    const gradient = program.grad("loss", ["x", "un"]);
    const given = { x: [1, 2], un: [[1, 2]] };
    const { d_x, d_un } = gradient.run(given);
    expect([[...d_x!.data], [...d_un!.data], d_un!.shape]).toEqual([
      [3, 3],
      [0, 0],
      [1, 2],
    ]);
    expect((await thrown(() => gradient.run({ ...given, z: 1 }))).code).toBe("E0885");
  });

  test("gives derivatives free names where the program has these names already", async () => {
    const program = await compile(
      "input w: [f32; n]; let d_w = 3.0 * w; let loss = sum[i](d_w[i] ** 2);",
    );
    const gradient = program.grad("loss", ["w"]);
    expect(gradient.derivatives).toEqual({ w: "d_w_2" });
    expect([...gradient.run({ w: [1, 2] })[gradient.derivatives["w"]!]!.data]).toEqual([18, 36]);
    const again = (await compile("input w: f32; let g = w ** 3;"))
      .grad("g", ["w"])
      .grad("d_w", ["w"]);
    expect(again.run({ w: 2 })[again.derivatives["w"]!]!.data[0]).toBe(12);
  });

  test("and functions find what their program has read and was told", async () => {
    const readModule: ReadModule = () => ({
      source: { name: "m.ein", text: "pub fn twice(x: f32) -> f32 { 2.0 * x }" },
    });
    const text =
      "mod m;\npub fn h(x: f32) -> f32 { m::twice(x) }\nlet loss = sum[i](m::twice(w[i]) ** 2);";
    const program = await compile(text, { readModule, inputs: { w: "[f32; n]" } });
    expect([...program.grad("loss", ["w"]).run({ w: [1, 2] }).d_w!.data]).toEqual([8, 16]);
    expect(program.fn("h")(3).data[0]).toBe(6);
  });

  test("have no modules that are not read at once", async () => {
    const readModule = (async () => ({ source: { name: "m", text: "" } })) as unknown as ReadModule;
    expect((await thrown(() => compile("mod m;", { readModule }))).message).toContain(
      "gave neither a source nor a reason",
    );
  });

  test("of what has no derivative is thrown", async () => {
    const program = await compile(
      "input x: [f32; n];\nlet best = argmax[i](x[i]);\nlet y = x[best];",
    );
    expect((await thrown(() => program.grad("best", ["x"]))).code).toBe("E0704");
    expect((await thrown(() => program.grad("nothing", ["x"]))).message).toContain("nothing");
  });
});

describe("fn", () => {
  const text = `
    const scale = 2.0;
    input unused: [f32; 3];
    print("an effect");
    fn helper(x: [f32; n]) -> [f32; n] { scale * x[n] }
    pub fn doubled(x: [f32; n]) -> [f32; n] { helper(x) }
    pub fn share[j](x: [f32; ..a, j, ..b]) -> [f32; ..a, j, ..b] {
      x[..a, j, ..b] / sum[j](x[..a, j, ..b]) }
    pub fn power(x: f64, n: i32) -> f64 { x ** (n as f64) }
    pub fn both(x: f32) { (x, x) }
  `;
  let program: Program;
  test("is a function of values, with the statements that it needs and nothing else", async () => {
    program = await compile(text);
    expect([...program.fn("doubled")([1, 2]).data]).toEqual([2, 4]);
    expect(
      [...program.fn("doubled")(new Float32Array(1000).fill(1)).data].every((cell) => cell === 2),
    ).toBe(true);
    expect(program.fn("power")(2, 10)).toMatchObject({ dtype: "f64", data: Float64Array.of(1024) });
  });

  test("takes the coordinates of its bracket, and arguments with named axes", () => {
    const x = { ...tensor("f32", [2, 2], Float32Array.of(1, 3, 2, 2)), names: ["row", "class"] };
    const { data, names } = program.fn("share", ["row"])(x);
    expect([...data].map((cell) => Math.fround(Number(cell)))).toEqual(
      [1 / 3, 0.6, 2 / 3, 0.4].map(Math.fround),
    );
    expect(names).toEqual(["row", "class"]);
    expect(program.fn("doubled")([1]).names).toEqual([undefined]);
  });

  test("that is not there, not exported, or gives no tensor is refused", async () => {
    expect((await thrown(() => program.fn("double"))).message).toContain("did you mean `doubled`?");
    expect((await thrown(() => program.fn("helper"))).message).toContain(
      "export it: `pub fn helper`",
    );
    expect((await thrown(() => program.fn("both")(1))).code).toBe("E0884");
    expect((await thrown(() => program.fn("power")(1))).code).toBe("E0501");
  });
});

describe("the tag", () => {
  test("computes with the tensors in it, compiled once for each call site and form", async () => {
    const product = (a: typeof A | number[][], b: typeof B | number[][]) =>
      ein`let C[i, j] = sum[k](${a}[i, k] * ${b}[k, j]);`;
    expect([...(await product(A, B)).C!.data]).toEqual([4, 5, 10, 11]);
    expect((await product([[1, 2]], [[3], [4]])).C).toMatchObject({
      shape: [1, 1],
      data: Float32Array.of(11),
    });
    expect((await ein`let y[i] = 2.0 * ${Float64Array.of(1)}[i];`).y).toMatchObject({
      dtype: "f64",
    });
    expect((await ein`let y[i] = ${[5, 6]}[${Int32Array.of(1)}[i]];`).y!.data[0]).toBe(6);
    const times: number[] = [];
    for (let k = 0; k < 8; k++) {
      const started = performance.now();
      await product(A, B);
      times.push(performance.now() - started);
    }
    const fresh = performance.now();
    await ein`let C[i, j] = sum[k](${A}[i, k] * ${B}[k, j]) + 1.0;`;
    expect(Math.min(...times)).toBeLessThan((performance.now() - fresh) / 2);
  });

  test("takes one tensor in several places for one input, as derivatives need", async () => {
    const w = tensor("f32", [2], Float32Array.of(1, 2));
    const { g } = await ein`let loss = sum[i](${w}[i] ** 2); let g = @loss / @${w};`;
    expect([...g!.data]).toEqual([2, 4]);
  });

  test("of an expression gives it as `_`; what is wrong is thrown", async () => {
    expect((await ein`sum[i](${[1, 2, 3]}[i])`)["_"]!.data[0]).toBe(6);
    expect((await thrown(() => ein`let y = ${A}[i, j];`)).code).toBe("E0301");
  });

  test("of a text that ends with a name gives the value under both names", async () => {
    const { loss, _ } = await ein`let loss = sum[i](${[1, 2, 3]}[i] ** 2); loss`;
    expect([loss!.data[0], _!.data[0]]).toEqual([14, 14]);
  });
});

describe("the call form", () => {
  test("is a function of the names that the text reads", async () => {
    const product = ein("let C[i, j] = sum[k](A[i, k] * B[k, j]);");
    const { C } = await product({ A, B });
    const shape: readonly [2, 2] = C.shape;
    expect(shape).toEqual([2, 2]);
    expect([...C.data]).toEqual([4, 5, 10, 11]);
    expect([...(await product({ A: [[1]], B: [[2]] })).C.data]).toEqual([2]);
  });
});
