// A program that can be built into a module without a compiler gives the same bits as its kernels.

import { expect } from "vitest";
import { build } from "../../../src/build/build.ts";
import type { CompiledProgram } from "../../../src/driver/compile.ts";
import { load, type BuiltInput } from "../../../src/runtime/index.ts";
import type { TypedArray } from "../../../src/scalar/types.ts";
import type { Inputs } from "../../backends/compare.ts";
import type { Look } from "./look.ts";

let count = 0;
let refusals = 0;
const refused = new Set<string>();

export const asBuilt: Look = {
  name: "computes the same as a built module",
  isDeep: true,
  applies: ({ kind }) => kind === "case",
  async look({ program, inputs }) {
    if (!program || program.inputs.some(({ shape, dtype }) => !shape || dtype === "str")) return;
    const outputs = program.values.filter(
      (value) => program.formOf(value) && program.formOf(value)!.dtype !== "str",
    );
    const expected = program.run({
      inputs,
      get: outputs,
      leastWork: 0,
      leastProducts: Infinity,
      backend: "wasm",
      onPrint: () => undefined,
    });
    if (expected.fault || expected.omitted.length > 0 || outputs.length === 0) return;
    const extents = extentsOf(program, inputs);
    const outcome = build(program, { extents, fixed: new Map(), get: outputs });
    if ("diagnostics" in outcome) {
      refusals++;
      for (const { code, title } of outcome.diagnostics) {
        expect(["E0804", "E0887", "E0901", "E0902", "E0903", "E0304"]).toContain(code);
        if (code !== "E0804") refused.add(`${code} ${title.replace(/`[^`]*`/g, "…")}`);
      }
      return;
    }
    const run = await load(outcome.built);
    const cells = Object.fromEntries(
      [...inputs].map(([input, { data }]) => [input, data as BuiltInput]),
    );
    const values = run(cells);
    for (const output of outputs) {
      const { value } = expected.values.get(output)!;
      expect(values[output]!.shape, output).toEqual(value.shape);
      expect(bits(values[output]!.data), output).toEqual(bits(value.data as TypedArray));
    }
    // The second run finds the tape in the same state.
    for (const output of outputs)
      expect(bits(run(cells)[output]!.data)).toEqual(bits(values[output]!.data));
    count++;
  },
  atTheEnd() {
    expect(count, "most can be built").toBeGreaterThan(refusals);
    expect(refused.size).toBeLessThan(10);
  },
};

/** The extents of the inputs, by the names of their dimensions. */
function extentsOf(program: CompiledProgram, inputs: Inputs): Map<string, readonly number[]> {
  return new Map(
    program.inputs.flatMap(({ name, shape = [] }) =>
      shape.flatMap((extent, axis) => {
        const size = inputs.get(name)?.shape[axis];
        if (typeof extent === "number" || size === undefined) return [];
        return [[extent ?? `${name}.${axis}`, [size]] as const];
      }),
    ),
  );
}

function bits(data: TypedArray): readonly string[] {
  return Array.from(data as ArrayLike<number | bigint>, (cell) =>
    Object.is(cell, -0) ? "-0" : String(cell),
  );
}
