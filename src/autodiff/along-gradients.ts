// Gradients that came together by place (step-totals.ts), differentiated again. With F for what is computed at a point u and w for its weight, a tensor z has
//
//   z̄[p] = Σᵤ w(u)·∂F(u)/∂z[p]      and, with q[p] for how much the numerator moves per unit of z̄[p],      Σₚ q[p]·z̄[p] = Σᵤ w(u)·Ḟ(u)
//
// where Ḟ(u) is how F moves along q: one companion at each point (functions.ts), whatever the number of places. The numerator moves with w by Ḟ, and with all that
// F is made of by w times the derivatives of Ḟ, whose calls are kept and taken back as any others are.

import type { Axis, Clause, Definition, Loop, Scalar } from "../ir/program.ts";
import { instantiate } from "../ir/substitute.ts";
import { asType, freshLoops, readCell, termOf } from "./cells.ts";
import { movedAlong } from "./functions.ts";
import { tangentType } from "./handed-on.ts";
import { movingAlong } from "./moving-tensors.ts";
import { algebraOf } from "./products.ts";
import { isStepGraph } from "./step-graph.ts";
import { gatheringOf, type Gathering } from "./step-totals.ts";
import type { Adjoint, Sweep } from "./sweep.ts";

/** A sum over points in the place of a gradient. */
export interface Along {
  /** How much what is computed at each point moves, with its calls kept. */
  readonly moved: Definition;
  /** The weight of each point. */
  readonly weight: Adjoint;
  /** The products of the two. */
  readonly terms: Definition;
}

/** The same as a gradient that comes in at the cells of a definition, along that gradient; nothing for cells that did not come together by place. */
export function alongGradient(sweep: Sweep, definition: Definition, adjoint: Adjoint | undefined): Along | undefined {
  const gathering = gatheringOf(definition);
  const { keepCalls, keepCallsInSteps } = sweep.workshop;
  if (!gathering || !adjoint || !keepCalls || !keepCallsInSteps) return undefined;
  if (sweep.lanes.length > 0 || isStepGraph(sweep.graph)) return undefined;
  const { call, target, step, weight } = gathering;
  const type = tangentType(gathering.definition);
  const tangent = movedAlong(call, movingAlong(target, adjoint.definition, step));
  const moved = atPoints(sweep, gathering, "along", asType(tangent, type));
  const { activity, known, define, recurrence } = sweep;
  const varies = activity.isActive;
  if (recurrence.length > 0) keepCallsInSteps(moved, varies, (each) => recurrence.includes(each), known, define);
  else keepCalls(moved, varies, known, define);
  const here = readCell(moved, gathering.loops, gathering.span);
  const algebra = algebraOf(type, gathering.span);
  return {
    moved,
    weight: { definition: atPoints(sweep, gathering, "weight", weight), zeros: "guarded" },
    terms: atPoints(sweep, gathering, "weighed", algebra.apply("multiply", weight, here)),
  };
}

/** A tensor of something at every point. */
function atPoints(
  { define }: Sweep,
  { definition, loops, conditions, span }: Gathering,
  name: string,
  value: Scalar,
): Definition {
  const by = new Map<Loop["variable"], Scalar>();
  const own = freshLoops(loops, by);
  const said = (scalar: Scalar): Scalar => instantiate(scalar, by);
  const clause: Clause = { loops: own, guards: conditions.map(said), body: { kind: "map", value: said(value) }, span };
  const axes = loops.map(({ variable, to }, k): Axis => {
    return definition.axes[k] ?? { name: variable.name, extent: termOf(to) };
  });
  return define(`${definition.name}_${name}`, value.type, axes, [clause], span);
}
