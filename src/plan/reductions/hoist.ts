// Factors that all terms of a sum share are applied to the sum:  sum[j](0.5 * x[i, j] / 8.0)  is
// 0.5 * sum[j](x[i, j]) / 8.0.
//
// Only factors that are finite or NaN whatever the data are: an infinite one makes NaN of a term
// that is 0, which the sum of all terms no longer shows. Where there may be no terms at all they
// stay too, for the same reason.

import { isOff } from "../../ir/rewrites.ts";
import type { Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Local, Scalar } from "../../ir/program.ts";
import { isFloat, isInteger } from "../../scalar/types.ts";
import type { Reduced, Reduction } from "../regions/regions.ts";
import { valueOf } from "../../analyse/can-fail.ts";

/**
 * A sum of what is left of the terms, and the value that the whole sum had, by the name of what is
 * left.
 */
export interface Hoisted {
  readonly reduced: Reduced;
  readonly value: Scalar;
}

export function hoisted(name: Local, body: Reduction): Hoisted | undefined {
  if (isOff("hoist")) return undefined;
  if (body.reduction !== "sum" && body.reduction !== "mean") return undefined;
  if (!isFloat(body.value.type) || body.guards.length > 0 || !hasTerms(body)) return undefined;
  const reduced = new Set(body.loops.map(({ variable }) => variable));
  const split = taken(body.value, reduced);
  if (!split || split.left === body.value) return undefined;
  const inner: Local = { ...name };
  const { type } = body.value;
  const whole = split.applied({ kind: "local", type, local: inner });
  // A sum is never -0, which a negative factor makes of 0.
  const zero: Scalar = { kind: "constant", type, value: 0 };
  return {
    reduced: { name: inner, body: { ...body, value: split.left } },
    value: {
      kind: "apply",
      type,
      within: type,
      operation: "add",
      operands: [whole, zero],
      span: body.span,
    },
  };
}

function hasTerms({ loops }: Reduction): boolean {
  return loops.every(({ from, to }) => {
    const [first, end] = [valueOf(from), valueOf(to)];
    return first !== undefined && end !== undefined && first < end;
  });
}

interface Split {
  /** What depends on the reduced coordinates. */
  readonly left: Scalar;
  /** The whole, given the value of what is left. */
  readonly applied: (left: Scalar) => Scalar;
}

/**
 * Takes the factors and divisors off a product that leave the sum; nothing where nothing would be
 * left.
 */
function taken(value: Scalar, reduced: ReadonlySet<Variable>): Split | undefined {
  if (leaves(value, reduced)) return undefined;
  const whole: Split = { left: value, applied: (left) => left };
  if (value.kind !== "apply" || value.type !== value.within) return whole;
  const [a, b] = value.operands;
  switch (value.operation) {
    case "negate": {
      const inner = taken(a!, reduced);
      return inner
        ? { left: inner.left, applied: (left) => ({ ...value, operands: [inner.applied(left)] }) }
        : whole;
    }
    case "multiply": {
      const [x, y] = [taken(a!, reduced), taken(b!, reduced)];
      if (!x || !y) {
        const inner = x ?? y;
        if (!inner) return whole;
        const around = (part: Scalar): Scalar => ({
          ...value,
          operands: x ? [part, b!] : [a!, part],
        });
        return { left: inner.left, applied: (left) => around(inner.applied(left)) };
      }
      if (x.left === a && y.left === b) return whole;
      return {
        left: { ...value, operands: [x.left, y.left] },
        applied: (left) => x.applied(y.applied(left)),
      };
    }
    case "divide": {
      const inner = taken(a!, reduced);
      if (!inner) return whole;
      if (isFiniteNumber(b!))
        return {
          left: inner.left,
          applied: (left) => ({ ...value, operands: [inner.applied(left), b!] }),
        };
      return inner.left === a
        ? whole
        : { left: { ...value, operands: [inner.left, b!] }, applied: inner.applied };
    }
    default:
      return whole;
  }
}

/** Whether a factor may be applied to the sum: it is never infinite. */
function leaves(scalar: Scalar, reduced: ReadonlySet<Variable>): boolean {
  return !dependsOn(scalar, reduced) && mostOf(scalar) < largest;
}

const largest = 3e38;

function isFiniteNumber(scalar: Scalar): boolean {
  const value = valueOf(scalar);
  return typeof value === "number" && Number.isFinite(value) && value !== 0;
}

const withinOne: ReadonlySet<string> = new Set(["sin", "cos", "tanh", "sigmoid", "erf", "sign"]);

/** The largest absolute value that a scalar can have. */
function mostOf(scalar: Scalar): number {
  const value = valueOf(scalar);
  if (typeof value === "number") return Number.isNaN(value) ? 0 : Math.abs(value);
  if (scalar.kind === "local") return mostOf(scalar.local.value);
  if (scalar.kind === "cast")
    return isInteger(scalar.operand.type) && scalar.type !== "f16" ? 2 ** 63 : Infinity;
  if (scalar.kind !== "apply") return Infinity;
  if (withinOne.has(scalar.operation)) return 1;
  const [a, b] = scalar.operands;
  if (scalar.operation === "negate") return mostOf(a!);
  return scalar.operation === "multiply" ? mostOf(a!) * mostOf(b!) : Infinity;
}

function dependsOn(scalar: Scalar, variables: ReadonlySet<Variable>): boolean {
  let found = false;
  eachScalar(scalar, (part) => {
    if (part.kind === "integer")
      for (const each of variablesOf(part.term)) if (variables.has(each)) found = true;
  });
  return found;
}
