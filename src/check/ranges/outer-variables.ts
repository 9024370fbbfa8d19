// The outer variables of an expression: the coordinates and parameters around it that it depends
// on, directly or through local names.
//
//   let y[i] = { let s = 2.0 * x[i]; sum[k](A[i, k]) + s };   // the sum depends on i; so does `s`

import { eachVariable } from "../../affine/visit.ts";
import type { Variable } from "../../affine/term.ts";
import { partsOfEffect } from "../statements/effects.ts";
import { resolved } from "../types/sizes.ts";
import type {
  Binder,
  Instance,
  Invocation,
  Item,
  TensorBinding,
  Typed,
  ValueBinding,
} from "../types/typed.ts";

/** The coordinates and parameters around an expression, as a set or as the keys of a map. */
export interface Enclosing {
  readonly size: number;
  has(variable: Variable): boolean;
  keys(): Iterable<Variable>;
}

/**
 * The enclosing variables that some nodes depend on, in the order of `enclosing`. An opaque
 * variable depends on the variables of its expression.
 */
export function outerVariables(
  nodes: readonly (Typed | TensorBinding)[],
  enclosing: Enclosing,
  opaque: ReadonlyMap<Variable, Typed> = new Map(),
): readonly Variable[] {
  if (enclosing.size === 0) return [];
  const seen = newSearch(newLookInto(opaque));
  const free = new Set<Variable>();
  for (const node of nodes) {
    if (node.kind === "tensor") freeInBinding(node, free, seen);
    else freeIn(node, free, seen);
  }
  return [...enclosing.keys()].filter((v) => free.has(v));
}

/**
 * All free variables of expressions. An opaque variable is replaced by the free variables of its
 * expression.
 */
export function freeVariables(
  nodes: readonly Typed[],
  opaque: ReadonlyMap<Variable, Typed> = new Map(),
): ReadonlySet<Variable> {
  const lookInto = newLookInto(opaque);
  const free = new Set<Variable>();
  for (const node of nodes) freeIn(node, free, newSearch(lookInto));
  return free;
}

function newLookInto(opaque: ReadonlyMap<Variable, Typed>): Search["lookInto"] {
  const inside = new Map<Variable, ReadonlySet<Variable>>();
  const lookInto = (v: Variable): ReadonlySet<Variable> => {
    const known = inside.get(v);
    if (known) return known;
    const value = opaque.get(v);
    const own = new Set<Variable>(value ? [] : [v]);
    inside.set(v, own);
    if (value) freeIn(value, own, newSearch(lookInto));
    return own;
  };
  return lookInto;
}

/** The state of a search: the names visited so far, and what a variable of a term stands for. */
interface Search {
  readonly names: Set<ValueBinding | TensorBinding | Instance | Invocation>;
  readonly lookInto: (v: Variable) => Iterable<Variable>;
  /** Receives every binding that the search visits. */
  readonly meet?: (binding: ValueBinding | TensorBinding) => void;
  /** Receives every index that the search visits. */
  readonly index?: (index: Typed) => void;
}

function newSearch(lookInto: Search["lookInto"] = (v) => [v]): Search {
  return { names: new Set(), lookInto };
}

/**
 * Whether an expression uses a binding that `isWanted` accepts, directly or through local names.
 */
export function refersTo(
  value: Typed,
  isWanted: (binding: ValueBinding | TensorBinding) => boolean,
): boolean {
  let found = false;
  freeIn(value, new Set(), {
    ...newSearch(),
    meet: (binding) => void (found ||= isWanted(binding)),
  });
  return found;
}

/** Whether an expression has an index that depends on a coordinate. */
export function isIndexedBy(value: Typed, coordinate: Variable): boolean {
  let found = false;
  freeIn(value, new Set(), {
    ...newSearch(),
    index: (at) => void (found ||= freeVariables([at]).has(coordinate)),
  });
  return found;
}

/**
 * The variables that an instance uses from outside: coordinates, and parameters of enclosing
 * instances.
 */
export function capturedBy(
  instance: Instance,
  opaque: ReadonlyMap<Variable, Typed>,
): readonly Variable[] {
  const free = new Set<Variable>();
  freeInInstance(instance, free, newSearch(newLookInto(opaque)));
  return [...free];
}

function freeInInstance(instance: Instance, free: Set<Variable>, seen: Search): void {
  if (seen.names.has(instance)) return;
  seen.names.add(instance);
  const inside = new Set<Variable>();
  for (const result of instance.body) freeIn(result, inside, seen);
  for (const effect of instance.effects) {
    for (const part of partsOfEffect(effect)) freeIn(part, inside, seen);
    if (effect.kind === "call") freeInInstance(effect.invocation.function, inside, seen);
  }
  for (const { parameter } of instance.parameters) inside.delete(parameter!);
  for (const v of inside) free.add(v);
}

/** The free variables of a binding's value or clauses. Each binding is searched only once. */
function freeInBinding(
  binding: ValueBinding | TensorBinding,
  free: Set<Variable>,
  seen: Search,
): void {
  seen.meet?.(binding);
  if (binding.global || seen.names.has(binding)) return;
  seen.names.add(binding);
  if (binding.kind === "value") {
    if (binding.parameter) free.add(binding.parameter);
    if (binding.value) freeIn(binding.value, free, seen);
    if (binding.primal) freeInBinding(binding.primal, free, seen);
    return;
  }
  for (const clause of binding.clauses) {
    // A tensor may be searched while its clauses are still being checked.
    if (!clause) continue;
    const binders = clause.slots.flatMap((slot) => (slot.kind === "binder" ? [slot.binder] : []));
    collectInside(binders, free, seen, (inside) => {
      for (const item of clause.items) freeInItem(item, inside, seen);
      freeIn(clause.body, inside, seen);
      if (clause.otherwise) freeIn(clause.otherwise, inside, seen);
    });
  }
}

/** Collects free variables inside binders. The coordinates of the binders are not free outside. */
function collectInside(
  binders: readonly Binder[],
  free: Set<Variable>,
  seen: Search,
  collect: (inside: Set<Variable>) => void,
): void {
  const inside = new Set<Variable>();
  for (const binder of binders) {
    if (binder.from) freeIn(binder.from, inside, seen);
    if (binder.to) freeIn(binder.to, inside, seen);
  }
  collect(inside);
  for (const binder of binders) inside.delete(binder.variable);
  for (const v of inside) free.add(v);
}

function freeInItem(item: Item, free: Set<Variable>, seen: Search): void {
  if (item.kind === "guard") freeIn(item.condition, free, seen);
  else freeInBinding(item.binding, free, seen);
}

function freeIn(value: Typed, free: Set<Variable>, seen: Search): void {
  switch (value.kind) {
    case "integer":
      eachVariable(resolved(value.term), (v) => {
        for (const each of seen.lookInto(v)) free.add(each);
      });
      return;
    case "reference":
      freeInBinding(value.binding, free, seen);
      return;
    case "read":
      freeIn(value.base, free, seen);
      for (const part of value.indices) {
        seen.index?.(part);
        freeIn(part, free, seen);
      }
      return;
    case "apply":
    case "data":
    case "text-call":
      for (const part of value.operands) freeIn(part, free, seen);
      return;
    case "cast":
      freeIn(value.operand, free, seen);
      return;
    case "select":
      freeIn(value.condition, free, seen);
      freeIn(value.then, free, seen);
      freeIn(value.otherwise, free, seen);
      return;
    case "reduce":
      collectInside(value.binders, free, seen, (inside) => {
        for (const filter of value.binders.flatMap((binder) => binder.filters ?? []))
          freeIn(filter, inside, seen);
        for (const item of value.items) freeInItem(item, inside, seen);
        freeIn(value.body, inside, seen);
      });
      return;
    case "abstract":
      collectInside(value.binders, free, seen, (inside) => freeIn(value.body, inside, seen));
      return;
    case "block":
      freeIn(value.value, free, seen);
      return;
    case "boxed":
    case "cells":
      freeIn(value.box, free, seen);
      return;
    case "kept":
      freeIn(value.of, free, seen);
      return;
    case "accepted":
      collectInside([value.binder], free, seen, (inside) => freeIn(value.test, inside, seen));
      return;
    case "array":
      for (const part of value.elements) freeIn(part, free, seen);
      return;
    case "call":
      if (seen.names.has(value.invocation)) return;
      seen.names.add(value.invocation);
      for (const part of value.invocation.arguments) freeIn(part, free, seen);
      freeInInstance(value.invocation.function, free, seen);
      return;
    case "functions":
      for (const part of value.codes) freeIn(part, free, seen);
      return;
    case "tuple":
      for (const part of value.members) freeIn(part, free, seen);
      return;
    case "ruled":
      freeIn(value.value, free, seen);
      freeIn(value.tangent, free, seen);
      return;
    case "request":
      freeIn(value.numerator, free, seen);
      freeInBinding(value.denominator, free, seen);
      return;
    case "range":
      freeIn(value.from, free, seen);
      freeIn(value.to, free, seen);
      return;
    case "text":
      for (const part of value.parts)
        if (typeof part !== "string" && "value" in part)
          freeIn(part.whole ?? part.value, free, seen);
      return;
    case "constant":
    case "closure":
    case "absent":
    case "wrong":
      return;
    default:
      value satisfies never;
  }
}
