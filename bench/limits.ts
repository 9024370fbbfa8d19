// Measures the limits of this machine, on as many threads at once as a table has.

import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Limits } from "./limits-worker.ts";

export type { Limits } from "./limits-worker.ts";

export async function measureLimits(
  threads: number,
  built: string,
  budgetMs: number,
): Promise<Limits> {
  const each = await Promise.all(
    Array.from(
      { length: threads },
      () =>
        new Promise<Limits>((resolve, reject) => {
          const worker = new Worker(join(built, "limits-worker.mjs"), { workerData: { budgetMs } });
          worker.once("message", resolve);
          worker.once("error", reject);
        }),
    ),
  );
  const sum = (pick: (limits: Limits) => number): number =>
    each.reduce((total, one) => total + pick(one), 0);
  return { flopsPerMs: sum((one) => one.flopsPerMs), bytesPerMs: sum((one) => one.bytesPerMs) };
}

/** The higher rates of two measurements. */
export function highest(one: Limits, other: Limits): Limits {
  return {
    flopsPerMs: Math.max(one.flopsPerMs, other.flopsPerMs),
    bytesPerMs: Math.max(one.bytesPerMs, other.bytesPerMs),
  };
}

/**
 * The least milliseconds that a row can take on this machine, and whether arithmetic or memory
 * determines them.
 */
export function leastMs(
  work: { readonly flops: number; readonly bytes: number },
  limits: Limits,
): { readonly ms: number; readonly by: "arithmetic" | "memory" } {
  const arithmetic = work.flops / limits.flopsPerMs;
  const memory = work.bytes / limits.bytesPerMs;
  return arithmetic > memory ? { ms: arithmetic, by: "arithmetic" } : { ms: memory, by: "memory" };
}
