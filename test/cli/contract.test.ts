// The contract of the command line with scripts, sentence by sentence: the effect of each flag on
// the output of the real compiler.

import { describe, expect, test } from "vitest";
import { failed } from "../../src/base/failure.ts";
import { writeNpy } from "../../src/host/npy.ts";
import { fromNested, type Nested } from "../../src/scalar/values/value.ts";
import type { ElementType } from "../../src/scalar/types.ts";
import { session } from "./session.ts";

const { ein, json, file, path } = session();

/** Writes a tensor as `.npy` and returns the path. */
function npy(name: string, dtype: ElementType, nested: Nested): string {
  const value = fromNested(dtype, nested);
  const bytes = failed(value) ? value : writeNpy(value);
  if (failed(bytes)) throw new Error(bytes.error);
  return file(name, bytes);
}

/** The text of one value in the JSON, before a parser rounds its numbers. */
async function cells(source: string, name: string, ...words: readonly string[]): Promise<string> {
  const { out } = await ein(["-e", source, "--json", ...words]);
  return new RegExp(`"${name}":(\\{[^}]*\\})`).exec(out)?.[1] ?? out;
}

describe("--json: values", () => {
  test("a scalar has an empty shape and one datum", async () => {
    expect(await cells("let a = 2.0;", "a")).toBe('{"dtype":"f32","shape":[],"data":[2]}');
    expect(await cells("let t = 1 < 2;", "t")).toBe('{"dtype":"bool","shape":[],"data":[true]}');
  });

  test("a tensor is flat and row-major; an empty one keeps its shape", async () => {
    const source =
      "let T[i in 0..2, j in 0..3] = 10 * i + j; let none[i in 0..0, j in 0..3] = i + j;";
    expect(await cells(source, "T")).toBe('{"dtype":"i32","shape":[2,3],"data":[0,1,2,10,11,12]}');
    expect(await cells(source, "none")).toBe('{"dtype":"i32","shape":[0,3],"data":[]}');
  });

  test("floats are the shortest text that reads back in their own type", async () => {
    expect(await cells("let v = [0.1, 16777217.0, 1e-7, 1e30, 3.4028235e38];", "v")).toContain(
      "[0.1,16777216,1e-7,1e+30,3.4028235e+38]",
    );
    expect(await cells("let v = [0.1f64, 0.30000000000000004f64];", "v")).toContain(
      "[0.1,0.30000000000000004]",
    );
    expect(await cells("let h: f16 = 0.1;", "h")).toBe('{"dtype":"f16","shape":[],"data":[0.1]}');
    expect(await cells("let h: bf16 = 3.14;", "h")).toBe(
      '{"dtype":"bf16","shape":[],"data":[3.14]}',
    );
  });

  test("what JSON cannot write is a string; a negative zero keeps its sign", async () => {
    const source = "let v = [-0.0, 0.0, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0];";
    expect(await cells(source, "v")).toContain('[-0.0,0,"Infinity","-Infinity","NaN"]');
    const wide =
      "let v = [9007199254740991i64, 9007199254740993i64, -9223372036854775807i64, 7i64];";
    expect(await cells(wide, "v")).toContain(
      '[9007199254740991,"9007199254740993","-9223372036854775807",7]',
    );
  });

  test("every top-level value is given, without inputs and functions", async () => {
    const source =
      "input x: f32; fn f(a: f32) -> f32 { 2.0 * a } let y = 1; let z = f(x); let y = 2.5; z + y";
    const { object } = await json("-e", source, "--set", "x=3");
    expect(object.values).toEqual({
      y: { dtype: "f32", shape: [], data: [2.5] },
      z: { dtype: "f32", shape: [], data: [6] },
      _: { dtype: "f32", shape: [], data: [8.5] },
    });
  });

  test("with --get and --save only what was asked for", async () => {
    const { object } = await json(
      "-e",
      "let a = 1; let b = 2; let c = 3; a",
      "--get",
      "b",
      "--save",
      `c=${path("c.npy")}`,
    );
    expect(Object.keys(object.values!)).toEqual(["b", "c"]);
    expect(
      Object.keys((await json("-e", "let a = 1; a + 1", "--get", "_")).object.values!),
    ).toEqual(["_"]);
  });

  test("what nobody asked for is not computed", async () => {
    const source = "let zero = [0]; let bad[i] = 1 / zero[i]; let good = 2;";
    expect(await json("-e", source, "--get", "good")).toMatchObject({ code: 0 });
    expect((await json("-e", source)).object.errors).toMatchObject([{ code: "E0902" }]);
  });
});

describe("--json: prints, warnings, faults", () => {
  test("one string per print, its arguments joined by a space, tensors complete", async () => {
    const source =
      'let v[i in 0..1200] = i; print("a", 1, 2.0, true, [[1, 2]]); print("x\\ny"); print(v);';
    const { printed } = (await json("-e", source)).object;
    expect(printed!.slice(0, 2)).toEqual(["a 1 2.0 true [[1, 2]]", "x\ny"]);
    expect(printed![2]).toBe(`[${Array.from({ length: 1200 }, (_, i) => i).join(", ")}]`);
  });

  test("a fault keeps what was printed before it, and the warnings", async () => {
    const source = `input a: [f32; n]; input b: [f32; m]; print("before"); let c[i] = a[i] + b[i];
let at = [9]; print(c[at[0]]); print("after");`;
    const [a, b] = [npy("a.npy", "f32", [1, 2]), npy("b.npy", "f32", [3, 4])];
    const { code, object } = await json("-e", source, "--in", `a=${a}`, "--in", `b=${b}`);
    expect(code).toBe(1);
    expect(object).toMatchObject({
      errors: [{ code: "E0901", file: "<command line>", line: 2 }],
      warnings: [{ code: "W0301" }],
      printed: ["before"],
    });
    expect(Object.keys(object)).toEqual(["errors", "warnings", "printed"]);
  });

  test("a success carries warnings too, and so does a wrong name", async () => {
    const source = "input a: [f32; n]; input b: [f32; m]; let c[i] = a[i] + b[i];";
    const words = [
      "--in",
      `a=${npy("a.npy", "f32", [1])}`,
      "--in",
      `b=${npy("b.npy", "f32", [3])}`,
    ];
    expect((await json("-e", source, ...words)).object).toMatchObject({
      values: { c: { data: [4] } },
      warnings: [{ code: "W0301", line: 1 }],
    });
    expect((await json("-e", source, ...words, "--get", "d")).object).toMatchObject({
      errors: [{ code: "E0884" }],
      warnings: [{ code: "W0301" }],
    });
    expect((await json("check", "-e", source)).object).toMatchObject({
      errors: [],
      warnings: [{ code: "W0301" }],
    });
    const text = await ein(["-e", source, ...words, "--get", "c"]);
    expect(text).toMatchObject({
      code: 0,
      out: "c = [4.0]\n",
      err: expect.stringContaining("warning[W0301]"),
    });
  });

  test("places are 1-based, with columns in UTF-16 units", async () => {
    const { object } = await json("check", "-e", 'print("😀é"); q\n;');
    expect(object.errors).toMatchObject([
      { code: "E0201", line: 1, column: 15, endLine: 1, endColumn: 16 },
    ]);
  });

  test("all errors of a program are reported together", async () => {
    const { object } = await json("check", "-e", "let a = q;\nlet b = [1.0][3];\nlet c = (1;\n");
    expect(object.errors!.map(({ code }) => code)).toEqual(["E0201", "E0305", "E0112"]);
  });

  test("--time adds what a clock measured", async () => {
    let clock = 0;
    const { out } = await ein(["-e", "let v[i in 0..10] = i;", "--json", "--time"], {
      now: () => (clock += 1.23456),
    });
    const { time } = JSON.parse(out) as { time: Record<string, number> };
    expect(time).toEqual({ compile_ms: 1.235, run_ms: 1.235, peak_bytes: 40 });
  });
});

describe("--in", () => {
  const copy = (type: string) => `input x: ${type}; let y = x;`;
  const read = async (type: string, from: string, ...words: string[]) =>
    (await json("-e", copy(type), "--in", `x=${from}`, ...words)).object;

  test("f64 rounds to f32, and keeps its digits with --f64", async () => {
    const from = npy("f64.npy", "f64", [0.1, 1 / 3]);
    expect((await read("[f32; n]", from)).values).toMatchObject({
      y: { dtype: "f32", data: [0.1, 0.33333334] },
    });
    expect((await read("[f32; n]", from, "--f64")).values).toMatchObject({
      y: { dtype: "f64", data: [0.1, 1 / 3] },
    });
  });

  test("integers must fit; integers and bools become floats; floats stay floats", async () => {
    expect((await read("[i32; n]", npy("i.npy", "i64", [1n, -2n]))).values).toMatchObject({
      y: { data: [1, -2] },
    });
    expect((await read("[i32; n]", npy("i.npy", "i64", [2n ** 40n]))).errors).toMatchObject([
      { code: "E0887" },
    ]);
    expect((await read("[f32; n]", npy("i.npy", "i64", [7n]))).values).toMatchObject({
      y: { dtype: "f32", data: [7] },
    });
    expect((await read("[f32; n]", npy("b.npy", "bool", [true]))).values).toMatchObject({
      y: { data: [1] },
    });
    expect((await read("[i32; n]", npy("f.npy", "f32", [1]))).errors).toMatchObject([
      { code: "E0887" },
    ]);
    // A JavaScript number would round the first cell, and would change 2^63 - 1 in the second.
    expect(
      (await read("[i64; n]", file("big.json", "[9007199254740993, 9223372036854775807]"))).values,
    ).toMatchObject({
      y: { dtype: "i64", data: ["9007199254740993", "9223372036854775807"] },
    });
    expect((await read("[f32; n]", file("wide.json", "[9007199254740993]"))).values).toMatchObject({
      y: { data: [9007199000000000] },
    });
    expect((await read("[i32; n]", file("f.json", "[1.5]"))).errors).toMatchObject([
      { code: "E0887" },
    ]);
  });

  test("a wrong rank or extent names the file, the axis and both sizes", async () => {
    const from = npy("m.npy", "f32", [[1, 2, 3]]);
    expect((await read("[f32; n]", from)).errors![0]!.message).toBe(
      `\`x\` is declared of rank 1, but \`${from}\` has the shape [1, 3]`,
    );
    expect((await read("[f32; 1, 2]", from)).errors![0]!.message).toBe(
      `axis 1 of \`${from}\` has the extent 3, but \`x\` is declared with 2 there`,
    );
  });

  test("Fortran order and big-endian numbers are accepted", async () => {
    const header = (descr: string, fortran: string) =>
      `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': (2, 2), }`.padEnd(117) + "\n";
    const data = new DataView(new ArrayBuffer(16));
    [1, 2, 3, 4].forEach((x, at) => data.setFloat32(4 * at, x));
    const bytes = [
      0x93,
      ...Buffer.from("NUMPY"),
      1,
      0,
      118,
      0,
      ...Buffer.from(header(">f4", "True")),
    ];
    const from = file("fortran.npy", new Uint8Array([...bytes, ...new Uint8Array(data.buffer)]));
    expect((await read("[f32; n, m]", from)).values).toMatchObject({
      y: { shape: [2, 2], data: [1, 3, 2, 4] },
    });
  });

  test("JSON: nested lists, the object of --json, and names of non-finite values", async () => {
    expect((await read("[f32; n, m]", file("n.json", "[[1, 2.5]]"))).values).toMatchObject({
      y: { shape: [1, 2], data: [1, 2.5] },
    });
    const object = await cells("let v = [-0.0, 1.0 / 0.0, 0.5];", "v");
    expect((await read("[f32; n]", file("o.json", object))).values).toMatchObject({
      y: { data: [-0, "Infinity", 0.5] },
    });
  });

  test("an input of unknown rank takes the rank of its value", async () => {
    const from = npy("m.npy", "f32", [[1, 2, 3]]);
    const source = "input x: [f32; *]; let s = sum[i, j](x[i, j]); s + 1";
    const words = ["-e", source, "--in", `x=${from}`];
    expect((await json(...words)).object.values).toMatchObject({
      s: { data: [6] },
      _: { data: [7] },
    });
    expect((await ein([...words, "--dump", "ir"])).err).toContain("sum[i, j](x[i, j])");
    expect((await json("-e", source)).object.errors).toMatchObject([{ code: "E0801" }]);
    // Without the value, the rank is guessed from the uses.
    expect((await ein(["check", "-e", source, "--dump", "ir"])).err).toContain(
      "input x: [f32; ?, ?];",
    );
    const odd = "input x: [f32; *]; let a: [f32; ?] = x; let b: [f32; ?, ?] = x;";
    expect((await ein(["check", "-e", odd, "--dump", "ir"])).err).toContain(
      "the rank of the input `x` is not known",
    );
    const packs = "input A: [f32; ..b, i, k]; input B: [f32; ..b, k, j]; ";
    const product = `${packs} let C[..b, i, j] = sum[k](A[..b, i, k] * B[..b, k, j]);`;
    expect((await ein(["check", "-e", product, "--dump", "checks"])).err).toBe("");
    const last = `${packs} let c[..b, i] = A[..b, i, 3];`;
    expect((await ein(["check", "-e", last, "--dump", "checks"])).err).toBe(
      "A[..b, i, 3]: `3` < k\n",
    );
    const twice = "input x: [f32; *]; let s: [f32] = x; let p = [1.0, 2.0] + x;";
    expect(
      (await json("-e", twice, "--in", `x=${from}`)).object.errors!.map(({ code }) => code),
    ).toEqual(["E0411", "E0403"]);
  });
});

describe("--set", () => {
  const set = async (type: string, text: string) => {
    const { object } = await json("-e", `input x: ${type}; let y = x;`, "--set", `x=${text}`);
    return object.values?.["y"]?.data[0] ?? object.errors![0]!.code;
  };

  test("takes numbers, true and false, fitted to the declared type", async () => {
    expect(await set("i32", "100")).toBe(100);
    expect(await set("i32", "-1_000")).toBe(-1000);
    expect(await set("i64", "9007199254740993")).toBe("9007199254740993");
    expect(await set("f32", "0.1")).toBe(0.1);
    expect(await set("f32", "3")).toBe(3);
    expect(await set("f32", "-inf")).toBe("-Infinity");
    expect(await set("bool", "true")).toBe(true);
    expect(await set("i32", "2.5")).toBe("E0887");
    expect(await set("i8", "300")).toBe("E0887");
    expect(await set("bool", "1")).toBe("E0887");
    expect(await set("[f32; 2]", "1")).toBe("E0887");
    expect(await set("f32", "one")).toBe("E0880");
  });

  test("an input may be given once", async () => {
    const twice = ["-e", "input x: f32; let y = x;", "--set", "x=1", "--set", "x=2"];
    expect(await json(...twice)).toMatchObject({
      code: 2,
      object: { errors: [{ code: "E0880" }] },
    });
  });
});

describe("flags of the run", () => {
  test("--f64 computes floats of every type in f64", async () => {
    const source = "let x = 0.1; let y: f16 = 0.2; let sum_of_both = x + y as f32; sum_of_both";
    expect((await ein(["-e", source, "--f64"])).out).toBe("0.30000000000000004\n");
    expect((await ein(["-e", source])).out).not.toBe("0.30000000000000004\n");
  });

  test("--trap nan stops at the cell, and names it and its operands", async () => {
    const source = 'print("begin"); let x = [4.0, -1.0]; let root[i] = sqrt(x[i]); print(root);';
    expect((await ein(["-e", source])).out).toBe("begin\n[2.0, NaN]\n");
    const { code, object } = await json("-e", source, "--trap", "nan");
    expect(code).toBe(1);
    expect(object).toMatchObject({ errors: [{ code: "E0907" }], printed: ["begin"] });
    expect(object.errors![0]!.message).toMatch(/`root\[1\]` is NaN.*x\[i\] = -1\.0/);
  });

  describe(
    "--trap overflow stops at the operation, and names the cell, " +
      "the operands and what they come to",
    () => {
      const stops = async (source: string): Promise<string> => {
        const { code, object } = await json("-e", source, "--trap", "overflow");
        expect([code, object.errors?.map((each) => each.code)]).toEqual([1, ["E0909"]]);
        const { message, line, column, endColumn } = object.errors![0]!;
        expect(line).toBe(1);
        return `${source.slice(column! - 1, endColumn! - 1)} | ${message}`;
      };

      test.each([
        [
          "let n = [7, 100000]; let y[i] = n[i] * n[i]; print(y);",
          "n[i] * n[i]",
          new RegExp(
            "wraps around to 1410065408.*i32 does not hold 10000000000; " +
              "the operands are 100000 and 100000; in `y\\[1\\]`, at i = 1",
          ),
        ],
        [
          "let n: [i8; 2] = [7, 100]; let y[i] = n[i] + n[i]; print(y);",
          "n[i] + n[i]",
          /wraps around to -56.*i8 does not hold 200/,
        ],
        [
          "let n = [9223372036854775807i64]; let y[i] = n[i] - -1; print(y);",
          "n[i] - -1",
          /i64 does not hold 9223372036854775808/,
        ],
        [
          "let n = [2i64]; print(n[0] ** 63);",
          "n[0] ** 63",
          /i64 does not hold 9223372036854775808; the operands are 2 and 63/,
        ],
        [
          "let n = [3]; print(n[0] ** 1000000);",
          "n[0] ** 1000000",
          /i32 does not hold a number of more than 150 digits/,
        ],
        [
          "let n = [-2147483648]; print(-n[0]);",
          "-n[0]",
          /i32 does not hold 2147483648; the operand is -2147483648/,
        ],
        ["let n = [-2147483648]; print(n[0] / -1);", "n[0] / -1", /i32 does not hold 2147483648/],
        ["let n: [i8; 1] = [-128]; print(abs(n[0]));", "abs(n[0])", /i8 does not hold 128/],
        [
          "let n = [5, 300]; let y[i] = n[i] as i8; print(y);",
          "n[i] as i8",
          /wraps around to 44.*i8 does not hold 300; the operand is 300; in `y\[1\]`/,
        ],
        [
          "let n = [4294967296i64]; print(n[0] as i32);",
          "n[0] as i32",
          /wraps around to 0.*i32 does not hold 4294967296/,
        ],
        [
          "let y[i in 0..3] = sum[k in 0..i * 50000](k); print(y);",
          "sum[k in 0..i * 50000](k)",
          new RegExp(
            "does not hold 4999950000; it leaves i32 at k = 65536, with the element 65536; " +
              "in `y\\[2\\]`",
          ),
        ],
        [
          "let n = [2]; print(prod[i in 1..9](n[0] * 100));",
          "prod[i in 1..9](n[0] * 100)",
          /wraps around to .*does not hold 2560000000000000000; it leaves i32 at i = 5/,
        ],
        [
          "let at = [0, 1, 0]; let v = [2147483647, 1, 1]; " +
            "let s[p in 0..2] = sum[k](v[k] where at[k] == p); print(s);",
          "sum[k](v[k] where at[k] == p)",
          /it leaves i32 at k = 2, with the element 1; in `s\[0\]`/,
        ],
        [
          "let h[0] = 1; let h[t in 1..40] = h[t - 1] * 3; print(h[39]);",
          "h[t - 1] * 3",
          /in `h\[20\]`, at step t = 20/,
        ],
        [
          "let y[i in 0..3000] = i * 1000000; print(y[5]);",
          "i * 1000000",
          /does not hold 2148000000.*in `y\[2148\]`/,
        ],
        [
          "fn f(n: i32, a: i32) -> i32 { if n == 0 { a } else { f(n - 1, a * 10) } } " +
            "print(f(12, 1));",
          "a * 10",
          /the operands are 1000000000 and 10/,
        ],
      ])("%s", async (source, place, message) => {
        const said = await stops(source);
        expect(said.slice(0, place.length + 3)).toBe(`${place} | `);
        expect(said).toMatch(message);
      });

      test("where nothing wraps, the run is the same", async () => {
        const source =
          "let x = [2147483647, 1, -5]; let y[i] = x[i] / 2; " +
          "print(sum[i](x[i]), y, x[0] as i64 * 2, 7.5 as i8, x[0] % 7, max(x[0], 1), " +
          "(-1) ** 1000001);";
        const plain = await ein(["-e", source]);
        expect(plain.out).toBe("2147483643 [1073741823, 0, -2] 4294967294 7 1 2147483647 -1\n");
        expect(await ein(["-e", source, "--trap", "overflow"])).toEqual(plain);
      });
    },
  );

  test("--max-memory stops a run that would need more, in any unit", async () => {
    const source = "let x[i in 0..1000] = i as f32; print(sum[i](x[i]));";
    const exit = async (size: string) => (await ein(["-e", source, "--max-memory", size])).code;
    expect(await exit("1000B")).toBe(1);
    expect(await exit("1KB")).toBe(1);
    expect(await exit("4KB")).toBe(1);
    expect(await exit("4KiB")).toBe(0);
    expect(await exit("1MB")).toBe(0);
    expect((await json("-e", source, "--max-memory", "1KB")).object.errors).toMatchObject([
      { code: "E0805" },
    ]);
  });

  test("--dump shows the optimised form of a run, and the effect of each rule", async () => {
    const source =
      "let x[i in 0..2000] = sin(i as f32); " +
      "let y[p in 0..4000] = sum[k in 0..3](x[(p - k) / 2] where (p - k) % 2 == 0, k <= p); " +
      "let s = sum[p](y[p]);";
    const words = ["run", "-e", source, "--get", "s", "--dump"];
    const all = await ein([...words, "optimise"]);
    expect(all.out).toMatch(/^s = /);
    expect(all.err).toContain(
      "let y[2 * p for p in 2..2000] = sum[k in 0..2](x[p - k] as f64) as f32;",
    );
    expect(all.err).toContain("//   y: 2 of p");
    expect((await ein([...words, "phases"])).err).toBe("y: 2 of p\n");
    expect((await ein([...words, "scan"])).err).toBe("");
    const checked = await ein(["check", "-e", source, "--dump", "phases"]);
    expect([checked.code, checked.err.includes("can only be dumped by a run")]).toEqual([2, true]);
    expect((await ein([...words, "fase"])).err).toContain("the optimiser's rules `inline`");
    expect((await ein([...words, "phase"])).err).toContain("did you mean `phases`?");
  });

  test("--dump shows the program after each pass, on standard error alone", async () => {
    const source = "input x: [f32; n]; let y[i in 0..4] = x[i]; print(y[0]);";
    const words = ["-e", source, "--in", `x=${npy("four.npy", "f32", [1, 2, 3, 4])}`];
    const checks = await ein([...words, "--dump", "checks"]);
    expect(checks).toMatchObject({ code: 0, out: "1.0\n" });
    expect(checks.err).toContain("n");
    expect((await ein([...words, "--dump", "ir"])).err).toContain("let y[i in 0..4] = x[i];");
    expect((await ein([...words, "--dump", "plan"])).err).toContain("map y: f32 [i = 4]");
    expect((await ein(["check", "-e", source, "--dump", "checks"])).err).toBe(checks.err);
    const { out, err } = await ein([...words, "--dump", "ir", "--json"]);
    expect(Object.keys(JSON.parse(out) as object)).toEqual(["values", "printed"]);
    expect(err).toContain("let y");
  });

  test("an empty dump says so, and an unknown pass gets the list of passes", async () => {
    expect((await ein(["check", "-e", "let a = 1;", "--dump", "checks"])).err).toBe("");
    const wrong = await ein(["check", "-e", "let a = 1;", "--dump", "lower"]);
    expect(wrong).toMatchObject({
      code: 2,
      err: expect.stringContaining("`checks`, `ir`, `plan`"),
    });
    expect((await ein(["check", "-e", "let a = 1;", "--dump", "plam"])).err).toContain(
      "did you mean `plan`?",
    );
  });
});

describe("without --json", () => {
  test("prints, then --get as `name = value`, otherwise the last expression", async () => {
    const source = "let x[i in 0..3] = i; let s = 0.5; print(s); x";
    expect((await ein(["-e", source])).out).toBe("0.5\n[0, 1, 2]\n");
    expect((await ein(["-e", source, "--get", "s", "--get", "x"])).out).toBe(
      "0.5\ns = 0.5\nx = [0, 1, 2]\n",
    );
    expect((await ein(["-e", "let x = 1;"])).out).toBe("");
  });

  test("data is shown as print writes it", async () => {
    const point = "struct P { x: f32, y: [i32] } let p = P { x: 1.0, y: [1, 2] };";
    const { out } = await ein([
      "-e",
      `${point} let t = (p.x, "a"); let j: jagged[i32] = [[1], []];`,
      "--get",
      "p,t,j",
    ]);
    expect(out).toBe('p = P { x: 1.0, y: [1, 2] }\nt = (1.0, "a")\nj = [[1], []]\n');
  });

  test("a terminal shows tensors aligned, with the names and extents of their axes", async () => {
    const source = `let x[row in 0..2, column in 0..3] = row as f32 * 10.0 + column as f32 / 2.0;
print("x:", x, "mean", mean[row, column](x[row, column]));`;
    const { out } = await ein(["-e", source, "--get", "x"], {
      terminal: true,
      env: { NO_COLOR: "1" },
    });
    const table = "   0.0   0.5   1.0\n  10.0  10.5  11.0\n";
    expect(out).toBe(
      `x:\n[row: 2, column: 3] f32\n${table}mean 5.5\nx = [row: 2, column: 3] f32\n${table}`,
    );
  });

  test("axes keep their names through inputs, functions and `let`s", async () => {
    const source = `fn twice(x: [f32; n, m]) -> [f32; n, m] { 2.0 * x[n, m] }
input A: [f32; head, key]; let B = twice(A); let C = B; let L = [[1, 2]];`;
    const words = ["-e", source, "--in", `A=${npy("one.npy", "f32", [[1, 2]])}`, "--get", "B,C,L"];
    const { out } = await ein(words, { terminal: true, env: { NO_COLOR: "1" } });
    expect(out.match(/^\w = .*$/gm)).toEqual([
      "B = [head: 1, key: 2] f32",
      "C = [head: 1, key: 2] f32",
      "L = [1, 2] i32",
    ]);
  });
});

describe("a mistake inside the compiler", () => {
  const now = () => {
    throw new Error("the clock is broken");
  };

  test("is said to be ours, without a stack trace unless asked", async () => {
    const plain = await ein(["-e", "let a = 1;"], { now });
    expect(plain).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("error[E0999]: internal error"),
    });
    expect(plain.err).not.toContain(" at ");
    expect((await ein(["-e", "let a = 1;"], { now, env: { EIN_DEBUG: "1" } })).err).toContain(
      " at ",
    );
    expect(JSON.parse((await ein(["-e", "let a = 1;", "--json"], { now })).out)).toMatchObject({
      errors: [{ code: "E0999" }],
      printed: [],
    });
  });
});
