// Gives an argument the axis names of its parameter's or field's declared type. Whether the
// argument fits the type is decided before, in `signatures.ts`.
//
//   fn f(x: [f32; n]) -> f32 { … }   f(v)   // inside `f` the axis is named `n`

import type * as ast from "../../syntax/tree/ast.ts";
import type { Bound } from "../calls/bound.ts";
import type { Place } from "../context.ts";
import { heldTo } from "../calls/held/held-functions.ts";
import { isAnyRank } from "../calls/signatures.ts";
import { holdsFunctions } from "../values/tuples.ts";
import type { Typed } from "./typed.ts";
import { tensor, type Axis } from "./types.ts";

/**
 * The argument as the function sees it: its axes have the names and domains of the signature, and
 * its functions have the declared types.
 */
export function withDeclaredAxisNames(
  place: Place,
  type: ast.Type | undefined,
  given: Typed,
  bound: Bound,
): Typed {
  const value = type && holdsFunctions(given) ? heldTo(place, bound, type, given) : given;
  if (type?.kind !== "tensor" || !type.dims || isAnyRank(type)) return value;
  if (value.type.kind !== "tensor" && value.type.kind !== "list") return value;
  const axes: Axis[] = [];
  for (const dim of type.dims) {
    if (dim.kind === "pack") {
      axes.push(...(bound.packs.get(dim.name.text) ?? []));
      continue;
    }
    const own = value.type.axes[axes.length]!;
    const known = dim.kind === "name" ? bound.axes.get(dim.name.text) : undefined;
    axes.push({
      ...own,
      ...(dim.kind === "name" ? { name: dim.name.text } : {}),
      ...(known ? { domain: known.domain } : {}),
    });
  }
  if (value.type.kind === "list") return { ...value, type: { ...value.type, axes } } as Typed;
  return { ...value, type: tensor(value.type.element, axes) };
}

/**
 * Marks the axes whose lengths only the caller decides. Axes whose length the parameter's type
 * states are not marked.
 */
export function withCallerLengths(type: ast.Type | undefined, value: Typed, bound: Bound): Typed {
  if (value.kind === "tuple" && value.type.kind === "tuple") {
    const types = type?.kind === "tuple" ? type.members : [];
    return {
      ...value,
      members: value.members.map((member, k) => withCallerLengths(types[k], member, bound)),
    };
  }
  if (value.type.kind !== "tensor" && value.type.kind !== "list") return value;
  const dims = type?.kind === "tensor" ? type.dims : undefined;
  const isDeclaredLength = (k: number): boolean => {
    const dim = dims?.some(({ kind }) => kind === "pack") ? undefined : dims?.[k];
    return dim?.kind === "number" || (dim?.kind === "name" && !bound.axes.has(dim.name.text));
  };
  const axes = value.type.axes.map((axis, k): Axis =>
    isDeclaredLength(k) ? axis : { ...axis, given: true },
  );
  return axes.length === 0 ? value : ({ ...value, type: { ...value.type, axes } } as Typed);
}
