// The simplest scalars: literals, zeros and parameters. `substitute.ts` makes the scalar of a term.

import { variable } from "../affine/term.ts";
import {
  isFloat,
  isUnsized,
  zeroOf,
  type ElementType,
  type Scalar as Value,
} from "../scalar/types.ts";
import type { Parameter, Scalar } from "./program.ts";
import type { OperationName } from "../scalar/operations.ts";
import type { Span } from "../base/source.ts";
import { nowhere } from "../base/source.ts";
import type { DataFunction, Layout } from "../scalar/data.ts";
import { coordinateScalar } from "./substitute.ts";

/** A value of a type, as a scalar: `literal(2, "f32")` is `2.0`. */
export function literal(value: Value, type: ElementType): Scalar {
  if (type === "bool" || isUnsized(type) || typeof value === "object")
    return { kind: "constant", type, value };
  // Only floats have a `-0`; for integers, `+ 0` turns it into 0.
  const number = isFloat(type)
    ? Number(value)
    : type === "i64"
      ? BigInt.asIntN(64, BigInt(value))
      : Number(value) + 0;
  return { kind: "constant", type, value: number };
}

export function zeroScalar(type: ElementType): Scalar {
  return { kind: "constant", type, value: zeroOf(type) };
}

/** An operation whose result has the type of its operands. */
export function applied(
  operation: OperationName,
  operands: readonly Scalar[],
  span: Span = nowhere,
): Scalar {
  const { type } = operands[0]!;
  return { kind: "apply", type, within: type, operation, operands, span };
}

/** What a function of data gives for some operands. */
export function dataCall(
  name: DataFunction,
  operands: readonly Scalar[],
  type: ElementType,
  member = 0,
): Scalar {
  const layout: Layout = { kind: "tuple", members: [] };
  return { kind: "data", type, function: name, operands, member, layout };
}

export function newParameter(name: string, type: ElementType): Parameter {
  return { name, type, variable: variable(name) };
}

/** A parameter as a scalar. Integer parameters are variables of terms. */
export function scalarOfParameter(parameter: Parameter): Scalar {
  return parameter.type === "i32"
    ? coordinateScalar(parameter)
    : { kind: "parameter", type: parameter.type, parameter };
}
