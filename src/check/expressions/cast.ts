// `x as f64`. The allowed casts are listed in `src/scalar/casts.ts`.

import { textOf } from "../../base/source.ts";
import { fixed, replace, type Repair } from "../../diagnostics/fixes.ts";
import { castAllowed, castHelp } from "../../scalar/casts.ts";
import { isFloat, isNumeric, type ElementType } from "../../scalar/types.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { annotationFor, sameShape } from "../types/annotations.ts";
import { refuse, wrongAt, type Place } from "../context.ts";
import { expression } from "../elaborate.ts";
import { asText } from "../names/fresh-names.ts";
import type { Typed } from "../types/typed.ts";
import { decided, element, known, showType, tensor, unify } from "../types/types.ts";

export function castOf(place: Place, e: ast.Cast): Typed {
  const operand = expression(place, e.operand);
  if (operand.kind === "wrong") return operand;
  const target = annotationFor(place, e.type, operand);
  if (target.kind === "error") return wrongAt(e.span);
  if (operand.type.kind !== "tensor" || target.kind !== "tensor") {
    return refuse(
      place,
      "E0405",
      `${showType(operand.type)} cannot be cast to ${showType(target)}`,
      e.span,
    );
  }
  const to = decided(target.element);
  // `3 as f64` makes the literal itself an f64, and so does `(2.0 * pi) as f64`; `2.7 as i32`
  // truncates. An integer literal that is cast to a narrower type wraps like any other i32.
  const isOpen = !known(operand.type.element);
  const isFloats = isFloat(to) && isFloat(decided(operand.type.element));
  if (isOpen && (isFloats || (operand.kind === "constant" && to !== "i8")))
    unify(operand.type.element, target.element);
  const from = decided(operand.type.element);
  if (!castAllowed(from, to)) {
    return refuse(place, "E0405", `${from} cannot be cast to ${to}`, e.span, {
      ...castFix(from, to, e),
      help: castHelp(from, to, asText(e.operand)),
    });
  }
  const axes =
    target.axes.length > 0 ? sameShape(place, operand, target, e.type.span) : operand.type.axes;
  if (!axes) return wrongAt(e.span);
  return { kind: "cast", operand, type: tensor(element(to), axes), span: e.span };
}

/** The repair for a cast that does not exist: a comparison for `as bool`, a text for `as str`. */
function castFix(from: ElementType, to: ElementType, { operand, span }: ast.Cast): Repair {
  if (to === "str" && from !== "str") {
    const text = `"{${textOf(operand.span)}}"`;
    const isPlain = !/["{}:]/.test(textOf(operand.span));
    return isPlain ? fixed(`write \`${text}\``, replace(span, text)) : {};
  }
  if (to !== "bool" || !isNumeric(from)) return {};
  const text = `${asText(operand)} != ${isFloat(from) ? "0.0" : "0"}`;
  return fixed(`write \`${text}\``, replace(span, `(${text})`));
}
