// Helpers of the tests of kernels: running a program on kernels and on the oracle, tables of small
// numbers of any type, and hand-made functions.

import { expect } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import type { EngineOptions } from "../../src/backends/results.ts";
import { newHeard, type Heard } from "../../src/plan/print.ts";
import { compareBackends, subjectOf } from "../backends/compare.ts";
import { runProgram } from "../../src/run/run.ts";
import { leftToOracle } from "../../src/backends/wasm/state.ts";
import {
  codeAt,
  get,
  newEmitter,
  newParameter,
  type Emitter,
} from "../../src/backends/wasm/code/emitter.ts";
import { encodeModule } from "../../src/backends/wasm/code/encode.ts";
import { newImports } from "../../src/backends/wasm/host.ts";
import { webAssembly } from "../../src/backends/wasm/web-assembly.ts";

/** Runs a program on both. Nearly every cell must be comparable. */
export function holds(text: string): void {
  const subject = subjectOf("test.ein", text);
  if ("errors" in subject) throw new Error(subject.errors.map(({ title }) => title).join());
  const { problems, compared, skipped } = compareBackends(subject, [new Map()]);
  expect(problems, text).toEqual([]);
  expect(compared).toBeGreaterThan(0);
  expect(skipped).toBeLessThan(Math.max(1, compared / 10));
}

/** Runs a program that fails on both with the same message. */
export function faults(text: string): void {
  const subject = subjectOf("test.ein", text);
  if ("errors" in subject) throw new Error(subject.errors.map(({ title }) => title).join());
  const { problems, faults } = compareBackends(subject, [new Map()]);
  expect(problems, text).toEqual([]);
  expect(faults).toBe(1);
}

export const types = ["f32", "f64", "i32", "i64", "i8", "f16", "bf16"];

/** `x`, with numbers from -4 to 6. */
export const table = (type: string, rows: number, columns: number): string =>
  `let x[i in 0..${rows}, j in 0..${columns}] = ((i * 7 + j * 3) % 11 - 4) as ${type};`;

/** A function of one result, from the instructions that are emitted into it. */
export function functionOf(
  parameters: number,
  emit: (emitter: Emitter) => number,
): (...args: number[]) => number {
  const emitter = newEmitter(newImports());
  for (let k = 0; k < parameters; k++) newParameter(emitter, "i32");
  const result = emit(emitter);
  const code = [...codeAt(emitter, 0)];
  get(code, { local: result });
  const signature = { parameters: emitter.parameters, results: ["i32"] } as const;
  const bytes = encodeModule({
    imports: [],
    memory: { pages: 1 },
    functions: [{ signature, locals: emitter.locals, code }],
  });
  const { Memory, Module, Instance } = webAssembly();
  const instance = new Instance(new Module(bytes), {
    host: { memory: new Memory({ initial: 1 }) },
  });
  return instance.exports["0"] as never;
}

/** The schedules that a run on kernels left to the oracle, by name, with the reason. */
export function leftToOracleIn(
  text: string,
  how: EngineOptions = { leastWork: 0 },
): ReadonlyMap<string, string> {
  const subject = subjectOf("test.ein", text);
  if ("errors" in subject) throw new Error(subject.errors.map(({ title }) => title).join());
  runProgram(subject.program, subject.analysis, { backend: "wasm", ...how });
  const left = [...leftToOracle(subject.program)];
  return new Map(
    left.flatMap(([schedule, why]) => schedule.definitions.map(({ name }) => [name, why] as const)),
  );
}

/** The cells of a name, computed by kernels. */
export function cellsOf(text: string, name: string): readonly number[] {
  const subject = subjectOf("test.ein", text);
  if ("errors" in subject) throw new Error(subject.errors.map(({ title }) => title).join());
  const { values } = runProgram(subject.program, subject.analysis, {
    backend: "wasm",
    leastWork: 0,
    get: [name],
  });
  return Array.from(values.get(name)!.value.data as Float64Array);
}

/** The reports of the optimiser about one rule while a program runs on kernels. */
export function heardIn(text: string, rule: string, get?: readonly string[]): string {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics[0]!.title);
  let heard: Heard | undefined;
  program.run({
    ...(get ? { get } : {}),
    leastWork: 0,
    hearing: (of, each) => (heard = newHeard(of, each)),
  });
  return heard!.text(rule);
}
