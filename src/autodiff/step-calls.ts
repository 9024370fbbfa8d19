// Calls in the steps of a recurrence. What a step's calls send back goes to the steps before it, so that they cannot be taken back all together, as those of
// other tensors are (calls.ts). Each point is made a function of the cells that it reads. Its calls are kept in their step, and taken back behind the last
// step for a unit that comes in:
//
//   y[t] = F(a, b)      kept[t] = [F(a, b), frame]      [∂F/∂a, ∂F/∂b] = pulled(a, b, frame of kept[t], 1)
//
// So all slopes take one way through the calls and one way back, and the adjoint runs through the steps with plain factors.
// Readers see companions in their place (functions.ts), and further derivatives go through those.

import { ofVariable } from "../ir/affine/term.ts";
import { keyOf } from "../ir/keys.ts";
import { eachScalar, mapParts, partsOf } from "../ir/parts.ts";
import type { Axis, Clause, Definition, Invocation, Local, Loop, Scalar, ScalarFunction } from "../ir/program.ts";
import { readsOfFunction } from "../ir/references.ts";
import { isFloat, type FloatType } from "../ir/scalar/types.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { flattened } from "./box.ts";
import { freshLoops, readCell, type Define } from "./cells.ts";
import { sumOfCounting } from "./choices.ts";
import { asFormula, setFormula, setOnlyFormula } from "./formulas.ts";
import {
  boxOf,
  eitherOf,
  keptCall,
  newParameter,
  partAt,
  planOf,
  reached,
  valueOf,
  whereAll,
  withSharedCalls,
  zeroScalar,
  type Outcome,
  type Plans,
} from "./frames.ts";
import { holding, linearize, type Coefficient } from "./linearize.ts";
import { algebraOf, one, productScalar } from "./products.ts";
import { pullbackOf } from "./pullbacks.ts";

type Varies = (definition: Definition) => boolean;
type Read = Extract<Scalar, { kind: "read" }>;

/** The coefficients of the cells that the points of a clause read, by the clause as it was written. */
const known = new WeakMap<Clause, readonly Coefficient[]>();

export function keptSlopes(clause: Clause): readonly Coefficient[] | undefined {
  return known.get(clause);
}

/** Whether the points of a clause are read from what their calls have kept. */
export function isKeptInSteps(clause: Clause): boolean {
  return known.has(asFormula(clause));
}

/** The clause of a recurrence with its calls kept; the clause itself where they are taken back once at most, or cannot be kept. */
export function keepInSteps(
  definition: Definition,
  clause: Clause,
  guards: readonly Scalar[],
  varies: Varies,
  define: Define,
): Clause {
  const { body } = clause;
  const loops = body.kind === "map" ? clause.loops : [...clause.loops, ...body.loops];
  const cells = cellsIn(body.value, varies);
  const isOften = linearize(body.value, varies, () => undefined).coefficients.length > 1;
  if (!cells || !isOften || !flattened(loops)) return clause;
  const inside = body.kind === "map" ? guards : [...guards, ...body.guards];
  const site: Site = { definition, loops, guards: inside, define, span: clause.span };
  const { type } = body.value;
  const plans: Plans = new Map();
  const plan = planOf(functionOf(definition, loops, body.value, cells), plans);
  const given = [
    ...loops.map((loop) => integerScalar(ofVariable(loop.variable))),
    ...cells.map(({ read, under }) => whereAll(under, read, zeroScalar(read.type))),
  ];
  const kept = atPoints(site, "kept", "data", (said) =>
    allOf(keptCall(plan, given.map(said), clause.span), [type, "data"]),
  );
  const here = readCell(kept, loops, clause.span);
  const unit: Scalar = { kind: "constant", type, value: 1 };
  const back = [...given, partAt(here, 1, "data"), unit];
  const { function: pulled } = pullbackOf(plan, plans, []);
  const slopes = atPoints(
    site,
    "slopes",
    "data",
    (said) =>
    allOf({ function: pulled, arguments: back.map(said), span: clause.span }, cells.map(({ read }) => read.type)), // prettier-ignore
  );
  known.set(clause, coefficientsOf(site, body.value, cells, readCell(slopes, loops, clause.span)));
  const made: Clause = { ...clause, body: { ...body, value: partAt(here, 0, type) } };
  setFormula(made, clause);
  return made;
}

/** The coefficient of each cell that a value moves with, from the slopes by all of them. Whoever comes next may ask for other cells than the first. */
function coefficientsOf(site: Site, value: Scalar, cells: readonly Cell[], slopes: Scalar): readonly Coefficient[] {
  const { loops, span } = site;
  const written = linearize(value, ({ element }) => isFloat(element), () => undefined).coefficients; // prettier-ignore
  return cells.flatMap(({ read, under }, k): readonly Coefficient[] => {
    const type = read.type as FloatType;
    const parts = written
      .filter((each) => keyOf(each.read) === keyOf(read))
      .map(({ product, conditions }) => ({
        value: productScalar(product, type, span),
        conditions: conditions.map(holding),
      }));
    if (parts.length === 0) return [];
    const formula = sumOfCounting(parts, algebraOf(type, span), span);
    const slope = atPoints(site, `by_${read.definition.name}`, type, (said) => said(partAt(slopes, k, type)), formula);
    return [{ read, product: { ...one, factors: [readCell(slope, loops, span)] }, conditions: under }];
  });
}

/** A cell that a point reads, and under which outcomes it does. */
interface Cell {
  readonly read: Read;
  readonly under: readonly Outcome[];
}

/** Every float that a value with calls reads; nothing where there are no calls, or one that also moves with something else. */
function cellsIn(value: Scalar, varies: Varies): readonly Cell[] | undefined {
  const found = new Map<string, { readonly read: Read; readonly ways: (readonly Outcome[])[] }>();
  let fits = true;
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
      case "data":
        fits = false;
        return;
      default:
        break;
    }
    for (const part of partsOf(scalar)) walk(part, at);
  };
  walk(value, []);
  const { order, under } = reached([value]);
  const calls = order.filter((node) => "function" in node);
  for (const node of order) for (const part of "function" in node ? node.arguments : [node.value]) walk(part, under.get(node)!); // prettier-ignore
  const cells = [...found.values()].map(({ read, ways }): Cell => ({ read, under: eitherOf(ways) }));
  fits &&= calls.length > 0 && calls.every((call) => isOfArguments(call, varies));
  return fits && !cells.some(({ under: outcomes }) => outcomes.some((each) => callsIn(each.value))) ? cells : undefined;
}

/** Does a call move with its arguments alone, which are numbers? */
function isOfArguments({ function: called }: Invocation, varies: Varies): boolean {
  if (called.rule || [...called.parameters, ...called.results].some(({ type }) => type === "data")) return false;
  return ![...readsOfFunction(called)].some(varies);
}

function callsIn(scalar: Scalar): boolean {
  let found = false;
  eachScalar(scalar, (part) => void (found ||= part.kind === "call"));
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
    if (!local) locals.set(scalar.local, (local = { name: scalar.local.name, value: replaced(scalar.local.value) }));
    return { ...scalar, local };
  };
  const by = new Map(loops.map((loop, k) => [loop.variable, valueOf(around[k]!)]));
  const result = withSharedCalls(instantiate(replaced(value), by));
  return { name, parameters: [...around, ...given], results: [result], needs: new Set(needs), span };
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
  const clauseOf = (of: Scalar): Clause => ({ loops: own, guards: around, body: { kind: "map", value: of }, span });
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
