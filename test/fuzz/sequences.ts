// Random recurrences over batches: small ones on kernels as on the oracle, large ones with the same bits on one, two and three threads.

import { threadCount, useThreads } from "../../src/backends/wasm/threads/threads.ts";
import { compile } from "../../src/compile.ts";
import { declaredInput, type DeclaredInput } from "../../src/core.ts";
import type { TensorValue } from "../../src/host/value.ts";
import { sequenceProgram } from "../generate/sequences.ts";
import { compareBackends, subjectOf } from "../backends/compare.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";

/** Runs `count` programs, the n-th made from `seed + n` alone so that a failure can be repeated. */
export async function fuzzSequences(seed: number, count: number): Promise<FuzzReport> {
  const failures: FuzzFailure[] = [];
  const before = threadCount();
  const note = (n: number, program: string, problem: string | undefined): void => {
    if (problem) failures.push({ seed: seed + n, program, problem });
  };
  for (let n = 0; n < count; n++) {
    const small = sequenceProgram(seed + n, "small");
    useThreads(1);
    note(n, small, besideOracle(small));
    const large = sequenceProgram(seed + n, "large");
    note(n, large, await onThreads(large));
  }
  useThreads(before);
  return { programs: count, failures };
}

function besideOracle(text: string): string | undefined {
  const subject = subjectOf("test.ein", text);
  if ("errors" in subject) return subject.errors[0]!.title;
  const { problems } = compareBackends(subject, [inputsOf(subject.program.inputs.map(declaredInput))]);
  return problems.length > 0 ? problems.join("\n") : undefined;
}

async function onThreads(text: string): Promise<string | undefined> {
  useThreads(1);
  const alone = resultsOf(text);
  for (const threads of [2, 3]) {
    useThreads(threads);
    // The first runs start the workers.
    resultsOf(text);
    await new Promise((resume) => setTimeout(resume, 20));
    const others = resultsOf(text);
    const differs = [...alone].find(([name, bytes]) => !isSame(bytes, others.get(name)!));
    if (differs) return `on ${threads} threads \`${differs[0]}\` has other bits than on one`;
  }
  return undefined;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, k) => byte === b[k]);
}

/** The bytes of every value, of a run that is not the first. */
function resultsOf(text: string): ReadonlyMap<string, Uint8Array> {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(`${diagnostics[0]!.title}\n${text}`);
  const inputs = inputsOf(program.inputs);
  program.run({ inputs });
  const { values, fault } = program.run({ inputs });
  if (fault) throw new Error(`${fault.title}\n${text}`);
  return new Map(
    [...values].map(([name, { value }]) => {
      const { buffer, byteOffset, byteLength } = value.data as Float32Array;
      return [name, new Uint8Array(buffer, byteOffset, byteLength).slice()];
    }),
  );
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
