// Which operations can end a run, and scalars whose value is known at sight.

import { constantOf } from "../affine/term.ts";
import { isAnywhere } from "../ir/parts.ts";
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

/**
 * Whether computing a condition may end the run: an index is data, or an operation has no result
 * for some operands. In `x[at[s]] > 0` the index `at[s]` may leave `x`. Reads at affine indices are
 * proved, or checked before the run.
 */
export function mayEndRun(condition: Scalar): boolean {
  return isAnywhere(condition, (part) => {
    if (part.kind === "read") return part.indices.some(({ kind }) => kind !== "integer");
    return part.kind === "apply" ? !cannotFail(part) : part.kind === "call";
  });
}

/**
 * Whether conditions that are tested in order always fail: one of them is false, and none before it
 * may end the run. In `where x[at[s]] > 0, s < 0` the read `x[at[s]]` comes first, whatever `s` is.
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
