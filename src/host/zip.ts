// Zip archives, as bytes: reading the directory, reading one file, and writing an archive without
// compression.
//
// The format (PKWARE's APPNOTE): files, each after a header of its own, then a directory with an
// entry for each file, then the end record, which says where the directory begins. Sizes are taken
// only from the directory, because headers may leave them open.

import { cut } from "../diagnostics/cut.ts";
import { bytesIn, asBytes, sectionOf, piecesOf, type Bytes } from "./bytes.ts";
import { crc32Of } from "./crc32.ts";
import { failed, failure } from "../base/failure.ts";
import type { Failure } from "../base/failure.ts";
import { decodeUtf8, encodeUtf8 } from "../base/utf8.ts";

/**
 * Undoes "deflate". Gives at most `size` bytes, and a failure if there would be more or if the data
 * is damaged. With `isBeginning`, `bytes` may be cut off, and the result is what they unpack to.
 */
export type Inflate = (
  bytes: Uint8Array,
  size: number,
  isBeginning?: boolean,
) => Uint8Array | Failure;

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  /** The offset of the file's own header. */
  readonly header: number;
}

const signatures = { local: 0x04034b50, entry: 0x02014b50, end: 0x06054b50 } as const;
const lengths = { local: 30, entry: 46, end: 22 } as const;

/** A comment of up to 64 KiB may follow the end record. */
const farthestEnd = lengths.end + 0xffff;

/** "Deflate" packs at most about a thousand to one, so a larger claim is false. */
const mostInflated = 1032;

/** The mark for a size that is stored elsewhere, as in archives of more than 4 GB. */
const elsewhere = 0xffffffff;

/** The longest directory that is read. Archives of tensors stay far below. */
const longestDirectory = 1 << 26;

export function readZipDirectory(file: Uint8Array | Bytes): readonly ZipEntry[] | Failure {
  const bytes = asBytes(file);
  const first = bytes.size < 4 ? 0 : viewOf(bytes.read(0, 4)).getUint32(0, true);
  if (first !== signatures.local && first !== signatures.end)
    return failure(
      bytes.size === 0 ? "it is empty" : 'it is not a zip archive: it does not begin with "PK"',
    );
  const end = endRecord(bytes);
  if (end === undefined) return failure("the zip archive is truncated: its end record is missing");
  const { count, directory } = end;
  if (count === 0xffff || directory === elsewhere)
    return failure("the zip archive is larger than 4 GB, which is not read");
  const damaged = (k: number): Failure =>
    failure(`the directory of the zip archive is damaged at entry ${k + 1} of ${count}`);
  if (directory > end.at) return damaged(0);
  if (end.at - directory > longestDirectory)
    return failure("the directory of the zip archive is longer than 64 MB");
  const list = bytes.read(directory, end.at);
  const view = viewOf(list);
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let k = 0; k < count; k++) {
    if (at + lengths.entry > list.length || view.getUint32(at, true) !== signatures.entry)
      return damaged(k);
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const behind = at + lengths.entry + nameLength + extraLength + view.getUint16(at + 32, true);
    if (behind > list.length) return damaged(k);
    const name = decodeUtf8(list.subarray(at + lengths.entry, at + lengths.entry + nameLength));
    if (name === undefined)
      return failure(`the name of entry ${k + 1} of the zip archive is not UTF-8`);
    if ((view.getUint16(at + 8, true) & 1) !== 0)
      return failure(`\`${name}\` in the zip archive is encrypted`);
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
  return checkEntries(entries, directory) ?? entries;
}

interface EndRecord {
  readonly at: number;
  readonly count: number;
  /** The offset of the directory. */
  readonly directory: number;
}

function endRecord(bytes: Bytes): EndRecord | undefined {
  const from = Math.max(0, bytes.size - farthestEnd);
  const view = viewOf(bytes.read(from, bytes.size));
  for (let at = view.byteLength - lengths.end; at >= 0; at--) {
    const isEnd =
      view.getUint32(at, true) === signatures.end &&
      at + lengths.end + view.getUint16(at + 20, true) <= view.byteLength;
    if (isEnd)
      return {
        at: from + at,
        count: view.getUint16(at + 10, true),
        directory: view.getUint32(at + 16, true),
      };
  }
  return undefined;
}

const outside = "a name that leads out of the folder in which one would unpack it";

/**
 * Whether a name leads out of its folder: `../x`, `/x` and `C:/x` do, with either kind of slash.
 * `layer/W` and `W:0` do not.
 */
export function leadsOut(name: string): boolean {
  return /^(?:[A-Za-z]:)?[\\/]/.test(name) || name.split(/[\\/]/).includes("..");
}

/**
 * Refuses archives that could be read in two ways: names that occur twice, and files that overlap.
 */
function checkEntries(entries: readonly ZipEntry[], directory: number): Failure | undefined {
  const names = new Set<string>();
  let free = 0;
  for (const entry of [...entries].sort((a, b) => a.header - b.header)) {
    const { name, size, compressedSize, header } = entry;
    if (names.has(name)) return failure(`the zip archive has two files \`${cut(name)}\``);
    names.add(name);
    if (leadsOut(name)) return failure(`the zip archive has a file \`${cut(name)}\`, ${outside}`);
    if (size === elsewhere || compressedSize === elsewhere || header === elsewhere)
      return failure(`\`${name}\` in the zip archive is larger than 4 GB, which is not read`);
    if (header < free) return failure(`\`${name}\` lies over another file in the zip archive`);
    free = header + lengths.local + compressedSize;
    if (free > directory)
      return failure(`the zip archive is truncated: \`${name}\` goes on beyond its end`);
  }
  return undefined;
}

/** The offset of a file's content in the archive. */
function startOf(bytes: Bytes, { name, compressedSize, header }: ZipEntry): number | Failure {
  const own = viewOf(bytes.read(header, Math.min(bytes.size, header + lengths.local)));
  if (own.byteLength < lengths.local || own.getUint32(0, true) !== signatures.local)
    return failure(`\`${name}\` in the zip archive has no header`);
  const start = header + lengths.local + own.getUint16(26, true) + own.getUint16(28, true);
  return start + compressedSize > bytes.size
    ? failure(`the zip archive is truncated: \`${name}\` goes on beyond its end`)
    : start;
}

/** The packed bytes that are unpacked to see the beginning of a file. */
const firstLook = 4096;

/**
 * The beginning of a compressed file. Undefined if the file is short, or if the host cannot unpack
 * only a part.
 */
export function beginningOf(
  file: Uint8Array | Bytes,
  entry: ZipEntry,
  inflate: Inflate,
): Bytes | undefined {
  const bytes = asBytes(file);
  const start = startOf(bytes, entry);
  if (entry.method !== 8 || failed(start) || entry.compressedSize <= firstLook) return undefined;
  try {
    const begun = inflate(
      bytes.read(start, start + firstLook),
      mostInflated * (firstLook + 1),
      true,
    );
    return failed(begun) ? undefined : bytesIn(begun);
  } catch {
    // Some implementations unpack only complete data.
    return undefined;
  }
}

/** The content of a file, unpacked if it is compressed. */
export function readZipEntry(
  file: Uint8Array | Bytes,
  entry: ZipEntry,
  inflate: Inflate,
): Bytes | Failure {
  const bytes = asBytes(file);
  const { name, method, size, compressedSize } = entry;
  const start = startOf(bytes, entry);
  if (failed(start)) return start;
  const content = unpacked(start);
  if (failed(content)) return content;
  if (content.size !== size)
    return failure(`\`${name}\` in the zip archive has ${content.size} bytes, not ${size}`);
  if (crc32Of(piecesOf(content)) !== entry.crc)
    return failure(`\`${name}\` in the zip archive is damaged: its check sum differs`);
  return content;

  function unpacked(start: number): Bytes | Failure {
    if (method === 0) return sectionOf(bytes, start, compressedSize);
    if (method !== 8)
      return failure(`\`${name}\` is compressed by method ${method}; only "deflate" is read`);
    if (size > mostInflated * compressedSize + mostInflated)
      return failure(
        `\`${name}\` claims ${size} bytes for ${compressedSize}, more than "deflate" can pack`,
      );
    const inflated = inflate(bytes.read(start, start + compressedSize), size);
    return failed(inflated) ? inflated : bytesIn(inflated);
  }
}

/**
 * An archive of uncompressed files, in parts. All files have the same date, so that equal contents
 * give equal bytes.
 */
export function zipParts(
  files: ReadonlyMap<string, readonly Uint8Array[]>,
): readonly Uint8Array[] | Failure {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [name, data] of files) {
    if (leadsOut(name))
      return failure(`the archive would have a file \`${cut(name)}\`, ${outside}`);
    const label = encodeUtf8(name);
    const length = data.reduce((total, part) => total + part.length, 0);
    // Version 2.0, names in UTF-8, no compression, 1 January 1980.
    const common = [
      [2, 20],
      [2, 0x0800],
      [2, 0],
      [2, 0],
      [2, 0x21],
      [4, crc32Of(data)],
      [4, length],
      [4, length],
      [2, label.length],
      [2, 0],
    ] as const;
    const header = packedFields([[4, signatures.local], ...common]);
    directory.push(
      packedFields([
        [4, signatures.entry],
        [2, 20],
        ...common,
        [2, 0],
        [2, 0],
        [2, 0],
        [4, 0],
        [4, offset],
      ]),
      label,
    );
    parts.push(header, label, ...data);
    offset += header.length + label.length + length;
    // Sizes and offsets have 32 bits.
    if (offset >= elsewhere)
      return failure("the archive would be larger than 4 GB; save it as .safetensors");
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
  return [...parts, ...directory, end];
}

/** Numbers of 2 or 4 bytes, in little-endian order. */
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

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
