// Products whose factors data chooses: over rows that data bounds, or with a cell that data chooses
// for each factor.
//
//    y[i] = prod[k in ptr[i]..ptr[i + 1]](f(i, k))        y[p] = prod[k](f(k) where at[k] == p)
//
// A box of positions for the factors could be far larger than their number. So a loop visits the
// factors in order. It has the product of each cell so far, and holds, for each factor, the product
// before it. A second loop visits the factors from the last one to the first one:
//
//    before(q, held, list) = before(q + 1, held with held[p]·f(q) at p, list with held[p] at q)
//    p is the cell to which the q-th factor goes
//
// Value and gradient visit each factor as often as the product itself, and do not divide. Readers
// see the rows in a box (other-factors.ts).

import { isOff } from "../../ir/rewrites.ts";
import {
  add,
  constant,
  constantOf,
  floorDiv,
  mod,
  multiply,
  ofVariable,
  plus,
  zero,
  type Term as Integer,
  type Variable,
} from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import type { Fact } from "../../affine/prove.ts";
import { isOneStep } from "../../cost/running.ts";
import { newOpaque } from "../../analyse/facts.ts";
import type {
  Axis,
  Clause,
  Definition,
  Invocation,
  Loop,
  Scalar,
  ScalarFunction,
} from "../../ir/program.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import {
  instantiate,
  integerScalar,
  arithmetic,
  coordinateScalar,
  atIndices,
} from "../../ir/substitute.ts";
import { conjuncts, tiesOf, usesAny } from "../../analyse/ties.ts";
import { compared } from "../../ir/integers.ts";
import type { Span } from "../../base/source.ts";
import { flattened, type Reduction } from "../transpose/box.ts";
import { asType, eitherWay, freshLoops, type Define } from "../sweep/cells.ts";
import { placeOf } from "../data/cotangents.ts";
import { setOnlyFormula } from "../sweep/formulas.ts";
import { boxOf, named, newParameter, nothing, partAt, valueOf, whereAll } from "../data/frames.ts";
import { isSmallFactor, typeOf, type Others } from "./other-factors.ts";
import { ownershipGuards } from "../sweep/ownership.ts";
import { isPower } from "./powers.ts";
import { algebraOf } from "../scalar/products.ts";
import { dataCall } from "../../ir/simple-scalars.ts";

/**
 * A walk through the factors of a product, in the coordinates of the cells that no guard ties to
 * factors.
 */
interface Walk {
  readonly clause: Clause;
  readonly body: Reduction;
  readonly outer: readonly Loop[];
  /** The coordinates of the cell to which a factor goes, each with its position. */
  readonly tied: readonly { readonly loop: Loop; readonly at: Scalar }[];
  /** The first place in a row, and the place behind the last one. */
  readonly low: Scalar;
  readonly high: Scalar;
  /** The reduced coordinates at a place, and the place in terms of these coordinates. */
  readonly at: (q: Integer) => readonly Integer[];
  readonly place: Integer;
  /** The other conditions under which a factor exists. */
  readonly guards: readonly Scalar[];
}

/** A clause that reads its cells from the walk through its factors. */
interface Site {
  readonly walk: Walk;
  /** The conditions under which cells exist, on coordinates that no guard ties. */
  readonly around: readonly Scalar[];
  /**
   * The products of the cells, the product before each factor, and the factors if they take some
   * work.
   */
  readonly rows: Definition;
  readonly keepsFactors: boolean;
}

const sites = new WeakMap<Clause, Site>();

/**
 * Rewrites products of this kind that are differentiated: their cells are read from the walk. The
 * clauses are changed in place.
 */
export function keepProducts(definition: Definition, known: readonly Fact[], define: Define): void {
  if (!isFloat(definition.element) || definition.rule || isOff("keep-products")) return;
  const clauses = definition.clauses.map((clause, position) => {
    const { body } = clause;
    const isWalked = body.kind === "reduce" && body.reduction === "prod" && !isPower(body);
    const walk = isWalked ? walkOf(definition, clause, body) : undefined;
    if (!walk) return clause;
    const guards = [...ownershipGuards(newOpaque(), definition, position, known), ...clause.guards];
    return keepProduct(definition, walk, guards, define);
  });
  if (clauses.some((clause, k) => clause !== definition.clauses[k])) definition.clauses = clauses;
}

function walkOf(definition: Definition, clause: Clause, body: Reduction): Walk | undefined {
  // Cells at different steps of a recurrence are computed at different times. One walk cannot
  // multiply into all of them.
  const found = tiesOf(clause.loops, body.loops, body.guards).filter(
    ({ axis, only }) => only?.type === "i32" && isOneStep(definition, axis),
  );
  const [first, ...others] = body.loops;
  const isBoundByData = first!.from.kind !== "integer" || first!.to.kind !== "integer";
  if (!isBoundByData && !found.some(({ only }) => only!.kind !== "integer")) return undefined;
  const tied = found.map(({ axis, only }) => ({ loop: clause.loops[axis]!, at: only! }));
  const outer = clause.loops.filter((loop) => !tied.some((each) => each.loop === loop));
  const usedGuards = new Set(found.flatMap((tie) => tie.said));
  const guards = body.guards.flatMap(conjuncts).filter((guard) => !usedGuards.has(guard));
  const row = isBoundByData ? rowOf(first!, others, body.span) : rowOfIntegers(body.loops);
  const isClosed = (term: Integer): boolean =>
    !body.loops.some((loop) => variablesOf(term).has(loop.variable));
  if (!row || !row.sizes.every(isClosed) || !tied.every(({ loop }) => hasIntegerEnds(loop)))
    return undefined;
  return { clause, body, outer, tied, guards, ...row };
}

type Row = Pick<Walk, "low" | "high" | "at" | "place"> & { readonly sizes: readonly Integer[] };

/**
 * A row by its first coordinate. Each of its positions has a place for each position of the other
 * coordinates.
 */
function rowOf(
  { variable: v, from, to }: Loop,
  others: readonly Loop[],
  span: Span,
): Row | undefined {
  const inner = flattened(others);
  if (!inner || from.type !== "i32" || to.type !== "i32") return undefined;
  const { size } = inner;
  const isOne = constantOf(size) === 1;
  const times = (bound: Scalar): Scalar =>
    isOne ? bound : arithmetic("multiply", bound, integerScalar(size), span);
  return {
    low: times(from),
    high: times(to),
    at: (q) => (isOne ? [q, ...inner.at(zero)] : [floorDiv(q, size), ...inner.at(mod(q, size))]),
    place: inner.of.reduce(add, multiply(ofVariable(v), size)),
    sizes: [size],
  };
}

function rowOfIntegers(loops: readonly Loop[]): Row | undefined {
  const flat = flattened(loops);
  if (!flat) return undefined;
  const { size, at } = flat;
  return {
    low: integerScalar(zero),
    high: integerScalar(size),
    at,
    place: flat.of.reduce(add, constant(0)),
    sizes: [size],
  };
}

function hasIntegerEnds({ from, to }: Loop): boolean {
  return from.kind === "integer" && to.kind === "integer";
}

function keepProduct(
  definition: Definition,
  walk: Walk,
  guards: readonly Scalar[],
  define: Define,
): Clause {
  const { clause, body, tied } = walk;
  const type = typeOf(definition);
  const tiedLoops = tied.map(({ loop }) => loop);
  const isAround = (guard: Scalar): boolean => !usesAny(guard, tiedLoops);
  const inside = {
    ...walk,
    guards: [...guards.filter((guard) => !isAround(guard)), ...walk.guards],
  };
  const around = guards.filter(isAround);
  const keepsFactors = !isSmallFactor(body.value);
  const unit = algebraOf(type, body.span).number(1);
  const rows = allWalks(definition, inside, around, define, {
    name: `${definition.name}_before`,
    type,
    start: unit,
    direction: "up",
    keepsFactors,
  });
  const cell =
    tied.length === 0
      ? resultOfWalk(rows, walk, 0, type)
      : held(resultOfWalk(rows, walk, 0, "data"), cellPlace(walk), unit);
  const kept: Clause = {
    ...clause,
    body: { kind: "map", value: asType(cell, definition.element) },
  };
  setOnlyFormula(kept, clause);
  sites.set(kept, { walk: inside, around, rows, keepsFactors });
  return kept;
}

export function isSparse(clause: Clause): boolean {
  return sites.has(clause);
}

/**
 * Rows of factors, one for each cell. All factors between the bounds of a row belong to its cell.
 */
export interface Rows {
  readonly loops: readonly Loop[];
  /** The conditions under which cells exist. */
  readonly guards: readonly Scalar[];
  readonly low: Scalar;
  readonly high: Scalar;
  readonly factors: readonly Loop[];
  readonly at: Walk["at"];
  /** The conditions under which a factor exists, and the factor. */
  readonly filters: readonly Scalar[];
  readonly factor: Scalar;
  /**
   * The values that were held for a place of the row: the product before it, and the factor. A
   * factor that was not held is computed again.
   */
  readonly before: (place: Scalar) => Scalar;
  readonly again: (place: Scalar) => Scalar;
}

/** The rows that a clause reads. `undefined` if data chooses the cell of a factor. */
export function keptRows(definition: Definition, kept: Clause): Rows | undefined {
  const { walk, around, rows, keepsFactors } = sites.get(kept)!;
  if (walk.tied.length > 0) return undefined;
  const { outer, low, high, at, guards, body } = walk;
  const type = typeOf(definition);
  const unit = algebraOf(type, body.span).number(1);
  const heldIn = (member: number) => (place: Scalar) =>
    held(resultOfWalk(rows, walk, member, "data"), place, unit);
  return {
    loops: outer,
    guards: around,
    low,
    high,
    factors: body.loops,
    at,
    filters: guards,
    factor: body.value,
    before: heldIn(1),
    again: keepsFactors ? heldIn(2) : () => asType(body.value, type),
  };
}

/** The rule of `prod` for a kept clause, in the coordinates of the original clause. */
export function sparseOthers(definition: Definition, kept: Clause, define: Define): Others {
  const site = sites.get(kept)!;
  const { walk, rows, around } = site;
  const type = typeOf(definition);
  const unit = algebraOf(type, walk.body.span).number(1);
  const factors = site.keepsFactors
    ? (place: Scalar) => held(resultOfWalk(rows, walk, 2, "data"), place, unit)
    : undefined;
  const at = (products: Definition): Scalar =>
    asType(
      held(resultOfWalk(products, walk, 1, "data"), integerScalar(walk.place), unit),
      definition.element,
    );
  const behind = (name: string, start: Scalar): Definition =>
    allWalks(definition, walk, around, define, {
      name,
      type,
      start,
      direction: "down",
      keepsFactors: false,
      ...(factors ? { factors } : {}),
    });
  return {
    others: [at(rows), at(behind(`${definition.name}_behind`, unit))],
    times: (incoming, name) => [at(behind(`${name}_behind`, asType(incoming, type))), at(rows)],
    factor: undefined,
  };
}

interface Walking {
  readonly name: string;
  readonly type: FloatType;
  /** The value of a cell before its first factor. */
  readonly start: Scalar;
  readonly direction: "up" | "down";
  /** The factors at their places, if they are kept already; or whether they are to be kept. */
  readonly factors?: (place: Scalar) => Scalar;
  readonly keepsFactors: boolean;
}

/**
 * A definition of all walks: for every cell that no guard ties, the products of its cells in the
 * end, and the product that each factor has found.
 */
function allWalks(
  definition: Definition,
  walk: Walk,
  around: readonly Scalar[],
  define: Define,
  walking: Walking,
): Definition {
  const { outer, tied, low, high, body } = walk;
  const { name, start, direction } = walking;
  const { span } = body;
  const by = new Map<Variable, Scalar>();
  const loops = eitherWay(freshLoops(outer, by));
  const axes = outer.map((loop): Axis => definition.axes[walk.clause.loops.indexOf(loop)]!);
  const [from, to] = [low, high].map((bound) => instantiate(bound, by));
  const ends = direction === "up" ? [from!, to!] : [to!, from!];
  const none = tied.length === 0 ? instantiate(start, by) : nothing;
  const round = walkFunction(definition, walk, walking);
  const lists = walking.keepsFactors ? [nothing, nothing] : [nothing];
  const invocation: Invocation = {
    function: round,
    arguments: [...loops.map(coordinateScalar), ...ends, none, ...lists],
    span,
  };
  const value: Scalar = { kind: "call", type: "data", invocation, member: 0 };
  const guards = around.map((guard) => instantiate(guard, by));
  return define(name, "data", axes, [{ loops, guards, body: { kind: "map", value }, span }], span);
}

/** A function that visits one factor and then the others. */
function walkFunction(definition: Definition, walk: Walk, walking: Walking): ScalarFunction {
  const { outer, tied, body, guards } = walk;
  const { type, start, direction } = walking;
  const { span } = body;
  const around = outer.map((loop) => newParameter(loop.variable.name, "i32"));
  const [q, end] = [newParameter("q", "i32"), newParameter("end", "i32")];
  const products = newParameter("held", tied.length === 0 ? type : "data");
  const list = newParameter("list", "data");
  const factors = walking.keepsFactors ? [newParameter("factors", "data")] : [];
  const round: ScalarFunction = {
    name: definition.name,
    parameters: [...around, q, end, products, list, ...factors],
    results: [],
    needs: new Set(definition.needs),
    rounds: { loops: body.loops, guards: [] },
    span,
  };
  const position = direction === "up" ? ofVariable(q.variable) : plus(ofVariable(q.variable), -1);
  const by = atIndices(outer, around.map(valueOf));
  for (const [k, place] of walk.at(position).entries())
    by.set(body.loops[k]!.variable, integerScalar(place));
  for (const { loop, at } of tied)
    by.set(loop.variable, named(loop.variable.name, instantiate(at, by)));
  const here = integerScalar(position);
  const algebra = algebraOf(type, span);
  const factor = named(
    "factor",
    walking.factors
      ? instantiate(walking.factors(here), by)
      : asType(instantiate(body.value, by), type),
  );
  const cell = tied.length > 0 ? named("cell", instantiate(cellPlace(walk), by)) : undefined;
  const found = cell
    ? named("found", held(valueOf(products), cell, instantiate(start, by)))
    : valueOf(products);
  const product = algebra.apply("multiply", found, factor);
  const counts = [
    ...tied.flatMap(({ loop }) => rangeConditions(loop, by, span)),
    ...guards.map((guard) => instantiate(guard, by)),
  ];
  const outcomes = counts.map((value) => ({ value: named("counts", value), holds: true }));
  const changed = (value: Scalar, before: Scalar): Scalar => whereAll(outcomes, value, before);
  const heldAfter = [
    changed(cell ? hold(valueOf(products), cell, product) : product, valueOf(products)),
    changed(hold(valueOf(list), here, found), valueOf(list)),
    ...factors.map((each) => changed(hold(valueOf(each), here, factor), valueOf(each))),
  ];
  const next = integerScalar(plus(ofVariable(q.variable), direction === "up" ? 1 : -1));
  const nextRound: Invocation = {
    function: round,
    arguments: [...around.map(valueOf), next, valueOf(end), ...heldAfter],
    span,
  };
  const order = direction === "up" ? [q, end] : [end, q];
  round.results = [
    {
      kind: "select",
      type: "data",
      condition: compared("less", valueOf(order[0]!), valueOf(order[1]!), span),
      then: { kind: "call", type: "data", invocation: nextRound, member: 0 },
      otherwise: boxOf([products, list, ...factors].map(valueOf)),
    },
  ];
  return round;
}

/** Conditions that the position from data is in the range of the cell's coordinate. */
function rangeConditions(
  { variable: v, from, to }: Loop,
  by: ReadonlyMap<Variable, Scalar>,
  span: Span,
): readonly Scalar[] {
  const at = by.get(v)!;
  return [compared("lessEqual", from, at, span), compared("less", at, to, span)];
}

/** The place of a cell among the cells to which factors are sent. */
function cellPlace({ tied, body }: Walk): Scalar {
  const ends = tied.map(({ loop }) => loop.to);
  return placeOf(
    tied.map(({ loop }) => coordinateScalar(loop)),
    ends,
    body.span,
  );
}

/** One result of the walk, at the cell of the clause. */
function resultOfWalk(
  rows: Definition,
  { outer, body }: Walk,
  member: number,
  type: FloatType | "data",
): Scalar {
  const indices = outer.map(coordinateScalar);
  return partAt(
    { kind: "read", type: "data", definition: rows, indices, span: body.span },
    member,
    type,
  );
}

function hold(data: Scalar, place: Scalar, value: Scalar): Scalar {
  return dataCall("hold", [data, place, value], "data");
}

function held(data: Scalar, place: Scalar, otherwise: Scalar): Scalar {
  return dataCall("held", [data, place, otherwise], otherwise.type);
}
