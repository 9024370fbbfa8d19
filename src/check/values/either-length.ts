// A choice between two tensors of different shapes. The result is as long as the tensor that is
// taken:
//
//   let y = if c { [1.0] } else { [2.0, 3.0] };      length = if c { 1 } else { 2 }

import type { Span } from "../../base/source.ts";
import { ofVariable, zero, type Term } from "../../affine/term.ts";
import { countOf } from "../data/rows/accepted-positions.ts";
import { sameExtent } from "../statements/agree.ts";
import type { Place } from "../context.ts";
import { inBlock, share, askedOnce } from "./share.ts";
import type { Typed, ValueBinding } from "../types/typed.ts";
import { scalar, type Axis, type TensorType, known, unify } from "../types/types.ts";
import { keptCells, extentOfAxis, arrayBehind } from "../data/arrays.ts";
import { integerValue } from "./integer-value.ts";
import { binderAlong } from "../ranges/ranges.ts";

/** One of two tensors of one rank; each extent of the result is chosen by the condition. */
export function asLongAsTaken(
  place: Place,
  condition: Typed,
  then: Typed,
  otherwise: Typed,
  span: Span,
): Typed {
  const [a, b] = [then.type as TensorType, otherwise.type as TensorType];
  const { bindings, value: asked } = share(
    place,
    { text: "condition", span: condition.span },
    condition,
  );
  const cell = scalar(a.element);
  const select = (one: Typed, other: Typed, type: TensorType): Typed => {
    return { kind: "select", condition: asked, then: one, otherwise: other, type, span };
  };
  const integer = (term: Term): Typed => integerValue(term, span);
  const lengths: ValueBinding[] = [];
  const axes = a.axes.map((axis, k): Axis => {
    const { rows } = axis;
    const [one, other] = [axis.extent ?? zero, b.axes[k]!.extent ?? zero];
    if (sameExtent(place.checker, one, other) === "true") return axis;
    const length = countOf(place, "length", select(integer(one), integer(other), scalar("i32")));
    lengths.push(length.binding);
    const origin = { span, text: "the one that is taken" };
    return { ...(rows ? { rows } : {}), extent: length.term, domain: {}, origin };
  });
  const binders = axes.map((axis) => binderAlong(axis, span));
  const indices = binders.map(({ variable }) => integer(ofVariable(variable)));
  const at = (base: Typed): Typed => ({ kind: "read", base, indices, type: cell, span: base.span });
  // Each tensor is read only in its own branch, so the other one is not computed.
  const body = select(at(then), at(otherwise), cell);
  const taken: Typed = { kind: "abstract", binders, body, type: { ...a, axes }, span };
  return inBlock([...bindings, ...lengths], taken);
}

/**
 * One of two arrays of different lengths in a function that makes arrays while it runs: the cells
 * of the one that is taken. Undefined if the tensors have one shape, or outside of such a function.
 */
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
          select(extentOfAxis(axis, span), extentOfAxis(b.axes[k]!, span), scalar("i32")),
        );
  return inBlock(
    [...asked.bindings, ...box.bindings],
    arrayBehind(place.checker, box.value, a.element, extents, span),
  );
}
