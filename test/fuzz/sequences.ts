// Random recurrences over batches: small programs on kernels against the oracle, and large programs
// with the same bits on one, two and three threads.

import { compile } from "../../src/driver/compile.ts";
import { declaredInput } from "../../src/driver/core.ts";
import type { DeclaredInput } from "../../src/lower/declared-input.ts";
import type { TensorValue } from "../../src/scalar/values/value.ts";
import { sequenceProgram } from "../generate/sequences.ts";
import { compareBackends, subjectOf } from "../backends/compare.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";
import { differsOnThreads } from "./threads.ts";

/**
 * Runs `count` programs. The n-th is made from `seed + n` alone, so that a failure can be repeated.
 */
export async function fuzzSequences(seed: number, count: number): Promise<FuzzReport> {
  const failures: FuzzFailure[] = [];
  const note = (n: number, program: string, problem: string | undefined): void => {
    if (problem) failures.push({ seed: seed + n, program, problem });
  };
  for (let n = 0; n < count; n++) {
    const small = sequenceProgram(seed + n, "small");
    note(n, small, besideOracle(small));
    const large = sequenceProgram(seed + n, "large");
    const { program } = compile({ name: "test.ein", text: large });
    note(
      n,
      large,
      program ? await differsOnThreads(large, [inputsOf(program.inputs)]) : "it does not compile",
    );
  }
  return { programs: count, failures };
}

function besideOracle(text: string): string | undefined {
  const subject = subjectOf("test.ein", text);
  if ("errors" in subject) return subject.errors[0]!.title;
  const { problems } = compareBackends(subject, [
    inputsOf(subject.program.inputs.map(declaredInput)),
  ]);
  return problems.length > 0 ? problems.join("\n") : undefined;
}

function inputsOf(declared: readonly DeclaredInput[]): ReadonlyMap<string, TensorValue> {
  const inputs = new Map<string, TensorValue>();
  for (const { name, dtype, shape } of declared) {
    const cells = Float64Array.from(
      { length: (shape as readonly number[]).reduce((a, b) => a * b, 1) },
      (_, at) => 0.8 * Math.sin(at * 12.9898 + name.charCodeAt(0)),
    );
    inputs.set(name, {
      dtype,
      shape: shape as readonly number[],
      data: dtype === "f32" ? Float32Array.from(cells) : cells,
    });
  }
  return inputs;
}
