// The driver: from text to a program that can be run, as a numbered list of stages.

import { runProgram } from "./backends/interpret/run.ts";
import { answerRequests } from "./autodiff/requests.ts";
import { check } from "./check/check.ts";
import type { ReadModule } from "./check/modules.ts";
import { ordered } from "./diagnostics/sort.ts";
import { error, type Diagnostic } from "./diagnostics/diagnostic.ts";
import type { TensorValue } from "./host/value.ts";
import { constantOf } from "./ir/affine/term.ts";
import { analyse } from "./ir/analyse.ts";
import { normalise } from "./ir/normalise.ts";
import type { Definition } from "./ir/program.ts";
import { describePlan } from "./ir/plan.ts";
import { printProgram } from "./ir/print.ts";
import { isElementType, type ElementType } from "./ir/scalar/types.ts";
import type { Module, Type } from "./syntax/ast.ts";
import { parse } from "./syntax/parser.ts";
import type { Source } from "./syntax/source.ts";

export interface CompileOptions {
  /** Undeclared names that are only read become inputs. */
  readonly open?: boolean;
  /** Ranks of the inputs that are declared as `[f32; *]`. */
  readonly ranks?: ReadonlyMap<string, number>;
  /** Finds the text of `mod m;`, beside the text that says so. Without it, only inline modules and the library are there. */
  readonly readModule?: ReadModule;
}

export interface Compiled {
  /** Errors and warnings, ordered by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absent when there is an error. */
  readonly program?: CompiledProgram;
}

/** What an `input` statement declares; an extent is a number, a dimension name, or unknown. */
export interface DeclaredInput {
  readonly name: string;
  readonly dtype: ElementType;
  /** Absent for `[f32; *]`. */
  readonly shape?: readonly (number | string | undefined)[];
}

export interface CompiledProgram {
  readonly inputs: readonly DeclaredInput[];
  /** Names that can be asked for, in program order (the last binding of each name). */
  readonly values: readonly string[];
  /** Names of the passes that `dump` knows, in order: "checks", "ir", "plan", … */
  readonly passes: readonly string[];
  dump(pass: string): string;
  run(options: RunOptions): RunResult;
}

export interface RunOptions {
  readonly inputs?: ReadonlyMap<string, TensorValue>;
  /** Values asked for by name; absent: every top-level value. "_" is the final bare expression. */
  readonly get?: readonly string[];
  /** Compute floats of every type in f64. */
  readonly f64?: boolean;
  readonly maxMemory?: number;
  readonly trap?: "nan";
  /** Called once for each `print`, in order, with its complete text (tensors as nested brackets). */
  readonly onPrint?: (printed: Printed) => void;
}

/** One `print`: the contract's text, and the parts for a terminal to lay out. */
export interface Printed {
  readonly text: string;
  readonly parts: readonly PrintedPart[];
}

export type PrintedPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly value: TensorValue; readonly names: readonly (string | undefined)[] };

export interface RunResult {
  /** Also holds what was computed before a fault. */
  readonly values: ReadonlyMap<string, NamedValue>;
  readonly omitted: readonly string[];
  readonly peakBytes: number;
  readonly fault?: Diagnostic;
}

/** A value with the names of its axes where they are known. */
export interface NamedValue {
  readonly value: TensorValue;
  readonly names: readonly (string | undefined)[];
}

/** From text to a program that runs. Errors of every stage that can still say something are reported together. */
export function compile(source: Source, options: CompileOptions = {}): Compiled {
  try {
    return stages(source, options);
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    const whole = { source, start: 0, end: source.text.length };
    const help = "break long chains and deep nesting into several `let`s";
    return { diagnostics: [error("E0115", "the program is nested too deeply to be compiled", whole, { help })] };
  }
}

function stages(source: Source, options: CompileOptions): Compiled {
  // 1. syntax
  const { module, diagnostics: syntax, damage } = parse(source);
  // 2. names, ranges, shapes, types
  const { checker, program: typed } = check(module, { ranks: options.ranks, damage, readModule: options.readModule });
  // 3. indexed IR, of everything that is right so far
  const program = normalise(checker, typed);
  // 4. derivatives, as ordinary definitions
  const answered = answerRequests(program, checker.extents);
  // 5. accesses, cells and order
  const analysis = analyse(program, checker.extents);

  const diagnostics = ordered([...syntax, ...checker.diagnostics, ...answered, ...analysis.diagnostics]);
  if (diagnostics.some((diagnostic) => diagnostic.level === "error")) return { diagnostics };
  if (checker.unranked.size > 0) return { diagnostics, program: waitingForRanks(source, module, options) };
  const dumps: Record<string, () => string> = {
    checks: () => analysis.checks.map((check) => check.text).join("\n"),
    ir: () => printProgram(program),
    plan: () => describePlan(program, analysis.schedules),
  };
  return {
    diagnostics,
    program: {
      inputs: program.inputs.map(declaredInput),
      values: [...program.outputs.keys()],
      passes: Object.keys(dumps),
      dump: (pass) => dumps[pass]!(),
      run: (runOptions) => runProgram(program, analysis, runOptions),
    },
  };
}

/** A program with an input of unknown rank is compiled when its value has come. */
function waitingForRanks(source: Source, module: Module, options: CompileOptions): CompiledProgram {
  const inputs = module.statements.flatMap((statement): DeclaredInput[] =>
    statement.kind === "input" ? [{ name: statement.name.text, dtype: elementOf(statement.type) }] : [],
  );
  const values = module.statements.flatMap((statement): string[] => {
    if (statement.kind === "indexed-let") return [statement.name.text];
    return statement.kind === "let" && statement.pattern.kind === "name" ? [statement.pattern.name.text] : [];
  });
  return {
    inputs,
    values: [...new Set(values)],
    passes: [],
    dump: () => "",
    run(runOptions) {
      const given = runOptions.inputs ?? new Map<string, TensorValue>();
      const ranks = new Map([...given].map(([name, value]) => [name, value.shape.length]));
      const missing = inputs.find((input) => !given.has(input.name));
      if (missing) {
        const statement = module.statements.find((each) => each.kind === "input" && each.name.text === missing.name);
        const fault = error("E0801", `the input \`${missing.name}\` is missing`, statement?.span, { help: `give it: \`--in ${missing.name}=file.npy\`` });
        return { values: new Map(), omitted: [], peakBytes: 0, fault };
      }
      const { program, diagnostics } = compile(source, { ...options, ranks });
      const fault = diagnostics.find((diagnostic) => diagnostic.level === "error");
      if (!program) return { values: new Map(), omitted: [], peakBytes: 0, ...(fault ? { fault } : {}) };
      return program.run(runOptions);
    },
  };
}

function elementOf(type: Type): ElementType {
  const named = type.kind === "tensor" ? type.element : type;
  const word = named.kind === "named" ? named.path[0]!.text : "";
  return isElementType(word) ? word : "f32";
}

function declaredInput(input: Definition): DeclaredInput {
  const shape = input.axes.map((axis) => constantOf(axis.extent) ?? axis.name);
  return { name: input.name, dtype: input.element, shape };
}
