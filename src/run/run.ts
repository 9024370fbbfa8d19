// This folder runs compiled programs on a backend: inputs in, prints in order, values out; the
// backends themselves, and the host's files and screens, are elsewhere.

import { error, Fault, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { isStackEnd } from "../diagnostics/stack-end.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { at, scalarValue, type TensorValue } from "../scalar/values/value.ts";
import { namesOf, type Definition, type Program } from "../ir/program.ts";
import { readsOfFunction } from "../ir/references.ts";
import type { Analysis } from "../analyse/analyse.ts";
import { storageOf, wantedOf, type Abilities } from "../plan/storage.ts";
import type { Backend, NamedValue, EngineOptions, RunResult } from "../backends/results.ts";
import { heardBy } from "../plan/rules.ts";
import { newEngine, unitsOf, type Engine, type Units } from "../backends/order.ts";
import { newTracker } from "../backends/progress.ts";
import type { Trap } from "../backends/traps.ts";
import { usesKernels } from "./uses-kernels.ts";
import { kernelAbilities, kernels, type KernelComputer } from "../backends/wasm/engine.ts";
import { release, type Block } from "../backends/wasm/memory/kept.ts";
import { replay } from "../backends/wasm/memory/replay.ts";
import { perform } from "../backends/interpret/effects.ts";
import { oracle, oracleAbilities, wholeEngine, wholeUnits } from "../backends/interpret/engine.ts";
import { newMachine, type Machine } from "../backends/interpret/machine.ts";
import { checkPinned, pinInputs } from "./pinned.ts";
import { failedAssertion, isTrue, printedPartsOf, printed, textIn } from "./printed.ts";
import { compileTerm } from "../backends/interpret/scalars/scalars.ts";
import { askedRoots } from "../ir/roots.ts";

/** How many bytes a run may hold unless the caller says otherwise. */
export const defaultMaxBytes = 4e9;

/**
 * `written`: a definition with at least so many cells is written as JavaScript. The values do not
 * depend on it.
 */
export function runProgram(
  program: Program,
  analysis: Analysis,
  options: EngineOptions,
  written?: number,
): RunResult {
  const listener = options.hearing?.(program, analysis.schedules);
  return heardBy(listener, () => runOrReplay(program, analysis, options, written));
}

function runOrReplay(
  program: Program,
  analysis: Analysis,
  options: EngineOptions,
  written?: number,
): RunResult {
  const repeated = usesKernels(options) ? replay(program, options) : undefined;
  if (repeated) return repeated;
  const machine = machineFor(options, written);
  const values = new Map<string, NamedValue>();
  const omitted: string[] = [];
  const blocks: Block[] = [];
  try {
    const names = checkAskedNames(program, options.get);
    const pinned = pinInputs(machine, program, options.inputs ?? new Map());
    const kept = names.filter((name) => {
      const output = program.outputs.get(name);
      return options.get !== undefined || !output || !isLargeJacobian(machine, output.definition);
    });
    withEngine(machine, program, analysis, options, { asked: kept }, (engine, computer) => {
      checkPinned(program, analysis, pinned);
      act(machine, engine, program, options);
      settleTogether(
        engine,
        kept.flatMap((name) => program.outputs.get(name)?.definition ?? []),
      );
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
          values.set(name, {
            value: scalarValue("str", textIn(printedPartsOf(engine, text.parts, []))),
            names: [],
          });
          continue;
        }
        const { definition } = program.outputs.get(name)!;
        if (!kept.includes(name)) {
          omitted.push(name);
          continue;
        }
        values.set(name, {
          value: valueOf(definition),
          names: definition.axes.map((axis) => axis.name),
        });
      }
      if (omitted.length === 0)
        computer?.remember(options, { values, omitted, peakBytes: machine.peak });
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

/**
 * Computes everything that is asked for before the first value is taken out, so that kernels can
 * compute definitions together.
 */
function settleTogether(engine: Engine, definitions: readonly Definition[]): void {
  try {
    engine.settle(...definitions);
  } catch (fault) {
    // The fault comes again when its value is taken out, behind the values before it.
    if (!(fault instanceof Fault)) throw fault;
  }
}

const knownUnits = new WeakMap<Analysis, Map<string, Units>>();

/**
 * The units of a program. The memory plan depends on what is asked for and on the backend, but not
 * on the inputs.
 */
function unitsFor(
  program: Program,
  analysis: Analysis,
  asked: readonly string[],
  can: Abilities,
): Units {
  let known = knownUnits.get(analysis);
  if (!known) knownUnits.set(analysis, (known = new Map()));
  const key = `${can === oracleAbilities ? "oracle" : "kernels"} ${asked.join()}`;
  let units = known.get(key);
  if (!units) {
    const { schedules } = analysis;
    known.set(
      key,
      (units = unitsOf(schedules, storageOf(schedules, wantedOf(program, asked), can))),
    );
  }
  return units;
}

/** What a run asks for, and what has been computed before it. */
interface Asking {
  /** The names of the values to compute. If absent, every cell of every definition is kept. */
  readonly asked?: readonly string[];
  readonly kept?: ReadonlyMap<Definition, TensorValue>;
  readonly wanted?: readonly Definition[];
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
  const can = onOracle ? oracleAbilities : kernelAbilities();
  const units = asked ? unitsFor(program, analysis, asked, can) : wholeUnits(analysis);
  if (onProgress) {
    const roots = [...askedRoots(program, asked), ...wanted];
    machine.progress = newTracker(units, roots, onProgress);
  }
  if (onOracle)
    return use(newEngine(machine, program, units, oracle(machine, units.storage), beginning));
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

/**
 * From how many cells on a backend writes definitions as JavaScript. Other backends decide by the
 * cost.
 */
const writtenOn: Partial<Record<Backend, number>> = { js: 0 };

function machineFor(options: EngineOptions, few?: number): Machine {
  const written = few ?? (options.backend && writtenOn[options.backend]);
  return newMachine({
    f64: options.f64 ?? false,
    maxBytes: options.maxMemory ?? defaultMaxBytes,
    trap: options.trap,
    ...(options.profiler ? { profile: options.profiler } : {}),
    ...(written === undefined ? {} : { written }),
  });
}

/** Performs prints and assertions, in order. */
function act(machine: Machine, engine: Engine, program: Program, options: EngineOptions): void {
  for (const definition of program.held) engine(definition);
  for (const action of program.actions) {
    if (!action.when.every((branch) => isTrue(engine, branch.condition) === branch.holds)) continue;
    if (action.kind === "print") {
      // The arguments are computed even if nobody listens, because they may have a fault.
      const line = printed(action.parts.map((parts) => printedPartsOf(engine, parts, [])));
      options.onPrint?.(line);
    } else if (action.kind === "call") {
      const given = action.arguments.map((definition) => at(engine(definition), 0));
      for (const definition of readsOfFunction(action.function)) engine(definition);
      perform(machine, action, given, (text) =>
        options.onPrint?.({ text, parts: [{ kind: "text", text }] }),
      );
    } else if (!isTrue(engine, action.condition)) throw failedAssertion(machine, engine, action);
  }
}

/** The options of a run that continues an earlier one. */
export interface Continued extends EngineOptions {
  /** The values that have been computed before. They are not computed again. */
  readonly kept: ReadonlyMap<Definition, TensorValue>;
  /**
   * The definitions to compute after the prints and assertions. A large Jacobian is computed only
   * if something reads it.
   */
  readonly wanted: readonly Definition[];
}

/** The values of definitions that are known at the end, or what went wrong. */
export type Continuation =
  | { readonly valueOf: (definition: Definition) => TensorValue | undefined }
  | { readonly fault: Diagnostic };

export function continueRun(
  program: Program,
  analysis: Analysis,
  options: Continued,
): Continuation {
  const machine = machineFor(options);
  try {
    const pinned = pinInputs(machine, program, options.inputs ?? new Map());
    const { kept, wanted } = options;
    withEngine(machine, program, analysis, options, { kept, wanted }, (engine) => {
      checkPinned(program, analysis, pinned);
      act(machine, engine, program, options);
      for (const definition of wanted)
        if (!isLargeJacobian(machine, definition)) engine(definition);
    });
    return { valueOf: (definition) => machine.stores.get(definition)?.value };
  } catch (fault) {
    return { fault: faultOf(fault) };
  }
}

/** A Jacobian with more cells is computed only if it is asked for by name. */
const largestJacobian = 65_536;

function isLargeJacobian(machine: Machine, definition: Definition): boolean {
  if (!definition.request?.jacobian) return false;
  return (
    definition.axes.reduce((cells, axis) => cells * compileTerm(machine, axis.extent)(), 1) >
    largestJacobian
  );
}

function faultOf(fault: unknown): Diagnostic {
  if (fault instanceof Fault) return fault.diagnostic;
  if (isStackEnd(fault)) {
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

/**
 * The value of one definition, while other definitions keep given values instead of being computed.
 */
export function evaluateAt(
  program: Program,
  analysis: Analysis,
  inputs: ReadonlyMap<string, TensorValue>,
  held: ReadonlyMap<Definition, TensorValue>,
  wanted: Definition,
  trap?: Trap,
): TensorValue {
  const machine = newMachine({ f64: true, maxBytes: defaultMaxBytes, trap });
  pinInputs(machine, program, inputs);
  return wholeEngine(machine, program, analysis, { held })(wanted);
}

/** The names of the values to compute: those asked for, or every output. */
function checkAskedNames(program: Program, get: readonly string[] | undefined): readonly string[] {
  const names = namesOf(program);
  if (!get) return names;
  for (const name of get) {
    if (names.includes(name)) continue;
    throw new Fault(
      error("E0884", `the program has no value \`${name}\``, undefined, {
        help: didYouMean(name, names),
      }),
    );
  }
  return get;
}
