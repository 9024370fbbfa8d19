// Damaged data files: each is read completely and correctly, or refused quickly with a message of
// Einlang.

import { contentOf, partsFor, type FilePlace } from "../../src/host/node/formats.ts";
import { asBytes } from "../../src/host/bytes.ts";
import { failed } from "../../src/base/failure.ts";
import { toJson } from "../../src/host/json.ts";
import { sizeOf, type TensorValue } from "../../src/scalar/values/value.ts";
import type { ElementType } from "../../src/scalar/types.ts";
import { damaged, dtypeFor, encoded, formats, valueOf, type Format } from "../generate/files.ts";
import { chance, pick, randomOf } from "../generate/random.ts";
import type { FuzzFailure, FuzzReport } from "./parser.ts";

/** The milliseconds that reading a small file may take. */
const mostWork = 1000;

/** Words of engines and parsers, which no message repeats. */
const hostWords = new RegExp(
  "Maximum call stack|Cannot read|is not a function|undefined|Unexpected|RangeError|TypeError|" +
    String.raw`Invalid|\bat \S+:\d+`,
);

/**
 * Reads `count` files. The n-th is made from `seed + n` alone, so that a failure can be repeated.
 */
export function fuzzFiles(seed: number, count: number): FuzzReport {
  const failures: FuzzFailure[] = [];
  for (let n = 0; n < count; n++) {
    const random = randomOf(seed + n);
    const format = pick(random, formats);
    const dtype = dtypeFor(random, format);
    const value = valueOf(random, dtype, format);
    const file = fileOf(format, value);
    const isWhole = chance(random, 0.1);
    const bytes = isWhole ? file : damaged(random, file);
    const problem = problemOf(format, dtype, bytes, isWhole ? value : undefined);
    const program = `${format} as ${dtype}, base64: ${Buffer.from(bytes).toString("base64")}`;
    if (problem) failures.push({ seed: seed + n, program, problem });
  }
  return { programs: count, failures };
}

function fileOf(format: Format, value: TensorValue): Uint8Array {
  if (format === "json") return encoded(JSON.stringify(nested(value)));
  const parts = partsFor(format, new Map([["x", value]]));
  if (failed(parts)) throw new Error(parts.error);
  return Uint8Array.from(
    [...parts].flatMap((part) => [...(typeof part === "string" ? encoded(part) : part)]),
  );
}

function nested(value: TensorValue): unknown {
  const { data, shape } = toJson(value);
  const part = (axis: number, from: number): unknown => {
    if (axis === shape.length) return data[from];
    const step = sizeOf(shape.slice(axis + 1));
    return Array.from({ length: shape[axis]! }, (_, k) => part(axis + 1, from + k * step));
  };
  return part(0, 0);
}

/** What is wrong with the reading of a file. `whole` is the content of the undamaged file. */
export function problemOf(
  format: Format,
  dtype: ElementType,
  bytes: Uint8Array,
  whole?: TensorValue,
): string | undefined {
  const before = process.cpuUsage();
  const place: FilePlace = { path: `x.${format}`, format };
  try {
    const content = contentOf(place, asBytes(bytes), { name: "x", dtype, shape: undefined });
    const { user, system } = process.cpuUsage(before);
    const spent = (user + system) / 1000;
    if (spent > mostWork) return `took ${Math.round(spent)} ms`;
    const value = failed(content) ? content : content.value;
    if (failed(value))
      return whole ? `a whole file is refused: ${value.error}` : messageProblem(value.error);
    return valueProblem(value, whole) ?? textProblem(format, dtype, bytes, value);
  } catch (thrown) {
    return `threw ${thrown instanceof Error ? thrown.stack : String(thrown)}`;
  }
}

function messageProblem(message: string): string | undefined {
  if (hostWords.test(message)) return `the words of the host: ${message}`;
  if (message.length > 400) return `a message of ${message.length} characters`;
  return /[\0\n\r]/.test(message)
    ? `a message with control characters: ${JSON.stringify(message)}`
    : undefined;
}

type Cell = number | bigint | string;

function cellsOf(data: TensorValue["data"]): readonly Cell[] {
  return Array.from(data as ArrayLike<Cell>);
}

function valueProblem(
  { shape, data }: TensorValue,
  whole: TensorValue | undefined,
): string | undefined {
  if (data.length !== sizeOf(shape)) return `${data.length} cells for the shape ${shape.join()}`;
  if (!whole) return undefined;
  if (shape.join() !== whole.shape.join())
    return `the shape ${shape.join()}, written ${whole.shape.join()}`;
  const [cells, written] = [cellsOf(data), cellsOf(whole.data)];
  const at = cells.findIndex((cell, k) => !Object.is(cell, written[k]));
  return at < 0 ? undefined : `cell ${at} is ${cells[at]}, written ${written[at]}`;
}

/** The functions of the engine read texts too: both must give the same numbers. */
function textProblem(
  format: Format,
  dtype: ElementType,
  bytes: Uint8Array,
  value: TensorValue,
): string | undefined {
  if (format !== "csv" && format !== "json") return undefined;
  const text = new TextDecoder().decode(bytes);
  const words = format === "csv" ? csvWords(text, value) : jsonWords(JSON.parse(text));
  if (words === undefined) return undefined;
  if (words.length !== value.data.length)
    return `${words.length} numbers, read as ${value.data.length}`;
  const cells = cellsOf(value.data);
  const at = cells.findIndex((cell, k) => !agrees(dtype, cell, words[k]!));
  return at < 0 ? undefined : `cell ${at} is ${cells[at]}, written ${JSON.stringify(words[at])}`;
}

function agrees(dtype: ElementType, cell: Cell, word: string): boolean {
  if (dtype === "bool") return Boolean(cell) === (word.toLowerCase() === "true");
  if (dtype === "i64" || dtype === "i32")
    return BigInt(cell) === BigInt(Number(word)) || `${cell}` === word.replace(/^\+/, "");
  const far = /^[-+]?(?:nan|inf|infinity)$/i.test(word);
  const number = far ? NaN : Number(word);
  if (far) return !Number.isFinite(Number(cell));
  return Object.is(cell, dtype === "f32" ? Math.fround(number) : number);
}

/**
 * The fields of a table without quotes. A first line of names is left out where one row is missing.
 */
function csvWords(text: string, { shape }: TensorValue): readonly string[] | undefined {
  if (text.includes('"')) return undefined;
  const lines = text
    .replace(/^\ufeff/, "")
    .split(/\r?\n|\r/)
    .filter((line) => line.trim() !== "");
  const rows = lines.slice(lines.length - shape[0]!);
  return rows.flatMap((line) => line.split(",").map((field) => field.trim()));
}

function jsonWords(json: unknown): readonly string[] | undefined {
  if (Array.isArray(json)) {
    const parts = json.map(jsonWords);
    return parts.includes(undefined) ? undefined : parts.flatMap((part) => part!);
  }
  if (typeof json === "object") return undefined;
  return [Object.is(json, -0) ? "-0" : `${json as Cell}`];
}
