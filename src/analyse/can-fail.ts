// Which operations can end a run, and numbers that are known at sight.

import { constantOf } from "../affine/term.ts";
import { eachScalar } from "../ir/parts.ts";
import type { Scalar } from "../ir/program.ts";
import { isFloat, type Scalar as Value } from "../scalar/types.ts";

/**
 * Integers have divisors and exponents that they do not take, and draws of them ranges that are
 * empty.
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

/**
 * Whether computing a condition may end the run: data gives an index, or an operation has operands
 * without a result. In `x[at[s]] > 0` the index `at[s]` may leave `x`. Reads at affine indices are
 * proved, or checked before the run.
 */
export function mayEndRun(condition: Scalar): boolean {
  let found = false;
  eachScalar(condition, (part) => {
    if (part.kind === "read") found ||= part.indices.some(({ kind }) => kind !== "integer");
    else if (part.kind === "apply") found ||= !cannotFail(part);
    else if (part.kind === "call") found = true;
  });
  return found;
}

/**
 * Whether conditions that are asked in order come to one that is false, and to none before that may
 * end the run. `where x[at[s]] > 0, s < 0` asks for `x[at[s]]` first, whatever `s` is.
 */
export function isRefused(conditions: readonly Scalar[]): boolean {
  const refusing = conditions.findIndex((condition) => valueOf(condition) === false);
  return refusing >= 0 && !conditions.slice(0, refusing).some(mayEndRun);
}

/** The value of a scalar that is a number at sight. */
export function valueOf(scalar: Scalar): Value | undefined {
  if (scalar.kind === "constant") return scalar.value;
  return scalar.kind === "integer" ? constantOf(scalar.term) : undefined;
}
