// Random programs that are large enough for several threads: the same bits on one, two and three
// threads, for all values and for one alone.

import { threadCount, useThreads } from "../../src/backends/wasm/threads/threads.ts";
import { compile } from "../../src/driver/compile.ts";
import { kernelProgram } from "../generate/kernels.ts";
import { inputsOf } from "./backends.ts";
import type { Inputs } from "../backends/compare.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";

/**
 * Runs `count` programs. The n-th is made from `seed + n` alone, so that a failure can be repeated.
 */
export async function fuzzThreads(seed: number, count: number): Promise<FuzzReport> {
  const failures: FuzzFailure[] = [];
  for (let n = 0; n < count; n++) {
    const { text, inputs, f64 } = kernelProgram(seed + n, "large");
    const problem = await differsOnThreads(text, inputs.map(inputsOf), f64);
    if (problem) failures.push({ seed: seed + n, program: text, problem });
  }
  return { programs: count, failures };
}

/** The first value that differs on two or three threads from one thread, if there is one. */
export async function differsOnThreads(
  text: string,
  sets: readonly Inputs[],
  f64 = false,
): Promise<string | undefined> {
  const before = threadCount();
  useThreads(1);
  const alone = resultsOf(text, sets, f64);
  let found: string | undefined;
  for (const threads of [2, 3]) {
    useThreads(threads);
    // The first runs start the workers.
    resultsOf(text, sets, f64);
    await new Promise((resume) => setTimeout(resume, 20));
    const others = resultsOf(text, sets, f64);
    const differs = [...alone].find(([what, cells]) => !isSame(cells, others.get(what)));
    if (differs) found ??= `${differs[0]} on ${threads} threads is not what it is on one`;
  }
  useThreads(before);
  return found;
}

type Cells = ArrayLike<unknown> | string;

function isSame(a: Cells, b: Cells | undefined): boolean {
  if (b === undefined || typeof a === "string" || typeof b === "string") return a === b;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (!Object.is(a[at], b[at])) return false;
  return true;
}

/**
 * The cells of every value, and of the last value when it alone is asked for. Values that nobody
 * asks for are passed from kernel to kernel.
 */
function resultsOf(
  text: string,
  sets: readonly Inputs[],
  f64: boolean,
): ReadonlyMap<string, Cells> {
  const { program } = compile({ name: "test.ein", text });
  const found = new Map<string, Cells>();
  if (!program) return found;
  const last = program.values.slice(-1);
  for (const [what, get] of [
    ["all", program.values],
    ["alone", last],
    ["again", last],
  ] as const)
    for (const [k, inputs] of sets.entries()) {
      const { values, fault } = program.run({ inputs, get, f64 });
      if (fault) found.set(`the fault of run ${k}, ${what}`, fault.title);
      else
        for (const [name, { value }] of values)
          found.set(`\`${name}\` of run ${k}, ${what}`, (value.data as Float64Array).slice());
    }
  return found;
}
