// Takes the time of something that can be done again and again: the best of many short samples.

export type Work = () => unknown;

/** Milliseconds since some moment. */
export type Clock = () => number;

/** Samples shorter than this are dominated by the clock. */
const sampleMs = 2;

const wallClock: Clock = () => performance.now();

/** Milliseconds of one run, the best of what fits into the budget; what returns a promise is awaited. */
export async function best(work: Work, budgetMs: number, now: Clock = wallClock): Promise<number> {
  // The first run is for compilers and caches, unless there is no time for another one.
  const from = now();
  const first = work();
  await first;
  let shortest = now() - from;
  if (shortest > budgetMs) return shortest;
  const times = first instanceof Promise ? timedAsync : timed;
  const repeat = Math.max(1, Math.ceil(sampleMs / Math.max(1e-4, await times(work, 1, now))));
  const end = now() + budgetMs;
  do {
    shortest = Math.min(shortest, (await times(work, repeat, now)) / repeat);
  } while (now() < end);
  return shortest;
}

function timed(work: Work, repeat: number, now: Clock): number {
  const from = now();
  for (let run = 0; run < repeat; run++) work();
  return now() - from;
}

async function timedAsync(work: Work, repeat: number, now: Clock): Promise<number> {
  const from = now();
  for (let run = 0; run < repeat; run++) await work();
  return now() - from;
}
