// Differentiates random programs and holds every gradient to differences, to the rules of the IR
// and to its own printed source.

import { gradientProgram } from "../generate/programs.ts";
import { recurrenceProgram } from "../generate/recurrences.ts";
import { trainingProgram } from "../generate/training.ts";
import { compile } from "../../src/driver/compile.ts";
import { checkGradientsTogether } from "../gradients/check.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";

export interface GradientReport extends FuzzReport {
  /** Cells compared, and cells left out because of a kink or an infinity beside them. */
  readonly cells: { agreed: number; skipped: number };
}

/** Runs `count` programs, the n-th made from `seed + n` alone so that a failure can be repeated. */
export function fuzzGradients(seed: number, count: number): GradientReport {
  return fuzz(gradientProgram, seed, count);
}

/** The same for programs that are recurrences. */
export function fuzzRecurrences(seed: number, count: number): GradientReport {
  return fuzz(recurrenceProgram, seed, count);
}

/**
 * Derivatives that every step of a recurrence asks for, each held to differences within its step.
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
    // Loaded from a data address, a module has all of its text in the stack.
    return thrown instanceof Error
      ? (thrown.stack ?? thrown.message).replaceAll(/data:[^)\s]+/g, "")
      : String(thrown);
  }
}
