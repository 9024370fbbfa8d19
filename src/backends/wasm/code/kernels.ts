// Makes kernels: emits the function of a definition, and compiles functions to modules. Functions
// with equal bytes are compiled once.

import type { Definition } from "../../../ir/program.ts";
import type { Interval } from "../../../plan/regions/intervals.ts";
import { extentAlong, type Blocks, type Side, type Sized } from "../../../plan/regions/regions.ts";
import type { Scatter } from "../../../plan/reductions/scatter.ts";
import { valueOf } from "../../../analyse/can-fail.ts";
import { constantAt, memoryType, sharedMemory, writeConstants } from "../memory/arena.ts";
import { newEmitter, newParameter, type Emitter, type Slot } from "./emitter.ts";
import { encodeModule, isTooLarge, type EncodedFunction, type ImportedFunction } from "./encode.ts";
import { hostFunction, newImports } from "../host.ts";
import type { Cells, Kernel } from "./kernel.ts";
import {
  emitDefinition,
  emitStep,
  stepCountOf,
  type Held,
  type HeldPosition,
  type LoopStep,
} from "../loops/nests.ts";
import { emitRows, rowsOf } from "../rows/rows.ts";
import { canRunInParts } from "../loops/scans.ts";
import { emitTerms } from "../loops/scatters.ts";
import { recording } from "../memory/recording.ts";
import { cameFrom } from "../threads/threads.ts";
import { isRefusal, webAssembly, type Instance } from "../web-assembly.ts";
import { tooLarge, Unsupported } from "../unsupported.ts";

/** How the cells of a definition lie in memory. */
export type Layout = Omit<Cells, "base">;

/**
 * A function that writes the cells of definitions. Its arguments are the pointers, then the held
 * positions, then the part that the call computes.
 */
export interface Source {
  readonly pointers: readonly Definition[];
  readonly function: EncodedFunction;
  readonly imports: readonly ImportedFunction[];
  /** The layouts of the definitions that the function uses. */
  readonly layouts: ReadonlyMap<Definition, Layout>;
  /**
   * The extent of the axis or loop of which each call computes a part. `from` and `to` are the last
   * two arguments.
   */
  readonly partOf?: number;
}

type LayoutOf = (definition: Definition) => Layout;

interface UnfinishedKernel {
  readonly kernel: Kernel;
  readonly finish: (partOf: number | undefined) => Source;
}

/** Begins a kernel with a pointer for each definition that it reads or writes. */
function beginKernel(
  written: readonly Definition[],
  reads: readonly Definition[],
  layoutOf: LayoutOf,
  partOf: (emitter: Emitter) => Kernel["part"],
): UnfinishedKernel {
  const imports = newImports();
  const emitter = newEmitter(imports);
  const pointers = [...new Set([...written, ...reads])];
  const bases = new Map(pointers.map((definition) => [definition, newParameter(emitter, "i32")]));
  const cells = new Map<Definition, Cells>();
  const part = partOf(emitter);
  const kernel: Kernel = {
    emitter,
    cellsOf(definition) {
      let known = cells.get(definition);
      if (!known)
        cells.set(definition, (known = { ...layoutOf(definition), base: bases.get(definition)! }));
      return known;
    },
    ...(part ? { part } : {}),
    written: new Set(written),
    bound: new Map(),
    known: new Map(),
    ahead: new Map(),
    facts: [],
    constantAt,
  };
  return {
    kernel,
    finish(length) {
      const { parameters, locals, calls } = emitter;
      const signature = { parameters, results: [] };
      const encoded = { signature, locals, code: emitter.scopes[0]!.code, calls };
      if (isTooLarge(encoded)) throw new Unsupported(tooLarge);
      return {
        pointers,
        ...(length === undefined ? {} : { partOf: length }),
        imports: imports.all,
        layouts: cells,
        function: encoded,
      };
    },
  };
}

/** The definitions that the kernel of a definition writes besides the definition itself. */
function extraDefinitionsOf({ scratch = [], shares }: Sized): readonly Definition[] {
  return [...scratch, ...(shares ? [shares] : [])].map(({ definition }) => definition);
}

/** The axis of which each call of a definition's kernel computes a part. */
export function partAxisOf({ shape }: Sized, held: readonly number[]): number {
  return shape.findIndex((extent, axis) => extent > 1 && !held.includes(axis));
}

/** A kernel for the cells of a definition. Some axes are held at positions that the call gives. */
export function kernelFor(
  sized: Sized,
  reads: readonly Definition[],
  axes: readonly HeldAxis[],
  layoutOf: LayoutOf,
): Source {
  const held = new Map<number, HeldPosition>();
  const partAxis = partAxisOf(
    sized,
    axes.map(({ axis }) => axis),
  );
  const mustRunWhole = sized.regions.some(
    ({ scan }) => scan?.axis === partAxis && !canRunInParts(scan),
  );
  const variable = mustRunWhole ? undefined : sized.regions[0]?.sides[partAxis]?.variable;
  if (sized.regions.some(({ sides }) => variable && sides[partAxis]!.variable !== variable))
    throw new Error(`the regions of ${sized.definition.name} have different coordinates`);
  const extent = variable ? extentAlong(sized, partAxis) : 0;
  const { kernel, finish } = beginKernel(
    [sized.definition, ...extraDefinitionsOf(sized)],
    reads,
    layoutOf,
    (emitter) => {
      for (const { axis, positions } of axes)
        held.set(axis, { slot: newParameter(emitter, "i32"), positions });
      return (
        variable && {
          variable,
          from: newParameter(emitter, "i32"),
          to: newParameter(emitter, "i32"),
          extent,
        }
      );
    },
  );
  emitDefinition(kernel, sized, held);
  return finish(variable && extent);
}

/** A definition with the kernel that writes its cells. */
export interface WithKernel {
  readonly sized: Sized;
  readonly source: Source;
}

/** Blocks of rows with the kernel that reduces them. */
export interface WithBlocks {
  readonly blocks: Blocks;
  readonly source: Source;
}

/**
 * One kernel for definitions over the same rows: as many as fit together, from the first on, and
 * the blocks of rows that can be reduced along with them.
 */
export function rowsKernel(
  all: readonly WithKernel[],
  inBlocks: readonly WithBlocks[],
): { readonly source: Source; readonly of: readonly (WithKernel | WithBlocks)[] } | undefined {
  const beginKernelOf = (
    some: readonly (WithKernel | WithBlocks)[],
    part: (emitter: Emitter) => Kernel["part"],
  ): UnfinishedKernel => {
    const layouts = new Map(some.flatMap(({ source }) => [...source.layouts]));
    const written = some
      .map((each) => ("blocks" in each ? each.blocks.parts : each.sized))
      .flatMap((sized) => [sized.definition, ...extraDefinitionsOf(sized)]);
    const pointers = some.flatMap(({ source }) => source.pointers);
    return beginKernel(written, pointers, (definition) => layouts.get(definition)!, part);
  };
  const probe = beginKernelOf([...all, ...inBlocks], () => undefined).kernel;
  const rows = rowsOf(
    all.map(({ sized }) => sized),
    inBlocks.map(({ blocks }) => blocks),
    probe,
  );
  if (!rows) return undefined;
  const [{ variable, to: extent }] = rows.sides as readonly [Side];
  const added = inBlocks.filter(({ blocks }) =>
    rows.totals.some(({ parts }) => parts === blocks.parts),
  );
  const joined = [...all.slice(0, rows.members.length), ...added];
  const { kernel, finish } = beginKernelOf(joined, (emitter) => ({
    variable,
    from: newParameter(emitter, "i32"),
    to: newParameter(emitter, "i32"),
    extent,
  }));
  emitRows(kernel, rows);
  return { source: finish(extent), of: joined };
}

/**
 * A kernel that adds the terms of a scatter to totals that have their start value. Each call walks
 * a part of the first reduced coordinate, if its range is a number.
 */
export function scatterKernel(
  scatter: Scatter,
  reads: readonly Definition[],
  layoutOf: LayoutOf,
): Source {
  const [first] = scatter.body.loops;
  const end = first && valueOf(first.to);
  const isInParts = first !== undefined && end !== undefined && valueOf(first.from) !== undefined;
  return termsKernel(
    scatter,
    reads,
    layoutOf,
    isInParts ? { variable: first.variable, extent: Number(end) } : undefined,
  );
}

/**
 * A kernel for a scatter in which each call owns some cells along an axis. Each call walks all
 * terms and adds those that go to its cells.
 */
export function ownersKernel(
  scatter: Scatter,
  reads: readonly Definition[],
  layoutOf: LayoutOf,
  axis: number,
): Source {
  const { variable, to } = scatter.sides[axis]!;
  return termsKernel(scatter, reads, layoutOf, { variable, extent: to });
}

function termsKernel(
  scatter: Scatter,
  reads: readonly Definition[],
  layoutOf: LayoutOf,
  part: Pick<NonNullable<Kernel["part"]>, "variable" | "extent"> | undefined,
): Source {
  const { kernel, finish } = beginKernel(
    [scatter.totals.definition],
    reads,
    layoutOf,
    (emitter) =>
      part && { ...part, from: newParameter(emitter, "i32"), to: newParameter(emitter, "i32") },
  );
  emitTerms(kernel, scatter, scatter.sides);
  return finish(part?.extent);
}

/**
 * An axis whose position a surrounding loop holds, the positions that the loop visits, and the
 * first of them.
 */
export interface HeldAxis {
  readonly axis: number;
  readonly positions: Interval;
  readonly first: number;
}

/** A whole recurrence as one kernel, for steps that are too small for a call each. */
export function recurrenceKernel(
  step: LoopStep,
  members: ReadonlyMap<Definition, Sized>,
  reads: readonly Definition[],
  layoutOf: LayoutOf,
  axes: ReadonlyMap<Definition, readonly HeldAxis[]>,
): Source {
  let part: { readonly from: Slot; readonly to: Slot } | undefined;
  const held = new Map<Definition, Held>();
  const written = [...members.values()].flatMap((sized) => [
    sized.definition,
    ...extraDefinitionsOf(sized),
  ]);
  const { kernel, finish } = beginKernel(written, reads, layoutOf, (emitter) => {
    const position = ({ axis, positions }: HeldAxis) =>
      [axis, { slot: newParameter(emitter, "i32"), positions }] as const;
    for (const [definition, own] of axes) held.set(definition, new Map(own.map(position)));
    part = { from: newParameter(emitter, "i32"), to: newParameter(emitter, "i32") };
    return undefined;
  });
  emitStep(kernel, step, members, held, part);
  return finish(stepCountOf(step, members));
}

export type KernelFunction = (...args: readonly number[]) => void;

/**
 * Compiled functions by the bytes of their modules. All of them use the same memory, so the bytes
 * determine the function.
 */
const compiledByKey = new Map<string, KernelFunction>();
const mostFunctions = 1024;

/** The compiled function of a source. */
export function compiledFunctionOf(source: Source): KernelFunction {
  const compiled = compiledFrom(source);
  const recorder = recording();
  if (!recorder) return compiled;
  // A recorded module has a memory of its own that is not shared.
  const bytes = encodeModule({
    imports: source.imports,
    memory: { pages: 1 },
    functions: [source.function],
  });
  const kernel = {
    bytes,
    imports: source.imports.map(({ name }) => name),
    computes: source.pointers[0]!,
  };
  return (...args) => {
    recorder.call(kernel, args);
    compiled(...args);
  };
}

function compiledFrom({ imports, function: only }: Source): KernelFunction {
  return lastOfModule(imports, [only]);
}

/**
 * Compiles some functions to one module and gives the last of them. They do not call the host, but
 * may call the functions before them.
 */
export function kernelsTogether(all: readonly EncodedFunction[]): KernelFunction {
  return lastOfModule([], all);
}

function lastOfModule(
  imports: readonly ImportedFunction[],
  all: readonly EncodedFunction[],
): KernelFunction {
  const bytes = encodeModule({ imports, memory: memoryType(), functions: all });
  // Some functions are made during a run and called at once, so their constants must be written
  // now.
  writeConstants();
  const key = keyOfModule(bytes);
  const known = compiledByKey.get(key);
  if (known) return known;
  const host: Record<string, unknown> = { memory: sharedMemory() };
  for (const { name } of imports) host[name] = hostFunction(name);
  const { exports } = instantiated(bytes, host);
  const compiled = all.map((_, k) => exports[String(k)] as KernelFunction);
  if (compiledByKey.size >= mostFunctions) compiledByKey.delete(compiledByKey.keys().next().value!);
  compiledByKey.set(key, compiled.at(-1)!);
  if (imports.length === 0) cameFrom(bytes, compiled);
  return compiled.at(-1)!;
}

/** If an engine refuses a module, for whatever reason, there is no kernel. */
function instantiated(
  bytes: Uint8Array<ArrayBuffer>,
  host: Readonly<Record<string, unknown>>,
): Instance {
  const { Module, Instance } = webAssembly();
  try {
    return new Instance(new Module(bytes), { host });
  } catch (failure) {
    if (isRefusal(failure)) throw new Unsupported(tooLarge);
    throw failure;
  }
}

function keyOfModule(bytes: Uint8Array): string {
  let key = "";
  // Every engine allows this many arguments in a call.
  for (let at = 0; at < bytes.length; at += 4096)
    key += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return key;
}
