// What the threads of a pool say to each other: a few words of shared memory, in which a job is
// published and its parts are handed out.
//
// The first thread writes a job, opens the door and takes parts like everybody else. A worker that
// finds the door open counts itself in, takes parts until there are none, and counts itself out. A
// job is over when the door is shut again and nobody is inside, so a worker that wakes up late
// finds a shut door and has missed nothing.
//
// Every thread has a share of the parts, the same one in every job of as many parts: what it has
// written is in its own cache when the next job reads it. Who is through with his own share takes
// parts of the others'.
//
// Steps that read what any part of the step before has written are taken together: the parts of a
// step are handed out when all parts of the one before are done. Nobody waits for a thread that has
// taken none, or for long.

/**
 * Places in the shared words. What waiting threads look at, what a job says and what is counted in
 * it are in cache lines of their own, 16 words each: a line that is written while somebody looks at
 * it goes to and fro for every word. What a job says is written only where it differs from what the
 * job before said, so that of a job that comes again every thread has the lines. What is counted is
 * together: who enters has it all.
 */
export const places = {
  /** Changes whenever there is something to do: what waiting workers look at, and sleep for. */
  bell: 0,
  /** How many workers sleep: nobody else has to be woken. */
  asleep: 1,
  /** How many workers have started, and how many have installed what was there to install last. */
  started: 2,
  installed: 3,
  /**
   * How many bytes there are to install, under which number the first of its functions goes, and
   * how many functions there are.
   */
  moduleBytes: 4,
  firstFunction: 5,
  functionCount: 6,
  /**
   * How often there was something to install: a worker compares it with how often it has installed
   * something.
   */
  installs: 7,
  /** Not 0 once a call has failed. */
  failed: 8,
  /** Changes whenever a job says something else than the one before. */
  job: 16,
  /** How many threads there are, the first included, and how many parts. */
  threads: 17,
  parts: 18,
  /** Where the parts begin and end, and how long each is. */
  from: 19,
  to: 20,
  by: 21,
  /** From which step to which. */
  firstStep: 22,
  endStep: 23,
  /** Not 0 where the threads take steps together, one call of a step after the other. */
  together: 24,
  /**
   * How many calls a part makes in a step; each is a function, its rows, in which steps it is made,
   * three numbers of words, its arguments, how they slide, and how they move.
   */
  calls: 25,
  firstCall: 26,
  /** How many words a call has before its arguments, and each of its moves. */
  headWords: 7,
  moveWords: 6,
  /** 0 while shut. */
  door: 4160,
  /** How many workers are inside. */
  inside: 4161,
  /** Of steps that are taken together, how many parts are done. */
  done: 4162,
  /** Not 0 once the first thread does the rest of a job alone. */
  alone: 4163,
  /** How many parts of each thread's share have been handed out, thread by thread. */
  firstShare: 4164,
} as const;

/** What is counted when there is nothing more to do, or something has failed. */
export const over = 0x3fffffff;

/** Words for the calls of one job. */
export const mostWords = places.door - places.firstCall;
/** The largest module that can be installed. */
export const mailboxBytes = 1 << 18;

/**
 * How often a thread looks before it goes to sleep; in steps that are taken together, before it
 * helps another one, and before it takes that for lost.
 */
export const waits = { patience: 20_000, late: 300, lost: 4000 } as const;
