// What kernels cannot do, which the oracle then does.

/** A form of the program that this backend leaves to the oracle. */
export class Unsupported extends Error {}

/** Why it is left, where an engine would not take the kernel. */
export const tooLarge = "too large for a kernel";
