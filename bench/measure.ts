// Measures the time of work that can be repeated: the best of many short samples.

export type Work = () => unknown;

/** Milliseconds since a fixed moment. */
export type Clock = () => number;

/** The error of the clock dominates shorter samples. */
const sampleMs = 2;

const wallClock: Clock = () => performance.now();

/**
 * Long work gets this many turns, unless they take longer than this many budgets. The host's
 * compilers need several turns to optimise.
 */
const fewest = { turns: 5, budgets: 4 };

/** The milliseconds of one run, the best within the budget. A promise is awaited. */
export async function best(work: Work, budgetMs: number, now: Clock = wallClock): Promise<number> {
  // The first run warms compilers and caches. It counts only if there is no time for another run.
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
