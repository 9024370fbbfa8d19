// The faults of `--trap nan` inside an expression: at an operation, a local name, or the result of
// a call.

import { error, Fault } from "../../diagnostics/diagnostic.ts";
import type { Local } from "../../ir/program.ts";
import type { Scalar as Value } from "../../scalar/types.ts";
import type { Span } from "../../base/source.ts";

export function isTrapped(value: Value): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

/**
 * Thrown when a local name gets a value that is not finite. The clause around it knows the cell.
 */
export class TrappedLocal extends Error {
  readonly local: Local;
  readonly value: Value;
  constructor(local: Local, value: Value) {
    super(`\`${local.name}\` is not finite`);
    this.local = local;
    this.value = value;
  }
}

/**
 * The fault of an operation inside an expression. `written` is empty if the compiler made the
 * operation.
 */
export function trappedOperation(
  written: string,
  operands: readonly string[],
  value: string,
  span?: Span,
): Fault {
  return new Fault(
    error("E0907", `${written === "" ? "an operation" : `\`${written}\``} gives ${value}`, span, {
      text:
        operands.length === 1
          ? `the operand is ${operands[0]}`
          : `the operands are ${operands.join(" and ")}`,
      help: "look at the operands: one of them is outside the operation's domain",
    }),
  );
}

/** The fault of a call. `given` has the arguments as `name = value`. */
export function trappedCall(
  name: string,
  given: readonly string[],
  value: Value,
  span: Span,
): Fault {
  return new Fault(
    error("E0907", `a call of \`${name}\` gives ${String(value)}`, span, {
      text:
        given.length > 0 ? `called with ${given.join(", ")}` : "the first value that is not finite",
      help: "look at the arguments: one of them is outside the function's domain",
    }),
  );
}
