// Kernels as modules: functions with equal bodies are compiled once, whoever asks for them.

import type { Definition } from "../../ir/program.ts";
import type { Sized } from "../../optimise/regions.ts";
import { constantAt, type Arena } from "./arena.ts";
import { newEmitter, newParameter, type Slot } from "./emitter.ts";
import { encodeModule, type EncodedFunction, type ImportedFunction } from "./encode.ts";
import { hostFunction, newImports } from "./host.ts";
import type { Cells, Kernel } from "./kernel.ts";
import { emitDefinition } from "./nests.ts";
import { webAssembly, type Module } from "./web-assembly.ts";

/** How a definition's cells lie in memory. */
export type Layout = Omit<Cells, "base">;

/** A function that writes the cells of definitions: pointers first, then held positions. */
export interface Source {
  readonly pointers: readonly Definition[];
  readonly function: EncodedFunction;
  readonly imports: readonly ImportedFunction[];
  /** The axis of which each call does a part, `from` and `to` being the last two arguments. */
  readonly partAxis?: number;
}

/** One kernel for the cells of a definition with some axes held. */
export function kernelFor(
  sized: Sized,
  reads: readonly Definition[],
  heldAxes: readonly number[],
  layoutOf: (definition: Definition) => Layout,
): Source {
  const imports = newImports();
  const emitter = newEmitter(imports);
  const pointers = [...new Set([sized.definition, ...reads])];
  const bases = new Map<Definition, Slot>();
  for (const definition of pointers) bases.set(definition, newParameter(emitter, "i32"));
  const held = new Map(heldAxes.map((axis) => [axis, newParameter(emitter, "i32")]));
  const partAxis = sized.shape.findIndex((extent, axis) => extent > 1 && !held.has(axis));
  const variable = sized.regions[0]?.sides[partAxis]?.variable;
  const part = variable && { variable, from: newParameter(emitter, "i32"), to: newParameter(emitter, "i32") };
  const cells = new Map<Definition, Cells>();
  const kernel: Kernel = {
    emitter,
    cellsOf(definition) {
      let known = cells.get(definition);
      if (!known) cells.set(definition, (known = { ...layoutOf(definition), base: bases.get(definition)! }));
      return known;
    },
    ...(part ? { part } : {}),
    written: new Set([sized.definition]),
    bound: new Map(),
    known: new Map(),
    facts: [],
    constantAt,
  };
  emitDefinition(kernel, sized, held);
  return {
    pointers,
    ...(part ? { partAxis } : {}),
    imports: imports.all,
    function: {
      signature: { parameters: emitter.parameters, results: [] },
      locals: emitter.locals,
      code: emitter.scopes[0]!.code,
    },
  };
}

export type KernelFunction = (...args: readonly number[]) => void;

/** Modules by their bytes; the bytes of a kernel say all about it. */
const modules = new Map<string, Module>();
const mostModules = 1024;

/** The functions of some sources, ready to be called on a memory. */
export function instantiate(arena: Arena, sources: readonly Source[]): readonly KernelFunction[] {
  return sources.map((source) => {
    const bytes = encodeModule({ imports: source.imports, memory: { pages: 1 }, functions: [source.function] });
    const key = keyOf(bytes);
    let module = modules.get(key);
    if (!module) {
      module = new (webAssembly().Module)(bytes);
      if (modules.size >= mostModules) modules.delete(modules.keys().next().value!);
      modules.set(key, module);
    }
    const host: Record<string, unknown> = { memory: arena.memory };
    for (const { name } of source.imports) host[name] = hostFunction(name);
    const instance = new (webAssembly().Instance)(module, { host });
    return instance.exports["0"] as KernelFunction;
  });
}

const decoder = new TextDecoder("latin1");

function keyOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
