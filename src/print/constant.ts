// A constant as source: the shortest text that reads back to the value in its type, given what the
// surroundings say about the type. In `x[i] + 2` the read says it; alone, `2.0f64` needs a suffix.

import { shortest } from "../scalar/values/shortest.ts";
import { quoted } from "../syntax/lex/escape.ts";
import { strengths } from "../syntax/tree/strength.ts";
import {
  isFloat,
  type ElementType,
  type FloatType,
  type Scalar as Value,
} from "../scalar/types.ts";

/** A piece of source, and how strongly its outermost form binds. */
export interface Text {
  readonly text: string;
  readonly strength: number;
}

/**
 * What a literal may rely on. "known": something beside it has the type. "alone": nothing has, so
 * an `i32` or `f32` literal keeps its default, and every other type needs a suffix. "forced": a
 * cast, which would give a literal without a suffix the type of the cast.
 */
export type Setting = "known" | "alone" | "forced";

export function constantText(type: ElementType, value: Value, setting: Setting): Text {
  if (type === "bool") return { text: String(value), strength: strengths.atom };
  if (type === "str") return { text: quoted(String(value)), strength: strengths.atom };
  const suffix =
    setting === "forced" || (setting === "alone" && type !== "i32" && type !== "f32") ? type : "";
  if (isFloat(type)) return floatText(type, Number(value), setting, suffix);
  const text = `${String(value)}${suffix}`;
  return { text, strength: text.startsWith("-") ? strengths.prefix : strengths.atom };
}

function floatText(type: FloatType, value: number, setting: Setting, suffix: string): Text {
  // These values have no literals. IEEE 754 gives them for these quotients.
  if (Number.isNaN(value)) return { text: `0.0${suffix} / 0.0`, strength: strengths.product };
  if (!Number.isFinite(value))
    return { text: `${value < 0 ? "-" : ""}1.0${suffix} / 0.0`, strength: strengths.product };
  const text = `${digitsOf(shortest(type, value), setting)}${suffix}`;
  return { text, strength: text.startsWith("-") ? strengths.prefix : strengths.atom };
}

/** Digits with a point or an exponent, unless the type is known anyway. */
function digitsOf(value: number, setting: Setting): string {
  if (Object.is(value, -0)) return "-0.0";
  // A whole number beyond the safe integers is written with an exponent: as an integer literal it
  // would be too large.
  const scientific =
    Math.abs(value) < 1e-3 ? value !== 0 : Number.isInteger(value) && !Number.isSafeInteger(value);
  const text = scientific ? value.toExponential() : String(value);
  const digits = text.replace("e+", "e");
  return setting === "known" || /[.e]/.test(digits) ? digits : `${digits}.0`;
}
