// Random programs on kernels against the oracle.

import { failed } from "../../src/host/failure.ts";
import { fromJson, type JsonTensor } from "../../src/host/json.ts";
import { compareBackends, subjectOf, type Inputs } from "../backends/compare.ts";
import { kernelProgram, type KernelProgram } from "../generate/kernels.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";

export interface BackendReport extends FuzzReport {
  /** Cells compared, and cells of which nothing can be said. */
  readonly cells: { compared: number; skipped: number };
  /** Programs that the compiler turned down, and runs that failed alike everywhere. */
  rejected: number;
  faults: number;
}

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
    if (problem) failures.push({ seed: seed + n, program: program.text, problem });
  }
  return report;
}

/** What kernels make wrong of a program, if anything. */
export function problemOf({ text, inputs }: KernelProgram, report?: BackendReport): string | undefined {
  try {
    const subject = subjectOf("test.ein", text);
    if ("errors" in subject) {
      if (report) report.rejected++;
      return (globalThis as any).REJ
        ? "rejected " +
            subject.errors.map((e) => e.code + e.title + e.span?.source.text.slice(e.span.start, e.span.end)).join("\n")
        : undefined;
    }
    const { problems, compared, skipped, faults } = compareBackends(subject, inputs.map(inputsOf));
    if (report) {
      report.cells.compared += compared;
      report.cells.skipped += skipped;
      report.faults += faults;
    }
    if (problems.length > 0) return problems.join("\n");
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  }
}

export function inputsOf(given: Readonly<Record<string, JsonTensor>>): Inputs {
  return new Map(
    Object.entries(given).map(([name, json]) => {
      const value = fromJson(json, json.dtype);
      if (failed(value)) throw new Error(`input ${name}: ${value.error}`);
      return [name, value];
    }),
  );
}
