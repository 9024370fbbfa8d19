// Kernels as modules: functions with equal bodies are compiled once, whoever asks for them.

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
  extentOf,
  type Held,
  type HeldPosition,
  type LoopStep,
} from "../loops/nests.ts";
import { emitRows, rowsOf } from "../rows/rows.ts";
import { comesInParts } from "../loops/scans.ts";
import { emitTerms } from "../loops/scatters.ts";
import { recording } from "../memory/recording.ts";
import { cameFrom } from "../threads/threads.ts";
import { isRefusal, webAssembly, type Instance } from "../web-assembly.ts";
import { tooLarge, Unsupported } from "../unsupported.ts";

/** How a definition's cells lie in memory. */
export type Layout = Omit<Cells, "base">;

/**
 * A function that writes the cells of definitions: pointers first, then held positions, then the
 * part that a call does.
 */
export interface Source {
  readonly pointers: readonly Definition[];
  readonly function: EncodedFunction;
  readonly imports: readonly ImportedFunction[];
  /** How the cells lie that the pointers point to, of those that the function uses. */
  readonly layouts: ReadonlyMap<Definition, Layout>;
  /**
   * How long the axis or loop is of which each call does a part, `from` and `to` being the last two
   * arguments.
   */
  readonly partOf?: number;
}

type LayoutOf = (definition: Definition) => Layout;

interface Begun {
  readonly kernel: Kernel;
  readonly finish: (partOf: number | undefined) => Source;
}

/** A kernel with a pointer for each definition that it reads or writes. */
function begin(
  written: readonly Definition[],
  reads: readonly Definition[],
  layoutOf: LayoutOf,
  partOf: (emitter: Emitter) => Kernel["part"],
): Begun {
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
      const only = { signature, locals, code: emitter.scopes[0]!.code, calls };
      if (isTooLarge(only)) throw new Unsupported(tooLarge);
      return {
        pointers,
        ...(length === undefined ? {} : { partOf: length }),
        imports: imports.all,
        layouts: cells,
        function: only,
      };
    },
  };
}

/** The cells that a definition's kernels write beside its own. */
function besideOf({ scratch = [], shares }: Sized): readonly Definition[] {
  return [...scratch, ...(shares ? [shares] : [])].map(({ definition }) => definition);
}

/** The axis of which a call of a definition's kernel does a part. */
export function partAxisOf({ shape }: Sized, held: readonly number[]): number {
  return shape.findIndex((extent, axis) => extent > 1 && !held.includes(axis));
}

/**
 * One kernel for the cells of a definition with some axes held, each at one of so many positions.
 */
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
  const isWhole = sized.regions.some(({ scan }) => scan?.axis === partAxis && !comesInParts(scan));
  const variable = isWhole ? undefined : sized.regions[0]?.sides[partAxis]?.variable;
  if (sized.regions.some(({ sides }) => variable && sides[partAxis]!.variable !== variable))
    throw new Error(`the regions of ${sized.definition.name} have different coordinates`);
  const extent = variable ? extentAlong(sized, partAxis) : 0;
  const { kernel, finish } = begin(
    [sized.definition, ...besideOf(sized)],
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
 * Definitions over the same rows, as many as go together from the first one on, in one kernel, with
 * what some blocks of the rows come to.
 */
export function rowsKernel(
  all: readonly WithKernel[],
  inBlocks: readonly WithBlocks[],
): { readonly source: Source; readonly of: readonly (WithKernel | WithBlocks)[] } | undefined {
  const begun = (
    some: readonly (WithKernel | WithBlocks)[],
    part: (emitter: Emitter) => Kernel["part"],
  ): Begun => {
    const layouts = new Map(some.flatMap(({ source }) => [...source.layouts]));
    const written = some
      .map((each) => ("blocks" in each ? each.blocks.parts : each.sized))
      .flatMap((sized) => [sized.definition, ...besideOf(sized)]);
    const pointers = some.flatMap(({ source }) => source.pointers);
    return begin(written, pointers, (definition) => layouts.get(definition)!, part);
  };
  const probe = begun([...all, ...inBlocks], () => undefined).kernel;
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
  const of = [...all.slice(0, rows.members.length), ...added];
  const { kernel, finish } = begun(of, (emitter) => ({
    variable,
    from: newParameter(emitter, "i32"),
    to: newParameter(emitter, "i32"),
    extent,
  }));
  emitRows(kernel, rows);
  return { source: finish(extent), of };
}

/**
 * The terms of a scatter, added to totals that have their start; the first reduced coordinate in
 * parts where its range is a number.
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
 * The same in parts of the cells along an axis: every part walks all terms, and adds those that go
 * to its cells.
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
  const { kernel, finish } = begin(
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
 * An axis whose position a loop around holds, where the loop takes it, and where it stands at
 * first.
 */
export interface HeldAxis {
  readonly axis: number;
  readonly positions: Interval;
  readonly first: number;
}

/**
 * A whole recurrence as one kernel, for steps that are too small to be called; with axes that the
 * loops around hold.
 */
export function recurrenceKernel(
  step: LoopStep,
  members: ReadonlyMap<Definition, Sized>,
  reads: readonly Definition[],
  layoutOf: LayoutOf,
  axes: ReadonlyMap<Definition, readonly HeldAxis[]>,
): Source {
  let part: { readonly from: Slot; readonly to: Slot } | undefined;
  const held = new Map<Definition, Held>();
  const written = [...members.values()].flatMap((sized) => [sized.definition, ...besideOf(sized)]);
  const { kernel, finish } = begin(written, reads, layoutOf, (emitter) => {
    const position = ({ axis, positions }: HeldAxis) =>
      [axis, { slot: newParameter(emitter, "i32"), positions }] as const;
    for (const [definition, own] of axes) held.set(definition, new Map(own.map(position)));
    part = { from: newParameter(emitter, "i32"), to: newParameter(emitter, "i32") };
    return undefined;
  });
  emitStep(kernel, step, members, held, part);
  return finish(extentOf(step, members));
}

export type KernelFunction = (...args: readonly number[]) => void;

/**
 * Functions by the bytes of their modules, which say all about them; there is one memory for them
 * all.
 */
const functions = new Map<string, KernelFunction>();
const mostFunctions = 1024;

/** The function of a source, ready to be called. */
export function functionOf(source: Source): KernelFunction {
  const made = madeFrom(source);
  const recorder = recording();
  if (!recorder) return made;
  // A module that is written down has a memory of its own, which it shares with nobody.
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
    made(...args);
  };
}

function madeFrom({ imports, function: only }: Source): KernelFunction {
  return lastOf(imports, [only]);
}

/**
 * The last of some functions in one module, which ask the host for nothing and may call those
 * before them.
 */
export function kernelsTogether(all: readonly EncodedFunction[]): KernelFunction {
  return lastOf([], all);
}

function lastOf(
  imports: readonly ImportedFunction[],
  all: readonly EncodedFunction[],
): KernelFunction {
  const bytes = encodeModule({ imports, memory: memoryType(), functions: all });
  // Some functions are made in the middle of a run, and called at once.
  writeConstants();
  const key = keyOf(bytes);
  const known = functions.get(key);
  if (known) return known;
  const host: Record<string, unknown> = { memory: sharedMemory() };
  for (const { name } of imports) host[name] = hostFunction(name);
  const { exports } = instantiated(bytes, host);
  const made = all.map((_, k) => exports[String(k)] as KernelFunction);
  if (functions.size >= mostFunctions) functions.delete(functions.keys().next().value!);
  functions.set(key, made.at(-1)!);
  if (imports.length === 0) cameFrom(bytes, made);
  return made.at(-1)!;
}

/** What an engine refuses, for whatever reason, is no kernel. */
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

function keyOf(bytes: Uint8Array): string {
  let key = "";
  // As many at a time as a call may have arguments everywhere.
  for (let at = 0; at < bytes.length; at += 4096)
    key += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return key;
}
