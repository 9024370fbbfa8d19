// A value under the declared type of a parameter or field: its axes take the names that the type
// gives. Whether the value fits the type is decided before, in `signatures.ts`.

import type * as ast from "../../syntax/tree/ast.ts";
import type { Bound } from "../calls/bound.ts";
import type { Place } from "../context.ts";
import { heldTo } from "../calls/held/held-functions.ts";
import { isAnyRank } from "../calls/signatures.ts";
import { holdsFunctions } from "../values/tuples.ts";
import type { Typed } from "./typed.ts";
import { tensor, type Axis } from "./types.ts";

/**
 * Inside the function an argument's axes have the signature's names and domains, and functions the
 * types that it declares.
 */
export function relabelled(
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
 * An argument in the function, whose lengths are the caller's but for those that the parameter's
 * type says.
 */
export function asGiven(type: ast.Type | undefined, value: Typed, bound: Bound): Typed {
  if (value.kind === "tuple" && value.type.kind === "tuple") {
    const types = type?.kind === "tuple" ? type.members : [];
    return {
      ...value,
      members: value.members.map((member, k) => asGiven(types[k], member, bound)),
    };
  }
  if (value.type.kind !== "tensor" && value.type.kind !== "list") return value;
  const dims = type?.kind === "tensor" ? type.dims : undefined;
  const isSaid = (k: number): boolean => {
    const dim = dims?.some(({ kind }) => kind === "pack") ? undefined : dims?.[k];
    return dim?.kind === "number" || (dim?.kind === "name" && !bound.axes.has(dim.name.text));
  };
  const axes = value.type.axes.map((axis, k): Axis =>
    isSaid(k) ? axis : { ...axis, given: true },
  );
  return axes.length === 0 ? value : ({ ...value, type: { ...value.type, axes } } as Typed);
}
