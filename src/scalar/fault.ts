// The faults of scalar operations: why some operands have no result. The interpreter turns a fault
// into a diagnostic with a place.

export const faultReasons = {
  "division by zero": "an integer divided by 0 has no value",
  "remainder by zero": "an integer has no remainder by 0",
  "negative exponent":
    "an integer to a negative power is not an integer; cast the base to a float first",
  "empty random range": "`randint(seed, n, lo, hi)` needs `lo < hi`",
  "max of nothing": "an integer `max` over no elements has no value",
  "min of nothing": "an integer `min` over no elements has no value",
  "argmax of nothing": "`argmax` over no elements has no winner",
  "argmin of nothing": "`argmin` over no elements has no winner",
} as const satisfies Record<string, string>;

export type FaultReason = keyof typeof faultReasons;

/** Only the scalar tables throw this, and whoever applies an operation catches it. */
export class ArithmeticFault extends Error {
  readonly reason: FaultReason;
  constructor(reason: FaultReason) {
    super(reason);
    this.name = "ArithmeticFault";
    this.reason = reason;
  }
}
