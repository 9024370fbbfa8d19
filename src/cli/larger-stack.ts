// Runs the command line in a thread with a large stack. Programs that nest deeply need more stack
// than a process has.

import { Worker } from "node:worker_threads";
import { exitCode, type ExitCode } from "./io.ts";

/** The task of the thread: the command line, and what the process has already read or asked. */
export interface Deep {
  readonly words: readonly string[];
  /** The program, if it came from standard input. */
  readonly standardInput?: string | undefined;
  readonly columns: { readonly out: number; readonly err: number };
}

/**
 * Enough for the deepest nesting that the parser allows. The system reserves only the memory that
 * is used.
 */
export const stackSizeMb = 512;

/** Runs the command again, on a larger stack. */
export async function onLargerStack(entry: URL, deep: Deep): Promise<ExitCode> {
  const thread = new Worker(entry, { workerData: deep, resourceLimits: { stackSizeMb } });
  return new Promise((resolve, reject) => {
    thread.on("error", reject);
    thread.on("exit", (code) => resolve(isExitCode(code) ? code : exitCode.programWrong));
  });
}

function isExitCode(code: number): code is ExitCode {
  return code === exitCode.fine || code === exitCode.programWrong || code === exitCode.commandWrong;
}
