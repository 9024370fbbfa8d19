#!/usr/bin/env node
// The `ein` command: gives the command line a real process to work in.

import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { isMainThread, workerData } from "node:worker_threads";
import { exitCode, type Io, type Stream } from "./io.ts";
import type { Deep } from "./larger-stack.ts";
import { main } from "./main.ts";

/** What this thread was started with, where it is the one with the larger stack. */
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
 * Writes at once: `process.stdout` costs start-up time, and would learn of a closed pipe only after
 * the run.
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
    writeAll(
      2,
      new TextEncoder().encode(`error[E0882]: cannot write to standard output: ${reason}\n`),
    );
  }
  process.exit(exitCode.commandWrong);
}
