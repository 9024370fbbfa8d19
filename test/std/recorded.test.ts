// Every function of the standard library, compared with NumPy, SciPy and PyTorch: values,
// gradients, and the gradients of the printed backward program, in f64, for sizes from 0 on. Each
// program is compiled once, with open dimensions, and run for every size.

import { describe, expect, test } from "vitest";
import { compile, type CompiledProgram } from "../../src/driver/compile.ts";
import type { RunResult } from "../../src/backends/results.ts";
import { standardTexts } from "../../src/std/texts.ts";
import { parse } from "../../src/syntax/parse/parser.ts";
import type { TensorValue } from "../../src/scalar/values/value.ts";
import {
  inputsOf,
  rowsOf,
  valueOf,
  withGradients,
  type Case,
  type Recorded,
  type Row,
} from "./recorded.ts";

/** Relative to the largest cell, but at least to 1. The records agree to about 13 digits. */
const tolerance = 2e-12;

const modules = standardTexts.map(([name]) => name);

describe.each(modules)("std::%s", (module) => {
  const rows = rowsOf(module);

  test("has a recording of every function", () => {
    const text = standardTexts.find(([name]) => name === module)![1];
    const functions = parse({ name: `std/${module}.ein`, text }).module.statements.flatMap(
      (statement) => (statement.kind === "fn" && statement.public ? [statement.name.text] : []),
    );
    const recorded = new Set(rows.map(({ name }) => name.split(" ")[0]!));
    expect(functions.filter((name) => !recorded.has(name))).toEqual([]);
  });

  test.each(rows)("$name", { timeout: 60_000 }, (row) => checkRow(row));
});

function checkRow(row: Row): void {
  checkSizes(row);
  const program = compiled(withGradients(row));
  const wrt = Object.keys(row.cases[0]!.gradients ?? {});
  const printed = wrt.length > 0 ? printedGradients(program, wrt) : program;
  for (const each of row.cases) {
    const values = valuesOf(program, each, Object.keys(each.values));
    for (const [name, recorded] of Object.entries(each.values))
      expect(farthest(values.get(name)!.value, valueOf(recorded))).toBeLessThanOrEqual(tolerance);
    for (const one of new Set([program, printed])) checkGradients(one, each);
  }
}

function checkGradients(program: CompiledProgram, { gradients = {}, ...given }: Case): void {
  const values = valuesOf(
    program,
    given,
    Object.keys(gradients).map((name) => `d_${name}`),
  );
  for (const [name, data] of Object.entries(gradients)) {
    const recorded = valueOf({ dtype: "f64", shape: given.inputs[name]!.shape, data });
    expect(farthest(values.get(`d_${name}`)!.value, recorded)).toBeLessThanOrEqual(tolerance);
  }
}

function compiled(text: string): CompiledProgram {
  const { program, diagnostics } = compile({ name: "row.ein", text });
  // A derivative that is 0 everywhere gives a lint, and is compared too.
  expect(diagnostics.filter(({ code }) => code !== "W0701")).toEqual([]);
  return program!;
}

/**
 * The backward program as it is printed and compiled again. Its lint about dimensions that meet
 * under other names does not count.
 */
function printedGradients(program: CompiledProgram, wrt: readonly string[]): CompiledProgram {
  const derived = program.grad("loss", wrt);
  if ("diagnostics" in derived)
    throw new Error(derived.diagnostics.map(({ title }) => title).join("\n"));
  const again = compile({ name: "printed.ein", text: derived.source });
  expect(again.diagnostics.filter(({ level }) => level === "error")).toEqual([]);
  return again.program!;
}

function valuesOf(
  program: CompiledProgram,
  given: Pick<Case, "inputs">,
  get: readonly string[],
): RunResult["values"] {
  const taken = [...inputsOf(given)].filter(([input]) =>
    program.inputs.some(({ name }) => name === input),
  );
  const { values, fault } = program.run({ inputs: new Map(taken), get, backend: "interpret" });
  expect(fault).toBeUndefined();
  return values;
}

/** At least five different sizes, with the extents 0 and 1. */
function checkSizes({ cases }: Row): void {
  // An input that is a size counts as one.
  const sizeOf = ({ dtype, shape, data }: Recorded) =>
    shape.length === 0 && dtype !== "f64" ? data : shape;
  const sizes = cases.map(({ inputs }) => JSON.stringify(Object.values(inputs).map(sizeOf)));
  expect(new Set(sizes).size).toBeGreaterThanOrEqual(5);
  const shapes = cases.flatMap(({ inputs, values }) => [
    ...Object.values(inputs),
    ...Object.values(values),
  ]);
  expect(shapes.flatMap(({ shape }) => shape)).toEqual(expect.arrayContaining([0, 1]));
}

/** The greatest difference of two tensors of one shape, relative to the size of the second. */
function farthest(got: TensorValue, wanted: TensorValue): number {
  expect(got.shape).toEqual(wanted.shape);
  const pairs = Array.from(
    wanted.data as ArrayLike<number>,
    (cell, k) => [Number(got.data[k]), cell] as const,
  );
  const size = Math.max(1, ...pairs.map(([, cell]) => Math.abs(cell)).filter(Number.isFinite));
  const apart = pairs.map(([a, b]) => (Object.is(a, b) || a === b ? 0 : Math.abs(a - b) / size));
  return apart.some(Number.isNaN) ? Infinity : Math.max(0, ...apart);
}
