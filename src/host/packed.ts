// Cells as files hold them: one after the other, with a width and a byte order.

import { bf16FromBits, bf16ToBits, f16FromBits, f16ToBits } from "../scalar/round.ts";
import { allocate } from "../scalar/types.ts";
import type { ElementType, TypedArray, Unsized } from "../scalar/types.ts";
import { pieceBytes, type Bytes } from "./bytes.ts";
import type { TensorValue } from "../scalar/values/value.ts";

export interface Packed {
  /**
   * The element type after reading. A type that the language lacks becomes the next wider one: u1
   * becomes i32.
   */
  readonly dtype: Exclude<ElementType, Unsized>;
  readonly bytes: number;
  /** The cells of some bytes in the byte order of this machine. */
  readonly view: (buffer: ArrayBuffer) => ArrayLike<number> | BigInt64Array;
  /** Whether the cells of a file have the same bytes as those in memory. */
  readonly isStored?: true;
}

/** By letter and width, as NumPy names the types. */
const kinds: Readonly<Record<string, Packed>> = {
  b1: { dtype: "bool", bytes: 1, view: (buffer) => new Uint8Array(buffer) },
  i1: { dtype: "i8", bytes: 1, view: (buffer) => new Int8Array(buffer), isStored: true },
  i2: { dtype: "i32", bytes: 2, view: (buffer) => new Int16Array(buffer) },
  i4: { dtype: "i32", bytes: 4, view: (buffer) => new Int32Array(buffer), isStored: true },
  i8: { dtype: "i64", bytes: 8, view: (buffer) => new BigInt64Array(buffer), isStored: true },
  u1: { dtype: "i32", bytes: 1, view: (buffer) => new Uint8Array(buffer) },
  u2: { dtype: "i32", bytes: 2, view: (buffer) => new Uint16Array(buffer) },
  u4: { dtype: "i64", bytes: 4, view: (buffer) => new Uint32Array(buffer) },
  f2: {
    dtype: "f16",
    bytes: 2,
    view: (buffer) => Float32Array.from(new Uint16Array(buffer), f16FromBits),
  },
  bf16: {
    dtype: "bf16",
    bytes: 2,
    view: (buffer) => Float32Array.from(new Uint16Array(buffer), bf16FromBits),
  },
  f4: { dtype: "f32", bytes: 4, view: (buffer) => new Float32Array(buffer), isStored: true },
  f8: { dtype: "f64", bytes: 8, view: (buffer) => new Float64Array(buffer), isStored: true },
};

export function packedAs(name: string): Packed | undefined {
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

const hostIsLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Reads cells into the array of their element type. Cells with the same bytes in memory are read
 * directly, others piece by piece.
 */
export function unpack(
  kind: Packed,
  bytes: Bytes,
  from: number,
  count: number,
  order: "little" | "big",
): TypedArray {
  const store = allocate(kind.dtype, count);
  const isSwapped = kind.bytes > 1 && (order === "big") === hostIsLittle;
  if (kind.isStored) {
    const whole = new Uint8Array(store.buffer);
    bytes.readInto(whole, from);
    if (isSwapped) swapBytes(whole, kind.bytes);
    return store;
  }
  const most = pieceBytes / kind.bytes;
  for (let at = 0; at < count; at += most) {
    const end = Math.min(count, at + most);
    const piece = new Uint8Array((end - at) * kind.bytes);
    bytes.readInto(piece, from + at * kind.bytes);
    if (isSwapped) swapBytes(piece, kind.bytes);
    const cells = kind.view(piece.buffer);
    if (store instanceof BigInt64Array)
      for (let k = 0; k < end - at; k++) store[at + k] = BigInt(cells[k]!);
    else
      for (let k = 0; k < end - at; k++)
        store[at + k] = kind.dtype === "bool" ? Number(cells[k] !== 0) : Number(cells[k]);
  }
  return store;
}

/** The bytes of cells, in little-endian order. */
export function pack(dtype: Exclude<ElementType, Unsized>, data: TensorValue["data"]): Uint8Array {
  const cells = data as TypedArray;
  if (dtype === "f16") return littleEndian(Uint16Array.from(cells as Float32Array, f16ToBits));
  if (dtype === "bf16") return littleEndian(Uint16Array.from(cells as Float32Array, bf16ToBits));
  return littleEndian(cells);
}

function littleEndian(data: TypedArray | Uint16Array): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (hostIsLittle || data.BYTES_PER_ELEMENT === 1) return bytes;
  const copy = bytes.slice();
  swapBytes(copy, data.BYTES_PER_ELEMENT);
  return copy;
}

function swapBytes(bytes: Uint8Array, width: number): void {
  for (let start = 0; start < bytes.length; start += width)
    bytes.subarray(start, start + width).reverse();
}
