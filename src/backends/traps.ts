// What can stop a run: the first float that is not finite, or the first integer that wraps around.

export const traps = ["nan", "overflow"] as const;
export type Trap = (typeof traps)[number];
