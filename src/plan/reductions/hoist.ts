// Applies factors that all terms of a sum share to the sum instead:
//
//   sum[j](0.5 * x[i, j] / 8.0)  is  0.5 * sum[j](x[i, j]) / 8.0
//
// Only factors that can never be infinite may leave the sum. An infinite factor turns a term that
// is 0 into NaN, which the sum of all terms would hide. For the same reason, factors stay where the
// sum might have no terms.

import { isOff } from "../../ir/rewrites.ts";
import type { Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import type { Local, Scalar } from "../../ir/program.ts";
import { isFloat, isInteger } from "../../scalar/types.ts";
import type { Reduced, Reduction } from "../regions/regions.ts";
import { valueOf } from "../../analyse/can-fail.ts";
import { isAnywhere } from "../../ir/parts.ts";
import { applied } from "../../ir/simple-scalars.ts";

/** The sum without the factors, and the value of the whole sum in terms of it. */
interface Hoisted {
  readonly reduced: Reduced;
  readonly value: Scalar;
}

export function hoisted(name: Local, body: Reduction): Hoisted | undefined {
  if (isOff("hoist")) return undefined;
  if (body.reduction !== "sum" && body.reduction !== "mean") return undefined;
  if (!isFloat(body.value.type) || body.guards.length > 0 || !surelyHasTerms(body))
    return undefined;
  const reduced = new Set(body.loops.map(({ variable }) => variable));
  const split = factorsTakenOut(body.value, reduced);
  if (!split || split.left === body.value) return undefined;
  const inner: Local = { ...name };
  const { type } = body.value;
  const total = split.applied({ kind: "local", type, local: inner });
  // A sum is never -0, but a negative factor times 0 is -0. Adding 0 turns -0 into 0.
  const zero: Scalar = { kind: "constant", type, value: 0 };
  return {
    reduced: { name: inner, body: { ...body, value: split.left } },
    value: applied("add", [total, zero], body.span),
  };
}

function surelyHasTerms({ loops }: Reduction): boolean {
  return loops.every(({ from, to }) => {
    const [first, end] = [valueOf(from), valueOf(to)];
    return first !== undefined && end !== undefined && first < end;
  });
}

interface Split {
  /** The part that depends on the reduced coordinates. */
  readonly left: Scalar;
  /** Puts the taken factors around a value. */
  readonly applied: (left: Scalar) => Scalar;
}

/**
 * Takes the factors and divisors that may leave the sum off a product. `undefined` where the whole
 * product may leave, so that nothing would remain in the sum.
 */
function factorsTakenOut(value: Scalar, reduced: ReadonlySet<Variable>): Split | undefined {
  if (mayLeaveSum(value, reduced)) return undefined;
  const nothingTaken: Split = { left: value, applied: (left) => left };
  if (value.kind !== "apply" || value.type !== value.within) return nothingTaken;
  const [a, b] = value.operands;
  switch (value.operation) {
    case "negate": {
      const inner = factorsTakenOut(a!, reduced);
      return inner
        ? { left: inner.left, applied: (left) => ({ ...value, operands: [inner.applied(left)] }) }
        : nothingTaken;
    }
    case "multiply": {
      const [x, y] = [factorsTakenOut(a!, reduced), factorsTakenOut(b!, reduced)];
      if (!x || !y) {
        const inner = x ?? y;
        if (!inner) return nothingTaken;
        const around = (part: Scalar): Scalar => ({
          ...value,
          operands: x ? [part, b!] : [a!, part],
        });
        return { left: inner.left, applied: (left) => around(inner.applied(left)) };
      }
      if (x.left === a && y.left === b) return nothingTaken;
      return {
        left: { ...value, operands: [x.left, y.left] },
        applied: (left) => x.applied(y.applied(left)),
      };
    }
    case "divide": {
      const inner = factorsTakenOut(a!, reduced);
      if (!inner) return nothingTaken;
      if (isFiniteNumber(b!))
        return {
          left: inner.left,
          applied: (left) => ({ ...value, operands: [inner.applied(left), b!] }),
        };
      return inner.left === a
        ? nothingTaken
        : { left: { ...value, operands: [inner.left, b!] }, applied: inner.applied };
    }
    default:
      return nothingTaken;
  }
}

/** Whether a factor may be applied to the sum: it is the same for all terms, and never infinite. */
function mayLeaveSum(scalar: Scalar, reduced: ReadonlySet<Variable>): boolean {
  return !usesVariables(scalar, reduced) && largestAbsoluteValueOf(scalar) < largestFactor;
}

const largestFactor = 3e38;

function isFiniteNumber(scalar: Scalar): boolean {
  const value = valueOf(scalar);
  return typeof value === "number" && Number.isFinite(value) && value !== 0;
}

const operationsBoundedByOne: ReadonlySet<string> = new Set([
  "sin",
  "cos",
  "tanh",
  "sigmoid",
  "erf",
  "sign",
]);

/** An upper bound of the absolute value of a scalar. */
function largestAbsoluteValueOf(scalar: Scalar): number {
  const value = valueOf(scalar);
  if (typeof value === "number") return Number.isNaN(value) ? 0 : Math.abs(value);
  if (scalar.kind === "local") return largestAbsoluteValueOf(scalar.local.value);
  if (scalar.kind === "cast")
    return isInteger(scalar.operand.type) && scalar.type !== "f16" ? 2 ** 63 : Infinity;
  if (scalar.kind !== "apply") return Infinity;
  if (operationsBoundedByOne.has(scalar.operation)) return 1;
  const [a, b] = scalar.operands;
  if (scalar.operation === "negate") return largestAbsoluteValueOf(a!);
  return scalar.operation === "multiply"
    ? largestAbsoluteValueOf(a!) * largestAbsoluteValueOf(b!)
    : Infinity;
}

function usesVariables(scalar: Scalar, variables: ReadonlySet<Variable>): boolean {
  return isAnywhere(
    scalar,
    (part) =>
      part.kind === "integer" && [...variablesOf(part.term)].some((each) => variables.has(each)),
  );
}
