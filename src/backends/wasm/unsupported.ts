// The error for programs that kernels cannot run. The oracle runs them instead.

/** A form of the program that this backend leaves to the oracle. */
export class Unsupported extends Error {}

/** The reason if the host's engine refuses a kernel for its size. */
export const tooLarge = "too large for a kernel";
