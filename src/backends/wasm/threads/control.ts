// The protocol of a pool of threads: a few words of shared memory in which a job is published and
// its parts are handed out.
//
// The first thread writes a job, opens the door and takes parts like everybody else. A worker that
// finds the door open counts itself in, takes parts until there are none, and counts itself out. A
// job is over when the door is shut again and nobody is inside. A worker that wakes up late finds a
// shut door and has missed nothing.
//
// Every thread has a share of the parts, the same share in every job with as many parts. What a
// thread has written is then in its own cache when the next job reads it. A thread that has done
// its own share takes parts of the others' shares.
//
// If a step reads what any part of the step before has written, the threads take steps together:
// the parts of a step are handed out when all parts of the step before are done. Nobody waits for a
// thread that has taken no part, and nobody waits long.

/**
 * The positions of the shared words. A cache line has 16 words. The words at which waiting threads
 * look, the words of a job, and the counters of a job lie in cache lines of their own, because a
 * line that is written while others look at it moves between their caches for every word. The words
 * of a job are written only where they differ from the job before, so every thread still has the
 * lines of a job that is repeated. The counters lie together, so a thread that enters gets all of
 * them at once.
 */
export const places = {
  /**
   * Changes whenever there is something to do. Waiting workers look at it, and sleep until it
   * changes.
   */
  bell: 0,
  /** How many workers sleep. If none does, nobody has to be woken. */
  asleep: 1,
  /** How many workers have started, and how many have installed the latest module. */
  started: 2,
  installed: 3,
  /**
   * The size of the module to install, the number of its first function, and how many functions it
   * has.
   */
  moduleBytes: 4,
  firstFunction: 5,
  functionCount: 6,
  /**
   * How many modules there were to install. A worker compares it with the number that it has
   * installed.
   */
  installs: 7,
  /** Not 0 once a call has failed. */
  failed: 8,
  /** Changes whenever a job differs from the job before. */
  job: 16,
  /** How many threads there are, with the first one, and how many parts the job has. */
  threads: 17,
  parts: 18,
  /** Where the parts begin and end, and how long each part is. */
  from: 19,
  to: 20,
  by: 21,
  /** The first step, and the end of the steps. */
  firstStep: 22,
  endStep: 23,
  /** Not 0 if the threads take steps together, one call of a step after the other. */
  together: 24,
  /**
   * How many calls a part makes in a step. The words of a call are: its function, its rows for each
   * position, its first step and the end of its steps, the numbers of its arguments, slides and
   * moves, and then its arguments, its slides and its moves.
   */
  calls: 25,
  firstCall: 26,
  /** How many words a call has before its arguments, and how many words a move has. */
  headWords: 7,
  moveWords: 6,
  /** 0 while the door is shut. */
  door: 4160,
  /** How many workers are inside. */
  inside: 4161,
  /** How many parts are done, in a job whose steps are taken together. */
  done: 4162,
  /** Not 0 once the first thread does the rest of a job alone. */
  alone: 4163,
  /** How many parts of each thread's share have been handed out, thread by thread. */
  firstShare: 4164,
} as const;

/** The value of the counters when a job is over or has failed. */
export const over = 0x3fffffff;

/** How many words the calls of one job can take. */
export const mostWords = places.door - places.firstCall;
/** The largest module that can be installed. */
export const mailboxBytes = 1 << 18;

/**
 * How often a thread looks before it goes to sleep (`patience`). If steps are taken together: how
 * often it looks before it helps another thread (`late`), and before it takes that thread for lost
 * (`lost`).
 */
export const waits = { patience: 20_000, late: 300, lost: 4000 } as const;
