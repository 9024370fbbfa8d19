// The programs of the benchmarks, with tiny data on every backend, against the recorded results of
// the peers.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checksum, distance } from "../../bench/checksum.ts";
import type { Recording } from "../../bench/recording.ts";
import { rowsAt, withGradients, type Row } from "../../bench/rows.ts";
import { compile, type CompiledProgram } from "../../src/driver/compile.ts";
import type { Backend } from "../../src/backends/results.ts";
import type { TensorValue } from "../../src/scalar/values/value.ts";

const bench = new URL("../../bench/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, bench), "utf8");
const recorded = JSON.parse(read("recorded.json")) as Recording;
const rows = rowsAt("small");
const backends: readonly Backend[] = ["interpret", "wasm"];
/** Compilation is slow on a busy machine. */
const patience = { timeout: 60_000 };

const programs = new Map<string, CompiledProgram>();

function compiled({ program: name }: Row): CompiledProgram {
  const known = programs.get(name);
  if (known) return known;
  const { program, diagnostics } = compile({ name, text: read(`programs/${name}.ein`) });
  expect(diagnostics).toEqual([]);
  programs.set(name, program!);
  return program!;
}

function inputsOf(row: Row): Map<string, TensorValue> {
  return new Map(
    Object.entries(row.inputs).map(([name, { dtype, shape, cells }]) => [
      name,
      { dtype, shape, data: cells() },
    ]),
  );
}

function outputsOf(
  row: Row,
  inputs: Map<string, TensorValue>,
  backend: Backend,
): readonly TensorValue[] {
  const { values, fault } = compiled(row).run({ inputs, get: row.outputs, backend });
  expect(fault).toBeUndefined();
  return row.outputs.map((name) => values.get(name)!.value);
}

describe("the programs of the benchmarks", () => {
  test.each(rows.flatMap((row) => backends.map((backend) => ({ row, id: row.id, backend }))))(
    "$id computes on $backend what the peers compute",
    patience,
    ({ row, backend }) => {
      const outputs = outputsOf(row, inputsOf(row), backend);
      const ours = outputs.map(({ data }) => checksum(data as ArrayLike<number>));
      const peers = Object.entries(recorded.rows[row.id] ?? {});
      expect(peers.map(([name]) => name)).not.toEqual([]);
      const far = peers
        .filter(([, theirs]) => !(distance(ours, theirs) <= row.tolerance))
        .map(([name]) => name);
      expect(far).toEqual([]);
    },
  );

  test("a row of every program, and no row without one", () => {
    const files = readdirSync(new URL("programs/", bench)).map((file) =>
      file.replace(/\.ein$/, ""),
    );
    expect([...new Set(rows.map(({ program }) => program))].toSorted()).toEqual(files.toSorted());
  });

  test("of every program with gradients a row without them and one with them", () => {
    const programOf = (id: string): string => rows.find((row) => row.id === id)!.program;
    for (const { without, row } of withGradients) expect(programOf(row)).toBe(programOf(without));
    const asking = rows
      .filter(({ fresh, program }) => !fresh && /^[^/\n]*@/m.test(read(`programs/${program}.ein`)))
      .map(({ program }) => program);
    const timed = withGradients.map(({ row }) => programOf(row));
    expect(new Set(timed)).toEqual(new Set(asking));
  });

  test(
    "what a training step returns can be given back to it, and lowers the loss",
    patience,
    () => {
      for (const row of rows.filter(({ feedback }) => Object.keys(feedback).length > 0)) {
        const inputs = inputsOf(row);
        const losses = Array.from({ length: 3 }, () => {
          const outputs = outputsOf(row, inputs, "interpret");
          row.outputs.forEach((name, at) => {
            const input = row.feedback[name];
            if (input !== undefined) inputs.set(input, outputs[at]!);
          });
          return Number(outputs[0]!.data[0]);
        });
        expect(losses).toEqual(losses.toSorted((a, b) => b - a));
        expect(losses[2]).toBeLessThan(losses[0]!);
      }
    },
  );

  test("sizes for timing have the same inputs and outputs as the tiny ones", () => {
    const shape = (row: Row): unknown => [
      row.id,
      row.outputs,
      Object.entries(row.inputs).map(([n, d]) => [n, d.shape.length]),
    ];
    expect(rowsAt("full").map(shape)).toEqual(rows.map(shape));
  });
});
