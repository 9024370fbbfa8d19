// Takes the time of something that can be done again and again: the best of many short samples.

export type Work = () => unknown;

/** Milliseconds since some moment. */
export type Clock = () => number;

/** Samples shorter than this are dominated by the clock. */
const sampleMs = 2;

const wallClock: Clock = () => performance.now();

/**
 * What takes long still has so many turns, unless they take longer than so many budgets: compilers
 * of the host need some before they do their best.
 */
const fewest = { turns: 5, budgets: 4 };

/**
 * Milliseconds of one run, the best of what fits into the budget; what returns a promise is
 * awaited.
 */
export async function best(work: Work, budgetMs: number, now: Clock = wallClock): Promise<number> {
  // The first run is for compilers and caches, unless there is no time for another one.
  const from = now();
  const first = work();
  await first;
  let shortest = now() - from;
  if (shortest > budgetMs) return shortest;
  const times = first instanceof Promise ? timedAsync : timed;
  const repeat = Math.max(1, Math.ceil(sampleMs / Math.max(1e-4, await times(work, 1, now))));
  const start = now();
  const isOver = (turns: number): boolean =>
    now() >= start + budgetMs &&
    (turns >= fewest.turns || now() >= start + fewest.budgets * budgetMs);
  let turns = 0;
  do {
    shortest = Math.min(shortest, (await times(work, repeat, now)) / repeat);
    turns++;
  } while (!isOver(turns));
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
