// Tables as `.csv` files: a line for each row, with fields between commas, perhaps after a line of
// column names.
//
//   size,price
//   2.0,3.5

import { areNames, cellOfField, firstLineHint, separatorHint } from "./csv-field.ts";
import { failed, failure } from "../base/failure.ts";
import type { Failure } from "../base/failure.ts";
import { jsonScalar } from "./json.ts";
import { at, store as write, toScalar, type TensorValue } from "../scalar/values/value.ts";
import {
  allocate,
  isUnsized,
  type ElementType,
  type Scalar,
  type TypedArray,
  type Unsized,
} from "../scalar/types.ts";

/**
 * A table of the given element type. With rank 1, a table with one row or one column becomes a
 * vector.
 */
export function readCsv(
  text: string,
  dtype: ElementType,
  rank: number | undefined,
): TensorValue | Failure {
  return readCsvPieces([text], dtype, rank);
}

/** A longer line cannot belong to a table. */
const longestLine = 1 << 24;

/**
 * Reads a table whose text comes in pieces. Only the cells and the last incomplete line are held.
 */
export function readCsvPieces(
  pieces: Iterable<string>,
  dtype: ElementType,
  rank: number | undefined,
): TensorValue | Failure {
  const table = newTable(dtype);
  /** The incomplete line so far, its length, and whether it ends between quotes. */
  let rest: string[] = [];
  let length = 0;
  let isQuoted = false;
  for (const piece of pieces) {
    const lines = endOfLines(piece, isQuoted);
    isQuoted = lines.isQuoted;
    if (lines.end > 0) {
      const problem = addLines(table, rest.join("") + piece.slice(0, lines.end));
      if (problem) return problem;
      [rest, length] = [[], 0];
    }
    rest.push(piece.slice(lines.end));
    length += piece.length - lines.end;
    if (length > longestLine)
      return failure(`line ${table.line} is longer than ${longestLine} characters`);
  }
  return addLines(table, rest.join("")) ?? tableValue(table, rank);
}

/**
 * Finds the end of the last complete line in a piece. A line break between quotes does not end a
 * line, so the search must know whether the piece begins between quotes.
 */
function endOfLines(
  piece: string,
  wasQuoted: boolean,
): { readonly end: number; readonly isQuoted: boolean } {
  let end = 0;
  let isQuoted = wasQuoted;
  for (let at = 0; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    if (code === quote) isQuoted = !isQuoted;
    else if (code === lineFeed && !isQuoted) end = at + 1;
  }
  return { end, isQuoted };
}

const quote = '"'.charCodeAt(0);
const lineFeed = "\n".charCodeAt(0);

/** The cells so far, in a store that doubles when it is full. */
interface Table {
  readonly dtype: ElementType;
  /** Strings, or cells of a fixed width. */
  store: string[] | TypedArray;
  cells: number;
  rows: number;
  /** The first line. All other lines must have as many fields. */
  first?: { readonly fields: number; readonly line: number };
  /** The line of the file at which the next text begins. */
  line: number;
}

function newTable(dtype: ElementType): Table {
  return { dtype, store: isUnsized(dtype) ? [] : allocate(dtype, 64), cells: 0, rows: 0, line: 1 };
}

function addLines(table: Table, text: string): Failure | undefined {
  const lines = linesOf(text, table.line);
  if (failed(lines)) return lines;
  table.line = lines.next;
  for (const { fields, line } of lines.lines) {
    const { dtype } = table;
    if (!table.first) {
      table.first = { fields: fields.length, line };
      if (areNames(fields, dtype)) continue;
    }
    const { first } = table;
    if (fields.length !== first.fields) {
      const separated = fields.map(separatorHint).find((hint) => hint !== undefined);
      const hint = separated === undefined ? "" : `; ${separated}`;
      return failure(
        `line ${line} has ${fieldCount(fields.length)}, ` +
          `line ${first.line} has ${fieldCount(first.fields)}${hint}`,
      );
    }
    for (const [k, field] of fields.entries()) {
      const cell = cellOfField(field, dtype);
      const scalar = failed(cell) ? cell : toScalar(dtype, cell);
      if (failed(scalar)) {
        const hint = line === first.line ? firstLineHint(fields, dtype) : "";
        return failure(`line ${line}, column ${k + 1}: ${scalar.error}${hint}`);
      }
      put(table, scalar);
    }
    table.rows++;
  }
  return undefined;
}

function put(table: Table, scalar: Scalar): void {
  const { store, dtype } = table;
  if (Array.isArray(store)) {
    store.push(String(scalar));
    table.cells++;
    return;
  }
  if (table.cells === store.length) {
    const larger = allocate(dtype as Exclude<ElementType, Unsized>, 2 * store.length);
    (larger as Float64Array).set(store as Float64Array);
    table.store = larger;
  }
  write(table.store as TypedArray, table.cells++, scalar);
}

function tableValue(
  { dtype, store, cells, rows, first }: Table,
  rank: number | undefined,
): TensorValue | Failure {
  if (!first) return failure("the file is empty; a table without rows has a line of column names");
  const columns = first.fields;
  const data = store.slice(0, cells);
  if (rank === 1 && (columns === 1 || rows === 1)) return { dtype, shape: [cells], data };
  return { dtype, shape: [rows, columns], data };
}

const fieldCount = (n: number): string => (n === 1 ? "1 field" : `${n} fields`);

interface Line {
  readonly fields: readonly string[];
  /** The number of the line in the file, counted from 1. */
  readonly line: number;
}

/**
 * Splits a text into lines and fields. A field in quotes may hold commas, line breaks and doubled
 * quotes. Empty lines are left out.
 */
function linesOf(
  text: string,
  from: number,
): { readonly lines: readonly Line[]; readonly next: number } | Failure {
  const lines: Line[] = [];
  const plain = /[^,\r\n"]*/y;
  let position = 0;
  let line = from;
  while (position < text.length) {
    const fields: string[] = [];
    const [start, begin] = [line, position];
    for (;;) {
      const end = text[position] === '"' ? endOfQuoted(text, position) : undefined;
      if (end === undefined) {
        plain.lastIndex = position;
        const [whole] = plain.exec(text)!;
        fields.push(whole);
        position += whole.length;
      } else {
        const whole = text.slice(position + 1, end - 1);
        fields.push(whole.replaceAll('""', '"'));
        line += whole.split("\n").length - 1;
        position = end;
      }
      if (text[position] !== ",") break;
      position++;
    }
    const isEmpty = position === begin;
    if (position < text.length && !/[\r\n]/.test(text[position]!))
      return failure(`line ${line}: a quote begins or ends in the middle of a field`);
    if (text.startsWith("\r\n", position)) position++;
    position++;
    line++;
    if (!isEmpty) lines.push({ fields, line: start });
  }
  return { lines, next: line };
}

/**
 * The position after the quote that ends a quoted field, or undefined if there is none. A loop,
 * because a pattern cannot match very long fields.
 */
function endOfQuoted(text: string, from: number): number | undefined {
  let at = from + 1;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end < 0) return undefined;
    if (text[end + 1] !== '"') return end + 1;
    at = end + 2;
  }
}

/** A vector as one column, or a matrix row by row. */
export function writeCsv(value: TensorValue): string | Failure {
  const parts = csvParts(value);
  return failed(parts) ? parts : [...parts].join("");
}

/** The text of the file, some rows at a time. */
export function csvParts(value: TensorValue): Iterable<string> | Failure {
  const { dtype, shape, data } = value;
  if (shape.length > 2)
    return failure(
      `a .csv file holds a table, this has rank ${shape.length}; ` +
        "save it as .npy, .npz or .safetensors",
    );
  const columns = shape.length === 2 ? shape[1]! : 1;
  const rows = shape[0] ?? 1;
  const cell = (offset: number): string => cellText(jsonScalar(dtype, at(value, offset)));
  if (data.length === 0) return withoutRows(value, columns);
  const line = (row: number): string =>
    `${Array.from({ length: columns }, (_, column) => cell(row * columns + column)).join(",")}\n`;
  return pieces(rows, line);
}

/** A table without rows is written as a line of column names, which keeps its number of columns. */
function withoutRows({ dtype, shape }: TensorValue, columns: number): Iterable<string> | Failure {
  const form = `a .csv file cannot hold the shape [${shape.join(", ")}] of ${dtype}`;
  if (dtype === "str") return failure(`${form}: in a table of texts every line is a row`);
  if (columns === 0)
    return failure(`${form}: a row has a field; save the value as .npy, .npz or .safetensors`);
  return [`${Array.from({ length: columns }, (_, column) => `c${column}`).join(",")}\n`];
}

const rowsAtOnce = 1024;

function* pieces(rows: number, line: (row: number) => string): Generator<string> {
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const length = Math.min(rows - from, rowsAtOnce);
    yield Array.from({ length }, (_, k) => line(from + k)).join("");
  }
}

/** The text of a cell. An empty text is put in quotes, because an empty line would be skipped. */
function cellText(cell: unknown): string {
  const text = Object.is(cell, -0) ? "-0.0" : String(cell);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
