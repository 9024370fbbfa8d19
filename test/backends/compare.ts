// Runs a program on the oracle and on kernels, and says where they differ.

import { answerRequests } from "../../src/autodiff/requests.ts";
import type { Store } from "../../src/backends/interpret/machine.ts";
import { runProgram, settled } from "../../src/backends/interpret/run.ts";
import { check } from "../../src/check/check.ts";
import type { RunOptions, RunResult } from "../../src/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import type { TensorValue } from "../../src/host/value.ts";
import { analyse, type Analysis } from "../../src/ir/analyse.ts";
import { normalise } from "../../src/ir/normalise.ts";
import type { Definition, Program } from "../../src/ir/program.ts";
import type { Scalar } from "../../src/ir/scalar/types.ts";
import { parse } from "../../src/syntax/parser.ts";
import { positionOf } from "../../src/syntax/source.ts";
import { agreementOf, isSame } from "./agreement.ts";

export type Inputs = ReadonlyMap<string, TensorValue>;

export interface Subject {
  readonly program: Program;
  readonly analysis: Analysis;
}

export interface Comparison {
  readonly compared: number;
  readonly skipped: number;
  /** How many runs failed, on every backend alike. */
  readonly faults: number;
  readonly problems: readonly string[];
}

/** The stages of the compiler; the errors of a wrong program instead. */
export function subjectOf(name: string, text: string): Subject | { readonly errors: readonly Diagnostic[] } {
  const { module, diagnostics: syntax, damage } = parse({ name, text });
  const { checker, program: typed } = check(module, { damage });
  if (syntax.length > 0 || checker.unranked.size > 0) return { errors: syntax };
  const program = normalise(checker, typed);
  const answered = answerRequests(program, checker.extents);
  const analysis = analyse(program, checker.extents);
  const errors = [...checker.diagnostics, ...answered, ...analysis.diagnostics].filter(
    ({ level }) => level === "error",
  );
  return errors.length > 0 ? { errors } : { program, analysis };
}

/** Everything that can be compiled is, however small. */
const kernels = { backend: "wasm", leastWork: 0 } as const;

/**
 * Runs a program with each of several sets of inputs, one after the other so that a run finds the memory of the one before, and holds
 * the runs to the oracle's: faults and prints alike, every cell satisfying its equation, the same bits whatever is kept.
 */
export function compareBackends(subject: Subject, sets: readonly Inputs[], f64 = false): Comparison {
  const { program, analysis } = subject;
  const problems: string[] = [];
  const total = { compared: 0, skipped: 0, faults: 0, problems };
  const runs = sets.map((inputs) => {
    const oracle = ran(subject, { inputs, f64, backend: "interpret" });
    const own = ran(subject, { inputs, f64, ...kernels });
    problems.push(...faultProblems(own.fault, oracle.fault), ...printProblems(own.printed, oracle.printed));
    if (oracle.fault) total.faults++;
    return { inputs, own, isWhole: !oracle.fault && oracle.omitted.length === 0 };
  });
  const whole = runs.filter(({ isWhole }) => isWhole);
  if (problems.length > 0 || whole.length === 0) return total;
  const definitions = analysis.schedules.flatMap((schedule) => schedule.definitions);
  let cells: ReadonlyMap<Definition, Store> = new Map();
  const same = (what: string, name: string, found: RunResult): void => {
    const value = found.values.get(name)?.value;
    const right = cells.get(program.outputs.get(name)!.definition)?.value;
    if (!value || !right || !isSame(value.data as ArrayLike<Scalar>, right.data as ArrayLike<Scalar>))
      problems.push(`${name} ${what}: ${show(value)} instead of ${show(right)}`);
  };
  for (const { inputs, own } of whole) {
    const machine = settled(program, analysis, { inputs, f64, ...kernels });
    const agreement = agreementOf(machine, definitions);
    problems.push(...agreement.problems);
    total.compared += agreement.compared;
    total.skipped += agreement.skipped;
    cells = machine.stores;
    for (const name of program.outputs.keys()) same("is different when not every cell is kept", name, own);
  }
  // Of a recurrence that nobody asks for, only the last steps are kept.
  const last = [...program.outputs.keys()].at(-1);
  if (last !== undefined && analysis.schedules.some((schedule) => schedule.recurrent))
    same("is different when it alone is asked for", last, ran(subject, { inputs: whole.at(-1)!.inputs, f64, ...kernels, get: [last] })); // prettier-ignore
  return total;
}

function ran({ program, analysis }: Subject, options: RunOptions): RunResult & { readonly printed: readonly string[] } {
  const printed: string[] = [];
  return { ...runProgram(program, analysis, { ...options, onPrint: ({ text }) => printed.push(text) }), printed };
}

function show(value: TensorValue | undefined): string {
  return value ? `[${Array.from(value.data as ArrayLike<Scalar>).slice(0, 40).join(", ")}]` : "nothing"; // prettier-ignore
}

function faultProblems(own: Diagnostic | undefined, wanted: Diagnostic | undefined): readonly string[] {
  const [found, right] = [own, wanted].map(faultText);
  return found === right ? [] : [`the fault is\n  ${found}\nand should be\n  ${right}`];
}

function faultText(fault: Diagnostic | undefined): string {
  if (!fault) return "none";
  const at = fault.span && positionOf(fault.span.source, fault.span.start);
  return `${fault.code} ${at ? `${at.line}:${at.column}` : "-"} ${fault.title}`;
}

const number = /-?(?:\d+\.?\d*(?:e[+-]?\d+)?)/gi;

/** Printed numbers may be off by this much of the largest in their text: their values are held to their equations elsewhere. */
const printedError = 1e-4;

function printProblems(own: readonly string[], wanted: readonly string[]): readonly string[] {
  const near = (a: string, b: string): boolean => {
    if (a === b) return true;
    if (a.replace(number, "#") !== b.replace(number, "#")) return false;
    const [found, right] = [a, b].map((text) => (text.match(number) ?? []).map(Number));
    const size = Math.max(...right!.map(Math.abs));
    return right!.every((x, k) => Math.abs(found![k]! - x) <= printedError * size);
  };
  if (own.length !== wanted.length) return [`${own.length} prints instead of ${wanted.length}`];
  return own.flatMap((text, k) => (near(text, wanted[k]!) ? [] : [`prints ${text}\ninstead of ${wanted[k]}`]));
}
