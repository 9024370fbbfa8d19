// Arrays that a function makes while it runs: their cells are kept in one value of type `data`, and their lengths are numbers of the run.

import type { Layout } from "../scalar/data.ts";
import type { Span } from "../base/source.ts";
import { ofVariable, variable, zero, type Term } from "../affine/term.ts";
import { sameExtent } from "./agree.ts";
import type { Checker, Place } from "./context.ts";
import { termOf, valueBinding } from "./integers.ts";
import { askedOnce, inBlock, share } from "./share.ts";
import type { Binder, Cells, Typed, ValueBinding } from "./typed.ts";
import {
  decided,
  element,
  known,
  scalar,
  tensor,
  unify,
  type Axis,
  type Element,
  type TensorType,
} from "./types.ts";

/** The tensor whose cells are kept behind a name. With one axis it is as long as there are cells. */
export function arrayBehind(
  checker: Checker,
  box: Typed,
  cell: Element,
  extents: readonly Typed[],
  span: Span,
): Cells {
  const lengths = extents.length > 0 ? extents : [sizeOf(box, span)];
  const axes = lengths.map((length): Axis => ({
    extent: lengthTerm(checker, length),
    domain: {},
    origin: { span, text: "as many as the run makes" },
  }));
  return { kind: "cells", box, type: tensor(cell, axes), span };
}

/** A tensor as an array of its own. */
export function asArray(value: Typed): Cells {
  const { span } = value;
  return { kind: "cells", box: keptCells(value), type: value.type as TensorType, span };
}

/** The value that holds the cells of a tensor. */
export function keptCells(value: Typed): Typed {
  if (value.kind === "cells") return value.box;
  return { kind: "kept", of: value, type: scalar("data"), span: value.span };
}

/** The text that shows a tensor, each cell in a format. */
export function shownArray(value: Typed, format?: string): Typed {
  const { span } = value;
  const { axes, element: cell } = value.type as TensorType;
  const extents = axes.length === 1 ? [] : axes.map((axis) => extentOf(axis, span));
  const layout: Layout = {
    kind: "cells",
    type: decided(cell),
    rank: axes.length,
    ...(format ? { format } : {}),
  };
  const operands = [keptCells(value), ...extents];
  return { kind: "data", function: "show", operands, member: 0, layout, type: scalar("str"), span };
}

function extentOf(axis: Axis, span: Span): Typed {
  return { kind: "integer", term: axis.extent ?? zero, type: scalar("i32"), span };
}

/** Whether a value is an array behind a name. */
export function isArray(value: Typed): boolean {
  if (value.kind === "cells") return true;
  const inner =
    value.kind === "reference" && value.binding.kind === "value" ? value.binding.value : undefined;
  return inner !== undefined && isArray(inner);
}

function sizeOf(box: Typed, span: Span): Typed {
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

/** A number of elements, which is never negative. */
function lengthTerm(checker: Checker, length: Typed): Term {
  if (length.kind !== "data") return termOf(checker, length);
  const stand = variable("length");
  checker.opaqueValue.set(stand, length);
  checker.extents.add(stand);
  return ofVariable(stand);
}

/** The positions that a filter accepts, behind a name. */
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

/** One of two arrays that need not be of one length: its cells are those of the one that is taken. */
export function eitherArray(
  place: Place,
  condition: Typed,
  then: Typed,
  otherwise: Typed,
  span: Span,
): Typed | undefined {
  const [a, b] = [then.type, otherwise.type];
  if (a.kind !== "tensor" || b.kind !== "tensor") return undefined;
  const isOfReferences = place.indexed !== undefined && known(a.element) === "data";
  if (!place.arrays && !isOfReferences) return undefined;
  if (a.axes.length === 0 || a.axes.length !== b.axes.length) return undefined;
  const isSame = (axis: Axis, k: number): boolean =>
    sameExtent(place.checker, axis.extent!, b.axes[k]!.extent!) === "true";
  if (a.axes.every(isSame) || !unify(a.element, b.element)) return undefined;
  const select = (one: Typed, other: Typed, type: TensorType): Typed => {
    return { kind: "select", condition: asked.value, then: one, otherwise: other, type, span };
  };
  const asked = askedOnce(place, condition);
  const kept = select(keptCells(then), keptCells(otherwise), scalar("data"));
  const box = share(place, { text: "taken", span }, kept);
  const extents =
    a.axes.length === 1
      ? []
      : a.axes.map((axis, k) =>
          select(extentOf(axis, span), extentOf(b.axes[k]!, span), scalar("i32")),
        );
  return inBlock(
    [...asked.bindings, ...box.bindings],
    arrayBehind(place.checker, box.value, a.element, extents, span),
  );
}
