// Whether an integer or bool was computed from floats. Then a derivative that ends there has to
// know where it came from: `x as i32`, `x > 0.0`.

import { decided } from "../check/types/types.ts";
import type { Typed } from "../check/types/typed.ts";
import { isFloat } from "../scalar/types.ts";

/** The answers. Many names may lead to one value, and it is examined once. */
const answers = new WeakMap<Typed, boolean>();

export function fromFloats(value: Typed): boolean {
  let answer = answers.get(value);
  if (answer === undefined) answers.set(value, (answer = comesFromFloats(value)));
  return answer;
}

function comesFromFloats(value: Typed): boolean {
  switch (value.kind) {
    case "cast":
      return isOfFloats(value.operand) || fromFloats(value.operand);
    case "apply":
      return value.operands.some((operand) => isOfFloats(operand) || fromFloats(operand));
    case "reduce":
      return (
        isOfFloats(value.body) ||
        fromFloats(value.body) ||
        value.items.some((item) => item.kind === "guard" && fromFloats(item.condition))
      );
    case "select":
      return fromFloats(value.condition) || fromFloats(value.then) || fromFloats(value.otherwise);
    case "block":
      return fromFloats(value.value);
    case "read":
      return fromFloats(value.base);
    case "reference":
      return (
        value.binding.kind === "value" &&
        value.binding.value !== undefined &&
        fromFloats(value.binding.value)
      );
    case "abstract":
      return fromFloats(value.body);
    case "array":
      return value.elements.some(fromFloats);
    case "call":
    case "ruled":
      return true;
    default:
      return false;
  }
}

function isOfFloats({ type }: Typed): boolean {
  return type.kind === "tensor" && isFloat(decided(type.element));
}
