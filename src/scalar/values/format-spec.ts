// Format specs in string interpolation, with Python's meaning: `"{x:8.3f}"`.
//
//   [[fill]align][sign][0][width][,][.precision][d|f|e|g|x|s|%]

import { isFloat } from "../types.ts";
import type { ElementType, FloatType, Scalar } from "../types.ts";
import { fixedDigits, significantDigits } from "./decimal.ts";
import type { Alignment, FormatSpec } from "../../base/format-spec.ts";
import { shortest } from "./shortest.ts";
import { showScalar } from "./show.ts";

/** The value as text; the spec must fit the type. */
export function formatScalar(spec: FormatSpec, type: ElementType, x: Scalar): string {
  if (typeof x !== "number" && typeof x !== "bigint") {
    const text = String(x);
    const cut = spec.precision === undefined ? text : [...text].slice(0, spec.precision).join("");
    return pad(spec, "", cut, spec.align ?? "<");
  }
  const negative = x < 0 || Object.is(x, -0);
  const sign = negative ? "-" : spec.sign === "-" ? "" : spec.sign;
  const align = spec.align ?? (spec.zeros ? "=" : ">");
  const { whole, rest } = magnitude(spec, type, x);
  if (!spec.grouped || !/^\d+$/.test(whole)) return pad(spec, sign, whole + rest, align);
  // Zeros between the sign and the digits get commas too: `{n:08,}` gives `0,001,234`.
  const room = align === "=" && spec.fill === "0" ? spec.width - sign.length - rest.length : 0;
  return pad(spec, sign, groupThousands(whole, room) + rest, align);
}

/** The digits before the point, and everything from the point on. */
function magnitude(
  spec: FormatSpec,
  type: ElementType,
  x: number | bigint,
): { whole: string; rest: string } {
  const text = digitsOf(spec, type, x);
  const end = text.search(/[^0-9]/);
  return end <= 0 || spec.conversion === "x"
    ? { whole: text, rest: "" }
    : { whole: text.slice(0, end), rest: text.slice(end) };
}

function digitsOf(spec: FormatSpec, type: ElementType, x: number | bigint): string {
  if (spec.conversion === "%") {
    return `${digitsOf({ ...spec, conversion: "f" }, type, hundredfold(x))}%`;
  }
  if (typeof x === "number" && !Number.isFinite(x)) return showScalar("f64", Math.abs(x));
  const places = spec.precision ?? 6;
  switch (spec.conversion) {
    case "d":
      return fixedDigits(x, 0);
    case "x":
      return (x < 0 ? -x : x).toString(16);
    case "f":
      return fixedDigits(x, places);
    case "e":
      return scientific(significantDigits(x, places + 1));
    case "g":
      return general(x, Math.max(places, 1), Math.max(places, 1));
    case "s":
    case undefined:
      if (!isFloat(type)) return fixedDigits(x, 0);
      if (spec.precision === undefined) return shortestText(type, Math.abs(x as number));
      return withPoint(general(x, Math.max(places, 1), Math.max(places, 1) - 1));
    default:
      return spec.conversion satisfies never;
  }
}

/**
 * The fewest digits that read back as the same number. Exponents from -4 to 15 give fixed notation.
 * `print` keeps to fixed notation up to 1e21.
 */
function shortestText(type: FloatType, x: number): string {
  const [digits, power] = shortest(type, x).toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) return showScalar(type, x);
  return scientific({ digits: digits!.replace(".", ""), exponent });
}

/** A float is multiplied in f64 and may overflow, as in Python. An i64 is multiplied exactly. */
function hundredfold(x: number | bigint): number | bigint {
  return typeof x === "bigint" ? x * 100n : x * 100;
}

function scientific({
  digits,
  exponent,
}: {
  readonly digits: string;
  readonly exponent: number;
}): string {
  const point = digits.length > 1 ? `.${digits.slice(1)}` : "";
  const power = String(Math.abs(exponent)).padStart(2, "0");
  return `${digits[0]}${point}e${exponent < 0 ? "-" : "+"}${power}`;
}

/**
 * Fixed notation for exponents from -4 to below `limit`, scientific notation for all others. Zeros
 * at the end are dropped.
 */
function general(x: number | bigint, digits: number, limit: number): string {
  const found = significantDigits(x, digits);
  if (found.exponent < -4 || found.exponent >= limit) {
    const kept = found.digits.replace(/0+$/, "") || "0";
    return scientific({ digits: kept, exponent: found.exponent });
  }
  const text = fixedDigits(x, digits - 1 - found.exponent);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function withPoint(text: string): string {
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/**
 * Commas between groups of three digits. Zeros are added in front until the text has `room`
 * characters.
 */
function groupThousands(digits: string, room: number): string {
  const commas = (text: string): string => text.replace(/\B(?=(\d{3})+$)/g, ",");
  let text = digits;
  while (commas(text).length < room) text = `0${text}`;
  return commas(text);
}

function pad(spec: FormatSpec, sign: string, body: string, align: Alignment): string {
  const missing = Math.max(0, spec.width - [...sign, ...body].length);
  const fill = (count: number): string => spec.fill.repeat(count);
  switch (align) {
    case "<":
      return sign + body + fill(missing);
    case ">":
      return fill(missing) + sign + body;
    case "=":
      return sign + fill(missing) + body;
    case "^":
      return fill(Math.floor(missing / 2)) + sign + body + fill(Math.ceil(missing / 2));
    default:
      return align satisfies never;
  }
}
