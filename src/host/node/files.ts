// What needs Node: files, modules beside a program, decompression and threads. The formats of files
// are in `host`.
//
// Files in Node: reading bytes and texts, and writing files so that no reader sees half of one.

import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { closest } from "../../diagnostics/suggest.ts";
import { bytesIn, type Bytes } from "../bytes.ts";

/** The result of an action, or the rest of a sentence that says why the action failed. */
export type Attempt<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export function readBytes(path: string): Attempt<Uint8Array> {
  return attempt(() => {
    // Pipes such as /dev/stdin or <(…) have no reliable size. readFileSync handles them too.
    const bytes = readFileSync(path);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  });
}

/**
 * Gives the bytes of a file to `use`, which reads them on demand while the file is open. Pipes and
 * devices are read as a whole.
 */
export function withBytes<T>(path: string, use: (bytes: Bytes) => T): Attempt<T> {
  const whole = attempt(() => !statSync(path).isFile());
  if (!whole.ok) return whole;
  if (whole.value) {
    const bytes = readBytes(path);
    return bytes.ok ? { ok: true, value: use(bytesIn(bytes.value)) } : bytes;
  }
  return attempt(() => {
    const descriptor = openSync(path, "r");
    try {
      return use(bytesOfFile(descriptor, fstatSync(descriptor).size));
    } finally {
      closeSync(descriptor);
    }
  });
}

/** One system call reads at most 2 GB. */
const mostRead = 1 << 30;

function bytesOfFile(descriptor: number, size: number): Bytes {
  const readInto = (target: Uint8Array, from: number): void => {
    for (let done = 0; done < target.length;) {
      const count = readSync(
        descriptor,
        target,
        done,
        Math.min(mostRead, target.length - done),
        from + done,
      );
      // The file has become shorter since it was opened.
      if (count === 0) throw Object.assign(new Error(), { code: "SHORTENED" });
      done += count;
    }
  };
  const read = (from: number, to: number): Uint8Array => {
    const target = new Uint8Array(to - from);
    readInto(target, from);
    return target;
  };
  return { size, read, readInto };
}

export function readText(path: string): Attempt<string> {
  const bytes = readBytes(path);
  return bytes.ok ? decodeText(bytes.value) : bytes;
}

/** The whole text of standard input. */
export function readStandardInput(): Attempt<string> {
  const chunks: Uint8Array[] = [];
  const got = attempt(() => {
    const chunk = new Uint8Array(65536);
    for (;;) {
      const count = readOnce(chunk);
      if (count === 0) return;
      chunks.push(chunk.slice(0, count));
    }
  });
  return got.ok ? decodeText(Buffer.concat(chunks)) : got;
}

/** Decodes UTF-8, with or without a byte order mark. */
export function decodeText(bytes: Uint8Array): Attempt<string> {
  try {
    return { ok: true, value: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, why: `it is not UTF-8 text (byte ${firstBadByte(bytes)})` };
  }
}

/** The content of a file: a text, bytes, or parts in their order. */
type Content = string | Uint8Array | Iterable<string | Uint8Array>;

function writeContent(path: string, content: Content, mode?: number): void {
  const parts = typeof content === "string" || content instanceof Uint8Array ? [content] : content;
  const descriptor = openSync(path, "w", mode);
  try {
    for (const part of parts) writeFileSync(descriptor, part);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a temporary file beside the target and renames it, so that the target is always either the
 * old file or the new one.
 */
export function writeAtomically(path: string, content: Content): Attempt<undefined> {
  return attempt(() => {
    // A device or pipe cannot be replaced, so it is written directly.
    const old = statSync(path, { throwIfNoEntry: false });
    if (!old && !existsSync(dirname(path))) throw Object.assign(new Error(), { code: "NO FOLDER" });
    if (old?.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    if (old && !old.isFile()) {
      writeContent(path, content);
      return undefined;
    }
    // A link stays a link: the file to which it leads is replaced.
    const target = old ? realpathSync(path) : path;
    const beside = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
    try {
      delayingInterrupt(() => {
        writeContent(beside, content, old?.mode);
        renameSync(beside, target);
      });
    } catch (problem) {
      rmSync(beside, { force: true });
      throw problem;
    }
    return undefined;
  });
}

const leave = (): void => process.exit(130);
let isListening = false;

/**
 * Delays Ctrl-C until the file is complete, so that no temporary file is left beside the target. If
 * the process handles the signal itself, nothing changes.
 */
function delayingInterrupt(write: () => void): void {
  if (!isListening && process.listenerCount("SIGINT") === 0) {
    isListening = true;
    process.on("SIGINT", leave);
    // Node delivers the signal between turns of the event loop.
    setImmediate(() => {
      process.removeListener("SIGINT", leave);
      isListening = false;
    });
  }
  write();
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The program that was probably meant by a path that does not exist. */
export function fileMeant(path: string): string | undefined {
  if (existsSync(path)) return undefined;
  const folder = dirname(path);
  const wanted = basename(path, ".ein");
  const programs = attempt(() => readdirSync(folder).filter((name) => name.endsWith(".ein")));
  if (!programs.ok) return undefined;
  // The common ending would make all names look similar.
  const stems = programs.value.map((name) => basename(name, ".ein"));
  const meant = stems.includes(wanted) ? wanted : closest(wanted, stems);
  return meant === undefined ? undefined : `did you mean \`${join(folder, `${meant}.ein`)}\`?`;
}

function readOnce(into: Uint8Array): number {
  for (;;) {
    try {
      return readSync(0, into, 0, into.length, null);
    } catch (problem) {
      if (codeOf(problem) === "EOF") return 0;
      if (codeOf(problem) !== "EAGAIN") throw problem;
      // A terminal or socket in non-blocking mode has nothing to read yet.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function firstBadByte(bytes: Uint8Array): number {
  // Searches the longest prefix that decodes. In streaming mode an incomplete last character is not
  // an error.
  const decodes = (length: number): boolean => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (decodes(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  "NO FOLDER": "its folder does not exist",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EMFILE: "too many files are open",
  ELOOP: "too many links lead to it",
  ENAMETOOLONG: "its name is too long",
  ERR_FS_FILE_TOO_LARGE: "it is larger than 2 GB",
  SHORTENED: "it became shorter while it was read",
};

function attempt<T>(action: () => T): Attempt<T> {
  try {
    return { ok: true, value: action() };
  } catch (problem) {
    const code = codeOf(problem);
    if (code === undefined) throw problem;
    return { ok: false, why: reasons[code] ?? `the system says ${code}` };
  }
}

function codeOf(problem: unknown): string | undefined {
  return problem instanceof Error && "code" in problem && typeof problem.code === "string"
    ? problem.code
    : undefined;
}
