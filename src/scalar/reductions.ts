// The table of reductions: the typing of each, its value over no elements, and its meaning as an
// accumulator. The oracle computes with these accumulators.
//
// Integers wrap at each step. Sums, products and means of f32 and f64 accumulate in f64 and round
// once at the end, so that the oracle is more accurate than the backends that are compared with it.
// f16 and bf16 accumulate in f32 and round once. Elements arrive in the order of the bracket. A NaN
// makes the result NaN; in argmax and argmin the first NaN wins.

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
 * A reduction under way. `position` is the value of the first reduced coordinate, and only argmax
 * and argmin use it.
 */
export interface Accumulator {
  step(value: Scalar, position: number): void;
  /**
   * The value over the elements so far. Throws an `ArithmeticFault` if there were none and the
   * reduction has no value over nothing.
   */
  finish(): Scalar;
}

interface ReductionRow {
  readonly accepts: ElementClass;
  readonly result: "same" | "i32" | "bool";
  /** The value over no elements, or the reason why there is none. */
  readonly onNothing: (type: ElementType) => OnNothing;
  readonly start: (type: ElementType) => Accumulator;
  /**
   * How to write the reduction of n equal elements without a reduction: a sum multiplies by n, a
   * product raises to the power of n. Undefined where the result is the element itself.
   */
  readonly repeated: ((n: string) => string) | undefined;
}

type OnNothing = { readonly value: Scalar } | { readonly fault: FaultReason };

function valueOverNothing(row: ReductionRow, type: ElementType): Scalar {
  const outcome = row.onNothing(type);
  if ("fault" in outcome) throw new ArithmeticFault(outcome.fault);
  return outcome.value;
}

/** The type in which a sum, product or mean of floats accumulates. */
function accumulationType(type: FloatType): "f32" | "f64" {
  return type === "f16" || type === "bf16" ? "f32" : "f64";
}

/**
 * A total to which each element is added, or by which it is multiplied. For floats, `conclude`
 * makes the result of the total and the number of elements.
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
      finish: () => best ?? valueOverNothing(reductions[name], type),
    };
  };
}

/** The position of the first winner. A NaN beats every number, and nothing beats a NaN. */
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
      finish: () => at ?? valueOverNothing(reductions[name], type),
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
 * log Σ exp x in one pass. With m the largest element so far, s = Σ exp(x - m) is rescaled when m
 * grows to m' (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018):
 *
 *   s' = s·exp(m - m') + 1
 *
 * Elements of -∞ add nothing. An element that equals m adds 1 without a subtraction, so ∞ - ∞ never
 * occurs.
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
      } else scaled += Math.exp(x - largest); // A NaN comes here, and `scaled` stays NaN.
    },
    finish() {
      // After a NaN, `scaled` is NaN whatever `largest` is.
      if (scaled === 0) return -Infinity;
      return roundTo(type as FloatType, largest + Math.log(scaled));
    },
  };
}

const always = (value: Scalar) => (): OnNothing => ({ value });

const reductions = {
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
    onNothing: always(NaN),
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
    onNothing: always(false),
    start: logic(false, (total, value) => total || value),
    repeated: undefined,
  },
  all: {
    accepts: "bool",
    result: "bool",
    onNothing: always(true),
    start: logic(true, (total, value) => total && value),
    repeated: undefined,
  },
  count: {
    accepts: "bool",
    result: "i32",
    onNothing: always(0),
    start: counting,
    repeated: (n) => `multiply by \`${n}\``,
  },
  logsumexp: {
    accepts: "float",
    result: "same",
    onNothing: always(-Infinity),
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

/**
 * The element type of the result, or undefined if elements of this type cannot be reduced this way.
 */
export function typeReduction(
  reduction: ReductionName,
  element: ElementType,
): ElementType | undefined {
  const row: ReductionRow = reductions[reduction];
  if (!belongsTo(element, row.accepts)) return undefined;
  return row.result === "same" ? element : row.result;
}
