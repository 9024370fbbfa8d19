// Checks the promises of an explanation: its source compiles and gives the derived gradient, the
// listed contributions add up to the cell, TeX can set it, and it is computed quickly.

import { stepGraphOf } from "../../src/autodiff/requests/step-graph.ts";
import { probe, type Probe } from "../../src/run/probe.ts";
import { compile } from "../../src/driver/compile.ts";
import type { Parts } from "../../src/driver/core.ts";
import { Fault } from "../../src/diagnostics/diagnostic.ts";
import { drawnFor } from "../../src/explain/check/draw-inputs.ts";
import {
  explainDefinition,
  requestsOf,
  type ExplainOptions,
} from "../../src/explain/ledger/explain-request.ts";
import type { Explanation, GradientStep } from "../../src/explain/ledger/explanation.ts";
import { explanationTex } from "../../src/explain/ledger/tex.ts";
import { fromScalars, get, sizeOf, type TensorValue } from "../../src/scalar/values/value.ts";
import { analyse } from "../../src/analyse/analyse.ts";
import type { Definition } from "../../src/ir/program.ts";
import { readsOf } from "../../src/ir/references.ts";
import { texProblem } from "./tex-problems.ts";

export interface Held {
  /** Descriptions of the problems. */
  readonly problems: readonly string[];
  readonly explained: number;
  readonly accounts: number;
  readonly contributions: number;
  /** Requests without a printed backward program or without a run, and the reason. */
  readonly without: readonly string[];
  /** Milliseconds of processor time of the slowest explanation. */
  readonly slowest: number;
}

const tolerance = 1e-9;

/** The same for a text. A text that does not compile has no requests. */
export function holdsFor(text: string): Held {
  const parts = compile({ name: "held.ein", text }).program?.partsFor(new Map());
  if (!parts || "diagnostics" in parts) return nothingHeld();
  return holdsIn(parts, text, new Map());
}

function nothingHeld() {
  return {
    problems: [] as string[],
    explained: 0,
    accounts: 0,
    contributions: 0,
    without: [] as string[],
    slowest: 0,
  };
}

/** Explains every request of a program, for a few cells each. */
export function holdsIn(
  { module, program, extents }: Parts,
  text: string,
  given: ReadonlyMap<string, TensorValue>,
): Held {
  const held = nothingHeld();
  // Numerators and denominators are removed once their requests are answered. Here they must be
  // computed, so they are asked for too.
  const asked = requestsOf(program).flatMap((request) => [
    request,
    ...readsOf({ ...request, clauses: [] }),
  ]);
  const whole = {
    ...program,
    outputs: new Map(asked.map((definition, k) => [String(k), { definition }])),
    actions: [],
  };
  const analysis = analyse(whole, extents);
  const inputs = drawnFor(program, given, "growing");
  const explained = { module, program, extents };
  for (const request of requestsOf(program)) {
    const name = `@${request.request!.of.name} / @${request.request!.wrt.name}`;
    const complain = (problem: string): void =>
      void held.problems.push(`${name}: ${problem}\nin\n${text}`);
    const running = attempt(() => probe(whole, analysis, inputs, true));
    const answer = running && attempt(() => running.valueOf(request));
    const seed = running && answer && seedFor(running, request);
    if (!running || !answer) {
      held.without.push(`${name}: its program does not run`);
      continue;
    }
    const all = new Map([
      ...inputs,
      ...(seed ? [[`d_${request.request!.of.name}`, seed] as const] : []),
    ]);
    const shape = attempt(() => running.valueOf(request.request!.wrt).shape) ?? [];
    for (const cell of cellsOf(shape)) {
      const options: ExplainOptions = { inputs: all, f64: true, cell };
      const start = processorTime();
      const explanation = explainDefinition(explained, request, options);
      held.slowest = Math.max(held.slowest, processorTime() - start);
      if ("diagnostics" in explanation) {
        held.without.push(
          `${name}: ${explanation.diagnostics.map(({ title }) => title).join("; ")}`,
        );
        break;
      }
      held.explained++;
      const unset = texProblem(explanationTex(explanation));
      if (unset) complain(`TeX would refuse it: ${unset}`);
      for (const gradient of explanation.gradients) {
        if (gradient.cell) held.accounts++;
        held.contributions += gradient.cell?.contributions.length ?? 0;
        complainIfNotAddedUp(gradient, complain);
      }
      const isComparable = contraction(request) !== "other";
      const weights = contraction(request) === "none" ? seed : undefined;
      if (isComparable && cell.every((at) => at === 0))
        complainIfNotTheGradient(
          explanation,
          withStep(request, shape, answer, weights),
          all,
          complain,
        );
    }
  }
  return held;
}

/** Milliseconds of processor time of this process, independent of other processes. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (failure) {
    if (failure instanceof Fault) return undefined;
    throw failure;
  }
}

/**
 * A request that is answered with weights has its gradient contracted already: with one incoming
 * gradient, or in other ways. A request in a cell asks about that cell only.
 */
function contraction({ request, outer }: Definition): "none" | "gradient" | "other" {
  const { contracted, of, wrt } = request!;
  if (outer > 0 || of.outer > 0 || wrt.outer > 0) return "other";
  if (!contracted) return "none";
  return contracted.kind === "cotangent" && contracted.with.axes.length === of.axes.length
    ? "gradient"
    : "other";
}

/** The first, a middle and the last cell. */
function cellsOf(shape: readonly number[]): readonly (readonly number[])[] {
  if (sizeOf(shape) === 0) return [];
  const cells = [shape.map(() => 0), shape.map((n) => Math.floor(n / 2)), shape.map((n) => n - 1)];
  return cells.filter((cell, k) => cells.findIndex((other) => other.join() === cell.join()) === k);
}

/** An incoming gradient for a tensor numerator. */
function seedFor(running: Probe, request: Definition): TensorValue | undefined {
  const { of, step, jacobian, contracted } = request.request!;
  if (contracted && contraction(request) === "gradient") return running.valueOf(contracted.with);
  if (of.axes.length === 0 || (step !== undefined && !jacobian)) return undefined;
  const { shape } = running.valueOf(of);
  return fromScalars(
    "f64",
    shape,
    Array.from({ length: sizeOf(shape) }, (_, k) => Math.sin(k + 1)),
  );
}

function complainIfNotAddedUp(
  { gradient, cell }: GradientStep,
  complain: (problem: string) => void,
): void {
  if (!cell) return;
  const values = cell.contributions.map(({ value }) => value as number);
  const total = values.reduce((a, b) => a + b, 0);
  const scale = values.reduce((a, b) => a + Math.abs(b), 0);
  if (!near(total, cell.value as number, scale))
    complain(
      `${gradient}[${cell.position.join(", ")}] is ${String(cell.value)}, ` +
        `its contributions add up to ${total}`,
    );
}

function near(a: number, b: number, scale: number): boolean {
  return Object.is(a, b) || Math.abs(a - b) <= tolerance * Math.max(1e-3, scale, Math.abs(b));
}

/**
 * Runs the source of the explanation, and compares its last line with the answer of the request.
 */
function complainIfNotTheGradient(
  { source, gradients, wrt, independent }: Explanation,
  wanted: readonly number[],
  inputs: ReadonlyMap<string, TensorValue>,
  complain: (problem: string) => void,
): void {
  const compiled = compile({ name: "explained.ein", text: source });
  const errors = compiled.diagnostics.filter(({ level }) => level === "error");
  if (!compiled.program || errors.length > 0) {
    complain(
      "its source does not compile: " +
        `${errors.map(({ code, title }) => `${code} ${title}`).join("; ")}\n${source}`,
    );
    return;
  }
  if (independent.length > 0) return;
  const last = gradients.find(({ value }) => value === wrt[0]);
  const name = last?.gradient ?? `d_${wrt[0]!}`;
  const declared = new Set(compiled.program.inputs.map((input) => input.name));
  const values = new Map([...inputs].filter(([input]) => declared.has(input)));
  const handed = declared.has(name) ? inputs.get(name) : undefined;
  const { values: found, fault } = handed
    ? { values: new Map([[name, { value: handed }]]), fault: undefined }
    : compiled.program.run({ inputs: values, get: [name], f64: true });
  if (fault) {
    complain(`its source does not run: ${fault.code} ${fault.title}\n${source}`);
    return;
  }
  const gradient = found.get(name)!.value;
  const largest = Math.max(1e-3, ...wanted.map(Math.abs).filter(Number.isFinite));
  const isSame =
    gradient.data.length === wanted.length &&
    wanted.every((x, k) => near(Number(gradient.data[k]), x, largest));
  if (!isSame)
    complain(
      `its source gives [${[...gradient.data].join(", ")}], ` +
        `the program [${wanted.join(", ")}]\n${source}`,
    );
}

/**
 * Within a step, a cell of the denominator affects only the cells of the numerator at the same
 * step.
 */
function withStep(
  { request }: Definition,
  shape: readonly number[],
  answer: TensorValue,
  seed: TensorValue | undefined,
): readonly number[] {
  const { of, wrt, step } = request!;
  if (!seed || step === undefined) return contracted(answer, seed);
  const axis = stepGraphOf(of, step).stepAxis(wrt) ?? 0;
  return cellsIn(shape).map((cell) =>
    cellsIn(seed.shape)
      .filter((row) => row[step] === cell[axis])
      .reduce((total, row) => {
        const place = [...row.filter((_, k) => k !== step), ...cell];
        return total + Number(get(seed, row)) * Number(get(answer, place));
      }, 0),
  );
}

function cellsIn(shape: readonly number[]): readonly (readonly number[])[] {
  return shape.reduce<readonly (readonly number[])[]>(
    (cells, extent) =>
      cells.flatMap((cell) => Array.from({ length: extent }, (_, k) => [...cell, k])),
    [[]],
  );
}

/** A Jacobian, with the incoming gradient summed over the cells of the numerator. */
function contracted(answer: TensorValue, seed: TensorValue | undefined): readonly number[] {
  const numbers = Array.from(answer.data as ArrayLike<number>, Number);
  if (!seed) return numbers;
  const rows = sizeOf(seed.shape);
  const cells = rows === 0 ? 0 : numbers.length / rows;
  return Array.from({ length: cells }, (_, cell) => {
    let total = 0;
    for (let row = 0; row < rows; row++)
      total += Number(seed.data[row]) * numbers[row * cells + cell]!;
    return total;
  });
}
