// Which operations can end a run, and scalars whose value is known at sight.

import { constantOf } from "../affine/term.ts";
import type { Scalar } from "../ir/program.ts";
import { isFloat, type Scalar as Value } from "../scalar/types.ts";

/**
 * Operations on floats and bools never fail. On integers, division by 0, some powers, and random
 * numbers from an empty range do.
 */
export function cannotFail({
  within,
  operation,
  operands,
}: Extract<Scalar, { kind: "apply" }>): boolean {
  if (isFloat(within) || within === "bool") return true;
  if (operation === "uniform" || operation === "normal" || operation === "randint") return false;
  if (operation === "divide" || operation === "remainder") {
    const divisor = valueOf(operands[1]!);
    return divisor !== undefined && Number(divisor) !== 0;
  }
  return operation !== "power";
}

/** The value of a scalar that is a number at sight. */
export function valueOf(scalar: Scalar): Value | undefined {
  if (scalar.kind === "constant") return scalar.value;
  return scalar.kind === "integer" ? constantOf(scalar.term) : undefined;
}
