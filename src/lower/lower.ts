// Lowering: in this folder typed trees become definitions of the indexed IR; nothing here optimises
// or differentiates them.
//
// An expression with axes is given indices, and is lowered cell by cell. A reduction that is not
// the whole body of a clause gets a definition of its own, over the enclosing coordinates that it
// mentions:
//
//   let y[i] = x[i] / sum[k](A[i, k]);     y[i] = x[i] / helper[i],  helper[i] = sum[k](A[i, k])

import type {
  TensorBinding,
  Typed,
  Clause as TypedClause,
  ValueBinding,
} from "../check/types/typed.ts";
import type { TensorType } from "../check/types/types.ts";
import type { Span } from "../base/source.ts";
import { plus, variable, type Variable } from "../affine/term.ts";
import { enter, loopOf, outerOf } from "./around.ts";
import { conditionsOf, guardsOf } from "./conditions.ts";
import { materialiseOver, newDefinition, remember } from "./definitions.ts";
import { lower } from "./forms.ts";
import { bodyAt } from "./scalars.ts";
import {
  conditionItems,
  declare,
  declareItems,
  siteInCall,
  topOf,
  type Lowered,
  type Lowering,
  type Site,
} from "./site.ts";
import { literalTensor, requestDefinition, ruledDefinition } from "./tensors.ts";
import type { Clause, Definition, Loop } from "../ir/program.ts";
import { claim } from "../base/claim.ts";
import { integerScalar } from "../ir/substitute.ts";

/** A definition of a whole top-level expression. */
export function whole(site: Site, value: Typed): Definition {
  if (value.kind === "block" && value.value.kind === "reference") {
    declare(site, value.bindings);
    return whole(site, value.value);
  }
  if (value.kind === "reference" && value.type.kind === "tensor")
    return defineBinding(site, value.binding).definition;
  return materialiseValue(site, value, value.span, claim(site.lowering.taken, site.owner))
    .definition;
}

function claimedName(lowering: Lowering, binding: ValueBinding | TensorBinding): string {
  return lowering.named.get(binding) ?? claim(lowering.taken, binding.name);
}

/** The definition of a binding. It is lowered when it is first asked for. */
export function defineBinding(site: Site, binding: ValueBinding | TensorBinding): Lowered {
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
      claimedName(lowering, binding),
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
    materialiseValue(declared, binding.value, binding.span, claimedName(lowering, binding)),
  );
}

/**
 * A definition for an expression, tensor or scalar. Its axes are the enclosing coordinates, then
 * the expression's own axes.
 */
export function materialiseValue(site: Site, value: Typed, span: Span, name: string): Lowered {
  if (value.kind === "request") return requestDefinition(site, value, name);
  if (value.kind === "ruled") return ruledDefinition(site, value, name);
  if (value.kind === "array" || value.kind === "abstract")
    return literalTensor(site, value, span, name);
  const outer = outerOf(site, value);
  return { definition: materialiseOver(siteInCall(site, value), value, span, name, outer), outer };
}

function defineTensor(site: Site, binding: TensorBinding): Lowered {
  const { lowering } = site;
  const outer = outerOf(site, binding);
  const origin = binding.remnant || binding.made ? "helper" : "declared";
  const withoutClauses = newDefinition(
    site,
    claimedName(lowering, binding),
    binding.type,
    outer,
    origin,
    binding.span,
  );
  const definition: Definition = binding.checkpoint
    ? { ...withoutClauses, checkpoint: true }
    : withoutClauses;
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
        from: integerScalar(slot.at),
        to: integerScalar(plus(slot.at, 1)),
        reversed: false,
        fixed: true,
      });
      continue;
    }
    own.push(loopOf({ ...inside, here }, slot.binder, here));
  }
  const clauseSite: Site = { ...inside, here };
  declareItems({ ...clauseSite, conditions: site.conditions }, clause.items);
  const guards = [
    ...conditionsOf(clauseSite, site.conditions),
    ...guardsOf(clauseSite, clause.items),
  ];
  const conditioned: Site = {
    ...clauseSite,
    conditions: [...site.conditions, ...conditionItems(clause.items)],
  };
  return {
    loops: [...loops, ...own],
    guards,
    body: bodyAt(conditioned, clause.body, []),
    ...(clause.otherwise ? { otherwise: lower(clauseSite, clause.otherwise) } : {}),
    span: clause.span,
  };
}
