// Forward mode: the tangent of every definition between a denominator and a numerator, for each cell of the denominator.
//
// With x at cell p moved by one unit, the tangent of y[o] = f(reads) is  ẏ[o, p] = Σ c(v)·ẋ[e(v), p], with the coefficients that
// linearization finds; ẋ itself is 1 where the cell is p and 0 elsewhere. The clauses keep their loops, guards and order, so each
// tangent belongs to the clause that owns the cell, and a recurrence runs in the order of its primal.

import { components } from "../ir/components.ts";
import { ofVariable, variable } from "../ir/affine/term.ts";
import type { Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { instantiate, instantiateLoop, integerScalar } from "../ir/substitute.ts";
import type { FloatType } from "../ir/scalar/types.ts";
import { activityOf, type Activity } from "./activity.ts";
import { wholeLoops, newDefinition, tangentType, type Backward, type Problem, type Workshop } from "./backward.ts";
import { graphOf, type Graph } from "./graph.ts";
import { linearize, type Coefficient } from "./linearize.ts";
import { algebraOf, productScalar, type Conditioned } from "./products.ts";
import { freshLoops, termsOf, UnsupportedRule, type Define } from "./terms.ts";

interface Push {
  readonly graph: Graph;
  readonly activity: Activity;
  readonly define: Define;
  readonly wrt: Definition;
  readonly tangents: Map<Definition, Definition>;
  readonly problems: Problem[];
}

/** The Jacobian of a definition: its coordinates, then those of the denominator. */
export function forward(numerator: Definition, wrt: Definition, workshop: Workshop): Backward {
  const graph = graphOf(numerator);
  const activity = activityOf(graph, new Set([wrt]));
  const define: Define = (name, element, axes, clauses, span) =>
    newDefinition(workshop.claim(name), element, axes, clauses, span);
  const push: Push = { graph, activity, define, wrt, tangents: new Map(), problems: [] };
  const active = graph.all.filter((definition) => activity.isActive(definition));
  const at = new Map(active.map((definition, k) => [definition, k]));
  const edges = active.map((definition) => graph.ways(definition).flatMap((way) => at.get(way) ?? []));
  for (const group of components(active.length, (k) => edges[k]!)) {
    const members = group.map((k) => active[k]!);
    for (const member of members) push.tangents.set(member, tangentOf(push, member));
    try {
      for (const member of members) fill(push, member);
    } catch (failure) {
      if (!(failure instanceof UnsupportedRule)) throw failure;
      push.problems.push({ kind: "unsupported", what: failure.what, span: failure.span });
    }
  }
  const found = push.tangents.get(numerator);
  return { adjoints: new Map(found ? [[wrt, found]] : []), problems: push.problems };
}

/** Where a rule takes over, the tangent is the rule's, and a stand-in's is its parameter's. */
function tangentOf(push: Push, definition: Definition): Definition {
  const onward = definition.rule?.tangent ?? push.graph.parameterOf(definition);
  const known = onward && push.tangents.get(onward);
  if (known) return known;
  const axes = [...definition.axes, ...push.wrt.axes];
  return push.define(`${definition.name}_by_${push.wrt.name}`, tangentType(definition), axes, [], definition.span);
}

function fill(push: Push, definition: Definition): void {
  if (definition.rule || push.graph.parameterOf(definition)) return;
  const tangent = push.tangents.get(definition)!;
  const isOwn = definition === push.wrt;
  const depends = push.graph.ways(definition).some(push.activity.isActive);
  const clauses = depends ? definition.clauses.map((clause) => tangentClause(push, definition, clause)) : [];
  tangent.clauses = isOwn ? [withUnit(push, definition, clauses)] : clauses;
}

/** 1 where the cell is the one that moves; behind a recurrence, what the move of earlier cells brings along is added. */
function withUnit(push: Push, definition: Definition, clauses: readonly Clause[]): Clause {
  const cell = wholeLoops(definition);
  const moved = wholeLoops(definition);
  const type = tangentType(definition);
  const algebra = algebraOf(type, definition.span);
  const unit = cell.reduceRight<Scalar>((inner, loop, k) => {
    const operands = [loop, moved[k]!].map((each) => integerScalar(ofVariable(each.variable)));
    const isSame: Scalar = {
      kind: "apply",
      type: "bool",
      within: "i32",
      operation: "equal",
      operands,
      span: definition.span,
    };
    return algebra.select(isSame, inner, algebra.number(0));
  }, algebra.number(1));
  const loops = [...cell, ...moved];
  if (clauses.length === 0) return { loops, guards: [], body: { kind: "map", value: unit }, span: definition.span };
  const carried = push.define(
    `${definition.name}_carried`,
    type,
    [...definition.axes, ...definition.axes],
    clauses,
    definition.span,
  );
  const indices = loops.map((loop) => integerScalar(ofVariable(loop.variable)));
  const rest: Scalar = { kind: "read", type, definition: carried, indices, span: definition.span };
  return { loops, guards: [], body: { kind: "map", value: algebra.apply("add", unit, rest) }, span: definition.span };
}

function tangentClause(push: Push, definition: Definition, clause: Clause): Clause {
  const [term] = termsOf(definition, clause, push.define) ?? [];
  const moved = wholeLoops(push.wrt);
  const by = new Map<Loop["variable"], Scalar>();
  const loops = freshLoops(clause.loops, by);
  const type = tangentType(definition);
  const zero = algebraOf(type, clause.span).number(0);
  const whole = [...loops, ...moved];
  const otherwise = clause.otherwise
    ? { otherwise: instantiate(pushed(push, definition, clause.otherwise, undefined, moved), by) }
    : {};
  if (!term) return { loops: whole, guards: [], body: { kind: "map", value: zero }, span: clause.span };
  const summed = term.loops.slice(clause.loops.length).map((loop) => {
    const made: Loop = { ...instantiateLoop(loop, by), variable: variable(loop.variable.name) };
    by.set(loop.variable, integerScalar(ofVariable(made.variable)));
    return made;
  });
  const value = instantiate(pushed(push, definition, term.value, term.factor, moved, term.result), by);
  const inner = term.guards.slice(clause.guards.length).map((guard) => instantiate(guard, by));
  const guards = clause.guards.map((guard) => instantiate(guard, by));
  if (summed.length > 0) {
    const body: Clause["body"] = {
      kind: "reduce",
      reduction: "sum",
      loops: summed,
      guards: inner,
      value,
      span: term.span,
    };
    return { loops: whole, guards, body, ...otherwise, span: clause.span };
  }
  const algebra = algebraOf(type, clause.span);
  const guarded = inner.reduceRight((then, guard) => algebra.select(guard, then, zero), value);
  return { loops: whole, guards, body: { kind: "map", value: guarded }, ...otherwise, span: clause.span };
}

/** Σ coefficient · tangent of the read, in the clause's own coordinates. */
function pushed(
  push: Push,
  definition: Definition,
  value: Scalar,
  factor: Conditioned | undefined,
  moved: readonly Loop[],
  result?: Scalar,
): Scalar {
  const type = tangentType(definition);
  const algebra = algebraOf(type, definition.span);
  const { coefficients, stopped } = linearize(value, push.activity.variesFor(definition), push.activity.stops, result);
  for (const each of stopped) push.problems.push({ kind: "stopped", stopped: each, through: definition });
  const terms = coefficients.map((each) => contribution(push, each, factor, moved, type));
  return (
    terms.reduce<Scalar | undefined>((total, each) => (total ? algebra.apply("add", total, each) : each), undefined) ??
    algebra.number(0)
  );
}

function contribution(
  push: Push,
  { read, product, conditions }: Coefficient,
  factor: Conditioned | undefined,
  moved: readonly Loop[],
  type: FloatType,
): Scalar {
  const algebra = algebraOf(type, read.span);
  const source = push.tangents.get(read.definition)!;
  const indices = [...read.indices, ...moved.map((loop) => integerScalar(ofVariable(loop.variable)))];
  const tangent: Scalar = { kind: "read", type: source.element, definition: source, indices, span: read.span };
  const incoming: Scalar = source.element === type ? tangent : { kind: "cast", type, operand: tangent };
  const whole = productScalar(
    {
      constant: product.constant * (factor?.product.constant ?? 1),
      factors: [...(factor?.product.factors ?? []), ...product.factors, incoming],
      divisors: [...(factor?.product.divisors ?? []), ...product.divisors],
    },
    type,
    read.span,
  );
  return [...(factor?.conditions ?? []), ...conditions].reduceRight(
    (inner, { value, holds }) =>
      holds ? algebra.select(value, inner, algebra.number(0)) : algebra.select(value, algebra.number(0), inner),
    whole,
  );
}
