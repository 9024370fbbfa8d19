// The grammar of format specs in strings, as Python has them:
// `[[fill]align][sign][0][width][,][.precision][d|f|e|g|x|s|%]`. How a value is shown by one is
// not said here.

import { failure, type Failure } from "./failure.ts";

export type Conversion = "d" | "f" | "e" | "g" | "x" | "s" | "%";

export type Alignment = "<" | ">" | "^" | "=";

export interface FormatSpec {
  /** One character. */
  readonly fill: string;
  /**
   * `=` pads between the sign and the digits. Without one, numbers go to the right and text to the
   * left.
   */
  readonly align?: Alignment;
  /** A `0` before the width: numbers are filled behind their sign. */
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
