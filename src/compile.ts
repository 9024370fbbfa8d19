// The driver: from text to a program that can be run, as a numbered list of stages.

import { runProgram } from "./backends/interpret/run.ts";
import { check } from "./check/check.ts";
import { ordered } from "./diagnostics/sort.ts";
import type { Diagnostic } from "./diagnostics/diagnostic.ts";
import type { TensorValue } from "./host/value.ts";
import { constantOf } from "./ir/affine/term.ts";
import { analyse } from "./ir/analyse.ts";
import { normalise } from "./ir/normalise.ts";
import type { Definition } from "./ir/program.ts";
import type { ElementType } from "./ir/scalar/types.ts";
import { parse } from "./syntax/parser.ts";
import type { Source } from "./syntax/source.ts";

export interface CompileOptions {
  /** Undeclared names that are only read become inputs. */
  readonly open?: boolean;
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
export function compile(source: Source, _options: CompileOptions = {}): Compiled {
  // 1. syntax
  const { module, diagnostics: syntax } = parse(source);
  // 2. names, ranges, shapes, types
  const { checker, program: typed } = check(module);
  const found = [...syntax, ...checker.diagnostics];
  // 3. indexed IR, of everything that is right so far
  const program = normalise(checker, typed);
  // 4. accesses, cells and order
  const analysis = analyse(program, checker.extents);
  found.push(...analysis.diagnostics);

  const diagnostics = ordered(found);
  if (diagnostics.some((diagnostic) => diagnostic.level === "error")) return { diagnostics };
  return {
    diagnostics,
    program: {
      inputs: program.inputs.map(declaredInput),
      values: [...program.outputs.keys()],
      passes: ["checks"],
      dump: () => analysis.checks.map((check) => check.text).join("\n"),
      run: (options) => runProgram(program, analysis, options),
    },
  };
}

function declaredInput(input: Definition): DeclaredInput {
  const shape = input.axes.map((axis) => constantOf(axis.extent) ?? axis.name);
  return { name: input.name, dtype: input.element, shape };
}
