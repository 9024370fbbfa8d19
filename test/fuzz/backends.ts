// Compares random programs on kernels with the oracle, and the two forms of the oracle with each
// other. A failing program is made smaller and written as a case.

import { runProgram } from "../../src/run/run.ts";
import { failed } from "../../src/base/failure.ts";
import { fromJson, type JsonTensor } from "../../src/host/json.ts";
import { showTensor } from "../../src/scalar/values/show.ts";
import { positionOf } from "../../src/base/source.ts";
import { compareBackends, compareForms, subjectOf, type Inputs } from "../backends/compare.ts";
import { kernelProgram, type KernelProgram } from "../generate/kernels.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";
import { shrink } from "./shrink.ts";

export interface BackendReport extends FuzzReport {
  /** The number of compared cells, and of cells that cannot be compared. */
  readonly cells: { compared: number; skipped: number };
  /** Programs that the compiler refused, and runs that failed in the same way everywhere. */
  rejected: number;
  faults: number;
}

/**
 * Runs `count` programs. The n-th is made from `seed + n` alone, so that a failure can be repeated.
 */
export function fuzzBackends(seed: number, count: number): BackendReport {
  const failures: FuzzFailure[] = [];
  const report: BackendReport = {
    programs: count,
    failures,
    cells: { compared: 0, skipped: 0 },
    rejected: 0,
    faults: 0,
  };
  for (let n = 0; n < count; n++) {
    const program = kernelProgram(seed + n);
    const problem = problemOf(program, report);
    if (!problem) continue;
    // Making a program smaller takes as long as hundreds of programs, so only the first failures
    // are made smaller.
    const small = failures.length < 3 ? smallest(program) : program;
    failures.push({
      seed: seed + n,
      program: writtenDown(small),
      problem: problemOf(small) ?? problem,
    });
  }
  return report;
}

/** The first difference between backends, if there is one. */
export function problemOf(
  { text, inputs, f64 }: KernelProgram,
  report?: BackendReport,
): string | undefined {
  try {
    const subject = subjectOf("test.ein", text);
    if ("errors" in subject) {
      if (report) report.rejected++;
      return undefined;
    }
    const sets = inputs.map(inputsOf);
    const forms = sets.flatMap((each) => compareForms(subject, each, f64));
    if (forms.length > 0) return forms.join("\n");
    const { problems, compared, skipped, faults } = compareBackends(subject, sets, f64);
    if (report) {
      report.cells.compared += compared;
      report.cells.skipped += skipped;
      report.faults += faults;
    }
    return problems.length > 0 ? problems.join("\n") : undefined;
  } catch (thrown) {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  }
}

export function inputsOf(given: KernelProgram["inputs"][number]): Inputs {
  return new Map(
    Object.entries(given).map(([name, json]) => {
      const value = fromJson(json, json.dtype);
      if (failed(value)) throw new Error(`input ${name}: ${value.error}`);
      return [name, value];
    }),
  );
}

// ── failures ────────────────────────────────────────────────────────────────────────────────────

function smallest(program: KernelProgram): KernelProgram {
  const of = (text: string, inputs = program.inputs): KernelProgram => ({
    ...program,
    text,
    inputs: inputs.map((given) => declaredIn(text, given)),
  });
  const fails = (candidate: KernelProgram): boolean => problemOf(candidate) !== undefined;
  const alone = program.inputs.find((given) => fails(of(program.text, [given])));
  const inputs = alone ? [alone] : program.inputs;
  return of(
    shrink(program.text, (text) => fails(of(text, inputs))),
    inputs,
  );
}

/** The inputs that a text still declares. */
function declaredIn(
  text: string,
  given: Readonly<Record<string, JsonTensor>>,
): Readonly<Record<string, JsonTensor>> {
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => text.includes(`input ${name}:`)),
  );
}

/** The program as a case. If even the compiler fails, the bare program. */
function writtenDown(program: KernelProgram): string {
  try {
    return caseOf(program);
  } catch {
    return program.text;
  }
}

const mostShown = 64;

/** A program with the results of the oracle, as a literate case. */
export function caseOf({ text, inputs }: KernelProgram): string {
  const given = inputs.at(-1)!;
  const lines = Object.entries(given).map(
    ([name, json]) => `//< ${name} = ${JSON.stringify(json)}`,
  );
  const subject = subjectOf("test.ein", text);
  const expected: string[] = [];
  if (!("errors" in subject)) {
    const { values, fault } = runProgram(subject.program, subject.analysis, {
      inputs: inputsOf(given),
      backend: "interpret",
    });
    for (const [name, { value }] of values)
      if (value.data.length <= mostShown) expected.push(`//= ${name} = ${showTensor(value)}`);
    if (fault) {
      const at = fault.span && positionOf(fault.span.source, fault.span.start);
      expected.push(`//! ${fault.code} ${at ? `${at.line}:${at.column}` : "-"}`);
    }
  }
  // The program comes first, so that the places of its messages stay the same.
  return [text, "//# kernels", ...lines, ...expected].join("\n");
}
