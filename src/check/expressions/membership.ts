// `v in a..b`: whether a number lies in a range. A coordinate with a range, `i in a..b`, is no
// expression.

import { textOf } from "../../base/source.ts";
import { fixed, replace, write, type Repair } from "../../diagnostics/fixes.ts";
import type * as ast from "../../syntax/tree/ast.ts";
import { amongPositions, refuse, wrongAt, type Place } from "../context.ts";
import { expression } from "../elaborate.ts";
import { asText, freshNames, indexable } from "../names/fresh-names.ts";
import { apply } from "./operators.ts";
import type { Typed } from "../types/typed.ts";
import { isText, showType, type TensorType } from "../types/types.ts";

/** `v in a..b` is `a <= v && v < b`. */
export function membership(place: Place, e: ast.Binary): Typed {
  const value = expression(amongPositions(place), e.left);
  const range = expression(place, e.right);
  if (value.kind === "wrong" || range.kind === "wrong") return wrongAt(e.span);
  if (range.kind !== "range") {
    return refuse(
      place,
      "E0401",
      `the right side of \`in\` must be a range, this is ${showType(range.type)}`,
      e.right.span,
      {
        ...(isText(range.type)
          ? write(e.span, `${textOf(e.right.span)}.contains(${textOf(e.left.span)})`)
          : range.type.kind === "tensor"
            ? amongElements(e, value, range.type)
            : { help: "write `a..b`" }),
      },
    );
  }
  const low = apply(place, "lessEqual", [range.from, value], e.span);
  const high = apply(place, "less", [value, range.to], e.span);
  return apply(place, "and", [low, high], e.span);
}

/** The help for `v in x` with a tensor `x`: `any[i](x[i] == v)`, with fresh coordinates. */
function amongElements(e: ast.Binary, value: Typed, { axes }: TensorType): Repair {
  const own = value.type.kind === "tensor" ? value.type.axes.length : 0;
  if (axes.length <= own) return { help: "the right side holds no elements of this shape" };
  const left = own > 0 ? indexable(e.left) : asText(e.left);
  const right = indexable(e.right);
  const names = freshNames(axes.length, `${left} ${right}`);
  const rows = names.slice(0, axes.length - own);
  const cells = names.slice(axes.length - own);
  const item = `${right}[${names.join(", ")}] == ${left}${own > 0 ? `[${cells.join(", ")}]` : ""}`;
  const equal = own > 0 ? `all[${cells.join(", ")}](${item})` : item;
  const text = `any[${rows.join(", ")}](${equal})`;
  const help = `ask every ${own > 0 ? "row" : "element"}: \`${text}\``;
  return { help, ...fixed(`write \`${text}\``, replace(e.span, text)) };
}
