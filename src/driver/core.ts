// The driver: from a text to a program that runs, as a numbered list of stages. How a stage works
// is in the folder of that stage.
//
//   1. syntax   2. check   3. indexed IR   4. derivatives   5. accesses, cells and order
//
// What explains programs to people is in `compile.ts`.

import type { Asked } from "../autodiff/requests/requests.ts";
import { withoutAllowed } from "../check/lints/allow.ts";
import { assumedRanks } from "../check/statements/assumed-ranks.ts";
import { check, type CheckOptions, type Checked } from "../check/check.ts";
import { divisionLints } from "../check/lints/divisions.ts";
import type { ReadModule } from "../check/names/modules.ts";
import { withTakenNames } from "../check/lints/taken-names.ts";
import { withDimensionNames, withOpenInputs } from "../check/statements/open.ts";
import { present, type Rooms } from "./rooms.ts";
import { ordered } from "../diagnostics/sort.ts";
import { error, type Diagnostic, type Wrong } from "../diagnostics/diagnostic.ts";
import type { DeclaredInput } from "../lower/declared-input.ts";
import type { EngineOptions, RunResult } from "../backends/results.ts";
import type { Derived } from "../explain/source/derived-source.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import { AffineOverflow, constantOf, type Variable } from "../affine/term.ts";
import { analyse, type Analysis } from "../analyse/analyse.ts";
import { asksForDerivatives } from "../analyse/asked-of-program.ts";
import { wrapLints } from "../analyse/cells/wrap-lints.ts";
import { brokenBy } from "../ir/between-passes.ts";
import { normalise, normaliseBindings, type Normalised } from "../lower/normalise.ts";
import { namesOf, type Definition, type Program } from "../ir/program.ts";
import { readsOf } from "../ir/references.ts";
import { withoutRanks } from "./without-ranks.ts";
import type { Module } from "../syntax/tree/ast.ts";
import { parse } from "../syntax/parse/parser.ts";
import type { Source } from "../base/source.ts";
import { beyondDepth, outOfStack } from "../syntax/parse/too-deep.ts";

export interface CompileOptions {
  /** Whether names that are read and not declared become inputs. */
  readonly open?: boolean;
  /** Further `input` statements, as if they stood before the text. */
  readonly declarations?: Source;
  /** Ranks of the inputs that are declared as `[f32; *]`. */
  readonly ranks?: ReadonlyMap<string, number>;
  /**
   * Finds the text of `mod m;` in another text. Without it, only inline modules and the standard
   * library are known.
   */
  readonly readModule?: ReadModule;
  /**
   * Names that a run will compute. A value that is not a tensor, such as a tuple or struct, is
   * given as its text.
   */
  readonly shown?: readonly string[];
}

export interface Compiled<P = CoreProgram> {
  /** Errors and warnings, ordered by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined if there is an error. */
  readonly program?: P;
}

/** A program that can be run and differentiated. */
export interface CoreProgram {
  readonly inputs: readonly DeclaredInput[];
  /**
   * The names of the values, in program order. A name that is bound twice stands for its last
   * binding.
   */
  readonly values: readonly string[];
  /** The element type and extents of a value. Undefined for text. */
  formOf(name: string): DeclaredInput | undefined;
  /**
   * The names of the inputs whose cells some values are computed from. An input of which only the
   * extents count is left out.
   */
  readsOf(names: readonly string[]): ReadonlySet<string>;
  /**
   * The backward program of a value, as source. Unknown names and gradients that are not defined
   * give diagnostics.
   */
  grad(of: string, wrt: readonly string[]): Derived;
  run(options: EngineOptions): RunResult;
  /**
   * The parts for explanations. Missing ranks come from the given values, and otherwise from what
   * the uses make likely.
   */
  partsFor(given: ReadonlyMap<string, TensorValue>, asked?: Asked): Parts | Wrong;
  /**
   * The parts of every program that this may be. If ranks are missing, there is one for each rank
   * that is tried.
   */
  variants(): readonly Parts[];
}

/** The results of the stages. */
export interface Parts {
  readonly module: Module;
  readonly program: Program;
  readonly analysis: Analysis;
  readonly extents: ReadonlySet<Variable>;
  /**
   * The program without answers to its derivative requests. The answers rewrite the program in
   * place, so the text is checked again.
   */
  readonly asWritten: () => { readonly program: Program; readonly extents: ReadonlySet<Variable> };
}

/**
 * Compiles a text to a program that runs. Every stage that can still say something reports its
 * errors, so that they come together.
 */
export function compileCore(source: Source, rooms: Rooms, options: CompileOptions = {}): Compiled {
  return withinLimits(source, () => runStages(source, rooms, options));
}

/** The result of `compiling`, or a message if the text exceeds the limits of the compiler. */
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
        diagnostics: [
          error(
            "E0407",
            "an index or extent of this program is too large to be computed with",
            whole,
          ),
        ],
      };
    }
    if (!(failure instanceof RangeError)) throw failure;
    return { diagnostics: [outOfStack(parse(source).module)] };
  }
}

function runStages(source: Source, rooms: Rooms, options: CompileOptions): Compiled {
  // 1. syntax
  const { module: text, diagnostics: own, damage } = parse(source);
  const declared = options.declarations && parse(options.declarations);
  const written = declared
    ? { ...text, statements: [...declared.module.statements, ...text.statements] }
    : text;
  const lints = divisionLints({ module: text, diagnostics: own });
  const syntax = [...(declared?.diagnostics ?? []), ...own, ...lints];
  const first = { ranks: options.ranks, damage, readModule: options.readModule };
  const beyond = beyondDepth(text);
  if (beyond) return { diagnostics: [...syntax, beyond] };
  const module = options.open ? withUndeclaredInputs(written, first) : written;
  // 2. names, ranges, shapes, types
  const checked = check(module, first);
  // 3. to 5.
  const { program, analysis, diagnostics } = derive(module, checked, syntax, rooms, {
    shown: options.shown,
  });
  const { checker } = checked;
  if (diagnostics.some((diagnostic) => diagnostic.level === "error")) return { diagnostics };
  if (checker.unranked.size > 0) {
    const withRanks = (ranks: ReadonlyMap<string, number>): Compiled =>
      compileCore(source, rooms, { ...options, ranks });
    return withoutRanks(module, diagnostics, options.ranks ?? new Map(), withRanks);
  }
  const asWritten: Parts["asWritten"] = () => {
    const again = check(module, first);
    return { program: normalise(again.checker, again.program), extents: again.checker.extents };
  };
  const parts: Parts = { module, program, analysis, extents: checker.extents, asWritten };
  /**
   * The program, prepared for one more derivative request. A program whose text requests
   * derivatives is compiled again, because all requests must be known before they are answered.
   */
  const partsAskedFor = (asked: Asked | undefined): Parts => {
    if (
      !asked ||
      asked.wrt.every((name) => !program.outputs.has(name)) ||
      !asksForDerivatives(program)
    )
      return parts;
    const again = check(module, first);
    const { program: fresh, analysis: own } = derive(module, again, syntax, rooms, {
      shown: options.shown,
      asked,
    });
    return { ...parts, program: fresh, analysis: own, extents: again.checker.extents };
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
      grad: (of, wrt) => {
        const { program: askedFor, extents } = partsAskedFor({ of, wrt });
        const { derivedSource } = present(rooms.derivatives, "derivatives");
        return derivedSource(module, askedFor, of, wrt, extents);
      },
      run: (runOptions) =>
        withPlace(module, present(rooms.runs, "runs").runProgram(program, analysis, runOptions)),
      partsFor: (_given, asked) => partsAskedFor(asked),
      variants: () => [parts],
    },
  };
}

/** If a run overflowed the stack, the program nests too deeply, and the message gets the place. */
function withPlace(module: Module, result: RunResult): RunResult {
  return result.fault?.code === "E0115" ? { ...result, fault: outOfStack(module) } : result;
}

/**
 * Turns undeclared names into inputs. New inputs may reveal further missing ones, so the check is
 * repeated. At the end it is known which axes must have equal extents.
 */
function withUndeclaredInputs(written: Module, checking: CheckOptions): Module {
  let open = written;
  for (;;) {
    const ranks = assumedRanks(open, checking.ranks ?? new Map());
    const { checker, program } = check(open, { ...checking, ranks });
    const further = withOpenInputs(open, checker.diagnostics);
    if (further === open)
      return open === written
        ? written
        : withDimensionNames(written, open, normalise(checker, program));
    open = further;
  }
}

/** An indexed program with its derivatives, and the analysis of its cells and their order. */
export interface Indexed extends Normalised {
  readonly analysis: Analysis;
  /** The diagnostics of this stage and of all earlier ones, ordered by place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The stages after the check. They work on everything that is right so far. */
export function derive(
  module: Module,
  { checker, program: typed }: Checked,
  syntax: readonly Diagnostic[],
  rooms: Rooms,
  {
    shown = [],
    asked,
  }: { readonly shown?: readonly string[] | undefined; readonly asked?: Asked | undefined } = {},
): Indexed {
  // 3. indexed IR
  const lowered = normaliseBindings(checker, typed, shown);
  const isRight = [...syntax, ...checker.diagnostics].every(({ level }) => level !== "error");
  const broken = isRight ? [...brokenBy("normalise", lowered.program)] : [];
  const wraps = isRight ? wrapLints(module, lowered.program) : [];
  // 4. derivatives, as ordinary definitions
  const { program, diagnostics: answered } = asksForDerivatives(lowered.program)
    ? present(rooms.derivatives, "derivatives").withDerivatives(
        module,
        lowered.program,
        checker.extents,
        asked,
      )
    : { program: lowered.program, diagnostics: [] };
  const isAnswered = isRight && answered.every(({ level }) => level !== "error");
  if (isAnswered) broken.push(...brokenBy("autodiff", program));
  // 5. accesses, cells and order
  const analysis = analyse(program, checker.extents);
  if (isAnswered) broken.push(...brokenBy("analyse", program));

  const own = withoutUnbuilt(syntax, checker.diagnostics);
  const unasked = isAnswered ? inUncalled({ checker, program: typed }, rooms) : [];
  const wrapping = isAnswered ? wraps : [];
  const further = [...answered, ...analysis.diagnostics, ...unasked, ...wrapping].filter(
    (later) => !own.some((known) => isInside(known, later)),
  );
  const diagnostics = ordered(
    withoutAllowed(withTakenNames(checker, [...own, ...further, ...broken])),
  );
  return { program, definitionOf: lowered.definitionOf, analysis, diagnostics };
}

/**
 * Leaves out "not built yet" (E0190) if the text has a syntax error or an unknown type (E0404),
 * which may be its cause.
 */
function withoutUnbuilt(
  syntax: readonly Diagnostic[],
  checked: readonly Diagnostic[],
): readonly Diagnostic[] {
  const isLost =
    syntax.some(({ level }) => level === "error") || checked.some(({ code }) => code === "E0404");
  return [...syntax, ...checked.filter(({ code }) => !isLost || code !== "E0190")];
}

/** The errors in functions that nothing calls, whatever their arguments would be. */
function inUncalled(
  { checker, program: { dimensions } }: Checked,
  rooms: Rooms,
): readonly Diagnostic[] {
  const found = checker.uncalled.flatMap((binding) => {
    const program = normalise(checker, {
      actions: [],
      salvaged: [binding],
      inputs: [],
      dimensions,
    });
    const answered = asksForDerivatives(program)
      ? present(rooms.derivatives, "derivatives").answerDerivatives(program, checker.extents)
      : [];
    return [...answered, ...analyse(program, checker.extents).diagnostics];
  });
  return found.filter(({ level }) => level === "error");
}

/**
 * Whether an error lies inside another one. A literal that is too large, for example, is reported
 * once, and not also as an access out of bounds.
 */
function isInside(inner: Diagnostic, outer: Diagnostic): boolean {
  if (inner.level !== "error" || !inner.span || !outer.span) return false;
  return (
    outer.span.source === inner.span.source &&
    outer.span.start <= inner.span.start &&
    inner.span.end <= outer.span.end
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
