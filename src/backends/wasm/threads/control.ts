// What the threads of a pool say to each other: a few words of shared memory, in which a job is published and its parts are handed out.
//
// The first thread writes a job, opens the door and takes parts like everybody else. A worker that finds the door open counts itself in,
// takes parts until there are none, and counts itself out. A job is over when the door is shut again and nobody is inside, so a worker that
// wakes up late finds a shut door and has missed nothing.
//
// Every thread has a share of the parts, the same one in every job of as many parts: what it has written is in its own cache when the next job
// reads it. Who is through with his own share takes parts of the others'.

/** Places in the shared words. */
export const places = {
  /** Changes whenever there is something to do: what sleeping workers wait for. */
  bell: 0,
  /** 0 while shut. */
  door: 1,
  /** How many workers are inside. */
  inside: 2,
  /** How many threads there are, the first included, and how many parts. */
  threads: 3,
  parts: 4,
  /** Where the parts begin and end, and how long each is. */
  from: 5,
  to: 6,
  by: 7,
  /** How many workers have started, and how many have done what they had to install. */
  started: 8,
  installed: 9,
  /** How many bytes there are to install, under which number the first of its functions goes, and how many functions there are. */
  moduleBytes: 10,
  firstFunction: 11,
  functionCount: 12,
  /** Not 0 once a call has failed. */
  failed: 13,
  /** How many calls a part makes; each is a function, its rows, two numbers of words, its arguments, and how they slide. */
  calls: 14,
  firstCall: 16,
  /** How many parts of each thread's share have been handed out, a cache line each. */
  firstShare: 4112,
  shareWords: 16,
} as const;

/** Words for the calls of one job. */
export const mostWords = places.firstShare - places.firstCall;
/** The largest module that can be installed. */
export const mailboxBytes = 1 << 18;

/** How often a thread looks before it goes to sleep. */
export const patience = 20_000;
