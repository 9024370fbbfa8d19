// Integer operations on terms. Terms are exact, but the arithmetic of a run wraps; quotients of
// terms round down, but those of a run truncate. An operation has a term only where both certainly
// give the same number.

import type { OperationName } from "../scalar/operations.ts";
import {
  add,
  attempt,
  constant,
  constantOf,
  floorDiv,
  maximum,
  minimum,
  mod,
  multiply,
  negate,
  subtract,
} from "./term.ts";
import type { Term } from "./term.ts";
import { atMost, holds, type Assumptions } from "./prove.ts";

/** What is known about terms at a place of a program. */
export interface Known {
  readonly isNonNegative: (term: Term) => boolean;
  readonly isPositive: (term: Term) => boolean;
  /** Whether the arithmetic of a run reaches this value without wrapping. */
  readonly fits: (term: Term) => boolean;
}

/** The term of an operation on terms, or undefined where the number is only known at run time. */
export function termOfOperation(
  operation: OperationName,
  [a, b, c]: readonly Term[],
  known: Known,
): Term | undefined {
  const term = attempt((): Term | undefined => {
    switch (operation) {
      case "add":
        return add(a!, b!);
      case "subtract":
        return subtract(a!, b!);
      case "multiply":
        return multiply(a!, b!);
      case "negate":
        return negate(a!);
      case "max":
        return maximum(a!, b!);
      case "min":
        return minimum(a!, b!);
      case "clamp":
        return minimum(maximum(a!, b!), c!);
      case "divide":
      case "remainder":
        // In a place that no run reaches, every fact holds, even that 0 is positive.
        if (constantOf(b!) === 0 || !known.isNonNegative(a!) || !known.isPositive(b!))
          return undefined;
        return operation === "divide" ? floorDiv(a!, b!) : mod(a!, b!);
      default:
        return undefined;
    }
  });
  return term && known.fits(term) ? term : undefined;
}

const [least, most] = [-(2 ** 31), 2 ** 31 - 1];

/**
 * Whether all factors of a term are so small that no position of a tensor makes an i32 wrap.
 * `stride` is the largest factor that a coordinate may have.
 */
export function isSmall(term: Term, stride: number): boolean {
  const fixed = constantOf(term);
  if (fixed !== undefined) return fixed >= least && fixed <= most;
  return (
    Math.abs(term.constant) < 2 ** 30 &&
    term.parts.every(({ coefficient }) => Math.abs(coefficient) <= stride)
  );
}

/** Whether a term is certainly an i32: at sight, or by the assumptions. */
export function fitsI32(term: Term, assumptions: Assumptions): boolean {
  if (isSmall(term, 2 ** 10)) return true;
  return (
    holds(atMost(term, constant(most)), assumptions) &&
    holds(atMost(constant(least), term), assumptions)
  );
}
