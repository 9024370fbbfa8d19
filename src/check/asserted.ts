// What `assert` holds: a bool, or a tensor of bools of which every cell must be true.

import type * as ast from "../syntax/ast.ts";
import type { Span } from "../base/source.ts";
import { readAt } from "./access.ts";
import { expression, heldToBool } from "./expressions.ts";
import type { Place } from "./context.ts";
import { coordinateValue, newBinder } from "./coordinates.ts";
import { extentRange } from "./ranges.ts";
import type { Binder, Typed } from "./typed.ts";
import { decided, scalar, type Axis } from "./types.ts";

/** `assert(a == b)` of tensors is `assert(all[i, j](a[i, j] == b[i, j]))`. */
export function asserted(place: Place, e: ast.Expression): Typed {
  const value = expression(place, e);
  const { type } = value;
  if (type.kind === "tensor" && type.axes.length > 0 && decided(type.element) === "bool")
    return allCells(place, value, type.axes, e.span);
  return heldToBool(place, e, value, "what is asserted");
}

const letters = "ijklmnpq";

function allCells(place: Place, value: Typed, axes: readonly Axis[], span: Span): Typed {
  const binders = axes.map((axis, k): Binder => {
    const binder = newBinder(axis.name ?? letters[k] ?? `i${k}`, span, true);
    extentRange(binder, axis);
    return binder;
  });
  const indices = binders.map((binder) =>
    coordinateValue({ kind: "coordinate", name: binder.name, span, binder }, span),
  );
  const spans = indices.map(() => span);
  const body = readAt(place, value, indices, span, spans);
  return { kind: "reduce", reduction: "all", binders, items: [], body, type: scalar("bool"), span };
}
