// Integer operations on terms. Terms are exact where the run's arithmetic wraps, and quotients
// round down where the run's truncate: an operation has a term only where both mean the same
// number, and what cannot be shown to is left to the run.

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

/** What is known about terms at some place. */
export interface Known {
  readonly isNonNegative: (term: Term) => boolean;
  readonly isPositive: (term: Term) => boolean;
  /** Whether the arithmetic of the run reaches this value without wrapping. */
  readonly fits: (term: Term) => boolean;
}

/** The term of an operation on terms; nothing where only the run can tell. */
export function applied(
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
        // Where nothing is ever computed everything holds, even that 0 is positive.
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
 * Whether all factors are so small that no position of a tensor makes an i32 wrap; `stride` is the
 * largest factor of a coordinate.
 */
export function isSmall(term: Term, stride: number): boolean {
  const fixed = constantOf(term);
  if (fixed !== undefined) return fixed >= least && fixed <= most;
  return (
    Math.abs(term.constant) < 2 ** 30 &&
    term.parts.every(({ coefficient }) => Math.abs(coefficient) <= stride)
  );
}

/** Whether a term is an i32: at sight, or by what is known. */
export function fitsI32(term: Term, assumptions: Assumptions): boolean {
  if (isSmall(term, 2 ** 10)) return true;
  return (
    holds(atMost(term, constant(most)), assumptions) &&
    holds(atMost(constant(least), term), assumptions)
  );
}
