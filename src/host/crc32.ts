// The check sum of PNG and zip files (ISO 3309), computed byte by byte.

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

export function crc32(data: Uint8Array): number {
  return crc32Of([data]);
}

/** The check sum of data in pieces. */
export function crc32Of(pieces: Iterable<Uint8Array>): number {
  let value = 0xffffffff;
  for (const data of pieces)
    for (let at = 0; at < data.length; at++)
      value = (value >>> 8) ^ table[(value ^ data[at]!) & 0xff]!;
  return (value ^ 0xffffffff) >>> 0;
}
