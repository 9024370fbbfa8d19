// Arrays that a function makes while it runs. The cells of such an array are one value of type
// `data`, and its lengths are known to the run only.

import type { Layout } from "../../scalar/data.ts";
import type { Span } from "../../base/source.ts";
import { ofVariable, variable, zero, type Term } from "../../affine/term.ts";
import type { Checker, Place } from "../context.ts";
import { integerTerm, valueBinding } from "../types/integers.ts";
import type { Binder, Cells, Typed, ValueBinding } from "../types/typed.ts";
import {
  decided,
  element,
  scalar,
  tensor,
  type Axis,
  type Element,
  type TensorType,
} from "../types/types.ts";
import { integerValue } from "../values/integer-value.ts";

/**
 * The tensor whose cells a value of type `data` holds. If it has one axis, that axis is as long as
 * there are cells.
 */
export function arrayBehind(
  checker: Checker,
  box: Typed,
  cell: Element,
  extents: readonly Typed[],
  span: Span,
): Cells {
  const lengths = extents.length > 0 ? extents : [numberOfCells(box, span)];
  const axes = lengths.map((length): Axis => ({
    extent: lengthTerm(checker, length),
    domain: {},
    origin: { span, text: "as many as the run makes" },
  }));
  return { kind: "cells", box, type: tensor(cell, axes), span };
}

/** A tensor as an array whose cells one value holds. */
export function asArray(value: Typed): Cells {
  const { span } = value;
  return { kind: "cells", box: keptCells(value), type: value.type as TensorType, span };
}

/** The value of type `data` that holds the cells of a tensor. */
export function keptCells(value: Typed): Typed {
  if (value.kind === "cells") return value.box;
  return { kind: "kept", of: value, type: scalar("data"), span: value.span };
}

/** The text of a tensor, with a format for each cell. */
export function shownArray(value: Typed, format?: string): Typed {
  const { span } = value;
  const { axes, element: cell } = value.type as TensorType;
  const extents = axes.length === 1 ? [] : axes.map((axis) => extentOfAxis(axis, span));
  const layout: Layout = {
    kind: "cells",
    type: decided(cell),
    rank: axes.length,
    ...(format ? { format } : {}),
  };
  const operands = [keptCells(value), ...extents];
  return { kind: "data", function: "show", operands, member: 0, layout, type: scalar("str"), span };
}

export function extentOfAxis(axis: Axis, span: Span): Typed {
  return integerValue(axis.extent ?? zero, span);
}

/** Whether a value is an array whose cells one value holds. */
export function isArray(value: Typed): boolean {
  if (value.kind === "cells") return true;
  const inner =
    value.kind === "reference" && value.binding.kind === "value" ? value.binding.value : undefined;
  return inner !== undefined && isArray(inner);
}

function numberOfCells(box: Typed, span: Span): Typed {
  const layout = { kind: "tuple", members: [] } as const;
  return {
    kind: "data",
    function: "size",
    operands: [box],
    member: 0,
    layout,
    type: scalar("i32"),
    span,
  };
}

/** The number of elements as a term, which is never negative. */
function lengthTerm(checker: Checker, length: Typed): Term {
  if (length.kind !== "data") return integerTerm(checker, length);
  const stand = variable("length");
  checker.opaqueValue.set(stand, length);
  checker.extents.add(stand);
  return ofVariable(stand);
}

/** The positions that a filter accepts, as an array with a name. */
export function acceptedArray(
  place: Place,
  binder: Binder,
  test: Typed,
  span: Span,
): { readonly binding: ValueBinding; readonly cells: Cells } {
  const accepted: Typed = { kind: "accepted", binder, test, type: scalar("data"), span };
  const binding = valueBinding(place, "part", { text: "accepted", span }, accepted);
  const box: Typed = { kind: "reference", binding, type: binding.type, span };
  return { binding, cells: arrayBehind(place.checker, box, element("i32"), [], span) };
}
