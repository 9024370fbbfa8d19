// The driver: from text to a program that can be run, as a numbered list of stages.

import type { ProfileLine } from "./backends/profile.ts";
import { runProgram } from "./backends/interpret/run.ts";
import { checkRules } from "./autodiff/linearity.ts";
import { answerRequests, zeroDerivative } from "./autodiff/requests.ts";
import { withoutAllowed } from "./check/allow.ts";
import { assumedRanks } from "./check/assumed-ranks.ts";
import { check, type CheckOptions, type Checked } from "./check/check.ts";
import type { ReadModule } from "./check/modules.ts";
import { withDimensionNames, withOpenInputs } from "./check/open.ts";
import { ordered } from "./diagnostics/sort.ts";
import { error, type Diagnostic } from "./diagnostics/diagnostic.ts";
import { auditOf, type Audit } from "./explain/audit.ts";
import { derivedFrom, derivedSource, type Derived } from "./explain/derived-source.ts";
import { checkGradients, type GradientReport } from "./explain/check-gradients.ts";
import type { CostReport } from "./explain/cost.ts";
import { costs, explain, memory, type Asked, type ExplainOptions, type Wrong } from "./explain/explain-request.ts";
import type { MemoryReport } from "./explain/memory.ts";
import type { Explanation } from "./explain/explanation.ts";
import { dependencyGraph, type DependencyGraph } from "./explain/dependency-graph.ts";
import { withExtents } from "./explain/draw-extents.ts";
import { drawInputs } from "./explain/draw-inputs.ts";
import { jacobianSource } from "./explain/jacobian-source.ts";
import { tangentEquation } from "./explain/tangent.ts";
import type { TensorValue } from "./host/value.ts";
import { AffineOverflow, constantOf, type Variable } from "./ir/affine/term.ts";
import { analyse, type Analysis } from "./ir/analyse.ts";
import { brokenBy } from "./ir/between-passes.ts";
import { normalise, normaliseBindings, type Normalised } from "./ir/normalise.ts";
import { namesOf, readsOf, type Definition, type HostPart, type Program } from "./ir/program.ts";
import { describePlan } from "./ir/plan.ts";
import { kernelAbilities } from "./backends/wasm/engine.ts";
import { printProgram } from "./ir/print.ts";
import type { ElementType } from "./ir/scalar/types.ts";
import { withoutRanks } from "./without-ranks.ts";
import type { Module } from "./syntax/ast.ts";
import { parse } from "./syntax/parser.ts";
import type { Source, Span } from "./syntax/source.ts";

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
  /** Where it is declared. */
  readonly span?: Span;
  /** Absent for `[f32; *]`. */
  readonly shape?: readonly (number | string | undefined)[];
}

export interface CompiledProgram {
  readonly inputs: readonly DeclaredInput[];
  /** Names that can be asked for, in program order (the last binding of each name). */
  readonly values: readonly string[];
  /** Element type and extents of a value that can be asked for; nothing for text. */
  formOf(name: string): DeclaredInput | undefined;
  /** Names of the inputs that values are computed from; an input of which only the extents count is not among them. */
  readsOf(names: readonly string[]): ReadonlySet<string>;
  /** Names of the passes that `dump` knows, in order: "checks", "ir", "plan", … */
  readonly passes: readonly string[];
  /** `asked` are the values that a run is asked for: with none named, every top-level value is. */
  dump(pass: string, asked?: readonly string[]): string;
  /** The backward program of a value, as source; undefined names and undefined gradients are diagnostics. */
  grad(of: string, wrt: readonly string[]): Derived;
  /** Holds every derivative of the program against differences, in f64; inputs that are not given are drawn. */
  checkGradients(inputs: ReadonlyMap<string, TensorValue>): readonly GradientReport[];
  /** How gradients come about, step by step; with a cell, in numbers. Without names: every derivative that the program asks for. */
  explain(asked?: Asked, options?: ExplainOptions): readonly (Explanation | Wrong)[];
  /** Work and bytes of a value and of its gradients. */
  cost(asked?: Asked, options?: ExplainOptions): readonly (CostReport | Wrong)[];
  /** What is kept in memory for gradients, and why. */
  memory(asked?: Asked, options?: ExplainOptions): readonly (MemoryReport | Wrong)[];
  /** Every broadcast with its backward sum, what is shared, and lints. */
  audit(): Audit;
  /** Which value reads which, under what coordinates. */
  graph(): DependencyGraph;
  /** Values for the inputs that are not given: sizes that agree, floats around 1. */
  drawInputs(given: ReadonlyMap<string, TensorValue>): ReadonlyMap<string, TensorValue>;
  run(options: RunOptions): RunResult;
}

/**
 * What computes: kernels in WebAssembly; generated JavaScript, which hosts without WebAssembly get too and which has the oracle's bits; or the
 * oracle, cell by cell.
 */
export type Backend = "wasm" | "js" | "interpret";

export interface RunOptions {
  readonly inputs?: ReadonlyMap<string, TensorValue>;
  /** Values asked for by name; absent: every top-level value. "_" is the final bare expression. */
  readonly get?: readonly string[];
  /** Compute floats of every type in f64. */
  readonly f64?: boolean;
  readonly maxMemory?: number;
  /** Absent: kernels where the host has them, otherwise generated JavaScript. */
  readonly backend?: Backend;
  /** Kernels are made for whatever evaluates at least so many scalars; 0 for all that can be compiled. */
  readonly leastWork?: number;
  readonly trap?: "nan";
  /** A clock, in milliseconds: the result then says what each line of the source has cost. */
  readonly profile?: () => number;
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
  readonly profile?: readonly ProfileLine[];
  readonly fault?: Diagnostic;
}

/** A value with the names of its axes where they are known. */
export interface NamedValue {
  readonly value: TensorValue;
  readonly names: readonly (string | undefined)[];
}

/** From text to a program that runs. Errors of every stage that can still say something are reported together. */
export function compile(source: Source, options: CompileOptions = {}): Compiled {
  return withinLimits(source, () => stages(source, options));
}

/** The result of compiling a text, or the message that it is beyond what the compiler can hold. */
export function withinLimits<T>(
  source: Source,
  compiling: () => T,
): T | { readonly diagnostics: readonly [Diagnostic] } {
  try {
    return compiling();
  } catch (failure) {
    const whole = { source, start: 0, end: source.text.length };
    if (failure instanceof AffineOverflow) {
      return {
        diagnostics: [error("E0407", "an index or extent of this program is too large to be computed with", whole)],
      };
    }
    if (!(failure instanceof RangeError)) throw failure;
    const help = "break long chains and deep nesting into several `let`s";
    return { diagnostics: [error("E0115", "the program is nested too deeply to be compiled", whole, { help })] };
  }
}

function stages(source: Source, options: CompileOptions): Compiled {
  // 1. syntax
  const { module: written, diagnostics: syntax, damage } = parse(source);
  const first = { ranks: options.ranks, damage, readModule: options.readModule };
  const module = options.open ? opened(written, first) : written;
  // 2. names, ranges, shapes, types
  const checked = check(module, first);
  // 3. to 5.
  const { program, analysis, diagnostics } = derive(module, checked, syntax);
  const { checker } = checked;
  if (diagnostics.some((diagnostic) => diagnostic.level === "error")) return { diagnostics };
  if (checker.unranked.size > 0)
    return withoutRanks(module, diagnostics, options.ranks, (ranks) => compile(source, { ...options, ranks }));
  const dumps: Record<string, (asked?: readonly string[]) => string> = {
    checks: () => analysis.checks.map((check) => check.text).join("\n"),
    ir: () => printProgram(program),
    plan: (asked) => describePlan(program, analysis.schedules, asked, kernelAbilities),
  };
  const parts = { module, program, extents: checker.extents };
  /** Answering derivatives rewrites what they pass through: who looks at the text looks at it anew. */
  const asWritten = (): { readonly checker: typeof checker; readonly program: Program } => {
    const again = check(module, first);
    return { checker: again.checker, program: normalise(again.checker, again.program) };
  };
  return {
    diagnostics,
    program: {
      inputs: program.inputs.map(declaredInput),
      values: namesOf(program),
      formOf: (name) => {
        const output = program.outputs.get(name);
        return output && { ...declaredInput(output.definition), name };
      },
      readsOf: (names) => inputsBehind(program, names),
      passes: Object.keys(dumps),
      dump: (pass, asked) => dumps[pass]!(asked),
      grad: (of, wrt) => derivedSource(module, program, of, wrt, checker.extents),
      checkGradients: (inputs) =>
        checkGradients({
          program,
          analysis,
          inputs: drawInputs(program.inputs.map(declaredInput), inputs),
          extents: checker.extents,
        }),
      explain: (asked, explainOptions = {}) => explain(parts, asked, explainOptions),
      cost: (asked, explainOptions = {}) => costs(parts, asked, explainOptions),
      memory: (asked, explainOptions = {}) => memory(parts, asked, explainOptions),
      audit: () => {
        const { checker: again, program: written } = asWritten();
        return auditOf(written, again.extents);
      },
      graph: () => dependencyGraph(asWritten().program),
      drawInputs: (given) => drawInputs(withExtents(program, given, "growing"), given),
      run: (runOptions) => runProgram(program, analysis, runOptions),
    },
  };
}

/** Undeclared names become inputs; once they are there, it shows which others are missing and which axes belong together. */
function opened(written: Module, checking: CheckOptions): Module {
  let open = written;
  for (;;) {
    const ranks = assumedRanks(open, checking.ranks ?? new Map());
    const { checker, program } = check(open, { ...checking, ranks });
    const further = withOpenInputs(open, checker.diagnostics);
    if (further === open)
      return open === written ? written : withDimensionNames(written, open, normalise(checker, program));
    open = further;
  }
}

/** An indexed program with its derivatives, and what is known about its cells and their order. */
export interface Indexed extends Normalised {
  readonly analysis: Analysis;
  /** Of this stage and those before it, ordered by place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The stages behind the checker. They look at everything that is right so far. */
export function derive(module: Module, { checker, program: typed }: Checked, syntax: readonly Diagnostic[]): Indexed {
  // 3. indexed IR
  const lowered = normaliseBindings(checker, typed);
  const isRight = [...syntax, ...checker.diagnostics].every(({ level }) => level !== "error");
  const broken = isRight ? [...brokenBy("normalise", lowered.program)] : [];
  // 4. derivatives, as ordinary definitions
  const wrong = [...checkRules(lowered.program), ...answerRequests(lowered.program, checker.extents)];
  const { program, diagnostics: shown } = withDerivations(module, lowered.program, checker.extents);
  const answered = [...shown, ...wrong];
  const isAnswered = isRight && answered.every(({ level }) => level !== "error");
  if (isAnswered) broken.push(...brokenBy("autodiff", program));
  // 5. accesses, cells and order
  const analysis = analyse(program, checker.extents);
  if (isAnswered) broken.push(...brokenBy("analyse", program));

  const own = [...syntax, ...checker.diagnostics];
  const further = [...answered, ...analysis.diagnostics].filter(
    (later) => !own.some((known) => isInside(known, later)),
  );
  const diagnostics = ordered(withoutAllowed([...own, ...further, ...broken]));
  return { program, definitionOf: lowered.definitionOf, analysis, diagnostics };
}

/** `print(@y)` and `print(@y / @x)` get their text now. */
function withDerivations(
  module: Module,
  program: Program,
  extents: Iterable<Variable>,
): { readonly program: Program; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const named = new Set([...program.outputs.values()].map((output) => output.definition));
  const shown = (part: HostPart, span: Span): HostPart => {
    if (part.kind !== "derivation") return part;
    if (!part.wrt) return { kind: "text", text: tangentEquation(part.of, (definition) => named.has(definition)) };
    const derived =
      part.of.axes.length > 0
        ? jacobianSource(module, program, part.of, part.wrt, part.names ?? [], extents)
        : derivedFrom(module, program, part.of, [part.wrt], extents);
    if ("diagnostics" in derived) {
      diagnostics.push(...derived.diagnostics.map((each) => ({ ...each, span })));
      return { kind: "text", text: "" };
    }
    const of = part.of;
    diagnostics.push(...derived.independent.map((wrt) => zeroDerivative(of, wrt, span)));
    return { kind: "text", text: derived.source.trimEnd() };
  };
  const actions = program.actions.map((action) =>
    action.kind === "print"
      ? { ...action, parts: action.parts.map((parts) => parts.map((part) => shown(part, action.span))) }
      : action,
  );
  return { program: { ...program, actions }, diagnostics };
}

/** A literal that is too large is one mistake, not also an access that leaves its tensor. */
function isInside(inner: Diagnostic, outer: Diagnostic): boolean {
  if (inner.level !== "error" || !inner.span || !outer.span) return false;
  return (
    outer.span.source === inner.span.source && outer.span.start <= inner.span.start && inner.span.end <= outer.span.end
  );
}

function inputsBehind(program: Program, names: readonly string[]): ReadonlySet<string> {
  const behind = new Set(names.map((name) => program.outputs.get(name)!.definition));
  for (const definition of behind) for (const read of readsOf(definition)) behind.add(read);
  return new Set([...behind].filter(({ origin }) => origin === "input").map(({ name }) => name));
}

export function declaredInput(input: Definition): DeclaredInput {
  const shape = input.axes.map((axis) => constantOf(axis.extent) ?? axis.name);
  return { name: input.name, dtype: input.element, shape, span: input.span };
}
