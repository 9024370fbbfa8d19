// Sets the engine for the command line: all cores, and the fastest instructions of the machine.

import { availableParallelism } from "node:os";
import { useRelaxedSimd } from "../../backends/wasm/contract/form.ts";
import { useThreads } from "../../backends/wasm/threads/threads.ts";

/** More threads seldom help, because most programs then wait for memory. */
const mostThreads = 8;

interface Speed {
  /** The number of threads, or undefined for as many as there are cores. */
  readonly threads: number | undefined;
  /** Whether every machine must give the same bits. */
  readonly deterministic: boolean;
}

export function runFast({ threads, deterministic }: Speed): void {
  useRelaxedSimd(!deterministic);
  useThreads(threads ?? Math.min(mostThreads, availableParallelism()));
}
