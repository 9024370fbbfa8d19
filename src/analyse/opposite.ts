// Conditions and their outcomes: what a condition tests and how it comes out where it holds, and
// what holds where it does not. The opposite of comparisons of integers, which have no NaN, of
// equations, and of several conditions at once can be written without a `!`.

import type { Scalar } from "../ir/program.ts";
import { isInteger } from "../scalar/types.ts";
import { nowhere, type Span } from "../base/source.ts";

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

/** What holds where a condition has an outcome. */
export function holding({ value, holds }: Outcome): Scalar {
  return holds ? value : negation(value, nowhere);
}

const negations = new WeakMap<Scalar, Map<Span, Scalar>>();

/**
 * What holds where a condition does not. It is made once: behind a thousand branches of one
 * another, each condition is denied in as many contributions as branches come after it.
 */
export function negation(value: Scalar, span: Span): Scalar {
  let made = negations.get(value);
  if (!made) negations.set(value, (made = new Map()));
  let denied = made.get(span);
  if (!denied) made.set(span, (denied = denial(value, span)));
  return denied;
}

function denial(value: Scalar, span: Span): Scalar {
  if (value.kind === "constant") return { ...value, value: !value.value };
  if (value.kind === "apply" && value.operation === "not") return value.operands[0]!;
  // Of all comparisons only these are each other's opposite for NaN too.
  if (value.kind === "apply" && value.operation === "equal")
    return { ...value, operation: "notEqual" };
  if (value.kind === "apply" && value.operation === "notEqual")
    return { ...value, operation: "equal" };
  return { kind: "apply", type: "bool", within: "bool", operation: "not", operands: [value], span };
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
    return parts.every((part) => part !== undefined)
      ? { ...condition, operation: "and", operands: parts }
      : undefined;
  }
  if (!(operation in opposites)) return undefined;
  const opposite = opposites[operation as keyof typeof opposites];
  const isExact = opposite === "equal" || opposite === "notEqual" || isInteger(within);
  return isExact ? { ...condition, operation: opposite } : undefined;
}
