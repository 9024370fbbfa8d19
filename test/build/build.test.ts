// Built programs: every case that can be built gives the same bits as its kernels, with other data
// than at recording.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../src/build/build.ts";
import { moduleText, typesText } from "../../src/build/module-text.ts";
import { rolled } from "../../src/build/tape.ts";
import { compile } from "../../src/driver/compile.ts";
import { failed } from "../../src/base/failure.ts";
import { fromNested, type Nested, type TensorValue } from "../../src/scalar/values/value.ts";
import { isFloat } from "../../src/scalar/types.ts";
import type { Built, Step } from "../../src/runtime/built.ts";
import { load, type BuiltInput, type Value } from "../../src/runtime/index.ts";
import { session } from "../cli/session.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const valueOf = (nested: Nested, dtype = "f32"): TensorValue => {
  const value = fromNested(dtype as "f32", nested);
  if (failed(value)) throw new Error(value.error);
  return value;
};

function builtFrom(text: string, options: Partial<Parameters<typeof build>[1]> = {}): Built {
  const { program, diagnostics } = compile({ name: "model.ein", text });
  if (!program) throw new Error(diagnostics[0]?.title);
  const outcome = build(program, { extents: new Map(), fixed: new Map(), ...options });
  if ("diagnostics" in outcome)
    throw new Error(outcome.diagnostics.map(({ code, title }) => `${code} ${title}`).join("\n"));
  return outcome.built;
}

test("an integer that is not a position or a size may stay an input", async () => {
  const text =
    "input x: [f32; 3]; input step: i32;\n" +
    "let next = step + 1; let z[i] = x[i] * step as f32; let at = x[step];\nassert(step > 0);";
  const run = await load(builtFrom(text, { get: ["z", "next"] }));
  for (const step of [5, 7]) {
    const { z, next } = run({ x: Float32Array.of(1, 2, 3), step });
    expect([[...z!.data], [...next!.data]]).toEqual([[step, 2 * step, 3 * step], [step + 1]]);
  }
  expect(() => run({ x: new Float32Array(3), step: 0 })).toThrow("E0905");
  expect(() => run({ x: new Float32Array(3), step: 0.5 })).toThrow("E0887");
  expect(() => builtFrom(text, { get: ["z", "at"] })).toThrow("E0804");
});

test("a program is recorded with integers that lie within what they index", async () => {
  const run = await load(
    builtFrom("input x: [f32; 2]; input q: [i32; 3]; let y[i] = x[q[i]] * 2.0;", { get: ["y"] }),
  );
  expect([...run({ x: Float32Array.of(1, 3), q: Int32Array.of(1, 0, 1) })["y"]!.data]).toEqual([
    6, 2, 6,
  ]);
});

test("gradients of products that data chooses are built from their formulas", async () => {
  const text = `input v: [f32; 6]; input ptr: [i32; 4];
    let y[i in 0..3] = prod[k in ptr[i]..ptr[i + 1]](v[k]);
    let loss = sum[i](y[i] ** 2); let g = @loss / @v;`;
  const run = await load(builtFrom(text, { get: ["g"] }));
  const { g } = run({ v: Float32Array.of(2, 3, 0, 5, 7, 1), ptr: Int32Array.of(0, 2, 3, 6) });
  expect([...g!.data]).toEqual([36, 24, 0, 490, 350, 2450]);
});

describe("extents that come with the inputs", () => {
  /** Cells with different numbers, as a value of the library and of a built module. */
  const cells = (shape: readonly number[], seed = 0): Value & { readonly dtype: "f32" } => ({
    data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, k) =>
      Math.sin(k * 0.7 + seed),
    ),
    shape,
    dtype: "f32",
  });

  /** Builds a program once and compares it with the library, on inputs of several shapes. */
  async function holds(
    text: string,
    extents: Record<string, readonly number[]>,
    shapes: readonly Record<string, readonly number[]>[],
  ) {
    const built = builtFrom(text, { extents: new Map(Object.entries(extents)) });
    const run = await load(built);
    const { program } = compile({ name: "model.ein", text });
    for (const each of shapes) {
      const inputs = Object.fromEntries(
        Object.entries(each).map(([name, shape], k) => [name, cells(shape, k)]),
      );
      const values = run(inputs);
      const expected = program!.run({
        inputs: new Map(Object.entries(inputs)),
        backend: "interpret",
      });
      expect(expected.fault, JSON.stringify(each)).toBe(undefined);
      for (const { name } of built.outputs) {
        const { value } = expected.values.get(name)!;
        expect(values[name]!.shape, `${name} of ${JSON.stringify(each)}`).toEqual(value.shape);
        const [got, right] = [values[name]!.data, value.data] as [Float32Array, Float32Array];
        const worst = got.reduce((most, cell, k) => Math.max(most, Math.abs(cell - right[k]!)), 0);
        expect(worst, `${name} of ${JSON.stringify(each)}`).toBeLessThan(2e-6);
      }
    }
    return built;
  }

  test("a dimension whose rows are computed each by itself may have any", async () => {
    const layer =
      "input x: [f32; batch, in]; input W: [f32; 8, in]; input b: [f32; 8];\n" +
      "let h[batch, out] = tanh(sum[in](x[batch, in] * W[out, in]) + b[out]);\n" +
      "pub let p[batch, out] = exp(h[batch, out]) / sum[o](exp(h[batch, o]));\n" +
      "pub let norm = sum[out, in](W[out, in] ** 2);";
    const rows = [0, 1, 2, 15, 16, 17, 255, 300];
    const built = await holds(
      layer,
      { in: [5] },
      rows.map((n) => ({ x: [n, 5], W: [8, 5], b: [8] })),
    );
    expect(built.dimensions).toMatchObject([{ name: "batch", inRows: true }]);
    // Rows need not be the first axis, and a recurrence may run beside the scan.
    const scan =
      "input x: [f32; 6, batch];\nlet h[0, batch] = x[0, batch]; " +
      "let h[t in 1..6, batch] = 0.5 * h[t - 1, batch] + x[t, batch];\n" +
      "pub let y[t, batch] = h[t, batch]; pub let last[batch] = h[5, batch];";
    await holds(
      scan,
      {},
      [0, 1, 3, 40].map((n) => ({ x: [6, n] })),
    );
    const both =
      "input x: [f32; h, w]; input k: [f32; h];\n" +
      "pub let y[h, w] = x[h, w] * k[h] + 1.0; pub let z[h] = 2.0 * k[h];";
    await holds(
      both,
      {},
      [
        [0, 0],
        [0, 3],
        [3, 0],
        [1, 1],
        [5, 7],
        [33, 20],
      ].map(([h, w]) => ({ x: [h!, w!], k: [h!] })),
    );
  });

  test("others may have those that were named", async () => {
    const step =
      "input x: [f32; batch, in]; input w: [f32; in];\n" +
      "let loss = mean[batch]((sum[in](x[batch, in] * w[in]) - 1.0) ** 2);\n" +
      "pub let next = w - 0.1 * (@loss / @w);\n" +
      "pub let twice[i in 0..2 * extent(batch)] = w[0];";
    const built = await holds(
      step,
      { batch: [4, 32], in: [3] },
      [4, 32].map((n) => ({ x: [n, 3], w: [3] })),
    );
    const run = await load(built);
    expect(() => run({ x: cells([5, 3]), w: cells([3]) })).toThrow(
      "E0887: `batch` is 5 in `x`, and the module was built for 4, 32: " +
        "build it with `--extent batch=5` too",
    );
    expect(run({ x: new Float32Array(12), w: new Float32Array(3) })["twice"]!.shape).toEqual([8]);
    expect(typesText(built)).toContain("for the extents 4, 32 of `batch`");
    expect(typesText(built)).toContain("readonly shape: readonly [4 | 32, 3]");
    expect(typesText(built)).toContain(
      "twice: { readonly data: Float32Array; readonly shape: readonly [number]",
    );
  });

  test("bare arrays get the shape that their length implies, or a message", async () => {
    const text = "input x: [f32; batch, 2]; input y: [f32; batch]; let z[b, j] = x[b, j] * y[b];";
    const run = await load(builtFrom(text));
    expect(run({ x: new Float32Array(6), y: new Float32Array(3) })["z"]!.shape).toEqual([3, 2]);
    const wrong = (x: BuiltInput, y: BuiltInput): string => {
      try {
        run({ x, y });
        return "";
      } catch (problem) {
        return (problem as Error).message;
      }
    };
    expect([
      wrong(new Float32Array(6), new Float32Array(4)),
      wrong(new Float32Array(5), new Float32Array(4)),
      wrong({ data: new Float32Array(6), shape: [3, 2], dtype: "f32" }, new Float32Array(2)),
      wrong({ data: new Float32Array(6), shape: [2, 3], dtype: "f32" }, new Float32Array(2)),
    ]).toEqual([
      "E0887: the value for `y` does not fit: it was built as [f32; batch], " +
        "what came is an array of 4, not 3: `batch` is 3 in `x`",
      "E0887: the value for `x` does not fit: it was built as [f32; batch, 2], " +
        "what came is an array of 5, which is no multiple of 2",
      "E0887: the value for `y` does not fit: it was built as [f32; batch], " +
        "what came is an array of 2, not 3: `batch` is 3 in `x`",
      "E0887: the value for `x` does not fit: it was built as [f32; batch, 2], " +
        "what came is of the shape [2,3]",
    ]);
    const square = await load(builtFrom("input x: [f32; h, w]; let z[h, w] = 2.0 * x[h, w];"));
    expect(() => square({ x: new Float32Array(6) })).toThrow(
      "an array of 6 without a shape: give { data, shape, dtype }",
    );
  });

  test("a dimension is not taken for rows where its positions or its extent count", () => {
    const isOpen = (text: string): boolean => {
      const { program, diagnostics } = compile({ name: "model.ein", text });
      if (!program) throw new Error(diagnostics[0]!.title);
      return "built" in build(program, { extents: new Map(), fixed: new Map() });
    };
    const open = "input x: [f32; n]; let y[i] = x[i] * 2.0;";
    const fixed = [
      "let y[i] = x[i] * i as f32;",
      "let y[i] = x[i] / extent(n) as f32;",
      "let y[i] = sum[k](x[k]) + x[i];",
      "let y = sum[k](x[k]);",
      "let y[i] = if i > 0 { x[i] - x[i - 1] } else { x[i] };",
      "let y[i in 0..extent(n)] = x[extent(n) - 1 - i];",
      "let y[i in 1..extent(n)] = x[i];",
      "let y[i in 0..3] = x[i];",
      "let y[i, j] = x[i] * x[j];",
      "let y[i in 0..extent(n)] = sum[k in 0..i + 1](x[k]);",
      "let y[i] = x[i] where i > 0;",
      "let y[i] = uniform(0, i) + x[i];",
      "let y[i] = x[i]; let y[0] = 1.0;",
      "let y = len(x);",
      "let y[i] = x[i]; assert(len(x) > 2);",
    ];
    expect(isOpen(open)).toBe(true);
    for (const body of fixed) expect(isOpen(`input x: [f32; n]; ${body}`), body).toBe(false);
  });
});

describe("what is built", () => {
  test("takes and gives what the program declares, and nothing else", async () => {
    const text =
      "input x: [f32; n];\ninput k: f32;\ninput on: bool;\ninput big: i64;\n" +
      "input c: [f64; 2];\nlet hidden = 1;\n" +
      "pub let y[i] = if on { x[i] * k } else { 0 };\npub let z = big + 1;\npub let same = c;";
    const built = builtFrom(text, {
      extents: new Map([["n", [3]]]),
      fixed: new Map([["c", valueOf([1, 2], "f64")]]),
    });
    expect(built.inputs.map(({ name }) => name)).toEqual(["x", "k", "on", "big"]);
    expect(built.outputs.map(({ name }) => name)).toEqual(["y", "z", "same"]);
    const run = await load(built);
    const { y, z, same } = run({ x: Float32Array.of(1, 2, 3), k: 2, on: true, big: 4n });
    expect([[...y!.data], z!.data[0], [...same!.data]]).toEqual([[2, 4, 6], 5n, [1, 2]]);
    const wrong = (inputs: Record<string, unknown>): string => {
      try {
        run(inputs as Record<string, BuiltInput>);
        return "";
      } catch (problem) {
        return (problem as Error).message;
      }
    };
    const fine = { x: Float32Array.of(1, 2, 3), k: 2, on: true, big: 4n };
    expect([
      wrong({}),
      wrong({ ...fine, w: 1 }),
      wrong({ ...fine, x: 1 }),
      wrong({ ...fine, x: new Float64Array(3) }),
      wrong({ ...fine, x: new Float32Array(4) }),
      wrong({ ...fine, x: { data: new Float32Array(3), shape: [1, 3], dtype: "f32" } }),
      wrong({ ...fine, x: { data: new Float32Array(3), shape: [3], dtype: "f64" } }),
      wrong({ ...fine, x: {} }),
      wrong({ ...fine, x: null }),
      wrong(null as unknown as Record<string, unknown>),
      wrong({ ...fine, x: { data: new Float32Array(3), shape: "3", dtype: "f32" } }),
      wrong({ ...fine, k: true }),
      wrong({ ...fine, big: 4 }),
    ]).toEqual([
      "E0801: the input `x` is missing; it is [f32; 3]",
      "E0885: model.ein declares no input `w`",
      "E0887: the value for `x` does not fit: it was built as [f32; 3], " +
        "what came is the number 1",
      "E0887: the value for `x` does not fit: it was built as [f32; 3], " +
        "what came is in a Float64Array",
      "E0887: the value for `x` does not fit: it was built as [f32; 3], " +
        "what came is an array of 4, not 3",
      "E0887: the value for `x` does not fit: it was built as [f32; 3], " +
        "what came is of the shape [1,3]",
      "E0887: the value for `x` does not fit: it was built as [f32; 3], what came is f64",
      "E0887: the value for `x` does not fit: it was built as [f32; 3], " +
        "what came is in a value without data",
      "E0887: the value for `x` does not fit: it was built as [f32; 3], what came is null",
      "E0801: model.ein takes its inputs by name",
      "E0887: the value for `x` does not fit: it was built as [f32; 3], " +
        'what came is of the shape "3"',
      "E0887: the value for `k` does not fit: it was built as f32, " +
        "what came is the boolean true",
      "E0887: the value for `big` does not fit: it was built as i64, " +
        "what came is the number 4",
    ]);
  });

  test("holds what the program asserts, and says where something went wrong", async () => {
    const run = await load(
      builtFrom('input x: [f32; 2];\nlet y = x;\nassert(x[0] > 0.0, "x is positive");'),
    );
    expect(() => run({ x: Float32Array.of(-1, 1) })).toThrow(
      "E0905: model.ein:3: assertion failed: x is positive",
    );
    const gather = await load(
      builtFrom("input idx: [i32; 2];\nlet x = [1.0, 2.0];\nlet y[k] = x[idx[k]];"),
    );
    expect(() => gather({ idx: Int32Array.of(0, 7) })).toThrow(
      "`y` (model.ein:3) met an index out of bounds",
    );
    expect([...gather({ idx: Int32Array.of(1, 0) })["y"]!.data]).toEqual([2, 1]);
  });

  test("is refused where only a run would know a size, or kernels do not suffice", () => {
    const reason = (text: string): string => {
      try {
        builtFrom(text);
        return "";
      } catch (problem) {
        return (problem as Error).message;
      }
    };
    expect([
      reason("input x: [f32; n, m]; let y = sum[i, j](x[i, j]);"),
      reason("input x: [f32; ?]; let y = sum[i](x[i]);"),
      reason("input T: i32; let y[i in 0..T] = 1.0;"),
      reason("input x: [f32; 3]; let y = [x[i] | i in 0..3, x[i] > 0.0];"),
      reason(
        "input x: f32; fn down(k: f32) -> f32 { if k < 1.0 { k } else { down(k - 1.0) } } " +
          "let y = down(x);",
      ),
      reason('input x: f32; let y = "{x}";'),
    ]).toEqual([
      "E0804 kernels are built for fixed extents, and `n`, `m` are open",
      "E0804 kernels are built for fixed extents, and `x.0` is open",
      "E0804 kernels are made for the integers that sizes and positions are made of, " +
        "and `T` is an input",
      "E0804 kernels are made for the integers that sizes and positions are made of, " +
        "and `[x[i] | i in 0..3, x[i] > 0.0]` is computed from inputs",
      "E0804 `y` has no kernel: a call of a function",
      "E0804 `y` is text, which a built program does not give",
    ]);
  });

  test("is one line for a recurrence of many steps", () => {
    const text =
      "input a: [f32; 256];\nlet h[0, i] = a[i];\n" +
      "let h[t in 1..5000, i in 0..256] = sum[k](h[t - 1, k] * a[i]) * 0.001;\n" +
      "pub let y[i] = h[4999, i];";
    expect(JSON.stringify(builtFrom(text).plans).length).toBeLessThan(2000);
  });

  test("loops of loops are rolled and unroll to the same", () => {
    const steps: Step[] = [];
    for (let i = 0; i < 7; i++) {
      for (let j = 0; j < 5; j++) steps.push([0, 1, 100 * i + j], [3, j, 8]);
      steps.push([4, i, 2 * i, 3]);
    }
    const tape = rolled(steps);
    expect(tape.length).toBe(1);
    expect(unrolled(tape)).toEqual(steps);
  });

  function unrolled(tape: readonly Step[]): readonly Step[] {
    return tape.flatMap((step) => {
      if (!("turns" in step)) return [step];
      return Array.from({ length: step.turns }, (_, turn) => {
        let at = 0;
        const shifted = (inner: readonly Step[]): readonly Step[] =>
          inner.map((each): Step => {
            if ("turns" in each) return { ...each, steps: shifted(each.steps) };
            const [operation, ...numbers] = each;
            return [operation, ...numbers.map((number) => number + turn * step.by[at++]!)];
          });
        return unrolled(shifted(step.steps));
      }).flat();
    });
  }
});

describe("ein build", () => {
  const { ein } = session();
  let folder = "";
  const home = process.cwd();
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ein-build-"));
    process.chdir(folder);
    writeFileSync("model.ein", "input x: [f32; n];\npub let y[i] = 2.0 * x[i];\n");
  });
  afterAll(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true, force: true });
  });

  test(
    "writes a module, its types and the runtime, which Node runs and TypeScript checks",
    { timeout: 60_000 },
    async () => {
      const answer = await ein(["build", "model.ein", "--out", "out/deep", "--extent", "n=3"]);
      expect(answer).toEqual({
        code: 0,
        out: "out/deep/model.js\nout/deep/model.d.ts\nout/deep/einlang-runtime.js\n",
        err: "",
      });
      const module = pathToFileURL(join(folder, "out/deep/model.js")).href;
      const script =
        `import run from ${JSON.stringify(module)}; ` +
        "console.log(run({ x: Float32Array.of(1, 2, 3) }).y);";
      writeFileSync("use.mjs", script);
      expect(execFileSync(process.execPath, ["use.mjs"]).toString()).toContain(
        "Float32Array(3) [ 2, 4, 6 ]",
      );
      const checked = (text: string): string => {
        writeFileSync("use.ts", text);
        const flags =
          "--noEmit --strict --module preserve --lib es2022 --types --pretty false use.ts".split(
            " ",
          );
        try {
          return execFileSync(process.execPath, [
            join(root, "node_modules/typescript/bin/tsc"),
            ...flags,
          ]).toString();
        } catch (problem) {
          return String((problem as { readonly stdout: Buffer }).stdout);
        }
      };
      const use = 'import { run } from "./out/deep/model.js";\n';
      expect(
        checked(
          `${use}export const shape: readonly [3] = run({ x: new Float32Array(3) }).y.shape;`,
        ),
      ).toBe("");
      expect(checked(`${use}run({ x: new Float64Array(3) });`)).toContain("Float64Array");
      expect(
        checked(`${use}run({ x: { data: new Float32Array(3), shape: [4], dtype: "f32" } });`),
      ).toContain("TS2322");
      expect(checked(`${use}run({}); export const z = run({ x: new Float32Array(3) }).z;`)).toMatch(
        /TS2741[^]*TS2339/,
      );
    },
  );

  test("says what is missing and what is wrong", async () => {
    expect(await ein(["build", "model.ein"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("needs `--out`"),
    });
    const open = await ein([
      "build",
      "-e",
      "input x: [f32; n];\nlet y = sum[i](x[i]);",
      "--out",
      "out",
    ]);
    expect(open).toMatchObject({ code: 1, err: expect.stringContaining("`--extent n=64`") });
    expect(open.err).toContain("`y` is not computed row by row along `n`");
    const wrong = await ein([
      "build",
      "model.ein",
      "--out",
      "out",
      "--extent",
      "m=3",
      "--extent",
      "n=2",
    ]);
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("no dimension `m`") });
    const word = await ein(["build", "model.ein", "--out", "out", "--extent", "n=many"]);
    expect(word).toMatchObject({ code: 2, err: expect.stringContaining("is not an extent") });
    const name = await ein(["build", "model.ein", "--out", "out", "--extent", "n=2", "--get", "Y"]);
    expect(name).toMatchObject({ code: 1, err: expect.stringContaining("did you mean `y`?") });
    const file = await ein(["build", "model.ein", "--out", "model.ein/x", "--extent", "n=2"]);
    expect(file).toMatchObject({ code: 2, err: expect.stringContaining("E0882") });
    const json = await ein(["build", "model.ein", "--out", "out", "--extent", "n=2", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({
      files: [
        join("out", "model.js"),
        join("out", "model.d.ts"),
        join("out", "einlang-runtime.js"),
      ],
    });
  });

  test("has a runtime of at most 15 kB, without a compiler", () => {
    const runtime = readFileSync(join(root, "dist/runtime.js"));
    expect(gzipSync(runtime, { level: 9 }).length).toBeLessThan(15_000);
    expect(runtime.toString()).not.toMatch(/\bimport\s*[({"']/);
  });

  test("texts are whole files", () => {
    const built = builtFrom("let y = [1.0, 2.0];");
    expect(moduleText(built, "./r.js")).toMatch(
      /^\/\/ Built by Einlang from model\.ein\.\nimport \{ load \} from "\.\/r\.js";\n/,
    );
    expect(typesText(built)).toContain("run(inputs?: Inputs): Outputs;");
  });

  test("floats of every width go in and out", async () => {
    const built = builtFrom(
      "input h: [f16; 2];\ninput b: [bf16; 2];\ninput d: [f64; 2];\ninput i: [i8; 2];\n" +
        "let s[k] = h[k] as f64 + b[k] as f64 + d[k] + i[k] as f64;\nlet t[k] = h[k];",
    );
    const run = await load(built);
    const { s, t } = run({
      h: Float32Array.of(1, 2),
      b: Float32Array.of(3, 4),
      d: Float64Array.of(5, 6),
      i: Int8Array.of(7, 8),
    });
    expect([...s!.data]).toEqual([16, 20]);
    expect(t).toMatchObject({ dtype: "f16", data: Float32Array.of(1, 2) });
    expect(built.inputs.every(({ dtype }) => isFloat(dtype) || dtype === "i8")).toBe(true);
  });
});
