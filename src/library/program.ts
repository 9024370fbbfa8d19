// A compiled program as host programs use it: values in, values out.

import type { Code } from "../diagnostics/codes.ts";
import { error, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { isInMemory, takeKept, valueAt } from "../backends/wasm/memory/arena.ts";
import { release, type Block } from "../backends/wasm/memory/kept.ts";
import { hasWebAssembly } from "../backends/wasm/web-assembly.ts";
import type { Progress } from "../backends/progress.ts";
import type { DeclaredInput } from "../lower/declared-input.ts";
import type { Printed, EngineOptions } from "../backends/results.ts";
import { sizeOf, zeros, type TensorValue } from "../scalar/values/value.ts";
import { isUnsized, type TypedArray } from "../scalar/types.ts";
import type { Source } from "../base/source.ts";
import { bytesOfCell } from "../backends/wasm/code/kernel.ts";
import {
  askedForFunction,
  askedForGradient,
  askedForPlace,
  askedToRun,
  askedToRunAsync,
} from "./asked.ts";
import type { CallForm } from "./call.ts";
import { isOurName } from "./value.ts";
import { modulesOf, prepare, type Prepared, type Recipe } from "./compile.ts";
import { EinError } from "./error.ts";
import { consoleOf, isBrowserPage } from "./host.ts";
import { fitInputs, typeOf } from "./inputs.ts";
import { mostRepeatables, repeat, repeatable, type Repeatable } from "./repeated.ts";
import type { Given, Shape, Value } from "./value.ts";
import type { DType } from "../scalar/types.ts";
import { leave, leaveUnlessGiven, type Views } from "./views.ts";

export interface RunOptions<K extends string = string> {
  /**
   * The values that are computed, by name; absent: every top-level value. `"_"` is the final bare
   * expression.
   */
  readonly get?: readonly K[];
  /** Compute floats of every type in f64. */
  readonly f64?: boolean;
  /** Bytes that the run may hold. */
  readonly maxMemory?: number;
  /** Stop at the first float that is not finite, or at the first integer that wraps around. */
  readonly trap?: "nan" | "overflow";
  /** Gets what the program prints; absent: the console does. */
  readonly onPrint?: (printed: Printed) => void;
  /** Is told how far the run has come. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface SyncOptions<K extends string = string> extends RunOptions<K> {
  /**
   * Results stay where they were computed: nothing is copied, and they are valid until the next run
   * of this program, also one that fails; it may give the very same value with other cells.
   */
  readonly view?: boolean;
}

export interface AsyncOptions<K extends string = string> extends RunOptions<K> {
  /** Ends the run wherever it is; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignalLike;
}

/** As much of an `AbortSignal` as is needed. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

export type Inputs = Readonly<Record<string, Given>>;
export type Values<K extends string = string> = { readonly [name in K]: Value };

/** A `pub fn` of a program, for arguments of any extents. */
export interface Callable {
  (...given: readonly Value[] | readonly Given[]): Value;
  /** The same, off the calling thread. */
  async(...given: readonly Value[] | readonly Given[]): Promise<Value>;
}

export interface Program {
  /** The text. */
  readonly source: string;
  /** Warnings: a text with errors is no program. */
  readonly diagnostics: readonly Diagnostic[];
  readonly inputs: readonly DeclaredInput[];
  /** What can be asked for by name, in program order. */
  readonly values: readonly string[];
  /**
   * Computes values on this thread. A browser's page has to stay awake: there `runAsync` is the
   * only form.
   */
  run<const K extends string = string>(inputs?: Inputs, options?: SyncOptions<K>): Values<K>;
  /** Computes values on another thread. */
  runAsync<const K extends string = string>(
    inputs?: Inputs,
    options?: AsyncOptions<K>,
  ): Promise<Values<K>>;
  /**
   * A `pub fn` as a function of values; `coordinates` are the names in its brackets, `["class"]`
   * for `softmax[class](…)`.
   */
  fn(name: string, coordinates?: readonly string[]): Callable;
  /**
   * The program that computes the derivatives of a value, as `d_W` and `d_b`; its `source` shows
   * how.
   */
  grad(of: string, wrt: readonly string[]): Gradient;
  /**
   * A value for an input whose `data` lies where kernels read it: filled there and given to `run`,
   * it is not copied. The shape may be left out where the declaration says it all. Ask the value
   * for its `data` anew after a run, because arrays do not survive when memory grows.
   */
  alloc<D extends DType = DType>(name: string, shape?: Shape): Value<D>;
}

export interface Gradient extends Program {
  /**
   * What each derivative is called: `{ W: "d_W" }`, or `d_W_2` where the program has a `d_W` of its
   * own.
   */
  readonly derivatives: Readonly<Record<string, string>>;
}

const abandoned = new FinalizationRegistry<Views>(leave);

export function programOf(prepared: Prepared): Program {
  const { compiler, recipe, program: compiled, diagnostics } = prepared;
  const views: Views = { blocks: [] };
  let repeatables: readonly Repeatable[] = [];
  const calls = new Map<string, Program>();
  const callOf = (form: CallForm): Program => {
    const text = compiler.callProgram(recipe.source, form);
    const known = calls.get(text.text);
    if (known) return known;
    const made = programOf(prepare(recipeOfCall(recipe, text), compiler));
    calls.set(text.text, made);
    return made;
  };
  const program: Program = {
    source: recipe.source.text,
    diagnostics,
    inputs: compiled.inputs,
    values: compiled.values,
    run<K extends string>(inputs: Inputs = {}, options: SyncOptions<K> = {}) {
      const repeated = repeat(repeatables, views, inputs, options);
      if (repeated) return repeated;
      if (isBrowserPage()) throw onPage();
      askedToRun(inputs, options);
      const { values, call } = runPrepared(prepared, inputs, options, views);
      if (call) repeatables = [call, ...repeatables].slice(0, mostRepeatables);
      return values;
    },
    async runAsync<K extends string>(inputs: Inputs = {}, options: AsyncOptions<K> = {}) {
      askedToRunAsync(inputs, options);
      // What does not fit is said here, with the caller's stack. From now on, the caller's arrays
      // are the caller's again.
      const given = copied(fitInputs(recipe, compiled.inputs, inputs));
      const { runInThread } = await import("./thread.ts");
      return (await runInThread(recipe, given, options)) as Values<K>;
    },
    fn(name, coordinates = []) {
      askedForFunction(name, coordinates);
      const sync = (...given: readonly Given[]): Value => {
        const { program: call, inputs } = called(name, coordinates, given);
        return withoutOurNames(call.run(inputs, { get: ["result"] }).result);
      };
      const async = async (...given: readonly Given[]): Promise<Value> => {
        const { program: call, inputs } = called(name, coordinates, given);
        return withoutOurNames((await call.runAsync(inputs, { get: ["result"] })).result);
      };
      // A name that is not there is said now, and not when the function is called.
      compiler.callProgram(recipe.source, { name, coordinates, arguments: [] });
      return Object.assign(sync, { async });
    },
    grad(of, wrt) {
      askedForGradient(of, wrt);
      const derived = compiled.grad(of, wrt);
      if ("diagnostics" in derived) throw new EinError(derived.diagnostics);
      const text = { name: `the gradient of ${of} in ${recipe.source.name}`, text: derived.source };
      // It may be given what the program is given, whatever it needs of that. What `inputs`
      // declares is in its text.
      const spare = [...(recipe.spare ?? []), ...compiled.inputs.map((input) => input.name)];
      const own = {
        source: text,
        declarations: undefined,
        spare,
        modules: modulesOf(recipe, text),
      };
      const gradient = prepare({ ...recipe, ...own }, compiler);
      const derivatives = Object.fromEntries(wrt.map((name, k) => [name, derived.derivatives[k]!]));
      return Object.assign(programOf(gradient), { derivatives });
    },
    alloc<D extends DType>(name: string, shape?: Shape) {
      askedForPlace(name, shape);
      return alloc(compiled.inputs, name, shape) as Value<D>;
    },
  };
  const called = (name: string, coordinates: readonly string[], given: readonly Given[]) => {
    const form: CallForm = { name, coordinates, arguments: given };
    const call = callOf(form);
    if (!call.values.includes("result"))
      throw refusal(
        "E0884",
        `the result of \`${name}\` is no tensor`,
        "only tensors and scalars leave a program",
      );
    return {
      program: call,
      inputs: Object.fromEntries(given.map((value, k) => [`argument_${k + 1}`, value])),
    };
  };
  abandoned.register(program, views);
  return program;
}

/** Axes that the caller has not named have no names. */
function withoutOurNames(value: Value): Value {
  return {
    ...value,
    names: value.names?.map((name) => (name && isOurName(name) ? undefined : name)),
  };
}

/** A function's own arguments are declared with its call. */
function recipeOfCall(recipe: Recipe, source: Source): Recipe {
  const { backend } = recipe;
  return {
    source,
    open: false,
    finite: false,
    modules: modulesOf(recipe, source),
    ...(backend ? { backend } : {}),
  };
}

export function refusal(code: Code, title: string, help: string): EinError {
  return new EinError([error(code, title, undefined, { help })]);
}

function onPage(): EinError {
  const title = "`run` would stop the page while it computes";
  return refusal(
    "E0803",
    title,
    "write `await program.runAsync(…)`, which computes on another thread",
  );
}

/** Values with cells of their own. */
function copied(values: ReadonlyMap<string, TensorValue>): Record<string, Value> {
  const own = [...values].map(([name, { data, shape, dtype }]) => [
    name,
    { data: data.slice(), shape, dtype } as Value,
  ]);
  return Object.fromEntries(own);
}

function printOnConsole({ text }: Printed): void {
  consoleOf()?.log(text);
}

/**
 * A run on this thread, and what is needed to make the call again; afterwards the views are those
 * of this run.
 */
export function runPrepared(
  { program, recipe }: Prepared,
  inputs: Inputs,
  asked: SyncOptions,
  views: Views = { blocks: [] },
): { readonly values: Values; readonly call?: Repeatable | undefined } {
  const { get, f64, maxMemory, trap, onPrint, onProgress, view } = asked;
  if (get) checkNames(program.values, get);
  const fitted = fitInputs(recipe, program.inputs, inputs);
  // Written out one by one: of a small program this takes as long as what it computes.
  const options: { -readonly [name in keyof EngineOptions]: EngineOptions[name] } = {
    inputs: fitted,
    onPrint: onPrint ?? printOnConsole,
  };
  if (get) options.get = get;
  if (recipe.backend) options.backend = recipe.backend;
  if (f64 !== undefined) options.f64 = f64;
  if (maxMemory !== undefined) options.maxMemory = maxMemory;
  if (trap) options.trap = trap;
  if (onProgress) options.onProgress = onProgress;
  if (view) options.view = view;
  leaveUnlessGiven(views, addressesOf(fitted));
  const result = program.run(options);
  if (result.fault) throw new EinError([result.fault]);
  leave(views);
  views.blocks = result.blocks ?? [];
  const named: [string, Value][] = [];
  for (const [name, { value, names }] of result.values)
    named.push([name, resultOf(value, names, fitted)]);
  const values = Object.fromEntries(named);
  // What has to be finite is looked at in each run.
  return recipe.finite === false
    ? { values, call: repeatable(inputs, asked, fitted, result, values) }
    : { values };
}

/** Where values lie that are in the kernels' memory. */
function addressesOf(values: ReadonlyMap<string, TensorValue>): readonly number[] {
  const addresses: number[] = [];
  for (const { data } of values.values())
    if (isInMemory(data as TypedArray)) addresses.push((data as TypedArray).byteOffset);
  return addresses;
}

/**
 * A value for the caller, with the names of its axes. What is an input by another name gets cells
 * of its own.
 */
function resultOf(
  value: TensorValue,
  names: Value["names"],
  inputs: ReadonlyMap<string, TensorValue>,
): Value {
  // A run that looks at the same cells in place as one before it has the same value.
  if ((value as Value).names === names) return value as Value;
  if (isDataOfAny(inputs, value))
    return { data: value.data.slice(), shape: value.shape, dtype: value.dtype, names } as Value;
  // A value in the kernels' memory keeps its array in step with it. Two names may stand for one
  // value.
  const named =
    "names" in value ? Object.defineProperties({}, Object.getOwnPropertyDescriptors(value)) : value;
  return Object.defineProperty(named, "names", {
    value: names,
    enumerable: true,
    configurable: true,
  }) as Value;
}

function isDataOfAny(inputs: ReadonlyMap<string, TensorValue>, { data }: TensorValue): boolean {
  for (const input of inputs.values()) if (input.data === data) return true;
  return false;
}

function checkNames(values: readonly string[], asked: readonly string[]): void {
  const unknown = asked.find((name) => !values.includes(name));
  if (unknown === undefined) return;
  const names = values.filter((name) => name !== "_");
  const list =
    names.length > 0
      ? `it has ${names.map((name) => `\`${name}\``).join(", ")}`
      : "it has no named values";
  throw refusal(
    "E0884",
    `the program has no value \`${unknown}\` to ask for`,
    didYouMean(unknown, names) ?? list,
  );
}

/** What the addresses of kernels reach. */
const mostBytes = 2 ** 32;

const forgotten = new FinalizationRegistry<Block>(release);

function alloc(declared: readonly DeclaredInput[], name: string, shape: Shape | undefined): Value {
  const names = declared.map((input) => input.name);
  const input = declared.find((each) => each.name === name);
  if (!input) {
    const help =
      didYouMean(name, names) ??
      `it declares ${names.map((each) => `\`${each}\``).join(", ") || "none"}`;
    throw refusal("E0885", `the program declares no input \`${name}\``, help);
  }
  const extents = shape ?? fixedShape(input);
  const wrong = (why: string): EinError =>
    new EinError([
      error(
        "E0887",
        `there is no \`${name}\` of that form: it is declared \`${typeOf(input)}\`, ${why}`,
        input.span,
      ),
    ]);
  if (!extents)
    throw wrong(
      `so give its shape: \`alloc(${JSON.stringify(name)}, ` +
        `[${(input.shape ?? []).map((each) => each ?? "n").join(", ")}])\``,
    );
  if (!extents.every((extent) => Number.isSafeInteger(extent) && extent >= 0))
    throw wrong(`and [${extents.join(", ")}] is no shape`);
  const fits =
    !input.shape ||
    (input.shape.length === extents.length &&
      input.shape.every((extent, axis) => typeof extent !== "number" || extent === extents[axis]));
  if (!fits) throw wrong(`and the shape that came is [${extents.join(", ")}]`);
  if (isUnsized(input.dtype)) throw wrong("and strings do not lie in the kernels' memory");
  const bytes = sizeOf(extents) * bytesOfCell(input.dtype);
  if (bytes >= mostBytes)
    throw refusal(
      "E0805",
      `an array of the shape [${extents.join(", ")}] does not fit into memory`,
      "keep fewer cells",
    );
  const block = hasWebAssembly() ? takeKept(bytes) : undefined;
  // Without kernels, or inside of a run, any array will do: it is read as it is, or copied once.
  if (!block) return zeros(input.dtype, extents) as Value;
  const value = valueAt(input.dtype, extents, block.address);
  const { buffer, byteOffset, byteLength } = value.data as TypedArray;
  new Uint8Array(buffer, byteOffset, byteLength).fill(0);
  forgotten.register(value, block);
  return value as Value;
}

function fixedShape({ shape }: DeclaredInput): Shape | undefined {
  return shape?.every((extent) => typeof extent === "number") ? shape : undefined;
}
