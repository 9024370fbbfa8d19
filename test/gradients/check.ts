// Checks every request of a program in four ways: against central differences in f64, reverse mode
// against forward mode by the adjoint identity, the derived program against the rules of the IR,
// and the printed derived program against the numbers of the original.
//
// The differences are those of `ein check --grad`.

import { adjointTolerance } from "../../src/explain/check/adjoint-identity.ts";
import { columnOf, compared, ofRow } from "../../src/explain/check/differences.ts";
import { readsOf } from "../../src/ir/references.ts";
import { reachable } from "../../src/analyse/schedule.ts";
import { isFloat } from "../../src/scalar/types.ts";
import { sizeOf, type TensorValue } from "../../src/scalar/values/value.ts";
import { agreesAlong } from "./along.ts";
import { cellsOf, derive, tensorOf, WrongProgram, type Derived, type Inputs } from "./derived.ts";
import {
  bumpedAt,
  bumpName,
  numeratorName,
  openedAt,
  requestsIn,
  type FoundRequest,
} from "./perturb.ts";
import { inOrder } from "./ties.ts";

export interface CheckOptions {
  readonly inputs?: Inputs;
}

export interface CheckedRequest {
  readonly of: string;
  readonly wrt: string;
  readonly gradient: readonly number[];
  /** The number of cells that agree with their difference. */
  readonly agreed: number;
  /** Cells at kinks, or with a numerator that is not finite beside them. */
  readonly skipped: readonly number[];
}

export interface Checked {
  readonly requests: readonly CheckedRequest[];
  /** Descriptions of the problems. Empty for a right program. */
  readonly problems: readonly string[];
}

/** Checks every request, cell by cell. */
export function checkGradients(text: string, { inputs = {} }: CheckOptions = {}): Checked {
  return cellByCell(subjectOf(text, inputs));
}

/**
 * Checks the requests with one numerator together, and cell by cell only where that is undecided.
 */
export function checkGradientsTogether(text: string): Checked {
  const subject = subjectOf(text, {});
  const { derived, found, values, problems } = subject;
  const numerators = [...new Set(found.map(({ of }) => of))];
  const together = (of: string): readonly FoundRequest[] =>
    found.filter((request) => request.of === of);
  if (!numerators.every((of) => agreesAlong(text, together(of), derived, values)))
    return cellByCell(subject);
  const requests = found.map(({ of, wrt, answer }): CheckedRequest => {
    const gradient = cellsOf(values.get(answer)!);
    return { of, wrt, gradient, agreed: gradient.length, skipped: [] };
  });
  return { requests, problems };
}

/** A program with its answers, and the problems found before any comparison. */
interface Subject {
  readonly text: string;
  readonly inputs: Inputs;
  readonly derived: Derived;
  readonly found: readonly FoundRequest[];
  readonly values: ReadonlyMap<string, TensorValue>;
  readonly problems: readonly string[];
}

function subjectOf(text: string, inputs: Inputs): Subject {
  const derived = derive(text);
  const found = requestsIn(text);
  if (found.length === 0) throw new Error(`no request to check in\n${text}`);
  const names = [
    ...new Set(found.flatMap(({ answer, wrt }) => (wrt in inputs ? [answer] : [answer, wrt]))),
  ];
  const values = derived.run(names, inputs);
  const problems = [...derived.complaints(), ...printedDiffers(derived, names, values, inputs)];
  return { text, inputs, derived, found, values, problems };
}

function cellByCell(subject: Subject): Checked {
  const { derived, found, inputs } = subject;
  const problems = [...subject.problems];
  for (const { of, wrt, apart = 0 } of derived.identities(inputs)) {
    if (apart > adjointTolerance)
      problems.push(`@${of} / @${wrt}: forward and reverse mode are ${apart} apart`);
  }
  return { requests: found.map((request) => checkRequest(subject, request, problems)), problems };
}

/** Compares the derived program with its printed form, compiled and run again. */
function printedDiffers(
  derived: Derived,
  names: readonly string[],
  values: ReadonlyMap<string, TensorValue>,
  inputs: Inputs,
): readonly string[] {
  const printed = derived.printed();
  try {
    const compiled = derive(printed);
    const again = compiled.run(names, inputs);
    const different = names.filter((name) => !agree(values.get(name)!, again.get(name)!, same));
    if (different.length === 0 || isSameInItsTypes(derived, compiled, different, inputs)) return [];
    return different.map((name) => {
      const [one, other] = [values, again].map((cells) => show(cellsOf(cells.get(name)!)));
      return `printed and compiled again, \`${name}\` is ${other} instead of ${one}:\n${printed}`;
    });
  } catch (failure) {
    return [
      `the printed program fails: ${failure instanceof Error ? failure.message : String(failure)}`,
    ];
  }
}

/**
 * A constant of type f32 is printed with the digits that f32 needs, so it may be another number in
 * f64. Then every bit must be the same in f32.
 */
function isSameInItsTypes(
  derived: Derived,
  compiled: Derived,
  names: readonly string[],
  inputs: Inputs,
): boolean {
  const [one, other] = [derived, compiled].map((each) => each.run(names, inputs, "as they are"));
  return names.every((name) => agree(one!.get(name)!, other!.get(name)!, Object.is));
}

function agree(
  one: TensorValue,
  other: TensorValue,
  isSame: (a: number, b: number) => boolean,
): boolean {
  const [a, b] = [cellsOf(one), cellsOf(other)];
  return a.length === b.length && a.every((x, k) => isSame(x, b[k]!));
}

function same(a: number, b: number): boolean {
  return (
    Object.is(a, b) || a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b))
  );
}

function show(cells: readonly number[]): string {
  return `[${cells.join(", ")}]`;
}

function checkRequest(subject: Subject, request: FoundRequest, problems: string[]): CheckedRequest {
  const { text, inputs, derived, values } = subject;
  const { of, wrt } = request;
  const point = values.get(wrt) ?? tensorOf(derived.program, wrt, inputs[wrt]!);
  const answer = values.get(request.answer)!;
  const gradient = cellsOf(answer);
  const base = cellsOf(point);
  if (point.shape.join() !== answer.shape.join())
    problems.push(
      `@${of} / @${wrt} has shape [${answer.shape.join()}], and \`${wrt}\` [${point.shape.join()}]`,
    );
  const { program: opened, moved: input, from } = openedProgram(text, request, point, derived);
  const valueAt = (data: Float64Array): number => {
    const moved = opened.run([numeratorName], {
      ...inputs,
      [input]: { dtype: "f64", shape: point.shape, data },
    });
    return cellsOf(moved.get(numeratorName)!)[0]!;
  };
  const at = (cell: number, step: number): number =>
    valueAt(Float64Array.from(from, (x, k) => (k === cell ? x + step : x)));
  /**
   * A direction in which every cell moves by another amount. 0.618… is as far from any fraction as
   * possible.
   */
  const along = (turn: number, step: number): number =>
    valueAt(
      Float64Array.from(
        from,
        (x, k) => x + step * (((k * turn + 1) * 0.6180339887498949) % 1) - step / 2,
      ),
    );
  const skipped: number[] = [];
  let agreed = 0;
  const size = sizeOf(point.shape);
  const middle = size > 0 ? at(-1, 0) : 0;
  for (let cell = 0; cell < size; cell++) {
    const outcome = compareCell((step) => at(cell, step), middle, base[cell]!, gradient[cell]!);
    // Two kinks may cancel along one axis, as in max(a, b) + min(a, c). They show along other
    // directions.
    const isKinkAlong = (turn: number): boolean =>
      columnOf((step) => [along(turn, step)], [middle], 1).kink[0]!;
    const isHidden =
      outcome.kind === "differs" &&
      ([1, 2, 3].some(isKinkAlong) || isOfTies(subject, request, cell));
    if (isHidden) skipped.push(cell);
    else if (outcome.kind === "agrees") agreed++;
    else if (outcome.kind === "skipped") skipped.push(cell);
    else
      problems.push(
        `${of} / @${wrt} at cell ${cell} is ${gradient[cell]}, ` +
          `and the difference ${outcome.difference}`,
      );
  }
  return { of, wrt, gradient, agreed, skipped };
}

/** Whether an answer depends on the order of equal numbers. */
function isOfTies(
  { text, inputs, values }: Subject,
  { answer }: FoundRequest,
  cell: number,
): boolean {
  return (["backwards", "onward"] as const).some((order) => {
    const turned = inOrder(order, text);
    if (turned === text) return false;
    const other = answerOf(turned, answer, inputs);
    return other !== undefined && !same(cellsOf(values.get(answer)!)[cell]!, other[cell]!);
  });
}

/** The answer of a rewritten program. `undefined` if it does not compile. */
function answerOf(text: string, answer: string, inputs: Inputs): readonly number[] | undefined {
  try {
    return cellsOf(derive(text).run([answer], inputs).get(answer)!);
  } catch (failure) {
    if (failure instanceof WrongProgram) return undefined;
    throw failure;
  }
}

/** A program whose numerator depends on an input that can be moved. */
interface Opened {
  readonly program: Derived;
  readonly moved: string;
  readonly from: readonly number[];
}

/**
 * The denominator as an input, with its extents as numbers, or with its axis names where those are
 * needed. The cells of a recurrence pass a change on to later cells, so there the input is added to
 * each clause instead.
 */
function openedProgram(
  text: string,
  request: FoundRequest,
  point: TensorValue,
  derived: Derived,
): Opened {
  const definition = derived.program.outputs.get(request.wrt)?.definition;
  const element = definition?.element ?? "f32";
  if (!isFloat(element)) throw new Error(`${request.wrt} is ${element}`);
  const type = (extents: readonly (string | number)[]): string =>
    extents.length === 0 ? element : `[${element}; ${extents.join(", ")}]`;
  if (definition && reachable([...readsOf(definition)]).includes(definition)) {
    const from = cellsOf(point).map(() => 0);
    return { program: derive(bumpedAt(text, request, type(point.shape))), moved: bumpName, from };
  }
  const opened = (program: Derived): Opened => ({
    program,
    moved: request.wrt,
    from: cellsOf(point),
  });
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

function compareCell(
  at: (step: number) => number,
  middle: number,
  x: number,
  gradient: number,
): Outcome {
  const column = columnOf((step) => [at(step)], [middle], x);
  const differences = ofRow(column, 0);
  const { kind } = compared(gradient, differences, 1);
  if (kind === "agrees") return { kind };
  return kind === "undecided" ? { kind: "skipped" } : { kind, difference: differences.slopes[2]! };
}
