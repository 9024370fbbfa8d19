// Checks every derivative of a program numerically: central differences in f64 with one step of Richardson's extrapolation,
// for each cell of the denominator, with the denominator held as if it were an input.

import { evaluateAt } from "../backends/interpret/run.ts";
import { Fault } from "../diagnostics/diagnostic.ts";
import { at, fromScalars, sizeOf, type TensorValue } from "../host/value.ts";
import type { Analysis } from "../ir/analyse.ts";
import { readsOf, type Definition, type Program } from "../ir/program.ts";
import { rootsOf } from "../ir/roots.ts";
import { reachable } from "../ir/schedule.ts";
import { positionOf } from "../syntax/source.ts";

/** How one request fared. */
export interface GradientReport {
  readonly of: string;
  readonly wrt: string;
  readonly line: number;
  readonly ok: boolean;
  /** The largest relative difference between the derivative and the differences. */
  readonly error: number;
  /** Cells whose step crosses a kink, and requests that cannot be held against differences. */
  readonly skipped: number;
  /** The cell with the largest difference, when it is too large. */
  readonly worst?: { readonly cell: readonly number[]; readonly derived: number; readonly measured: number };
  readonly why?: string;
}

/** Relative, against the larger of the two sides and 1e-3 of the gradient's largest cell. */
const tolerance = 1e-6;

export function checkGradients(
  program: Program,
  analysis: Analysis,
  inputs: ReadonlyMap<string, TensorValue>,
): readonly GradientReport[] {
  const requests = reachable(rootsOf(program)).filter((definition) => definition.request);
  return requests.map((request) => checkRequest(program, analysis, inputs, request));
}

function checkRequest(
  program: Program,
  analysis: Analysis,
  inputs: ReadonlyMap<string, TensorValue>,
  request: Definition,
): GradientReport {
  const { of, wrt, step } = request.request!;
  const line = positionOf(request.span.source, request.span.start).line;
  const heading = { of: of.name, wrt: wrt.name, line };
  const isRecurrence = analysis.schedules.some((schedule) => schedule.recurrent && schedule.definitions.includes(wrt));
  if (step !== undefined || isRecurrence)
    return { ...heading, ok: true, error: 0, skipped: 1, why: "a recurrence cannot be held at one cell" };
  if (usesSurrogate(of))
    return { ...heading, ok: true, error: 0, skipped: 1, why: "a `surrogate` rule is meant to differ" };
  try {
    return compare(program, analysis, inputs, request, heading);
  } catch (failure) {
    if (!(failure instanceof Fault)) throw failure;
    return { ...heading, ok: false, error: Infinity, skipped: 0, why: failure.diagnostic.title };
  }
}

function usesSurrogate(of: Definition): boolean {
  const seen = new Set<Definition>([of]);
  for (const definition of seen) {
    if (definition.rule?.surrogate) return true;
    for (const read of readsOf(definition)) seen.add(read);
  }
  return false;
}

function compare(
  program: Program,
  analysis: Analysis,
  inputs: ReadonlyMap<string, TensorValue>,
  request: Definition,
  heading: { readonly of: string; readonly wrt: string; readonly line: number },
): GradientReport {
  const { of, wrt } = request.request!;
  const value = evaluateAt(program, analysis, inputs, new Map(), wrt);
  const derived = evaluateAt(program, analysis, inputs, new Map(), request);
  const cells = sizeOf(value.shape);
  const rows = cells === 0 ? 0 : sizeOf(derived.shape) / cells;
  const numbers = Array.from({ length: cells }, (_, k) => at(value, k) as number);
  const held = (k: number, by: number): readonly number[] => {
    const moved = numbers.map((x, n) => (n === k ? x + by : x));
    const result = evaluateAt(program, analysis, inputs, new Map([[wrt, fromScalars("f64", value.shape, moved)]]), of);
    return Array.from({ length: rows }, (_, row) => at(result, row) as number);
  };
  let largest = 0;
  for (let k = 0; k < derived.data.length; k++) largest = Math.max(largest, Math.abs(at(derived, k) as number));
  let error = 0;
  let skipped = 0;
  let worst: GradientReport["worst"];
  const base = cells > 0 ? held(0, 0) : [];
  for (let k = 0; k < cells; k++) {
    const h = 1e-4 * Math.max(1, Math.abs(numbers[k]!));
    const [up, down, halfUp, halfDown] = [held(k, h), held(k, -h), held(k, h / 2), held(k, -h / 2)];
    for (let row = 0; row < rows; row++) {
      const wide = (up[row]! - down[row]!) / (2 * h);
      const narrow = (halfUp[row]! - halfDown[row]!) / h;
      const measured = (4 * narrow - wide) / 3;
      const [right, left] = [(halfUp[row]! - base[row]!) / (h / 2), (base[row]! - halfDown[row]!) / (h / 2)];
      const own = at(derived, row * cells + k) as number;
      const scale = Math.max(Math.abs(own), Math.abs(measured), 1e-3 * largest, 1e-9);
      const difference = Math.abs(own - measured) / scale;
      if (difference > tolerance && Math.abs(right - left) / scale > 1e-2) {
        skipped++;
        continue;
      }
      if (difference > error || Number.isNaN(difference)) {
        error = Number.isNaN(difference) ? Infinity : difference;
        worst = { cell: positions(value.shape, k), derived: own, measured };
      }
    }
  }
  const ok = error <= tolerance;
  return { ...heading, ok, error, skipped, ...(ok || !worst ? {} : { worst }) };
}

function positions(shape: readonly number[], offset: number): readonly number[] {
  const found: number[] = [];
  let rest = offset;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    found.unshift(rest % shape[axis]!);
    rest = Math.floor(rest / shape[axis]!);
  }
  return found;
}
