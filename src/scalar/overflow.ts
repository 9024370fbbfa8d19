// Integer arithmetic without bounds: which operations may leave their type, and what they would
// come to if it had no end. What the types do instead is wrap around.

import type { OperationName } from "./operations.ts";
import { integerBounds, type IntegerType } from "./types.ts";

type Integer = number | bigint;

/** More digits say nothing more: products and powers stop growing there. */
const most = 2n ** 512n;

/**
 * The operations whose result may lie outside of the type of its operands; of a sum and a product
 * each step is one.
 */
const unbounded: Partial<Record<OperationName, (a: bigint, b: bigint) => bigint>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  // The least number by -1.
  divide: (a, b) => a / b,
  power: raised,
  negate: (a) => -a,
  abs: (a) => (a < 0n ? -a : a),
};

/**
 * Powers of 0, 1 and -1 stay small, whatever the exponent; those of other numbers are too large
 * long before 512.
 */
function raised(base: bigint, exponent: bigint): bigint {
  const isSmall = base >= -1n && base <= 1n;
  if (exponent <= 512n) return base ** exponent;
  return isSmall ? base ** (2n - (exponent % 2n)) : most;
}

/**
 * What an operation on integers comes to without bounds; nothing where its result never leaves
 * their type. The operands have a result.
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

/** The narrowest type that holds a number, wider than the one that does not. */
export function widerType(value: bigint): IntegerType | undefined {
  return (["i32", "i64"] as const).find((type) => fitsInto(type, value));
}

/** A number as messages show it. */
export function showExact(value: bigint): string {
  const digits = String(value);
  if (digits.length <= 40) return digits;
  const count = digits.replace("-", "").length;
  return value >= most || value <= -most
    ? "a number of more than 150 digits"
    : `a number of ${count} digits`;
}
