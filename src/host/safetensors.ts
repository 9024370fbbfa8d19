// `.safetensors` files, as bytes: the length of a header, the header as JSON, then the cells of all
// tensors without gaps. https://huggingface.co/docs/safetensors

import { isUnsized } from "../scalar/types.ts";
import { keyIn, type Wanted } from "./archive.ts";
import { asBytes, concatenated, type Bytes } from "./bytes.ts";
import { mostAxes, tooManyAxes } from "../scalar/values/axes.ts";
import { failed, failure } from "../base/failure.ts";
import type { Failure } from "../base/failure.ts";
import { pack, packedAs, unpack, type Packed } from "./packed.ts";
import { repeatedKey } from "./repeated-key.ts";
import { shownJson } from "../scalar/values/shown-json.ts";
import { decodeUtf8, encodeUtf8 } from "../base/utf8.ts";
import { sizeOf, type TensorValue } from "../scalar/values/value.ts";

/** The limit that the format itself sets. */
const longestHeader = 100_000_000;

/** The only key of the header that is not a tensor. */
const ownKey = "__metadata__";

const kinds: Readonly<Record<string, string>> = {
  BOOL: "b1",
  U8: "u1",
  I8: "i1",
  U16: "u2",
  I16: "i2",
  U32: "u4",
  I32: "i4",
  I64: "i8",
  F16: "f2",
  BF16: "bf16",
  F32: "f4",
  F64: "f8",
};

interface Entry {
  readonly kind: Packed;
  readonly shape: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** The names of the tensors in a file. */
export function namesInSafetensors(file: Uint8Array | Bytes): readonly string[] | Failure {
  const layout = readHeader(asBytes(file));
  return failed(layout) ? layout : Object.keys(layout.header).filter((name) => name !== ownKey);
}

export function readSafetensors(file: Uint8Array | Bytes, wanted: Wanted): TensorValue | Failure {
  const bytes = asBytes(file);
  const layout = readHeader(bytes);
  if (failed(layout)) return layout;
  const entries = new Map<string, Entry>();
  for (const [name, described] of Object.entries(layout.header)) {
    if (name === ownKey) continue;
    const entry = entryOf(described);
    if (failed(entry)) return failure(`\`${name}\`: ${entry.error}`);
    entries.set(name, entry);
  }
  const lost = checkLayout(entries, bytes.size - layout.dataStart);
  if (lost) return lost;
  const key = keyIn([...entries.keys()], wanted);
  if (failed(key)) return key;
  const { kind, shape, from } = entries.get(key)!;
  const data = unpack(kind, bytes, layout.dataStart + from, sizeOf(shape), "little");
  return { dtype: kind.dtype, shape, data };
}

function readHeader(
  bytes: Bytes,
): { readonly header: object; readonly dataStart: number } | Failure {
  if (bytes.size < 8)
    return failure("the .safetensors file is truncated: it ends within the length of its header");
  const first = bytes.read(0, 8);
  const length = new DataView(first.buffer, first.byteOffset, 8).getBigUint64(0, true);
  if (length > longestHeader)
    return failure(
      `this is not a .safetensors file: its header would have ${length} bytes, ` +
        "more than the format allows",
    );
  const dataStart = 8 + Number(length);
  if (dataStart > bytes.size)
    return failure(
      "the .safetensors file is truncated: " +
        `its header has ${length} bytes, ${bytes.size - 8} are there`,
    );
  const malformed = failure("this is not a .safetensors file: its header is not a JSON object");
  const text = decodeUtf8(bytes.read(8, dataStart));
  if (text === undefined) return malformed;
  try {
    const header: unknown = JSON.parse(text);
    if (typeof header !== "object" || header === null || Array.isArray(header)) return malformed;
    const twice = repeatedKey(text);
    return twice === undefined
      ? { header, dataStart }
      : failure(`the header of the file has the key \`${twice}\` twice`);
  } catch {
    return malformed;
  }
}

function entryOf(described: unknown): Entry | Failure {
  if (typeof described !== "object" || described === null)
    return failure("its description is not an object");
  const { dtype, shape, data_offsets: offsets } = described as { readonly [key: string]: unknown };
  const packed =
    typeof dtype === "string" && Object.hasOwn(kinds, dtype) ? packedAs(kinds[dtype]!) : undefined;
  if (!packed) return failure(`its dtype ${orMissing(dtype)} has no counterpart here`);
  if (!isExtents(shape)) return failure(`its shape ${orMissing(shape)} is not a list of extents`);
  if (shape.length > mostAxes) return failure(tooManyAxes(shape.length));
  if (!isExtents(offsets) || offsets.length !== 2)
    return failure("its data_offsets are not two positions");
  const [from, to] = offsets as readonly [number, number];
  const size = sizeOf(shape) * packed.bytes;
  if (!Number.isSafeInteger(size)) return failure(`its shape [${shape.join(", ")}] is too large`);
  if (to - from !== size)
    return failure(
      `the shape [${shape.join(", ")}] of ${String(dtype)} needs ${size} bytes, ` +
        `${to - from} are set aside`,
    );
  return { kind: packed, shape, from, to };
}

const orMissing = (json: unknown): string =>
  json === undefined ? "is missing and" : shownJson(json);

function isExtents(list: unknown): list is readonly number[] {
  return Array.isArray(list) && list.every((each) => Number.isSafeInteger(each) && each >= 0);
}

/**
 * Checks that the cells of all tensors follow one another without gaps, from the first byte to the
 * last.
 */
function checkLayout(entries: ReadonlyMap<string, Entry>, available: number): Failure | undefined {
  let end = 0;
  const order = [...entries].sort(([, a], [, b]) => a.from - b.from || a.to - b.to);
  for (const [name, { from, to }] of order) {
    if (from < end) return failure(`\`${name}\` lies over another tensor in the file`);
    if (from > end)
      return failure(`there are ${from - end} bytes before \`${name}\` that belong to no tensor`);
    end = to;
  }
  if (end > available)
    return failure(
      `the .safetensors file is truncated: its tensors need ${end} bytes, ${available} are there`,
    );
  if (end < available)
    return failure(`there are ${available - end} bytes at the end that belong to no tensor`);
  return undefined;
}

const names = {
  bool: "BOOL",
  i8: "I8",
  i32: "I32",
  i64: "I64",
  f16: "F16",
  bf16: "BF16",
  f32: "F32",
  f64: "F64",
} as const;

export function writeSafetensors(values: ReadonlyMap<string, TensorValue>): Uint8Array | Failure {
  const parts = safetensorsParts(values);
  return failed(parts) ? parts : concatenated(parts);
}

/** The file in parts: the header, and the cells of each tensor without a copy. */
export function safetensorsParts(
  values: ReadonlyMap<string, TensorValue>,
): readonly Uint8Array[] | Failure {
  const header: Record<string, object> = Object.create(null) as Record<string, object>;
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const [key, { dtype, shape, data }] of values) {
    if (isUnsized(dtype)) return failure(`\`${key}\`: a .safetensors file cannot hold strings`);
    if (key === ownKey)
      return failure(
        `\`${key}\` is what the format calls its own notes: give the tensor another name`,
      );
    const cells = pack(dtype, data);
    header[key] = { dtype: names[dtype], shape, data_offsets: [end, end + cells.length] };
    parts.push(cells);
    end += cells.length;
  }
  // Spaces after the header make the cells start at a multiple of eight bytes, as the format
  // demands.
  const bare = encodeUtf8(JSON.stringify(header));
  const length = Math.ceil(bare.length / 8) * 8;
  const bytes = new Uint8Array(8 + length).fill(0x20, 8 + bare.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(bare, 8);
  return [bytes, ...parts];
}
