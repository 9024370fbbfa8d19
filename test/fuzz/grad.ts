// Differentiates random programs. Every gradient is compared with differences and with its own
// printed source, and its IR is verified.

import { gradientProgram } from "../generate/programs.ts";
import { recurrenceProgram } from "../generate/recurrences.ts";
import { trainingProgram } from "../generate/training.ts";
import { compile } from "../../src/driver/compile.ts";
import { checkGradientsTogether } from "../gradients/check.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";

export interface GradientReport extends FuzzReport {
  /**
   * The number of compared cells, and of cells that are skipped because of a kink or an infinity.
   */
  readonly cells: { agreed: number; skipped: number };
}

/**
 * Runs `count` programs. The n-th is made from `seed + n` alone, so that a failure can be repeated.
 */
export function fuzzGradients(seed: number, count: number): GradientReport {
  return fuzz(gradientProgram, seed, count);
}

/** The same for programs that are recurrences. */
export function fuzzRecurrences(seed: number, count: number): GradientReport {
  return fuzz(recurrenceProgram, seed, count);
}

/**
 * Derivatives that every step of a recurrence requests, each compared with differences within its
 * step.
 */
export function fuzzTraining(seed: number, count: number): FuzzReport {
  const failures: FuzzFailure[] = [];
  for (let n = 0; n < count; n++) {
    const text = trainingProgram(seed + n);
    const { program, diagnostics } = compile({ name: "test.ein", text });
    const told = diagnostics.map(({ code, title }) => `${code} ${title}`);
    const wrong = (program?.checkGradients(new Map()) ?? []).filter(({ ok }) => !ok);
    const problems = [
      ...(program ? [] : told),
      ...wrong.map(
        ({ of, wrt, line, worst }) =>
          `line ${line}: @${of} / @${wrt} is ${worst?.derived}, not ${worst?.measured}`,
      ),
    ];
    if (problems.length > 0)
      failures.push({ seed: seed + n, program: text, problem: problems.join("\n") });
  }
  return { programs: count, failures };
}

function fuzz(programFrom: (seed: number) => string, seed: number, count: number): GradientReport {
  const failures: FuzzFailure[] = [];
  const cells = { agreed: 0, skipped: 0 };
  for (let n = 0; n < count; n++) {
    const program = programFrom(seed + n);
    const problem = problemOf(program, cells);
    if (problem) failures.push({ seed: seed + n, program, problem });
  }
  return { programs: count, failures, cells };
}

/** What is wrong with the derivatives of a program, if anything. */
export function problemOf(program: string, cells = { agreed: 0, skipped: 0 }): string | undefined {
  try {
    const { problems, requests } = checkGradientsTogether(program);
    for (const { agreed, skipped } of requests) {
      cells.agreed += agreed;
      cells.skipped += skipped.length;
    }
    return problems.length > 0 ? problems.join("\n") : undefined;
  } catch (thrown) {
    // A module that is loaded from a data address has its whole text in the stack trace.
    return thrown instanceof Error
      ? (thrown.stack ?? thrown.message).replaceAll(/data:[^)\s]+/g, "")
      : String(thrown);
  }
}
