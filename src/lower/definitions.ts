// Makes new definitions: their axes, and a definition for an expression over given coordinates.
// `lower.ts` decides which definition a binding or an expression gets.

import { resolved } from "../check/types/sizes.ts";
import type { TensorBinding, Typed, ValueBinding } from "../check/types/typed.ts";
import { decided, type TensorType } from "../check/types/types.ts";
import type { Span } from "../base/source.ts";
import { add, ofVariable, subtract, variable, zero, type Variable } from "../affine/term.ts";
import { substitute } from "../affine/visit.ts";
import { dependsOnLookup, enter, extentHull, hull, isRagged } from "./around.ts";
import { conditionsOf, heldTo } from "./conditions.ts";
import { bodyAt } from "./scalars.ts";
import type { Lowered, Lowering, Site } from "./site.ts";
import { extentAt, needScalars } from "./terms.ts";
import type { Axis, Definition, Loop, Scalar } from "../ir/program.ts";
import type { Scalar as Value } from "../scalar/types.ts";
import { integerScalar, coordinateScalar } from "../ir/substitute.ts";

export function remember(
  lowering: Lowering,
  binding: ValueBinding | TensorBinding,
  lowered: Lowered,
): Lowered {
  lowering.lowered.set(binding, lowered);
  return lowered;
}

export function newDefinition(
  site: Site,
  name: string,
  type: TensorType,
  outer: readonly Variable[],
  origin: Definition["origin"],
  span: Span,
  cells?: readonly Value[],
): Definition {
  // Inside the definition the enclosing coordinates are positions along its outer axes.
  const around = outer.map((v) => variable(site.lowering.binders.get(v)!.name));
  const positions = new Map(
    outer.map((v, k) => [v, add(ofVariable(around[k]!), hull(site.lowering, v).from)]),
  );
  const own = type.axes.map((axis): Axis => {
    const name = {
      ...(axis.name ? { name: axis.name } : {}),
      ...(axis.rows ? { rows: axis.rows } : {}),
    };
    const extent = resolved(axis.extent ?? zero);
    if (!isRagged(site.lowering, extent)) return { ...name, extent };
    const own = dependsOnLookup(site.lowering, extent)
      ? {}
      : { extent: substitute(extent, positions) };
    return { ...name, extent: extentHull(site, extent), ragged: { around, ...own } };
  });
  const enclosing = outer.map((v): Axis => {
    const { from, to } = hull(site.lowering, v);
    return { name: site.lowering.binders.get(v)!.name, extent: subtract(to, from) };
  });
  const axes = [...enclosing, ...own];
  const needs = new Set<Definition>();
  for (const axis of axes) needScalars({ ...site, needs }, axis.extent);
  return {
    name,
    element: decided(type.element),
    axes,
    origin,
    outer: outer.length,
    clauses: [],
    needs,
    span,
    ...(site.call ? { call: site.call } : {}),
    ...(cells ? { cells } : {}),
  };
}

/** A definition for an expression over the given enclosing coordinates. */
export function materialiseOver(
  site: Site,
  value: Typed,
  span: Span,
  name: string,
  outer: readonly Variable[],
): Definition {
  const type = value.type as TensorType;
  const definition = newDefinition(site, name, type, outer, "helper", span);
  const { loops, inside } = enter(site, outer, definition);
  const guards = conditionsOf(inside, site.conditions);
  const own = loopsOver(inside, type, 0).map((loop) => heldTo(guards, loop));
  definition.clauses = [
    { loops: [...loops, ...own], guards, body: bodyAt(inside, value, indicesOf(own)), span },
  ];
  return definition;
}

/** Loops over the axes of a type from the k-th on. */
export function loopsOver(site: Site, type: TensorType, k: number): readonly Loop[] {
  return type.axes.slice(k).map((axis, n): Loop => {
    const walked = variable(axis.name ?? "ijklmnpq"[k + n] ?? `i${k + n}`);
    return {
      variable: walked,
      from: integerScalar(zero),
      to: extentAt(site, axis.extent ?? zero),
      reversed: false,
    };
  });
}

export function indicesOf(loops: readonly Loop[]): readonly Scalar[] {
  return loops.map(coordinateScalar);
}
