// What the threads of a pool say to each other: a few words of shared memory, in which a job is published and its parts are handed out.
//
// The first thread writes a job, opens the door and takes parts like everybody else. A worker that finds the door open counts itself in,
// takes parts until there are none, and counts itself out. A job is over when the door is shut again and nobody is inside, so a worker that
// wakes up late finds a shut door and has missed nothing.
//
// Every thread has a share of the parts, the same one in every job of as many parts: what it has written is in its own cache when the next job
// reads it. Who is through with his own share takes parts of the others'.

/**
 * Places in the shared words. What waiting threads look at, what a job says and what is counted in it are in cache lines of their own, 16 words
 * each: a line that is written while somebody looks at it goes to and fro for every word. Beside the bell is what hardly ever changes.
 */
export const places = {
  /** Changes whenever there is something to do: what waiting workers look at, and sleep for. */
  bell: 0,
  /** How many workers sleep: nobody else has to be woken. */
  asleep: 1,
  /** How many workers have started, and how many have installed what was there to install last. */
  started: 2,
  installed: 3,
  /** How many bytes there are to install, under which number the first of its functions goes, and how many functions there are. */
  moduleBytes: 4,
  firstFunction: 5,
  functionCount: 6,
  /** How often there was something to install: a worker compares it with how often it has installed something. */
  installs: 7,
  /** Not 0 once a call has failed. */
  failed: 8,
  /** 0 while shut. */
  door: 16,
  /** How many workers are inside. */
  inside: 32,
  /** How many threads there are, the first included, and how many parts. */
  threads: 48,
  parts: 49,
  /** Where the parts begin and end, and how long each is. */
  from: 50,
  to: 51,
  by: 52,
  /** From which step to which. */
  firstStep: 53,
  endStep: 54,
  /**
   * How many calls a part makes in a step; each is a function, its rows, in which steps it is made, three numbers of words, its arguments, how they
   * slide, and how they move.
   */
  calls: 55,
  firstCall: 56,
  /** How many words a call has before its arguments, and each of its moves. */
  headWords: 7,
  moveWords: 6,
  /** How many parts of each thread's share have been handed out. */
  firstShare: 4160,
  shareWords: 16,
} as const;

/** Words for the calls of one job. */
export const mostWords = places.firstShare - places.firstCall;
/** The largest module that can be installed. */
export const mailboxBytes = 1 << 18;

/** How often a thread looks before it goes to sleep. */
export const patience = 20_000;
