// Whether computing an expression may stop the run: what may is not computed where a guard leaves
// nothing to compute.

import { isInteger } from "../../scalar/types.ts";
import type { Item, TensorBinding, Typed, ValueBinding } from "../types/typed.ts";
import { decided } from "../types/types.ts";

/**
 * Reductions that want an element, divisions of integers, lookups in indices, and functions that
 * call themselves.
 */
export function mayStop(value: Typed, seen = new Set<ValueBinding | TensorBinding>()): boolean {
  const any = (parts: readonly Typed[]): boolean => parts.some((part) => mayStop(part, seen));
  switch (value.kind) {
    case "reference":
      return stopsIn(value.binding, seen);
    case "read":
      return value.indices.some(looksUp) || any([value.base, ...value.indices]);
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
      return any([body, ...items.map(partOf)]);
    }
    case "abstract":
      return mayStop(value.body, seen);
    case "block":
      return value.bindings.some((binding) => stopsIn(binding, seen)) || mayStop(value.value, seen);
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

function stopsIn(
  binding: ValueBinding | TensorBinding,
  seen: Set<ValueBinding | TensorBinding>,
): boolean {
  if (binding.global || seen.has(binding)) return false;
  seen.add(binding);
  if (binding.kind === "value") return binding.value !== undefined && mayStop(binding.value, seen);
  return binding.clauses.some(({ body, items, otherwise }) =>
    [body, ...items.map(partOf), ...(otherwise ? [otherwise] : [])].some((part) =>
      mayStop(part, seen),
    ),
  );
}

function partOf(item: Item): Typed {
  return item.kind === "guard" ? item.condition : item.binding.value!;
}

function isIntegral({ type }: Typed): boolean {
  return type.kind === "tensor" && isInteger(decided(type.element));
}

function mayDivideByZero({ operation, operands }: Extract<Typed, { kind: "apply" }>): boolean {
  if (operation === "power") return true;
  return (operation === "divide" || operation === "remainder") && operands[1]?.kind !== "constant";
}

/** A position that is read from a tensor may lie outside of another. */
function looksUp(index: Typed): boolean {
  if (index.kind === "read" || index.kind === "reduce") return true;
  if (index.kind === "apply") return index.operands.some(looksUp);
  if (index.kind === "cast") return looksUp(index.operand);
  return index.kind === "reference" &&
    index.binding.kind === "value" &&
    index.binding.value !== undefined
    ? looksUp(index.binding.value)
    : false;
}
