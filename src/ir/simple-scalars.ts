// The simplest scalars: literals, zeros and parameters. Integers as terms are made by
// `integerScalar` in `substitute.ts`.

import { ofVariable, variable } from "../affine/term.ts";
import {
  isFloat,
  isUnsized,
  zeroOf,
  type ElementType,
  type Scalar as Value,
} from "../scalar/types.ts";
import type { Parameter, Scalar } from "./program.ts";
import { integerScalar } from "./substitute.ts";

/** A number, a bool or a text as it is written, as a value of its type. */
export function literal(value: Value, type: ElementType): Scalar {
  if (type === "bool" || isUnsized(type) || typeof value === "object")
    return { kind: "constant", type, value };
  // `-0` is a literal of its own only among floats.
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

export function newParameter(name: string, type: ElementType): Parameter {
  return { name, type, variable: variable(name) };
}

/** A parameter's value; integers are variables of terms. */
export function valueOf(parameter: Parameter): Scalar {
  return parameter.type === "i32"
    ? integerScalar(ofVariable(parameter.variable))
    : { kind: "parameter", type: parameter.type, parameter };
}
