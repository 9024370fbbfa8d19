// The door `einlang/formats`: tensors as the bytes of files, in Node and in a browser.

import { error } from "../diagnostics/diagnostic.ts";
import * as csv from "../host/csv.ts";
import { failed, failure, type Failure } from "../base/failure.ts";
import * as npy from "../host/npy.ts";
import * as npz from "../host/npz.ts";
import * as safetensors from "../host/safetensors.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import { wholeValue } from "../scalar/values/whole-value.ts";
import type { Inflate } from "../host/zip.ts";
import { EinError } from "../library/error.ts";
import type { Value } from "../library/value.ts";
import type { DType } from "../scalar/types.ts";

export type { Inflate } from "../host/zip.ts";

/**
 * The tensor of a `.npy` file, of versions 1 to 3, in either byte order and either memory order.
 */
export function readNpy(bytes: Uint8Array | ArrayBuffer): Value {
  return given("E0881", npy.readNpy(bytesOf(bytes))) as Value;
}

/** A `.npy` file that `numpy.load` reads. */
export function writeNpy(value: Value): Uint8Array {
  return given("E0882", npy.writeNpy(whole("the value", value)));
}

/**
 * A tensor of a `.npz` file. The key may be left out if there is only one tensor. `inflate` unpacks
 * compressed files.
 */
export function readNpz(
  bytes: Uint8Array | ArrayBuffer,
  key?: string,
  inflate: Inflate = noInflate,
): Value {
  return given("E0881", npz.readNpz(bytesOf(bytes), wanted(key), inflate)) as Value;
}

/** A `.npz` file that `numpy.load` reads, without compression. */
export function writeNpz(values: Readonly<Record<string, Value>>): Uint8Array {
  return given("E0882", npz.writeNpz(mapOf(values)));
}

/** A tensor of a `.safetensors` file. The key may be left out if there is only one tensor. */
export function readSafetensors(bytes: Uint8Array | ArrayBuffer, key?: string): Value {
  return given("E0881", safetensors.readSafetensors(bytesOf(bytes), wanted(key))) as Value;
}

/** A `.safetensors` file. */
export function writeSafetensors(values: Readonly<Record<string, Value>>): Uint8Array {
  return given("E0882", safetensors.writeSafetensors(mapOf(values)));
}

/**
 * A table of numbers, bools or strings, with or without a line of column names. With `rank` 1, a
 * table with one row or one column becomes a vector.
 */
export function readCsv(text: string, dtype: DType = "f32", rank: 1 | 2 = 2): Value {
  return given("E0881", csv.readCsv(text, dtype, rank)) as Value;
}

/** A vector as one column, or a matrix row by row. */
export function writeCsv(value: Value): string {
  return given("E0882", csv.writeCsv(whole("the value", value)));
}

const noInflate: Inflate = () =>
  failure("it is compressed, and nothing was given to unpack it with; save it with numpy.savez");

/** The bytes of a file. `fetch` gives an ArrayBuffer. */
function bytesOf(bytes: Uint8Array | ArrayBuffer): Uint8Array {
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  return given(
    "E0881",
    bytes instanceof Uint8Array
      ? bytes
      : failure("a file is given as a Uint8Array or an ArrayBuffer"),
  );
}

function wanted(key: string | undefined): { readonly name: string; readonly key?: string } {
  return { name: key ?? "", ...(key === undefined ? {} : { key }) };
}

function mapOf(values: Readonly<Record<string, Value>>): ReadonlyMap<string, TensorValue> {
  return new Map(
    Object.entries(values).map(([name, value]) => [name, whole(`\`${name}\``, value)]),
  );
}

/** The value, if its data fits its shape and dtype. */
function whole(what: string, value: Value): TensorValue {
  const outcome = wholeValue(value);
  return given("E0882", failed(outcome) ? failure(`${what} ${outcome.error}`) : outcome);
}

function given<T>(code: "E0881" | "E0882", outcome: T | Failure): T {
  if (failed(outcome)) throw new EinError([error(code, outcome.error, undefined)]);
  return outcome;
}
