// Integer arithmetic without bounds. Integers of the language wrap around, and messages say which
// number the exact result would be: `2147483647 + 1` is 2147483648.

import type { OperationName } from "./operations.ts";
import { integerBounds, type IntegerType } from "./types.ts";

type Integer = number | bigint;

/**
 * Beyond this number more digits tell a reader nothing, so products and powers stop growing here.
 */
const most = 2n ** 512n;

/**
 * The exact results of the operations that can overflow. A sum or a product overflows as its `add`
 * or `multiply` does, step by step.
 */
const unbounded: Partial<Record<OperationName, (a: bigint, b: bigint) => bigint>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  // Only the least number divided by -1 overflows.
  divide: (a, b) => a / b,
  power: raised,
  negate: (a) => -a,
  abs: (a) => (a < 0n ? -a : a),
};

/**
 * Powers of 0, 1 and -1 stay small for every exponent. With an exponent above 512, powers of all
 * other numbers reach `most`.
 */
function raised(base: bigint, exponent: bigint): bigint {
  const isSmall = base >= -1n && base <= 1n;
  if (exponent <= 512n) return base ** exponent;
  return isSmall ? base ** (2n - (exponent % 2n)) : most;
}

/**
 * The exact result of an operation on integers, or undefined if the operation cannot overflow. The
 * operands must have a result: no division by 0.
 */
export function exactResult(
  operation: OperationName,
  operands: readonly Integer[],
): bigint | undefined {
  const [a = 0, b = 0] = operands;
  const result = unbounded[operation]?.(BigInt(a), BigInt(b));
  return result === undefined ? undefined : capped(result);
}

function capped(value: bigint): bigint {
  return value > most ? most : value < -most ? -most : value;
}

export function fitsInto(type: IntegerType, value: bigint): boolean {
  const { least, greatest } = integerBounds[type];
  return value >= BigInt(least) && value <= BigInt(greatest);
}

/** The narrowest of `i32` and `i64` that holds a number. */
export function widerType(value: bigint): IntegerType | undefined {
  return (["i32", "i64"] as const).find((type) => fitsInto(type, value));
}

/** A number in the form that messages show. */
export function showExact(value: bigint): string {
  const digits = String(value);
  if (digits.length <= 40) return digits;
  const count = digits.replace("-", "").length;
  return value >= most || value <= -most
    ? "a number of more than 150 digits"
    : `a number of ${count} digits`;
}
