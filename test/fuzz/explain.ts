// Explains every derivative of random programs and checks each explanation with numbers.

import { holdsFor } from "../explain/holds.ts";
import { gradientProgram } from "../generate/programs.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";

/**
 * Runs `count` programs. The n-th is made from `seed + n` alone, so that a failure can be repeated.
 */
export function fuzzExplanations(seed: number, count: number): FuzzReport {
  const failures: FuzzFailure[] = [];
  for (let n = 0; n < count; n++) {
    const program = gradientProgram(seed + n);
    const problem = problemOf(program);
    if (problem !== undefined) failures.push({ seed: seed + n, program, problem });
  }
  return { programs: count, failures };
}

function problemOf(program: string): string | undefined {
  try {
    const { problems, slowest } = holdsFor(program);
    if (problems.length > 0) return problems.join("\n");
    return slowest > 2000 ? `explaining took ${Math.round(slowest)} ms` : undefined;
  } catch (thrown) {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  }
}
