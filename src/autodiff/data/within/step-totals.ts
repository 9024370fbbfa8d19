// What the calls in the steps of a recurrence bring together by place (step-calls.ts). A unit that
// comes in at a point has its totals there; behind the last step those of all points are added up,
// each as often as the gradient says. The adjoint of the recurrence itself cannot wait for that: it
// reads the totals of the points that it comes from.

import { keyOf } from "../../../ir/keys.ts";
import type { Clause, Definition, Loop, Scalar } from "../../../ir/program.ts";
import { instantiate, integerScalar, atIndices, coordinateScalar } from "../../../ir/substitute.ts";
import { usesAny } from "../../../analyse/ties.ts";
import { constantOf, subtract } from "../../../affine/term.ts";
import { integerOf } from "../../../ir/integers.ts";
import type { Span } from "../../../base/source.ts";
import { wholeLoops } from "../../sweep/cells.ts";
import { summedClause } from "../../sweep/collect.ts";
import { setOnlyFormula } from "../../sweep/formulas.ts";
import { boxOf, named, whereAll } from "../frames.ts";
import { noTotal } from "../kept-data.ts";
import type { Coefficient } from "../../scalar/linearize.ts";
import type { AtStep } from "./moving-tensors.ts";
import { one } from "../../scalar/products.ts";
import type { Gathered, Points } from "./step-calls.ts";
import { isStepGraph, stepTerm, type StepGraph } from "../../requests/step-graph.ts";
import { zerosOf, type Arrived, type Sweep } from "../../sweep/sweep.ts";
import { allCells, fromTotals, totalAt, type Behind } from "../totals.ts";
import { dataCall } from "../../../ir/simple-scalars.ts";
import { ownContribution } from "../../sweep/seeds.ts";

/** Transposes one coefficient, and puts the piece where the others for its tensor are. */
export type Send = (coefficient: Coefficient, into: Sweep["pieces"]) => void;

/** A point of a clause, under which conditions there is one, and how much a unit there counts. */
export interface Point {
  readonly definition: Definition;
  readonly clause: Clause;
  readonly loops: readonly Loop[];
  readonly conditions: readonly Scalar[];
  readonly weight: Scalar;
  readonly points: Points;
  readonly send: Send;
  readonly span: Span;
}

/** What comes together in one tensor, and the coefficients that are a formula of it. */
export interface ByPlace {
  readonly target: Definition;
  readonly gathered: Gathered;
  readonly formulas: readonly Coefficient[];
}

/**
 * How the cells of a tensor came together: from all points, each as often as its weight says, or
 * from those of a step.
 */
export interface Gathering extends Pick<Point, "points" | "conditions" | "weight"> {
  readonly target: Definition;
  readonly step?: AtStep;
}

const gatherings = new WeakMap<Definition, Gathering>();

export function gatheringOf(definition: Definition): Gathering | undefined {
  return gatherings.get(definition);
}

export function sendGathered(sweep: Sweep, point: Point, all: readonly ByPlace[]): void {
  const { definition, send } = point;
  const { graph } = sweep;
  // Within a step there is nothing to wait for.
  const inTurn = ({ gathered }: ByPlace): boolean => gathered.isOwn || isStepGraph(graph);
  const around = all.filter((each) => !inTurn(each));
  const totals = around.length > 0 ? totalsOf(sweep, point, around) : undefined;
  for (const each of all) {
    const { target, formulas } = each;
    const [written, run] = [new Map<Definition, Arrived[]>(), new Map<Definition, Arrived[]>()];
    for (const formula of formulas) send(formula, written);
    const arrived = written.get(target);
    if (!arrived) continue;
    if (inTurn(each))
      for (const row of rowsOf(formulas)!) send(slopeByPlace({ ...each, formulas: row }), run);
    const made = inTurn(each)
      ? summedClause(sweep, target, run.get(target)!)
      : fromTotals(sweep, target, totals!, around.indexOf(each));
    setOnlyFormula(made, summedClause(sweep, target, arrived));
    const { sum, piece } = ownContribution(sweep, definition, target, made);
    const step = isStepGraph(graph)
      ? { axis: graph.stepAxis(target)!, step: stepOf(graph, point) }
      : undefined;
    const { points, conditions, weight } = point;
    gatherings.set(sum, { points, conditions, weight, target, ...(step ? { step } : {}) });
    const zeros = zerosOf(arrived);
    sweep.pieces.set(target, [
      ...(sweep.pieces.get(target) ?? []),
      { from: definition, piece, zeros },
    ]);
  }
}

/** The step that a point stands at. */
function stepOf(graph: StepGraph, { definition, clause }: Point): Scalar {
  return integerScalar(stepTerm(clause, graph.stepAxis(definition)!));
}

/** The totals of some tensors behind all points, in one value. */
function totalsOf(
  sweep: Sweep,
  { definition, loops, conditions, weight, span }: Point,
  all: readonly ByPlace[],
): Definition {
  const behind: Behind = (_, cell, before) => {
    const by = atIndices(loops, cell);
    const outcomes = conditions.map((each) => ({
      value: named("counts", instantiate(each, by)),
      holds: true,
    }));
    const times = named("weight", instantiate(weight, by));
    return all.map(({ gathered }, k) => {
      const sum = dataCall("join", [before[k]!, instantiate(gathered.totals, by), times], "data");
      return whereAll(outcomes, sum, before[k]!);
    });
  };
  const none = all.map(({ target }) => noTotal(target));
  const found = allCells(definition, { loops, guards: [], span }, [], none, behind);
  const body: Clause["body"] = { kind: "map", value: boxOf(found) };
  return sweep.define(
    `${definition.name}_totals`,
    "data",
    [],
    [{ loops: [], guards: [], body, span }],
    span,
  );
}

/** What is sent to each of several rows; nothing where two of them may be one. */
export function rowsOf(
  formulas: readonly Coefficient[],
): readonly (readonly Coefficient[])[] | undefined {
  const rows = new Map<string, Coefficient[]>();
  for (const formula of formulas) {
    const key = fixedIndices(formula)
      .map((index) => (index ? keyOf(index) : ""))
      .join();
    rows.set(key, [...(rows.get(key) ?? []), formula]);
  }
  const all = [...rows.values()];
  return all.every(([one], k) => all.slice(k + 1).every(([other]) => isApart(one!, other!)))
    ? all
    : undefined;
}

function isApart(one: Coefficient, other: Coefficient): boolean {
  const others = fixedIndices(other);
  return fixedIndices(one).some((index, axis) => {
    const [a, b] = [index && integerOf(index), others[axis] && integerOf(others[axis])];
    return a && b ? (constantOf(subtract(a, b)) ?? 0) !== 0 : false;
  });
}

/** Where a coefficient reads along each axis, unless it reads all of it. */
function fixedIndices({ read, over }: Coefficient): readonly (Scalar | undefined)[] {
  return read.indices.map((index) => (usesAny(index, over ?? []) ? undefined : index));
}

/** The slope by each cell that the calls may read, as it came together at a point. */
function slopeByPlace({ target, gathered, formulas }: ByPlace): Coefficient {
  const [first, ...others] = formulas;
  const loops = wholeLoops(target);
  const isPinned = (axis: number): boolean => {
    const index = first!.read.indices[axis]!;
    const isSame = ({ read }: Coefficient): boolean => keyOf(read.indices[axis]!) === keyOf(index);
    return others.every(isSame) && !usesAny(index, first!.over ?? []);
  };
  const indices = loops.map((loop, axis) =>
    isPinned(axis) ? first!.read.indices[axis]! : coordinateScalar(loop),
  );
  const product = { ...one, factors: [totalAt(gathered.totals, target, indices)] };
  const over = loops.filter((_, axis) => !isPinned(axis));
  return { read: { ...first!.read, indices }, over, product, conditions: [] };
}
