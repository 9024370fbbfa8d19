// The backward program of one number: from the numerator back to the denominators, one adjoint for
// each definition between.
//
// Definitions are visited in an order in which every reader of one comes before it. Each clause is
// linearized and transposed; what arrives at a definition is summed into its adjoint. The adjoint
// of a denominator is an answer; the sweep goes on behind it where it was made from another
// denominator.

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
import { loopsOf, orient } from "./order.ts";
import { shareProducts } from "../rules/other-factors.ts";
import { foldOwnBounds } from "../rules/own-bounds.ts";
import { withoutTests } from "../legality/reached.ts";
import { standRunningApart } from "./apart.ts";
import { begin, lanesOf, seedDefinition, unitDefinition } from "./seeds.ts";
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

/** How a sweep begins. A scalar numerator has the gradient 1 coming in. */
export interface Start {
  /** The gradients that come in at a tensor numerator: its axes, behind one for each lane. */
  readonly seed?: Definition | undefined;
  /**
   * Every cell of the numerator sends back a gradient of its own: the answers are Jacobians. Axes
   * of the numerator along which it is the denominator's own position that counts have no lanes:
   * those around a local name are listed, the step is known.
   */
  readonly eachCell?: readonly number[] | undefined;
  /** The numerator's axis that is the step of the recurrence in which the question stands. */
  readonly step?: number | undefined;
  /** What the derivative follows, where that is not all that the numerator depends on. */
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
  const whole =
    along ?? (step === undefined ? graphOf(numerator) : stepGraphOf(numerator, step, denominators));
  const passed = activityOf(whole, new Set(denominators));
  const { known } = workshop;
  const splits = step === undefined && !along;
  if (splits)
    for (const denominator of denominators) standRunningApart(denominator, workshop.claim);
  for (const definition of whole.all) if (passed.isActive(definition)) foldOwnBounds(definition);
  if (splits) splitAll(numerator, whole, passed, workshop, define);
  // Within a step every tensor that a derivative goes through is one of the recurrence.
  for (const definition of step === undefined || eachCell ? [] : whole.all.filter(passed.isActive))
    if (!whole.isTangent(definition))
      workshop.keepCallsInSteps?.(definition, passed.isActive, passed.isActive, known, define);
  const graph = splits ? graphOf(numerator) : whole;
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
  if (seed) begin(sweep, numerator, seed);
  const adjoints = new Map<Definition, Definition>();
  for (const group of readersFirst(sweep, numerator)) {
    const [definition] = group;
    const recurrent = group.length > 1 || graph.ways(definition!).includes(definition!);
    if (
      eachCell &&
      group.includes(numerator) &&
      (recurrent || numerator.rule || denominators.includes(numerator))
    )
      begin(sweep, numerator, unitDefinition(sweep, numerator));
    const found = recurrent
      ? adjointGroup(sweep, group)
      : adjointAlone(sweep, definition!, numerator);
    settleTogether(sweep, group);
    for (const [member, adjoint] of found) {
      sweep.trace.adjoints.set(member, adjoint);
      if (denominators.includes(member)) adjoints.set(member, adjoint);
    }
  }
  for (const definition of [...whole.all, ...made]) readDirectly(definition);
  return { adjoints, problems: sweep.problems, trace: sweep.trace };
}

/** Splits what a derivative goes through, so that it takes little. */
function splitAll(
  numerator: Definition,
  { all, isTangent }: Graph,
  { isActive }: Activity,
  workshop: Workshop,
  define: Define,
): void {
  const { known } = workshop;
  const around: Around = { varies: isActive, numerator, recurrent: recurrentAmong(all) };
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
    // What a rule calls moves with tangents alone.
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
function recurrentAmong(all: readonly Definition[]): ReadonlySet<Definition> {
  const at = new Map(all.map((definition, k) => [definition, k]));
  const edges = all.map((definition) =>
    [...readsOf(definition)].flatMap((read) => at.get(read) ?? []),
  );
  const isCircle = ([first, ...others]: readonly number[]): boolean =>
    others.length > 0 || edges[first!]!.includes(first!);
  const groups = components(all.length, (k) => edges[k]!).filter(isCircle);
  return new Set(groups.flatMap((group) => group.map((k) => all[k]!)));
}

/** Definitions with their gradients. */
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
 * The adjoint of a recurrence is a recurrence: h[t - 1] inverts to t = p + 1, so that each adjoint
 * reads those of later steps. All of them get their names first; then every clause sends back to
 * members and to what lies before the group.
 */
function adjointGroup(sweep: Sweep, group: readonly Definition[]): Found {
  const arrived = group.flatMap((member) => sweep.pieces.get(member) ?? []);
  if (arrived.length === 0) return [];
  const isGuarded = group.some((member) => member.clauses.some(isFiltered));
  // Along a recurrence some cells are not read by any other.
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
  for (const [member, loops] of loopsOf(sweep, group)) sweep.loops.set(member, loops);
  const inside: Sweep = { ...sweep, recurrence: group };
  for (const [k, member] of group.entries()) sendAllBack(inside, member, adjoints[k]);
  settleTogether(inside, group);
  withoutTests(sweep, group, adjoints, arrived);
  // None of them is there for what the others sum before all are.
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
 * Active definitions on the ways from the numerator, each group after every group that reads it, or
 * is taken back with one that does. Those at which derivatives end come last: others have what they
 * get in cells by then.
 */
function readersFirst(sweep: Sweep, numerator: Definition): readonly (readonly Definition[])[] {
  const { graph, activity } = sweep;
  const found = new Set(sweep.together.size > 0 ? [numerator] : graph.all);
  for (const definition of found) for (const read of waysOn(sweep, definition)) found.add(read);
  const active = graph.all.filter(
    (definition) => found.has(definition) && activity.isActive(definition),
  );
  const at = new Map(active.map((definition, k) => [definition, k]));
  const edges = active.map((definition) =>
    waysOn(sweep, definition).flatMap((read) => at.get(read) ?? []),
  );
  const groups = components(active.length, (k) => edges[k]!).toReversed();
  const isEnd = (group: readonly number[]): boolean => group.every((k) => edges[k]!.length === 0);
  return [...groups.filter((group) => !isEnd(group)), ...groups.filter(isEnd)].map((group) =>
    group.map((k) => active[k]!),
  );
}
