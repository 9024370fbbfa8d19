// Programs that nest deeply are worked on in a thread whose stack is as large as they need: that of
// a process is small.

import { Worker } from "node:worker_threads";
import { exitCode, type ExitCode } from "./io.ts";

/** What the thread is told: the same command line, and what is not there to be asked for twice. */
export interface Deep {
  readonly words: readonly string[];
  /** The program, where standard input held it. */
  readonly standardInput?: string | undefined;
  readonly columns: { readonly out: number; readonly err: number };
}

/** Room for more than the parser lets nest. The system gives what is used, and no more. */
export const stackSizeMb = 512;

/** Runs the command once more, on a larger stack. */
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
