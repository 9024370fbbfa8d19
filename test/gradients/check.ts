// The proof of a derivative: every request of a program against central differences in f64, reverse mode against forward mode by the
// adjoint identity, its derived program against the rules of the IR, and the printed derived program against the numbers of the original.
//
// Differences are extrapolated: with D(h) the central difference, (4·D(h/2) - D(h)) / 3 has an error of order h⁴. A cell at
// which the one-sided differences stay apart as the step shrinks is a kink, and is skipped.

import { adjointTolerance } from "../../src/explain/check-gradients.ts";
import { readsOf } from "../../src/ir/program.ts";
import { reachable } from "../../src/ir/schedule.ts";
import { isFloat } from "../../src/ir/scalar/types.ts";
import { sizeOf, type TensorValue } from "../../src/host/value.ts";
import { cellsOf, derive, tensorOf, WrongProgram, type Derived, type Inputs } from "./derived.ts";
import { bumpedAt, bumpName, numeratorName, openedAt, requestsIn, type FoundRequest } from "./perturb.ts";

export const tolerance = 1e-6;

export interface CheckOptions {
  readonly inputs?: Inputs;
}

export interface CheckedRequest {
  readonly of: string;
  readonly wrt: string;
  readonly gradient: readonly number[];
  /** How many cells agree with their difference. */
  readonly agreed: number;
  /** Cells at kinks, or where the numerator is not finite beside them. */
  readonly skipped: readonly number[];
}

export interface Checked {
  readonly requests: readonly CheckedRequest[];
  /** What is wrong, in words; nothing for a right program. */
  readonly problems: readonly string[];
}

export function checkGradients(text: string, options: CheckOptions = {}): Checked {
  const inputs = options.inputs ?? {};
  const derived = derive(text);
  const problems = [...derived.complaints()];
  const found = requestsIn(text);
  if (found.length === 0) throw new Error(`no request to check in\n${text}`);
  const names = [...new Set(found.flatMap(({ answer, wrt }) => (wrt in inputs ? [answer] : [answer, wrt])))];
  const values = derived.run(names, inputs);
  problems.push(...printedDiffers(derived, names, values, inputs));
  for (const { of, wrt, apart = 0 } of derived.identities(inputs)) {
    if (apart > adjointTolerance) problems.push(`@${of} / @${wrt}: forward and reverse mode are ${apart} apart`);
  }
  const requests = found.map((request) => {
    const point = values.get(request.wrt) ?? tensorOf(derived.program, request.wrt, inputs[request.wrt]!);
    return checkRequest(text, request, point, values.get(request.answer)!, derived, inputs, problems);
  });
  return { requests, problems };
}

/** The derived program, printed, compiled and run again. */
function printedDiffers(
  derived: Derived,
  names: readonly string[],
  values: ReadonlyMap<string, TensorValue>,
  inputs: Inputs,
): readonly string[] {
  const printed = derived.printed();
  try {
    const again = derive(printed).run(names, inputs);
    return names.flatMap((name) => {
      const [one, other] = [cellsOf(values.get(name)!), cellsOf(again.get(name)!)];
      return one.length === other.length && one.every((x, k) => same(x, other[k]!))
        ? []
        : [`printed and compiled again, \`${name}\` is ${show(other)} instead of ${show(one)}:\n${printed}`];
    });
  } catch (failure) {
    return [`the printed program fails: ${failure instanceof Error ? failure.message : String(failure)}`];
  }
}

function same(a: number, b: number): boolean {
  return Object.is(a, b) || a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
}

function show(cells: readonly number[]): string {
  return `[${cells.join(", ")}]`;
}

function checkRequest(
  text: string,
  request: FoundRequest,
  point: TensorValue,
  answer: TensorValue,
  derived: Derived,
  inputs: Inputs,
  problems: string[],
): CheckedRequest {
  const { of, wrt } = request;
  const gradient = cellsOf(answer);
  const base = cellsOf(point);
  if (point.shape.join() !== answer.shape.join())
    problems.push(`@${of} / @${wrt} has shape [${answer.shape.join()}], and \`${wrt}\` [${point.shape.join()}]`);
  const { program: opened, moved: input, from } = openedProgram(text, request, point, derived);
  const valueAt = (data: Float64Array): number => {
    const moved = opened.run([numeratorName], { ...inputs, [input]: { dtype: "f64", shape: point.shape, data } });
    return cellsOf(moved.get(numeratorName)!)[0]!;
  };
  const at = (cell: number, step: number): number =>
    valueAt(Float64Array.from(from, (x, k) => (k === cell ? x + step : x)));
  /** Along a direction in which every cell moves by another amount: 0.618… is as far from any fraction as can be. */
  const along = (turn: number, step: number): number =>
    valueAt(Float64Array.from(from, (x, k) => x + step * (((k * turn + 1) * 0.6180339887498949) % 1) - step / 2));
  const skipped: number[] = [];
  let agreed = 0;
  const size = sizeOf(point.shape);
  const middle = size > 0 ? at(-1, 0) : 0;
  for (let cell = 0; cell < size; cell++) {
    const outcome = compareCell((step) => at(cell, step), middle, base[cell]!, gradient[cell]!);
    // Two kinks that cancel along one axis, as in max(a, b) + min(a, c), show along others.
    const isHidden =
      outcome.kind === "differs" && [1, 2, 3].some((turn) => isKink((step) => along(turn, step), middle, 1));
    if (isHidden) skipped.push(cell);
    else if (outcome.kind === "agrees") agreed++;
    else if (outcome.kind === "skipped") skipped.push(cell);
    else
      problems.push(`${of} / @${wrt} at cell ${cell} is ${gradient[cell]}, and the difference ${outcome.difference}`);
  }
  return { of, wrt, gradient, agreed, skipped };
}

/** A program whose numerator depends on an input that can be moved away from a point. */
interface Opened {
  readonly program: Derived;
  readonly moved: string;
  readonly from: readonly number[];
}

/**
 * The denominator as an input: with its extents as numbers, or with its axis names where those are needed. The cells of a
 * recurrence carry a change on to later ones, so there the input is added to each clause instead.
 */
function openedProgram(text: string, request: FoundRequest, point: TensorValue, derived: Derived): Opened {
  const definition = derived.program.outputs.get(request.wrt)?.definition;
  const element = definition?.element ?? "f32";
  if (!isFloat(element)) throw new Error(`${request.wrt} is ${element}`);
  const type = (extents: readonly (string | number)[]): string =>
    extents.length === 0 ? element : `[${element}; ${extents.join(", ")}]`;
  if (definition && reachable([...readsOf(definition)]).includes(definition)) {
    const from = cellsOf(point).map(() => 0);
    return { program: derive(bumpedAt(text, request, type(point.shape))), moved: bumpName, from };
  }
  const opened = (program: Derived): Opened => ({ program, moved: request.wrt, from: cellsOf(point) });
  try {
    return opened(derive(openedAt(text, request, type(point.shape))));
  } catch (failure) {
    const axes = definition?.axes.map((axis, k) => axis.name ?? point.shape[k]!);
    if (!(failure instanceof WrongProgram) || !axes) throw failure;
    return opened(derive(openedAt(text, request, type(axes))));
  }
}

type Outcome =
  | { readonly kind: "agrees" }
  | { readonly kind: "skipped" }
  | { readonly kind: "differs"; readonly difference: number };

/** Steps of falling size, so that a kink nearby is stepped over only if it is very near. */
const steps = [1e-3, 1e-4, 1e-5];

function compareCell(at: (step: number) => number, middle: number, x: number, gradient: number): Outcome {
  const scale = Math.max(1, Math.abs(x));
  const values = new Map<number, number>();
  const f = (step: number): number => {
    let value = values.get(step);
    if (value === undefined) values.set(step, (value = at(step)));
    return value;
  };
  let difference = NaN;
  let wider = NaN;
  for (const relative of steps) {
    wider = difference;
    const h = relative * scale;
    const central = (step: number): number => (f(step) - f(-step)) / (2 * step);
    difference = (4 * central(h / 2) - central(h)) / 3;
    const noise = (2e-15 * Math.abs(middle)) / h;
    const allowed = tolerance * Math.max(1, Math.abs(gradient), Math.abs(difference)) + noise;
    if (Math.abs(difference - gradient) <= allowed) return { kind: "agrees" };
    // Where the curvature jumps, as that of relu(x) ** 2, a tenth of the step has a tenth of the error.
    const limit = difference + (difference - wider) / 9;
    if (Math.abs(limit - gradient) <= allowed) return { kind: "agrees" };
  }
  const isBend = isHalfOf(jumpAt(f, middle, scale), difference - gradient);
  return isBend || isKink(f, middle, scale) ? { kind: "skipped" } : { kind: "differs", difference };
}

/** How far apart the slopes on the two sides are, what the curvature adds taken away by extrapolation. */
function jumpAt(f: (step: number) => number, middle: number, scale: number): number {
  const gap = (step: number): number => Math.abs(f(step) - 2 * middle + f(-step)) / step;
  const h = steps[2]! * scale;
  return 2 * gap(h / 2) - gap(h);
}

/** At a kink a central difference lies halfway between the two slopes, one of which is the gradient. */
function isHalfOf(jump: number, apart: number): boolean {
  return Math.abs(Math.abs(jump) / 2 - Math.abs(apart)) < 0.1 * Math.abs(apart);
}

/** Do the one-sided differences stay apart as the step shrinks, or is there a jump or an infinity? */
function isKink(f: (step: number) => number, middle: number, scale: number): boolean {
  const [wide, last, narrow] = [steps[0]! * scale, steps[2]! * scale, (steps[2]! * scale) / 2];
  const gap = (step: number): number => Math.abs(f(step) - 2 * middle + f(-step)) / step;
  if (![middle, gap(wide), gap(narrow)].every(Number.isFinite)) return true;
  // Smooth: the gap shrinks with the step, by a factor of 100 and more here. At a kink it stays; with a jump it grows. A kink may lie beside the
  // narrowest step and within the one before.
  if ([last, narrow].some((step) => gap(step) > 1e-6 && gap(step) > gap(wide) / 20)) return true;
  // A jump that is the same on both sides leaves no gap; its difference grows as the step shrinks.
  const secant = (step: number): number => Math.abs(f(step) - f(-step)) / step;
  return secant(narrow) > 20 * secant(wide);
}
