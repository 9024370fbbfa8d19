// The grammar of format specs in strings, which is Python's:
//
//   [[fill]align][sign][0][width][,][.precision][d|f|e|g|x|s|%]
//
// How a spec formats a value is in `scalar/values/format-spec.ts`.

import { failure, type Failure } from "./failure.ts";

type Conversion = "d" | "f" | "e" | "g" | "x" | "s" | "%";

export type Alignment = "<" | ">" | "^" | "=";

export interface FormatSpec {
  /** One character. */
  readonly fill: string;
  /**
   * `=` pads between the sign and the digits. Without an alignment, numbers stand at the right and
   * text at the left.
   */
  readonly align?: Alignment;
  /**
   * Whether a `0` precedes the width. Zeros then fill the space between the sign and the digits.
   */
  readonly zeros: boolean;
  readonly sign: "-" | "+" | " ";
  readonly width: number;
  /** A comma between groups of three digits. */
  readonly grouped: boolean;
  readonly precision?: number;
  readonly conversion?: Conversion;
}

const pattern = /^(?:(.)?([<>^=]))?([-+ ])?(0)?(\d+)?(,)?(?:\.(\d+))?([dfegxs%])?$/su;
const widest = 1000;
const mostDigits = 100;

export function parseFormatSpec(text: string): FormatSpec | Failure {
  const match = pattern.exec(text);
  if (!match) return failure(explain(text));
  const [, fill, align, sign, zero, width, comma, precision, conversion] = match;
  if (Number(width ?? 0) > widest)
    return failure(`the width ${width} in the format \`${text}\` is more than ${widest}`);
  if (Number(precision ?? 0) > mostDigits) {
    return failure(
      `the precision ${precision} in the format \`${text}\` is more than ${mostDigits}`,
    );
  }
  return {
    fill: fill ?? (zero ? "0" : " "),
    ...(align ? { align: align as Alignment } : {}),
    zeros: zero !== undefined,
    sign: (sign ?? "-") as "-" | "+" | " ",
    width: Number(width ?? 0),
    grouped: comma !== undefined,
    ...(precision === undefined ? {} : { precision: Number(precision) }),
    ...(conversion ? { conversion: conversion as Conversion } : {}),
  };
}

function explain(text: string): string {
  const last = text.at(-1) ?? "";
  if (/[A-Za-z]/.test(last) && pattern.test(text.slice(0, -1))) {
    return `the format \`${text}\` ends in \`${last}\`, which is none of \`d f e g x s %\``;
  }
  return text.endsWith(".")
    ? `the format \`${text}\` has no digits after its point`
    : `\`${text}\` is not a format`;
}
