// The door `einlang/files`, for Node: tensors from files and to files, in any format.

import {
  contentOf,
  isArchive,
  partsFor,
  filePlaceOf,
  readable,
  writable,
} from "../../host/node/formats.ts";
import { error, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { EinError } from "../../library/error.ts";
import type { Value } from "../../library/value.ts";
import type { DType } from "../../scalar/types.ts";
import { failed } from "../../base/failure.ts";
import type { TensorValue } from "../../scalar/values/value.ts";
import { wholeValue } from "../../scalar/values/whole-value.ts";
import { withBytes, writeAtomically } from "../../host/node/files.ts";

export interface LoadOptions {
  /** The element type for formats without types (`.csv`, `.json`). The default is f32. */
  readonly dtype?: DType;
  /** The rank of a `.csv` file that has one row or one column. */
  readonly rank?: number;
}

/**
 * The tensor in a `.npy`, `.npz:key`, `.safetensors:key`, `.csv` or `.json` file. Only the needed
 * bytes of a large file are read: one tensor of an archive, or a table line by line.
 */
export function load(path: string, { dtype = "f32", rank }: LoadOptions = {}): Value {
  const place = filePlaceOf(path);
  if (!place)
    throw thrown(
      error("E0883", `cannot read \`${path}\`: its format is not known`, undefined, {
        help: `what can be read is ${readable.join(", ")}`,
      }),
    );
  const shape = rank === undefined ? {} : { shape: Array.from({ length: rank }, () => undefined) };
  const content = withBytes(place.path, (bytes) =>
    contentOf(place, bytes, { name: place.key ?? "", dtype, ...shape }),
  );
  const why = !content.ok ? content.why : failed(content.value) ? content.value.error : undefined;
  if (!content.ok || failed(content.value))
    throw thrown(error("E0881", `cannot read \`${path}\`: ${why}`, undefined));
  const { value } = content.value;
  if (failed(value))
    throw thrown(error("E0881", `cannot read \`${path}\`: ${value.error}`, undefined));
  return value as Value;
}

/**
 * Writes a tensor to a `.npy` or `.csv` file, or several by name to a `.npz` or `.safetensors`
 * file. Another process sees either the old file or the new one.
 */
export function save(path: string, value: Value | Readonly<Record<string, Value>>): void {
  const place = filePlaceOf(path);
  if (!place || place.format === "json")
    throw thrown(
      error("E0883", `\`${path}\` cannot be written: its format is not known`, undefined, {
        help: `what can be written is ${writable.join(", ")}`,
      }),
    );
  if (typeof value !== "object" || value === null)
    throw thrown(
      error(
        "E0882",
        `cannot write \`${path}\`: what came is ${value === null ? "null" : typeof value}`,
        undefined,
        { help: "give a value, `{ data, shape, dtype }`, or several by name" },
      ),
    );
  const isOne = "dtype" in value && typeof value.dtype === "string";
  if (isOne === isArchive(place.format)) {
    const help = isOne
      ? `give it a name: \`save("${path}", { x: value })\``
      : "save them to a .npz or .safetensors file";
    throw thrown(
      error(
        "E0882",
        `a .${place.format} file holds ${isOne ? "tensors by name" : "one tensor"}`,
        undefined,
        { help },
      ),
    );
  }
  const entries = isOne ? [["", value] as const] : Object.entries(value);
  const values = new Map<string, TensorValue>();
  for (const [name, each] of entries) {
    const whole = wholeValue(each);
    if (failed(whole))
      throw thrown(
        error(
          "E0882",
          `cannot write \`${path}\`: ${name === "" ? "the value" : `\`${name}\``} ${whole.error}`,
          undefined,
        ),
      );
    values.set(name, whole);
  }
  const parts = partsFor(place.format, values);
  const written = failed(parts)
    ? { ok: false as const, why: parts.error }
    : writeAtomically(place.path, parts);
  if (!written.ok)
    throw thrown(error("E0882", `cannot write \`${path}\`: ${written.why}`, undefined));
}

function thrown(diagnostic: Diagnostic): EinError {
  return new EinError([diagnostic]);
}
