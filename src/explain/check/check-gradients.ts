// This folder checks the gradients of a program with numbers. It does not derive gradients, and it
// draws inputs only where none are given.
//
// Every derivative is checked in f64 in two ways: against central differences, cell by cell, and
// forward mode against reverse mode:
//
//    (f(x + h) - f(x - h)) / 2h  ≈  f'(x)        ⟨J·v, w⟩ = ⟨v, Jᵀ·w⟩

import { activityOf } from "../../autodiff/sweep/activity.ts";
import { beforeKeeping } from "../../autodiff/sweep/formulas.ts";
import { graphOf } from "../../autodiff/sweep/graph.ts";
import { stepGraphOf } from "../../autodiff/requests/step-graph.ts";
import { evaluateAt } from "../../run/run.ts";
import { Fault } from "../../diagnostics/diagnostic.ts";
import { sizeOf, indicesOf } from "../../scalar/values/value.ts";
import { analyse } from "../../analyse/analyse.ts";
import { equal } from "../../affine/term.ts";
import { integerOf } from "../../ir/integers.ts";
import { eachScalar, scalarsOf } from "../../ir/parts.ts";
import { hasNameInSource, nameInSource } from "../../analyse/name-in-source.ts";
import type { Definition, Program, Scalar, ScalarFunction } from "../../ir/program.ts";
import { functionsFrom } from "../../ir/references.ts";
import { rootsOf } from "../../ir/roots.ts";
import { reachable } from "../../analyse/schedule.ts";
import { randint } from "../../scalar/random.ts";
import { positionOf, textOf } from "../../base/source.ts";
import { adjointError, adjointTolerance } from "./adjoint-identity.ts";
import { blame } from "./blame.ts";
import { columnOf, compared, tolerance, type Column } from "./differences.ts";
import { firstInfinite } from "./first-infinite.ts";
import { movingBy, numbersOf, type Moving, type Setting } from "./moving.ts";

/** The result of the check of one request. */
export interface GradientReport {
  readonly of: string;
  readonly wrt: string;
  readonly line: number;
  /**
   * The shape of the derivative. Absent if nothing can be compared: the derivative could not be
   * computed, or its numbers are not finite.
   */
  readonly shape?: readonly number[];
  readonly ok: boolean;
  /**
   * The largest relative difference between the derivative and the central differences. `null`: not
   * compared.
   */
  readonly error: number | null;
  /** The difference between forward mode and reverse mode. `null`: not compared. */
  readonly adjoint: number | null;
  /**
   * The number of cells that were not compared: a step changes a branch or a winner, or the
   * denominator has too many cells.
   */
  readonly skipped: number;
  /** The cell with the largest difference, when it is too large. */
  readonly worst?: Worst;
  /** The first value whose derivative is wrong. */
  readonly term?: string;
  readonly why?: string;
  /** What the user can do about it. */
  readonly help?: string;
}

interface Worst {
  readonly cell: readonly number[];
  readonly derived: number;
  readonly measured: number;
}

/** Of a larger denominator, as many cells are drawn and moved. */
const mostCells = 512;

export function checkGradients(given: Setting): readonly GradientReport[] {
  const requests = reachable(rootsOf(given.program))
    .filter((definition) => definition.request)
    .toSorted((a, b) => a.span.start - b.span.start);
  const setting = withRoots(
    given,
    requests.flatMap(({ request }) => [
      request!.of,
      request!.wrt,
      ...(request!.contracted ? [request!.contracted.with] : []),
    ]),
  );
  return requests.map((request) => checkRequest(setting, request));
}

/**
 * A setting whose program computes the roots, too. Otherwise a numerator that only a request reads
 * would not be computed.
 */
export function withRoots(setting: Setting, roots: readonly Definition[]): Setting {
  const { program, extents } = setting;
  const outputs = new Map(program.outputs);
  for (const [k, definition] of [...new Set(roots)].entries())
    outputs.set(`root ${k}`, { definition });
  const whole = { ...program, outputs };
  return { ...setting, program: whole, analysis: analyse(whole, extents) };
}

function checkRequest(setting: Setting, request: Definition): GradientReport {
  const { of, wrt, step } = request.request!;
  const line = positionOf(request.span.source, request.span.start).line;
  const heading = { of: numeratorText(setting, of), wrt: sourceName(wrt), line };
  try {
    const adjoint = step === undefined ? (adjointError(setting, of, wrt) ?? null) : null;
    const why = reasonToDiffer(of, wrt);
    if (why !== undefined) {
      if (isBroken(adjoint) && !isFiniteAt(setting, of))
        return { ...unanswered, ...heading, ...notFinite(setting, heading.of, of, wrt) };
      const { shape } = evaluateAt(
        setting.program,
        setting.analysis,
        setting.inputs,
        new Map(),
        request,
      );
      return {
        ...heading,
        shape,
        ok: isClose(adjoint),
        error: null,
        adjoint,
        skipped: sizeOf(shape),
        why,
      };
    }
    const { isFinite, decided, ...compared } = compareWithDifferences(setting, request);
    if (!isFinite && decided === 0) {
      const reason = notFinite(setting, heading.of, of, wrt);
      // There is nothing to compare, except forward mode with reverse mode.
      if (adjoint === null || isBroken(adjoint)) return { ...unanswered, ...heading, ...reason };
      return {
        ...heading,
        ...compared,
        ok: isClose(adjoint),
        error: null,
        adjoint,
        why: reason.why,
      };
    }
    // If the numerator is not finite, the sums of the two modes are not finite either. Then only
    // the cells that can be compared decide.
    const own = !isFinite && isBroken(adjoint) ? null : adjoint;
    const ok = isClose(own) && compared.error <= tolerance;
    const term = ok ? undefined : blame(setting, of, wrt);
    return { ...heading, ok, adjoint: own, ...compared, ...(term === undefined ? {} : { term }) };
  } catch (failure) {
    if (!(failure instanceof Fault)) throw failure;
    return { ...unanswered, ...heading, why: `the run failed: ${failure.diagnostic.title}` };
  }
}

const unanswered = { ok: false, error: null, adjoint: null, skipped: 0 } as const;

function isClose(adjoint: number | null): boolean {
  return adjoint === null || adjoint <= adjointTolerance;
}

function isBroken(adjoint: number | null): boolean {
  return adjoint !== null && !Number.isFinite(adjoint);
}

function isFiniteAt({ program, analysis, inputs }: Setting, of: Definition): boolean {
  return numbersOf(evaluateAt(program, analysis, inputs, new Map(), of)).every(Number.isFinite);
}

/** Explains why numbers that are not finite decide nothing: they have no differences. */
function notFinite(
  setting: Setting,
  name: string,
  of: Definition,
  wrt: Definition,
): { readonly why: string; readonly help?: string } {
  const { program, analysis, inputs } = setting;
  const value = evaluateAt(program, analysis, inputs, new Map(), of);
  const numbers = numbersOf(value);
  const k = numbers.findIndex((x) => !Number.isFinite(x));
  const cell = value.shape.length === 0 ? "" : ` at [${indicesOf(value.shape, k).join(", ")}]`;
  const why =
    k < 0
      ? `\`${name}\` is not finite right beside these inputs`
      : `\`${name}\` is ${numbers[k]}${cell}`;
  const given = "give inputs with `--in` or `--set` at which it is finite";
  const first = k < 0 ? firstInfinite(setting, of, wrt) : undefined;
  const help = [first, program.inputs.length > 0 ? given : undefined].filter((each) => each);
  return { why, ...(help.length > 0 ? { help: help.join("; or ") } : {}) };
}

/** The text behind the `@` of a request. */
function numeratorText({ program }: Setting, of: Definition): string {
  if (of.origin !== "helper" || program.outputs.has(of.name)) return sourceName(of);
  const text = textOf(of.span).replaceAll(/\s+/g, " ");
  return /^[\w.]+(\[.*\])?$|^\(.*\)$/.test(text) ? text : `(${text})`;
}

/**
 * The name in the request. A definition that was extended by the steps of a recurrence has another
 * name.
 */
function sourceName(definition: Definition): string {
  return definition.origin === "helper" && hasNameInSource(definition)
    ? nameInSource(definition)
    : definition.name;
}

/** A reason why the derivative is meant to differ from its differences, if there is one. */
function reasonToDiffer(of: Definition, wrt: Definition): string | undefined {
  const graph = graphOf(of);
  const { isActive } = activityOf(graph, new Set([wrt]));
  const between = graph.all.filter(isActive);
  let differs = between.some((definition) => definition.rule?.surrogate);
  let stops = false;
  const functions = new Set<ScalarFunction>();
  const look = (scalar: Scalar): void =>
    eachScalar(scalar, (part) => {
      stops ||= part.kind === "apply" && part.operation === "stop";
      if (part.kind === "call")
        for (const each of functionsFrom(part.invocation.function)) functions.add(each);
    });
  // Clauses in which calls keep their frames are seen as they were before.
  for (const { clauses } of between) clauses.map(beforeKeeping).flatMap(scalarsOf).forEach(look);
  for (const { rule, results } of functions) {
    differs ||= rule?.surrogate === true;
    results.forEach(look);
  }
  if (differs) return "a `surrogate` rule is meant to differ";
  return stops ? "`stop` holds part of it still" : undefined;
}

interface Compared extends Pick<GradientReport, "shape" | "skipped" | "worst"> {
  readonly error: number;
  /** The number of cells for which the differences can decide. */
  readonly decided: number;
  /** Was the numerator finite at the inputs and at every position to which it was moved? */
  readonly isFinite: boolean;
}

/**
 * One number of a derivative as a weighted sum of Jacobian entries. The rows are cells of the
 * numerator, and the columns are cells of the denominator.
 */
interface Entry {
  readonly derived: number;
  readonly cell: readonly number[];
  readonly parts: readonly {
    readonly row: number;
    readonly column: number;
    readonly weight: number;
  }[];
}

function compareWithDifferences(setting: Setting, request: Definition): Compared {
  const { of, wrt } = request.request!;
  const { program, analysis, inputs } = setting;
  const moving = movingBy(setting, wrt);
  const still = moving.point.map(() => 0);
  const base = moving.point.length > 0 ? moving.moved(still, of) : [];
  let isFinite = base.every(Number.isFinite);
  const columns = new Map<number, Column>();
  const column = (k: number): Column => {
    let found = columns.get(k);
    if (!found) {
      const at = (by: number): readonly number[] => {
        const cells = moving.moved(still.with(k, by), of);
        isFinite &&= cells.every(Number.isFinite);
        return cells;
      };
      columns.set(k, (found = columnOf(at, base, moving.point[k]!)));
    }
    return found;
  };
  const answer = evaluateAt(program, analysis, inputs, new Map(), request);
  const derived = numbersOf(answer);
  const entries = entriesOf(setting, request, moving, derived, base.length);
  const largest = derived.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  let error = 0;
  let worst: Worst | undefined;
  let skipped = derived.length - entries.length;
  for (const entry of entries) {
    const parts = entry.parts.map((part) => ({ ...part, of: column(part.column) }));
    const total = (
      of: (column: Column) => readonly (readonly number[])[],
      weigh: (x: number) => number,
    ): number[] =>
      (parts[0] ? of(parts[0].of) : [[0]]).map((_, step) =>
        parts.reduce((sum, part) => sum + weigh(part.weight) * of(part.of)[step]![part.row]!, 0),
      );
    const slopes = total(
      ({ slopes: each }) => each,
      (x) => x,
    );
    const noise = total(({ noise: each }) => each, Math.abs);
    const shaking = (): readonly number[] => total((each) => each.shaking(), Math.abs);
    const jump = parts.reduce(
      (sum, part) => sum + Math.abs(part.weight * part.of.jump[part.row]!),
      0,
    );
    const kink = parts.some((part) => part.of.kink[part.row]);
    const least = Math.max(1e-3 * largest, 1e-9);
    const { kind, distance } = compared(
      entry.derived,
      { slopes, noise, shaking, jump, kink },
      least,
    );
    if (kind === "undecided") {
      skipped++;
      continue;
    }
    if (distance > error) {
      error = distance;
      worst = { cell: entry.cell, derived: entry.derived, measured: slopes[1] ?? 0 };
    }
  }
  const decided = derived.length - skipped;
  return {
    shape: answer.shape,
    error,
    skipped,
    decided,
    isFinite,
    ...(error <= tolerance || !worst ? {} : { worst }),
  };
}

/** The entries of the Jacobian that make up each number of the derivative. */
function entriesOf(
  setting: Setting,
  request: Definition,
  { shape, point }: Moving,
  derived: readonly number[],
  rows: number,
): readonly Entry[] {
  const { of, step, shared = [], contracted } = request.request!;
  const columns = sampledCells(point.length);
  if (contracted) {
    const { program, analysis, inputs } = setting;
    const weights = numbersOf(evaluateAt(program, analysis, inputs, new Map(), contracted.with));
    const isPullback = contracted.kind === "cotangent";
    const [summed, kept] = isPullback ? [rows, point.length] : [point.length, rows];
    return derived.flatMap((value, k): Entry[] => {
      const [lane, own] = [Math.floor(k / kept), k % kept];
      if (isPullback && !columns.includes(own)) return [];
      const parts = Array.from({ length: summed }, (_, other) => ({
        row: isPullback ? other : own,
        column: isPullback ? own : other,
        weight: weights[lane * summed + other]!,
      }));
      return [{ derived: value, cell: isPullback ? indicesOf(shape, own) : [own], parts }];
    });
  }
  const cell = (k: number): readonly number[] => indicesOf(shape, k);
  const tied = tiedAxes(setting, request);
  if (tied) {
    // If both sides stand at one step, or in one surrounding cell, a cell of the denominator moves
    // only the cells of the numerator at that step or in that cell.
    const { program, analysis, inputs } = setting;
    const tall = evaluateAt(program, analysis, inputs, new Map(), of).shape;
    const wide = evaluateAt(program, analysis, inputs, new Map(), request).shape;
    return columns.flatMap((k) =>
      Array.from({ length: rows }, (_, row) => ({ row, at: indicesOf(tall, row) }))
        .filter(({ at }) => tied.every(([top, bottom]) => at[top] === cell(k)[bottom]))
        .map(({ row, at }): Entry => {
          const place = [
            ...at.filter((_, axis) => axis !== step || shared.includes(axis)),
            ...cell(k).slice(shared.length),
          ];
          return {
            derived: derived[offsetIn(wide, place)]!,
            cell: cell(k),
            parts: [{ row, column: k, weight: 1 }],
          };
        }),
    );
  }
  // A request inside a body is asked in each surrounding cell. A cell of the denominator moves only
  // its own cells of the numerator.
  const all = Array.from({ length: rows }, (_, row) => row);
  if (!request.request!.jacobian)
    return columns.map((k) => ({
      derived: derived[k]!,
      cell: cell(k),
      parts: all.map((row) => ({ row, column: k, weight: 1 })),
    }));
  const tall = evaluateAt(setting.program, setting.analysis, setting.inputs, new Map(), of).shape;
  return columns.flatMap((k) =>
    all.map((row): Entry => ({
      derived: derived[row * point.length + k]!,
      cell: [...indicesOf(tall, row), ...cell(k)],
      parts: [{ row, column: k, weight: 1 }],
    })),
  );
}

/** Pairs of an axis of the numerator and an axis of the denominator that are one coordinate. */
function tiedAxes(
  { program }: Setting,
  definition: Definition,
): readonly (readonly [number, number])[] | undefined {
  const { of, wrt, step, shared } = definition.request!;
  const around = shared?.map((top, bottom) => [top, bottom] as const);
  if (step === undefined) return around;
  const steps = [step, stepGraphOf(of, step, [wrt]).stepAxis(wrt) ?? 0] as const;
  return [...(around ?? []), steps, ...(shared ? [] : tiedWhereRead(program, definition))];
}

/**
 * Inside a step, pairs of axes that every read of the derivative indexes with one position. A
 * recurrence inside another recurrence has such axes.
 */
function tiedWhereRead(
  program: Program,
  definition: Definition,
): readonly (readonly [number, number])[] {
  const { of, wrt, step } = definition.request!;
  const reads: (readonly Scalar[])[] = [];
  for (const scalar of reachable(rootsOf(program)).flatMap(({ clauses }) =>
    clauses.flatMap(scalarsOf),
  ))
    eachScalar(
      scalar,
      (part) =>
        void (part.kind === "read" && part.definition === definition && reads.push(part.indices)),
    );
  const tops = [...of.axes.keys()].filter((axis) => axis !== step);
  const areEqual = (a: Scalar, b: Scalar): boolean => {
    const [left, right] = [integerOf(a), integerOf(b)];
    return left !== undefined && right !== undefined && equal(left, right);
  };
  return tops.flatMap((top, k) =>
    [...wrt.axes.keys()]
      .filter(
        (bottom) =>
          reads.length > 0 && reads.every((at) => areEqual(at[k]!, at[tops.length + bottom]!)),
      )
      .map((bottom) => [top, bottom] as const),
  );
}

function offsetIn(shape: readonly number[], position: readonly number[]): number {
  return position.reduce((offset, at, axis) => offset * shape[axis]! + at, 0);
}

/** All cells, or a sample of them if there are too many. */
function sampledCells(cells: number): readonly number[] {
  if (cells <= mostCells) return Array.from({ length: cells }, (_, k) => k);
  return [...new Set(Array.from({ length: mostCells }, (_, k) => Number(randint(4, k, 0, cells))))];
}
