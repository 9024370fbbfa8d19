// What a run can be told to stop at: the first float that is not finite, or the first integer that
// wraps around.

export const traps = ["nan", "overflow"] as const;
export type Trap = (typeof traps)[number];
