// What a pool says of workers that are lost.

/** A worker stopped in the middle of a call, or does not answer any more. */
export class WorkerFault extends Error {}
