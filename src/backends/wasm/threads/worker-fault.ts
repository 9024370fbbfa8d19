// The error of a pool that has lost a worker.

/** A worker stopped in the middle of a call, or does not answer. */
export class WorkerFault extends Error {}
