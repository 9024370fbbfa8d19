// Tables as `.csv` files: a line for each row, fields separated by commas, perhaps a line of column names before them.

import { failed, failure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { jsonScalar } from "./json.ts";
import { at, fromNested, type Nested, type TensorValue } from "./value.ts";
import { isFloat, type ElementType, type Scalar } from "../ir/scalar/types.ts";

/** A table of the given element type; of rank 1 where that is wanted and the table has one row or one column. */
export function readCsv(text: string, dtype: ElementType, rank: number | undefined): TensorValue | Failure {
  const lines = linesOf(text);
  if (failed(lines)) return lines;
  const [first, ...others] = lines;
  if (!first) return fromNested(dtype, rank === 1 ? [] : [[]]);
  const hasNames = dtype !== "str" && first.fields.every((field) => failed(cellOf(field, dtype)));
  const rows: Nested[][] = [];
  for (const { fields, line } of hasNames ? others : lines) {
    if (fields.length !== first.fields.length)
      return failure(`line ${line} has ${count(fields.length)}, line ${first.line} has ${count(first.fields.length)}`);
    const row: Nested[] = [];
    for (const [k, field] of fields.entries()) {
      const cell = cellOf(field, dtype);
      if (failed(cell)) return failure(`line ${line}, column ${k + 1}: ${cell.error}`);
      row.push(cell);
    }
    rows.push(row);
  }
  if (rank === 1 && first.fields.length === 1) return fromNested(dtype, rows.flat());
  if (rank === 1 && rows.length === 1) return fromNested(dtype, rows[0]!);
  if (rows.length === 0) return { dtype, shape: [0, first.fields.length], data: emptyOf(dtype) };
  return fromNested(dtype, rows);
}

function emptyOf(dtype: ElementType): TensorValue["data"] {
  const none = fromNested(dtype, []);
  return failed(none) ? [] : none.data;
}

const count = (n: number): string => (n === 1 ? "1 field" : `${n} fields`);

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const nonFinite: Readonly<Record<string, number>> = { nan: NaN, inf: Infinity, infinity: Infinity };

function cellOf(field: string, dtype: ElementType): Scalar | Failure {
  const text = dtype === "str" ? field : field.trim();
  if (dtype === "str") return text;
  if (dtype === "bool") {
    const word = text.toLowerCase();
    return word === "true" || word === "false" ? word === "true" : failure(`${JSON.stringify(text)} is not a bool`);
  }
  if (!isFloat(dtype))
    return /^[+-]?\d+$/.test(text) ? BigInt(text) : failure(`${JSON.stringify(text)} is not an integer`);
  if (number.test(text)) return Number(text);
  const far = nonFinite[text.toLowerCase().replace(/^[+-]/, "")];
  if (far !== undefined) return text.startsWith("-") ? -far : far;
  return failure(
    text === "" ? "there is nothing; a missing number is written NaN" : `${JSON.stringify(text)} is not a number`,
  );
}

interface Line {
  readonly fields: readonly string[];
  /** Counted from 1, in the file. */
  readonly line: number;
}

/** Fields in quotes may hold commas, line breaks and doubled quotes. Empty lines are left out. */
function linesOf(text: string): readonly Line[] | Failure {
  const lines: Line[] = [];
  const field = /"((?:[^"]|"")*)"|([^,\r\n"]*)/y;
  let position = 0;
  let line = 1;
  while (position < text.length) {
    const fields: string[] = [];
    const start = line;
    for (;;) {
      field.lastIndex = position;
      const [whole, quoted, plain] = field.exec(text)!;
      fields.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
      position += whole.length;
      line += whole.split("\n").length - 1;
      if (text[position] !== ",") break;
      position++;
    }
    if (position < text.length && !/[\r\n]/.test(text[position]!))
      return failure(`line ${line}: a quote begins or ends in the middle of a field`);
    if (text.startsWith("\r\n", position)) position++;
    position++;
    line++;
    if (fields.length > 1 || fields[0] !== "") lines.push({ fields, line: start });
  }
  return lines;
}

/** A vector as one column, a matrix row by row. */
export function writeCsv(value: TensorValue): string | Failure {
  const { dtype, shape, data } = value;
  if (shape.length > 2)
    return failure(`a .csv file holds a table, this has rank ${shape.length}; save it as .npy, .npz or .safetensors`);
  const columns = shape.length === 2 ? shape[1]! : 1;
  const rows = shape[0] ?? 1;
  const cell = (offset: number): string => quoted(String(jsonScalar(dtype, at(value, offset))));
  if (data.length === 0) return "";
  return Array.from(
    { length: rows },
    (_, row) => `${Array.from({ length: columns }, (__, column) => cell(row * columns + column)).join(",")}\n`,
  ).join("");
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
