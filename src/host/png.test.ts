// PNG files, read back by Node's own decompressor.

import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { writePng } from "./png.ts";

function readPng(bytes: Uint8Array): { width: number; height: number; raw: Uint8Array } {
  const view = new DataView(bytes.buffer);
  const chunks = new Map<string, Uint8Array>();
  for (let at = 8; at < bytes.length;) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    chunks.set(type, bytes.slice(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const header = new DataView(chunks.get("IHDR")!.buffer);
  return {
    width: header.getUint32(0),
    height: header.getUint32(4),
    raw: inflateSync(chunks.get("IDAT")!),
  };
}

test.each([
  [1, 1],
  [3, 2],
  [200, 150],
])("%i × %i pixels come back", (width, height) => {
  const pixel = (x: number, y: number): [number, number, number] => [
    x % 256,
    y % 256,
    (x * y) % 256,
  ];
  const read = readPng(writePng(width, height, pixel));
  expect([read.width, read.height]).toEqual([width, height]);
  expect(read.raw.length).toBe(height * (1 + 3 * width));
  const last = read.raw.subarray(-3);
  expect([...last]).toEqual(pixel(width - 1, height - 1));
});
