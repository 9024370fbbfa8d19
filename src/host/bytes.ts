// Bytes that are read where they are needed: of an array, or of a file that is larger than what one
// wants to hold.

export interface Bytes {
  readonly size: number;
  /** The bytes between two places; both lie within the size. */
  read(from: number, to: number): Uint8Array;
  /** Fills an array with what begins at a place. */
  readInto(target: Uint8Array, from: number): void;
}

/** So much is held of something that is read through at a time. */
export const pieceBytes = 1 << 20;

export function bytesIn(array: Uint8Array): Bytes {
  return {
    size: array.length,
    read: (from, to) => array.subarray(from, to),
    readInto: (target, from) => target.set(array.subarray(from, from + target.length)),
  };
}

export function bytesOf(bytes: Uint8Array | Bytes): Bytes {
  return bytes instanceof Uint8Array ? bytesIn(bytes) : bytes;
}

/** A part of bytes as bytes of its own. */
export function partOf(bytes: Bytes, from: number, size: number): Bytes {
  return {
    size,
    read: (start, end) => bytes.read(from + start, from + end),
    readInto: (target, start) => bytes.readInto(target, from + start),
  };
}

/** The bytes between two places, some at a time. */
export function* piecesOf(
  bytes: Bytes,
  from = 0,
  to = bytes.size,
  most = pieceBytes,
): Generator<Uint8Array> {
  for (let at = from; at < to; at += most) yield bytes.read(at, Math.min(to, at + most));
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
