// Slopes and gradients that calls in steps have brought (step-calls.ts, step-totals.ts),
// differentiated again. With F for what is computed at a point u, from cells c and tensors z, and w
// for the weight of a gradient there,
//
//   s(u) = ∂F(u)/∂c      z̄[p] = Σᵤ w(u)·∂F(u)/∂z[p]
//
// and with b(u) and q[p] for how much the numerator moves per unit of each, it moves with what F is
// made of as
//
//   Σᵤ b(u)·s(u) + Σₚ q[p]·z̄[p] = Σᵤ Ḟ(u)      where c moves by b(u) and z[p] by w(u)·q[p]
//
// does: by one tangent at each point, whatever the number of slopes and places, whose calls are
// kept and taken back as any others are. With w the numerator moves by the tangent along q alone.

import type { Axis, Clause, Definition, Loop, Scalar } from "../../../ir/program.ts";
import { readsOfFunction } from "../../../ir/references.ts";
import type { FloatType } from "../../../scalar/types.ts";
import { instantiate } from "../../../ir/substitute.ts";
import { asType, freshLoops, readCell, termOf } from "../../sweep/cells.ts";
import { zeroScalar } from "../frames.ts";
import { movedAlong } from "../functions.ts";
import { tangentType } from "../../legality/handed-on.ts";
import { readsByDefinition } from "../../scalar/linearize.ts";
import { movingAlong, type Way } from "./moving-tensors.ts";
import { algebraOf } from "../../scalar/products.ts";
import { slopeOf, type Points } from "./step-calls.ts";
import { isStepGraph } from "../../requests/step-graph.ts";
import { gatheringOf, type Gathering } from "./step-totals.ts";
import type { Adjoint, Sweep, Together } from "../../sweep/sweep.ts";
import { readsIn } from "../../../ir/parts.ts";
import { applied } from "../../../ir/simple-scalars.ts";

/** What is taken back together, among the definitions that a sweep goes through. */
export function togetherIn(
  { graph, lanes, workshop }: Pick<Sweep, "graph" | "lanes" | "workshop">,
  active: readonly Definition[],
): Map<Points, Together> {
  const found = new Map<Points, Together>();
  // In lanes, within a step and for readers the formulas are taken back.
  if (lanes.length > 0 || isStepGraph(graph) || !workshop.keepCallsInSteps) return found;
  for (const definition of active) {
    const points = pointsOf(definition);
    if (!points) continue;
    const together = found.get(points) ?? {
      awaited: new Set(),
      arrived: new Map(),
      formulas: new Map(),
      held: new Map(),
    };
    found.set(points, together);
    together.awaited.add(definition);
  }
  return found;
}

function pointsOf(definition: Definition): Points | undefined {
  return (slopeOf(definition) ?? gatheringOf(definition))?.points;
}

/** Whether a definition waits for others. What its gradient says of the weights does not. */
export function waits({ together }: Sweep, definition: Definition): boolean {
  const points = pointsOf(definition);
  return points !== undefined && together.has(points);
}

/** What the points of a definition that waits are made of, and what its weights read. */
export function madeOfTogether(
  sweep: Sweep,
  definition: Definition,
):
  | { readonly behind: ReadonlySet<Definition>; readonly weights: ReadonlySet<Definition> }
  | undefined {
  if (!waits(sweep, definition)) return undefined;
  const { function: called, arguments: given } = pointsOf(definition)!.call;
  const behind = [
    ...readsOfFunction(called),
    ...given.flatMap((argument) => [...readsByDefinition(argument).keys()]),
  ];
  const gathering = gatheringOf(definition);
  return {
    behind: new Set(behind),
    weights: new Set(gathering ? readsByDefinition(gathering.weight).keys() : []),
  };
}

/**
 * The ways on from a definition: one that waits goes on to what all that wait for one another are
 * made of, and not by its formula.
 */
export function waysOn(sweep: Sweep, definition: Definition): readonly Definition[] {
  const made = madeOfTogether(sweep, definition);
  return made ? [...made.behind, ...made.weights] : sweep.graph.ways(definition);
}

/**
 * The terms of a gradient that came together, as they move with its weights; nothing where these
 * stay.
 */
export function weighedTerms(
  sweep: Sweep,
  definition: Definition,
  { definition: direction }: Adjoint,
): Definition | undefined {
  const gathering = gatheringOf(definition);
  const isMoving =
    gathering &&
    readsIn([gathering.weight]).some((read) => sweep.activity.isActive(read.definition));
  if (!isMoving) return undefined;
  const { points, target, step, weight, conditions } = gathering;
  const way: Way = { tensor: target, direction, ...(step ? { at: step } : {}) };
  const tangent = movedAlong(points.call, new Map(), movingAlong(points.loops, [way]));
  const moved = atPoints(sweep, points, "along", conditions, tangent);
  const here = asType(readCell(moved, points.loops, points.span), weight.type);
  const product = algebraOf(tangentType(points.definition), points.span).apply(
    "multiply",
    weight,
    here,
  );
  return atPoints(sweep, points, "weighed", conditions, product);
}

/**
 * How much what is computed at each point moves with everything that has come in, with its calls
 * kept.
 */
export function movedPoints(sweep: Sweep, points: Points, { arrived }: Together): Definition {
  const { call, loops, span, guards } = points;
  const ways: Way[] = [];
  const tangents = new Map<number, Scalar>();
  /** Rates without which a point does not count; nothing where one is not known to be 0. */
  let rates: Scalar[] | undefined = [];
  for (const [definition, adjoint] of arrived) {
    const slope = slopeOf(definition);
    const rate = slope ? comingIn(adjoint, loops, span) : rateOf(sweep, gatheringOf(definition)!);
    rates = rate ? rates && [...rates, rate] : undefined;
    if (!slope) {
      const { target: tensor, step: at } = gatheringOf(definition)!;
      ways.push({
        tensor,
        direction: adjoint.definition,
        ...(rate ? { rate } : {}),
        ...(at ? { at } : {}),
      });
      continue;
    }
    if (slope.pinned) ways.push({ tensor: slope.pinned, rate: rate! });
    if (slope.cell === undefined) continue;
    const k = loops.length + slope.cell;
    const before = tangents.get(k);
    const type = rate!.type as FloatType;
    tangents.set(k, before ? algebraOf(type, span).apply("add", before, rate!) : rate!);
  }
  const counts = rates
    ?.map((rate) =>
      algebraOf(rate.type as FloatType, span).apply("notEqual", rate, zeroScalar(rate.type)),
    )
    .reduce((a, b) => applied("or", [a, b], span));
  const tangent = movedAlong(call, tangents, movingAlong(loops, ways));
  const moved = atPoints(sweep, points, "moved", counts ? [...guards, counts] : guards, tangent);
  const { activity, known, define, recurrence } = sweep;
  const { keepCalls, keepCallsInSteps } = sweep.workshop;
  const isOwn = (each: Definition): boolean => recurrence.includes(each);
  if (recurrence.length > 0) keepCallsInSteps!(moved, activity.isActive, isOwn, known, define);
  else keepCalls!(moved, activity.isActive, known, define);
  return moved;
}

function comingIn(
  { definition, constant }: Adjoint,
  loops: readonly Loop[],
  span: Points["span"],
): Scalar {
  return constant === undefined
    ? readCell(definition, loops, span)
    : { kind: "constant", type: definition.element, value: constant };
}

/** The weight of each point, as a tensor that stays; nothing where every point has the weight 1. */
function rateOf(sweep: Sweep, { points, weight, conditions }: Gathering): Scalar | undefined {
  if (weight.kind === "constant" && weight.value === 1 && conditions.length === 0) return undefined;
  const weights = atPoints(sweep, points, "weight", conditions, weight, zeroScalar(weight.type));
  return readCell(weights, points.loops, points.span);
}

/** A tensor of something at every point. */
function atPoints(
  { define }: Sweep,
  { definition, loops, span }: Points,
  name: string,
  guards: readonly Scalar[],
  value: Scalar,
  otherwise?: Scalar,
): Definition {
  const by = new Map<Loop["variable"], Scalar>();
  const own = freshLoops(loops, by);
  const said = (scalar: Scalar): Scalar => instantiate(scalar, by);
  const clause: Clause = {
    loops: own,
    guards: guards.map(said),
    body: { kind: "map", value: said(value) },
    ...(otherwise && guards.length > 0 ? { otherwise } : {}),
    span,
  };
  const axes = loops.map(({ variable, to }, k): Axis => {
    return definition.axes[k] ?? { name: variable.name, extent: termOf(to) };
  });
  return define(`${definition.name}_${name}`, value.type, axes, [clause], span);
}
