#!/usr/bin/env node
// The process of the command `ein`: its streams, environment and clock, as `main` needs them.

import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { isMainThread, workerData } from "node:worker_threads";
import { exitCode, type Io, type Stream } from "./io.ts";
import type { Deep } from "./larger-stack.ts";
import { main } from "./main.ts";

/** The task of this thread, if it is the one with the larger stack. */
const deep = isMainThread ? undefined : (workerData as Deep);

process.exitCode = await main(deep?.words ?? process.argv.slice(2), processIo());

function processIo(): Io {
  const io = {
    out: streamOf(1, () => deep?.columns.out ?? process.stdout.columns),
    err: streamOf(2, () => deep?.columns.err ?? process.stderr.columns),
    env: process.env,
    now: () => performance.now(),
  };
  if (deep) return { ...io, standardInput: deep.standardInput };
  return {
    ...io,
    onLargerStack: async (words, standardInput) => {
      const columns = { out: io.out.columns, err: io.err.columns };
      const { onLargerStack } = await import("./larger-stack.ts");
      return onLargerStack(new URL(import.meta.url), { words, standardInput, columns });
    },
  };
}

/**
 * A stream that writes at once. `process.stdout` would take time to start, and would notice a
 * closed pipe only after the run.
 */
function streamOf(descriptor: number, columns: () => number | undefined): Stream {
  const isTerminal = isatty(descriptor);
  return {
    isTerminal,
    get columns() {
      return (isTerminal && columns()) || 100;
    },
    write: (text) => writeAll(descriptor, new TextEncoder().encode(text)),
  };
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (problem) {
      const code = problem instanceof Error && "code" in problem ? problem.code : undefined;
      // The reader has closed the pipe, as in `ein … | head`, so nobody needs a message.
      if (code === "EPIPE") process.exit(exitCode.fine);
      if (code !== "EAGAIN") cannotWrite(descriptor, String(code));
      // A pipe in non-blocking mode is full, so its reader gets a moment to empty it.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/**
 * Ends the process when a stream cannot be written, as when the disk is full. If standard error
 * still works, a message goes there.
 */
function cannotWrite(descriptor: number, code: string): never {
  if (descriptor === 1) {
    const reason = code === "ENOSPC" ? "the disk is full" : `the system says ${code}`;
    writeAll(
      2,
      new TextEncoder().encode(`error[E0882]: cannot write to standard output: ${reason}\n`),
    );
  }
  process.exit(exitCode.commandWrong);
}
