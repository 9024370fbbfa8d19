// A run that also tells what it did: what each line of the source has cost, and what the optimiser made of the program.

import { newProfile } from "../backends/profile.ts";
import type { CoreProgram, RunOptions, RunResult } from "../core.ts";
import { newHeard, type Heard } from "../optimise/print.ts";

export function toldRun(program: CoreProgram, { profile, dump, ...options }: RunOptions): RunResult {
  let heard: Heard | undefined;
  const result = program.run({
    ...options,
    ...(profile ? { profiler: newProfile(profile) } : {}),
    ...(dump === undefined ? {} : { listener: (...of) => (heard = newHeard(...of)) }),
  });
  return dump === undefined || !heard ? result : { ...result, dump: heard.text(dump) };
}
