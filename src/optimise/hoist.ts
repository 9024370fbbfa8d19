// Factors that all terms of a sum share are applied to the sum:  sum[j](a[i] * x[i, j] / b[i])  is  a[i] * sum[j](x[i, j]) / b[i].
//
// Where there may be no terms at all they stay: a factor that is not finite would turn the 0 of an empty sum into NaN.

import type { Variable } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { eachScalar, type Local, type Scalar } from "../ir/program.ts";
import { isFloat } from "../ir/scalar/types.ts";
import type { Reduced, Reduction } from "./regions.ts";
import { valueOf } from "./simplify.ts";

/** A sum of what is left of the terms, and the value that the whole sum had, by the name of what is left. */
export interface Hoisted {
  readonly reduced: Reduced;
  readonly value: Scalar;
}

export function hoisted(name: Local, body: Reduction): Hoisted | undefined {
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
    value: { kind: "apply", type, within: type, operation: "add", operands: [whole, zero], span: body.span },
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

/** Takes the factors and divisors off a product that do not depend on some coordinates; nothing where nothing would be left. */
function taken(value: Scalar, reduced: ReadonlySet<Variable>): Split | undefined {
  if (!dependsOn(value, reduced)) return undefined;
  const whole: Split = { left: value, applied: (left) => left };
  if (value.kind !== "apply" || value.type !== value.within) return whole;
  const [a, b] = value.operands;
  const around = (inner: Split | undefined, with_: (part: Scalar) => readonly Scalar[]): Split => {
    if (!inner) return whole;
    return { left: inner.left, applied: (left) => ({ ...value, operands: with_(inner.applied(left)) }) };
  };
  switch (value.operation) {
    case "negate":
      return around(taken(a!, reduced), (part) => [part]);
    case "multiply":
      if (!dependsOn(a!, reduced)) return around(taken(b!, reduced), (part) => [a!, part]);
      if (!dependsOn(b!, reduced)) return around(taken(a!, reduced), (part) => [part, b!]);
      return bothSides(value, taken(a!, reduced)!, taken(b!, reduced)!);
    case "divide":
      return dependsOn(b!, reduced) ? whole : around(taken(a!, reduced), (part) => [part, b!]);
    default:
      return whole;
  }
}

/** Both factors depend on the coordinates: what is taken off either goes around the product of what is left. */
function bothSides(value: Extract<Scalar, { kind: "apply" }>, a: Split, b: Split): Split {
  const [x, y] = value.operands;
  if (a.left === x && b.left === y) return { left: value, applied: (left) => left };
  return { left: { ...value, operands: [a.left, b.left] }, applied: (left) => a.applied(b.applied(left)) };
}

function dependsOn(scalar: Scalar, variables: ReadonlySet<Variable>): boolean {
  let found = false;
  eachScalar(scalar, (part) => {
    if (part.kind === "integer") for (const each of variablesOf(part.term)) if (variables.has(each)) found = true;
  });
  return found;
}
