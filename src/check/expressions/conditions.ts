// Conditions. A condition with a known outcome is replaced by that outcome:
//
//   true && c   =   c            false && c   =   false

import { constantOf } from "../../affine/term.ts";
import type { OperationName } from "../../scalar/operations.ts";
import type { Span } from "../../base/source.ts";
import type { Checker } from "../context.ts";
import { integerTerm } from "../types/integers.ts";
import type { Typed } from "../types/typed.ts";
import { isIntegerScalar, scalar } from "../types/types.ts";

export function truth(value: boolean, span: Span): Typed {
  return { kind: "constant", value, type: scalar("bool"), span };
}

/** The value of a condition if it is known without the solver. */
export function knownTruth(value: Typed): boolean | undefined {
  const { kind } = value;
  if (kind === "constant" && typeof value.value === "boolean") return value.value;
  if (kind === "block") return knownTruth(value.value);
  if (kind === "reference" && value.binding.kind === "value" && value.binding.value)
    return knownTruth(value.binding.value);
  return undefined;
}

/** The number that a scalar is known to be. */
export function knownNumber(checker: Checker, value: Typed): number | undefined {
  if (value.kind === "constant") return typeof value.value === "number" ? value.value : undefined;
  if (value.kind === "block") return knownNumber(checker, value.value);
  if (value.kind === "reference" && value.binding.kind === "value" && value.binding.value) {
    const found = knownNumber(checker, value.binding.value);
    if (found !== undefined) return found;
  }
  return isIntegerScalar(value.type) ? constantOf(integerTerm(checker, value)) : undefined;
}

const comparisons: Readonly<Partial<Record<OperationName, (a: number, b: number) => boolean>>> = {
  equal: (a, b) => a === b,
  notEqual: (a, b) => a !== b,
  less: (a, b) => a < b,
  lessEqual: (a, b) => a <= b,
  greater: (a, b) => a > b,
  greaterEqual: (a, b) => a >= b,
};

/** The outcome of a condition on known integers and bools. */
export function foldedTruth(checker: Checker, value: Typed): boolean | undefined {
  if (value.kind !== "apply") return knownTruth(value);
  const { operation, operands } = value;
  const [left, right] = operands;
  switch (operation) {
    case "not": {
      const known = foldedTruth(checker, left!);
      return known === undefined ? undefined : !known;
    }
    case "and":
    case "or": {
      const decisive = operation === "or";
      const known = operands.map((operand) => foldedTruth(checker, operand));
      if (known.includes(decisive)) return decisive;
      return known.includes(undefined) ? undefined : !decisive;
    }
    default: {
      const compare = comparisons[operation];
      if (!compare || !isIntegerScalar(left!.type)) return undefined;
      const [a, b] = [knownNumber(checker, left!), knownNumber(checker, right!)];
      return a === undefined || b === undefined ? undefined : compare(a, b);
    }
  }
}

/** `a && b`; `b` is evaluated only where `a` holds. */
export function both(a: Typed, b: Typed): Typed {
  if (a.kind === "wrong") return a;
  const known = knownTruth(a);
  if (known !== undefined) return known ? b : truth(false, a.span);
  const right = knownTruth(b);
  if (right !== undefined) return right ? a : truth(false, b.span);
  return b.kind === "wrong" ? b : applyToBools("and", [a, b], a.span);
}

export function either(a: Typed, b: Typed): Typed {
  if (a.kind === "wrong") return a;
  const known = knownTruth(a);
  if (known !== undefined) return known ? truth(true, a.span) : b;
  const right = knownTruth(b);
  if (right !== undefined) return right ? truth(true, b.span) : a;
  return b.kind === "wrong" ? b : applyToBools("or", [a, b], a.span);
}

export function negation(a: Typed): Typed {
  const known = knownTruth(a);
  if (known !== undefined) return truth(!known, a.span);
  if (a.kind === "apply" && a.operation === "not") return a.operands[0]!;
  return a.kind === "wrong" ? a : applyToBools("not", [a], a.span);
}

function applyToBools(
  operation: "and" | "or" | "not",
  operands: readonly Typed[],
  span: Span,
): Typed {
  return { kind: "apply", operation, operands, type: scalar("bool"), span };
}

/**
 * The answer to a question about a choice, made of the answers for both sides:
 *
 *   (if c { x } else { y }) == z   =   (c && x == z) || (!c && y == z)
 */
export function decidedBy(condition: Typed, then: Typed, otherwise: Typed): Typed {
  const [yes, no] = [knownTruth(then), knownTruth(otherwise)];
  if (yes !== undefined && yes === no) return then;
  if (yes === true && no === false) return condition;
  if (yes === false && no === true) return negation(condition);
  return either(both(condition, then), both(negation(condition), otherwise));
}
