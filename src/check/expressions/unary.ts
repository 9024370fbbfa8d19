// `-x`, `!x`, `+x` and `@x`. `operators.ts` applies operations to tensors.

import { isNumeric } from "../../scalar/types.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { refuse, type Place } from "../context.ts";
import { expression } from "../elaborate.ts";
import { apply } from "./operators.ts";
import { differential } from "../derivatives/tangents.ts";
import type { Typed } from "../types/typed.ts";
import { mayBe, showType } from "../types/types.ts";

export function unaryOf(place: Place, e: ast.Unary): Typed {
  if (e.operator === "@") return differential(place, e);
  // `-128i8` and `-9223372036854775808` are literals, though their digits alone are out of range.
  if (e.operator === "-" && e.operand.kind === "number") {
    const literal = expression(place, e.operand);
    if (literal.kind === "constant") {
      const value = -(literal.value as number);
      const last = place.checker.literals.at(-1);
      if (last && last.span === e.operand.span) last.value = value;
      return { ...literal, value, span: e.span };
    }
  }
  if (e.operator === "+") return plusOf(place, e);
  return apply(
    place,
    e.operator === "-" ? "negate" : "not",
    [expression(place, e.operand)],
    e.span,
  );
}

/** `+x` is `x`, for numbers only. */
function plusOf(place: Place, e: ast.Unary): Typed {
  const value = expression(place, e.operand);
  if (value.kind === "wrong") return value;
  if (value.type.kind === "tensor" && mayBe(value.type.element, isNumeric)) return value;
  return refuse(
    place,
    "E0401",
    `\`+\` works on numbers, this is ${showType(value.type)}`,
    e.operand.span,
  );
}
