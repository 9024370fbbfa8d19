// Lowering: from typed trees to definitions. Tensor-valued expressions are given indices; every reduction that is not the
// whole body of a clause gets a definition of its own, over the enclosing coordinates that it mentions.

import { resolved } from "../check/sizes.ts";
import type { TensorBinding, Typed, Clause as TypedClause, ValueBinding } from "../check/typed.ts";
import { decided, type TensorType } from "../check/types.ts";
import type { Span } from "../base/source.ts";
import {
  add,
  ofVariable,
  plus,
  subtract,
  variable,
  zero,
  type Term,
  type Variable,
} from "../affine/term.ts";
import { substitute, variablesOf } from "../affine/visit.ts";
import {
  dependsOnLookup,
  enter,
  extentHull,
  hull,
  isRagged,
  loopOf,
  outerOf,
} from "./lower-around.ts";
import { bodyAt, conditionsOf, guardsOf, integer, lower } from "./lower-scalars.ts";
import {
  conditionItems,
  declare,
  declareItems,
  siteInCall,
  topOf,
  type Lowered,
  type Lowering,
  type Site,
} from "./lower-site.ts";
import {
  heldTo,
  indicesOf,
  literalTensor,
  loopsOver,
  requestDefinition,
  ruledDefinition,
} from "./lower-tensors.ts";
import { claim, type Axis, type Clause, type Definition, type Loop } from "./program.ts";
import type { Scalar as Value } from "../scalar/types.ts";

/** A definition that holds the whole of a top-level expression. */
export function whole(site: Site, value: Typed): Definition {
  if (value.kind === "block" && value.value.kind === "reference") {
    declare(site, value.bindings);
    return whole(site, value.value);
  }
  if (value.kind === "reference" && value.type.kind === "tensor")
    return define(site, value.binding).definition;
  return materialise(site, value, value.span, claim(site.lowering.taken, site.owner)).definition;
}

function nameOf(lowering: Lowering, binding: ValueBinding | TensorBinding): string {
  return lowering.named.get(binding) ?? claim(lowering.taken, binding.name);
}

/** The definition of a binding, lowered when it is first asked for. */
export function define(site: Site, binding: ValueBinding | TensorBinding): Lowered {
  const { lowering } = site;
  const known = lowering.lowered.get(binding);
  if (known) return known;
  const around = lowering.declaredAt.get(binding) ?? topOf(lowering);
  const declared = binding.call ? { ...around, call: binding.call } : around;
  if (binding.kind === "tensor") return defineTensor(declared, binding);
  if (!binding.value) {
    const type = binding.type as TensorType;
    const definition = newDefinition(
      declared,
      nameOf(lowering, binding),
      type,
      [],
      "input",
      binding.span,
    );
    return remember(lowering, binding, { definition, outer: [] });
  }
  return remember(
    lowering,
    binding,
    materialise(declared, binding.value, binding.span, nameOf(lowering, binding)),
  );
}

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
  // Inside the definition the coordinates around it are positions along its outer axes.
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

/** The integer scalars that a term uses by value are computed first. */
export function needScalars(site: Site, term: Term): void {
  const { lowering } = site;
  for (const v of variablesOf(term)) {
    let definition = lowering.scalars.get(v);
    if (!definition) {
      const binding = lowering.checker.scalars.get(v);
      const value = lowering.checker.opaqueValue.get(v);
      if (!binding && !value) continue;
      const top: Site = {
        ...site,
        here: new Map(),
        conditions: [],
        locals: new Map(),
        owner: "extent",
        needs: new Set(),
      };
      definition = binding
        ? define(top, binding).definition
        : materialise(top, value!, value!.span, claim(lowering.taken, "extent")).definition;
      lowering.scalars.set(v, definition);
    }
    site.needs.add(definition);
  }
}

/** A definition for a tensor-valued (or scalar) expression: its enclosing coordinates, then its own axes. */
export function materialise(site: Site, value: Typed, span: Span, name: string): Lowered {
  if (value.kind === "request") return requestDefinition(site, value, name);
  if (value.kind === "ruled") return ruledDefinition(site, value, name);
  if (value.kind === "array" || value.kind === "abstract")
    return literalTensor(site, value, span, name);
  const outer = outerOf(site, value);
  return { definition: materialiseOver(siteInCall(site, value), value, span, name, outer), outer };
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

function defineTensor(site: Site, binding: TensorBinding): Lowered {
  const { lowering } = site;
  const outer = outerOf(site, binding);
  const origin = binding.remnant || binding.made ? "helper" : "declared";
  const made = newDefinition(
    site,
    nameOf(lowering, binding),
    binding.type,
    outer,
    origin,
    binding.span,
  );
  const definition: Definition = binding.checkpoint ? { ...made, checkpoint: true } : made;
  // Remembered before its clauses are lowered, because they may read it.
  const lowered = remember(lowering, binding, { definition, outer });
  definition.clauses = binding.clauses.map((clause) => clauseOf(site, clause, outer, definition));
  return lowered;
}

function clauseOf(
  site: Site,
  clause: TypedClause,
  outer: readonly Variable[],
  definition: Definition,
): Clause {
  const { loops, inside } = enter(site, outer, definition);
  const own: Loop[] = [];
  const here = new Map(inside.here);
  for (const slot of clause.slots) {
    if (slot.kind === "fixed") {
      own.push({
        variable: variable("at"),
        from: integer(slot.at),
        to: integer(plus(slot.at, 1)),
        reversed: false,
        fixed: true,
      });
      continue;
    }
    own.push(loopOf({ ...inside, here }, slot.binder, here));
  }
  const site_: Site = { ...inside, here };
  declareItems({ ...site_, conditions: site.conditions }, clause.items);
  const guards = [...conditionsOf(site_, site.conditions), ...guardsOf(site_, clause.items)];
  const conditioned: Site = {
    ...site_,
    conditions: [...site.conditions, ...conditionItems(clause.items)],
  };
  return {
    loops: [...loops, ...own],
    guards,
    body: bodyAt(conditioned, clause.body, []),
    ...(clause.otherwise ? { otherwise: lower(site_, clause.otherwise) } : {}),
    span: clause.span,
  };
}
