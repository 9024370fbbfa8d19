// Zip archives, as bytes: the directory of one, one file out of it, and writing one without compression.
//
// The format (PKWARE's APPNOTE): files, each behind a header of its own, then a directory with an entry for each, then the end record,
// which says where the directory is. Only the directory is believed, because headers may leave sizes open.

import { crc32 } from "./crc32.ts";
import { failed, failure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

/** Undoes "deflate"; gives at most `size` bytes, and a reason where there would be more or the data is damaged. */
export type Inflate = (bytes: Uint8Array, size: number) => Uint8Array | Failure;

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Where the file's own header begins. */
  readonly header: number;
}

const signatures = { local: 0x04034b50, entry: 0x02014b50, end: 0x06054b50 } as const;
const lengths = { local: 30, entry: 46, end: 22 } as const;

/** A comment of up to 64 KiB may stand behind the end record. */
const farthestEnd = lengths.end + 0xffff;

/** Deflate makes nothing smaller than about a thousandth: a larger claim is a lie. */
const mostInflated = 1032;

/** What stands for a size that is kept elsewhere. */
const elsewhere = 0xffffffff;

export function readZipDirectory(bytes: Uint8Array): readonly ZipEntry[] | Failure {
  const view = viewOf(bytes);
  if (bytes.length < 4 || (view.getUint32(0, true) !== signatures.local && view.getUint32(0, true) !== signatures.end))
    return failure(bytes.length === 0 ? "it is empty" : 'it is not a zip archive: it does not begin with "PK"');
  const end = endRecord(view);
  if (end === undefined) return failure("the zip archive is truncated: its end record is missing");
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count === 0xffff || at === elsewhere) return failure("the zip archive is larger than 4 GB, which is not read");
  const entries: ZipEntry[] = [];
  for (let k = 0; k < count; k++) {
    if (at + lengths.entry > end || view.getUint32(at, true) !== signatures.entry)
      return failure(`the directory of the zip archive is damaged at entry ${k + 1} of ${count}`);
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const behind = at + lengths.entry + nameLength + extraLength + view.getUint16(at + 32, true);
    if (behind > end) return failure(`the directory of the zip archive is damaged at entry ${k + 1} of ${count}`);
    const name = decodeUtf8(bytes.subarray(at + lengths.entry, at + lengths.entry + nameLength));
    if (name === undefined) return failure(`the name of entry ${k + 1} of the zip archive is not UTF-8`);
    if ((view.getUint16(at + 8, true) & 1) !== 0) return failure(`\`${name}\` in the zip archive is encrypted`);
    entries.push({
      name,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      compressedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      header: view.getUint32(at + 42, true),
    });
    at = behind;
  }
  return checkEntries(entries, view.getUint32(end + 16, true)) ?? entries;
}

function endRecord(view: DataView): number | undefined {
  const last = view.byteLength - lengths.end;
  for (let at = last; at >= Math.max(0, view.byteLength - farthestEnd); at--) {
    if (
      view.getUint32(at, true) === signatures.end &&
      at + lengths.end + view.getUint16(at + 20, true) <= view.byteLength
    )
      return at;
  }
  return undefined;
}

/** Names that occur twice and files that lie over one another are how archives are made to mean two things. */
function checkEntries(entries: readonly ZipEntry[], directory: number): Failure | undefined {
  const names = new Set<string>();
  let free = 0;
  for (const entry of [...entries].sort((a, b) => a.header - b.header)) {
    const { name, size, compressedSize, header } = entry;
    if (names.has(name)) return failure(`the zip archive has two files \`${name}\``);
    names.add(name);
    if (size === elsewhere || compressedSize === elsewhere || header === elsewhere)
      return failure(`\`${name}\` in the zip archive is larger than 4 GB, which is not read`);
    if (header < free) return failure(`\`${name}\` lies over another file in the zip archive`);
    free = header + lengths.local + compressedSize;
    if (free > directory) return failure(`the zip archive is truncated: \`${name}\` goes on beyond its end`);
  }
  return undefined;
}

export function readZipEntry(bytes: Uint8Array, entry: ZipEntry, inflate: Inflate): Uint8Array | Failure {
  const { name, method, size, compressedSize, header } = entry;
  const view = viewOf(bytes);
  if (view.getUint32(header, true) !== signatures.local) return failure(`\`${name}\` in the zip archive has no header`);
  const start = header + lengths.local + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
  if (start + compressedSize > bytes.length)
    return failure(`the zip archive is truncated: \`${name}\` goes on beyond its end`);
  const packed = bytes.subarray(start, start + compressedSize);
  const content = unpacked(packed);
  if (failed(content)) return content;
  if (content.length !== size)
    return failure(`\`${name}\` in the zip archive has ${content.length} bytes, not ${size}`);
  if (crc32(content) !== entry.crc) return failure(`\`${name}\` in the zip archive is damaged: its check sum differs`);
  return content;

  function unpacked(data: Uint8Array): Uint8Array | Failure {
    if (method === 0) return data;
    if (method !== 8) return failure(`\`${name}\` is compressed by method ${method}; only "deflate" is read`);
    if (size > mostInflated * compressedSize + mostInflated)
      return failure(`\`${name}\` claims ${size} bytes for ${compressedSize}, more than "deflate" can pack`);
    return inflate(data, size);
  }
}

/** An archive of files as they are. They all have one date, so that equal contents make equal bytes. */
export function writeZip(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [name, data] of files) {
    const label = encodeUtf8(name);
    // Version 2.0, names in UTF-8, no compression, 1 January 1980.
    const common = [
      [2, 20],
      [2, 0x0800],
      [2, 0],
      [2, 0],
      [2, 0x21],
      [4, crc32(data)],
      [4, data.length],
      [4, data.length],
      [2, label.length],
      [2, 0],
    ] as const;
    const header = packedFields([[4, signatures.local], ...common]);
    directory.push(
      packedFields([[4, signatures.entry], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]]),
      label,
    );
    parts.push(header, label, data);
    offset += header.length + label.length + data.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = packedFields([
    [4, signatures.end],
    [2, 0],
    [2, 0],
    [2, files.size],
    [2, files.size],
    [4, size],
    [4, offset],
    [2, 0],
  ]);
  return joined([...parts, ...directory, end]);
}

/** Numbers of 2 or 4 bytes, the lowest first. */
function packedFields(fields: readonly (readonly [2 | 4, number])[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [width]) => sum + width, 0));
  const view = viewOf(bytes);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return bytes;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
