// The meaning of one field of a table: a cell, the name of a column, or an error with its reason.

import { quotedCut } from "../diagnostics/cut.ts";
import { isFloat, isInteger, type ElementType, type Scalar } from "../scalar/types.ts";
import { failed, failure, type Failure } from "../base/failure.ts";
import { floatIn, integerIn } from "../scalar/values/number-text.ts";

/** Words that programs write for a missing value. They are never names of columns. */
const missing: ReadonlySet<string> = new Set([
  "NA",
  "N/A",
  "n/a",
  "#N/A",
  "null",
  "NULL",
  "None",
  "-",
  "?",
]);

export function cellOfField(field: string, dtype: ElementType): Scalar | Failure {
  if (dtype === "str") return field;
  const text = field.trim();
  if (dtype === "bool") {
    const word = text.toLowerCase();
    if (word === "true" || word === "false") return word === "true";
    return failure(
      text === "" ? "there is nothing; a bool is `true` or `false`" : notA("bool", text),
    );
  }
  const number = isFloat(dtype)
    ? floatIn(text, dtype)
    : isInteger(dtype)
      ? integerIn(text, dtype)
      : undefined;
  if (number !== undefined) return number;
  const isMissing = text === "" || missing.has(text);
  const what = text === "" ? "there is nothing" : notA(isFloat(dtype) ? "number" : "integer", text);
  if (isMissing && isFloat(dtype)) return failure(`${what}; a missing number is written NaN`);
  if (isMissing)
    return failure(`${what}; integers are never missing: declare a float, and write NaN`);
  return failure(what);
}

function isTruth(field: string): boolean {
  return /^\s*(?:true|false)\s*$/i.test(field);
}

function notA(kind: string, text: string): string {
  const hint = separatorHint(text) ?? writingHint(text);
  return (
    `${quotedCut(text)} is not ${kind === "integer" ? "an" : "a"} ` +
    `${kind}${hint === undefined ? "" : `; ${hint}`}`
  );
}

const separators: ReadonlyMap<string, string> = new Map([
  [";", "`;`"],
  ["\t", "tabs"],
  ["|", "`|`"],
  [" ", "blanks"],
]);

/** A hint for a field such as `1;2`, about separators of other programs. */
export function separatorHint(text: string): string | undefined {
  for (const [separator, name] of separators) {
    const parts = text.split(separator).filter((part) => part !== "");
    const isTable =
      parts.length > 1 && (separator === ";" || separator === "\t" || parts.every(isFloatText));
    if (isTable)
      return `columns are separated by ${name}, and only \`,\` is read: save the table with commas`;
  }
  return undefined;
}

function isFloatText(part: string): boolean {
  return floatIn(part, "f64") !== undefined;
}

/** A hint for a number that is not written as the language writes it: `0x10`, `1,000`, `1.5f`. */
function writingHint(text: string): string | undefined {
  if (isTruth(text)) return "an input of bool takes it; a number is written 1 or 0";
  if (/^[+-]?0[xob][\da-f]{1,12}$/i.test(text)) {
    const value = Number(text.replace(/^[+-]/, ""));
    return Number.isNaN(value)
      ? undefined
      : `in decimal digits: ${text.startsWith("-") ? "-" : ""}${value}`;
  }
  if (/^[+-]?\d[\d,.]*$/.test(text) && text.includes(","))
    return "numbers have a point before their fraction, and no commas";
  return undefined;
}

/**
 * Whether the fields of a first line are names of columns. None of them may begin like a number.
 */
export function areNames(fields: readonly string[], dtype: ElementType): boolean {
  // In a table of texts every field is a cell, and a line of true and false holds cells too.
  if (dtype === "str" || fields.every(isTruth)) return false;
  return (
    fields.some((field) => field.trim() !== "") && fields.every((field) => isName(field, dtype))
  );
}

function isName(field: string, dtype: ElementType): boolean {
  const text = field.trim();
  return (
    !missing.has(text) &&
    !isAttempt(text) &&
    failed(cellOfField(text, dtype)) &&
    floatIn(text, "f64") === undefined
  );
}

/**
 * Whether a field is a misspelt number, such as `1e` or `$1,000`: digits come before letters, or
 * there is only a sign or a point.
 */
function isAttempt(text: string): boolean {
  return /^[^\p{L}\p{N}_]*\p{N}/u.test(text) || /^[-+.\u2212]+$/.test(text);
}

/**
 * An addition to a message about the first line, if the line may have been meant as names:
 * `1st,2nd`.
 */
export function firstLineHint(fields: readonly string[], dtype: ElementType): string {
  const isNoCell = (field: string): boolean =>
    failed(cellOfField(field, dtype)) && failed(cellOfField(field, "f64"));
  return fields.every(isNoCell) && fields.some((field) => isAttempt(field.trim()))
    ? " (nor are these the names of columns, which do not begin like numbers)"
    : "";
}
