// Conditions and their outcomes, and opposites of conditions. Some opposites need no `!`: those of
// comparisons of integers, which have no NaN, of equations, and of disjunctions of these.
//
//   !(i < n)      i >= n
//   !(a == b)     a != b

import type { Scalar } from "../ir/program.ts";
import { isInteger } from "../scalar/types.ts";
import { nowhere, type Span } from "../base/source.ts";
import { applied } from "../ir/simple-scalars.ts";

/** A condition, and whether it holds. */
export interface Outcome {
  readonly value: Scalar;
  readonly holds: boolean;
}

/** A condition without its negation: `!(a == b)` is `a == b` with the outcome false. */
export function outcomeOf(condition: Scalar): Outcome {
  if (condition.kind === "apply" && condition.operation === "not") {
    const { value, holds } = outcomeOf(condition.operands[0]!);
    return { value, holds: !holds };
  }
  return condition.kind === "apply" && condition.operation === "notEqual"
    ? { value: { ...condition, operation: "equal" }, holds: false }
    : { value: condition, holds: true };
}

/** The condition that holds exactly if an outcome does. */
export function holding({ value, holds }: Outcome): Scalar {
  return holds ? value : negation(value, nowhere);
}

const negations = new WeakMap<Scalar, Map<Span, Scalar>>();

/**
 * The negation of a condition. It is made once, because behind a thousand branches each condition
 * is negated in every contribution that comes after it.
 */
export function negation(value: Scalar, span: Span): Scalar {
  let bySpan = negations.get(value);
  if (!bySpan) negations.set(value, (bySpan = new Map()));
  let denied = bySpan.get(span);
  if (!denied) bySpan.set(span, (denied = newNegation(value, span)));
  return denied;
}

function newNegation(value: Scalar, span: Span): Scalar {
  if (value.kind === "constant") return { ...value, value: !value.value };
  if (value.kind === "apply" && value.operation === "not") return value.operands[0]!;
  // Of all comparisons, only these two are opposites for NaN too.
  if (value.kind === "apply" && value.operation === "equal")
    return { ...value, operation: "notEqual" };
  if (value.kind === "apply" && value.operation === "notEqual")
    return { ...value, operation: "equal" };
  return applied("not", [value], span);
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
