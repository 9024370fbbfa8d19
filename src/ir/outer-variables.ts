// The enclosing coordinates that an expression depends on, directly or through the local names it uses.

import { variablesOf } from "./affine/visit.ts";
import type { Variable } from "./affine/term.ts";
import type { Binder, Item, TensorBinding, Typed, ValueBinding } from "../check/typed.ts";

/** In the order in which the enclosing coordinates were bound. */
export function outerVariables(
  nodes: readonly (Typed | TensorBinding)[],
  enclosing: ReadonlySet<Variable>,
): readonly Variable[] {
  if (enclosing.size === 0) return [];
  const found = new Set<Variable>();
  const seen = new Set<ValueBinding | TensorBinding>();

  const term = (value: Typed): void => {
    if (value.kind !== "integer") return;
    for (const v of variablesOf(value.term)) if (enclosing.has(v)) found.add(v);
  };
  const binder = (bound: Binder): void => {
    if (bound.from) walk(bound.from);
    if (bound.to) walk(bound.to);
  };
  const item = (each: Item): void => {
    if (each.kind === "guard") walk(each.condition);
    else binding(each.binding);
  };
  const binding = (bound: ValueBinding | TensorBinding): void => {
    if (seen.has(bound)) return;
    seen.add(bound);
    if (bound.kind === "value") {
      if (bound.value) walk(bound.value);
      return;
    }
    for (const clause of bound.clauses) {
      for (const slot of clause.slots) if (slot.kind === "binder") binder(slot.binder);
      clause.items.forEach(item);
      walk(clause.body);
      if (clause.otherwise) walk(clause.otherwise);
    }
  };
  const walk = (value: Typed): void => {
    switch (value.kind) {
      case "integer":
        term(value);
        return;
      case "reference":
        binding(value.binding);
        return;
      case "read":
        walk(value.base);
        value.indices.forEach(walk);
        return;
      case "apply":
        value.operands.forEach(walk);
        return;
      case "cast":
        walk(value.operand);
        return;
      case "select":
        walk(value.condition);
        walk(value.then);
        walk(value.otherwise);
        return;
      case "reduce":
        value.binders.forEach(binder);
        value.items.forEach(item);
        walk(value.body);
        return;
      case "abstract":
        value.binders.forEach(binder);
        walk(value.body);
        return;
      case "block":
        walk(value.value);
        return;
      case "array":
        value.elements.forEach(walk);
        return;
      case "tuple":
        value.members.forEach(walk);
        return;
      case "range":
        walk(value.from);
        walk(value.to);
        return;
      case "constant":
      case "text":
      case "wrong":
        return;
      default:
        value satisfies never;
    }
  };

  for (const node of nodes) {
    if (node.kind === "tensor") binding(node);
    else walk(node);
  }
  return [...enclosing].filter((v) => found.has(v));
}
