// Runs a program on the oracle and on kernels, and says where they differ.

import { answerRequests } from "../../src/autodiff/requests.ts";
import { runProgram, settled } from "../../src/backends/interpret/run.ts";
import { check } from "../../src/check/check.ts";
import type { RunOptions, RunResult } from "../../src/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import type { TensorValue } from "../../src/host/value.ts";
import { analyse, type Analysis } from "../../src/ir/analyse.ts";
import { normalise } from "../../src/ir/normalise.ts";
import type { Program } from "../../src/ir/program.ts";
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
  /** The run failed, on every backend alike. */
  readonly faulty: boolean;
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

/** How many values are asked for one at a time. */
const mostAlone = 4;

/** Everything that can be compiled is, however small. */
const kernels = { backend: "wasm", leastWork: 0 } as const;

export function compareBackends({ program, analysis }: Subject, inputs: Inputs, f64 = false): Comparison {
  const run = (options: RunOptions): RunResult & { readonly printed: readonly string[] } => {
    const printed: string[] = [];
    return {
      ...runProgram(program, analysis, { inputs, f64, ...options, onPrint: ({ text }) => printed.push(text) }),
      printed,
    };
  };
  const oracle = run({ backend: "interpret" });
  const own = run(kernels);
  const problems = [...faultProblems(own.fault, oracle.fault), ...printProblems(own.printed, oracle.printed)];
  if (oracle.fault || problems.length > 0)
    return { compared: 0, skipped: 0, faulty: oracle.fault !== undefined, problems };
  if (oracle.omitted.length > 0) return { compared: 0, skipped: 0, faulty: false, problems };
  const machine = settled(program, analysis, { inputs, f64, ...kernels });
  const definitions = analysis.schedules.flatMap((schedule) => schedule.definitions);
  const agreement = agreementOf(machine, definitions);
  problems.push(...agreement.problems);
  const same = (what: string, name: string, found: RunResult): void => {
    const value = found.values.get(name)?.value;
    const store = machine.stores.get(program.outputs.get(name)!.definition);
    if (!value || !store || !isSame(value.data as ArrayLike<Scalar>, store.value.data as ArrayLike<Scalar>))
      problems.push(`${name} ${what}: ${show(value)} instead of ${show(store?.value)}`);
  };
  for (const name of program.outputs.keys()) same("is different when not every cell is kept", name, own);
  // Of a recurrence that nobody asks for, only the last steps are kept.
  if (analysis.schedules.some((schedule) => schedule.recurrent))
    for (const name of [...program.outputs.keys()].slice(-mostAlone))
      same("is different when it alone is asked for", name, run({ ...kernels, get: [name] }));
  return { compared: agreement.compared, skipped: agreement.skipped, faulty: false, problems };
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
