// Random comprehensions, running reductions, scatters and lookups: gradients against differences,
// the two forms of the oracle against each other, and kernels against the oracle.

import { listProgram } from "../generate/lists.ts";
import { problemOf as backendProblem } from "./backends.ts";
import { problemOf as gradientProblem, type GradientReport } from "./grad.ts";
import type { FuzzFailure } from "./parser.ts";

/**
 * Runs `count` programs. The n-th is made from `seed + n` alone, so that a failure can be repeated.
 */
export function fuzzLists(seed: number, count: number): GradientReport {
  const failures: FuzzFailure[] = [];
  const cells = { agreed: 0, skipped: 0 };
  for (let n = 0; n < count; n++) {
    const program = listProgram(seed + n);
    const problem =
      gradientProblem(program, cells) ??
      backendProblem({ text: program, inputs: [{}], f64: false });
    if (problem) failures.push({ seed: seed + n, program, problem });
  }
  return { programs: count, failures, cells };
}
