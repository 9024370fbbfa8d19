// A window is some neighbouring elements of a tensor, read in place:
//
//   window[j] = base[from + j]      for j in 0..length
//
// Rows of ragged values are windows. So is the rest of an array that a recursive function passes
// on: the tensor is the same in every call, and only the two numbers differ.

import type { Span } from "../../../base/source.ts";
import { constantOf, ofVariable, subtract, zero, type Term } from "../../../affine/term.ts";
import { freeVariables } from "../../ranges/outer-variables.ts";
import { newBinder } from "../../ranges/coordinates.ts";
import type { Place } from "../../context.ts";
import { integerTerm } from "../../types/integers.ts";
import { apply } from "../../expressions/operators.ts";
import { rootOf } from "../forms.ts";
import { windowOf } from "../../values/tuples.ts";
import { integerValue } from "../../values/integer-value.ts";
import type { Typed, Window } from "../../types/typed.ts";
import { scalar, tensor, type Axis, type TensorType } from "../../types/types.ts";
import { noteUses } from "../../ranges/reads.ts";
import { withoutBlocks } from "../../types/typed.ts";

/** The elements of a window as a tensor. */
export function windowOver(window: Window, axis: Axis, span: Span): Typed {
  const { element: cell, axes } = window.base.type as TensorType;
  const binder = {
    ...newBinder("j", span, true),
    from: integerValue(zero, span),
    to: window.length,
  };
  const at: Typed = {
    kind: "apply",
    operation: "add",
    operands: [window.from, integerValue(ofVariable(binder.variable), span)],
    type: scalar("i32"),
    span,
  };
  const behind = axes.slice(1);
  const body: Typed = {
    kind: "read",
    base: window.base,
    indices: [at],
    type: tensor(cell, behind),
    span,
  };
  return {
    kind: "abstract",
    binders: [binder],
    body,
    window,
    type: tensor(cell, [axis, ...behind]),
    span,
  };
}

/**
 * `window[j]`. If the index is outside of the window, the read goes outside of the tensor, where it
 * is refused. Undefined if the value is no window.
 */
export function cellOfWindow(
  place: Place,
  value: Typed,
  index: Typed,
  span: Span,
): Typed | undefined {
  const window = windowOf(value);
  // A function that makes arrays compares the index with the length itself.
  if (!window || place.arrays || value.type.kind !== "tensor") return undefined;
  const { from, length, base } = window;
  noteUses(place, value, [index], [span]);
  const fixed = constantOf(integerTerm(place.checker, index));
  const none = number(0, span);
  const isBefore = apply(place, "less", [index, length], span);
  const beyond = addIntegers(place, integerValue(lengthOfBase(base), span), index, span);
  // A pattern never reads before the start of the window.
  const isFromStart = fixed !== undefined && fixed >= 0;
  const inside = isFromStart
    ? isBefore
    : apply(place, "and", [apply(place, "greaterEqual", [index, none], span), isBefore], span);
  const outside = isFromStart
    ? beyond
    : chooseInteger(apply(place, "less", [index, none], span), index, beyond, span);
  const at = chooseInteger(inside, addIntegers(place, from, index, span), outside, span);
  const { element: cell, axes } = value.type;
  const read: Typed = {
    kind: "read",
    base,
    indices: [at],
    type: tensor(cell, axes.slice(1)),
    span,
  };
  windowReads.set(read, { window, index });
  return read;
}

/** `window[j]` with an index that is known to be inside. Undefined if the value is no window. */
export function cellInWindow(
  place: Place,
  value: Typed,
  index: Typed,
  span: Span,
): Typed | undefined {
  const window = windowOf(value);
  if (!window || place.arrays || value.type.kind !== "tensor") return undefined;
  const { element: cell, axes } = value.type;
  const indices = [addIntegers(place, window.from, index, span)];
  const read: Typed = {
    kind: "read",
    base: window.base,
    indices,
    type: tensor(cell, axes.slice(1)),
    span,
  };
  windowReads.set(read, { window, index });
  return read;
}

/**
 * The window and the index of each read of a window. A window is some neighbouring elements of a
 * tensor, read in place: with `let w = x[1..4]`, the read `w[0]` is an element, and taking some
 * elements of it gives a window inside the window.
 */
const windowReads = new WeakMap<Typed, { readonly window: Window; readonly index: Typed }>();

/** The window without some elements at its start and end. */
export function withinWindow(
  place: Place,
  { base, from, length }: Window,
  before: number,
  count: number,
): Window {
  const { span } = from;
  return {
    base,
    from: addIntegers(place, from, number(before, span), span),
    length: apply(place, "subtract", [length, number(count, span)], span),
  };
}

/**
 * The window that a value is. A tensor `[xs[i + 1] | …]`, or the rest of a pattern, is recognized
 * by its reads.
 */
export function windowIn(place: Place, value: Typed): Window | undefined {
  const known = windowOf(value);
  if (known) return known;
  if (value.kind === "reference" && value.binding.kind === "value" && value.binding.value)
    return windowIn(place, value.binding.value);
  if (value.kind === "cells") return wholeOf(value, value.span);
  if (value.kind !== "abstract" || value.binders.length !== 1 || value.type.kind !== "tensor")
    return undefined;
  const [binder] = value.binders;
  const [axis] = value.type.axes;
  const body = withoutBlocks(value.body);
  if (body.kind !== "read" || body.indices.length !== 1 || !axis?.extent) return undefined;
  if (binder!.from && constantOf(integerTerm(place.checker, binder!.from)) !== 0) return undefined;
  const outer =
    windowReads.get(body)?.window ?? windowOf(body.base) ?? wholeOf(body.base, body.span);
  if (!outer) return undefined;
  const index = windowReads.get(body)?.index ?? body.indices[0]!;
  const first = subtract(integerTerm(place.checker, index), ofVariable(binder!.variable));
  const isElsewhere = freeVariables(
    [integerValue(first, value.span)],
    place.checker.opaqueValue,
  ).has(binder!.variable);
  return isElsewhere ? undefined : subWindow(place, outer, first, axis.extent, value.span);
}

/** All of a named tensor as a window. */
function wholeOf(base: Typed, span: Span): Window | undefined {
  const root = rootOf(base);
  if (
    (root.kind !== "reference" && root.kind !== "cells") ||
    root.type.kind !== "tensor" ||
    !root.type.axes[0]?.extent
  )
    return undefined;
  return { base: root, from: number(0, span), length: integerValue(lengthOfBase(root), span) };
}

/**
 * A window of a window. If it does not lie inside the outer window, it begins at the end of the
 * tensor, so that every read of it is refused.
 */
function subWindow(place: Place, outer: Window, first: Term, extent: Term, span: Span): Window {
  const [skipped, length] = [integerValue(first, span), integerValue(extent, span)];
  const from = addIntegers(place, outer.from, skipped, span);
  const left = subtract(subtract(integerTerm(place.checker, outer.length), first), extent);
  const isFromStart = (constantOf(first) ?? -1) >= 0;
  if (isFromStart && (constantOf(left) ?? -1) >= 0) return { base: outer.base, from, length };
  const endsInside = apply(
    place,
    "lessEqual",
    [addIntegers(place, skipped, length, span), outer.length],
    span,
  );
  const isInside = isFromStart
    ? endsInside
    : apply(
        place,
        "and",
        [apply(place, "greaterEqual", [skipped, number(0, span)], span), endsInside],
        span,
      );
  const end = integerValue(lengthOfBase(outer.base), span);
  return { base: outer.base, from: chooseInteger(isInside, from, end, span), length };
}

/** The sum of two numbers, computed if both are known. */
function addIntegers(place: Place, a: Typed, b: Typed, span: Span): Typed {
  const [x, y] = [
    constantOf(integerTerm(place.checker, a)),
    constantOf(integerTerm(place.checker, b)),
  ];
  if (x !== undefined && y !== undefined) return number(x + y, span);
  return y === 0 ? a : x === 0 ? b : apply(place, "add", [a, b], span);
}

function lengthOfBase(base: Typed): Term {
  return (base.type as TensorType).axes[0]!.extent!;
}

function chooseInteger(condition: Typed, then: Typed, otherwise: Typed, span: Span): Typed {
  return { kind: "select", condition, then, otherwise, type: scalar("i32"), span };
}

function number(value: number, span: Span): Typed {
  return { kind: "constant", value, type: scalar("i32"), span };
}
