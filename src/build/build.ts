// From a compiled program and the sizes it is built for to a module without a compiler.

import type { CoreProgram, DeclaredInput } from "../core.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { drawInputs } from "../explain/draw-inputs.ts";
import { zeros, sizeOf, type TensorValue } from "../host/value.ts";
import type { Built } from "../runtime/built.ts";
import type { Module } from "../syntax/ast.ts";
import { NotBuilt, openInteger, record } from "./record.ts";

export interface BuildOptions {
  /** The sizes of dimension names. */
  readonly extents: ReadonlyMap<string, number>;
  /** Values of inputs that become constants. */
  readonly fixed: ReadonlyMap<string, TensorValue>;
  /** Values by name; absent: the `pub` ones, or all where there are none. */
  readonly get?: readonly string[];
}

export type Outcome = { readonly built: Built } | { readonly diagnostics: readonly Diagnostic[] };

export function build(program: CoreProgram, { extents, fixed, get }: BuildOptions): Outcome {
  const parts = program.partsFor(fixed);
  if ("diagnostics" in parts) return parts;
  const declared = parts.program.inputs.map((input) => program.inputs.find(({ name }) => name === input.name)!);
  const unknown = [...dimensionsOf(declared)].filter((name) => !extents.has(name) && !isPinned(name, declared, fixed));
  if (unknown.length > 0) return { diagnostics: [openExtents(unknown, declared)] };
  const strange = [...extents.keys()].find((name) => !dimensionsOf(declared).has(name));
  if (strange !== undefined) {
    const help = didYouMean(strange, dimensionsOf(declared));
    return { diagnostics: [error("E0885", `the program has no dimension \`${strange}\``, undefined, { help })] };
  }
  const outputs = get ?? exported(parts.module, program.values);
  const missing = outputs.find((name) => !program.values.includes(name));
  if (missing !== undefined) {
    const help = didYouMean(missing, program.values);
    return { diagnostics: [error("E0884", `the program has no value \`${missing}\` to build`, undefined, { help })] };
  }
  const open = openInteger(parts, new Set(fixed.keys()), outputs);
  if (open) return { diagnostics: [open] };
  const inputs = valuesFor(declared, extents, fixed);
  // What is wrong with these sizes is said as a run says it.
  const { fault } = program.run({ inputs, get: outputs, leastWork: 0, onPrint: () => undefined });
  if (fault && fault.code !== "E0905") return { diagnostics: [fault] };
  try {
    return { built: record(parts, { inputs, fixed: new Set(fixed.keys()), outputs }) };
  } catch (problem) {
    if (problem instanceof NotBuilt) return { diagnostics: [problem.diagnostic] };
    throw problem;
  }
}

function dimensionsOf(declared: readonly DeclaredInput[]): ReadonlySet<string> {
  const found = declared.flatMap(({ name, shape = [] }) =>
    shape.map((extent, axis) => dimensionOf(name, extent, axis)),
  );
  return new Set(found.filter((name) => name !== undefined));
}

/** An axis without a name, `[f32; ?]`, is called by its input and its place. */
function dimensionOf(input: string, extent: number | string | undefined, axis: number): string | undefined {
  if (typeof extent === "number") return undefined;
  return extent ?? `${input}.${axis}`;
}

function isPinned(dimension: string, declared: readonly DeclaredInput[], fixed: BuildOptions["fixed"]): boolean {
  return declared.some(({ name, shape = [] }) => fixed.has(name) && shape.includes(dimension));
}

function openExtents(names: readonly string[], declared: readonly DeclaredInput[]): Diagnostic {
  const all = names.map((name) => `\`${name}\``).join(", ");
  const one = declared.find(({ name, shape = [] }) =>
    shape.some((extent, axis) => dimensionOf(name, extent, axis) === names[0]),
  );
  const flags = names.map((name) => `--extent ${name}=64`).join(" ");
  const title = `kernels are built for fixed extents, and ${all} ${names.length === 1 ? "is" : "are"} open`;
  return error("E0804", title, one?.span, {
    help: `say for which to build: \`${flags}\`; the library runs the program for any`,
  });
}

/** `pub let` says what a file gives; where none does, everything is given. */
function exported(module: Module, values: readonly string[]): readonly string[] {
  const names = module.statements.flatMap((statement) => {
    if (!statement.public) return [];
    if (statement.kind === "indexed-let") return [statement.name.text];
    return statement.kind === "let" && statement.pattern.kind === "name" ? [statement.pattern.name.text] : [];
  });
  const found = [...new Set(names)].filter((name) => values.includes(name));
  return found.length > 0 ? found : values;
}

/** Something to record with: what the values are does not matter, as long as nothing goes wrong with them. */
function valuesFor(
  declared: readonly DeclaredInput[],
  extents: BuildOptions["extents"],
  fixed: BuildOptions["fixed"],
): ReadonlyMap<string, TensorValue> {
  const sized = declared.map((input): DeclaredInput => {
    const shape = input.shape?.map(
      (extent, axis) => extents.get(dimensionOf(input.name, extent, axis) ?? "") ?? extent,
    );
    return { ...input, ...(shape ? { shape } : {}) };
  });
  const large = sized.filter(({ name, shape = [], dtype }) => {
    const cells = sizeOf(shape.map((extent) => (typeof extent === "number" ? extent : 1)));
    return (
      !fixed.has(name) && cells > largestDrawn && dtype !== "str" && shape.every((extent) => typeof extent === "number")
    );
  });
  const given = new Map(fixed);
  for (const { name, dtype, shape } of large) given.set(name, zeros(dtype, shape as readonly number[]));
  return drawInputs(sized, given);
}

/** More cells than this are left 0, which takes no time. */
const largestDrawn = 1 << 20;
