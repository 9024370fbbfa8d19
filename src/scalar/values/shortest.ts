// The decimal number with the fewest digits that reads back to the same value of a float type.
//
// A reader rounds the decimal to f64 and then to its type. f64 itself is easy: JavaScript prints
// the shortest digits. For the narrower types, try the number of digits in the middle of what the
// type needs and go up or down: more digits never hurt.

import { roundTo } from "../round.ts";
import type { FloatType } from "../types.ts";

/** Digits that always suffice, and a good number to try first. */
const digitsOf = {
  f16: { enough: 5, first: 4 },
  bf16: { enough: 4, first: 3 },
  f32: { enough: 9, first: 8 },
} as const;

/** The f64 whose own shortest digits are the shortest for `x` in the given type. */
export function shortest(type: FloatType, x: number): number {
  if (type === "f64" || x === 0 || !Number.isFinite(x)) return x;
  // Below 2^8 every bf16 integer has a neighbour at distance at most 1, so nothing shorter than its
  // own digits reads back.
  if (Number.isInteger(x) && Math.abs(x) < 256) return x;
  const { enough, first } = digitsOf[type];
  let found = withDigits(type, x, first);
  if (found === undefined) {
    for (let digits = first + 1; found === undefined && digits <= enough; digits++)
      found = withDigits(type, x, digits);
    return found ?? x;
  }
  for (let digits = first - 1; digits > 0; digits--) {
    const fewer = withDigits(type, x, digits);
    if (fewer === undefined) break;
    found = fewer;
  }
  return found;
}

/**
 * A decimal of that many digits that reads back to `x`. The nearest one is tried first. At a power
 * of two the values below lie closer than those above, so the next decimal away from zero may read
 * back where the nearest does not.
 */
function withDigits(type: FloatType, x: number, digits: number): number | undefined {
  const text = x.toExponential(digits - 1);
  const nearest = Number(text);
  if (roundTo(type, nearest) !== x)
    return isPowerOfTwo(x) ? readsBack(type, x, stepped(text, 1)) : undefined;
  // Where x lies halfway between two decimals, toExponential goes away from zero; the even one is
  // customary.
  return isHalfway(x, digits) ? (readsBack(type, x, evenOf(text)) ?? nearest) : nearest;
}

function readsBack(type: FloatType, x: number, decimal: number): number | undefined {
  return roundTo(type, decimal) === x ? decimal : undefined;
}

const asF64 = new DataView(new ArrayBuffer(8));

function isPowerOfTwo(x: number): boolean {
  asF64.setFloat64(0, x);
  return (asF64.getUint32(0) & 0xfffff) === 0 && asF64.getUint32(4) === 0;
}

/** The decimal that many units of its last digit further from zero. */
function stepped(text: string, units: number): number {
  const split = text.indexOf("e");
  const digits = text.slice(0, split).replace(/[-.]/g, "");
  const exponent = Number(text.slice(split + 1)) - (digits.length - 1);
  return Number(`${text.startsWith("-") ? "-" : ""}${Number(digits) + units}e${exponent}`);
}

/** Of a decimal and its neighbour toward zero, the one that ends in an even digit. */
function evenOf(text: string): number {
  return stepped(text, -(Number(text[text.indexOf("e") - 1]) % 2));
}

/** Whether x has exactly one digit more than that, a 5. */
function isHalfway(x: number, digits: number): boolean {
  const longer = x.toExponential(digits);
  return longer[longer.indexOf("e") - 1] === "5" && Number(longer) === x;
}
