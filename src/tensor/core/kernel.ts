// Compiles definitions, each source once. Later calls with operands of the same form reuse the
// kernel.

import { compile, type CompiledProgram } from "../../driver/compile.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import type { TypedArray } from "../../scalar/types.ts";
import { jointSource, pullbackOf, sourceOf, type Definition } from "./definition.ts";
import { TensorError } from "./error.ts";

/** The cells of a tensor in row-major order. */
export type Cells = TypedArray;

/** A compiled definition. */
export interface Kernel {
  /**
   * Computes the results. The first result may be written into the array `into`, which may also
   * hold an operand.
   */
  readonly run: (
    sizes: readonly number[],
    operands: readonly TensorValue[],
    into?: Cells,
  ) => readonly TensorValue[];
  /**
   * The positions of the operands whose cells are read. Of the other operands only the extents
   * count.
   */
  readonly reads: ReadonlySet<number>;
}

const kernels = new Map<string, Kernel>();

/** The number of compiled definitions. Tests check that it stays the same while shapes repeat. */
export function compiledCount(): number {
  return kernels.size;
}

export function kernelOf(definition: Definition): Kernel {
  return compiled(sourceOf(definition), [definition]);
}

/** The pullbacks to several operands at once. The gradient is the last operand. */
export function pullbackKernel(definition: Definition, positions: readonly number[]): Kernel {
  const definitions = pullbackOf(definition, positions);
  return compiled(jointSource(definitions), definitions);
}

function compiled(source: string, definitions: readonly Definition[]): Kernel {
  const known = kernels.get(source);
  if (known) return known;
  const { program, diagnostics } = compile({ name: "operation.ein", text: source });
  if (!program) {
    const wrong = diagnostics.find(({ level }) => level === "error")!;
    throw new TensorError(
      `the definition of an operation is wrong, ${wrong.code}: ${wrong.title}\n${source}`,
    );
  }
  const kernel = kernelFrom(
    program,
    definitions[0]!,
    definitions.map(({ result }) => result.name),
  );
  kernels.set(source, kernel);
  return kernel;
}

function kernelFrom(
  program: CompiledProgram,
  { sizes, operands }: Definition,
  get: readonly string[],
): Kernel {
  const read = program.readsOf(get);
  return {
    reads: new Set(operands.flatMap(({ name }, position) => (read.has(name) ? [position] : []))),
    run: (given, values, into) => {
      const inputs = new Map<string, TensorValue>();
      for (const [k, name] of sizes.entries())
        inputs.set(name, { dtype: "i32", shape: [], data: Int32Array.of(given[k]!) });
      for (const [k, { name }] of operands.entries()) inputs.set(name, values[k]!);
      const result = program.run({
        inputs,
        get,
        ...(into ? { into: new Map([[get[0]!, into]]) } : {}),
      });
      if (result.fault) throw new TensorError(result.fault.title);
      return get.map((name) => result.values.get(name)!.value);
    },
  };
}
