// The library for host programs in TypeScript and JavaScript: compiling a text, running it on
// values, and `` ein`…` ``. How files are read is in `host`, and how a program is computed is in
// `run` and `backends`.
//
// This file is a compiled program as a host program uses it: values in, values out.

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
import { fitInputs, declaredType } from "./inputs.ts";
import { mostRepeatables, repeat, repeatable, type Repeatable } from "./repeated.ts";
import type { Given, Shape, Value } from "./value.ts";
import type { DType } from "../scalar/types.ts";
import { leave, leaveUnlessGiven, type Views } from "./views.ts";

export interface RunOptions<K extends string = string> {
  /**
   * The names of the values to compute. Without it, every top-level value is computed. `"_"` is the
   * final bare expression.
   */
  readonly get?: readonly K[];
  /** Compute all floats in f64. */
  readonly f64?: boolean;
  /** The most bytes that the run may hold. */
  readonly maxMemory?: number;
  /** Stop at the first float that is not finite, or at the first integer that wraps around. */
  readonly trap?: "nan" | "overflow";
  /** Receives what the program prints. Without it, the console does. */
  readonly onPrint?: (printed: Printed) => void;
  /** Receives the progress of the run. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface SyncOptions<K extends string = string> extends RunOptions<K> {
  /**
   * Whether results stay in the memory of the kernels, without a copy. They are valid until the
   * next run of this program, even one that fails. The next run may give the same objects with
   * other cells.
   */
  readonly view?: boolean;
}

export interface AsyncOptions<K extends string = string> extends RunOptions<K> {
  /** Ends the run at any point. The promise is rejected with the signal's reason. */
  readonly signal?: AbortSignalLike;
}

/** The part of an `AbortSignal` that is used. */
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
  /** The same call on another thread. */
  async(...given: readonly Value[] | readonly Given[]): Promise<Value>;
}

export interface Program {
  /** The text of the program. */
  readonly source: string;
  /** Warnings. A text with errors gives no program. */
  readonly diagnostics: readonly Diagnostic[];
  readonly inputs: readonly DeclaredInput[];
  /** The names of the values, in program order. */
  readonly values: readonly string[];
  /**
   * Computes values on this thread. Not available in a browser's page, which must stay responsive:
   * use `runAsync` there.
   */
  run<const K extends string = string>(inputs?: Inputs, options?: SyncOptions<K>): Values<K>;
  /** Computes values on another thread. */
  runAsync<const K extends string = string>(
    inputs?: Inputs,
    options?: AsyncOptions<K>,
  ): Promise<Values<K>>;
  /**
   * A `pub fn` as a function of values. `coordinates` are the names in its brackets: `["class"]`
   * for `softmax[class](…)`.
   */
  fn(name: string, coordinates?: readonly string[]): Callable;
  /**
   * The program that computes the derivatives of a value, such as `d_W` and `d_b`. Its `source`
   * shows how.
   */
  grad(of: string, wrt: readonly string[]): Gradient;
  /**
   * A value for an input, whose `data` lies in the memory of the kernels. If its cells are filled
   * and it is given to `run`, nothing is copied. The shape may be left out if the declaration fixes
   * it. Read `data` again after each run, because the array changes when memory grows.
   */
  alloc<D extends DType = DType>(name: string, shape?: Shape): Value<D>;
}

export interface Gradient extends Program {
  /** The name of each derivative: `{ W: "d_W" }`, or `d_W_2` if the program has a `d_W` already. */
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
    const callee = programOf(prepare(recipeOfCall(recipe, text), compiler));
    calls.set(text.text, callee);
    return callee;
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
      // Inputs that do not fit are refused here, so that the error has the caller's stack. The
      // cells are copied, so the caller may reuse its arrays at once.
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
      // Refuses an unknown name at once, and not only when the function is called.
      compiler.callProgram(recipe.source, { name, coordinates, arguments: [] });
      return Object.assign(sync, { async });
    },
    grad(of, wrt) {
      askedForGradient(of, wrt);
      const derived = compiled.grad(of, wrt);
      if ("diagnostics" in derived) throw new EinError(derived.diagnostics);
      const text = { name: `the gradient of ${of} in ${recipe.source.name}`, text: derived.source };
      // The gradient accepts all inputs of this program, even if it needs fewer. Its text declares
      // the inputs itself, so the declarations are dropped.
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

/** Removes the names of axes that the caller has not named. */
function withoutOurNames(value: Value): Value {
  return {
    ...value,
    names: value.names?.map((name) => (name && isOurName(name) ? undefined : name)),
  };
}

/** The recipe for a call. The text of the call declares its own inputs. */
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

function refusal(code: Code, title: string, help: string): EinError {
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

/** Values with copied cells. */
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
 * Runs a program on this thread. The result says how to repeat the call. The earlier views are
 * released, and `views` holds those of this run.
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
  // Each option is copied by itself: for a small program, spreading objects takes as long as the
  // computation.
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
  // Inputs that must be finite are checked in each run, so such a call is not repeated.
  return recipe.finite === false
    ? { values, call: repeatable(inputs, asked, fitted, result, values) }
    : { values };
}

/** The addresses of the values that lie in the memory of the kernels. */
function addressesOf(values: ReadonlyMap<string, TensorValue>): readonly number[] {
  const addresses: number[] = [];
  for (const { data } of values.values())
    if (isInMemory(data as TypedArray)) addresses.push((data as TypedArray).byteOffset);
  return addresses;
}

/**
 * A value for the caller, with the names of its axes. If it is an input under another name, its
 * cells are copied.
 */
function resultOf(
  value: TensorValue,
  names: Value["names"],
  inputs: ReadonlyMap<string, TensorValue>,
): Value {
  // A repeated run with views gives the same value again.
  if ((value as Value).names === names) return value as Value;
  if (isDataOfAny(inputs, value))
    return { data: value.data.slice(), shape: value.shape, dtype: value.dtype, names } as Value;
  // A value in the memory of the kernels has accessors that keep its array up to date, so these are
  // copied with the value. A copy is needed because two names may share one value.
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

/** The range of kernel addresses. */
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
        `there is no \`${name}\` of that form: it is declared \`${declaredType(input)}\`, ${why}`,
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
  // Without kernels, or during a run, an ordinary array is given. It is copied into the memory at
  // each run.
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
