// Running a program on the oracle: inputs in, prints in order, values out.

import { error, Fault, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../diagnostics/suggest.ts";
import { convertInput } from "../../host/convert.ts";
import { failed } from "../../host/failure.ts";
import { formatScalar, parseFormatSpec } from "../../host/formatSpec.ts";
import { showCells, showTensor } from "../../host/show.ts";
import { quoted } from "../../syntax/escape.ts";
import { at, scalarValue, subTensor, type TensorValue } from "../../host/value.ts";
import { constantOf, type Variable } from "../../ir/affine/term.ts";
import { show } from "../../ir/affine/show.ts";
import { variablesOf } from "../../ir/affine/visit.ts";
import { namesOf, type Definition, type HostPart, type Program } from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import { analyse, type Analysis } from "../../ir/analyse.ts";
import { rootsOf } from "../../ir/roots.ts";
import { storageOf, wantedOf, type Abilities } from "../../ir/storage.ts";
import type { Backend, NamedValue, Printed, PrintedPart, EngineOptions, RunResult } from "../../core.ts";
import { heardBy } from "../../optimise/rules.ts";
import { newEngine, unitsOf, type Engine, type Units } from "../order.ts";
import { newTracker } from "../progress.ts";
import { kernelAbilities, kernels, type KernelComputer } from "../wasm/engine.ts";
import { release, type Block } from "../wasm/kept.ts";
import { replay } from "../wasm/replay.ts";
import { hasWebAssembly } from "../wasm/web-assembly.ts";
import { perform } from "./effects.ts";
import { oracle, wholeEngine, wholeUnits } from "./engine.ts";
import { isTooDeep, newMachine, storeOf, type Machine } from "./machine.ts";
import { comparisonsIn, operandsOf } from "./operands.ts";
import { compileTerm } from "./scalars.ts";

/** Unless the caller says otherwise, a run may hold this much. */
export const defaultMaxBytes = 4e9;

/** `written` is how many cells a definition needs to be written out as JavaScript; what they hold does not depend on it. */
export function runProgram(program: Program, analysis: Analysis, options: EngineOptions, written?: number): RunResult {
  const listener = options.hearing?.(program, analysis.schedules);
  return heardBy(listener, () => ranProgram(program, analysis, options, written));
}

function ranProgram(program: Program, analysis: Analysis, options: EngineOptions, written?: number): RunResult {
  const again = usesKernels(options) ? replay(program, options) : undefined;
  if (again) return again;
  const machine = machineFor(options, written);
  const values = new Map<string, NamedValue>();
  const omitted: string[] = [];
  const blocks: Block[] = [];
  try {
    const names = askedFor(program, options.get);
    const pinned = pinInputs(machine, program, options.inputs ?? new Map());
    const kept = names.filter((name) => {
      const output = program.outputs.get(name);
      return options.get !== undefined || !output || !isLargeJacobian(machine, output.definition);
    });
    withEngine(machine, program, analysis, options, { asked: kept }, (engine, computer) => {
      checkPinned(program, analysis, pinned);
      act(machine, engine, program, options);
      settleTogether(engine, kept.flatMap((name) => program.outputs.get(name)?.definition ?? [])); // prettier-ignore
      const valueOf = (definition: Definition): TensorValue => {
        if (!options.view || !computer) return engine(definition);
        engine.settle(definition);
        const { value, block } = computer.inPlace(definition);
        if (block) blocks.push(block);
        return value;
      };
      for (const name of names) {
        const text = program.texts.get(name);
        if (text) {
          values.set(name, { value: scalarValue("str", textIn(partsOf(engine, text.parts, []))), names: [] });
          continue;
        }
        const { definition } = program.outputs.get(name)!;
        if (!kept.includes(name)) {
          omitted.push(name);
          continue;
        }
        values.set(name, { value: valueOf(definition), names: definition.axes.map((axis) => axis.name) });
      }
      if (omitted.length === 0) computer?.remember(options, { values, omitted, peakBytes: machine.peak });
    });
    const profile = machine.profile?.lines((v) => machine.values[machine.slotOf(v)]!);
    return {
      values,
      omitted,
      ...(options.view ? { blocks } : {}),
      peakBytes: machine.peak,
      ...(profile ? { profile } : {}),
    };
  } catch (fault) {
    for (const block of blocks) release(block);
    return { values, omitted, peakBytes: machine.peak, fault: faultOf(fault) };
  }
}

/** All that is asked for is computed before anything is taken out: kernels compute together what can be. */
function settleTogether(engine: Engine, definitions: readonly Definition[]): void {
  try {
    for (const definition of definitions) engine.settle(definition);
  } catch (fault) {
    // It is met again behind the values that come before it.
    if (!(fault instanceof Fault)) throw fault;
  }
}

const planned = new WeakMap<Analysis, Map<string, Units>>();

/** What is kept depends on what is asked for and on who computes, not on the inputs. */
function unitsFor(program: Program, analysis: Analysis, asked: readonly string[], can?: Abilities): Units {
  let known = planned.get(analysis);
  if (!known) planned.set(analysis, (known = new Map()));
  const key = `${can ? "kernels" : "oracle"} ${asked.join()}`;
  let units = known.get(key);
  if (!units) {
    const { schedules } = analysis;
    known.set(key, (units = unitsOf(schedules, storageOf(schedules, wantedOf(program, asked), can))));
  }
  return units;
}

/** What a run asks for, and what is there before. */
interface Asking {
  /** Values by name; absent: every cell of everything is kept. */
  readonly asked?: readonly string[];
  readonly kept?: ReadonlyMap<Definition, TensorValue>;
  readonly wanted?: readonly Definition[];
}

/** Kernels compute where the host has them. A trap needs every value as it comes, which only the oracle shows. */
export function usesKernels({ backend, trap }: Pick<EngineOptions, "backend" | "trap">): boolean {
  return backend !== "interpret" && backend !== "js" && trap === undefined && hasWebAssembly();
}

function withEngine<T>(
  machine: Machine,
  program: Program,
  analysis: Analysis,
  options: EngineOptions,
  { asked, kept, wanted = [] }: Asking,
  use: (engine: Engine, computer?: KernelComputer) => T,
): T {
  const beginning = kept ? { kept } : {};
  const { get, leastWork, leastProducts, onProgress } = options;
  const onOracle = !usesKernels(options);
  const can = onOracle ? undefined : kernelAbilities();
  const units = asked ? unitsFor(program, analysis, asked, can) : wholeUnits(analysis);
  if (onProgress) {
    const outputs = new Map([...program.outputs].filter(([name]) => !asked || asked.includes(name)));
    machine.progress = newTracker(units, [...rootsOf({ ...program, outputs }), ...wanted], onProgress);
  }
  if (onOracle) return use(newEngine(machine, program, units, oracle(machine, units.storage), beginning));
  const computer = kernels(machine, program, analysis.schedules, units, {
    asked: get,
    wanted,
    leastWork,
    leastProducts,
  });
  try {
    return use(newEngine(machine, program, units, computer, beginning), computer);
  } finally {
    computer.close();
  }
}

/** From how many cells on definitions are written out as JavaScript, where that is not left to what it costs. */
const writtenOn: Partial<Record<Backend, number>> = { js: 0 };

function machineFor(options: EngineOptions, few?: number): Machine {
  const written = few ?? (options.backend && writtenOn[options.backend]);
  return newMachine({
    f64: options.f64 ?? false,
    maxBytes: options.maxMemory ?? defaultMaxBytes,
    trap: options.trap === "nan",
    ...(options.profiler ? { profile: options.profiler } : {}),
    ...(written === undefined ? {} : { written }),
  });
}

/** Prints and assertions, in order. */
function act(machine: Machine, engine: Engine, program: Program, options: EngineOptions): void {
  for (const definition of program.held) engine(definition);
  for (const action of program.actions) {
    if (!action.when.every((branch) => isTrue(engine, branch.condition) === branch.holds)) continue;
    if (action.kind === "print") {
      // Computed whether or not anybody listens: it may be wrong.
      const line = printed(action.parts.map((parts) => partsOf(engine, parts, [])));
      options.onPrint?.(line);
    } else if (action.kind === "call") {
      const given = action.arguments.map((definition) => at(engine(definition), 0));
      for (const definition of readsOfFunction(action.function)) engine(definition);
      perform(machine, action, given, (text) => options.onPrint?.({ text, parts: [{ kind: "text", text }] }));
    } else if (!isTrue(engine, action.condition)) throw failedAssertion(machine, engine, action);
  }
}

/** What a run that goes on from an earlier one starts with. */
export interface Continued extends EngineOptions {
  /** What has been computed before: it is not computed again. */
  readonly kept: ReadonlyMap<Definition, TensorValue>;
  /** What is computed behind the prints and assertions; a large Jacobian only where something reads it. */
  readonly wanted: readonly Definition[];
}

/** The values of definitions that are there at the end, or what went wrong. */
export type Continuation =
  { readonly valueOf: (definition: Definition) => TensorValue | undefined } | { readonly fault: Diagnostic };

export function continueRun(program: Program, analysis: Analysis, options: Continued): Continuation {
  const machine = machineFor(options);
  try {
    const pinned = pinInputs(machine, program, options.inputs ?? new Map());
    const { kept, wanted } = options;
    withEngine(machine, program, analysis, options, { kept, wanted }, (engine) => {
      checkPinned(program, analysis, pinned);
      act(machine, engine, program, options);
      for (const definition of wanted) if (!isLargeJacobian(machine, definition)) engine(definition);
    });
    return { valueOf: (definition) => machine.stores.get(definition)?.value };
  } catch (fault) {
    return { fault: faultOf(fault) };
  }
}

/** Jacobians with more cells are computed only when they are asked for by name. */
const largestJacobian = 65_536;

function isLargeJacobian(machine: Machine, definition: Definition): boolean {
  if (!definition.request?.jacobian) return false;
  return definition.axes.reduce((cells, axis) => cells * compileTerm(machine, axis.extent)(), 1) > largestJacobian;
}

function faultOf(fault: unknown): Diagnostic {
  if (fault instanceof Fault) return fault.diagnostic;
  if (isTooDeep(fault)) {
    const help = "break long chains and deep nesting into several `let`s";
    return error("E0115", "the program is nested too deeply to be run", undefined, { help });
  }
  if (fault instanceof RangeError) {
    return error("E0805", "the run needs more memory than the machine gives", undefined, {
      help: "make the tensors smaller",
    });
  }
  throw fault;
}

/** The value of one definition, with others held at given values instead of being computed. */
export function evaluateAt(
  program: Program,
  analysis: Analysis,
  inputs: ReadonlyMap<string, TensorValue>,
  held: ReadonlyMap<Definition, TensorValue>,
  wanted: Definition,
): TensorValue {
  const machine = newMachine({ f64: true, maxBytes: defaultMaxBytes, trap: false });
  pinInputs(machine, program, inputs);
  return wholeEngine(machine, program, analysis, { held })(wanted);
}

/**
 * Computes every definition that can be computed, and gives the machine that holds them all: what a comparison of backends looks at.
 * What a fault keeps from being computed has no store.
 */
export function settled(program: Program, analysis: Analysis, options: EngineOptions): Machine {
  const machine = newMachine({ f64: options.f64 ?? false, maxBytes: defaultMaxBytes, trap: false });
  pinInputs(machine, program, options.inputs ?? new Map());
  const units = wholeUnits(analysis);
  const { leastWork, leastProducts } = options;
  const wishes = { leastWork, leastProducts, keepsAll: true } as const;
  const computer =
    options.backend === "interpret"
      ? { ...oracle(machine, units.storage), close: () => undefined }
      : kernels(machine, program, analysis.schedules, units, wishes);
  const engine = newEngine(machine, program, units, computer);
  for (const definition of analysis.schedules.flatMap((schedule) => schedule.definitions)) {
    try {
      const value = engine(definition);
      if (!machine.stores.has(definition)) machine.stores.set(definition, storeOf(value));
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      machine.stores.delete(definition);
    }
  }
  computer.close();
  return machine;
}

/** The names to compute: those asked for, or every output. */
function askedFor(program: Program, get: readonly string[] | undefined): readonly string[] {
  const names = namesOf(program);
  if (!get) return names;
  for (const name of get) {
    if (names.includes(name)) continue;
    throw new Fault(
      error("E0884", `the program has no value \`${name}\``, undefined, { help: didYouMean(name, names) }),
    );
  }
  return get;
}

/** The parts with their values; inside a list, those at some position of the first axes. */
function partsOf(engine: Engine, parts: readonly HostPart[], at: readonly number[]): readonly PrintedPart[] {
  return parts.flatMap((part): readonly PrintedPart[] => {
    switch (part.kind) {
      case "text":
        return [part];
      case "value": {
        const names = part.definition.axes.slice(at.length).map((axis) => axis.name);
        return [{ kind: "value", value: subTensor(engine(part.definition), at), names }];
      }
      case "derivation":
        return [{ kind: "text", text: `@${part.of.name}` }];
      case "each": {
        const length = engine(part.over).shape[at.length]!;
        const items = Array.from({ length }, (_, k) => textIn(partsOf(engine, part.parts, [...at, k])));
        return [{ kind: "text", text: `[${items.join(", ")}]` }];
      }
      case "rows":
        return [{ kind: "text", text: rowsText(part.starts.map(engine), engine(part.flat)) }];
      case "quoted":
        return [{ kind: "text", text: quotedText(partsOf(engine, part.parts, at)) }];
      case "formatted":
        return [{ kind: "text", text: formatted(partsOf(engine, part.parts, at), part.format) }];
      case "choice":
        return partsOf(engine, isTrue(engine, part.condition, at) ? part.then : part.otherwise, at);
      default:
        return part satisfies never;
    }
  });
}

function isTrue(engine: Engine, condition: Definition, position: readonly number[] = []): boolean {
  // A condition on the whole list is the same for all its elements.
  const value = engine(condition);
  return at(subTensor(value, position.slice(0, value.shape.length)), 0) === true;
}

/** Ragged rows as nested brackets: what an entry of one level is, the next level says. */
function rowsText(starts: readonly TensorValue[], flat: TensorValue): string {
  const shown = (from: number, to: number, level: number): string => {
    const { data } = starts[level] ?? {};
    if (!data) return showTensor({ dtype: flat.dtype, shape: [to - from], data: flat.data.slice(from, to) });
    const rows = Array.from({ length: to - from }, (_, k) =>
      shown(Number(data[from + k]), Number(data[from + k + 1]), level + 1),
    );
    return `[${rows.join(", ")}]`;
  };
  return shown(0, starts[0]!.data.length - 1, 0);
}

/** A number by its own rules, anything else as text. */
function formatted(parts: readonly PrintedPart[], format: string): string {
  const spec = parseFormatSpec(format);
  const [only] = parts;
  if (failed(spec)) return textIn(parts);
  if (parts.length === 1 && only?.kind === "value" && only.value.shape.length > 0) {
    return showCells(only.value, (cell) => formatScalar(spec, only.value.dtype, cell));
  }
  if (parts.length === 1 && only?.kind === "value" && only.value.shape.length === 0)
    return formatScalar(spec, only.value.dtype, at(only.value, 0));
  return formatScalar(spec, "str", textIn(parts));
}

/** A text as one writes it; the texts of an array are shown so anyway. */
function quotedText(parts: readonly PrintedPart[]): string {
  const [only] = parts;
  const isArray = parts.length === 1 && only?.kind === "value" && only.value.shape.length > 0;
  return isArray ? textIn(parts) : quoted(textIn(parts));
}

function textIn(parts: readonly PrintedPart[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : showTensor(part.value))).join("");
}

/** Arguments are joined by a space. */
function printed(values: readonly (readonly PrintedPart[])[]): Printed {
  const parts = values.flatMap((parts, k): PrintedPart[] =>
    k === 0 ? [...parts] : [{ kind: "text", text: " " }, ...parts],
  );
  return { text: textIn(parts), parts };
}

function failedAssertion(
  machine: Machine,
  engine: Engine,
  { condition, message, span }: Extract<Program["actions"][number], { kind: "assert" }>,
): Fault {
  const said = printed([partsOf(engine, message, [])]).text;
  const values = condition.clauses.flatMap(({ body }) => {
    const compared = comparisonsIn(machine, body.value);
    return compared.length > 0 ? compared : operandsOf(machine, body.value);
  });
  return new Fault(
    error("E0905", said ? `assertion failed: ${said}` : "assertion failed", span, {
      text: [...new Set(values)].join(", "),
    }),
  );
}

// ── inputs ──────────────────────────────────────────────────────────────────────────────────────

/** Takes the host's values, pins the extents they decide, and holds them to their declarations. */
export function pinInputs(machine: Machine, program: Program, given: ReadonlyMap<string, TensorValue>): Pinned {
  const declared = program.inputs.map((input) => input.name);
  for (const name of given.keys()) {
    if (declared.includes(name)) continue;
    throw new Fault(
      error("E0885", `the program has no input \`${name}\``, undefined, { help: didYouMean(name, declared) }),
    );
  }
  const pinned: Pinned = new Map();
  const missing = program.inputs.filter((input) => !given.has(input.name));
  if (missing.length > 0) throw missingInputs(missing);
  for (const input of program.inputs) {
    const value = given.get(input.name)!;
    pinInput(machine, input, value, pinned);
  }
  for (const [v, definition] of program.scalars) {
    if (definition.origin !== "input") continue;
    const extent = Number(machine.stores.get(definition)!.get(0));
    const axis = pinned.get(v);
    if (axis && axis.extent !== extent) {
      const title = `\`${definition.name}\` is ${extent}, and an axis of the input \`${axis.input.name}\` that it is the extent of has ${axis.extent}`;
      throw new Fault(
        error("E0887", title, axis.input.span, {
          labels: [{ span: definition.span, text: `\`${definition.name}\` is declared here` }],
        }),
      );
    }
    machine.values[machine.slotOf(v)] = extent;
    pinned.set(v, { extent, input: definition });
  }
  return pinned;
}

/** All that are missing, so that they can be given at once. */
function missingInputs([first, ...others]: readonly Definition[]): Fault {
  const all = [first!, ...others];
  const names = all.map((input) => `\`${input.name}\``);
  const flags = all.map((input) => `--in ${input.name}=file.npy`).join(" ");
  const scalar = all.length === 1 && first!.axes.length === 0 ? `, or \`--set ${first!.name}=…\`` : "";
  const title = names.length === 1 ? `the input ${names[0]} is missing` : `the inputs ${names.join(", ")} are missing`;
  return new Fault(
    error("E0801", title, first!.span, {
      labels: others.map(({ span }) => ({ span, text: "" })),
      help: `give ${names.length === 1 ? "it" : "them"}: \`${flags}\`${scalar}`,
    }),
  );
}

/** What the inputs have decided, and which of them decided it. */
export type Pinned = Map<Variable, { readonly extent: number; readonly input: Definition }>;

/** The sizes that have been seen to be right, for each program. */
const seen = new WeakMap<Analysis, Set<string>>();

/** What was left open when compiling and only depends on sizes is decided before anything runs, once for each choice of sizes. */
function checkPinned(program: Program, analysis: Analysis, pinned: Pinned): void {
  if (analysis.checks.length === 0) return;
  const key = [...pinned.values()].map(({ extent }) => extent).join();
  const known = seen.get(analysis) ?? new Set();
  if (known.has(key)) return;
  const values = new Map([...pinned].map(([v, { extent }]) => [v, extent]));
  const [first] = analyse(program, [], values).diagnostics;
  if (first) throw new Fault(first);
  seen.set(analysis, known.add(key));
}

function pinInput(machine: Machine, input: Definition, value: TensorValue, pinned: Pinned): void {
  const wrong = (title: string): Fault => new Fault(error("E0887", title, input.span));
  if (value.shape.length !== input.axes.length) {
    throw wrong(
      `the input \`${input.name}\` has rank ${input.axes.length}, the value that came has rank ${value.shape.length}`,
    );
  }
  const type = machine.typeOf(input.element);
  const converted = convertInput(value, type);
  if (failed(converted))
    throw wrong(
      `the input \`${input.name}\` is ${input.element}, the value that came is ${value.dtype}: ${converted.error}`,
    );
  for (const [axis, { extent: term, name }] of input.axes.entries()) {
    const extent = value.shape[axis]!;
    const [v] = variablesOf(term);
    const first = v && pinned.get(v);
    const fixed = constantOf(term);
    const label = name ? `axis ${axis} (\`${name}\`)` : `axis ${axis}`;
    if (fixed !== undefined && fixed !== extent) {
      throw wrong(`${label} of the input \`${input.name}\` has extent ${fixed}, the value that came has ${extent}`);
    }
    if (first && first.extent !== extent) {
      throw wrong(
        `\`${show(term)}\` is ${first.extent} in the input \`${first.input.name}\` and ${extent} in \`${input.name}\``,
      );
    }
    if (v && !first) {
      pinned.set(v, { extent, input });
      machine.values[machine.slotOf(v)] = extent;
    }
  }
  machine.stores.set(input, storeOf(converted));
}
