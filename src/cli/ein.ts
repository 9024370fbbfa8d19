#!/usr/bin/env node
// The `ein` command: gives the command line a real process to work in.

import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { exitCode, type Io, type Stream } from "./io.ts";
import { main } from "./main.ts";

process.exitCode = await main(process.argv.slice(2), processIo());

function processIo(): Io {
  return {
    out: streamOf(1, () => process.stdout.columns),
    err: streamOf(2, () => process.stderr.columns),
    env: process.env,
    now: () => performance.now(),
  };
}

/** Writes at once: `process.stdout` costs start-up time, and would learn of a closed pipe only after the run. */
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
      // The reader has seen enough (`ein … | head`): nobody is left to tell.
      if (code === "EPIPE") process.exit(exitCode.fine);
      if (code !== "EAGAIN") cannotWrite(descriptor, String(code));
      // A pipe in non-blocking mode is full: give its reader a moment.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** The disk is full, or the terminal is gone: say so where something can still be said. */
function cannotWrite(descriptor: number, code: string): never {
  if (descriptor === 1) {
    const reason = code === "ENOSPC" ? "the disk is full" : `the system says ${code}`;
    writeAll(2, new TextEncoder().encode(`error[E0882]: cannot write to standard output: ${reason}\n`));
  }
  process.exit(exitCode.commandWrong);
}
