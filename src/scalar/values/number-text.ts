// Numbers in texts from outside: `-2.5e3`, `NaN`, `inf`, `17`.

import { roundTo } from "../round.ts";
import { integerBounds, type FloatType, type IntegerType } from "../types.ts";
import { cut } from "../../diagnostics/cut.ts";
import { failure, type Failure } from "../../base/failure.ts";

// Each digit can be matched in only one way, so a long text that is not a number takes linear time.
const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const integer = /^([+-]?)0*(\d+)$/;

const nonFinite: ReadonlyMap<string, number> = new Map([
  ["nan", NaN],
  ["inf", Infinity],
  ["infinity", Infinity],
]);

/**
 * The float that a text denotes. The result is undefined if the text is not a number, and a failure
 * if the number is too large, as in `1e999`.
 */
export function floatIn(text: string, type: FloatType): number | Failure | undefined {
  if (decimal.test(text)) {
    const number = Number(text);
    return Number.isFinite(roundTo(type, number)) ? number : tooLarge(text, type);
  }
  const far = nonFinite.get(text.toLowerCase().replace(/^[+-]/, ""));
  return far !== undefined && text.startsWith("-") ? -far : far;
}

const greatestText = { f16: "65504", bf16: "3.39e38", f32: "3.4e38", f64: "1.8e308" } as const;

/** The failure for a finite number that would become infinite. */
export function tooLarge(written: string, type: FloatType): Failure {
  const wider = type === "f64" ? "" : "; declare a wider float, or run with `--f64`";
  return failure(
    `${cut(written)} is too large for ${type}, which goes to ${greatestText[type]}${wider}; ` +
      "infinity is written Infinity",
  );
}

/** The integer that a text denotes, or undefined if the text is not an integer. */
export function integerIn(text: string, type: IntegerType): bigint | Failure | undefined {
  const [, sign, digits] = integer.exec(text) ?? [];
  if (digits === undefined) return undefined;
  // Integers with more digits fit into no type, and parsing very many digits is slow.
  if (digits.length > 20) return unfitInteger(text, type);
  return sign === "-" ? -BigInt(digits) : BigInt(digits);
}

export function unfitInteger(written: string, type: IntegerType): Failure {
  const { least, greatest } = integerBounds[type];
  return failure(
    `${cut(written)} does not fit in ${type}, which goes from ${least} to ${greatest}`,
  );
}
