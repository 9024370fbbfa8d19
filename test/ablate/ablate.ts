// Measures the effect of each rewrite: all programs that request a derivative, with one rewrite
// switched off, against the unchanged compiler. No value may change. Size and time show what the
// rewrite gains.

import { compile, type CompiledProgram } from "../../src/driver/compile.ts";
import { failed } from "../../src/base/failure.ts";
import { fromJson } from "../../src/host/json.ts";
import type { TensorValue } from "../../src/scalar/values/value.ts";
import { derivedRewrites, kernelRewrites, switchOff, type Rewrite } from "../../src/ir/rewrites.ts";
import type { Named } from "./programs.ts";

export { rewriteNames } from "../../src/ir/rewrites.ts";
export { askingPrograms as programsAt } from "./programs.ts";

export interface Ablation {
  readonly rewrite: Rewrite;
  /** The programs that compile and run with all rewrites. */
  readonly programs: number;
  /** The programs whose printed IR changes. For rewrites of kernels, every program. */
  readonly changed: number;
  readonly longer: number;
  readonly shorter: number;
  /** Characters of all printed IR and time of compiling, as ratios to the unchanged compiler. */
  readonly size: number;
  readonly compiling: number;
  /** The programs that run at least 1.5 times as long, with the ratio. */
  readonly slower: readonly string[];
  /** Values that differ, by program. */
  readonly wrong: readonly string[];
}

/** A program compiled without some rewrites, or the reason why there is none. */
interface Made {
  readonly program: CompiledProgram | string;
  readonly ir: string;
  readonly compiling: number;
}

interface Ran {
  readonly values: ReadonlyMap<string, TensorValue>;
  readonly fault?: string;
  readonly milliseconds: number;
}

/** The best of this many runs counts, in turns with and without the rewrite. */
const turns = 3;

export function ablate(rewrite: Rewrite, programs: readonly Named[]): Ablation {
  const rows = programs.flatMap((named) => rowOf(named, rewrite) ?? []);
  const total = (of: (made: Made) => number): number =>
    sum(rows.map(({ now }) => of(now))) / sum(rows.map(({ old }) => of(old)));
  return {
    rewrite,
    programs: rows.length,
    changed: rows.filter(({ isChanged }) => isChanged).length,
    longer: rows.filter(({ old, now }) => now.ir.length > old.ir.length).length,
    shorter: rows.filter(({ old, now }) => now.ir.length < old.ir.length).length,
    size: total(({ ir }) => ir.length),
    compiling: total(({ compiling }) => compiling),
    slower: rows.flatMap(({ name, ratio }) =>
      ratio > 1.5 ? [`${name} (${ratio.toFixed(1)})`] : [],
    ),
    wrong: rows.flatMap(({ name, wrong }) => wrong.map((text) => `${name}: ${text}`)),
  };
}

function rowOf(named: Named, rewrite: Rewrite) {
  const old = madeOf(named, []);
  if (typeof old.program === "string") return undefined;
  const now = madeOf(named, [rewrite]);
  const isChanged = old.ir !== now.ir || rewrite in kernelRewrites;
  const compared = isChanged ? byTurns(named, rewrite, old.program, now.program) : same;
  return compared && { name: named.name, old, now, isChanged, ...compared };
}

const same = { ratio: 1, wrong: [] as readonly string[] };

/** Runs both programs in turns. A program that fails with all rewrites too gives no result. */
function byTurns(
  { given }: Named,
  rewrite: Rewrite,
  old: CompiledProgram,
  now: CompiledProgram | string,
): typeof same | undefined {
  if (typeof now === "string") return { ratio: 1, wrong: [now] };
  const inputs = old.drawInputs(inputsOf(given, old));
  const both = Array.from({ length: turns }, () => [
    ranOf(old, inputs, rewrite, []),
    ranOf(now, inputs, rewrite, [rewrite]),
  ]);
  const [first] = both;
  if (first![0]!.fault !== undefined) return undefined;
  const best = (k: number): number => Math.min(...both.map((turn) => turn[k]!.milliseconds));
  // Below a millisecond the time depends more on the machine than on the program.
  return { ratio: (best(1) + 1) / (best(0) + 1), wrong: differences(first![0]!, first![1]!) };
}

function madeOf({ name, text }: Named, off: readonly Rewrite[]): Made {
  return without(off, () => {
    const began = performance.now();
    const { program, diagnostics } = compile({ name, text });
    const compiling = performance.now() - began;
    if (program) return { program, ir: program.dump("ir"), compiling };
    return { program: diagnostics.map(({ title }) => title).join("; "), ir: "", compiling };
  });
}

function ranOf(
  program: CompiledProgram,
  inputs: ReadonlyMap<string, TensorValue>,
  rewrite: Rewrite,
  off: readonly Rewrite[],
): Ran {
  const backend = rewrite in derivedRewrites ? { backend: "interpret" as const } : { leastWork: 0 };
  return without(off, () => {
    const began = performance.now();
    const { values, fault } = program.run({ inputs, get: program.values, f64: true, ...backend });
    const milliseconds = performance.now() - began;
    const named = new Map([...values].map(([key, { value }]) => [key, value]));
    return { values: named, milliseconds, ...(fault ? { fault: fault.title } : {}) };
  });
}

function without<T>(off: readonly Rewrite[], action: () => T): T {
  switchOff(off);
  try {
    return action();
  } finally {
    switchOff([]);
  }
}

function inputsOf(
  given: ReadonlyMap<string, string>,
  program: CompiledProgram,
): ReadonlyMap<string, TensorValue> {
  return new Map(
    program.inputs.flatMap(({ name, dtype }) => {
      const json = given.get(name);
      const value = json === undefined ? undefined : fromJson(JSON.parse(json), dtype);
      return value === undefined || failed(value) ? [] : [[name, value] as const];
    }),
  );
}

/**
 * Integers and bools must be equal, floats within 1e-9 of the largest cell. NaN and infinity must
 * be in the same cells.
 */
function differences(old: Ran, now: Ran): readonly string[] {
  if (now.fault !== undefined) return [now.fault];
  return [...old.values].flatMap(([name, a]) => {
    const b = now.values.get(name);
    if (!b || String(a.shape) !== String(b.shape)) return [`${name} has another shape`];
    const [left, right] = [a, b].map(({ data }) => [...(data as Iterable<unknown>)].map(Number));
    const scale = Math.max(1, ...left!.filter(Number.isFinite).map(Math.abs));
    const at = left!.findIndex((cell, k) => !isClose(cell, right![k]!, scale));
    return at < 0 ? [] : [`${name} cell ${at}: ${left![at]} and ${right![at]}`];
  });
}

function isClose(a: number, b: number, scale: number): boolean {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return Object.is(a, b);
  return Math.abs(a - b) <= 1e-9 * scale;
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, each) => total + each, 0);
