// Takes the time of something that can be done again and again: the best of many short samples.

export type Work = () => unknown;

/** Samples shorter than this are dominated by the clock. */
const sampleMs = 2;

/** Milliseconds of one run, the best of what fits into the budget; what returns a promise is awaited. */
export async function best(work: Work, budgetMs: number): Promise<number> {
  // The first run is for compilers and caches, unless there is no time for another one.
  const from = performance.now();
  const first = work();
  await first;
  let shortest = performance.now() - from;
  if (shortest > budgetMs) return shortest;
  const times = first instanceof Promise ? timedAsync : timed;
  const repeat = Math.max(1, Math.ceil(sampleMs / Math.max(1e-4, await times(work, 1))));
  const end = performance.now() + budgetMs;
  do {
    shortest = Math.min(shortest, (await times(work, repeat)) / repeat);
  } while (performance.now() < end);
  return shortest;
}

function timed(work: Work, repeat: number): number {
  const from = performance.now();
  for (let run = 0; run < repeat; run++) work();
  return performance.now() - from;
}

async function timedAsync(work: Work, repeat: number): Promise<number> {
  const from = performance.now();
  for (let run = 0; run < repeat; run++) await work();
  return performance.now() - from;
}
