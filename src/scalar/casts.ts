// What `as` means between element types: which casts there are, and the exact value of each.
//
// Every cast rounds at most once, from the exact value to the target: an i64 goes to f32 or bf16
// directly, not by way of f64.

import { roundTo } from "./round.ts";
import { integerBounds, isFloat, isInteger, isNumeric } from "./types.ts";
import type { ElementType, FloatType, IntegerType, Scalar } from "./types.ts";

/** Numbers cast to numbers and bools to numbers; nothing casts to bool, and strings do not cast. */
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
  // A wide integer is cut to 53 bits with its lost bits gathered into the last one (rounding to
  // odd), which keeps it on the right side of every tie of the narrower type.
  const lost = value & 2047n;
  return roundTo(to, Number((value >> 11n) | (lost ? 1n : 0n)) * 2048);
}

/** Toward zero; what does not fit becomes the nearest bound, NaN becomes 0. */
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
