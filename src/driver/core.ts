// The driver: from text to a program that can be run, as a numbered list of stages. What explains
// programs to people is not among them.

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
  /** Undeclared names that are only read become inputs. */
  readonly open?: boolean;
  /** Further `input` statements, as if they stood before the text. */
  readonly declarations?: Source;
  /** Ranks of the inputs that are declared as `[f32; *]`. */
  readonly ranks?: ReadonlyMap<string, number>;
  /**
   * Finds the text of `mod m;`, beside the text that says so. Without it, only inline modules and
   * the library are there.
   */
  readonly readModule?: ReadModule;
  /**
   * Names that a run will be asked for: a tuple, struct or other value that is no tensor is given
   * as its text.
   */
  readonly shown?: readonly string[];
}

export interface Compiled<P = CoreProgram> {
  /** Errors and warnings, ordered by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absent when there is an error. */
  readonly program?: P;
}

/** A program that can be run and differentiated. */
export interface CoreProgram {
  readonly inputs: readonly DeclaredInput[];
  /** Names that can be asked for, in program order (the last binding of each name). */
  readonly values: readonly string[];
  /** Element type and extents of a value that can be asked for; nothing for text. */
  formOf(name: string): DeclaredInput | undefined;
  /**
   * Names of the inputs that values are computed from; an input of which only the extents count is
   * not among them.
   */
  readsOf(names: readonly string[]): ReadonlySet<string>;
  /**
   * The backward program of a value, as source; undefined names and undefined gradients are
   * diagnostics.
   */
  grad(of: string, wrt: readonly string[]): Derived;
  run(options: EngineOptions): RunResult;
  /**
   * What explanations look at; where ranks are missing, with those of the given values, and for the
   * others what their uses make likely.
   */
  partsFor(given: ReadonlyMap<string, TensorValue>, asked?: Asked): Parts | Wrong;
  /**
   * The same for all that the program may be: one, or one for each rank that is tried where ranks
   * are missing.
   */
  variants(): readonly Parts[];
}

/** A program as the stages left it. */
export interface Parts {
  readonly module: Module;
  readonly program: Program;
  readonly analysis: Analysis;
  readonly extents: ReadonlySet<Variable>;
  /**
   * Answering derivatives rewrites what they pass through: who looks at the text looks at it anew.
   */
  readonly asWritten: () => { readonly program: Program; readonly extents: ReadonlySet<Variable> };
}

/**
 * From text to a program that runs. Errors of every stage that can still say something are reported
 * together.
 */
export function compileCore(source: Source, rooms: Rooms, options: CompileOptions = {}): Compiled {
  return withinLimits(source, () => stages(source, rooms, options));
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

function stages(source: Source, rooms: Rooms, options: CompileOptions): Compiled {
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
  const module = options.open ? opened(written, first) : written;
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
   * The program in which a further derivative can be asked for: where the text asks for some
   * itself, the question has to be known before they are answered.
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

/** Where the stack ends in a run, the program nests too deeply: says where. */
function withPlace(module: Module, result: RunResult): RunResult {
  return result.fault?.code === "E0115" ? { ...result, fault: outOfStack(module) } : result;
}

/**
 * Undeclared names become inputs; once they are there, it shows which others are missing and which
 * axes belong together.
 */
function opened(written: Module, checking: CheckOptions): Module {
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

/** An indexed program with its derivatives, and what is known about its cells and their order. */
export interface Indexed extends Normalised {
  readonly analysis: Analysis;
  /** Of this stage and those before it, ordered by place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The stages behind the checker. They look at everything that is right so far. */
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
 * Where something cannot be read, or a type is not there, what would be made of it is not said to
 * be unbuilt.
 */
function withoutUnbuilt(
  syntax: readonly Diagnostic[],
  checked: readonly Diagnostic[],
): readonly Diagnostic[] {
  const isLost =
    syntax.some(({ level }) => level === "error") || checked.some(({ code }) => code === "E0404");
  return [...syntax, ...checked.filter(({ code }) => !isLost || code !== "E0190")];
}

/** What is wrong in functions that nothing calls, whatever they are called with. */
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

/** A literal that is too large is one mistake, not also an access that leaves its tensor. */
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
