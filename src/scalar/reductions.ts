// The table of reductions: typing, the value on nothing, and the reference meaning of each as an
// accumulator.
//
// What the reference computes: integers wrap at each step; f32 and f64 sums, products and means
// accumulate in f64 and round once at the end, so that the reference is more accurate than what is
// measured against it; f16 and bf16 accumulate in f32 and round once. Elements arrive in bracket
// order. NaN is contagious; in argmax and argmin the first NaN wins.

import { operations } from "./operations.ts";
import { ArithmeticFault } from "./fault.ts";
import type { FaultReason } from "./fault.ts";
import { roundTo } from "./round.ts";
import { belongsTo, isFloat, oneOf, zeroOf } from "./types.ts";
import type { ElementClass, ElementType, FloatType, NumericType, Scalar } from "./types.ts";

export type ReductionName =
  | "sum"
  | "prod"
  | "mean"
  | "max"
  | "min"
  | "argmax"
  | "argmin"
  | "any"
  | "all"
  | "count"
  | "logsumexp";

/**
 * One reduction under way. `position` is the value of the first reduced coordinate; only argmax and
 * argmin look at it.
 */
export interface Accumulator {
  step(value: Scalar, position: number): void;
  /**
   * The value of what has been stepped through; throws an `ArithmeticFault` where nothing has no
   * value.
   */
  finish(): Scalar;
}

export interface ReductionRow {
  readonly accepts: ElementClass;
  readonly result: "same" | "i32" | "bool";
  /** The value over no elements, or why there is none. */
  readonly onNothing: (type: ElementType) => OnNothing;
  readonly start: (type: ElementType) => Accumulator;
  /**
   * What n equal elements come to, against one of them, in words of the language; nothing where
   * they come to the same.
   */
  readonly repeated: ((n: string) => string) | undefined;
}

export type OnNothing = { readonly value: Scalar } | { readonly fault: FaultReason };

function nothing(row: ReductionRow, type: ElementType): Scalar {
  const outcome = row.onNothing(type);
  if ("fault" in outcome) throw new ArithmeticFault(outcome.fault);
  return outcome.value;
}

/**
 * How the running value of a float sum, product or mean is kept: f32 for the half-width types, f64
 * for the others.
 */
function accumulationType(type: FloatType): "f32" | "f64" {
  return type === "f16" || type === "bf16" ? "f32" : "f64";
}

/**
 * A running value that starts at `first` and combines with every element; `conclude` turns it and
 * the count into a float.
 */
function running(
  operation: "add" | "multiply",
  conclude: (total: number, count: number) => number,
): ReductionRow["start"] {
  const combine = operations[operation].evaluate;
  return (type) => {
    const within = isFloat(type) ? accumulationType(type) : type;
    let total: Scalar = operation === "add" ? zeroOf(type) : oneOf(type as NumericType);
    let count = 0;
    return {
      step(value) {
        total = combine(within, total, value);
        count++;
      },
      finish: () => (isFloat(type) ? roundTo(type, conclude(total as number, count)) : total),
    };
  };
}

/** The running maximum or minimum. */
function extreme(name: "max" | "min"): ReductionRow["start"] {
  const combine = operations[name].evaluate;
  return (type) => {
    let best: Scalar | undefined;
    return {
      step(value) {
        best = best === undefined ? value : combine(type, best, value);
      },
      finish: () => best ?? nothing(reductions[name], type),
    };
  };
}

/** The position of the first winner; a NaN beats every number, and nothing beats a NaN. */
function winner(name: "argmax" | "argmin"): ReductionRow["start"] {
  const better = operations[name === "argmax" ? "greater" : "less"].evaluate;
  return (type) => {
    let best: Scalar | undefined;
    let at: number | undefined;
    return {
      step(value, position) {
        const wins =
          best === undefined ||
          (!Number.isNaN(best) && (Number.isNaN(value) || better(type, value, best)));
        if (!wins) return;
        best = value;
        at = position;
      },
      finish: () => at ?? nothing(reductions[name], type),
    };
  };
}

function logic(
  start: boolean,
  step: (total: boolean, value: boolean) => boolean,
): ReductionRow["start"] {
  return () => {
    let total = start;
    return {
      step(value) {
        total = step(total, value as boolean);
      },
      finish: () => total,
    };
  };
}

function counting(): Accumulator {
  let count = 0;
  return {
    step(value) {
      if (value) count++;
    },
    finish: () => count | 0,
  };
}

/**
 * log Σ exp x in one pass: with m the largest element so far, s = Σ exp(x - m) is rescaled by exp(m
 * - m') when m grows to m' (Milakov and Gimelshein, "Online normalizer calculation for softmax",
 * 2018). Elements of -∞ add nothing, and equal elements add 1 without a subtraction, so that ∞ - ∞
 * never occurs.
 */
function logSumExp(type: ElementType): Accumulator {
  let largest = -Infinity;
  let scaled = 0;
  return {
    step(value) {
      const x = value as number;
      if (x === -Infinity) return;
      if (x === largest) scaled += 1;
      else if (x > largest) {
        scaled = scaled * Math.exp(largest - x) + 1;
        largest = x;
      } else scaled += Math.exp(x - largest); // NaN arrives here, and stays.
    },
    finish() {
      // Once a NaN has come, `scaled` is NaN, whatever `largest` is.
      if (scaled === 0) return -Infinity;
      return roundTo(type as FloatType, largest + Math.log(scaled));
    },
  };
}

const is = (value: Scalar) => (): OnNothing => ({ value });

export const reductions = {
  sum: {
    accepts: "numeric",
    result: "same",
    onNothing: (type) => ({ value: zeroOf(type) }),
    start: running("add", (total) => total),
    repeated: (n) => `multiply by \`${n}\``,
  },
  prod: {
    accepts: "numeric",
    result: "same",
    onNothing: (type) => ({ value: oneOf(type as NumericType) }),
    start: running("multiply", (total) => total),
    repeated: (n) => `raise to the power of \`${n}\``,
  },
  mean: {
    accepts: "float",
    result: "same",
    onNothing: is(NaN),
    start: running("add", (total, count) => total / count),
    repeated: undefined,
  },
  max: {
    accepts: "numeric",
    result: "same",
    onNothing: (type) => (isFloat(type) ? { value: -Infinity } : { fault: "max of nothing" }),
    start: extreme("max"),
    repeated: undefined,
  },
  min: {
    accepts: "numeric",
    result: "same",
    onNothing: (type) => (isFloat(type) ? { value: Infinity } : { fault: "min of nothing" }),
    start: extreme("min"),
    repeated: undefined,
  },
  argmax: {
    accepts: "numeric",
    result: "i32",
    onNothing: () => ({ fault: "argmax of nothing" }),
    start: winner("argmax"),
    repeated: undefined,
  },
  argmin: {
    accepts: "numeric",
    result: "i32",
    onNothing: () => ({ fault: "argmin of nothing" }),
    start: winner("argmin"),
    repeated: undefined,
  },
  any: {
    accepts: "bool",
    result: "bool",
    onNothing: is(false),
    start: logic(false, (total, value) => total || value),
    repeated: undefined,
  },
  all: {
    accepts: "bool",
    result: "bool",
    onNothing: is(true),
    start: logic(true, (total, value) => total && value),
    repeated: undefined,
  },
  count: {
    accepts: "bool",
    result: "i32",
    onNothing: is(0),
    start: counting,
    repeated: (n) => `multiply by \`${n}\``,
  },
  logsumexp: {
    accepts: "float",
    result: "same",
    onNothing: is(-Infinity),
    start: logSumExp,
    repeated: (n) => `add \`log(${n} as f32)\``,
  },
} as const satisfies Record<ReductionName, ReductionRow>;

export const reductionNames = Object.keys(reductions) as readonly ReductionName[];

export function isReductionName(name: string): name is ReductionName {
  return Object.hasOwn(reductions, name);
}

export function reductionRow(reduction: ReductionName): ReductionRow {
  return reductions[reduction];
}

/** The element type of the result; undefined where elements of that type cannot be reduced so. */
export function typeReduction(
  reduction: ReductionName,
  element: ElementType,
): ElementType | undefined {
  const row: ReductionRow = reductions[reduction];
  if (!belongsTo(element, row.accepts)) return undefined;
  return row.result === "same" ? element : row.result;
}

/** The value over the given elements, at positions 0, 1, …: what a whole-axis reduction gives. */
export function reduce(
  reduction: ReductionName,
  type: ElementType,
  elements: Iterable<Scalar>,
): Scalar {
  const accumulator = reductions[reduction].start(type);
  let position = 0;
  for (const element of elements) accumulator.step(element, position++);
  return accumulator.finish();
}
