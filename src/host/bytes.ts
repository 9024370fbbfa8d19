// Values as the content of files: `.npy`, `.npz`, `.safetensors`, `.csv`, JSON and PNG, for any
// host. What only Node can do is in `host/node`.
//
// Bytes that are read on demand, from an array or from a file that is too large to be read as a
// whole.

export interface Bytes {
  readonly size: number;
  /** The bytes from `from` to before `to`. Both lie within the size. */
  read(from: number, to: number): Uint8Array;
  /** Fills an array with the bytes from `from` on. */
  readInto(target: Uint8Array, from: number): void;
}

/** The bytes that are held at once while a file is read through. */
export const pieceBytes = 1 << 20;

export function bytesIn(array: Uint8Array): Bytes {
  return {
    size: array.length,
    read: (from, to) => array.subarray(from, to),
    readInto: (target, from) => target.set(array.subarray(from, from + target.length)),
  };
}

export function asBytes(bytes: Uint8Array | Bytes): Bytes {
  return bytes instanceof Uint8Array ? bytesIn(bytes) : bytes;
}

/** A part of some bytes. */
export function sectionOf(bytes: Bytes, from: number, size: number): Bytes {
  return {
    size,
    read: (start, end) => bytes.read(from + start, from + end),
    readInto: (target, start) => bytes.readInto(target, from + start),
  };
}

/** The bytes from `from` to before `to`, in pieces. */
export function* piecesOf(
  bytes: Bytes,
  from = 0,
  to = bytes.size,
  most = pieceBytes,
): Generator<Uint8Array> {
  for (let at = from; at < to; at += most) yield bytes.read(at, Math.min(to, at + most));
}

export function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
