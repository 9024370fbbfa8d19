// The backward program of one numerator: an adjoint for each definition between the numerator and
// the denominators.
//
// A definition is visited after all its readers. Each of its clauses is linearized and transposed.
// The contributions that arrive at a definition are summed into its adjoint:
//
//    y[i] = x[i] * x[i + 1]   gives   d_x[p] = d_y[p]·x[p + 1] + d_y[p - 1]·x[p - 1]
//
// The adjoint of a denominator is an answer. The sweep goes on behind a denominator that depends on
// another denominator.

import { components } from "../../base/components.ts";
import { newOpaque } from "../../analyse/facts.ts";
import type { Definition } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { activityOf, type Activity } from "./activity.ts";
import { togetherIn, waysOn } from "../data/within/along-gradients.ts";
import { newDefinition, type Define } from "./cells.ts";
import { adjointOf, asRows, summedClause } from "./collect.ts";
import { isFiltered, readDirectly } from "../rewrites/expression-parts.ts";
import { graphOf, type Graph } from "./graph.ts";
import { awaitClauses, tangentType } from "../legality/handed-on.ts";
import { recurrenceLoops, orient } from "./order.ts";
import { shareProducts } from "../rules/other-factors.ts";
import { foldOwnBounds } from "../rules/own-bounds.ts";
import { withoutTests } from "../legality/reached.ts";
import { standRunningApart } from "./apart.ts";
import { receiveSeed, lanesOf, seedDefinition, unitDefinition } from "./seeds.ts";
import { sendAllBack, settleTogether } from "./send-back.ts";
import { stepGraphOf } from "../requests/step-graph.ts";
import {
  axesFor,
  most,
  zerosOf,
  type Adjoint,
  type Around,
  type Swept,
  type Sweep,
  type Workshop,
} from "./sweep.ts";

/** How a sweep begins. Without a seed, a scalar numerator has the cotangent 1. */
export interface Start {
  /**
   * The cotangents of the numerator. The axes are the lanes, and then the axes of the numerator.
   */
  readonly seed?: Definition | undefined;
  /**
   * Every cell of the numerator gets a lane of its own, so the answers are Jacobians. Listed are
   * the axes of the numerator that get no lanes, because numerator and denominator share their
   * position: the axes around a local name. The step is known without being listed.
   */
  readonly eachCell?: readonly number[] | undefined;
  /** The axis of the numerator that is the step of the recurrence around the request. */
  readonly step?: number | undefined;
  /** The graph that the derivative follows, if it is not the whole graph of the numerator. */
  readonly along?: Graph;
}

export function backward(
  numerator: Definition,
  denominators: readonly Definition[],
  workshop: Workshop,
  { seed, eachCell, step, along }: Start = {},
): Swept {
  const made = new Set<Definition>();
  const define: Define = (name, element, axes, clauses, span) => {
    const definition = newDefinition(workshop.claim(name), element, axes, clauses, span);
    made.add(definition);
    return definition;
  };
  const wholeGraph =
    along ?? (step === undefined ? graphOf(numerator) : stepGraphOf(numerator, step, denominators));
  const activityOfWhole = activityOf(wholeGraph, new Set(denominators));
  const { known } = workshop;
  const splits = step === undefined && !along;
  if (splits)
    for (const denominator of denominators) standRunningApart(denominator, workshop.claim);
  for (const definition of wholeGraph.all)
    if (activityOfWhole.isActive(definition)) foldOwnBounds(definition);
  if (splits) splitAll(numerator, wholeGraph, activityOfWhole, workshop, define);
  // Inside a step, every tensor that a derivative passes through belongs to the recurrence.
  for (const definition of step === undefined || eachCell
    ? []
    : wholeGraph.all.filter(activityOfWhole.isActive))
    if (!wholeGraph.isTangent(definition))
      workshop.keepCallsInSteps?.(
        definition,
        activityOfWhole.isActive,
        activityOfWhole.isActive,
        known,
        define,
      );
  const graph = splits ? graphOf(numerator) : wholeGraph;
  const activity = activityOf(graph, new Set(denominators));
  const common = new Set([...(eachCell ?? []), ...(step === undefined ? [] : [step])]);
  const lanes = lanesOf(numerator, seed, eachCell !== undefined, common);
  const sweep: Sweep = {
    common,
    denominators: new Set(denominators),
    graph,
    activity,
    opaque: newOpaque(),
    known,
    define,
    workshop,
    pieces: new Map(),
    lanes,
    ...(eachCell ? { cells: numerator } : {}),
    adjoints: new Map(),
    sums: new Map(),
    factors: new Map(),
    loops: new Map(),
    recurrence: [],
    together: togetherIn({ graph, lanes, workshop }, graph.all.filter(activity.isActive)),
    problems: [],
    trace: { pullbacks: [], adjoints: new Map(), parts: new Map() },
    isOpen: (definition) => definition.clauses.length === 0 && made.has(definition),
  };
  if (seed) receiveSeed(sweep, numerator, seed);
  const adjoints = new Map<Definition, Definition>();
  for (const group of readersFirst(sweep, numerator)) {
    const [definition] = group;
    const recurrent = group.length > 1 || graph.ways(definition!).includes(definition!);
    if (
      eachCell &&
      group.includes(numerator) &&
      (recurrent || numerator.rule || denominators.includes(numerator))
    )
      receiveSeed(sweep, numerator, unitDefinition(sweep, numerator));
    const found = recurrent
      ? adjointGroup(sweep, group)
      : adjointAlone(sweep, definition!, numerator);
    settleTogether(sweep, group);
    for (const [member, adjoint] of found) {
      sweep.trace.adjoints.set(member, adjoint);
      if (denominators.includes(member)) adjoints.set(member, adjoint);
    }
  }
  for (const definition of [...wholeGraph.all, ...made]) readDirectly(definition);
  return { adjoints, problems: sweep.problems, trace: sweep.trace };
}

/**
 * Splits the definitions that a derivative passes through, so that the derivative takes less work.
 */
function splitAll(
  numerator: Definition,
  { all, isTangent }: Graph,
  { isActive }: Activity,
  workshop: Workshop,
  define: Define,
): void {
  const { known } = workshop;
  const around: Around = { varies: isActive, numerator, recurrent: recurrentDefinitions(all) };
  const passed = all.filter(isActive).map((written) => ({
    written,
    own: [...(workshop.splitRunning?.(written, known, define) ?? []), written],
  }));
  for (const definition of passed.flatMap(({ own }) => own))
    workshop.splitContractions?.(definition, isActive, define);
  const plain = passed.filter(({ written }) => !isTangent(written));
  workshop.splitExpressions?.(
    plain.flatMap(({ own }) => own),
    around,
    define,
  );
  for (const { written, own } of passed) {
    // The calls in a tangent rule move only with tangents.
    const varies = (each: Definition): boolean =>
      isActive(each) && (!isTangent(written) || isTangent(each));
    for (const definition of own) {
      workshop.keepProducts?.(definition, known, define);
      shareProducts(definition, define);
      workshop.keepCalls?.(definition, varies, known, define);
    }
  }
}

/** The definitions that read themselves, directly or through others. */
function recurrentDefinitions(all: readonly Definition[]): ReadonlySet<Definition> {
  const indexOf = new Map(all.map((definition, k) => [definition, k]));
  const edges = all.map((definition) =>
    [...readsOf(definition)].flatMap((read) => indexOf.get(read) ?? []),
  );
  const isCircle = ([first, ...others]: readonly number[]): boolean =>
    others.length > 0 || edges[first!]!.includes(first!);
  const groups = components(all.length, (k) => edges[k]!).filter(isCircle);
  return new Set(groups.flatMap((group) => group.map((k) => all[k]!)));
}

/** Pairs of a definition and its adjoint. */
type Found = readonly (readonly [Definition, Definition])[];

function adjointAlone(sweep: Sweep, definition: Definition, numerator: Definition): Found {
  const adjoint = adjointOf(sweep, definition);
  if (definition !== numerator && !adjoint) return [];
  if (adjoint && !sweep.adjoints.has(adjoint.definition))
    sweep.adjoints.set(adjoint.definition, adjoint);
  sendAllBack(sweep, definition, adjoint);
  if (!adjoint && sweep.lanes.length > 0) return [];
  return [[definition, adjoint?.definition ?? seedDefinition(sweep, definition)]];
}

/**
 * The adjoints of a recurrence. The adjoint of a recurrence is a recurrence, too:
 *
 *    h[t] = a·h[t - 1]   gives   d_h[t] = a·d_h[t + 1]
 *
 * So all adjoints are defined before their clauses are known. Then every clause sends its
 * contributions to the members, and to the definitions that the recurrence reads.
 */
function adjointGroup(sweep: Sweep, group: readonly Definition[]): Found {
  const arrived = group.flatMap((member) => sweep.pieces.get(member) ?? []);
  if (arrived.length === 0) return [];
  const isGuarded = group.some((member) => member.clauses.some(isFiltered));
  // Some cells of a recurrence are not read by any other cell.
  const zeros = isGuarded ? "guarded" : most(["unread", zerosOf(arrived)]);
  const adjoints = group.map((member): Adjoint => {
    const adjoint = sweep.define(
      `d_${member.name}`,
      tangentType(member),
      axesFor(sweep, member),
      [],
      member.span,
    );
    return { definition: awaitClauses(adjoint), zeros };
  });
  for (const adjoint of adjoints) sweep.adjoints.set(adjoint.definition, adjoint);
  for (const [member, loops] of recurrenceLoops(sweep, group)) sweep.loops.set(member, loops);
  const inside: Sweep = { ...sweep, recurrence: group };
  for (const [k, member] of group.entries()) sendAllBack(inside, member, adjoints[k]);
  settleTogether(inside, group);
  withoutTests(sweep, group, adjoints, arrived);
  // All clauses are made before the first adjoint gets its clause: a sum in one of them must not
  // count on adjoints that are still open.
  const clauses = group.map((member) =>
    summedClause(sweep, member, asRows(sweep, member, sweep.pieces.get(member) ?? [], group)),
  );
  for (const [k, clause] of clauses.entries()) adjoints[k]!.definition.clauses = [clause];
  orient(
    sweep,
    adjoints.map((adjoint) => adjoint.definition),
  );
  return group.map((member, k) => [member, adjoints[k]!.definition]);
}

/**
 * The active definitions on the ways from the numerator, in groups. A group comes after every group
 * that reads it, or that is sent back with a reader of it. Groups without a way on come last: by
 * then the other sums are definitions, which they can read.
 */
function readersFirst(sweep: Sweep, numerator: Definition): readonly (readonly Definition[])[] {
  const { graph, activity } = sweep;
  const found = new Set(sweep.together.size > 0 ? [numerator] : graph.all);
  for (const definition of found) for (const read of waysOn(sweep, definition)) found.add(read);
  const active = graph.all.filter(
    (definition) => found.has(definition) && activity.isActive(definition),
  );
  const indexOf = new Map(active.map((definition, k) => [definition, k]));
  const edges = active.map((definition) =>
    waysOn(sweep, definition).flatMap((read) => indexOf.get(read) ?? []),
  );
  const groups = components(active.length, (k) => edges[k]!).toReversed();
  const isEnd = (group: readonly number[]): boolean => group.every((k) => edges[k]!.length === 0);
  return [...groups.filter((group) => !isEnd(group)), ...groups.filter(isEnd)].map((group) =>
    group.map((k) => active[k]!),
  );
}
