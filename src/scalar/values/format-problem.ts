// Whether a format spec fits the type of the value. If it does not, a message says why and what to
// write instead.

import { isFloat, isInteger } from "../types.ts";
import type { ElementType } from "../types.ts";
import type { FormatSpec } from "../../base/format-spec.ts";

interface FormatProblem {
  /** The words that follow "the format `.2d`" in a message: "is for integers". */
  readonly why: string;
  readonly help: string;
}

/** Values that are not scalars (tuples, structs, enums) are formatted as texts. */
export function formatProblem(spec: FormatSpec, type: ElementType): FormatProblem | undefined {
  return type === "str" || type === "bool" ? ofText(spec) : ofNumber(spec, type);
}

function ofText({ conversion, sign, grouped, align }: FormatSpec): FormatProblem | undefined {
  const help = "a text has a width and a longest length: `>10`, `^10`, `.3`";
  if (conversion !== undefined && conversion !== "s") return { why: "is for numbers", help };
  if (sign !== "-") return { why: "has a sign, which is for numbers", help };
  if (grouped) return { why: "has a comma, which is for numbers", help };
  return align === "=" ? { why: "fills behind the sign of a number", help } : undefined;
}

function ofNumber(
  { conversion, precision, grouped }: FormatSpec,
  type: ElementType,
): FormatProblem | undefined {
  switch (conversion) {
    case "s":
      return { why: "is for texts", help: "leave out the `s`" };
    case "d":
      if (isFloat(type))
        return { why: "is for integers", help: "write `.0f`, or cast the value: `as i32`" };
      return precision === undefined ? undefined : noDigits(precision);
    case "x":
      if (isFloat(type)) return { why: "is for integers", help: "cast the value: `as i32`" };
      if (precision !== undefined) return noDigits(precision);
      return grouped
        ? { why: "puts commas between hexadecimal digits", help: "leave out the comma" }
        : undefined;
    case undefined:
      return isInteger(type) && precision !== undefined ? noDigits(precision) : undefined;
    case "f":
    case "e":
    case "g":
    case "%":
      return undefined;
    default:
      return conversion satisfies never;
  }
}

function noDigits(precision: number): FormatProblem {
  return {
    why: "has a precision, which is for floats",
    help: `leave out \`.${precision}\`, or write \`.${precision}f\` for digits after the point`,
  };
}
