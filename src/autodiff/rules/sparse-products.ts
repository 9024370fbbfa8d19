// Products whose factors data chooses: over rows that data bounds, and of what data sends to a
// cell.
//
//   y[i] = prod[k in ptr[i]..ptr[i + 1]](f(i, k))        y[p] = prod[k](f(k) where at[k] == p)
//
// No box of positions holds their factors that would not be far larger than their number. A loop
// takes the factors in order, with the product that each cell has so far, and holds at the place of
// every factor what stands before it; another one takes them from the last to the first:
//
//   before(q, held, list) = before(q + 1, held with held[p]·f(q) at p, list with held[p] at q),   p the cell that the q-th factor goes to
//
// So value and gradient visit each factor as often as the product does, and nothing is divided by.
// Readers see the rows in a box (other-factors.ts).

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
 * The factors of a product in a row, in the coordinates of the cells that no guard ties to them.
 */
interface Walk {
  readonly clause: Clause;
  readonly body: Reduction;
  readonly outer: readonly Loop[];
  /** Coordinates of the cell that a factor goes to, each with its position. */
  readonly tied: readonly { readonly loop: Loop; readonly at: Scalar }[];
  /** The first place in a row, and the one behind the last. */
  readonly low: Scalar;
  readonly high: Scalar;
  /** The reduced coordinates at a place, and the place in terms of them. */
  readonly at: (q: Integer) => readonly Integer[];
  readonly place: Integer;
  /** What else decides whether there is a factor. */
  readonly guards: readonly Scalar[];
}

/** A clause whose cells are read from the walk over its factors. */
interface Site {
  readonly walk: Walk;
  /** Where there are cells, in coordinates that no guard ties. */
  readonly around: readonly Scalar[];
  /**
   * The products of the cells, what stands before each factor, and the factors themselves where
   * they take some work.
   */
  readonly rows: Definition;
  readonly keepsFactors: boolean;
}

const sites = new WeakMap<Clause, Site>();

/**
 * Products of this kind that are differentiated are read from the walk over their factors: the
 * clauses are rewritten in place.
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
  // Cells that wait for one another are not multiplied into along one walk.
  const found = tiesOf(clause.loops, body.loops, body.guards).filter(
    ({ axis, only }) => only?.type === "i32" && isOneStep(definition, axis),
  );
  const [first, ...others] = body.loops;
  const isBoundByData = first!.from.kind !== "integer" || first!.to.kind !== "integer";
  if (!isBoundByData && !found.some(({ only }) => only!.kind !== "integer")) return undefined;
  const tied = found.map(({ axis, only }) => ({ loop: clause.loops[axis]!, at: only! }));
  const outer = clause.loops.filter((loop) => !tied.some((each) => each.loop === loop));
  const said = new Set(found.flatMap((tie) => tie.said));
  const guards = body.guards.flatMap(conjuncts).filter((guard) => !said.has(guard));
  const row = isBoundByData ? rowOf(first!, others, body.span) : rowOfIntegers(body.loops);
  const isClosed = (term: Integer): boolean =>
    !body.loops.some((loop) => variablesOf(term).has(loop.variable));
  if (!row || !row.sizes.every(isClosed) || !tied.every(({ loop }) => hasIntegerEnds(loop)))
    return undefined;
  return { clause, body, outer, tied, guards, ...row };
}

type Row = Pick<Walk, "low" | "high" | "at" | "place"> & { readonly sizes: readonly Integer[] };

/** Places are the positions of the first coordinate, each as often as the others have positions. */
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
  const rows = walked(definition, inside, around, define, {
    name: `${definition.name}_before`,
    type,
    start: unit,
    direction: "up",
    keepsFactors,
  });
  const cell =
    tied.length === 0
      ? partOf(rows, walk, 0, type)
      : held(partOf(rows, walk, 0, "data"), cellPlace(walk), unit);
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

/** Rows of factors, one for each cell: all factors between the bounds of a row are its own. */
export interface Rows {
  readonly loops: readonly Loop[];
  /** Where there are cells. */
  readonly guards: readonly Scalar[];
  readonly low: Scalar;
  readonly high: Scalar;
  readonly factors: readonly Loop[];
  readonly at: Walk["at"];
  /** What decides whether there is a factor, and what it is. */
  readonly filters: readonly Scalar[];
  readonly factor: Scalar;
  /**
   * What was held at a place of the row: the product before it, and the factor, or the factor
   * computed again.
   */
  readonly before: (place: Scalar) => Scalar;
  readonly again: (place: Scalar) => Scalar;
}

/** The rows that a clause was read from; nothing where data says to which cell a factor goes. */
export function keptRows(definition: Definition, kept: Clause): Rows | undefined {
  const { walk, around, rows, keepsFactors } = sites.get(kept)!;
  if (walk.tied.length > 0) return undefined;
  const { outer, low, high, at, guards, body } = walk;
  const type = typeOf(definition);
  const unit = algebraOf(type, body.span).number(1);
  const heldIn = (member: number) => (place: Scalar) =>
    held(partOf(rows, walk, member, "data"), place, unit);
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

/**
 * The rule of `prod` for a clause that was kept, in the coordinates of the clause as it was
 * written.
 */
export function sparseOthers(definition: Definition, kept: Clause, define: Define): Others {
  const site = sites.get(kept)!;
  const { walk, rows, around } = site;
  const type = typeOf(definition);
  const unit = algebraOf(type, walk.body.span).number(1);
  const factors = site.keepsFactors
    ? (place: Scalar) => held(partOf(rows, walk, 2, "data"), place, unit)
    : undefined;
  const at = (made: Definition): Scalar =>
    asType(
      held(partOf(made, walk, 1, "data"), integerScalar(walk.place), unit),
      definition.element,
    );
  const behind = (name: string, start: Scalar): Definition =>
    walked(definition, walk, around, define, {
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
  /** What a cell has before its first factor. */
  readonly start: Scalar;
  readonly direction: "up" | "down";
  /** The factors at their places, where they are there already; or whether they are to be. */
  readonly factors?: (place: Scalar) => Scalar;
  readonly keepsFactors: boolean;
}

/**
 * For every cell that no guard ties: what its cells have in the end, and what each factor has found
 * there.
 */
function walked(
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
  const made = roundOf(definition, walk, walking);
  const lists = walking.keepsFactors ? [nothing, nothing] : [nothing];
  const invocation: Invocation = {
    function: made,
    arguments: [...loops.map(coordinateScalar), ...ends, none, ...lists],
    span,
  };
  const value: Scalar = { kind: "call", type: "data", invocation, member: 0 };
  const guards = around.map((guard) => instantiate(guard, by));
  return define(name, "data", axes, [{ loops, guards, body: { kind: "map", value }, span }], span);
}

/** One factor, and then the others. */
function roundOf(definition: Definition, walk: Walk, walking: Walking): ScalarFunction {
  const { outer, tied, body, guards } = walk;
  const { type, start, direction } = walking;
  const { span } = body;
  const around = outer.map((loop) => newParameter(loop.variable.name, "i32"));
  const [q, end] = [newParameter("q", "i32"), newParameter("end", "i32")];
  const products = newParameter("held", tied.length === 0 ? type : "data");
  const list = newParameter("list", "data");
  const factors = walking.keepsFactors ? [newParameter("factors", "data")] : [];
  const made: ScalarFunction = {
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
    ...tied.flatMap(({ loop }) => insideOf(loop, by, span)),
    ...guards.map((guard) => instantiate(guard, by)),
  ];
  const outcomes = counts.map((value) => ({ value: named("counts", value), holds: true }));
  const changed = (value: Scalar, before: Scalar): Scalar => whereAll(outcomes, value, before);
  const after = [
    changed(cell ? hold(valueOf(products), cell, product) : product, valueOf(products)),
    changed(hold(valueOf(list), here, found), valueOf(list)),
    ...factors.map((each) => changed(hold(valueOf(each), here, factor), valueOf(each))),
  ];
  const next = integerScalar(plus(ofVariable(q.variable), direction === "up" ? 1 : -1));
  const again: Invocation = {
    function: made,
    arguments: [...around.map(valueOf), next, valueOf(end), ...after],
    span,
  };
  const order = direction === "up" ? [q, end] : [end, q];
  made.results = [
    {
      kind: "select",
      type: "data",
      condition: compared("less", valueOf(order[0]!), valueOf(order[1]!), span),
      then: { kind: "call", type: "data", invocation: again, member: 0 },
      otherwise: boxOf([products, list, ...factors].map(valueOf)),
    },
  ];
  return made;
}

/** Whether the position that data says is one of the cell's. */
function insideOf(
  { variable: v, from, to }: Loop,
  by: ReadonlyMap<Variable, Scalar>,
  span: Span,
): readonly Scalar[] {
  const at = by.get(v)!;
  return [compared("lessEqual", from, at, span), compared("less", at, to, span)];
}

/** The place of a cell among those that factors are sent to. */
function cellPlace({ tied, body }: Walk): Scalar {
  const ends = tied.map(({ loop }) => loop.to);
  return placeOf(
    tied.map(({ loop }) => coordinateScalar(loop)),
    ends,
    body.span,
  );
}

/** A part of what a walk has given, at the cell of the clause. */
function partOf(
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
