// The enclosing coordinates that an expression depends on, directly or through the local names it
// uses.

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

/** Coordinates and parameters around an expression: a set of them, or a map from them. */
export interface Enclosing {
  readonly size: number;
  has(variable: Variable): boolean;
  keys(): Iterable<Variable>;
}

/**
 * In the order in which the enclosing coordinates were bound; a variable that stands for an
 * expression depends on what is in that.
 */
export function outerVariables(
  nodes: readonly (Typed | TensorBinding)[],
  enclosing: Enclosing,
  opaque: ReadonlyMap<Variable, Typed> = new Map(),
): readonly Variable[] {
  if (enclosing.size === 0) return [];
  const seen = newSeen(lookingInto(opaque));
  const free = new Set<Variable>();
  for (const node of nodes) {
    if (node.kind === "tensor") freeInBinding(node, free, seen);
    else freeIn(node, free, seen);
  }
  return [...enclosing.keys()].filter((v) => free.has(v));
}

/**
 * Every variable that expressions leave free; a variable that stands for an expression leaves free
 * what is in that.
 */
export function freeVariables(
  nodes: readonly Typed[],
  opaque: ReadonlyMap<Variable, Typed> = new Map(),
): ReadonlySet<Variable> {
  const lookInto = lookingInto(opaque);
  const free = new Set<Variable>();
  for (const node of nodes) freeIn(node, free, newSeen(lookInto));
  return free;
}

function lookingInto(opaque: ReadonlyMap<Variable, Typed>): Seen["lookInto"] {
  const inside = new Map<Variable, ReadonlySet<Variable>>();
  const lookInto = (v: Variable): ReadonlySet<Variable> => {
    const known = inside.get(v);
    if (known) return known;
    const value = opaque.get(v);
    const own = new Set<Variable>(value ? [] : [v]);
    inside.set(v, own);
    if (value) freeIn(value, own, newSeen(lookInto));
    return own;
  };
  return lookInto;
}

/** What has been looked at on the way, and what a variable in a term stands for. */
interface Seen {
  readonly names: Set<ValueBinding | TensorBinding | Instance | Invocation>;
  readonly lookInto: (v: Variable) => Iterable<Variable>;
  /** Is told of every name that is met. */
  readonly meet?: (binding: ValueBinding | TensorBinding) => void;
  /** Is told of everything that something is looked up by. */
  readonly index?: (index: Typed) => void;
}

function newSeen(lookInto: Seen["lookInto"] = (v) => [v]): Seen {
  return { names: new Set(), lookInto };
}

/** Whether an expression uses one of some names, itself or through the local names it uses. */
export function refersTo(
  value: Typed,
  isWanted: (binding: ValueBinding | TensorBinding) => boolean,
): boolean {
  let found = false;
  freeIn(value, new Set(), { ...newSeen(), meet: (binding) => void (found ||= isWanted(binding)) });
  return found;
}

/**
 * Whether an expression looks something up by a coordinate, or by integers that are computed from
 * it.
 */
export function looksUpBy(value: Typed, coordinate: Variable): boolean {
  let found = false;
  freeIn(value, new Set(), {
    ...newSeen(),
    index: (at) => void (found ||= freeVariables([at]).has(coordinate)),
  });
  return found;
}

/**
 * What a function uses from around it: coordinates, and parameters of the functions that it is
 * declared in.
 */
export function capturedBy(
  instance: Instance,
  opaque: ReadonlyMap<Variable, Typed>,
): readonly Variable[] {
  const free = new Set<Variable>();
  freeInInstance(instance, free, newSeen(lookingInto(opaque)));
  return [...free];
}

function freeInInstance(instance: Instance, free: Set<Variable>, seen: Seen): void {
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

/** What a binding's contents leave free; a name that is met again on the way adds nothing new. */
function freeInBinding(
  binding: ValueBinding | TensorBinding,
  free: Set<Variable>,
  seen: Seen,
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
    // A tensor may be asked about while its clauses are still being checked.
    if (!clause) continue;
    const binders = clause.slots.flatMap((slot) => (slot.kind === "binder" ? [slot.binder] : []));
    under(binders, free, seen, (inside) => {
      for (const item of clause.items) freeInItem(item, inside, seen);
      freeIn(clause.body, inside, seen);
      if (clause.otherwise) freeIn(clause.otherwise, inside, seen);
    });
  }
}

/** Collects inside binders, whose own coordinates are not free outside. */
function under(
  binders: readonly Binder[],
  free: Set<Variable>,
  seen: Seen,
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

function freeInItem(item: Item, free: Set<Variable>, seen: Seen): void {
  if (item.kind === "guard") freeIn(item.condition, free, seen);
  else freeInBinding(item.binding, free, seen);
}

function freeIn(value: Typed, free: Set<Variable>, seen: Seen): void {
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
      under(value.binders, free, seen, (inside) => {
        for (const filter of value.binders.flatMap((binder) => binder.filters ?? []))
          freeIn(filter, inside, seen);
        for (const item of value.items) freeInItem(item, inside, seen);
        freeIn(value.body, inside, seen);
      });
      return;
    case "abstract":
      under(value.binders, free, seen, (inside) => freeIn(value.body, inside, seen));
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
      under([value.binder], free, seen, (inside) => freeIn(value.test, inside, seen));
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
