// What a built program needs at run time: a memory, its kernels, and the tape that says what to do with them. There is no compiler here.

import { cellArrays } from "../backends/wasm/cell-arrays.ts";
import { hostFunction, KernelFault } from "../backends/wasm/host.ts";
import type { TypedArray } from "../ir/scalar/types.ts";
import { elements, operations, type Built, type BuiltOutput, type Form, type Loop, type Step } from "./built.ts";

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

/** What goes in: cells, a value around them, or a number where the input is a scalar. */
export type BuiltInput = TypedArray | Value | number | bigint | boolean;

export interface Value {
  readonly data: TypedArray;
  readonly shape: readonly number[];
  readonly dtype: string;
}

export type Run = (inputs?: Readonly<Record<string, BuiltInput>>) => Readonly<Record<string, Value>>;

/** A built program, ready to be run. Runs are not run inside of one another: there is one memory for all of them. */
export async function load(built: Built): Promise<Run> {
  const memory = new WebAssembly.Memory({ initial: built.pages });
  const { address, patterns } = built.constants;
  new Int32Array(memory.buffer, address, patterns.length).set(patterns);
  const kernels = await Promise.all(built.kernels.map(({ code, imports }) => kernelOf(code, imports, memory)));
  const data = built.data.map(bytesOf);
  const computing: { kernel: number } = { kernel: 0 };
  return (inputs = {}) => {
    const given = cellsOf(built, inputs);
    try {
      play(built.tape, { memory, kernels, data, given, computing });
    } catch (problem) {
      if (!(problem instanceof KernelFault)) throw problem;
      throw new Error(
        `E0901, E0902 or E0903: ${built.kernels[computing.kernel]!.computes} met an index out of bounds, an integer operation ` +
          `without a result or a reduction of nothing; \`ein run ${built.source}\` with the same inputs says which`,
        { cause: problem },
      );
    }
    for (const { address: at, message } of built.assertions)
      if (new Uint8Array(memory.buffer)[at] !== 1) throw new Error(`E0905: ${message}`);
    return Object.fromEntries(built.outputs.map((output) => [output.name, valueOf(output, memory, data, given)]));
  };
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
  readonly given: readonly TypedArray[];
  readonly computing: { kernel: number };
}

function play(tape: readonly Step[], playing: Playing): void {
  for (const step of tape) {
    if ("turns" in step) turn(step, playing);
    else perform(step, playing);
  }
}

/** Plays the inside of a loop with numbers that grow from turn to turn, and that are as they were afterwards. */
function turn({ turns, steps, by }: Loop, playing: Playing): void {
  for (let k = 0; k < turns; k++) {
    play(steps, playing);
    shift(steps, by, 1);
  }
  shift(steps, by, -turns);
}

/** Adds to all numbers inside of a loop, in order; of inner loops also to what they add themselves. */
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
  const { memory, kernels, data, given, computing } = playing;
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = numbers;
  switch (operation) {
    case operations.call:
      computing.kernel = a;
      kernels[a]!(...numbers.slice(1));
      return;
    case operations.input:
      put(memory, b, given[a]!);
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
    case operations.add:
    case operations.finish: {
      const running = new cellArrays[elements[a]!](memory.buffer, b, d) as Float64Array;
      const totals = new Float64Array(memory.buffer, c, d);
      for (let k = 0; k < d; k++) {
        if (operation === operations.finish) running[k] = totals[k]! / e;
        else {
          totals[k]! += running[k]!;
          running[k] = 0;
        }
      }
    }
  }
}

function put(memory: Memory, address: number, { buffer, byteOffset, byteLength }: TypedArray): void {
  new Uint8Array(memory.buffer).set(new Uint8Array(buffer, byteOffset, byteLength), address);
}

// ── values ──────────────────────────────────────────────────────────────────────────────────────

/** The cells of the inputs in their order, each of the declared form. */
function cellsOf(built: Built, inputs: Readonly<Record<string, BuiltInput>>): readonly TypedArray[] {
  const names = built.inputs.map(({ name }) => name);
  const strange = Object.keys(inputs).find((name) => !names.includes(name));
  if (strange !== undefined) throw new Error(`E0885: ${built.source} declares no input \`${strange}\``);
  return built.inputs.map((form) => {
    const given = inputs[form.name];
    if (given === undefined) throw new Error(`E0801: the input \`${form.name}\` is missing; it is ${typeOf(form)}`);
    return cellsIn(form, given);
  });
}

function cellsIn(form: Form, given: BuiltInput): TypedArray {
  const { name, dtype, shape } = form;
  const wrong = (came: string): Error =>
    new Error(`E0887: the value for \`${name}\` does not fit: it was built as ${typeOf(form)}, what came is ${came}`);
  const kind = cellArrays[dtype];
  if (typeof given !== "object") {
    if (shape.length > 0) throw wrong(`the ${typeof given} ${given}`);
    const wanted = dtype === "i64" ? "bigint" : dtype === "bool" ? "boolean" : "number";
    if (typeof given !== wanted) throw wrong(`the ${typeof given} ${given}`);
    return kind.of(...([dtype === "bool" ? Number(given) : given] as never[]));
  }
  const value: Partial<Value> = ArrayBuffer.isView(given) ? { data: given } : given;
  if (value.dtype !== undefined && value.dtype !== dtype) throw wrong(value.dtype);
  if (value.shape !== undefined && value.shape.join() !== shape.join())
    throw wrong(`of the shape [${value.shape.join(", ")}]`);
  if (value.data?.constructor !== kind) throw wrong(`in a ${value.data?.constructor.name ?? "value without data"}`);
  const size = shape.reduce((cells, extent) => cells * extent, 1);
  if (value.data.length !== size) throw wrong(`an array of ${value.data.length}, not ${size}`);
  return value.data;
}

function typeOf({ dtype, shape }: Form): string {
  return shape.length === 0 ? dtype : `[${dtype}; ${shape.join(", ")}]`;
}

function valueOf(
  { dtype, shape, at }: BuiltOutput,
  memory: Memory,
  data: readonly Uint8Array[],
  given: readonly TypedArray[],
): Value {
  const size = shape.reduce((cells, extent) => cells * extent, 1);
  if ("input" in at) return { data: given[at.input]!.slice(), shape, dtype };
  if ("address" in at) return { data: new cellArrays[dtype](memory.buffer, at.address, size).slice(), shape, dtype };
  return { data: new cellArrays[dtype](data[at.data]!.slice().buffer), shape, dtype };
}
