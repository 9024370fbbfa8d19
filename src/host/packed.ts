// Cells as files hold them: one behind the other, in a width and a byte order.

import { bf16FromBits, bf16ToBits, f16FromBits, f16ToBits } from "../ir/scalar/round.ts";
import { allocate } from "../ir/scalar/types.ts";
import type { ElementType, TypedArray, Unsized } from "../ir/scalar/types.ts";
import type { TensorValue } from "./value.ts";

export interface Packed {
  /** What is read; types the language lacks become the next wider one that holds them. */
  readonly dtype: Exclude<ElementType, Unsized>;
  readonly bytes: number;
  /** A typed array over freshly copied bytes in the byte order of this machine. */
  readonly view: (buffer: ArrayBuffer) => ArrayLike<number> | BigInt64Array;
}

/** By letter and width, as NumPy names them. */
const kinds: Readonly<Record<string, Packed>> = {
  b1: { dtype: "bool", bytes: 1, view: (buffer) => new Uint8Array(buffer) },
  i1: { dtype: "i8", bytes: 1, view: (buffer) => new Int8Array(buffer) },
  i2: { dtype: "i32", bytes: 2, view: (buffer) => new Int16Array(buffer) },
  i4: { dtype: "i32", bytes: 4, view: (buffer) => new Int32Array(buffer) },
  i8: { dtype: "i64", bytes: 8, view: (buffer) => new BigInt64Array(buffer) },
  u1: { dtype: "i32", bytes: 1, view: (buffer) => new Uint8Array(buffer) },
  u2: { dtype: "i32", bytes: 2, view: (buffer) => new Uint16Array(buffer) },
  u4: { dtype: "i64", bytes: 4, view: (buffer) => new Uint32Array(buffer) },
  f2: { dtype: "f16", bytes: 2, view: (buffer) => Float32Array.from(new Uint16Array(buffer), f16FromBits) },
  bf16: { dtype: "bf16", bytes: 2, view: (buffer) => Float32Array.from(new Uint16Array(buffer), bf16FromBits) },
  f4: { dtype: "f32", bytes: 4, view: (buffer) => new Float32Array(buffer) },
  f8: { dtype: "f64", bytes: 8, view: (buffer) => new Float64Array(buffer) },
};

export function packedAs(name: string): Packed | undefined {
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

const hostIsLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The cells in the store of their element type. */
export function unpack(kind: Packed, bytes: Uint8Array, order: "little" | "big"): TypedArray {
  const copy = new Uint8Array(bytes);
  if (kind.bytes > 1 && (order === "big") === hostIsLittle) swapBytes(copy, kind.bytes);
  const cells = kind.view(copy.buffer);
  const store = allocate(kind.dtype, 0);
  if (kind.dtype === "bool") return Uint8Array.from(cells as ArrayLike<number>, (cell) => (cell === 0 ? 0 : 1));
  if (cells.constructor === store.constructor) return cells as TypedArray;
  if (kind.dtype === "i64") return BigInt64Array.from(cells as Iterable<number> & ArrayLike<number>, BigInt);
  return Int32Array.from(cells as ArrayLike<number>);
}

/** The bytes of cells, the lowest of each first. */
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
  for (let start = 0; start < bytes.length; start += width) bytes.subarray(start, start + width).reverse();
}
