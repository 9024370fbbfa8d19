// The files of `--in` and `--save`: which format a name means, what is read from such a file, and what is written to it.

import type { DeclaredInput } from "../compile.ts";
import { failed, failure, type Failure } from "../host/failure.ts";
import { readCsv, writeCsv } from "../host/csv.ts";
import { fromJson } from "../host/json.ts";
import { decodeText } from "../host/node/files.ts";
import { inflate } from "../host/node/inflate.ts";
import { readNpy, writeNpy } from "../host/npy.ts";
import { readNpz, writeNpz } from "../host/npz.ts";
import { readSafetensors, writeSafetensors } from "../host/safetensors.ts";
import type { TensorValue } from "../host/value.ts";
import { isInteger } from "../ir/scalar/types.ts";

type Format = "npy" | "npz" | "safetensors" | "csv" | "json";

export const readable = ["`.npy`", "`.npz:key`", "`.safetensors:key`", "`.csv`", "`.json`"];
export const writable = ["`.npy`", "`.npz`", "`.safetensors`", "`.csv`"];

/** A file, and for an archive the key that stands behind its name. */
export interface FilePlace {
  readonly path: string;
  readonly format: Format;
  readonly key?: string;
}

/** Nothing where the ending is not known. */
export function placeOf(text: string): FilePlace | undefined {
  const archive = /^(.*\.(npz|safetensors))(?::(.+))?$/is.exec(text);
  if (archive) {
    const [, path, format, key] = archive;
    return { path: path!, format: format!.toLowerCase() as Format, ...(key === undefined ? {} : { key }) };
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

/** What a file holds, once it is known to be what its name says: fitted to an input, where the file itself has no types. */
export interface Content {
  readonly as: (input: DeclaredInput) => TensorValue | Failure;
}

/** `name` is the input that the file is for. */
export function contentOf({ format, key }: FilePlace, bytes: Uint8Array, name: string): Content | Failure {
  const wanted = { name, ...(key === undefined ? {} : { key }) };
  switch (format) {
    case "npy":
      return typed(readNpy(bytes));
    case "npz":
      return typed(readNpz(bytes, wanted, inflate));
    case "safetensors":
      return typed(readSafetensors(bytes, wanted));
    case "csv": {
      const text = decodeText(bytes);
      if (!text.ok) return failure(text.why);
      return { as: ({ dtype, shape }) => readCsv(text.value, dtype, shape?.length) };
    }
    case "json":
      return jsonContent(bytes);
    default:
      return format satisfies never;
  }
}

function typed(value: TensorValue | Failure): Content | Failure {
  return failed(value) ? value : { as: () => value };
}

/** Integers that a plain number would round are read as texts, which keep every digit. */
export function withWholeIntegers(text: string): string {
  const piece = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
  return text.replace(piece, (one) =>
    /^-?\d{16,}$/.test(one) && !Number.isSafeInteger(Number(one)) ? `"${one}"` : one,
  );
}

/** The numbers of JSON have no type of their own: they are read as the declared one. */
function jsonContent(bytes: Uint8Array): Content | Failure {
  const text = decodeText(bytes);
  if (!text.ok) return failure(text.why);
  try {
    const json: unknown = JSON.parse(text.value);
    return { as: ({ dtype }) => fromJson(isInteger(dtype) ? JSON.parse(withWholeIntegers(text.value)) : json, dtype) };
  } catch (problem) {
    return failure(`it is not JSON (${problem instanceof Error ? problem.message : String(problem)})`);
  }
}

/** The content of a file with these values; only archives have room for several. */
export function bytesOf(format: Format, values: ReadonlyMap<string, TensorValue>): string | Uint8Array | Failure {
  const [value] = [...values.values()];
  switch (format) {
    case "npy":
      return writeNpy(value!);
    case "npz":
      return writeNpz(values);
    case "safetensors":
      return writeSafetensors(values);
    case "csv":
      return writeCsv(value!);
    case "json":
      return failure("results are not written as JSON files; use `--json`");
    default:
      return format satisfies never;
  }
}
