// How far a value of a backend may lie from the oracle's value: the rule for each operation and
// each reduction.
//
// Integers, bools and pointwise + - * / sqrt agree to the last bit. An elementary function on f32
// is within its stated error. A sum of n terms of f32 is within 1 unit of the last place of the sum
// in f64, beside n·2⁻⁵²·Σ|terms|. A contraction, which is a sum of products of different tensors,
// is within 4·ε·√n·Σ|terms|, where ε belongs to f32.
//
// A value that is computed from inexact values is inexact itself. The error of an operation follows
// from its values at both ends of each operand's interval. If an error can change a decision, or if
// a value overflows, nothing can be said about the result (`unknown`).

import { operationRow, type OperationName } from "../../src/scalar/operations.ts";
import type { ReductionName } from "../../src/scalar/reductions.ts";
import { roundTo } from "../../src/scalar/round.ts";
import {
  isFloat,
  type ElementType,
  type FloatType,
  type Scalar as Value,
} from "../../src/scalar/types.ts";
import { elementary } from "../../src/backends/math/elementary.ts";

/** The oracle's value, and how far the value of another backend may lie from it. */
export interface Bounded {
  readonly value: Value;
  readonly error: number;
}

/**
 * How large and how small a product can become on the way, whichever of its factors come first.
 * Factors that are 0 or infinite do not count.
 */
export interface Spread {
  readonly most: number;
  readonly least: number;
}

/** A term of a reduction. Any factors of a sum's terms may be taken out of the sum. */
export interface Term extends Bounded {
  readonly spread?: Spread;
}

export const spreadOf = ({ value, error }: Bounded): Spread => {
  const size = Math.abs(Number(value)) + (error === unknown ? 0 : error);
  const isUsual = Number.isFinite(size) && size !== 0;
  return { most: isUsual ? Math.max(1, size) : 1, least: isUsual ? Math.min(1, size) : 1 };
};

export const spreadOfProduct = (a: Spread, b: Spread): Spread => ({
  most: a.most * b.most,
  least: a.least * b.least,
});

export const spreadOfQuotient = (a: Spread, b: Spread): Spread => ({
  most: a.most / b.least,
  least: a.least / b.most,
});

/** The error of a value about which nothing is known. */
export const unknown = Infinity;

export const exact = (value: Value): Bounded => ({ value, error: 0 });

interface Precision {
  /** The distance from 1 to the next number. */
  readonly epsilon: number;
  /** The smallest number above 0. */
  readonly least: number;
  readonly greatest: number;
}

const precisions: Record<FloatType, Precision> = {
  f64: { epsilon: 2 ** -52, least: 2 ** -1074, greatest: Number.MAX_VALUE },
  f32: { epsilon: 2 ** -23, least: 2 ** -149, greatest: (2 - 2 ** -23) * 2 ** 127 },
  f16: { epsilon: 2 ** -10, least: 2 ** -24, greatest: 65504 },
  bf16: { epsilon: 2 ** -7, least: 2 ** -133, greatest: (2 - 2 ** -7) * 2 ** 127 },
};

/** At most two units of the last place: enough for one rounding on either side. */
function unitOf(type: FloatType, size: number): number {
  const { epsilon, least } = precisions[type];
  return Math.max(size * epsilon, least);
}

/** One unit of the last place. */
function ulpOf(type: FloatType, size: number): number {
  const { epsilon, least } = precisions[type];
  return Math.max(2 ** Math.floor(Math.log2(size)) * epsilon, least);
}

/** Half-width floats compute in f32. */
const computedIn = (type: FloatType): FloatType => (type === "f64" ? "f64" : "f32");

/** The type in which a reduction adds up: f64 for sums of f32, but f32 for contractions. */
const addedIn = (type: FloatType, isContraction: boolean): FloatType =>
  type === "f64" || (type === "f32" && !isContraction) ? "f64" : "f32";

/**
 * Whether a backend's value is near enough. An error of 0 asks for the same bits; all NaNs are
 * equal.
 */
export function isNear(got: Value, { value, error }: Bounded): boolean {
  if (Object.is(got, value) || error === unknown) return true;
  if (error === 0 || typeof got !== "number" || typeof value !== "number") return false;
  return Math.abs(clip(got) - clip(value)) <= error;
}

/**
 * Continues the scale beyond the largest f32: infinity stands where the next power of two would.
 */
const clip = (value: number): number =>
  Number.isFinite(value)
    ? value
    : Math.sign(value) * (Math.abs(value) === Infinity ? 2 ** 128 : NaN);

/**
 * The bounds of a value that is rounded once more: values that differ may be rounded to neighbours.
 */
function rounded(type: FloatType, value: number, error: number): Bounded {
  if (error === 0 || error === unknown) return { value, error };
  return { value, error: error + unitOf(type, Math.abs(value) + error) };
}

/**
 * The bounds of a value that is rounded once from a wider type: values that hardly differ are
 * rounded to neighbours at most.
 */
function roundedOnce(type: FloatType, own: FloatType, value: number, error: number): Bounded {
  if (own === type || type !== "f32") return rounded(type, value, error);
  return { value, error: error + ulpOf(type, Math.abs(value) + error) };
}

// ── operations ──────────────────────────────────────────────────────────────────────────────────

/**
 * The bounds of an operation's result, from the bounds of its operands. Throws what the operation
 * itself throws.
 */
export function boundOperation(
  operation: OperationName,
  within: ElementType,
  operands: readonly Bounded[],
): Bounded {
  const evaluate = (...values: readonly Value[]): Value =>
    operationRow(operation).evaluate(within, ...values);
  const value = evaluate(...operands.map((operand) => operand.value));
  const carried = operands.every((operand) => operand.error === 0)
    ? 0
    : carriedError(operation, operands, value, evaluate);
  if (!isFloat(within) || typeof value !== "number") return { value, error: carried };
  const own = ownError(operation, within, value);
  return rounded(within, value, own + carried);
}

/**
 * The bounds of the difference between a term and a logsumexp over it. The exponential of the
 * difference is a share. If the share is taken of the sum itself, it has neither the rounding of
 * the difference nor that of the logarithm, and the oracle has both.
 *
 *     exp(x[k] - logsumexp[j](x[j]))   // or exp(x[k]) / sum[j](exp(x[j]))
 */
export function boundShare(type: FloatType, difference: Bounded, total: Bounded): Bounded {
  if (!Number.isFinite(total.value)) return difference;
  const roundings = [difference, total].map(({ value }) => unitOf(type, Math.abs(value as number)));
  return { value: difference.value, error: difference.error + roundings[0]! + roundings[1]! };
}

/**
 * The error that an operation adds by itself. Only on f32 do kernels have functions of their own;
 * the others are the oracle's.
 */
function ownError(operation: OperationName, within: FloatType, value: number): number {
  if (within !== "f32" || !(operation in elementary) || !Number.isFinite(value) || value === 0)
    return 0;
  const { ulps } = elementary[operation as keyof typeof elementary];
  return ulps * unitOf("f32", Math.abs(value));
}

/** Operations whose result moves by no more than their operands do. */
const contractions: ReadonlySet<OperationName> = new Set([
  "sin",
  "cos",
  "abs",
  "max",
  "min",
  "clamp",
  "relu",
  "stop",
  "negate",
]);

/** How far the result can lie from `value` if the operands move within their errors. */
function carriedError(
  operation: OperationName,
  operands: readonly Bounded[],
  value: Value,
  evaluate: (...values: readonly Value[]) => Value,
): number {
  const errors = operands.map((operand) => operand.error);
  if (errors.includes(unknown)) return isDecidedAnyway(operation, operands) ? 0 : unknown;
  const numbers = operands.map((operand) => operand.value as number);
  const [a, b] = numbers;
  if (typeof value === "number" && Number.isNaN(value))
    return numbers.some(Number.isNaN) ? 0 : unknown;
  switch (operation) {
    case "equal":
    case "notEqual":
      return Math.abs(a! - b!) > errors[0]! + errors[1]! ? 0 : unknown;
    case "remainder":
      return unknown;
    case "divide":
      if (Math.abs(b!) <= errors[1]!) return unknown;
      break;
    case "power":
      if (a! <= errors[0]!) return unknown;
      break;
    case "tan": {
      const moved = errors[0]! * (1 + (value as number) ** 2);
      return moved < 0.01 ? 2 * moved : unknown;
    }
    default:
      if (contractions.has(operation)) return Math.max(...errors);
  }
  return farthest(
    value,
    corners(operands).map((corner) => evaluate(...corner)),
  );
}

/** A false operand decides `and`, a true one decides `or`, whatever the other operand is. */
function isDecidedAnyway(operation: OperationName, operands: readonly Bounded[]): boolean {
  const deciding = operation === "and" ? false : operation === "or" ? true : undefined;
  return operands.some(({ value, error }) => error === 0 && value === deciding);
}

/** Every choice of one end for each operand. */
function corners(operands: readonly Bounded[]): readonly (readonly Value[])[] {
  return operands.reduce<readonly (readonly Value[])[]>(
    (all, { value, error }) => {
      const ends = error === 0 ? [value] : [(value as number) - error, (value as number) + error];
      return all.flatMap((each) => ends.map((end) => [...each, end]));
    },
    [[]],
  );
}

function farthest(value: Value, others: readonly Value[]): number {
  let most = 0;
  for (const other of others) {
    if (Object.is(other, value)) continue;
    if (typeof other !== "number" || typeof value !== "number") return unknown;
    const distance = Math.abs(other - value);
    if (Number.isNaN(distance)) return unknown;
    most = Math.max(most, distance);
  }
  return most;
}

/**
 * The bounds of a cast. A cast to a float rounds; a cast to an integer must give the same integer
 * at both ends.
 */
export function boundCast(
  { value, error }: Bounded,
  to: ElementType,
  convert: (value: Value) => Value,
): Bounded {
  const converted = convert(value);
  if (error === 0 || error === unknown) return { value: converted, error };
  if (isFloat(to)) return rounded(to, converted as number, error);
  const ends = [(value as number) - error, (value as number) + error].map(convert);
  return { value: converted, error: ends.every((end) => end === converted) ? 0 : unknown };
}

// ── reductions ──────────────────────────────────────────────────────────────────────────────────

/**
 * The bounds of a reduction's result, from its terms and the oracle's value. `isContraction`: the
 * sum may be computed as a product of matrices.
 */
export function boundReduction(
  reduction: ReductionName,
  type: ElementType,
  value: Value,
  terms: readonly Term[],
  isContraction = false,
): Bounded {
  if (terms.some((term) => term.error === unknown)) return { value, error: unknown };
  const largest = terms.reduce((most, term) => Math.max(most, term.error), 0);
  switch (reduction) {
    case "max":
    case "min":
      return { value, error: Number.isFinite(value) ? largest : 0 };
    case "argmax":
    case "argmin":
      return {
        value,
        error: largest === 0 || isClearWinner(reduction, terms, largest) ? 0 : unknown,
      };
    case "any":
    case "all":
    case "count":
      return exact(value);
    case "sum":
    case "prod":
    case "mean":
    case "logsumexp":
      if (!isFloat(type)) return exact(value);
      return accumulated(reduction, type, value as number, terms, isContraction);
    default:
      return reduction satisfies never;
  }
}

function isClearWinner(
  reduction: "argmax" | "argmin",
  terms: readonly Bounded[],
  error: number,
): boolean {
  const sign = reduction === "argmax" ? 1 : -1;
  const sorted = terms.map(({ value }) => sign * Number(value)).sort((a, b) => b - a);
  return sorted.length < 2 || sorted[0]! - sorted[1]! > 2 * error;
}

function accumulated(
  reduction: "sum" | "prod" | "mean" | "logsumexp",
  type: FloatType,
  value: number,
  terms: readonly Term[],
  isContraction: boolean,
): Bounded {
  const own = addedIn(type, isContraction);
  const { epsilon, greatest, least } = precisions[own];
  const cells = terms.map((term) => Math.abs(term.value as number));
  const carried = terms.reduce((total, term) => total + term.error, 0);
  const n = terms.length;
  // A term whose exponential is 0 adds nothing.
  const counted =
    reduction === "logsumexp"
      ? terms.filter((term) => term.value !== -Infinity || term.error !== 0)
      : terms;
  if (counted.length > 0 && counted.length < n)
    return accumulated(reduction, type, value, counted, isContraction);
  // Factors that all terms of a sum have are taken out if that is less work. The sum of the
  // remaining terms may then overflow. In a sum of f32 that is taken in f64 the factors stay. The
  // terms of a product come in another order, in which the product may overflow or underflow on the
  // way.
  const isSum = reduction === "sum" || reduction === "mean";
  const isHoisted = isSum && (own === "f32" || type === "f64");
  const spreads = terms.map((term) => (isHoisted ? term.spread : undefined) ?? spreadOf(term));
  const most = spreads.reduce(
    (total, each) => (isSum ? total + each.most : total * each.most),
    isSum ? 0 : 1,
  );
  const smallest = spreads.reduce(
    (total, each) => (isSum ? Math.min(total, each.least) : total * each.least),
    1,
  );
  const isTiny = smallest < least / epsilon;
  if (reduction !== "logsumexp" && (most > greatest || (!isSum && isTiny)))
    return { value, error: unknown };
  // An infinity or a NaN among the terms decides the result, because it cannot be rounded away. A
  // reduction of nothing has a value of its own.
  if (n === 0 || cells.some((cell) => !Number.isFinite(cell))) {
    return { value, error: carried === 0 ? 0 : unknown };
  }
  switch (reduction) {
    case "sum":
    case "mean": {
      const sizes = cells.reduce((total, cell) => total + cell, carried);
      // The oracle adds in f64, one term after the other. If a backend adds in f64 too, the errors
      // of both count.
      const roundings = isHoisted ? 4 * Math.sqrt(n) + (own === "f64" ? n : 0) : n;
      const error = roundings * epsilon * sizes + carried + (isTiny ? least * most : 0);
      if (error === 0) return exact(value);
      return roundedOnce(type, own, value, reduction === "mean" ? error / n : error);
    }
    case "prod": {
      const others = terms.reduce(
        (total, { error }, k) => total + (error * most) / Math.max(1, cells[k]! + error),
        0,
      );
      const error = n * epsilon * Math.abs(value) + others;
      return error === 0 ? exact(value) : roundedOnce(type, own, value, error);
    }
    case "logsumexp": {
      // A relative error of the sum of exponentials is an absolute error of its logarithm. The
      // exponentials are taken of rounded differences; for the terms that contribute, the
      // differences are log n on average at most.
      const single = precisions[computedIn(type)].epsilon;
      const error =
        n * epsilon + single * (8 + Math.log(n)) + Math.max(...terms.map((term) => term.error));
      const top = Math.max(...cells);
      return rounded(type, value, error + 2 * unitOf(computedIn(type), top));
    }
    default:
      return reduction satisfies never;
  }
}

/** The bounds of a stored cell. Half-width floats are rounded when they are stored. */
export function boundStored(type: ElementType, { value, error }: Bounded): Bounded {
  return isFloat(type) && typeof value === "number"
    ? rounded(type, roundTo(type, value), error)
    : { value, error };
}
