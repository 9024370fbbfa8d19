// Cells that come out of recursive functions, and what they send back. A cell that moves with many
// things through calls is made a function of its coordinates, whose calls are kept for its pullback
// (frames.ts, pullbacks.ts):
//
//   kept[u] = [y[u], frame]      totals = all(0, 0…)
//   all(k, t…) = all(k + 1, pulled(u, frame of kept[u], ȳ[u], t…)…),  u the k-th cell
//
// The adjoint of a tensor that the calls read is its total, so that every call is taken back once,
// whatever is asked for. Data that all cells read from is kept beside them (kept-data.ts), and
// taken back behind the last of them. Readers see the formula of each piece, in which the companion
// of a function (functions.ts) moves with one thing at a time.

import { isOff } from "../../ir/rewrites.ts";
import type { Fact } from "../../affine/prove.ts";
import { ofVariable, zero } from "../../affine/term.ts";
import { newOpaque } from "../../analyse/facts.ts";
import { keyOf } from "../../ir/keys.ts";
import { eachScalar, partsOf } from "../../ir/parts.ts";
import type { Axis, Clause, Definition, Loop, Scalar, ScalarFunction } from "../../ir/program.ts";
import { readsOfFunction } from "../../ir/references.ts";
import { reachable, isRecurrent } from "../../analyse/schedule.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import { instantiate, integerScalar, coordinateScalar, atIndices } from "../../ir/substitute.ts";
import { usesAny } from "../../analyse/ties.ts";
import { compared } from "../../ir/integers.ts";
import { boxed, flattened, type Reduction } from "../transpose/box.ts";
import { freshLoops, readCell, wholeLoops, type Define } from "../sweep/cells.ts";
import { withSharedCalls } from "./changer.ts";
import { summedClause } from "../sweep/collect.ts";
import { asFormula, hasOnlyFormula, setBefore, setFormula } from "../sweep/formulas.ts";
import { boxOf, keptCall, newParameter, newPlans, partAt, planOf, valueOf } from "./frames.ts";
import type { Plan, Plans } from "./frames.ts";
import { readsByDefinition } from "../scalar/linearize.ts";
import { ownershipGuards } from "../sweep/ownership.ts";
import { keepData, noTotal, takeDataBack, wholeData, type KeptData } from "./kept-data.ts";
import { pullbackOf } from "./pullbacks.ts";
import { isKeptInSteps, keepInSteps, type IsOwn } from "./within/step-calls.ts";
import { isStepGraph } from "../requests/step-graph.ts";
import { zerosOf, type Adjoint, type Arrived, type Sweep } from "../sweep/sweep.ts";
import { withoutDataReads } from "./through-data.ts";
import { addedByCalls, allCells, fromTotals } from "./totals.ts";
import { ownContribution } from "../sweep/seeds.ts";

/** A clause whose cells are read from what their calls have kept. */
interface Site {
  readonly kept: Definition;
  readonly plan: Plan;
  readonly plans: Plans;
  /** What was kept of the data that every cell reads from. */
  readonly data: readonly KeptData[];
  /** Where there are cells, in the clause's own coordinates. */
  readonly guards: readonly Scalar[];
}

const sites = new WeakMap<Clause, Site>();

// ── before the sweep ────────────────────────────────────────────────────────────────────────────

/**
 * Keeps the calls in a definition that would be taken back more than once otherwise: the clauses
 * are rewritten in place.
 */
export function keepCalls(
  definition: Definition,
  varies: Varies,
  known: readonly Fact[],
  define: Define,
): void {
  if (isOff("keep-calls")) return;
  const isOwn: IsOwn = (each) => reachable([each]).includes(definition);
  keepEach(definition, varies, known, (clause, guards) => {
    if (isKeptInSteps(clause) || isRecurrent(definition))
      return keepInSteps(definition, clause, guards, varies, isOwn, define);
    const { body } = clause;
    const isMap = body.kind === "map";
    const whole = isMap && clause.loops.length === 0 ? [] : wholeData(body.value);
    const value = withoutDataReads(body.value, new Set(whole));
    const terms = isMap
      ? { loops: clause.loops, guards }
      : termsOf(clause.loops, body, value, guards);
    // Over other ranges each call is taken back by its companions.
    if (!terms || !flattened(terms.loops)) return clause;
    const data = whole.map((each) => keepData(each, define));
    if (!isMap) return keepTerms(definition, clause, value, terms, data, define);
    const site = siteOf(
      definition,
      { ...clause, body: { kind: "map", value } },
      guards,
      data,
      define,
    );
    return keptClause(clause, site);
  });
}

/**
 * Keeps the calls in a definition in their steps, in a recurrence of which some tensors are
 * members.
 */
export function keepCallsInSteps(
  definition: Definition,
  varies: Varies,
  isOwn: IsOwn,
  known: readonly Fact[],
  define: Define,
): void {
  if (isOff("keep-calls")) return;
  keepEach(definition, varies, known, (clause, guards) =>
    keepInSteps(definition, clause, guards, varies, isOwn, define),
  );
}

type Varies = (definition: Definition) => boolean;

function keepEach(
  definition: Definition,
  varies: Varies,
  known: readonly Fact[],
  keep: (clause: Clause, guards: readonly Scalar[]) => Clause,
): void {
  if (!isFloat(definition.element) || definition.rule) return;
  const isOften = (value: Scalar): boolean => isTakenBackOften(withoutDataReads(value), varies);
  const isToKeep = (clause: Clause): boolean =>
    !isKept(clause) &&
    !hasOnlyFormula(clause) &&
    isOften((isKeptInSteps(clause) ? asFormula(clause) : clause).body.value);
  definition.clauses = withFillingsApart(
    definition.clauses,
    (clause) => isToKeep(clause) || isOften(clause.otherwise!),
  );
  const clauses = definition.clauses.map((clause, position) =>
    isToKeep(clause)
      ? keep(clause, [
          ...ownershipGuards(newOpaque(), definition, position, known),
          ...clause.guards,
        ])
      : clause,
  );
  if (clauses.some((clause, k) => clause !== definition.clauses[k])) definition.clauses = clauses;
}

/**
 * The same cells, where what stands in those that no clause owns is a clause of its own before all
 * others: its calls can be kept as well, and it sends back what it does beside calls that are kept.
 */
function withFillingsApart(
  clauses: readonly Clause[],
  isApart: (filled: Clause) => boolean,
): readonly Clause[] {
  const fillings: Clause[] = [];
  const others = clauses.map((clause) => {
    const { otherwise, ...owned } = clause;
    if (!otherwise || !isApart(clause)) return clause;
    const by = new Map<Loop["variable"], Scalar>();
    const loops = freshLoops(clause.loops, by);
    const value = instantiate(otherwise, by);
    fillings.push({ loops, guards: [], body: { kind: "map", value }, span: clause.span });
    return owned;
  });
  return fillings.length > 0 ? [...fillings, ...others] : clauses;
}

/**
 * Does a call move with more than one number, or by more than one argument? Then its companion
 * would be called for each of them.
 */
function isTakenBackOften(value: Scalar, varies: Varies): boolean {
  let found = false;
  eachScalar(value, (part) => {
    if (found || (part.kind !== "call" && part.kind !== "data")) return;
    const takesData = part.kind === "data" || partsOf(part).some(({ type }) => type === "data");
    if (part.kind === "call" && part.invocation.function.rule && !takesData) return;
    const moving = new Set<Definition | string>();
    const around = takesData
      ? readsByDefinition(part).keys()
      : readsOfFunction(part.invocation.function);
    for (const each of around) if (varies(each)) moving.add(each);
    for (const [k, argument] of takesData ? [] : partsOf(part).entries())
      eachScalar(argument, (inner) => {
        if (inner.kind === "read" && isFloat(inner.type) && varies(inner.definition))
          moving.add(`${k} ${keyOf(inner)}`);
      });
    const isTensor = (each: Definition | string): boolean =>
      typeof each !== "string" && each.axes.length > 0;
    found ||= moving.size > 1 || [...moving].some(isTensor);
  });
  return found;
}

/** Keeps the calls of a clause that is a map. */
function siteOf(
  definition: Pick<Definition, "name" | "axes" | "needs">,
  clause: Clause,
  guards: readonly Scalar[],
  data: readonly KeptData[],
  define: Define,
): Site {
  const { loops, span } = clause;
  const plans = newPlans();
  const plan = planOf(functionOf(definition, clause), plans);
  const by = new Map<Loop["variable"], Scalar>();
  const own = freshLoops(loops, by);
  const here = own.map(coordinateScalar);
  const invocation = keptCall(plan, here, span);
  const value = boxOf(
    [clause.body.value.type, "data" as const].map((type, member): Scalar => ({
      kind: "call",
      type,
      invocation,
      member,
    })),
  );
  const kept = define(
    `${definition.name}_kept`,
    "data",
    definition.axes,
    [
      {
        loops: own,
        guards: guards.map((guard) => instantiate(guard, by)),
        body: { kind: "map", value },
        span,
      },
    ],
    span,
  );
  return { kept, plan, plans, data, guards };
}

/** The same cells, read from what their calls have kept. */
function keptClause(clause: Clause, site: Site): Clause {
  const { kept } = site;
  const { loops, body, span } = clause;
  const made: Clause = {
    ...clause,
    body: { kind: "map", value: partAt(readCell(kept, loops, span), 0, body.value.type) },
  };
  sites.set(made, site);
  setFormula(made, clause);
  return made;
}

/** Where a clause has terms. */
interface Terms {
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
}

/**
 * The terms of a reduction as cells of their own: over a box that holds them where its ranges
 * depend on one another; nothing where data bounds them.
 *
 *   sum[k in 0..i + 1](f(k))    every k of the box is one of some cell's:
 *                               the terms are f(k), whatever the cell
 */
function termsOf(
  outer: readonly Loop[],
  body: Reduction,
  value: Scalar,
  around: readonly Scalar[],
): Terms | undefined {
  const over = (loops: readonly Loop[], guards: readonly Scalar[]): Terms => {
    const all = [...around, ...guards, ...body.guards];
    return { loops: loopsOf([...outer, ...loops], [value, ...all]), guards: all };
  };
  const plain = over(body.loops, []);
  if (flattened(plain.loops)) return plain;
  let isHeld = true;
  const { loops } = boxed(outer, body, () => {
    isHeld = false;
    return { from: zero, to: zero };
  });
  const said = [...outer, ...body.loops].filter((loop) =>
    [value, ...around, ...body.guards].some((scalar) => usesAny(scalar, [loop])),
  );
  const guards = body.loops.flatMap(({ variable, from, to }, k): readonly Scalar[] => {
    const [low, high] = [loops[k]!.from, loops[k]!.to];
    const at = integerScalar(ofVariable(variable));
    const below = keyOf(low) === keyOf(from) ? [] : [compared("lessEqual", from, at, body.span)];
    const above = keyOf(high) === keyOf(to) ? [] : [compared("less", at, to, body.span)];
    const isUnion =
      below.length + above.length < 2 && ![from, to].some((bound) => usesAny(bound, said));
    return isUnion ? [] : [...below, ...above];
  });
  return isHeld ? over(loops, guards) : undefined;
}

/** The loops that something mentions, or that those inside of them begin or end with. */
function loopsOf(loops: readonly Loop[], mentioning: readonly Scalar[]): readonly Loop[] {
  return loops.reduceRight<readonly Loop[]>((inner, loop) => {
    const bounds = inner.flatMap(({ from, to }) => [from, to]);
    return [...mentioning, ...bounds].some((scalar) => usesAny(scalar, [loop]))
      ? [loop, ...inner]
      : inner;
  }, []);
}

/** A cell as a function of its coordinates. */
function functionOf(
  { name, needs }: Pick<Definition, "name" | "needs">,
  { loops, body, span }: Clause,
): ScalarFunction {
  const parameters = loops.map((loop) => newParameter(loop.variable.name, "i32"));
  const by = atIndices(loops, parameters.map(valueOf));
  return {
    name,
    parameters,
    results: [withSharedCalls(instantiate(body.value, by))],
    needs: new Set(needs),
    span,
  };
}

/** A reduction of what calls give: its terms are cells of their own. */
function keepTerms(
  definition: Definition,
  clause: Clause,
  value: Scalar,
  { loops: used, guards }: Terms,
  data: readonly KeptData[],
  define: Define,
): Clause {
  const body = clause.body as Reduction;
  const axes = used.map((loop): Axis => ({
    name: loop.variable.name,
    extent: (loop.to as Extract<Scalar, { kind: "integer" }>).term,
  }));
  const by = new Map<Loop["variable"], Scalar>();
  const loops = freshLoops(used, by);
  const inside = guards.map((guard) => instantiate(guard, by));
  const term: Clause = {
    loops,
    guards: inside,
    body: { kind: "map", value: instantiate(value, by) },
    span: body.span,
  };
  const name = `${definition.name}_term`;
  const site = siteOf({ name, axes, needs: definition.needs }, term, inside, data, define);
  const made = keptClause(term, site);
  const terms = define(name, value.type, axes, [made], body.span);
  const shared: Clause = { ...clause, body: { ...body, value: readCell(terms, used, body.span) } };
  setBefore(shared, clause);
  return shared;
}

// ── the way back ────────────────────────────────────────────────────────────────────────────────

/** Whether what a clause sends back comes out of a pullback. */
export function isKept(clause: Clause): boolean {
  return sites.has(clause);
}

/**
 * What a clause whose calls were kept sends back; `arrived` are the formulas of it, for everything
 * that it moves with.
 */
export function pullCallsBack(
  sweep: Sweep,
  definition: Definition,
  clause: Clause,
  adjoint: Adjoint | undefined,
  arrived: ReadonlyMap<Definition, readonly Arrived[]>,
): ReadonlyMap<Definition, readonly Arrived[]> {
  const site = sites.get(clause)!;
  const targets = [...arrived.keys()];
  const isOwnLane = !adjoint && definition === sweep.cells;
  if (isStepGraph(sweep.graph) || isOwnLane) return arrived;
  const totals = totalsOf(sweep, definition, clause, site, adjoint, targets);
  return new Map(
    targets.map((target, k) => {
      const pieces = arrived.get(target)!;
      const run = fromTotals(sweep, target, totals, k);
      setFormula(run, summedClause(sweep, target, pieces));
      const { piece } = ownContribution(sweep, definition, target, run);
      return [target, [{ from: definition, piece, zeros: zerosOf(pieces) }]] as const;
    }),
  );
}

/** The totals of everything that the cells of a clause move with, in one value for each lane. */
function totalsOf(
  sweep: Sweep,
  definition: Definition,
  clause: Clause,
  site: Site,
  adjoint: Adjoint | undefined,
  targets: readonly Definition[],
): Definition {
  const { span } = clause;
  const all = [...site.data.map((each) => each.of), ...targets];
  const { function: pulled, captured } = pullbackOf(site.plan, site.plans, all);
  const none = captured.map(noTotal);
  const { loops } = clause;
  const type = clause.body.value.type as FloatType;
  const behind = addedByCalls(
    { loops, guards: site.guards, span },
    type,
    adjoint,
    (cell, incoming, before) => {
      const kept: Scalar = {
        kind: "read",
        type: "data",
        definition: site.kept,
        indices: cell,
        span,
      };
      return {
        function: pulled,
        arguments: [...cell, partAt(kept, 1, "data"), incoming, ...before],
        span,
      };
    },
  );
  const lanes = wholeLoops({ axes: sweep.lanes });
  const here = lanes.map(coordinateScalar);
  const found =
    clause.loops.length === 0
      ? behind(here, [], none)
      : allCells({ name: definition.name, needs: site.plan.of.needs }, clause, here, none, behind);
  const totals = new Map(captured.map((each, k) => [each, found[k]!]));
  for (const each of site.data) takeDataBack(each, targets, totals);
  const body: Clause["body"] = {
    kind: "map",
    value: boxOf(targets.map((each) => totals.get(each) ?? noTotal(each))),
  };
  return sweep.define(
    `${definition.name}_totals`,
    "data",
    sweep.lanes,
    [{ loops: lanes, guards: [], body, span }],
    span,
  );
}
