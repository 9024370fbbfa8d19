// A window: some elements of a tensor, one after another, read where they lie. Rows of ragged
// values are windows, and so is what a recursive function passes on when it takes an array apart:
// the tensor stays the same in every call, where the window begins and how long it is does not.

import type { Span } from "../../../base/source.ts";
import { constantOf, ofVariable, subtract, zero, type Term } from "../../../affine/term.ts";
import { freeVariables } from "../../ranges/outer-variables.ts";
import { newBinder } from "../../ranges/coordinates.ts";
import type { Place } from "../../context.ts";
import { integerTerm } from "../../types/integers.ts";
import { apply } from "../../expressions/operators.ts";
import { rootOf } from "../forms.ts";
import { windowOf } from "../../values/tuples.ts";
import type { Typed, Window } from "../../types/typed.ts";
import { scalar, tensor, type Axis, type TensorType } from "../../types/types.ts";
import { noteUses } from "../../ranges/reads.ts";

/** The elements of a window as a tensor of their own. */
export function windowOver(window: Window, axis: Axis, span: Span): Typed {
  const { element: cell, axes } = window.base.type as TensorType;
  const binder = { ...newBinder("j", span, true), from: integer(zero, span), to: window.length };
  const at: Typed = {
    kind: "apply",
    operation: "add",
    operands: [window.from, integer(ofVariable(binder.variable), span)],
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
 * `window[j]`: an index outside of the window is one outside of the tensor that it lies in; nothing
 * where the value is no window.
 */
export function cellOfWindow(
  place: Place,
  value: Typed,
  index: Typed,
  span: Span,
): Typed | undefined {
  const window = windowOf(value);
  // A function that makes arrays compares an index with the length itself.
  if (!window || place.arrays || value.type.kind !== "tensor") return undefined;
  const { from, length, base } = window;
  noteUses(place, value, [index], [span]);
  const fixed = constantOf(integerTerm(place.checker, index));
  const none = number(0, span);
  const isBefore = apply(place, "less", [index, length], span);
  const beyond = plus(place, integer(lengthOf(base), span), index, span);
  // What a pattern takes is never in front of the window.
  const isFromStart = fixed !== undefined && fixed >= 0;
  const inside = isFromStart
    ? isBefore
    : apply(place, "and", [apply(place, "greaterEqual", [index, none], span), isBefore], span);
  const outside = isFromStart
    ? beyond
    : either(apply(place, "less", [index, none], span), index, beyond, span);
  const at = either(inside, plus(place, from, index, span), outside, span);
  const { element: cell, axes } = value.type;
  const read: Typed = {
    kind: "read",
    base,
    indices: [at],
    type: tensor(cell, axes.slice(1)),
    span,
  };
  cells.set(read, { window, index });
  return read;
}

/** `window[j]` where `j` is known to be inside; nothing where the value is no window. */
export function cellInWindow(
  place: Place,
  value: Typed,
  index: Typed,
  span: Span,
): Typed | undefined {
  const window = windowOf(value);
  if (!window || place.arrays || value.type.kind !== "tensor") return undefined;
  const { element: cell, axes } = value.type;
  const indices = [plus(place, window.from, index, span)];
  const read: Typed = {
    kind: "read",
    base: window.base,
    indices,
    type: tensor(cell, axes.slice(1)),
    span,
  };
  cells.set(read, { window, index });
  return read;
}

/** Reads of windows, so that a window of a window is found. */
const cells = new WeakMap<Typed, { readonly window: Window; readonly index: Typed }>();

/** The window without the elements before and after it. */
export function withinWindow(
  place: Place,
  { base, from, length }: Window,
  before: number,
  count: number,
): Window {
  const { span } = from;
  return {
    base,
    from: plus(place, from, number(before, span), span),
    length: apply(place, "subtract", [length, number(count, span)], span),
  };
}

/**
 * What a value is a window of, by how its elements are read: `[xs[i + 1] | …]`, the rest of a
 * pattern.
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
  const body = withoutNames(value.body);
  if (body.kind !== "read" || body.indices.length !== 1 || !axis?.extent) return undefined;
  if (binder!.from && constantOf(integerTerm(place.checker, binder!.from)) !== 0) return undefined;
  const outer = cells.get(body)?.window ?? windowOf(body.base) ?? wholeOf(body.base, body.span);
  if (!outer) return undefined;
  const index = cells.get(body)?.index ?? body.indices[0]!;
  const first = subtract(integerTerm(place.checker, index), ofVariable(binder!.variable));
  const isElsewhere = freeVariables([integer(first, value.span)], place.checker.opaqueValue).has(
    binder!.variable,
  );
  return isElsewhere ? undefined : part(place, outer, first, axis.extent, value.span);
}

function withoutNames(value: Typed): Typed {
  return value.kind === "block" ? withoutNames(value.value) : value;
}

/** All of a tensor that has a name. */
function wholeOf(base: Typed, span: Span): Window | undefined {
  const root = rootOf(base);
  if (
    (root.kind !== "reference" && root.kind !== "cells") ||
    root.type.kind !== "tensor" ||
    !root.type.axes[0]?.extent
  )
    return undefined;
  return { base: root, from: number(0, span), length: integer(lengthOf(root), span) };
}

/**
 * A window of a window; one that goes beyond it begins behind the end of the tensor, where every
 * read is refused.
 */
function part(place: Place, outer: Window, first: Term, extent: Term, span: Span): Window {
  const [skipped, length] = [integer(first, span), integer(extent, span)];
  const from = plus(place, outer.from, skipped, span);
  const left = subtract(subtract(integerTerm(place.checker, outer.length), first), extent);
  const isFromStart = (constantOf(first) ?? -1) >= 0;
  if (isFromStart && (constantOf(left) ?? -1) >= 0) return { base: outer.base, from, length };
  const endsInside = apply(
    place,
    "lessEqual",
    [plus(place, skipped, length, span), outer.length],
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
  const end = integer(lengthOf(outer.base), span);
  return { base: outer.base, from: either(isInside, from, end, span), length };
}

/** A sum, as far as it is known. */
function plus(place: Place, a: Typed, b: Typed, span: Span): Typed {
  const [x, y] = [
    constantOf(integerTerm(place.checker, a)),
    constantOf(integerTerm(place.checker, b)),
  ];
  if (x !== undefined && y !== undefined) return number(x + y, span);
  return y === 0 ? a : x === 0 ? b : apply(place, "add", [a, b], span);
}

function lengthOf(base: Typed): Term {
  return (base.type as TensorType).axes[0]!.extent!;
}

function either(condition: Typed, then: Typed, otherwise: Typed, span: Span): Typed {
  return { kind: "select", condition, then, otherwise, type: scalar("i32"), span };
}

function number(value: number, span: Span): Typed {
  return { kind: "constant", value, type: scalar("i32"), span };
}

function integer(term: Term, span: Span): Typed {
  return { kind: "integer", term, type: scalar("i32"), span };
}
