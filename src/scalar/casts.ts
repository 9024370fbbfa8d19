// What `as` means between element types: which casts exist, and the exact value of each.
//
// Every cast rounds at most once, from the exact value to the target. An i64 goes to f32 or bf16
// directly, because a detour by f64 would round twice.

import { roundTo } from "./round.ts";
import { integerBounds, isFloat, isInteger, isNumeric } from "./types.ts";
import type { ElementType, FloatType, IntegerType, Scalar } from "./types.ts";

/** Numbers and bools cast to numbers. Only a bool casts to bool. Strings do not cast. */
export function castAllowed(from: ElementType, to: ElementType): boolean {
  if (from === "bool") return to === "bool" || isNumeric(to);
  return isNumeric(from) && isNumeric(to);
}

/** What to write instead of a cast of `written` that is not allowed. */
export function castHelp(from: ElementType, to: ElementType, written: string): string | undefined {
  if (to === "bool" && isNumeric(from))
    return `compare it: \`${written} != ${isFloat(from) ? "0.0" : "0"}\``;
  if (from === "str") return `a number is taken from outside as one: \`input x: ${to};\``;
  return to === "str" ? `put it into a string: \`"{${written}}"\`` : undefined;
}

/** The value of `value as to`; the cast must be allowed. */
export function cast(from: ElementType, to: ElementType, value: Scalar): Scalar {
  if (!castAllowed(from, to)) throw new TypeError(`there is no cast from ${from} to ${to}`);
  if (from === to) return value;
  const number = typeof value === "boolean" ? (value ? 1 : 0) : (value as number | bigint);
  if (isFloat(to)) return toFloat(to, number);
  if (isInteger(to)) return isFloat(from) ? saturate(to, number as number) : wrap(to, number);
  throw new TypeError(`there is no cast from ${from} to ${to}`);
}

function toFloat(to: FloatType, value: number | bigint): number {
  if (typeof value === "number") return roundTo(to, value);
  if (to === "f64" || BigInt.asIntN(53, value) === value) return roundTo(to, Number(value));
  // A wide integer is cut to its upper 53 bits. If a lost bit is 1, the last kept bit is set to 1
  // (rounding to odd). The value then stays on the right side of every tie of the narrower type.
  const lost = value & 2047n;
  return roundTo(to, Number((value >> 11n) | (lost ? 1n : 0n)) * 2048);
}

/**
 * Truncates toward zero. A value out of range becomes the nearest bound, and NaN becomes 0:
 * `3e10 as i32` is 2147483647.
 */
function saturate(to: IntegerType, x: number): number | bigint {
  if (Number.isNaN(x)) return to === "i64" ? 0n : 0;
  const { least, greatest } = integerBounds[to];
  if (x <= Number(least)) return least;
  if (x >= Number(greatest)) return greatest;
  const whole = Math.trunc(x) + 0;
  return to === "i64" ? BigInt(whole) : whole;
}

function wrap(to: IntegerType, value: number | bigint): number | bigint {
  if (to === "i64") return BigInt(value);
  const word = typeof value === "bigint" ? Number(BigInt.asIntN(32, value)) : value;
  return to === "i32" ? word : (word << 24) >> 24;
}
