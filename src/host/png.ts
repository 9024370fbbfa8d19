// Pictures as PNG files, in 8-bit RGB. They are stored without compression, so that only arithmetic
// is needed.
//
// The format: https://www.w3.org/TR/png-3/. The stream inside: RFC 1950, and RFC 1951, section
// 3.2.4.

import { concatenated } from "./bytes.ts";
import { crc32 } from "./crc32.ts";

/** `pixel(x, y)` gives red, green and blue, from 0 to 255. */
export function writePng(
  width: number,
  height: number,
  pixel: (x: number, y: number) => readonly [number, number, number],
): Uint8Array {
  const raw = new Uint8Array(height * (1 + 3 * width));
  for (let y = 0, at = 0; y < height; y++) {
    raw[at++] = 0;
    for (let x = 0; x < width; x++) for (const part of pixel(x, y)) raw[at++] = part;
  }
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, width);
  new DataView(header.buffer).setUint32(4, height);
  header.set([8, 2, 0, 0, 0], 8);
  return concatenated([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", header),
    chunk("IDAT", stored(raw)),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = concatenated([Uint8Array.from(type, (letter) => letter.charCodeAt(0)), data]);
  const [length, check] = [new Uint8Array(4), new Uint8Array(4)];
  new DataView(length.buffer).setUint32(0, data.length);
  new DataView(check.buffer).setUint32(0, crc32(body));
  return concatenated([length, body, check]);
}

const longestBlock = 0xffff;

/** A zlib stream of uncompressed blocks. */
function stored(data: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0x78, 0x01)];
  for (let at = 0; at < data.length || at === 0; at += longestBlock) {
    const block = data.subarray(at, at + longestBlock);
    const [low, high] = [block.length & 0xff, block.length >> 8];
    const last = at + longestBlock >= data.length ? 1 : 0;
    parts.push(Uint8Array.of(last, low, high, low ^ 0xff, high ^ 0xff), block);
  }
  let [a, b] = [1, 0];
  for (const byte of data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  const check = new Uint8Array(4);
  new DataView(check.buffer).setUint32(0, b * 65536 + a);
  return concatenated([...parts, check]);
}
