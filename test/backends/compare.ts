// Runs a program on the oracle and on kernels, and reports differences.

import { answerRequests } from "../../src/autodiff/requests/requests.ts";
import { storeOf, type Machine } from "../../src/backends/interpret/machine.ts";
import { runProgram } from "../../src/run/run.ts";
import { computeEverything } from "../support/everything.ts";
import { leftToOracle } from "../../src/backends/wasm/state.ts";
import { check } from "../../src/check/check.ts";
import type { RunOptions, RunResult } from "../../src/backends/results.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { showTensor } from "../../src/scalar/values/show.ts";
import type { TensorValue } from "../../src/scalar/values/value.ts";
import { analyse, type Analysis } from "../../src/analyse/analyse.ts";
import { normalise } from "../../src/lower/normalise.ts";
import { eachScalar } from "../../src/ir/parts.ts";
import type { Program } from "../../src/ir/program.ts";
import { isFloat } from "../../src/scalar/types.ts";
import { parse } from "../../src/syntax/parse/parser.ts";
import { positionOf } from "../../src/base/source.ts";
import { agreementOf, isSame } from "./agreement.ts";

export type Inputs = ReadonlyMap<string, TensorValue>;

export interface Subject {
  readonly program: Program;
  readonly analysis: Analysis;
}

export interface Comparison {
  readonly compared: number;
  readonly skipped: number;
  /** How many runs failed in the same way on every backend. */
  readonly faults: number;
  readonly problems: readonly string[];
}

/** The stages of the compiler, or the errors of a wrong program. */
export function subjectOf(
  name: string,
  text: string,
): Subject | { readonly errors: readonly Diagnostic[] } {
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

/**
 * Every schedule that can be compiled is compiled, however small. Contractions are reduced cell by
 * cell, or multiplied as matrices.
 */
const cellByCell = { backend: "wasm", leastWork: 0, leastProducts: Infinity } as const;
const multipliedOut = { ...cellByCell, leastProducts: 0 } as const;

/** Whether the program has a sum of products. */
function hasProducts({ analysis }: Subject): boolean {
  return analysis.schedules.some(({ definitions }) =>
    definitions.some(({ clauses }) =>
      clauses.some(({ body }) => {
        let found = false;
        if (body.kind === "reduce" && body.reduction === "sum")
          eachScalar(
            body.value,
            (part) =>
              void (part.kind === "apply" && part.operation === "multiply" && (found = true)),
          );
        return found;
      }),
    ),
  );
}

/**
 * Runs a program with several sets of inputs in turn, so that each run finds the memory of the run
 * before. The runs must agree with the oracle: the same faults and prints, every cell satisfies its
 * equation, and the bits do not depend on what is kept.
 */
export function compareBackends(
  subject: Subject,
  sets: readonly Inputs[],
  f64 = false,
): Comparison {
  const first = compareKernels(subject, sets, f64, cellByCell);
  if (first.problems.length > 0 || !hasProducts(subject)) return first;
  return { ...first, problems: compareKernels(subject, sets, f64, multipliedOut).problems };
}

function compareKernels(
  subject: Subject,
  sets: readonly Inputs[],
  f64: boolean,
  kernels: typeof cellByCell | typeof multipliedOut,
): Comparison {
  const { program, analysis } = subject;
  const problems: string[] = [];
  const total = { compared: 0, skipped: 0, faults: 0, problems };
  const runs = sets.map((inputs) => {
    const oracle = ran(subject, { inputs, f64, backend: "interpret" });
    const own = ran(subject, { inputs, f64, ...kernels });
    problems.push(
      ...faultProblems(own.fault, oracle.fault),
      ...printProblems(own.printed, oracle.printed),
    );
    // The oracle repairs the run, but no kernel should have trapped.
    if ([...leftToOracle(program).values()].includes("a trap")) problems.push("a kernel trapped");
    if (oracle.fault) total.faults++;
    return { inputs, own, isWhole: !oracle.fault && oracle.omitted.length === 0 };
  });
  const whole = runs.filter(({ isWhole }) => isWhole);
  if (problems.length > 0 || whole.length === 0) return total;
  const definitions = analysis.schedules.flatMap((schedule) => schedule.definitions);
  let machine: Machine | undefined;
  /**
   * Whether values that are computed at their reads, or kept in part, equal those of a run that
   * keeps everything.
   */
  const same = (what: string, { values, fault }: RunResult): void => {
    if (fault) problems.push(`${what}: the fault is\n  ${faultText(fault)}\nand should be none`);
    const changed = [...values].filter(([name, { value }]) => {
      // Strings and constants are no definitions.
      if (!program.outputs.has(name)) return false;
      const right = machine!.stores.get(program.outputs.get(name)!.definition)?.value;
      return !right || !isSame(value.data, right.data);
    });
    if (changed.length === 0) return;
    // All backends compute the same integers, and bounds of loops are made of integers.
    const given = definitions.filter(
      (each) => ["input", "literal"].includes(each.origin) || !isFloat(each.element),
    );
    const stores = new Map(
      given.map((definition) => [definition, machine!.stores.get(definition)!]),
    );
    for (const [name, { value }] of values)
      stores.set(program.outputs.get(name)!.definition, storeOf(value));
    const own = changed.map(([name]) => program.outputs.get(name)!.definition);
    const anew: Machine = { ...machine!, stores, locals: new Map() };
    problems.push(...agreementOf(anew, own).problems.map((problem) => `${what}: ${problem}`));
  };
  for (const { inputs, own } of whole) {
    machine = computeEverything(program, analysis, { inputs, f64, ...kernels });
    const agreement = agreementOf(machine, definitions);
    problems.push(...agreement.problems);
    total.compared += agreement.compared;
    total.skipped += agreement.skipped;
    same("when not every cell is kept", own);
  }
  // Only the last steps of a recurrence are kept if nobody asks for it.
  const last = [...program.outputs.keys()].at(-1);
  if (last !== undefined) {
    const alone = { inputs: whole.at(-1)!.inputs, f64, ...kernels, get: [last] };
    same("when it alone is asked for", ran(subject, alone));
    // A run that is repeated often reuses earlier decisions.
    for (let again = 0; again < 4; again++) ran(subject, alone);
    same("when it has been asked for often", ran(subject, alone));
  }
  return total;
}

/** More cells than any definition has, so no JavaScript is generated. */
const byClosures = Infinity;

/**
 * Compares the oracle's generated JavaScript with its closures: the same bits, prints and faults.
 */
export function compareForms(subject: Subject, inputs: Inputs, f64 = false): readonly string[] {
  const written = ran(subject, { inputs, f64, backend: "js" });
  const plain = ran(subject, { inputs, f64, backend: "interpret" }, byClosures);
  const isLike = written.printed.join("\n") === plain.printed.join("\n");
  const others = [...plain.values].filter(([name, { value }]) => {
    const found = written.values.get(name)?.value;
    return !found || !isSame(found.data, value.data);
  });
  return [
    ...faultProblems(written.fault, plain.fault),
    ...(isLike ? [] : ["JavaScript prints something else than closures"]),
    ...others.map(([name, { value }]) => {
      const found = written.values.get(name)?.value;
      return (
        `${name} is ${found ? showTensor(found) : "missing"} as JavaScript, ` +
        `and ${showTensor(value)} by closures`
      );
    }),
  ];
}

function ran(
  { program, analysis }: Subject,
  options: RunOptions,
  written?: number,
): RunResult & { readonly printed: readonly string[] } {
  const printed: string[] = [];
  const onPrint = ({ text }: { readonly text: string }): void => void printed.push(text);
  return { ...runProgram(program, analysis, { ...options, onPrint }, written), printed };
}

function faultProblems(
  own: Diagnostic | undefined,
  wanted: Diagnostic | undefined,
): readonly string[] {
  const [found, right] = [own, wanted].map(faultText);
  return found === right ? [] : [`the fault is\n  ${found}\nand should be\n  ${right}`];
}

function faultText(fault: Diagnostic | undefined): string {
  if (!fault) return "none";
  const at = fault.span && positionOf(fault.span.source, fault.span.start);
  return `${fault.code} ${at ? `${at.line}:${at.column}` : "-"} ${fault.title}`;
}

const number = /-?(?:\d+\.?\d*(?:e[+-]?\d+)?)/gi;

/**
 * Printed numbers may differ by this fraction of the largest number in their text. The values
 * themselves are compared elsewhere.
 */
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
  return own.flatMap((text, k) =>
    near(text, wanted[k]!) ? [] : [`prints ${text}\ninstead of ${wanted[k]}`],
  );
}
