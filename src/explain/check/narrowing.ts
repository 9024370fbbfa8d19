// Finds the intervals in which drawn integers must lie so that an expression of them lies in a
// given interval.
//
// A demand on an expression becomes demands on its parts:
//
//    idx[i] + 1 in 0..n   demands   idx in -1..n - 1
//
// Sizes are numbers at this point. All other parts of the expression may have any of their values:
// a coordinate takes every position of its range, and another integer any value of its interval.

import { at as cellAt, type TensorValue } from "../../scalar/values/value.ts";
import { constantOf, type Term, type Variable } from "../../affine/term.ts";
import { coefficientOf, variablesOf, withoutVariable } from "../../affine/visit.ts";
import type { Body, Clause, Definition, Loop, Program, Scalar } from "../../ir/program.ts";
import { isInteger, type Scalar as Value } from "../../scalar/types.ts";
import { reachable } from "../../analyse/schedule.ts";
import { intervalOf, type Interval } from "../../plan/regions/intervals.ts";

export const anything: Interval = { least: -Infinity, most: Infinity };

/** The interval of an integer that nothing constrains: it fits into every drawn axis. */
export const usual: Interval = { least: 0, most: 2 };

/** The integers of a program, the ones to draw among them, and their intervals so far. */
export interface Narrowing {
  readonly ranges: ReadonlyMap<Definition, Interval>;
  /** Does a scalar depend on an integer that is to be drawn? */
  readonly isOpen: (scalar: Scalar, loops: readonly Loop[]) => boolean;
  readonly valuesOf: (scalar: Scalar, loops: readonly Loop[]) => Interval;
  readonly valuesOfTerm: (term: Term, loops: readonly Loop[]) => Interval;
  /**
   * Narrows the integers of a scalar until the scalar lies in the interval. A demand that cannot be
   * met changes nothing.
   */
  readonly demand: (scalar: Scalar, wanted: Interval, loops: readonly Loop[]) => void;
}

/** A scalar, and the loops around it. */
export interface Placed {
  readonly scalar: Scalar;
  readonly loops: readonly Loop[];
}

/** The meaning of variables that are neither coordinates nor integers of the program. */
interface Variables {
  readonly sizeOf: (v: Variable) => number | undefined;
  /** The arguments that callers give for a parameter of a function. */
  readonly argumentsFor: (v: Variable) => readonly Placed[];
}

export function newNarrowing(
  { scalars, inputs }: Program,
  given: ReadonlyMap<string, TensorValue>,
  { sizeOf, argumentsFor }: Variables,
): Narrowing {
  const drawn = new Set(
    inputs.filter(({ name, element }) => isInteger(element) && !given.has(name)),
  );
  const ranges = new Map<Definition, Interval>();
  const opened = new Map<Definition, boolean>();
  /**
   * The definitions and parameters that are being visited. A recurrence comes back to itself, and
   * so does a parameter that a call passes on.
   */
  const visited = new Set<Definition | Variable>();

  const unlessVisited = <T>(key: Definition | Variable, otherwise: T, look: () => T): T => {
    if (visited.has(key)) return otherwise;
    visited.add(key);
    try {
      return look();
    } finally {
      visited.delete(key);
    }
  };

  const isOpenDefinition = (definition: Definition): boolean => {
    if (!isInteger(definition.element)) return false;
    let found = opened.get(definition);
    if (found === undefined)
      opened.set(definition, (found = reachable([definition]).some((each) => drawn.has(each))));
    return found;
  };

  const isOpenVariable = (v: Variable, loops: readonly Loop[]): boolean => {
    const scalar = scalars.get(v);
    if (scalar) return isOpenDefinition(scalar);
    if (
      unlessVisited(v, false, () => argumentsFor(v).some((each) => isOpen(each.scalar, each.loops)))
    )
      return true;
    const loop = loops.find(({ variable }) => variable === v);
    return (
      loop !== undefined &&
      [loop.from, loop.to].some((bound) => isOpen(bound, loopsAround(loops, loop)))
    );
  };

  const isOpen: Narrowing["isOpen"] = (scalar, loops) => {
    switch (scalar.kind) {
      case "integer":
        return [...variablesOf(scalar.term)].some((v) => isOpenVariable(v, loops));
      case "read":
        return isOpenDefinition(scalar.definition);
      case "apply":
        return isInteger(scalar.type) && scalar.operands.some((operand) => isOpen(operand, loops));
      case "cast":
        return isOpen(scalar.operand, loops);
      case "select":
        return isOpen(scalar.then, loops) || isOpen(scalar.otherwise, loops);
      case "local":
        return isOpen(scalar.local.value, loops);
      default:
        return false;
    }
  };

  const valuesOfVariable = (v: Variable, loops: readonly Loop[]): Interval => {
    const size = sizeOf(v);
    if (size !== undefined) return { least: size, most: size };
    const scalar = scalars.get(v);
    if (scalar) return valuesOfDefinition(scalar);
    const loop = loops.find(({ variable }) => variable === v);
    if (!loop) return anything;
    const around = loopsAround(loops, loop);
    return { least: valuesOf(loop.from, around).least, most: valuesOf(loop.to, around).most - 1 };
  };

  const valuesOfTerm: Narrowing["valuesOfTerm"] = (term, loops) =>
    intervalOf(term, new Map([...variablesOf(term)].map((v) => [v, valuesOfVariable(v, loops)])));

  const valuesOfDefinition = (definition: Definition): Interval => {
    if (!isInteger(definition.element)) return anything;
    if (drawn.has(definition)) return drawnRange(ranges.get(definition));
    const value = given.get(definition.name);
    if (definition.origin === "input") return value ? hullOfValues(cellValues(value)) : anything;
    if (definition.cells) return hullOfValues(definition.cells);
    return unlessVisited(definition, anything, () =>
      hullOfIntervals(definition.clauses.flatMap(valuesOfClause)),
    );
  };

  const valuesOfClause = ({ loops, body, otherwise }: Clause): readonly Interval[] => {
    const elsewhere = otherwise ? [valuesOf(otherwise, loops)] : [];
    if (body.kind === "map") return [valuesOf(body.value, loops), ...elsewhere];
    const all = [...loops, ...body.loops];
    const own = valuesOf(body.value, all);
    if (body.reduction === "max" || body.reduction === "min") return [own, ...elsewhere];
    if (body.reduction !== "sum") return [anything];
    return [
      resultOf("multiply", [own, { least: 0, most: termsOf(body.loops, all) }]),
      ...elsewhere,
    ];
  };

  /** The largest number of terms of a reduction. */
  const termsOf = (reduced: readonly Loop[], all: readonly Loop[]): number =>
    reduced.reduce((terms, { variable }) => {
      const { least, most } = valuesOfVariable(variable, all);
      return terms * Math.max(most - least + 1, 0);
    }, 1);

  const valuesOf: Narrowing["valuesOf"] = (scalar, loops) => {
    switch (scalar.kind) {
      case "constant":
        return hullOfValues([scalar.value]);
      case "integer":
        return valuesOfTerm(scalar.term, loops);
      case "read":
        return valuesOfDefinition(scalar.definition);
      case "cast":
        return isInteger(scalar.type) ? valuesOf(scalar.operand, loops) : anything;
      case "select":
        return hullOfIntervals([valuesOf(scalar.then, loops), valuesOf(scalar.otherwise, loops)]);
      case "local":
        return valuesOf(scalar.local.value, loops);
      case "apply":
        return isInteger(scalar.type)
          ? resultOf(
              scalar.operation,
              scalar.operands.map((each) => valuesOf(each, loops)),
            )
          : anything;
      default:
        return anything;
    }
  };

  const narrow = (definition: Definition, wanted: Interval): void => {
    const both = intersection(ranges.get(definition) ?? anything, wanted);
    if (both.least <= both.most) ranges.set(definition, both);
  };

  const demandOfDefinition = (definition: Definition, wanted: Interval): void => {
    if (drawn.has(definition)) return narrow(definition, wanted);
    if (!isOpenDefinition(definition)) return;
    unlessVisited(definition, undefined, () => {
      for (const { loops, body, otherwise } of definition.clauses) {
        if (body.kind === "map") demand(body.value, wanted, loops);
        else demandOfTerms(body, wanted, [...loops, ...body.loops]);
        if (otherwise) demand(otherwise, wanted, loops);
      }
    });
  };

  const demandOfTerms = (
    { reduction, loops: reduced, value }: Extract<Body, { kind: "reduce" }>,
    wanted: Interval,
    loops: readonly Loop[],
  ): void => {
    if (reduction === "max" || reduction === "min") return demand(value, wanted, loops);
    const terms = { least: 1, most: termsOf(reduced, loops) };
    if (reduction === "sum" && isPositive(terms) && terms.most > 0)
      demand(value, overPositive(wanted, terms), loops);
  };

  const demandOfVariable = (v: Variable, wanted: Interval, loops: readonly Loop[]): void => {
    const scalar = scalars.get(v);
    if (scalar) return demandOfDefinition(scalar, wanted);
    unlessVisited(v, undefined, () =>
      argumentsFor(v).forEach((each) => demand(each.scalar, wanted, each.loops)),
    );
    const loop = loops.find(({ variable }) => variable === v);
    if (!loop) return;
    // An empty range ends where it begins, at most one behind the last position.
    const bounds = { least: wanted.least, most: wanted.most + 1 };
    for (const bound of [loop.from, loop.to]) demand(bound, bounds, loopsAround(loops, loop));
  };

  const demandOfTerm = (term: Term, wanted: Interval, loops: readonly Loop[]): void => {
    for (const v of variablesOf(term)) {
      const slope = constantOf(coefficientOf(term, v) ?? { constant: 0, parts: [] });
      if (slope === undefined || slope === 0 || !isOpenVariable(v, loops)) continue;
      const rest = valuesOfTerm(withoutVariable(term, v), loops);
      const own = minusAny(wanted, rest);
      const scaled = slope > 0 ? own : opposite(own);
      demandOfVariable(
        v,
        overPositive(scaled, { least: Math.abs(slope), most: Math.abs(slope) }),
        loops,
      );
    }
  };

  const demandOfOperands = (
    { operation, operands }: Extract<Scalar, { kind: "apply" }>,
    wanted: Interval,
    loops: readonly Loop[],
  ): void => {
    operands.forEach((operand, k) => {
      if (!isOpen(operand, loops)) return;
      const others = operands.map((other) => valuesOf(other, loops));
      const own = wantedOfOperand(operation, k, others, wanted);
      if (own) demand(operand, own, loops);
    });
  };

  const demand: Narrowing["demand"] = (scalar, wanted, loops) => {
    switch (scalar.kind) {
      case "integer":
        return demandOfTerm(scalar.term, wanted, loops);
      case "read":
        return demandOfDefinition(scalar.definition, wanted);
      case "cast":
        return demand(scalar.operand, wanted, loops);
      case "select":
        demand(scalar.then, wanted, loops);
        return demand(scalar.otherwise, wanted, loops);
      case "local":
        return demand(scalar.local.value, wanted, loops);
      case "apply":
        return isInteger(scalar.type) ? demandOfOperands(scalar, wanted, loops) : undefined;
      default:
        return undefined;
    }
  };

  return { ranges, isOpen, valuesOf, valuesOfTerm, demand };
}

function loopsAround(loops: readonly Loop[], loop: Loop): readonly Loop[] {
  return loops.slice(0, loops.indexOf(loop));
}

function cellValues(value: TensorValue): readonly Value[] {
  return Array.from({ length: value.data.length }, (_, k) => cellAt(value, k));
}

/** Visits the cells one by one: a given tensor may have too many cells for `Math.min(...cells)`. */
function hullOfValues(cells: readonly Value[]): Interval {
  if (cells.length === 0) return anything;
  return cells
    .map(Number)
    .reduce<Interval>(
      ({ least, most }, x) => ({ least: Math.min(least, x), most: Math.max(most, x) }),
      {
        least: Infinity,
        most: -Infinity,
      },
    );
}

function hullOfIntervals(all: readonly Interval[]): Interval {
  if (all.length === 0) return anything;
  return {
    least: Math.min(...all.map(({ least }) => least)),
    most: Math.max(...all.map(({ most }) => most)),
  };
}

function intersection(a: Interval, b: Interval): Interval {
  return { least: Math.max(a.least, b.least), most: Math.min(a.most, b.most) };
}

/**
 * The interval to draw from. An interval with two ends is taken as it is. Otherwise the integers
 * are near 0, or near the one end.
 */
export function drawnRange(range: Interval = anything): Interval {
  const { least, most } = range;
  if (Number.isFinite(least) && Number.isFinite(most)) return range;
  const both = intersection(range, usual);
  if (both.least <= both.most) return both;
  return Number.isFinite(least)
    ? { least, most: least + usual.most }
    : { least: most - usual.most, most };
}

/**
 * The values of a for which a + b lies in the interval for every b. If there is no such value, the
 * value that fits to the least b.
 */
function minusAny(wanted: Interval, b: Interval): Interval {
  const least = Number.isFinite(b.least) ? wanted.least - b.least : -Infinity;
  const most = Number.isFinite(b.most) ? wanted.most - b.most : Infinity;
  return { least, most: Math.max(least, most) };
}

function opposite({ least, most }: Interval): Interval {
  return { least: -most, most: -least };
}

/** The values of a for which a * b lies in the interval for every b of a positive interval. */
function overPositive({ least, most }: Interval, by: Interval): Interval {
  return {
    least: Math.ceil(least / (least > 0 ? by.least : by.most)),
    most: Math.floor(most / (most < 0 ? by.least : by.most)),
  };
}

function isPositive({ least, most }: Interval): boolean {
  return least > 0 && most < Infinity;
}

/** The interval of the result of an operation on integers. */
function resultOf(operation: string, [a = anything, b = anything]: readonly Interval[]): Interval {
  switch (operation) {
    case "add":
      return { least: a.least + b.least, most: a.most + b.most };
    case "subtract":
      return { least: a.least - b.most, most: a.most - b.least };
    case "negate":
      return opposite(a);
    case "multiply": {
      if (![a.least, a.most, b.least, b.most].every(Number.isFinite)) return anything;
      const corners = [a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most];
      return { least: Math.min(...corners), most: Math.max(...corners) };
    }
    case "divide":
      if (!isPositive(b) || a.least < 0) return anything;
      return { least: Math.floor(a.least / b.most), most: Math.floor(a.most / b.least) };
    case "remainder":
      return isPositive(b) ? { least: a.least < 0 ? 1 - b.most : 0, most: b.most - 1 } : anything;
    case "min":
      return { least: Math.min(a.least, b.least), most: Math.min(a.most, b.most) };
    case "max":
      return { least: Math.max(a.least, b.least), most: Math.max(a.most, b.most) };
    case "abs":
      return { least: 0, most: Math.max(Math.abs(a.least), Math.abs(a.most)) };
    default:
      return anything;
  }
}

/**
 * The interval in which operand k must lie so that the result lies in the wanted interval.
 * `undefined`: unknown, or the operand does not matter.
 */
function wantedOfOperand(
  operation: string,
  k: number,
  operands: readonly Interval[],
  wanted: Interval,
): Interval | undefined {
  const other = operands[1 - k] ?? anything;
  switch (operation) {
    case "add":
      return minusAny(wanted, other);
    case "subtract":
      return k === 0
        ? minusAny(wanted, opposite(other))
        : minusAny(opposite(wanted), opposite(other));
    case "negate":
      return opposite(wanted);
    case "multiply":
      return isPositive(other) ? overPositive(wanted, other) : undefined;
    case "divide":
      if (k > 0 || !isPositive(other)) return undefined;
      return { least: wanted.least * other.most, most: (wanted.most + 1) * other.least - 1 };
    case "remainder":
      // A remainder is negative if the dividend is. It is always less than the divisor.
      if (k > 0 || !isPositive(other)) return undefined;
      return {
        least: Math.min(wanted.least, 0),
        most: other.most - 1 <= wanted.most ? Infinity : wanted.most,
      };
    case "min":
      return { least: wanted.least, most: other.most <= wanted.most ? Infinity : wanted.most };
    case "max":
      return { least: other.least >= wanted.least ? -Infinity : wanted.least, most: wanted.most };
    case "clamp": {
      const [, low = anything, high = anything] = operands;
      const isEnough = low.least >= wanted.least && high.most <= wanted.most;
      return k > 0 ? undefined : isEnough ? anything : wanted;
    }
    case "abs":
      return { least: -wanted.most, most: wanted.most };
    default:
      return undefined;
  }
}
