// NumPy's `.npy` files, as bytes: reading versions 1 to 3 in either byte order and either memory order, and writing version 1.
//
// The format (numpy.lib.format): the magic "\x93NUMPY", a version, the length of a header, the header as a Python dict with
// 'descr', 'fortran_order' and 'shape', then the cells.

import { f16FromBits, f16ToBits } from "../ir/scalar/round.ts";
import { allocate, isUnsized } from "../ir/scalar/types.ts";
import type { ElementType, TypedArray, Unsized } from "../ir/scalar/types.ts";
import { failed, failure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { parseNpyHeader } from "./npyHeader.ts";
import { sizeOf, stridesOf } from "./value.ts";
import type { TensorValue } from "./value.ts";

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** Cells start at a multiple of this, as NumPy writes them. */
const alignment = 64;

interface Kind {
  readonly dtype: Exclude<ElementType, Unsized>;
  readonly bytes: number;
  /** A typed array over freshly copied bytes in the byte order of this machine. */
  readonly view: (buffer: ArrayBuffer) => ArrayLike<number> | BigInt64Array;
}

/** What is read, by NumPy's letter and width; types the language lacks become the next wider one that holds them. */
const kinds: Readonly<Record<string, Kind>> = {
  b1: { dtype: "bool", bytes: 1, view: (buffer) => new Uint8Array(buffer) },
  i1: { dtype: "i8", bytes: 1, view: (buffer) => new Int8Array(buffer) },
  i2: { dtype: "i32", bytes: 2, view: (buffer) => new Int16Array(buffer) },
  i4: { dtype: "i32", bytes: 4, view: (buffer) => new Int32Array(buffer) },
  i8: { dtype: "i64", bytes: 8, view: (buffer) => new BigInt64Array(buffer) },
  u1: { dtype: "i32", bytes: 1, view: (buffer) => new Uint8Array(buffer) },
  u2: { dtype: "i32", bytes: 2, view: (buffer) => new Uint16Array(buffer) },
  u4: { dtype: "i64", bytes: 4, view: (buffer) => new Uint32Array(buffer) },
  f2: { dtype: "f16", bytes: 2, view: (buffer) => Float32Array.from(new Uint16Array(buffer), f16FromBits) },
  f4: { dtype: "f32", bytes: 4, view: (buffer) => new Float32Array(buffer) },
  f8: { dtype: "f64", bytes: 8, view: (buffer) => new Float64Array(buffer) },
};

const hostIsLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

export function readNpy(bytes: Uint8Array): TensorValue | Failure {
  const layout = readPreamble(bytes);
  if (failed(layout)) return layout;
  const header = parseNpyHeader(layout.header);
  if (failed(header)) return header;
  const kind = kindOf(header.descr);
  if (failed(kind)) return kind;
  const { shape } = header;
  const length = sizeOf(shape) * kind.bytes;
  const available = bytes.length - layout.dataStart;
  if (!(length <= available)) {
    return failure(
      `the .npy file is truncated: the shape [${shape.join(", ")}] of ${header.descr} needs ${length} bytes, ${available} are there`,
    );
  }
  const copy = bytes.slice(layout.dataStart, layout.dataStart + length);
  if (kind.bytes > 1 && header.descr.startsWith(">") === hostIsLittle) swapBytes(copy, kind.bytes);
  const cells = inType(kind.dtype, kind.view(copy.buffer));
  return { dtype: kind.dtype, shape, data: header.fortranOrder ? fromFortranOrder(cells, kind.dtype, shape) : cells };
}

function readPreamble(bytes: Uint8Array): { readonly header: string; readonly dataStart: number } | Failure {
  if (!magic.every((byte, offset) => bytes[offset] === byte)) {
    return failure(
      bytes.length === 0 ? "the .npy file is empty" : 'this is not a .npy file: it does not begin with "\\x93NUMPY"',
    );
  }
  const truncated = failure("the .npy file is truncated: it ends within its header");
  const version = bytes[6];
  if (version === undefined) return truncated;
  if (version < 1 || version > 3) return failure(`version ${version} of the .npy format is not known; 1, 2 and 3 are`);
  const headerStart = version === 1 ? 10 : 12;
  if (bytes.length < headerStart) return truncated;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const dataStart = headerStart + (version === 1 ? view.getUint16(8, true) : view.getUint32(8, true));
  if (bytes.length < dataStart) return truncated;
  // Versions 1 and 2 are Latin-1 and version 3 is UTF-8; they differ only in field names, which no header read here has.
  const header = Array.from(bytes.subarray(headerStart, dataStart), (byte) => String.fromCharCode(byte)).join("");
  return { header, dataStart };
}

function kindOf(descr: string): Kind | Failure {
  const name = descr.replace(/^[<>|=]/, "");
  if (Object.hasOwn(kinds, name)) return kinds[name]!;
  const help = "save it as bool, an integer of up to 32 bits, int64, float16, float32 or float64";
  switch (name[0]) {
    case "O":
      return failure(`the .npy file holds Python objects (dtype '${descr}'), which are not numbers; ${help}`);
    case "U":
    case "S":
      return failure(`the .npy file holds strings (dtype '${descr}'); ${help}`);
    case "c":
      return failure(
        `the .npy file holds complex numbers (dtype '${descr}'); save the real and imaginary parts separately`,
      );
    case "V":
      return failure(
        `the .npy file holds raw bytes (dtype '${descr}'; bfloat16 is saved so); save it with astype(np.float32)`,
      );
    default:
      return failure(`the dtype '${descr}' of the .npy file has no counterpart; ${help}`);
  }
}

function swapBytes(bytes: Uint8Array, width: number): void {
  for (let start = 0; start < bytes.length; start += width) bytes.subarray(start, start + width).reverse();
}

/** The cells in the store of their element type; most already are. */
function inType(dtype: Kind["dtype"], cells: ArrayLike<number> | BigInt64Array): TypedArray {
  const store = allocate(dtype, 0);
  if (cells.constructor === store.constructor && dtype !== "bool") return cells as TypedArray;
  if (dtype === "bool") return Uint8Array.from(cells as ArrayLike<number>, (cell) => (cell === 0 ? 0 : 1));
  if (dtype === "i64") return BigInt64Array.from(cells as Iterable<number> & ArrayLike<number>, BigInt);
  return Int32Array.from(cells as ArrayLike<number>);
}

/** In Fortran order the first index runs fastest. */
function fromFortranOrder(cells: TypedArray, dtype: Kind["dtype"], shape: readonly number[]): TypedArray {
  const result = allocate(dtype, cells.length);
  const strides = stridesOf(shape);
  const indices = shape.map(() => 0);
  let target = 0;
  for (let source = 0; source < cells.length; source++) {
    result[target] = cells[source]!;
    for (let axis = 0; axis < shape.length; axis++) {
      target += strides[axis]!;
      if (++indices[axis]! < shape[axis]!) break;
      target -= strides[axis]! * shape[axis]!;
      indices[axis] = 0;
    }
  }
  return result;
}

const descriptions = { bool: "|b1", i8: "|i1", i32: "<i4", i64: "<i8", f16: "<f2", f32: "<f4", f64: "<f8" } as const;

/** The bytes of a file that `numpy.load` reads. */
export function writeNpy(value: TensorValue): Uint8Array | Failure {
  const { dtype, shape, data } = value;
  if (dtype === "bf16") return failure("a .npy file cannot hold bf16; cast it first: `as f32`");
  if (isUnsized(dtype) || isStrings(data)) return failure("a .npy file cannot hold strings");
  const dims = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const dict = `{'descr': '${descriptions[dtype]}', 'fortran_order': False, 'shape': (${dims}), }`;
  const dataStart = Math.ceil((10 + dict.length + 1) / alignment) * alignment;
  const header = `${dict.padEnd(dataStart - 11)}\n`;
  const cells = littleEndian(
    dtype === "f16" ? Uint16Array.from(data as Float32Array, f16ToBits) : (data as TypedArray),
  );
  const bytes = new Uint8Array(dataStart + cells.length);
  bytes.set(magic);
  bytes.set([1, 0, header.length & 0xff, header.length >> 8], 6);
  for (let at = 0; at < header.length; at++) bytes[10 + at] = header.charCodeAt(at);
  bytes.set(cells, dataStart);
  return bytes;
}

function isStrings(data: TensorValue["data"]): data is readonly string[] {
  return Array.isArray(data);
}

function littleEndian(data: TypedArray | Uint16Array): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (hostIsLittle || data.BYTES_PER_ELEMENT === 1) return bytes;
  const copy = bytes.slice();
  swapBytes(copy, data.BYTES_PER_ELEMENT);
  return copy;
}
