// Whether computing an expression may stop the run with an error. Such an expression is not
// computed where a guard leaves nothing to compute.
//
//   7 / n          stops where n is 0
//   max[i](x[i])   of integers stops where no i is left
//   x[at[i]]       stops where at[i] lies outside of x

import { isInteger } from "../../scalar/types.ts";
import type { Item, TensorBinding, Typed, ValueBinding } from "../types/typed.ts";
import { decided } from "../types/types.ts";

/**
 * Reductions that need an element, divisions of integers, indices that are data, and calls of
 * recursive functions may stop a run.
 */
export function mayStop(value: Typed, seen = new Set<ValueBinding | TensorBinding>()): boolean {
  const any = (parts: readonly Typed[]): boolean => parts.some((part) => mayStop(part, seen));
  switch (value.kind) {
    case "reference":
      return bindingMayStop(value.binding, seen);
    case "read":
      return value.indices.some(isComputedFromTensor) || any([value.base, ...value.indices]);
    case "apply":
      return (isIntegral(value) && mayDivideByZero(value)) || any(value.operands);
    case "cast":
      return mayStop(value.operand, seen);
    case "select":
      return any([value.condition, value.then, value.otherwise]);
    case "reduce": {
      const { reduction, body, items } = value;
      if (reduction === "argmax" || reduction === "argmin") return true;
      if ((reduction === "max" || reduction === "min") && isIntegral(value)) return true;
      return any([body, ...items.map(valueOfItem)]);
    }
    case "abstract":
      return mayStop(value.body, seen);
    case "block":
      return (
        value.bindings.some((binding) => bindingMayStop(binding, seen)) ||
        mayStop(value.value, seen)
      );
    case "array":
      return any(value.elements);
    case "functions":
      return any(value.codes);
    case "tuple":
      return any(value.members);
    case "data":
      return any(value.operands);
    case "boxed":
      return mayStop(value.box, seen);
    case "ruled":
      return any([value.value, value.tangent]);
    case "request":
      return mayStop(value.numerator, seen);
    case "call":
    case "kept":
    case "accepted":
    case "cells":
    case "text":
    case "text-call":
      return true;
    case "constant":
    case "integer":
    case "closure":
    case "absent":
    case "range":
    case "wrong":
      return false;
    default:
      return value satisfies never;
  }
}

function bindingMayStop(
  binding: ValueBinding | TensorBinding,
  seen: Set<ValueBinding | TensorBinding>,
): boolean {
  if (binding.global || seen.has(binding)) return false;
  seen.add(binding);
  if (binding.kind === "value") return binding.value !== undefined && mayStop(binding.value, seen);
  return binding.clauses.some(({ body, items, otherwise }) =>
    [body, ...items.map(valueOfItem), ...(otherwise ? [otherwise] : [])].some((part) =>
      mayStop(part, seen),
    ),
  );
}

function valueOfItem(item: Item): Typed {
  return item.kind === "guard" ? item.condition : item.binding.value!;
}

function isIntegral({ type }: Typed): boolean {
  return type.kind === "tensor" && isInteger(decided(type.element));
}

function mayDivideByZero({ operation, operands }: Extract<Typed, { kind: "apply" }>): boolean {
  if (operation === "power") return true;
  return (operation === "divide" || operation === "remainder") && operands[1]?.kind !== "constant";
}

/** Whether an index is computed from a tensor: such an index may lie outside of the axis. */
function isComputedFromTensor(index: Typed): boolean {
  if (index.kind === "read" || index.kind === "reduce") return true;
  if (index.kind === "apply") return index.operands.some(isComputedFromTensor);
  if (index.kind === "cast") return isComputedFromTensor(index.operand);
  return index.kind === "reference" &&
    index.binding.kind === "value" &&
    index.binding.value !== undefined
    ? isComputedFromTensor(index.binding.value)
    : false;
}
