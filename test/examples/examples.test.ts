// Runs every program in examples/ and compares it with values that NumPy computed (reference.py
// writes expected.json).

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compile, type CompiledProgram } from "../../src/driver/compile.ts";
import { failed } from "../../src/base/failure.ts";
import { fromJson, toJson, type JsonTensor } from "../../src/host/json.ts";
import type { TensorValue } from "../../src/scalar/values/value.ts";
import { format } from "../../src/syntax/format/format.ts";
import { parse } from "../../src/syntax/parse/parser.ts";

interface Expectation {
  readonly inputs: Readonly<Record<string, JsonTensor>>;
  readonly values: Readonly<Record<string, JsonTensor>>;
  /** One text for each `print`. Absent if the prints are not compared. */
  readonly printed?: readonly string[];
}

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const programs = (path: string): readonly string[] =>
  readdirSync(folder(path))
    .filter((file) => file.endsWith(".ein"))
    .map((file) => file.slice(0, -".ein".length));
const read = (path: string): string => readFileSync(folder(path), "utf8");
const expected = JSON.parse(read("expected.json")) as Readonly<Record<string, Expectation>>;
const examples = programs("../../examples");

/**
 * Programs with symbolic extents in which everything is proved at compile time: no check is left to
 * the run.
 */
const proved = [
  "matmul",
  "batched-matmul",
  "batched-matmul-named",
  "biases",
  "dense-layer",
  "convolution",
  "padded-convolution",
  "strided-convolution",
  "layer-norm",
  "masked-softmax",
  "attention",
  "rnn",
  "heat-equation",
  "prefix-sums",
];

describe("examples", () => {
  for (const name of examples) {
    const text = read(`../../examples/${name}.ein`);

    test(`${name} gives the expected values`, () => {
      const expectation = expected[name];
      if (!expectation)
        throw new Error(`${name} has no expectation: add it to test/examples/reference.py`);
      const { program, printed } = ran(name, text, expectation);
      expect(program.values).toEqual(expect.arrayContaining(Object.keys(expectation.values)));
      if (expectation.printed) expect(printed).toEqual(expectation.printed);
    });

    test(`${name} is in canonical layout and says what it shows`, () => {
      const { module, diagnostics } = parse({ name, text });
      expect(diagnostics).toEqual([]);
      expect(format(module)).toBe(text);
      expect(text).toMatch(/^\/\/ [A-Z]/);
    });
  }

  test("every expectation has its example, and expects something", () => {
    expect(Object.keys(expected).toSorted()).toEqual(examples.toSorted());
    for (const { values } of Object.values(expected)) expect(Object.keys(values)).not.toEqual([]);
  });

  test("the index in examples/README.md has every example once", () => {
    const listed = [...read("../../examples/README.md").matchAll(/\]\(([\w-]+)\.ein\)/g)].map(
      (match) => match[1]!,
    );
    expect(listed.toSorted()).toEqual(examples.toSorted());
  });

  for (const name of proved) {
    test(`${name} leaves nothing to be checked later`, () => {
      const { program } = compile({ name, text: read(`../../examples/${name}.ein`) });
      expect(
        program?.inputs.flatMap(({ shape }) => shape).some((extent) => typeof extent === "string"),
      ).toBe(true);
      expect(program?.dump("checks")).toBe("");
    });
  }
});

describe("programs that are rejected", () => {
  for (const name of programs("rejected")) {
    test(name, () => {
      const text = read(`rejected/${name}.ein`);
      const [, code, help] = /^\/\/! (E\d{4}) (.*)$/m.exec(text) ?? [];
      const { program, diagnostics } = compile({ name, text });
      expect(program).toBeUndefined();
      expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
      expect(diagnostics[0]?.help).toContain(help);
    });
  }
});

describe("the comparison", () => {
  const text = "let x[i in 0..2] = 1.5 * i as f32;";
  const expecting = (x: JsonTensor) => () => ran("x", text, { inputs: {}, values: { x } });

  test("objects to a wrong element type, shape or value", () => {
    expect(expecting({ dtype: "f32", shape: [2], data: [0, 1.5] })).not.toThrow();
    expect(expecting({ dtype: "f32", shape: [2], data: [0, 1.5001] })).toThrow();
    expect(expecting({ dtype: "f32", shape: [2], data: [0, "NaN"] })).toThrow();
    expect(expecting({ dtype: "f64", shape: [2], data: [0, 1.5] })).toThrow();
    expect(expecting({ dtype: "f32", shape: [2, 1], data: [0, 1.5] })).toThrow();
  });
});

/** Compiles and runs a program, and compares each expected value. */
function ran(
  name: string,
  text: string,
  { inputs, values }: Expectation,
): { readonly program: CompiledProgram; readonly printed: readonly string[] } {
  const { program, diagnostics } = compile({ name: `${name}.ein`, text });
  expect(diagnostics).toEqual([]);
  if (!program) throw new Error(`${name} does not compile`);
  const printed: string[] = [];
  const result = program.run({
    inputs: new Map(Object.entries(inputs).map(([input, json]) => [input, tensor(json)])),
    get: Object.keys(values),
    onPrint: (one) => printed.push(one.text),
  });
  expect(result.fault).toBeUndefined();
  for (const [value, wanted] of Object.entries(values)) {
    const found = result.values.get(value)?.value;
    if (!found) throw new Error(`${name} gives no ${value}`);
    agree(toJson(found), wanted, `${name}: ${value}`);
  }
  return { program, printed };
}

function tensor(json: JsonTensor): TensorValue {
  const value = fromJson(json, json.dtype);
  if (failed(value)) throw new Error(value.error);
  return value;
}

/**
 * The relative distance from the expected value that a cell may have. The expectations have nine
 * digits.
 */
const tolerance: Readonly<Partial<Record<string, number>>> = { f32: 1e-5, f64: 1e-8 };

/** A cell that is a sum of much larger numbers may have their rounding error. */
const cancellation = 0.1;

function agree(found: JsonTensor, wanted: JsonTensor, what: string): void {
  expect({ dtype: found.dtype, shape: found.shape }, what).toEqual({
    dtype: wanted.dtype,
    shape: wanted.shape,
  });
  const relative = tolerance[wanted.dtype];
  if (relative === undefined) {
    expect(found.data, what).toEqual(wanted.data);
    return;
  }
  const largest = Math.max(...wanted.data.map((cell) => Math.abs(Number(cell))));
  const far = wanted.data.flatMap((cell, at) => {
    const allowed = relative * Math.max(Math.abs(Number(cell)), cancellation * largest);
    const near = Math.abs(Number(found.data[at]) - Number(cell)) <= allowed;
    return near ? [] : [`[${at}]: ${found.data[at]}, expected ${cell}`];
  });
  expect(far, what).toEqual([]);
}
