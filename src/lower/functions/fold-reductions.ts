// Reductions inside functions: the values that each carries, how an element changes them, and the
// result. The results are those of the table of reductions (scalar/reductions.ts), but made of
// operations that have derivatives. A mean carries the sum and the count, and divides at the end.

import type { Span } from "../../base/source.ts";
import type { OperationName } from "../../scalar/operations.ts";
import type { FaultReason } from "../../scalar/fault.ts";
import { reductionRow, type ReductionName } from "../../scalar/reductions.ts";
import {
  isFloat,
  oneOf,
  zeroOf,
  type ElementType,
  type NumericType,
  type Scalar as Value,
} from "../../scalar/types.ts";
import type { Scalar } from "../../ir/program.ts";

interface Folding {
  readonly initial: readonly Scalar[];
  readonly step: (
    carried: readonly Scalar[],
    element: Scalar,
    position: Scalar,
  ) => readonly Scalar[];
  readonly finish: (carried: readonly Scalar[]) => Scalar;
}

export function foldingOf(reduction: ReductionName, type: ElementType, span: Span): Folding {
  const apply = (operation: OperationName, ...operands: readonly Scalar[]): Scalar => {
    const within = operands[0]!.type;
    const isQuestion = ["equal", "notEqual", "less", "greater", "and", "or", "not"].includes(
      operation,
    );
    return { kind: "apply", type: isQuestion ? "bool" : within, within, operation, operands, span };
  };
  const constant = (of: ElementType, value: Value): Scalar => ({
    kind: "constant",
    type: of,
    value,
  });
  const cast = (to: ElementType, operand: Scalar): Scalar =>
    operand.type === to ? operand : { kind: "cast", type: to, operand };
  const either = (
    condition: Scalar,
    then: Scalar,
    otherwise: Scalar,
  ): Extract<Scalar, { kind: "select" }> => ({
    kind: "select",
    type: then.type,
    condition,
    then,
    otherwise,
  });
  /** A choice that stands for what the reduction finds by a condition. */
  const finding = (condition: Scalar, then: Scalar, otherwise: Scalar): Scalar => ({
    ...either(condition, then, otherwise),
    found: { by: reduction, span },
  });
  const yes = constant("bool", true);
  const no = constant("bool", false);
  // Running floats are wider than the type of the result, and are rounded once.
  const wide: ElementType =
    type === "f16" || type === "bf16" ? "f32" : isFloat(type) ? "f64" : type;
  const onNothing = (): Scalar => {
    const outcome = reductionRow(reduction).onNothing(type);
    return "value" in outcome ? constant(type, outcome.value) : stop(outcome.fault, type, span);
  };
  switch (reduction) {
    case "sum":
    case "prod": {
      const start = reduction === "sum" ? zeroOf(wide) : oneOf(wide as NumericType);
      return {
        initial: [constant(wide, start)],
        step: ([total], element) => [
          apply(reduction === "sum" ? "add" : "multiply", total!, cast(wide, element)),
        ],
        finish: ([total]) => cast(type, total!),
      };
    }
    case "mean":
      return {
        initial: [constant(wide, 0), constant(wide, 0)],
        step: ([total, count], element) => [
          apply("add", total!, cast(wide, element)),
          apply("add", count!, constant(wide, 1)),
        ],
        finish: ([total, count]) => cast(type, apply("divide", total!, count!)),
      };
    case "max":
    case "min":
      return {
        initial: [no, constant(type, zeroOf(type))],
        step: ([has, best], element) => [
          yes,
          either(has!, apply(reduction, best!, element), element),
        ],
        finish: ([has, best]) => either(has!, best!, onNothing()),
      };
    case "argmax":
    case "argmin": {
      const isBetter = reduction === "argmax" ? "greater" : "less";
      const isNaN = (value: Scalar): Scalar =>
        isFloat(type) ? apply("notEqual", value, value) : no;
      return {
        initial: [no, constant(type, zeroOf(type)), constant("i32", 0)],
        step: ([has, best, at], element, position) => {
          const beats = apply("or", isNaN(element), apply(isBetter, element, best!));
          const wins = apply(
            "or",
            apply("not", has!),
            apply("and", apply("not", isNaN(best!)), beats),
          );
          return [yes, either(wins, element, best!), finding(wins, position, at!)];
        },
        finish: ([has, , at]) => either(has!, at!, stop(`${reduction} of nothing`, "i32", span)),
      };
    }
    case "any":
    case "all":
      return {
        initial: [reduction === "any" ? no : yes],
        step: ([total], element) => [apply(reduction === "any" ? "or" : "and", total!, element)],
        finish: ([total]) => finding(total!, yes, no),
      };
    case "count":
      return {
        initial: [constant("i32", 0)],
        step: ([total], element) => [
          apply("add", total!, finding(element, constant("i32", 1), constant("i32", 0))),
        ],
        finish: ([total]) => total!,
      };
    case "logsumexp": {
      // With m the largest element so far, Σ exp(x - m) is rescaled when m grows. ∞ - ∞ never
      // occurs.
      const none = constant("f64", -Infinity);
      return {
        initial: [none, constant("f64", 0)],
        step: ([largest, scaled], element) => {
          const x = cast("f64", element);
          const isNone = apply("equal", x, none);
          const grows = apply("greater", x, largest!);
          const moved = apply("exp", apply("subtract", largest!, x));
          const grown = apply("add", apply("multiply", scaled!, moved), constant("f64", 1));
          const isEqual = apply(
            "and",
            apply("equal", x, largest!),
            apply("equal", x, constant("f64", Infinity)),
          );
          const own = either(
            isEqual,
            constant("f64", 1),
            apply("exp", apply("subtract", x, largest!)),
          );
          const kept = either(grows, grown, apply("add", scaled!, own));
          return [
            either(apply("or", isNone, apply("not", grows)), largest!, x),
            either(isNone, scaled!, kept),
          ];
        },
        finish: ([largest, scaled]) => {
          const isNothing = apply("equal", scaled!, constant("f64", 0));
          return cast(type, either(isNothing, none, apply("add", largest!, apply("log", scaled!))));
        },
      };
    }
    default:
      return reduction satisfies never;
  }
}

function stop(reason: FaultReason, type: ElementType, span: Span): Scalar {
  const layout = { kind: "tuple", members: [] } as const;
  return {
    kind: "data",
    type,
    function: "stop",
    operands: [],
    member: 0,
    layout,
    stop: { kind: "nothing", reason, span },
  };
}
