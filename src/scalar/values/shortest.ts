// Finds the decimal number with the fewest digits that reads back as the same value of a float
// type. For example, the f32 nearest to 0.1 prints as 0.1, and not as 0.10000000149.
//
// A reader rounds the decimal to f64 and then to its type. For f64, JavaScript itself prints the
// fewest digits. For a narrower type, the search begins with a usual number of digits and goes up
// or down: if some number of digits is enough, more digits are enough too.

import { roundTo } from "../round.ts";
import type { FloatType } from "../types.ts";

/** The number of digits that is always enough, and the number to try first. */
const digitsOf = {
  f16: { enough: 5, first: 4 },
  bf16: { enough: 4, first: 3 },
  f32: { enough: 9, first: 8 },
} as const;

/** The f64 that JavaScript prints with the fewest digits that read back as `x` in `type`. */
export function shortest(type: FloatType, x: number): number {
  if (type === "f64" || x === 0 || !Number.isFinite(x)) return x;
  // Up to 2^8 all types hold every integer. A decimal with fewer digits would be another integer,
  // so it would not read back.
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
 * A decimal with `digits` digits that reads back as `x`, if there is one. The nearest decimal is
 * tried first. At a power of two the values below lie closer than those above, so the next decimal
 * away from zero may read back even if the nearest does not.
 */
function withDigits(type: FloatType, x: number, digits: number): number | undefined {
  const text = x.toExponential(digits - 1);
  const nearest = Number(text);
  if (roundTo(type, nearest) !== x)
    return isPowerOfTwo(x) ? readsBack(type, x, stepped(text, 1)) : undefined;
  // If x lies halfway between two decimals, toExponential rounds away from zero. The decimal with
  // an even last digit is preferred, as in IEEE 754.
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

/** The decimal `text`, moved away from zero by so many units of its last digit. */
function stepped(text: string, units: number): number {
  const split = text.indexOf("e");
  const digits = text.slice(0, split).replace(/[-.]/g, "");
  const exponent = Number(text.slice(split + 1)) - (digits.length - 1);
  return Number(`${text.startsWith("-") ? "-" : ""}${Number(digits) + units}e${exponent}`);
}

/** The decimal `text`, or its neighbour toward zero if its last digit is odd. */
function evenOf(text: string): number {
  return stepped(text, -(Number(text[text.indexOf("e") - 1]) % 2));
}

/** Whether x has exactly one more digit than `digits`, and this digit is 5. */
function isHalfway(x: number, digits: number): boolean {
  const longer = x.toExponential(digits);
  return longer[longer.indexOf("e") - 1] === "5" && Number(longer) === x;
}
