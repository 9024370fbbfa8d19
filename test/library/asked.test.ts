// Mistakes of host programs without types: each gets a code and the right way to call the library.

import { describe, expect, test } from "vitest";
import {
  compile,
  ein,
  EinError,
  type CompileOptions,
  type Inputs,
  type SyncOptions,
} from "../../src/index.ts";

async function said(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (problem) {
    if (!(problem instanceof EinError)) throw problem;
    const { code, title, help } = problem.diagnostics[0]!;
    return `${code} ${title} | ${help}`;
  }
  throw new Error("nothing was thrown");
}

const text =
  "input x: [f32; n];\nlet y = sum[i](x[i]);\npub fn double(a: [f32; n]) -> [f32; n] { 2 * a[n] }";

describe("a call of the library", () => {
  test.each([
    [123],
    [null],
    [undefined],
    [["let x = 1;"]],
    [{}],
    [{ text: 5 }],
    [() => "let x = 1;"],
  ])("compiles texts, and not %s", async (given) => {
    expect(await said(() => compile(given as string))).toMatch(
      /^E0806 `compile` was given .* as its text \| give/,
    );
  });

  test.each<[unknown, string]>([
    [null, "E0806 `compile` was given null as its options | give it an object"],
    [
      { backend: "gpu" },
      'E0806 the option `backend` of `compile` is "gpu" | give it "wasm", "js", "interpret"',
    ],
    [{ backnd: "js" }, "E0806 `compile` takes no option `backnd` | did you mean `backend`?"],
    [{ open: 1 }, "E0806 the option `open` of `compile` is 1 | give it true or false"],
    [
      { finite: "x" },
      'E0806 the option `finite` of `compile` is "x" | give it true, false or a list of names',
    ],
    [
      { inputs: { z: 5 } },
      "E0806 the option `inputs` of `compile` is an object | " +
        'give it types by the names of inputs, such as `{ x: "[f32; n]" }`',
    ],
    [{ readModule: "m" }, 'E0806 the option `readModule` of `compile` is "m" | give it a function'],
  ])("compiles with options that there are, and not with %o", async (options, expected) => {
    expect(await said(() => compile(text, options as CompileOptions))).toBe(expected);
  });

  test.each<[unknown, string]>([
    [5, "E0806 `RUN` was given 5 as its options | give it an object"],
    [
      { get: "y" },
      'E0806 the option `get` of `RUN` is "y" | give it a list of names, such as `["loss"]`',
    ],
    [
      { maxMemory: "4GB" },
      'E0806 the option `maxMemory` of `RUN` is "4GB" | give it a number of bytes',
    ],
    [{ trap: "inf" }, 'E0806 the option `trap` of `RUN` is "inf" | give it "nan", "overflow"'],
    [{ gett: ["y"] }, "E0806 `RUN` takes no option `gett` | did you mean `get`?"],
    [{ onPrint: true }, "E0806 the option `onPrint` of `RUN` is true | give it a function"],
  ])("runs with options that there are, and not with %o", async (options, expected) => {
    const program = await compile(text);
    const given = options as SyncOptions;
    expect(await said(() => program.run({ x: [1] }, given))).toBe(expected.replace("RUN", "run"));
    expect(await said(() => program.runAsync({ x: [1] }, given))).toBe(
      expected.replace("RUN", "runAsync"),
    );
  });

  test.each([
    ["nan", "let y[i] = 1.0 / x[i];", "E0907 `y[1]` is Infinity"],
    [
      "overflow",
      "let y[i] = (x[i] as i32 + 3) * 1000000000;",
      "E0909 `(x[i] as i32 + 3) * 1000000000` wraps around",
    ],
  ] as const)("stops at %s where it is asked to", async (trap, body, expected) => {
    const program = await compile(`input x: [f32; n]; ${body}`);
    expect(program.run({ x: [1, 0] }).y).toBeDefined();
    expect(await said(() => program.run({ x: [1, 0] }, { trap }))).toContain(expected);
  });

  test("takes inputs by name, and names as texts", async () => {
    const program = await compile(text);
    const inputs = [1] as unknown as Inputs;
    expect(await said(() => program.run(inputs))).toContain(
      "`run` was given an array as its inputs",
    );
    expect(await said(() => program.runAsync(inputs))).toContain(
      "`runAsync` was given an array as its inputs",
    );
    expect(await said(() => program.fn(3 as unknown as string))).toContain(
      "`fn` was given 3 as the name of a function",
    );
    expect(await said(() => program.fn("double", "n" as unknown as string[]))).toContain(
      "as its coordinates",
    );
    expect(await said(() => program.fn("double")({ dtype: "f32" } as unknown as number))).toMatch(
      /^E0402 /,
    );
    expect(await said(() => program.grad("y", "x" as unknown as string[]))).toContain(
      "as what to differentiate by",
    );
    expect(await said(() => program.grad("y", []))).toContain("`grad` was given an empty array");
    expect(await said(() => program.alloc("x", 3 as unknown as number[]))).toContain(
      "`alloc` was given 3 as a shape",
    );
    expect(await said(() => program.alloc("x", [1e15]))).toMatch(/^E0805 /);
    expect(await said(() => (ein as (given: unknown) => unknown)(123))).toContain(
      "`ein` was given 123 as its text",
    );
  });

  test("leaves options out that are undefined", async () => {
    const nothing: object = { backend: undefined };
    const program = await compile(text, nothing);
    const all: object = { get: undefined };
    expect(program.run({ x: [1, 2] }, all).y!.data).toEqual(Float32Array.of(3));
  });
});
