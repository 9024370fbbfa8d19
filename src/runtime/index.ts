// The runtime of built programs: a memory, the kernels, and a player for the tape. The compiler is
// not here.

import { cellArrays } from "../backends/wasm/memory/cell-arrays.ts";
import { hostFunction, KernelFault } from "../backends/wasm/host.ts";
import type { TypedArray } from "../scalar/types.ts";
import { blocksOf, choices, eachRun, type Block } from "./blocks.ts";
import { elements, operations, type Built, type Form, type Loop, type Step } from "./built.ts";
import { givenTo, type BuiltInput, type Value } from "./given.ts";

export type { Built } from "./built.ts";

interface Memory {
  readonly buffer: ArrayBuffer;
}

interface Instantiated {
  readonly instance: { readonly exports: Readonly<Record<string, unknown>> };
}

declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number }) => Memory;
  instantiate(bytes: Uint8Array, imports: object): Promise<Instantiated>;
};
declare const atob: (text: string) => string;

export type { BuiltInput, Value } from "./given.ts";

export type Run = (
  inputs?: Readonly<Record<string, BuiltInput>>,
) => Readonly<Record<string, Value>>;

/**
 * Makes a built program ready to run. All runs share one memory, so a run must not start within
 * another.
 */
export async function load(built: Built): Promise<Run> {
  const memory = new WebAssembly.Memory({ initial: built.pages });
  const { address, patterns } = built.constants;
  new Int32Array(memory.buffer, address, patterns.length).set(patterns);
  const kernels = await Promise.all(
    built.kernels.map(({ code, imports }) => kernelOf(code, imports, memory)),
  );
  const data = built.data.map(bytesOf);
  const computing: { kernel: number } = { kernel: 0 };
  const { dimensions, plans } = built;
  return (inputs = {}) => {
    const { given, extents } = givenTo(built, inputs);
    const lists = dimensions.map((dimension, k) =>
      dimension.inRows
        ? blocksOf(extents[k]!, dimension.extents)
        : [{ start: 0, size: extents[k]! }],
    );
    const results: Value[] = [];
    for (const choice of choices(lists)) {
      const at = dimensions.reduce(
        (from, each, k) => from * each.extents.length + each.extents.indexOf(choice[k]!.size),
        0,
      );
      const { tape, assertions, outputs } = plans[at]!;
      const blockOf = ({ shape }: Form, whole: readonly number[]): readonly Block[] =>
        shape.map((extent, axis) =>
          typeof extent === "object" && extent
            ? choice[extent.of]!
            : { start: 0, size: whole[axis]! },
        );
      const bring = (input: number, address: number): void => {
        const { cells, shape } = given[input]!;
        const form = built.inputs[input]!;
        const width = cells.BYTES_PER_ELEMENT;
        eachRun(shape, blockOf(form, shape), (from, to, length) =>
          put(memory, address + to * width, cells.subarray(from, from + length)),
        );
      };
      try {
        play(tape, { memory, kernels, data, bring, computing });
      } catch (problem) {
        if (!(problem instanceof KernelFault)) throw problem;
        throw new Error(
          `E0901, E0902 or E0903: ${built.kernels[computing.kernel]!.computes} met an index ` +
            "out of bounds, an integer operation " +
            "without a result or a reduction of nothing; " +
            `\`ein run ${built.source}\` with the same inputs says which`,
          { cause: problem },
        );
      }
      for (const { address: place, message } of assertions)
        if (new Uint8Array(memory.buffer)[place] !== 1) throw new Error(`E0905: ${message}`);
      for (const [k, { at: place, shape }] of outputs.entries()) {
        const form = built.outputs[k]!;
        const whole = form.shape.map((extent, axis) =>
          typeof extent === "object" && extent ? extents[extent.of]! : shape[axis]!,
        );
        const { data: cells } = (results[k] ??= emptyOf(form, whole));
        if ("input" in place) set(cells, 0, given[place.input]!.cells);
        else if ("data" in place)
          set(cells, 0, new cellArrays[form.dtype](data[place.data]!.slice().buffer));
        else {
          const size = shape.reduce((all, extent) => all * extent, 1);
          const block = new cellArrays[form.dtype](memory.buffer, place.address, size);
          eachRun(whole, blockOf(form, whole), (from, to, length) =>
            set(cells, from, block.subarray(to, to + length)),
          );
        }
      }
    }
    return Object.fromEntries(built.outputs.map(({ name }, k) => [name, results[k]!]));
  };
}

function emptyOf({ dtype }: Form, shape: readonly number[]): Value {
  return {
    data: new cellArrays[dtype](shape.reduce((all, extent) => all * extent, 1)),
    shape,
    dtype,
  };
}

/** Copies cells into an array of the same kind. */
function set(to: TypedArray, at: number, cells: TypedArray): void {
  (to as Float64Array).set(cells as Float64Array, at);
}

type Kernel = (...args: readonly number[]) => void;

async function kernelOf(code: string, imports: readonly string[], memory: Memory): Promise<Kernel> {
  const host: Record<string, unknown> = { memory };
  for (const name of imports) host[name] = hostFunction(name);
  const { instance } = await WebAssembly.instantiate(bytesOf(code), { host });
  return instance.exports["0"] as Kernel;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

// ── the tape ────────────────────────────────────────────────────────────────────────────────────

interface Playing {
  readonly memory: Memory;
  readonly kernels: readonly Kernel[];
  readonly data: readonly Uint8Array[];
  readonly bring: (input: number, address: number) => void;
  readonly computing: { kernel: number };
}

function play(tape: readonly Step[], playing: Playing): void {
  for (const step of tape) {
    if ("turns" in step) turn(step, playing);
    else perform(step, playing);
  }
}

/** Plays the steps of a loop. Their numbers grow after each turn and are restored at the end. */
function turn({ turns, steps, by }: Loop, playing: Playing): void {
  for (let k = 0; k < turns; k++) {
    play(steps, playing);
    shift(steps, by, 1);
  }
  shift(steps, by, -turns);
}

/** Adds `times · by` to all numbers inside a loop, in order. */
function shift(steps: readonly Step[], by: readonly number[], times: number): void {
  let at = 0;
  const add = (numbers: number[], from: number): void => {
    for (let k = from; k < numbers.length; k++) numbers[k]! += by[at++]! * times;
  };
  const walk = (inner: readonly Step[]): void => {
    for (const step of inner) {
      if ("turns" in step) walk(step.steps);
      else add(step as unknown as number[], 1);
    }
  };
  walk(steps);
}

function perform([operation, ...numbers]: readonly number[], playing: Playing): void {
  const { memory, kernels, data, bring, computing } = playing;
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = numbers;
  switch (operation) {
    case operations.call:
      computing.kernel = a;
      kernels[a]!(...numbers.slice(1));
      return;
    case operations.input:
      bring(a, b);
      return;
    case operations.data:
      put(memory, b, data[a]!);
      return;
    case operations.zero:
      new Uint8Array(memory.buffer, a, b).fill(0);
      return;
    case operations.copy:
      new Uint8Array(memory.buffer).copyWithin(b, a, a + c);
      return;
    case operations.finish: {
      const sums = new cellArrays[elements[a]!](memory.buffer, b, d) as Float64Array;
      const totals = new Float64Array(memory.buffer, c, d);
      for (let k = 0; k < d; k++) sums[k] = totals[k]! / e;
    }
  }
}

function put(
  memory: Memory,
  address: number,
  { buffer, byteOffset, byteLength }: TypedArray,
): void {
  new Uint8Array(memory.buffer).set(new Uint8Array(buffer, byteOffset, byteLength), address);
}
