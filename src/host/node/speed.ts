// What the command turns on for the programs that it runs: all cores, and the fastest instructions
// of the host.

import { availableParallelism } from "node:os";
import { useRelaxedSimd } from "../../backends/wasm/contract/form.ts";
import { useThreads } from "../../backends/wasm/threads/threads.ts";

/** More threads than this seldom help: most programs wait for memory by then. */
const mostThreads = 8;

export interface Speed {
  /** Absent: as many as the machine has cores. */
  readonly threads: number | undefined;
  /** Only what has the same bits on every machine. */
  readonly deterministic: boolean;
}

export function runFast({ threads, deterministic }: Speed): void {
  useRelaxedSimd(!deterministic);
  useThreads(threads ?? Math.min(mostThreads, availableParallelism()));
}
