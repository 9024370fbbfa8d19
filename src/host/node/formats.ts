// The files of `--in` and `--save`: the format that a name means, and how its content is read and
// written.

import type { DeclaredInput } from "../../lower/declared-input.ts";
import { failed, failure, type Failure } from "../../base/failure.ts";
import { piecesOf, type Bytes } from "../bytes.ts";
import { csvParts, readCsvPieces } from "../csv.ts";
import { fromJson } from "../json.ts";
import { jsonIn } from "../json-in.ts";
import { decodeText } from "./files.ts";
import { inflate } from "./inflate.ts";
import { npyParts, readNpy } from "../npy.ts";
import { npzParts, readNpz } from "../npz.ts";
import { readSafetensors, safetensorsParts } from "../safetensors.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import { type ElementType } from "../../scalar/types.ts";

type Format = "npy" | "npz" | "safetensors" | "csv" | "json";

export const readable = ["`.npy`", "`.npz:key`", "`.safetensors:key`", "`.csv`", "`.json`"];
export const writable = ["`.npy`", "`.npz`", "`.safetensors`", "`.csv`"];

/** A file, and the key after its name if it is an archive. */
export interface FilePlace {
  readonly path: string;
  readonly format: Format;
  readonly key?: string;
}

/** The file and format of a path, or undefined if its ending is not known. */
export function filePlaceOf(text: string): FilePlace | undefined {
  const archive = /^(.*\.(npz|safetensors))(?::(.+))?$/is.exec(text);
  if (archive) {
    const [, path, format, key] = archive;
    return {
      path: path!,
      format: format!.toLowerCase() as Format,
      ...(key === undefined ? {} : { key }),
    };
  }
  const ending = /\.(npy|csv|json)$/i.exec(text)?.[1];
  return ending === undefined ? undefined : { path: text, format: ending.toLowerCase() as Format };
}

export function isArchive(format: Format): boolean {
  return format === "npz" || format === "safetensors";
}

export function isWritable(place: FilePlace | undefined): boolean {
  return place !== undefined && place.format !== "json";
}

/**
 * The content of a file. The outer failure means that the file is not of its format; the inner one
 * means that its content does not fit.
 */
type Content = { readonly value: TensorValue | Failure } | Failure;

/** Reads a file for an input. A format without types gets the declared type. */
export function contentOf(
  { format, key }: FilePlace,
  bytes: Bytes,
  { name, dtype, shape }: DeclaredInput,
): Content {
  const wanted = { name, ...(key === undefined ? {} : { key }) };
  switch (format) {
    case "npy":
      return typed(readNpy(bytes));
    case "npz":
      return typed(readNpz(bytes, wanted, inflate));
    case "safetensors":
      return typed(readSafetensors(bytes, wanted));
    case "csv":
      return csvContent(bytes, dtype, shape?.length);
    case "json":
      return jsonContent(bytes.read(0, bytes.size), dtype);
    default:
      return format satisfies never;
  }
}

function typed(value: TensorValue | Failure): Content {
  return failed(value) ? value : { value };
}

/** Thrown if a piece is not UTF-8 text. */
class NotText extends Error {}

function csvContent(bytes: Bytes, dtype: ElementType, rank: number | undefined): Content {
  try {
    return { value: readCsvPieces(textPieces(bytes), dtype, rank) };
  } catch (problem) {
    if (!(problem instanceof NotText)) throw problem;
    const text = decodeText(bytes.read(0, bytes.size));
    return failure(text.ok ? "it is not UTF-8 text" : text.why);
  }
}

function* textPieces(bytes: Bytes): Generator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decoded = (piece?: Uint8Array): string => {
    try {
      return piece ? decoder.decode(piece, { stream: true }) : decoder.decode();
    } catch {
      throw new NotText();
    }
  };
  // A piece becomes many small strings, so the pieces are small.
  for (const piece of piecesOf(bytes, 0, bytes.size, 1 << 16)) yield decoded(piece);
  yield decoded();
}

/** JSON numbers have no type, so they are read as the declared type. */
function jsonContent(bytes: Uint8Array, dtype: ElementType): Content {
  const text = decodeText(bytes);
  if (!text.ok) return failure(text.why);
  const json = jsonIn(text.value, dtype);
  return failed(json) ? json : { value: fromJson(json.json, dtype) };
}

/** The parts of a file with these values. Only archives hold several values. */
export function partsFor(
  format: Format,
  values: ReadonlyMap<string, TensorValue>,
): Iterable<string | Uint8Array> | Failure {
  const [value] = [...values.values()];
  switch (format) {
    case "npy":
      return npyParts(value!);
    case "npz":
      return npzParts(values);
    case "safetensors":
      return safetensorsParts(values);
    case "csv":
      return csvParts(value!);
    case "json":
      return failure("results are not written as JSON files; use `--json`");
    default:
      return format satisfies never;
  }
}
