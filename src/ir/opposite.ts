// What a condition tests, and with which outcome it holds; and its opposite, where it can be written without a `!`: of comparisons of integers, which have no NaN, of equations, and of several at once.

import { isInteger } from "./scalar/types.ts";
import type { Scalar } from "./program.ts";

/** An outcome of a condition. */
export interface Outcome {
  readonly value: Scalar;
  readonly holds: boolean;
}

/** What a condition tests, and with which outcome it holds. */
export function outcomeOf(condition: Scalar): Outcome {
  if (condition.kind === "apply" && condition.operation === "not") {
    const { value, holds } = outcomeOf(condition.operands[0]!);
    return { value, holds: !holds };
  }
  return condition.kind === "apply" && condition.operation === "notEqual"
    ? { value: { ...condition, operation: "equal" }, holds: false }
    : { value: condition, holds: true };
}

const opposites = {
  less: "greaterEqual",
  greaterEqual: "less",
  greater: "lessEqual",
  lessEqual: "greater",
  equal: "notEqual",
  notEqual: "equal",
} as const;

export function oppositeOf(condition: Scalar): Scalar | undefined {
  if (condition.kind !== "apply") return undefined;
  const { operation, within, operands } = condition;
  if (operation === "not") return operands[0];
  if (operation === "or") {
    const parts = operands.map(oppositeOf);
    return parts.every((part) => part !== undefined) ? { ...condition, operation: "and", operands: parts } : undefined;
  }
  if (!(operation in opposites)) return undefined;
  const opposite = opposites[operation as keyof typeof opposites];
  const isExact = opposite === "equal" || opposite === "notEqual" || isInteger(within);
  return isExact ? { ...condition, operation: opposite } : undefined;
}
