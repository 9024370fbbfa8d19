// Forward mode: the tangent of every definition between a denominator and a numerator, in one lane
// for each direction of the denominator.
//
//    y[o] = f(x[e(v)])   has the tangent   ẏ[p, o] = Σ c(v)·ẋ[p, e(v)]
//
// ẋ[p, x] tells how x moves in lane p, and linearization finds the coefficients c. For a Jacobian,
// each cell of x has a lane, in which the cell moves by one unit. The clauses keep their loops,
// guards and order. So each tangent belongs to the clause that owns the cell, and a recurrence runs
// in the order of its primal.
//
// The tangent of a maximum reads the winner, for example C[i + w[i, l] + 1, l - w[i, l] - 1] for
// C[i + k + 1, l - k - 1]. The compiler cannot prove that this cell is earlier, as it is for all k.
// So the tangent reads the cell under the condition that it is earlier.

import { components } from "../../base/components.ts";
import { renewed } from "../../affine/term.ts";
import { newOpaque } from "../../analyse/facts.ts";
import type { Axis, Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { instantiate, instantiateLoop, coordinateScalar } from "../../ir/substitute.ts";
import type { Algebra } from "../../scalar/derivative.ts";
import type { FloatType } from "../../scalar/types.ts";
import { compared } from "../../ir/integers.ts";
import type { Span } from "../../base/source.ts";
import { activityOf, type Activity } from "./activity.ts";
import type { Backward, Problem, Workshop } from "./sweep.ts";
import { boxed, type Reduction } from "../transpose/box.ts";
import { chosen } from "../requests/deltas.ts";
import { asFormula } from "./formulas.ts";
import { tangentType } from "../legality/handed-on.ts";
import { graphOf, type Graph } from "./graph.ts";
import { linearize, type Coefficient } from "../scalar/linearize.ts";
import { measuring } from "../transpose/measured.ts";
import { fallbackGuards, ownershipGuards } from "./ownership.ts";
import { earlierConditions, recurrenceLoops, orient, type LoopStep } from "./order.ts";
import { foldOwnBounds } from "../rules/own-bounds.ts";
import {
  algebraOf,
  productScalar,
  unlessZero,
  whereHolds,
  type Conditioned,
} from "../scalar/products.ts";
import {
  countedFromStart,
  newDefinition,
  wholeLoops,
  freshLoops,
  readCell,
  type Define,
} from "./cells.ts";
import { standRunningApart } from "./apart.ts";
import { termsOf, type Term } from "../rules/terms.ts";

interface Push {
  readonly graph: Graph;
  readonly activity: Activity;
  readonly define: Define;
  readonly known: Workshop["known"];
  readonly wrt: Definition;
  /** How the denominator moves. Absent: each of its cells moves in a lane of its own. */
  readonly direction?: Definition | undefined;
  readonly lanes: readonly Axis[];
  readonly tangents: Map<Definition, Definition>;
  /** The loops of recurrences with winners. */
  readonly loops: Map<Definition, readonly LoopStep[]>;
  readonly problems: Problem[];
}

/** The tangent of the numerator. Its axes are the lanes, and then the axes of the numerator. */
export function forward(
  numerator: Definition,
  wrt: Definition,
  workshop: Workshop,
  direction?: Definition,
): Backward {
  const define: Define = (name, element, axes, clauses, span) =>
    newDefinition(workshop.claim(name), element, axes, clauses, span);
  standRunningApart(wrt, workshop.claim);
  const graph = graphOf(numerator);
  const activity = activityOf(graph, new Set([wrt]));
  const lanes = direction
    ? direction.axes.slice(0, direction.axes.length - wrt.axes.length)
    : wrt.axes;
  const push: Push = {
    graph,
    activity,
    define,
    known: workshop.known,
    wrt,
    direction,
    lanes,
    tangents: new Map(),
    loops: new Map(),
    problems: [],
  };
  const active = graph.all.filter((definition) => activity.isActive(definition));
  for (const definition of active) foldOwnBounds(definition);
  const indexOf = new Map(active.map((definition, k) => [definition, k]));
  const edges = active.map((definition) =>
    graph.ways(definition).flatMap((way) => indexOf.get(way) ?? []),
  );
  for (const group of components(active.length, (k) => edges[k]!)) {
    const members = group.map((k) => active[k]!);
    for (const member of members) tangentOf(push, member);
    const isRecurrent = group.some((k) => edges[k]!.some((way) => group.includes(way)));
    const hasWinners = members.some(({ clauses }) => clauses.map(asFormula).some(hasWinner));
    if (isRecurrent && hasWinners)
      for (const [member, loops] of recurrenceLoops(proverOf(push), members))
        push.loops.set(member, loops);
    for (const member of members) fill(push, member);
    // A running reduction goes along its cells in an order of its own, whatever the order around
    // it. Its tangent is a recurrence, so the order is found here.
    const running = members.flatMap((member) =>
      graph.running(member) ? push.tangents.get(member)! : [],
    );
    if (running.length > 0) orient(proverOf(push), running);
  }
  const found = push.tangents.get(numerator);
  return { adjoints: new Map(found ? [[wrt, found]] : []), problems: push.problems };
}

/** The tangent of a definition. In a recurrence, the tangent may exist before its clauses. */
function tangentOf(push: Push, definition: Definition): Definition {
  const known = push.tangents.get(definition);
  if (known) return known;
  const onward = definitionOfTangent(push, definition);
  const tangent =
    onward && push.activity.isActive(onward)
      ? tangentOf(push, onward)
      : ownTangent(push, definition);
  push.tangents.set(definition, tangent);
  return tangent;
}

/**
 * The definition that gives the tangent: the tangent of a rule, or the parameter of a stand-in. The
 * denominator has a tangent of its own in any case, because its cells are moved after its equation.
 */
function definitionOfTangent(push: Push, definition: Definition): Definition | undefined {
  if (definition === push.wrt) return undefined;
  return definition.rule?.tangent ?? push.graph.parameterOf(definition);
}

function ownTangent(push: Push, definition: Definition): Definition {
  if (
    definition === push.wrt &&
    push.direction &&
    !push.graph.ways(definition).some(push.activity.isActive)
  )
    return push.direction;
  const axes = [...push.lanes, ...definition.axes];
  return push.define(
    `${definition.name}_by_${push.wrt.name}`,
    tangentType(definition),
    axes,
    [],
    definition.span,
  );
}

function fill(push: Push, definition: Definition): void {
  if (definitionOfTangent(push, definition)) return;
  const tangent = push.tangents.get(definition)!;
  if (tangent === push.direction) return;
  const depends = push.graph.ways(definition).some(push.activity.isActive);
  const clauses = depends ? tangentClauses(push, definition) : [];
  tangent.clauses = definition === push.wrt ? [withMove(push, definition, clauses)] : clauses;
}

/**
 * The tangent of an equation, which may be that of a denominator: by its rule, or clause by clause.
 */
function tangentClauses(push: Push, definition: Definition): readonly Clause[] {
  const { rule, span } = definition;
  if (rule) {
    const loops = wholeLoops({ axes: [...push.lanes, ...definition.axes] });
    const value = readCell(tangentOf(push, rule.tangent), loops, span);
    return [{ loops, guards: [], body: { kind: "map", value }, span }];
  }
  const formulas: Definition = { ...definition, clauses: definition.clauses.map(asFormula) };
  return formulas.clauses.map((_, position) => tangentClause(push, definition, formulas, position));
}

function proverOf({ known }: Push): Parameters<typeof orient>[0] {
  return { opaque: newOpaque(), known };
}

/** Does the tangent of the clause look up a winner? The primal visits all positions instead. */
function hasWinner({ body }: Clause): boolean {
  return body.kind === "reduce" && (body.reduction === "max" || body.reduction === "min");
}

/**
 * The tangent of the denominator itself. If it is a recurrence, the moves of earlier cells are
 * added.
 */
function withMove(push: Push, definition: Definition, clauses: readonly Clause[]): Clause {
  const lanes = wholeLoops({ axes: push.lanes });
  const cell = wholeLoops(definition);
  const loops = [...lanes, ...cell];
  const { span } = definition;
  const type = tangentType(definition);
  const units = push.direction ? [] : cell.map((loop, k) => isInOwnLane(loop, lanes[k]!, span));
  const one: Scalar = { kind: "constant", type, value: 1 };
  if (clauses.length === 0 && !push.direction)
    return { loops, guards: units, body: { kind: "map", value: one }, span };
  const move = push.direction ? readCell(push.direction, loops, span) : chosen(units, one, span);
  const carried = push.define(
    `${definition.name}_carried`,
    type,
    [...push.lanes, ...definition.axes],
    clauses,
    span,
  );
  const value = algebraOf(type, span).apply("add", move, readCell(carried, loops, span));
  return { loops, guards: [], body: { kind: "map", value }, span };
}

function isInOwnLane(cell: Loop, lane: Loop, span: Span): Scalar {
  const [here, there] = [cell, lane].map(coordinateScalar);
  return compared("equal", here!, there!, span);
}

/** `formulas` is the definition with the formulas of all its clauses. */
function tangentClause(
  push: Push,
  definition: Definition,
  formulas: Definition,
  position: number,
): Clause {
  const clause = formulas.clauses[position]!;
  const running = push.graph.running(definition);
  const [term, ...further] = termsOf(definition, clause, push.define, running) ?? [];
  const lanes = wholeLoops({ axes: push.lanes });
  const by = new Map<Loop["variable"], Scalar>();
  const loops = freshLoops(clause.loops, by).map((loop) =>
    running ? { ...loop, reversed: false } : loop,
  );
  const type = tangentType(definition);
  const zero = algebraOf(type, clause.span).number(0);
  const whole = [...lanes, ...loops];
  const elsewhere = (): readonly Scalar[] => fallbackGuards(formulas, position);
  const otherwise = clause.otherwise
    ? {
        otherwise: instantiate(
          pushed(push, definition, clause.otherwise, undefined, lanes, clause.loops, elsewhere),
          by,
        ),
      }
    : {};
  if (!term)
    return { loops: whole, guards: [], body: { kind: "map", value: zero }, span: clause.span };
  const summed = term.loops.slice(clause.loops.length).map((loop) => {
    const made: Loop = { ...instantiateLoop(loop, by), variable: renewed(loop.variable) };
    by.set(loop.variable, coordinateScalar(made));
    return made;
  });
  const where = (each: Term) => (): readonly Scalar[] => [
    ...ownershipGuards(newOpaque(), formulas, position, push.known),
    ...each.guards,
  ];
  const around = (hasWinner(clause) && push.loops.get(definition)) || [];
  const order = (each: Term) => (read: Coefficient["read"]) =>
    earlierConditions(proverOf(push), around, definition, each, read);
  const moved = (each: Term): Scalar => {
    const { value, factor, loops, result } = each;
    return instantiate(
      pushed(push, definition, value, factor, lanes, loops, where(each), result, order(each)),
      by,
    );
  };
  const innerOf = (each: Term): readonly Scalar[] =>
    each.guards.slice(clause.guards.length).map((guard) => instantiate(guard, by));
  const [value, inner] = [moved(term), innerOf(term)];
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
  // The terms of a map, each under its own guards. A running reduction as a recurrence has several.
  const guarded = [
    [value, inner] as const,
    ...further.map((each) => [moved(each), innerOf(each)] as const),
  ]
    .map(([each, under]) =>
      under.reduceRight((then, guard) => algebra.select(guard, then, zero), each),
    )
    .reduce((a, b) => algebra.apply("add", a, b));
  return {
    loops: whole,
    guards,
    body: { kind: "map", value: guarded },
    ...otherwise,
    span: clause.span,
  };
}

/** Σ coefficient · tangent of the read, in the coordinates of the clause. */
function pushed(
  push: Push,
  definition: Definition,
  value: Scalar,
  factor: Conditioned | undefined,
  lanes: readonly Loop[],
  loops: readonly Loop[],
  /** The conditions under which the clause computes the value. */
  where: () => readonly Scalar[],
  result?: Scalar,
  /** The conditions under which a read cell is earlier, if nothing else proves it. */
  order: (read: Coefficient["read"]) => readonly Scalar[] = () => [],
): Scalar {
  const type = tangentType(definition);
  const algebra = algebraOf(type, definition.span);
  const { coefficients, stopped } = linearize(
    value,
    push.activity.variesFor(definition),
    push.activity.stopsFor(definition),
    result,
  );
  for (const each of stopped) push.problems.push({ stopped: each, through: definition });
  const terms = coefficients.map((each) => {
    const value = contribution(push, each, factor, lanes, type, order(each.read));
    return each.over
      ? summedOver(push, definition, value, each.over, [...lanes, ...loops], where())
      : value;
  });
  return (
    terms.reduce<Scalar | undefined>(
      (total, each) => (total ? algebra.apply("add", total, each) : each),
      undefined,
    ) ?? algebra.number(0)
  );
}

/**
 * A sum over the cells that a call may read, as a definition over a box of the coordinates around
 * the call. The call is made under the same conditions as in the clause.
 */
function summedOver(
  push: Push,
  definition: Definition,
  value: Scalar,
  over: readonly Loop[],
  around: readonly Loop[],
  guards: readonly Scalar[],
): Scalar {
  const { span } = definition;
  const written: Reduction = {
    kind: "reduce",
    reduction: "sum",
    loops: around,
    guards,
    value,
    span,
  };
  const clause: Clause = { loops: [], guards: [], body: written, span };
  const box = boxed([], written, measuring(definition, clause, written, push.define));
  const by = new Map<Loop["variable"], Scalar>();
  const { loops, axes, indices } = countedFromStart(box.loops, by);
  const inside = box.guards.map((guard) => instantiate(guard, by));
  const body: Clause["body"] = {
    kind: "reduce",
    reduction: "sum",
    loops: freshLoops(over, by),
    guards: [],
    value: instantiate(value, by),
    span,
  };
  const sums = push.define(
    `${definition.name}_moved`,
    value.type,
    axes,
    [
      {
        loops: loops.map((loop, k) => ({ ...loop, reversed: around[k]!.reversed })),
        guards: inside,
        body,
        span,
      },
    ],
    span,
  );
  return { kind: "read", type: sums.element, definition: sums, indices, span };
}

function contribution(
  push: Push,
  { read, product, conditions, unlessZero: isLeftOut }: Coefficient,
  factor: Conditioned | undefined,
  lanes: readonly Loop[],
  type: FloatType,
  order: readonly Scalar[],
): Scalar {
  const algebra = algebraOf(type, read.span);
  const source = push.tangents.get(read.definition)!;
  const indices = [...lanes.map(coordinateScalar), ...read.indices];
  const tangent: Scalar = {
    kind: "read",
    type: source.element,
    definition: source,
    indices,
    span: read.span,
  };
  const incoming: Scalar =
    source.element === type ? tangent : { kind: "cast", type, operand: tangent };
  const whole = productScalar(
    {
      constant: product.constant * (factor?.product.constant ?? 1),
      factors: [...(factor?.product.factors ?? []), ...product.factors, incoming],
      divisors: [...(factor?.product.divisors ?? []), ...product.divisors],
    },
    type,
    read.span,
  );
  const moved = isLeftOut ? unlessZero(incoming, whole, type, read.span) : whole;
  return [...(factor?.conditions ?? []), ...conditions].reduceRight(
    (inner, condition) => whereHolds(inner, condition, algebra),
    order.reduceRight((inner, each) => whereEarlier(inner, each, algebra), moved),
  );
}

/**
 * The value where the order holds, otherwise `otherwise`. A fact cannot be a disjunction. So the
 * two sides of an `or` get separate branches, each of which knows its side.
 */
function whereEarlier(
  value: Scalar,
  order: Scalar,
  algebra: Algebra<Scalar>,
  otherwise = algebra.number(0),
): Scalar {
  if (order.kind !== "apply" || (order.operation !== "or" && order.operation !== "and"))
    return algebra.select(order, value, otherwise);
  const [first, second] = order.operands as [Scalar, Scalar];
  const then = whereEarlier(value, second, algebra, otherwise);
  return order.operation === "or"
    ? whereEarlier(value, first, algebra, then)
    : whereEarlier(then, first, algebra, otherwise);
}
