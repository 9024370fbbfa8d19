// Compares number literals with the range of the type that their context gave them:
// `let n: i8 = 300;` is an error.

import { fixed, replace, type Repair } from "../../diagnostics/fixes.ts";
import { shortest } from "../../scalar/values/shortest.ts";
import { roundTo } from "../../scalar/round.ts";
import {
  integerBounds,
  isFloat,
  isInteger,
  type FloatType,
  type IntegerType,
} from "../../scalar/types.ts";
import { isInLibrary, textOf, type Span } from "../../base/source.ts";
import { lint, report, type Literal, type Place } from "../context.ts";
import { decided } from "./types.ts";

export function checkLiterals(place: Place): void {
  for (const literal of place.checker.literals) {
    const type = decided(literal.element);
    if (isInteger(type)) checkInteger(place, literal, type);
    else if (isFloat(type)) checkFloat(place, literal, type);
  }
}

function checkInteger(place: Place, { value, span }: Literal, type: IntegerType): void {
  const { least, greatest } = integerBounds[type];
  if (BigInt(value) >= BigInt(least) && BigInt(value) <= BigInt(greatest)) return;
  const wider = (["i32", "i64"] as const).find(
    (each) =>
      BigInt(value) >= BigInt(integerBounds[each].least) &&
      BigInt(value) <= BigInt(integerBounds[each].greatest),
  );
  report(place, "E0407", `${value} does not fit into ${type}`, span, {
    text: `${type} goes from ${least} to ${greatest}`,
    ...(wider
      ? {
          help:
            `give it a wider type: \`${wider}\` where \`${type}\` is declared, ` +
            `or \`${value}${wider}\``,
        }
      : asFloat(span)),
  });
}

/**
 * The largest finite values. `let x: f32 = 1e50;` would be an infinity that the program does not
 * ask for.
 */
const greatest: Record<FloatType, number> = {
  f16: 65504,
  bf16: (2 - 2 ** -7) * 2 ** 127,
  f32: (2 - 2 ** -23) * 2 ** 127,
  f64: Number.MAX_VALUE,
};

function checkFloat(place: Place, { value, span }: Literal, type: FloatType): void {
  // The library is written for all float types. `a > 1e8` is false for every `f16`, and right.
  if (isInLibrary(span)) return;
  const exact = Number(value);
  const rounded = roundTo(type, exact);
  const [, digits = "", exponent = ""] = /^([\d_.]+)(e[-+]?[\d_]+)?/i.exec(textOf(span)) ?? [];
  if (!Number.isFinite(rounded)) {
    const largest = String(shortest(type, greatest[type])).replace("e+", "e");
    const help = widerHelp(exact, type, `${digits}${exponent}`);
    report(
      place,
      "E0407",
      `${value < 0 ? "-" : ""}${digits}${exponent} does not fit into ${type}`,
      span,
      {
        text: `the largest ${type} is ${largest}`,
        help: help ?? "for an infinity write `1.0 / 0.0`",
      },
    );
  } else if (rounded === 0 && /[1-9]/.test(digits)) {
    const help = widerHelp(exact, type, `${digits}${exponent}`);
    lint(place, "W0402", `${digits}${exponent} is 0 in ${type}`, span, {
      text: `no ${type} above 0 is so small`,
      help: help ? `${help}; if 0 is meant, write \`0.0\`` : "if 0 is meant, write `0.0`",
      ...fixed("write `0.0`", replace(span, "0.0")),
    });
  }
}

/** Help that names a type in which the value is neither infinite nor 0. */
function widerHelp(value: number, type: FloatType, written: string): string | undefined {
  const holds = (each: FloatType): boolean =>
    Number.isFinite(roundTo(each, value)) && roundTo(each, value) !== 0;
  const wider = (["f32", "f64"] as const).find(holds);
  if (!wider) return undefined;
  return (
    `give it a wider type: \`${wider}\` where \`${type}\` is declared, ` +
    `or \`${written}${wider}\``
  );
}

/** The repair for an integer too large for every integer type: a float literal. */
export function asFloat(literal: Span): Repair {
  const text = `${textOf(literal)}.0`;
  const help = `write \`${text}\` for a float`;
  return { help, ...fixed(help, replace(literal, text)) };
}
