// The exact value of each arithmetic operation in each element type. This file holds the formulas;
// `operations.ts` says which operation uses which.
//
// An f32 result is computed in f64 and rounded once. For + - * / and sqrt this is the correctly
// rounded f32 result, because f64 has more than twice the digits (Figueroa, "When is double
// rounding innocuous?", 1995). f16 and bf16 compute in f32 and round back. Integers wrap:
// `127i8 + 1i8` is -128.

import { ArithmeticFault } from "./fault.ts";
import { roundResult } from "./round.ts";
import type { ElementType, Scalar } from "./types.ts";

/**
 * The value of an operation that is evaluated in `type`. For a comparison, `type` is the type of
 * the operands.
 */
export type Evaluate = (type: ElementType, ...operands: Scalar[]) => Scalar;

type OnNumbers = (a: number, b: number, c: number) => number;
type OnBigs = (a: bigint, b: bigint, c: bigint) => bigint;

/**
 * Builds an operation from one formula for floats, one for integers held in numbers, and one for
 * i64. Each result is brought into `type`. A formula with fewer than three operands ignores the
 * rest, which are undefined.
 */
export function numeric(float: OnNumbers, integer: OnNumbers, big: OnBigs): Evaluate {
  return (type, a, b, c) => {
    switch (type) {
      case "f16":
      case "bf16":
      case "f32":
      case "f64":
        return roundResult(type, float(a as number, b as number, c as number));
      case "i32":
        return integer(a as number, b as number, c as number) | 0;
      case "i8":
        return (integer(a as number, b as number, c as number) << 24) >> 24;
      case "i64":
        return BigInt.asIntN(64, big(a as bigint, b as bigint, c as bigint));
      case "bool":
      case "str":
      case "data":
        throw new TypeError(`there is no arithmetic on ${type}`);
      default:
        return type satisfies never;
    }
  };
}

/** An operation that only floats have. */
export function float(formula: OnNumbers): Evaluate {
  return numeric(formula, refuseInteger, refuseInteger);
}

function refuseInteger(): never {
  throw new TypeError("there is no such operation on integers");
}

export function divideInteger(a: number, b: number): number {
  if (b === 0) throw new ArithmeticFault("division by zero");
  // The caller truncates the quotient: |quotient| ≤ 2^31, far below where f64 would round it to an
  // integer.
  return a / b;
}

export function divideBig(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new ArithmeticFault("division by zero");
  return a / b;
}

export function remainderInteger(a: number, b: number): number {
  if (b === 0) throw new ArithmeticFault("remainder by zero");
  return a % b;
}

export function remainderBig(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new ArithmeticFault("remainder by zero");
  return a % b;
}

/** Squares and multiplies modulo 2^32. An i8 is wrapped once, by the caller, at the end. */
export function powerInteger(base: number, exponent: number): number {
  if (exponent < 0) throw new ArithmeticFault("negative exponent");
  let result = 1;
  let square = base;
  for (let left = exponent; left > 0; left >>>= 1) {
    if (left & 1) result = Math.imul(result, square);
    square = Math.imul(square, square);
  }
  return result;
}

export function powerBig(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) throw new ArithmeticFault("negative exponent");
  let result = 1n;
  let square = base;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = BigInt.asIntN(64, result * square);
    square = BigInt.asIntN(64, square * square);
  }
  return result;
}

export const maxBig = (a: bigint, b: bigint): bigint => (a > b ? a : b);
export const minBig = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const absBig = (a: bigint): bigint => (a < 0n ? -a : a);
export const signBig = (a: bigint): bigint => (a > 0n ? 1n : a < 0n ? -1n : 0n);

/**
 * Where the bounds cross, the upper one wins: `clamp(x, 3.0, 1.0)` is 1.0. A NaN in any operand
 * gives NaN.
 */
export const clamp = (x: number, low: number, high: number): number =>
  Math.min(Math.max(x, low), high);
