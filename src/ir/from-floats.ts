// Whether an integer or bool was made from floats: then a derivative that meets it has to see where it came from.

import { decided } from "../check/types.ts";
import type { Typed } from "../check/typed.ts";
import { isFloat } from "./scalar/types.ts";

export function fromFloats(value: Typed): boolean {
  const isOfFloats = (part: Typed): boolean => part.type.kind === "tensor" && isFloat(decided(part.type.element));
  const seen = new Set<Typed>();
  const visit = (part: Typed): boolean => {
    if (seen.has(part)) return false;
    seen.add(part);
    switch (part.kind) {
      case "cast":
        return isOfFloats(part.operand) || visit(part.operand);
      case "apply":
        return part.operands.some((operand) => isOfFloats(operand) || visit(operand));
      case "reduce":
        return (
          isOfFloats(part.body) ||
          visit(part.body) ||
          part.items.some((item) => item.kind === "guard" && visit(item.condition))
        );
      case "select":
        return visit(part.condition) || visit(part.then) || visit(part.otherwise);
      case "block":
        return visit(part.value);
      case "read":
        return visit(part.base);
      case "reference":
        return part.binding.kind === "value" && part.binding.value !== undefined && visit(part.binding.value);
      case "abstract":
        return visit(part.body);
      case "array":
        return part.elements.some(visit);
      case "call":
      case "ruled":
        return true;
      default:
        return false;
    }
  };
  return visit(value);
}
