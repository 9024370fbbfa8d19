// Files for Node: reading bytes and program texts, and writing so that a reader never sees half a
// file.

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

/** Either what was asked for, or a sentence fragment that says why it is not there. */
export type Attempt<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

export function readBytes(path: string): Attempt<Uint8Array> {
  return attempt(() => {
    // A pipe such as /dev/stdin or <(…) has no size to trust; readFileSync copes with both.
    const bytes = readFileSync(path);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  });
}

/**
 * The bytes of a file, read where they are needed; `use` has them while the file is open. Pipes and
 * devices are read whole.
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

/** One read of the system gives at most 2 GB. */
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
      // It was longer when it was opened.
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

/** All of standard input. */
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

/** UTF-8, with or without a byte order mark. */
export function decodeText(bytes: Uint8Array): Attempt<string> {
  try {
    return { ok: true, value: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, why: `it is not UTF-8 text (byte ${firstBadByte(bytes)})` };
  }
}

/** What is written: a text, bytes, or parts that are written one after the other. */
export type Content = string | Uint8Array | Iterable<string | Uint8Array>;

function writeContent(path: string, content: Content, mode?: number): void {
  const parts = typeof content === "string" || content instanceof Uint8Array ? [content] : content;
  const descriptor = openSync(path, "w", mode);
  try {
    for (const part of parts) writeFileSync(descriptor, part);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes beside the target and renames, so that the target is the old file or the new one. */
export function writeAtomically(path: string, content: Content): Attempt<undefined> {
  return attempt(() => {
    // A device or a pipe cannot be replaced, only written to.
    const old = statSync(path, { throwIfNoEntry: false });
    if (!old && !existsSync(dirname(path))) throw Object.assign(new Error(), { code: "NO FOLDER" });
    if (old?.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
    if (old && !old.isFile()) {
      writeContent(path, content);
      return undefined;
    }
    // A link stays a link: what it points at is replaced.
    const target = old ? realpathSync(path) : path;
    const beside = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
    try {
      finishing(() => {
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
 * Ctrl-C while a file is being written takes effect once it is whole: nothing half-written is left
 * beside the target. A process that hears the signal itself does not end by it.
 */
function finishing(write: () => void): void {
  if (!isListening && process.listenerCount("SIGINT") === 0) {
    isListening = true;
    process.on("SIGINT", leave);
    // The signal is delivered between the turns of the event loop.
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

/** For a path that leads nowhere: the program that was likely meant. */
export function fileMeant(path: string): string | undefined {
  if (existsSync(path)) return undefined;
  const folder = dirname(path);
  const wanted = basename(path, ".ein");
  const programs = attempt(() => readdirSync(folder).filter((name) => name.endsWith(".ein")));
  if (!programs.ok) return undefined;
  // The ending would make all names alike.
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
      // A terminal or socket in non-blocking mode with nothing to read at the moment.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function firstBadByte(bytes: Uint8Array): number {
  // The longest prefix that decodes; a character cut off at its end is not an error while
  // streaming.
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
