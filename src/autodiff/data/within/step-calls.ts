// Calls in the steps of a recurrence. What a step's calls send back goes to the steps before it, so
// that they cannot be taken back all together, as those of other tensors are (calls.ts). Each point
// is made a function of the cells that it reads. Its calls are kept in their step, and taken back
// behind the last step for a unit that comes in:
//
//   y[t] = F(a, b)      kept[t] = [F(a, b), frame]
//   [∂F/∂a, ∂F/∂b, w̄] = pulled(a, b, frame of kept[t], 1)
//
// So all slopes take one way through the calls and one way back, and the adjoint runs through the
// steps with plain factors. What a unit brings together in a tensor w around the functions is in
// totals by place: behind the steps, those of all points are added up, each as often as the
// gradient there says. Readers see companions in their place (functions.ts), and further
// derivatives go through those.

import { keyOf } from "../../../ir/keys.ts";
import { holding, type Outcome } from "../../../analyse/opposite.ts";
import { eachScalar, mapParts, partsOf, callsSomething, allLoops } from "../../../ir/parts.ts";
import type {
  Axis,
  Clause,
  Definition,
  Invocation,
  Local,
  Loop,
  Scalar,
  ScalarFunction,
} from "../../../ir/program.ts";
import { readsOfFunction } from "../../../ir/references.ts";
import { isFloat } from "../../../scalar/types.ts";
import { instantiate, coordinateScalar, atIndices } from "../../../ir/substitute.ts";
import { flattened } from "../../transpose/box.ts";
import { cellsReadIn } from "./captured-cells.ts";
import { freshLoops, readCell, type Define } from "../../sweep/cells.ts";
import { sumOfCounting } from "../../rewrites/choices.ts";
import { asFormula, setFormula, setOnlyFormula } from "../../sweep/formulas.ts";
import { withSharedCalls } from "../changer.ts";
import {
  boxOf,
  eitherOf,
  keptCall,
  newParameter,
  newPlans,
  partAt,
  planOf,
  reached,
  valueOf,
  whereAll,
  zeroScalar,
  type Plan,
  type Plans,
} from "../frames.ts";
import { tangentType } from "../../legality/handed-on.ts";
import { linearize, type Coefficient } from "../../scalar/linearize.ts";
import { noTotal, wholeData } from "../kept-data.ts";
import { algebraOf, one, productScalar } from "../../scalar/products.ts";
import { pullbackOf, totalType } from "../pullbacks.ts";
import { withoutDataReads } from "../through-data.ts";
import { rowsOf } from "./step-totals.ts";
import { totalAt } from "../totals.ts";

type Varies = (definition: Definition) => boolean;
/**
 * Whether a tensor is one of the recurrence, so that its adjoint waits for what comes together in
 * it step by step.
 */
export type IsOwn = (definition: Definition) => boolean;
type Read = Extract<Scalar, { kind: "read" }>;

/** The points of a clause, where there are some. */
export interface Points {
  readonly definition: Definition;
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  /**
   * What is computed at a point, as a call of a function of its coordinates and of the cells that
   * it reads beside its calls.
   */
  readonly call: Invocation;
  readonly span: Clause["span"];
}

/** What is known of how the points of a clause move, in its coordinates. */
interface Slopes {
  readonly points: Points;
  /** The coefficients of cells of which it is known which they are. */
  readonly ofCells: readonly Coefficient[];
  /**
   * What a unit brings together by place in tensors of which a run decides which cells are read.
   */
  readonly gathered: ReadonlyMap<Definition, Gathered>;
}

export interface Gathered {
  readonly totals: Scalar;
  /**
   * Whether the tensor is one of the recurrence, so that its adjoint waits for these totals step by
   * step.
   */
  readonly isOwn: boolean;
}

/** What the calls of a clause have kept. */
interface Kept {
  readonly site: Site;
  readonly value: Scalar;
  readonly cells: readonly Cell[];
  readonly points: Points;
  readonly plan: Plan;
  readonly plans: Plans;
  readonly kept: Definition;
  /** The tensors around the functions that have totals. */
  readonly around: readonly Definition[];
  readonly slopes: Slopes;
}

/** By the clause as it was written. */
const known = new WeakMap<Clause, Kept>();

export function keptSlopes(clause: Clause): Slopes | undefined {
  return known.get(clause)?.slopes;
}

/** Whether the points of a clause are read from what their calls have kept. */
export function isKeptInSteps(clause: Clause): boolean {
  return known.has(asFormula(clause));
}

/** How points move with one of the cells that they read: beside their calls, in them, or both. */
interface Slope {
  readonly points: Points;
  /** Which of the cells beside the calls it is. */
  readonly cell?: number;
  /** The tensor of which the calls read this cell alone. */
  readonly pinned?: Definition;
}

const bySlopes = new WeakMap<Definition, Slope>();

/** What slope the cells of a definition are. */
export function slopeOf(definition: Definition): Slope | undefined {
  return bySlopes.get(definition);
}

/**
 * The clause of a recurrence with its calls kept; the clause itself where they are taken back once
 * at most, or cannot be kept.
 */
export function keepInSteps(
  definition: Definition,
  clause: Clause,
  guards: readonly Scalar[],
  varies: Varies,
  isOwn: IsOwn,
  define: Define,
): Clause {
  const written = isKeptInSteps(clause) ? asFormula(clause) : clause;
  const { body } = written;
  const value = withoutDataReads(body.value);
  const before = known.get(written);
  const around = [...readsInCalls(value)].filter(varies);
  if (before && around.every((each) => before.around.includes(each))) return clause;
  const { coefficients } = linearize(value, varies, () => undefined);
  const isClear = (each: Definition): boolean =>
    !isOwn(each) ||
    rowsOf(coefficients.filter(({ read }) => read.definition === each)) !== undefined;
  if (!around.every(isClear)) return clause;
  if (before) {
    const all = [...new Set([...before.around, ...around])];
    known.set(written, { ...before, around: all, slopes: takenBack(before, all, isOwn) });
    return clause;
  }
  const loops = allLoops(clause);
  const cells = cellsIn(value);
  const isOften = coefficients.length > 1 || coefficients.some(({ over }) => over);
  if (!cells || !isOften || !flattened(loops) || wholeData(body.value).length > 0) return clause;
  const inside = body.kind === "map" ? guards : [...guards, ...body.guards];
  const site: Site = { definition, loops, guards: inside, define, span: clause.span };
  const plans = newPlans();
  const plan = planOf(functionOf(definition, loops, value, cells), plans);
  const given = [
    ...loops.map(coordinateScalar),
    ...cells.map(({ read, under }) => whereAll(under, read, zeroScalar(read.type))),
  ];
  const kept = atPoints(site, "kept", "data", (said) =>
    allOf(keptCall(plan, given.map(said), clause.span), [value.type, "data"]),
  );
  const call: Invocation = { function: plan.of, arguments: given, span: clause.span };
  const points: Points = { definition, loops, guards: inside, call, span: clause.span };
  const all = { site, value, cells, points, plan, plans, kept };
  known.set(written, { ...all, around, slopes: takenBack(all, around, isOwn) });
  const made: Clause = {
    ...clause,
    body: { ...body, value: partAt(readCell(kept, loops, clause.span), 0, value.type) },
  };
  setFormula(made, clause);
  return made;
}

/** Takes every point back for a unit that comes in there. */
function takenBack(
  { site, value, cells, points, plan, plans, kept }: Omit<Kept, "around" | "slopes">,
  around: readonly Definition[],
  isOwn: IsOwn,
): Slopes {
  const { loops, span } = site;
  const unit: Scalar = { kind: "constant", type: value.type, value: 1 };
  const { function: pulled, captured } = pullbackOf(plan, plans, around);
  const frame = partAt(readCell(kept, loops, span), 1, "data");
  const back = [...points.call.arguments, frame, unit, ...captured.map(noTotal)];
  const types = [...cells.map(({ read }) => read.type), ...captured.map(totalType)];
  const slopes = atPoints(site, "slopes", "data", (said) =>
    allOf({ function: pulled, arguments: back.map(said), span }, types),
  );
  return slopesOf(site, points, value, cells, captured, isOwn, readCell(slopes, loops, span));
}

/**
 * How a value moves, from the slopes by all cells and the totals of all tensors that its calls
 * read. Whoever comes next may ask for other cells than the first.
 */
function slopesOf(
  site: Site,
  points: Points,
  value: Scalar,
  cells: readonly Cell[],
  captured: readonly Definition[],
  isOwn: IsOwn,
  slopes: Scalar,
): Slopes {
  const { loops, span } = site;
  const moves: Varies = (each) => isFloat(each.element) || captured.includes(each);
  const written = linearize(value, moves, () => undefined).coefficients;
  const totals = new Map(
    captured.map((each, k) => [each, partAt(slopes, cells.length + k, totalType(each))]),
  );
  const pinned = new Map(captured.map((each) => [each, pinnedIn(value, each, written)]));
  const reads = new Map(
    written.filter(({ over }) => !over?.length).map(({ read }) => [keyOf(read), read]),
  );
  const ofCells = [...reads].flatMap(([key, read]): readonly Coefficient[] => {
    const type = tangentType(read.definition);
    const algebra = algebraOf(type, span);
    const k = cells.findIndex((each) => keyOf(each.read) === key);
    const known = pinned.get(read.definition) === key ? totals.get(read.definition) : undefined;
    const run = [
      ...(k < 0 ? [] : [partAt(slopes, k, type)]),
      ...(known
        ? [read.indices.length === 0 ? known : totalAt(known, read.definition, read.indices)]
        : []),
    ];
    if (run.length === 0) return [];
    const parts = written
      .filter((each) => keyOf(each.read) === key)
      .map(({ product, conditions }) => ({
        value: productScalar(product, type, span),
        conditions: conditions.map(holding),
      }));
    const formula = sumOfCounting(parts, algebra, span);
    const all = run.reduce((a, b) => algebra.apply("add", a, b));
    const slope = atPoints(site, `by_${read.definition.name}`, type, (said) => said(all), formula);
    bySlopes.set(slope, {
      points,
      ...(k < 0 ? {} : { cell: k }),
      ...(known ? { pinned: read.definition } : {}),
    });
    const conditions = known ? [] : cells[k]!.under;
    return [{ read, product: { ...one, factors: [readCell(slope, loops, span)] }, conditions }];
  });
  const gathered = captured
    .filter((each) => pinned.get(each) === undefined)
    .map((each): [Definition, Gathered] => [
      each,
      { totals: totals.get(each)!, isOwn: isOwn(each) },
    ]);
  return { points, ofCells, gathered: new Map(gathered) };
}

/** The one cell of a tensor that all calls in a value read, if there is such a cell. */
function pinnedIn(
  value: Scalar,
  captured: Definition,
  written: readonly Coefficient[],
): string | undefined {
  const own = written.filter(({ read }) => read.definition === captured);
  if (own.some(({ over }) => over?.length)) return undefined;
  const found = new Set<string>();
  eachScalar(value, (part) => {
    if (part.kind !== "call" || !readsOfFunction(part.invocation.function).has(captured)) return;
    for (const { indices, over } of cellsReadIn(part, captured))
      found.add(
        over.length > 0 ? "" : keyOf({ ...readCell(captured, [], captured.span), indices }),
      );
  });
  const [only, ...others] = found;
  return others.length === 0 && own.some(({ read }) => keyOf(read) === only) ? only : undefined;
}

/** A cell that a point reads, and under which outcomes it does. */
interface Cell {
  readonly read: Read;
  readonly under: readonly Outcome[];
}

/**
 * Every float that a value with calls reads beside them; nothing where there are no calls, or one
 * of them decides what is read.
 */
function cellsIn(value: Scalar): readonly Cell[] | undefined {
  const found = new Map<string, { readonly read: Read; readonly ways: (readonly Outcome[])[] }>();
  const walk = (scalar: Scalar, at: readonly Outcome[]): void => {
    switch (scalar.kind) {
      case "local":
      case "call":
        return;
      case "read": {
        if (!isFloat(scalar.type)) break;
        const key = keyOf(scalar);
        const cell = found.get(key) ?? { read: scalar, ways: [] };
        cell.ways.push(at);
        found.set(key, cell);
        break;
      }
      case "select":
        walk(scalar.condition, at);
        walk(scalar.then, [...at, { value: scalar.condition, holds: true }]);
        walk(scalar.otherwise, [...at, { value: scalar.condition, holds: false }]);
        return;
      default:
        break;
    }
    for (const part of partsOf(scalar)) walk(part, at);
  };
  walk(value, []);
  const { order, under } = reached([value]);
  for (const node of order)
    for (const part of "function" in node ? node.arguments : [node.value])
      walk(part, under.get(node)!);
  const cells = [...found.values()].map(({ read, ways }): Cell => ({
    read,
    under: eitherOf(ways),
  }));
  const isDecided = cells.some(({ under: outcomes }) =>
    outcomes.some((each) => callsSomething(each.value)),
  );
  return callsSomething(value) && !isDecided ? cells : undefined;
}

/** What the functions that a value calls read from around them. */
function readsInCalls(value: Scalar): ReadonlySet<Definition> {
  const found = new Set<Definition>();
  eachScalar(value, (part) => {
    if (part.kind === "call")
      for (const read of readsOfFunction(part.invocation.function)) found.add(read);
  });
  return found;
}

/** A point as a function of its coordinates and of the cells that it reads. */
function functionOf(
  { name, needs, span }: Definition,
  loops: readonly Loop[],
  value: Scalar,
  cells: readonly Cell[],
): ScalarFunction {
  const around = loops.map((loop) => newParameter(loop.variable.name, "i32"));
  const given = cells.map(({ read }) => newParameter(read.definition.name, read.type));
  const at = new Map(cells.map(({ read }, k) => [keyOf(read), valueOf(given[k]!)]));
  const locals = new Map<Local, Local>();
  const replaced = (scalar: Scalar): Scalar => {
    if (scalar.kind === "read") return at.get(keyOf(scalar)) ?? mapParts(scalar, replaced);
    if (scalar.kind !== "local") return mapParts(scalar, replaced);
    let local = locals.get(scalar.local);
    if (!local)
      locals.set(
        scalar.local,
        (local = { name: scalar.local.name, value: replaced(scalar.local.value) }),
      );
    return { ...scalar, local };
  };
  const by = atIndices(loops, around.map(valueOf));
  const result = withSharedCalls(instantiate(replaced(value), by));
  return {
    name,
    parameters: [...around, ...given],
    results: [result],
    needs: new Set(needs),
    span,
  };
}

/** The points of a clause, and where there are some. */
interface Site {
  readonly definition: Definition;
  readonly loops: readonly Loop[];
  readonly guards: readonly Scalar[];
  readonly define: Define;
  readonly span: Clause["span"];
}

/** How scalars of a site are said in other coordinates. */
type Said = (scalar: Scalar) => Scalar;

/** A tensor of something at every point. */
function atPoints(
  { definition, loops, guards, define, span }: Site,
  name: string,
  element: Scalar["type"],
  value: (said: Said) => Scalar,
  formula?: Scalar,
): Definition {
  const by = new Map<Loop["variable"], Scalar>();
  const own = freshLoops(loops, by);
  const said: Said = (scalar) => instantiate(scalar, by);
  const around = guards.map(said);
  const clauseOf = (of: Scalar): Clause => ({
    loops: own,
    guards: around,
    body: { kind: "map", value: of },
    span,
  });
  const made = clauseOf(value(said));
  if (formula) setOnlyFormula(made, clauseOf(said(formula)));
  const axes = loops.map(({ variable: v, to }, k): Axis => {
    const { term: extent } = to as Extract<Scalar, { kind: "integer" }>;
    return definition.axes[k] ?? { name: v.name, extent };
  });
  return define(`${definition.name}_${name}`, element, axes, [made], span);
}

/** Everything that one call gives. */
function allOf(invocation: Invocation, types: readonly Scalar["type"][]): Scalar {
  return boxOf(types.map((type, member): Scalar => ({ kind: "call", type, invocation, member })));
}
