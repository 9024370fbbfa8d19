// Running a program on the oracle: inputs in, prints in order, values out.

import { error, Fault, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../diagnostics/suggest.ts";
import { convertInput } from "../../host/convert.ts";
import { failed } from "../../host/failure.ts";
import { formatScalar, parseFormatSpec } from "../../host/formatSpec.ts";
import { showCells, showTensor } from "../../host/show.ts";
import { at, type TensorValue } from "../../host/value.ts";
import { constantOf, type Variable } from "../../ir/affine/term.ts";
import { show } from "../../ir/affine/show.ts";
import { variablesOf } from "../../ir/affine/visit.ts";
import { readsOf, type Definition, type HostPart, type Program } from "../../ir/program.ts";
import { analyse, type Analysis } from "../../ir/analyse.ts";
import type { Schedule } from "../../ir/schedule.ts";
import type { NamedValue, Printed, PrintedPart, RunOptions, RunResult } from "../../compile.ts";
import { newSettling, type Settling } from "../wasm/engine.ts";
import { hasWebAssembly } from "../wasm/web-assembly.ts";
import { evaluateSchedule } from "./evaluate.ts";
import { newMachine, storeOf, type Machine } from "./machine.ts";
import { compileTerm } from "./scalars.ts";

/** Unless the caller says otherwise, a run may hold this much. */
const defaultMaxBytes = 4e9;

export function runProgram(program: Program, analysis: Analysis, options: RunOptions): RunResult {
  const machine = machineFor(options);
  const values = new Map<string, NamedValue>();
  const omitted: string[] = [];
  try {
    const names = askedFor(program, options.get);
    const engine = startedEngine(machine, program, analysis, options);
    act(engine, program, options);
    for (const name of names) {
      const { definition } = program.outputs.get(name)!;
      if (!options.get && isLargeJacobian(machine, definition)) {
        omitted.push(name);
        continue;
      }
      values.set(name, { value: engine(definition), names: definition.axes.map((axis) => axis.name) });
    }
    return { values, omitted, peakBytes: machine.peak };
  } catch (fault) {
    return { values, omitted, peakBytes: machine.peak, fault: faultOf(fault) };
  }
}

function machineFor(options: RunOptions): Machine {
  return newMachine({
    f64: options.f64 ?? false,
    maxBytes: options.maxMemory ?? defaultMaxBytes,
    trap: options.trap === "nan",
  });
}

/** The inputs taken and everything checked that only depends on their sizes. */
function startedEngine(
  machine: Machine,
  program: Program,
  analysis: Analysis,
  options: RunOptions,
  kept: ReadonlyMap<Definition, TensorValue> = new Map(),
): Engine {
  const pinned = pinInputs(machine, program, options.inputs ?? new Map());
  const settling = settlingFor(machine, program, analysis.schedules, options);
  const engine = newEngine(machine, program, analysis.schedules, settling, { kept });
  checkPinned(program, analysis, pinned);
  return engine;
}

/** Prints and assertions, in order. */
function act(engine: Engine, program: Program, options: RunOptions): void {
  for (const action of program.actions) {
    if (!action.when.every((branch) => isTrue(engine, branch.condition) === branch.holds)) continue;
    if (action.kind === "print") options.onPrint?.(printed(action.parts.map((parts) => partsOf(engine, parts))));
    else if (!isTrue(engine, action.condition)) throw failedAssertion(engine, action);
  }
}

/** What a run that goes on from an earlier one starts with. */
export interface Continued extends RunOptions {
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
    const engine = startedEngine(machine, program, analysis, options, options.kept);
    act(engine, program, options);
    for (const definition of options.wanted) if (!isLargeJacobian(machine, definition)) engine(definition);
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
  if (fault instanceof RangeError) {
    return error("E0906", "the run needs more memory than the machine gives", undefined, {
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
  const engine = newEngine(machine, program, analysis.schedules, onOracle(machine), { held });
  return engine(wanted);
}

/**
 * Computes every definition that can be computed, and gives the machine that holds them all: what a comparison of backends looks at.
 * What a fault keeps from being computed has no store.
 */
export function settled(program: Program, analysis: Analysis, options: RunOptions): Machine {
  const machine = newMachine({ f64: options.f64 ?? false, maxBytes: defaultMaxBytes, trap: false });
  pinInputs(machine, program, options.inputs ?? new Map());
  const settling =
    options.backend === "interpret"
      ? onOracle(machine)
      : newSettling(machine, program, analysis.schedules, { leastWork: options.leastWork, keepsAll: true });
  const engine = newEngine(machine, program, analysis.schedules, settling);
  for (const definition of analysis.schedules.flatMap((schedule) => schedule.definitions)) {
    try {
      const value = engine(definition);
      if (!machine.stores.has(definition)) machine.stores.set(definition, storeOf(value));
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
    }
  }
  return machine;
}

/** The names to compute: those asked for, or every output. */
function askedFor(program: Program, get: readonly string[] | undefined): readonly string[] {
  if (!get) return [...program.outputs.keys()];
  for (const name of get) {
    if (program.outputs.has(name)) continue;
    throw new Fault(
      error("E0884", `the program has no value \`${name}\``, undefined, {
        help: didYouMean(name, program.outputs.keys()),
      }),
    );
  }
  return get;
}

/** Kernels where the host has them; a trap needs every value as it comes, which only the oracle shows. */
function settlingFor(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  { backend, trap, get, leastWork }: RunOptions,
): Settling {
  if (backend === "interpret" || trap || !hasWebAssembly()) return onOracle(machine);
  return newSettling(machine, program, schedules, { asked: get, leastWork });
}

function onOracle(machine: Machine): Settling {
  return {
    settle: (schedule) => evaluateSchedule(machine, schedule),
    valueOf: (definition) => machine.stores.get(definition)!.value,
  };
}

/** Values that are there before anything is computed. */
interface Present {
  /** Stand in for what their definitions and those that recur with them would give. */
  readonly held?: ReadonlyMap<Definition, TensorValue>;
  /** Are what their definitions give; what recurs with them may still be computed. */
  readonly kept?: ReadonlyMap<Definition, TensorValue>;
}

/** Computes a definition when it is first asked for, after what it reads. */
function newEngine(
  machine: Machine,
  program: Program,
  schedules: readonly Schedule[],
  settling: Settling,
  { held = new Map(), kept = new Map() }: Present = {},
): Engine {
  const scheduleOf = new Map<Definition, number>();
  for (const [k, schedule] of schedules.entries())
    for (const definition of schedule.definitions) scheduleOf.set(definition, k);
  const byDefinition = new Map<Definition, Variable[]>();
  for (const [v, definition] of program.scalars)
    byDefinition.set(definition, [...(byDefinition.get(definition) ?? []), v]);
  const reads = new Map<number, readonly number[]>();
  const needed = (k: number): readonly number[] => {
    const known = reads.get(k);
    if (known) return known;
    const found = new Set<number>();
    for (const definition of schedules[k]!.definitions)
      for (const read of readsOf(definition)) if (!kept.has(read)) found.add(scheduleOf.get(read)!);
    found.delete(k);
    const list = [...found];
    reads.set(k, list);
    return list;
  };
  const computed = new Set<number>();
  for (const [definition, value] of held) {
    machine.stores.set(definition, storeOf(value));
    computed.add(scheduleOf.get(definition)!);
  }
  const publish = (definition: Definition): void => {
    for (const v of byDefinition.get(definition) ?? [])
      machine.values[machine.slotOf(v)] = Number(at(settling.valueOf(definition), 0));
  };
  for (const [definition, value] of kept) {
    machine.stores.set(definition, storeOf(value));
    machine.bytes += "byteLength" in value.data ? value.data.byteLength : 0;
    publish(definition);
  }
  machine.peak = machine.bytes;
  let open = program.agreements;
  /** Holds extents that meet to each other as soon as both are known. */
  const agree = (): void => {
    open = open.filter((each) => {
      const [left, right] = [compileTerm(machine, each.left)(), compileTerm(machine, each.right)()];
      if (Number.isNaN(left) || Number.isNaN(right)) return true;
      if (left === right) return false;
      throw new Fault(
        error("E0304", `the extents of ${each.text} must agree, and are ${left} and ${right}`, each.span, {
          text: `\`${show(each.left)}\` is ${left}, \`${show(each.right)}\` is ${right}`,
        }),
      );
    });
  };
  agree();
  const settle = (k: number): void => {
    // Inputs are there already.
    if (schedules[k]!.definitions[0]!.origin !== "input") settling.settle(schedules[k]!);
    for (const definition of schedules[k]!.definitions) publish(definition);
    if (open.length > 0) agree();
    computed.add(k);
  };
  // Schedules come after what they read, so the ones that are needed are computed in their order.
  return (definition) => {
    const last = scheduleOf.get(definition)!;
    if (!computed.has(last) && !kept.has(definition)) {
      const wanted = new Set<number>([last]);
      for (const k of wanted) for (const read of needed(k)) if (!computed.has(read)) wanted.add(read);
      for (const k of [...wanted].sort((a, b) => a - b)) settle(k);
    }
    return settling.valueOf(definition);
  };
}

type Engine = (definition: Definition) => TensorValue;

function partsOf(engine: Engine, parts: readonly HostPart[]): readonly PrintedPart[] {
  return parts.flatMap((part): readonly PrintedPart[] => {
    switch (part.kind) {
      case "text":
        return [part];
      case "value":
        return [
          { kind: "value", value: engine(part.definition), names: part.definition.axes.map((axis) => axis.name) },
        ];
      case "derivation":
        return [{ kind: "text", text: `@${part.of.name}` }];
      case "formatted":
        return [{ kind: "text", text: formatted(partsOf(engine, part.parts), part.format) }];
      case "choice":
        return partsOf(engine, isTrue(engine, part.condition) ? part.then : part.otherwise);
      default:
        return part satisfies never;
    }
  });
}

function isTrue(engine: Engine, condition: Definition): boolean {
  return at(engine(condition), 0) === true;
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

function failedAssertion(engine: Engine, action: Extract<Program["actions"][number], { kind: "assert" }>): Fault {
  const message = printed([partsOf(engine, action.message)]).text;
  return new Fault(error("E0905", message ? `assertion failed: ${message}` : "assertion failed", action.span));
}

// ── inputs ──────────────────────────────────────────────────────────────────────────────────────

/** Takes the host's values, pins the extents they decide, and holds them to their declarations. */
function pinInputs(machine: Machine, program: Program, given: ReadonlyMap<string, TensorValue>): Pinned {
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
type Pinned = Map<Variable, { readonly extent: number; readonly input: Definition }>;

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
