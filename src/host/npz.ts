// NumPy's `.npz` files, as bytes: zip archives with one `.npy` file for each tensor.

import { keyIn, type Wanted } from "./archive.ts";
import { concatenated, type Bytes } from "./bytes.ts";
import { failed, failure } from "../base/failure.ts";
import type { Failure } from "../base/failure.ts";
import { npyParts, npyProblem, readNpy } from "./npy.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import { beginningOf, readZipDirectory, readZipEntry, zipParts, type Inflate } from "./zip.ts";

export function readNpz(
  bytes: Uint8Array | Bytes,
  wanted: Wanted,
  inflate: Inflate,
): TensorValue | Failure {
  const entries = readZipDirectory(bytes);
  if (failed(entries)) return entries;
  const tensors = new Map(entries.map((entry) => [entry.name.replace(/\.npy$/, ""), entry]));
  if (tensors.size < entries.length)
    return failure("it has one key twice, with and without `.npy`");
  const key = keyIn([...tensors.keys()], wanted);
  if (failed(key)) return key;
  const entry = tensors.get(key)!;
  // If the beginning shows that the file does not fit its own header, it is not unpacked. Otherwise
  // unpacking gives at most 1032 times the packed bytes.
  const begun = beginningOf(bytes, entry, inflate);
  const wrong = begun && npyProblem(begun, entry.size);
  if (wrong) return failure(`\`${key}\`: ${wrong.error}`);
  const content = readZipEntry(bytes, entry, inflate);
  if (failed(content)) return content;
  const value = readNpy(content);
  return failed(value) ? failure(`\`${key}\`: ${value.error}`) : value;
}

/** The bytes of a file that `numpy.load` reads, without compression, as `numpy.savez` writes it. */
export function writeNpz(values: ReadonlyMap<string, TensorValue>): Uint8Array | Failure {
  const parts = npzParts(values);
  return failed(parts) ? parts : concatenated(parts);
}

/** The file in parts: headers, and the cells of each tensor without a copy. */
export function npzParts(
  values: ReadonlyMap<string, TensorValue>,
): readonly Uint8Array[] | Failure {
  const files = new Map<string, readonly Uint8Array[]>();
  for (const [key, value] of values) {
    const parts = npyParts(value);
    if (failed(parts)) return failure(`\`${key}\`: ${parts.error}`);
    files.set(`${key}.npy`, parts);
  }
  return zipParts(files);
}
