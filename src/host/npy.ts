// NumPy's `.npy` files, as bytes. Versions 1 to 3 are read, in either byte order and either memory
// order. Version 1 is written.
//
// The format (numpy.lib.format): the magic "\x93NUMPY", a version, the length of a header, the
// header as a Python dict with 'descr', 'fortran_order' and 'shape', then the cells.

import { allocate, isUnsized } from "../scalar/types.ts";
import type { TypedArray } from "../scalar/types.ts";
import { asBytes, concatenated, type Bytes } from "./bytes.ts";
import { failed, failure } from "../base/failure.ts";
import type { Failure } from "../base/failure.ts";
import { parseNpyHeader, type NpyHeader } from "./npyHeader.ts";
import { pack, packedAs, unpack, type Packed } from "./packed.ts";
import { sizeOf, stridesOf } from "../scalar/values/value.ts";
import type { TensorValue } from "../scalar/values/value.ts";

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** Cells start at a multiple of this offset, as in files of NumPy. */
const alignment = 64;

export function readNpy(file: Uint8Array | Bytes): TensorValue | Failure {
  const bytes = asBytes(file);
  const layout = layoutOf(bytes, bytes.size);
  if (failed(layout)) return layout;
  const { header, kind, dataStart } = layout;
  const { shape } = header;
  const order = header.descr.startsWith(">") ? "big" : "little";
  const cells = unpack(kind, bytes, dataStart, sizeOf(shape), order);
  return {
    dtype: kind.dtype,
    shape,
    data: header.fortranOrder ? fromFortranOrder(cells, kind.dtype, shape) : cells,
  };
}

/**
 * The problem with a file of `size` bytes, judged by its beginning. Undefined if the beginning is
 * too short.
 */
export function npyProblem(beginning: Bytes, size: number): Failure | undefined {
  if (beginning.size < longestHeader + 12) return undefined;
  const layout = layoutOf(beginning, size);
  return failed(layout) ? layout : undefined;
}

interface Layout {
  readonly header: NpyHeader;
  readonly kind: Packed;
  /** The offset of the first cell. */
  readonly dataStart: number;
}

/** Reads the header, and checks it against the size of the file. */
function layoutOf(bytes: Bytes, size: number): Layout | Failure {
  const preamble = readPreamble(bytes);
  if (failed(preamble)) return preamble;
  const { dataStart } = preamble;
  const header = parseNpyHeader(preamble.header);
  if (failed(header)) return header;
  const kind = packedKind(header.descr);
  if (failed(kind)) return kind;
  const { shape } = header;
  const length = sizeOf(shape) * kind.bytes;
  const available = size - dataStart;
  if (!(length <= available)) {
    return failure(
      `the .npy file is truncated: the shape ${shapeText(shape)} of ${header.descr} needs ` +
        `${length} bytes, ${available} are there`,
    );
  }
  if (length < available) {
    return failure(
      `the .npy file is too long: the shape ${shapeText(shape)} of ${header.descr} needs ` +
        `${length} bytes, ${available} are there`,
    );
  }
  return { header, kind, dataStart };
}

/** A shape for a message, cut after its first extents. */
function shapeText(shape: readonly number[]): string {
  const most = 16;
  const more = shape.length > most ? `, … ${shape.length} extents in all` : "";
  return `[${shape.slice(0, most).join(", ")}${more}]`;
}

/**
 * NumPy itself reads headers of up to 10,000 bytes. Only records with very many fields have longer
 * ones, and records cannot be used here.
 */
const longestHeader = 1 << 20;

function readPreamble(
  bytes: Bytes,
): { readonly header: string; readonly dataStart: number } | Failure {
  const first = bytes.read(0, Math.min(12, bytes.size));
  if (!magic.every((byte, offset) => first[offset] === byte)) {
    return failure(
      bytes.size === 0
        ? "the .npy file is empty"
        : 'this is not a .npy file: it does not begin with "\\x93NUMPY"',
    );
  }
  const truncated = failure("the .npy file is truncated: it ends within its header");
  const version = first[6];
  if (version === undefined) return truncated;
  if (version < 1 || version > 3)
    return failure(`version ${version} of the .npy format is not known; 1, 2 and 3 are`);
  const headerStart = version === 1 ? 10 : 12;
  if (first.length < headerStart) return truncated;
  const view = new DataView(first.buffer, first.byteOffset, first.byteLength);
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (length > longestHeader)
    return failure(`the header of the .npy file would have ${length} bytes, which no header needs`);
  const dataStart = headerStart + length;
  if (bytes.size < dataStart) return truncated;
  // Versions 1 and 2 are Latin-1 and version 3 is UTF-8. They differ only in the names of fields,
  // which supported headers do not have.
  const header = Array.from(bytes.read(headerStart, dataStart), (byte) =>
    String.fromCharCode(byte),
  ).join("");
  return { header, dataStart };
}

function packedKind(descr: string): Packed | Failure {
  const name = descr.replace(/^[<>|=]/, "");
  const known = packedAs(name);
  if (known && name !== "bf16") return known;
  const help = "save it as bool, an integer of up to 32 bits, int64, float16, float32 or float64";
  switch (name[0]) {
    case "O":
      return failure(
        `the .npy file holds Python objects (dtype '${descr}'), which are not numbers; ${help}`,
      );
    case "U":
    case "S":
      return failure(`the .npy file holds strings (dtype '${descr}'); ${help}`);
    case "c":
      return failure(
        `the .npy file holds complex numbers (dtype '${descr}'); ` +
          "save the real and imaginary parts separately",
      );
    case "V":
      return failure(
        `the .npy file holds raw bytes (dtype '${descr}'; bfloat16 is saved so); ` +
          "save it with astype(np.float32)",
      );
    default:
      return failure(`the dtype '${descr}' of the .npy file has no counterpart; ${help}`);
  }
}

/** Reorders cells from Fortran order, in which the first index varies fastest. */
function fromFortranOrder(
  cells: TypedArray,
  dtype: Packed["dtype"],
  shape: readonly number[],
): TypedArray {
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

const descriptions = {
  bool: "|b1",
  i8: "|i1",
  i32: "<i4",
  i64: "<i8",
  f16: "<f2",
  f32: "<f4",
  f64: "<f8",
} as const;

/** The bytes of a file that `numpy.load` reads. */
export function writeNpy(value: TensorValue): Uint8Array | Failure {
  const parts = npyParts(value);
  return failed(parts) ? parts : concatenated(parts);
}

/** The file in parts: the header, and the cells without a copy. */
export function npyParts(value: TensorValue): readonly Uint8Array[] | Failure {
  const { dtype, shape, data } = value;
  if (dtype === "bf16") return failure("a .npy file cannot hold bf16; cast it first: `as f32`");
  if (isUnsized(dtype)) return failure("a .npy file cannot hold strings");
  const dims = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const dict = `{'descr': '${descriptions[dtype]}', 'fortran_order': False, 'shape': (${dims}), }`;
  const dataStart = Math.ceil((10 + dict.length + 1) / alignment) * alignment;
  const header = `${dict.padEnd(dataStart - 11)}\n`;
  const bytes = new Uint8Array(dataStart);
  bytes.set(magic);
  bytes.set([1, 0, header.length & 0xff, header.length >> 8], 6);
  for (let at = 0; at < header.length; at++) bytes[10 + at] = header.charCodeAt(at);
  return [bytes, pack(dtype, data)];
}
