// The scalars of the language: their element types, operations, reductions, casts, texts and random
// numbers, and the values that a run holds. How expressions are checked or compiled is elsewhere.
//
// This file is the table of scalar operations. One row gives the typing of an operation, its exact
// value, its derivative and its form in source. A new operation is a new row. A new column is a new
// field of `OperationRow`, and TypeScript refuses every row that lacks it.

import {
  absBig,
  clamp,
  divideBig,
  divideInteger,
  float,
  maxBig,
  minBig,
  numeric,
  powerBig,
  powerInteger,
  remainderBig,
  remainderInteger,
  signBig,
} from "./arithmetic.ts";
import type { Evaluate } from "./arithmetic.ts";
import { strengths } from "../syntax/tree/strength.ts";
import * as d from "./derivative.ts";
import type { Derivative } from "./derivative.ts";
import { erf, power, sigmoid } from "./elementary.ts";
import { normal, randint, uniform } from "./random.ts";
import { roundHalfEven } from "./round.ts";
import {
  applySignature,
  binary,
  choice,
  comparison,
  floatDraw,
  integerDraw,
  ternary,
  unary,
} from "./signature.ts";
import type { Signature, Typed } from "./signature.ts";
import type { ElementType, Scalar } from "./types.ts";

export type OperationName =
  | "add"
  | "subtract"
  | "multiply"
  | "divide"
  | "remainder"
  | "power"
  | "negate"
  | "not"
  | "and"
  | "or"
  | "equal"
  | "notEqual"
  | "less"
  | "lessEqual"
  | "greater"
  | "greaterEqual"
  | "max"
  | "min"
  | "clamp"
  | "abs"
  | "sign"
  | "relu"
  | "floor"
  | "ceil"
  | "round"
  | "exp"
  | "log"
  | "sqrt"
  | "sin"
  | "cos"
  | "tan"
  | "tanh"
  | "sigmoid"
  | "erf"
  | "log1p"
  | "expm1"
  | "select"
  | "stop"
  | "uniform"
  | "normal"
  | "randint";

/** How an operation is written in source. */
export type Notation =
  | {
      readonly kind: "infix";
      readonly symbol: string;
      readonly strength: number;
      readonly groups: "left" | "right";
    }
  | { readonly kind: "prefix"; readonly symbol: string; readonly strength: number }
  | { readonly kind: "call"; readonly name: string }
  /** `if c { a } else { b }` */
  | { readonly kind: "if" };

export interface OperationRow {
  readonly signature: Signature;
  /**
   * The result for operands that are already values. Where expressions are evaluated, `select`,
   * `and` and `or` are lazy instead.
   */
  readonly evaluate: Evaluate;
  readonly derivative: Derivative;
  readonly notation: Notation;
}

const infix = (symbol: string, strength: number): Notation => ({
  kind: "infix",
  symbol,
  strength,
  groups: "left",
});
const prefix = (symbol: string): Notation => ({
  kind: "prefix",
  symbol,
  strength: strengths.prefix,
});
const call = (name: string): Notation => ({ kind: "call", name });

const compared =
  (holds: (a: Scalar, b: Scalar) => boolean): Evaluate =>
  (_type, a, b) =>
    holds(a, b);

/** Seeds, positions and bounds of random draws are integers of any width. */
type Integer = number | bigint;

export const operations = {
  add: {
    signature: binary("numeric"),
    evaluate: numeric(
      (a, b) => a + b,
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    derivative: d.ofAdd,
    notation: infix("+", strengths.sum),
  },
  subtract: {
    signature: binary("numeric"),
    evaluate: numeric(
      (a, b) => a - b,
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    derivative: d.ofSubtract,
    notation: infix("-", strengths.sum),
  },
  multiply: {
    signature: binary("numeric"),
    evaluate: numeric(
      (a, b) => a * b,
      (a, b) => Math.imul(a, b),
      (a, b) => a * b,
    ),
    derivative: d.ofMultiply,
    notation: infix("*", strengths.product),
  },
  divide: {
    signature: binary("numeric"),
    evaluate: numeric((a, b) => a / b, divideInteger, divideBig),
    derivative: d.ofDivide,
    notation: infix("/", strengths.product),
  },
  remainder: {
    signature: binary("numeric"),
    evaluate: numeric((a, b) => a % b, remainderInteger, remainderBig),
    derivative: d.ofRemainder,
    notation: infix("%", strengths.product),
  },
  power: {
    signature: binary("numeric"),
    evaluate: numeric(power, powerInteger, powerBig),
    derivative: d.ofPower,
    notation: { kind: "infix", symbol: "**", strength: strengths.power, groups: "right" },
  },
  negate: {
    signature: unary("numeric"),
    evaluate: numeric(
      (a) => -a,
      (a) => -a,
      (a) => -a,
    ),
    derivative: d.ofNegate,
    notation: prefix("-"),
  },

  not: {
    signature: unary("bool"),
    evaluate: (_type, a) => !a,
    derivative: "passes",
    notation: prefix("!"),
  },
  and: {
    signature: binary("bool"),
    evaluate: compared((a, b) => a === true && b === true),
    derivative: "passes",
    notation: infix("&&", strengths.and),
  },
  or: {
    signature: binary("bool"),
    evaluate: compared((a, b) => a === true || b === true),
    derivative: "passes",
    notation: infix("||", strengths.or),
  },

  equal: {
    signature: comparison("any"),
    evaluate: compared((a, b) => a === b),
    derivative: "passes",
    notation: infix("==", strengths.equality),
  },
  notEqual: {
    signature: comparison("any"),
    evaluate: compared((a, b) => a !== b),
    derivative: "passes",
    notation: infix("!=", strengths.equality),
  },
  less: {
    signature: comparison("numeric"),
    evaluate: compared((a, b) => a < b),
    derivative: "passes",
    notation: infix("<", strengths.comparison),
  },
  lessEqual: {
    signature: comparison("numeric"),
    evaluate: compared((a, b) => a <= b),
    derivative: "passes",
    notation: infix("<=", strengths.comparison),
  },
  greater: {
    signature: comparison("numeric"),
    evaluate: compared((a, b) => a > b),
    derivative: "passes",
    notation: infix(">", strengths.comparison),
  },
  greaterEqual: {
    signature: comparison("numeric"),
    evaluate: compared((a, b) => a >= b),
    derivative: "passes",
    notation: infix(">=", strengths.comparison),
  },

  // Math.max and Math.min give NaN if an operand is NaN, as the language asks.
  max: {
    signature: binary("numeric"),
    evaluate: numeric(
      (a, b) => Math.max(a, b),
      (a, b) => Math.max(a, b),
      maxBig,
    ),
    derivative: d.ofMax,
    notation: call("max"),
  },
  min: {
    signature: binary("numeric"),
    evaluate: numeric(
      (a, b) => Math.min(a, b),
      (a, b) => Math.min(a, b),
      minBig,
    ),
    derivative: d.ofMin,
    notation: call("min"),
  },
  clamp: {
    signature: ternary("numeric"),
    evaluate: numeric(clamp, clamp, (x, low, high) => minBig(maxBig(x, low), high)),
    derivative: d.ofClamp,
    notation: call("clamp"),
  },
  abs: {
    signature: unary("numeric"),
    evaluate: numeric(Math.abs, Math.abs, absBig),
    derivative: d.ofAbs,
    notation: call("abs"),
  },
  sign: {
    signature: unary("numeric"),
    evaluate: numeric(Math.sign, Math.sign, signBig),
    derivative: d.flat,
    notation: call("sign"),
  },
  relu: {
    signature: unary("numeric"),
    evaluate: numeric(
      (a) => Math.max(a, 0),
      (a) => Math.max(a, 0),
      (a) => maxBig(a, 0n),
    ),
    derivative: d.ofRelu,
    notation: call("relu"),
  },

  floor: {
    signature: unary("float"),
    evaluate: float(Math.floor),
    derivative: d.flat,
    notation: call("floor"),
  },
  ceil: {
    signature: unary("float"),
    evaluate: float(Math.ceil),
    derivative: d.flat,
    notation: call("ceil"),
  },
  round: {
    signature: unary("float"),
    evaluate: float(roundHalfEven),
    derivative: d.flat,
    notation: call("round"),
  },
  exp: {
    signature: unary("float"),
    evaluate: float(Math.exp),
    derivative: d.ofExp,
    notation: call("exp"),
  },
  log: {
    signature: unary("float"),
    evaluate: float(Math.log),
    derivative: d.ofLog,
    notation: call("log"),
  },
  sqrt: {
    signature: unary("float"),
    evaluate: float(Math.sqrt),
    derivative: d.ofSqrt,
    notation: call("sqrt"),
  },
  sin: {
    signature: unary("float"),
    evaluate: float(Math.sin),
    derivative: d.ofSin,
    notation: call("sin"),
  },
  cos: {
    signature: unary("float"),
    evaluate: float(Math.cos),
    derivative: d.ofCos,
    notation: call("cos"),
  },
  tan: {
    signature: unary("float"),
    evaluate: float(Math.tan),
    derivative: d.ofTan,
    notation: call("tan"),
  },
  tanh: {
    signature: unary("float"),
    evaluate: float(Math.tanh),
    derivative: d.ofTanh,
    notation: call("tanh"),
  },
  sigmoid: {
    signature: unary("float"),
    evaluate: float(sigmoid),
    derivative: d.ofSigmoid,
    notation: call("sigmoid"),
  },
  erf: {
    signature: unary("float"),
    evaluate: float(erf),
    derivative: d.ofErf,
    notation: call("erf"),
  },
  log1p: {
    signature: unary("float"),
    evaluate: float(Math.log1p),
    derivative: d.ofLog1p,
    notation: call("log1p"),
  },
  expm1: {
    signature: unary("float"),
    evaluate: float(Math.expm1),
    derivative: d.ofExpm1,
    notation: call("expm1"),
  },

  select: {
    signature: choice,
    evaluate: (_type, c, a, b) => (c ? a : b),
    derivative: "branches",
    notation: { kind: "if" },
  },

  // For derivatives, `stop(x)` is a constant.
  stop: {
    signature: unary("any"),
    evaluate: (_type, a) => a,
    derivative: d.flat,
    notation: call("stop"),
  },

  uniform: {
    signature: floatDraw,
    evaluate: (_type, seed, n) => uniform(seed as Integer, n as Integer),
    derivative: d.flat,
    notation: call("uniform"),
  },
  normal: {
    signature: floatDraw,
    evaluate: (_type, seed, n) => normal(seed as Integer, n as Integer),
    derivative: d.flat,
    notation: call("normal"),
  },
  randint: {
    signature: integerDraw,
    evaluate: (_type, seed, n, lo, hi) =>
      randint(seed as Integer, n as Integer, lo as Integer, hi as Integer),
    derivative: "passes",
    notation: call("randint"),
  },
} as const satisfies Record<OperationName, OperationRow>;

export const operationNames = Object.keys(operations) as readonly OperationName[];

export function operationRow(operation: OperationName): OperationRow {
  return operations[operation];
}

export function arityOf(operation: OperationName): number {
  return operations[operation].signature.operands.length;
}

/** The element type of the result, or the problem with the operands. */
export function typeOperation(operation: OperationName, operands: readonly ElementType[]): Typed {
  return applySignature(operations[operation].signature, operands);
}

/** The operation of a function name in the source, such as `exp` or `pow`. */
export const operationOfFunction: ReadonlyMap<string, OperationName> = new Map([
  ...operationNames.flatMap((operation): [string, OperationName][] => {
    const notation = operationRow(operation).notation;
    return notation.kind === "call" ? [[notation.name, operation]] : [];
  }),
  ["pow", "power"],
]);
