// One of two tensors that need not have one shape, chosen by a condition: it is as long as the one that is taken.

import type { Span } from "../syntax/source.ts";
import { ofVariable, zero, type Term } from "../ir/affine/term.ts";
import { variablesOf } from "../ir/affine/visit.ts";
import { countOf } from "./accepted-positions.ts";
import { sameExtent } from "./agree.ts";
import type { Place } from "./context.ts";
import { newBinder } from "./coordinates.ts";
import { extentRange } from "./ranges.ts";
import { inBlock, share, type Shared } from "./share.ts";
import { resolved } from "./sizes.ts";
import type { Binder, Typed, ValueBinding } from "./typed.ts";
import { scalar, type Axis, type TensorType } from "./types.ts";

/** Whether every axis of two tensors of one rank is known to be as long in the one as in the other. */
export function isOfOneShape({ checker }: Place, a: TensorType, b: TensorType): boolean {
  return a.axes.every(({ extent }, k) => sameExtent(checker, extent ?? zero, b.axes[k]!.extent ?? zero) === "true");
}

/** Whether an extent is known to a run alone, rather than when sizes are pinned. */
export function isOfRun({ checker }: Place, extent: Term): boolean {
  return [...variablesOf(resolved(extent))].some((v) => checker.scalars.has(v) || checker.opaqueValue.has(v));
}

export function asLongAsTaken(place: Place, condition: Typed, then: Typed, otherwise: Typed, span: Span): Typed {
  const [a, b] = [then.type as TensorType, otherwise.type as TensorType];
  const named = (text: string, value: Typed): Shared => share(place, { text, span: value.span }, value);
  const parts = [named("condition", condition), named("then", then), named("otherwise", otherwise)] as const;
  const [asked, first, second] = parts.map((part) => part.value) as [Typed, Typed, Typed];
  const cell = scalar(a.element);
  const select = (one: Typed, other: Typed, type: TensorType): Typed => {
    return { kind: "select", condition: asked, then: one, otherwise: other, type, span };
  };
  const integer = (term: Term): Typed => ({ kind: "integer", term, type: scalar("i32"), span });
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
  const binders = axes.map((axis): Binder => {
    const binder = newBinder(axis.name ?? "i", span, true);
    extentRange(binder, axis);
    return binder;
  });
  const indices = binders.map(({ variable }) => integer(ofVariable(variable)));
  const at = (base: Typed): Typed => ({ kind: "read", base, indices, type: cell, span: base.span });
  const body = select(at(first), at(second), cell);
  const taken: Typed = { kind: "abstract", binders, body, type: { ...a, axes }, span };
  return inBlock([...parts.flatMap((part) => part.bindings), ...lengths], taken);
}
