// Operations, texts and data as functions of their operands' values, for closures and for
// JavaScript text alike. Whole expressions are compiled in `scalars.ts`.

import { textOf } from "../../../base/source.ts";
import { error, Fault } from "../../../diagnostics/diagnostic.ts";
import { showScalar } from "../../../scalar/values/show.ts";
import { partsOf } from "../../../ir/parts.ts";
import type { Scalar } from "../../../ir/program.ts";
import { cast } from "../../../scalar/casts.ts";
import { arrayFunction, dataFunction, heldFunction, totalFunction } from "../../../scalar/data.ts";
import { ArithmeticFault, faultReasons } from "../../../scalar/fault.ts";
import { operationRow } from "../../../scalar/operations.ts";
import { shownAs, textRow } from "../../../scalar/texts.ts";
import {
  isFloat,
  isInteger,
  zeroOf,
  type Data,
  type Scalar as Value,
} from "../../../scalar/types.ts";
import type { Machine } from "../machine.ts";
import { stopAt } from "../stops.ts";
import { isTrapped, trappedOperation } from "../trap-values.ts";
import { watchedArithmetic, watchedCast } from "../wrapping.ts";

export type Evaluate = () => Value;

/** An operation or a cast: it makes a value of other values. */
export type Operation = Extract<Scalar, { kind: "apply" | "cast" }>;

/** Turns a fault of integer arithmetic into a diagnostic that shows the operands. */
export function checked(
  scalar: Extract<Scalar, { kind: "apply" }>,
  operands: readonly Evaluate[],
  compute: Evaluate,
): Evaluate {
  return () => {
    try {
      return compute();
    } catch (fault) {
      if (!(fault instanceof ArithmeticFault)) throw fault;
      const shown = operands
        .map((operand, k) => showScalar(scalar.operands[k]!.type, operand()))
        .join(" and ");
      throw new Fault(
        error("E0902", `${fault.reason} in \`${textOf(scalar.span)}\``, scalar.span, {
          text: `the operands are ${shown}`,
          help: faultReasons[fault.reason],
        }),
      );
    }
  };
}

/** A function of strings, on the values of its operands. */
export function textEvaluator(
  machine: Machine,
  { function: name, operands, format }: Extract<Scalar, { kind: "text" }>,
): (...given: Value[]) => Value {
  if (name === "show") return shownAs(machine.typeOf(operands[0]!.type), format);
  const { evaluate } = textRow(name);
  return (text, ...given) => evaluate(String(text ?? ""), ...given);
}

/**
 * A function of data, on the values of its operands. A part that nobody has set is 0: the tangent
 * of data that does not move has no parts.
 */
export function dataEvaluator(
  machine: Machine,
  { function: name, layout, member, type, stop }: Extract<Scalar, { kind: "data" }>,
): (...given: Value[]) => Value {
  switch (name) {
    case "box":
      return (...scalars) => scalars;
    case "part": {
      const zero = zeroOf(type);
      return (data) => (data as Data)[member] ?? zero;
    }
    case "same":
    case "show":
      return dataFunction(name, layout, machine.typeOf);
    case "stop":
      return stopAt(stop!);
    case "append":
    case "cell":
    case "slice":
    case "size":
      return arrayFunction(name, type);
    case "add":
    case "total":
    case "put":
    case "join":
    case "shift":
      return totalFunction(name, machine.typeOf(type));
    case "hold":
    case "held":
      return heldFunction(name);
    default:
      return name satisfies never;
  }
}

/** An operation, on the values of its operands. */
export function operationEvaluator(
  machine: Machine,
  scalar: Extract<Scalar, { kind: "apply" }>,
): (...given: Value[]) => Value {
  const { evaluate } = operationRow(scalar.operation);
  const within = machine.typeOf(scalar.within);
  if (isFloat(within)) return (...given) => evaluate(within, ...given);
  const compute = (...given: Value[]): Value => {
    const operands = given.map((value) => () => value);
    return checked(scalar, operands, () => evaluate(within, ...given))();
  };
  return watchesIntegers(machine, scalar) ? watchedArithmetic(scalar, compute) : compute;
}

/** Whether a trap watches an operation because an integer may wrap around in it. */
export function watchesIntegers({ trap }: Machine, scalar: Operation): boolean {
  if (trap !== "overflow") return false;
  return scalar.kind === "apply"
    ? isInteger(scalar.within) && isInteger(scalar.type)
    : isInteger(scalar.operand.type) && isInteger(scalar.type);
}

/** A cast, on the value of its operand. */
export function castEvaluator(
  machine: Machine,
  scalar: Extract<Scalar, { kind: "cast" }>,
): (value?: Value) => Value {
  const [from, to] = [machine.typeOf(scalar.operand.type), machine.typeOf(scalar.type)];
  const compute = (value?: Value): Value => cast(from, to, value!);
  return watchesIntegers(machine, scalar) ? watchedCast(scalar, compute) : compute;
}

/** Under a trap: an operation inside an expression, on the values of its operands. */
export function watchedOperation(
  machine: Machine,
  scalar: Operation,
): (...given: Value[]) => Value {
  const compute =
    scalar.kind === "cast" ? castEvaluator(machine, scalar) : operationEvaluator(machine, scalar);
  const parts = partsOf(scalar);
  return (...given) => {
    const value = compute(...given);
    if (!isTrapped(value)) return value;
    const operands = given.map((operand, k) => showScalar(parts[k]!.type, operand));
    throw trappedOperation(
      scalar.span ? textOf(scalar.span) : "",
      operands,
      showScalar(scalar.type, value),
      scalar.span,
    );
  };
}
