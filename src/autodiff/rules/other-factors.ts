// The rule of `prod`: the coefficient of a factor is the product of all other factors, those before
// it and those behind it.
//
//    before[q] = prod[k in 0..q](f(k))      behind[q] = prod[k in q + 1..n](f(k))
//    dy = Σ before[q]·behind[q]·df(q)
//
// The rule divides by no factor. So it is exact with any number of zeros, overflows elsewhere do no
// harm, and its own derivatives are exact, too. Both products are running products. The last cell
// of `before` is the whole product, so it is computed once for the value and its derivatives. The
// incoming gradient is one more factor behind the last one. The work is a constant times the work
// of the product alone.

import { isOff } from "../../ir/rewrites.ts";
import {
  add,
  equal,
  ofVariable,
  plus,
  renewed,
  variable,
  zero,
  type Term as Integer,
} from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { isOfCoordinates } from "../../ir/parts.ts";
import type { Axis, Clause, Definition, Loop, Scalar } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { reachable } from "../../analyse/schedule.ts";
import { instantiate, integerScalar, coordinateScalar, atIndices } from "../../ir/substitute.ts";
import { isFloat, type FloatType } from "../../scalar/types.ts";
import { compared } from "../../ir/integers.ts";
import {
  boxed,
  flattened,
  greatest,
  tightened,
  type Flattened,
  type Reduction,
} from "../transpose/box.ts";
import { asType, eitherWay, definedEverywhere, freshLoops, type Define } from "../sweep/cells.ts";
import { measuring } from "../transpose/measured.ts";
import { algebraOf } from "../scalar/products.ts";
import { runningOf } from "./running.ts";

/**
 * The factors of a product in a row, and for each position the product of the factors before it.
 * The last of these is the whole product.
 */
interface Row {
  readonly clause: Clause;
  readonly body: Reduction;
  /** The positions, counted from the start of each cell's own range. */
  readonly flat: Flattened;
  /**
   * The length of the longest row. If the rows have different lengths, the positions behind the end
   * of a row are left out.
   */
  readonly longest: Integer;
  readonly factorAt: (loops: readonly Loop[], q: Integer) => Scalar;
  /** The factors, if they are kept. */
  readonly factors: Definition | undefined;
  readonly before: Definition;
}

/** The rows from which clauses read their whole product. */
const rows = new WeakMap<Clause, Row>();

/** Products of beginnings and ends of rows. They need no rows themselves. */
const rowProducts = new WeakSet<Definition>();

/**
 * Rewrites products that are differentiated: the whole product is read from the products of
 * beginnings. The clauses are changed in place.
 */
export function shareProducts(definition: Definition, define: Define): void {
  if (isOff("share-products")) return;
  if (!isFloat(definition.element) || runningOf(definition) || rowProducts.has(definition)) return;
  definition.clauses = definition.clauses.map((clause) => {
    const { body, loops } = clause;
    if (body.kind !== "reduce" || body.reduction !== "prod") return clause;
    const own = ownRows(clause, body);
    // The whole product stands behind the last factor. A range that may end before it begins has no
    // such position.
    if (!own || (isEqualForAllCells(clause, own.flat.size) && !isNeverNegative(own.flat.size)))
      return clause;
    // A product inside a recurrence would make its row a member of the recurrence.
    if (reachable([...readsOf(definition)]).includes(definition)) return clause;
    const row = rowOf(definition, clause, body, define);
    const indices = [...loops.map(coordinateScalar), integerScalar(row.flat.size)];
    const { element } = row.before;
    const whole: Scalar = {
      kind: "read",
      type: element,
      definition: row.before,
      indices,
      span: body.span,
    };
    const shared: Clause = {
      ...clause,
      body: { kind: "map", value: asType(whole, definition.element) },
    };
    rows.set(shared, row);
    return shared;
  });
}

/** The original clause, if its product is read from a row. */
export function unshared(clause: Clause): Clause {
  return rows.get(clause)?.clause ?? clause;
}

export interface Others {
  /** The product of all factors but one. */
  readonly others: readonly Scalar[];
  /** The same product times the incoming gradient. */
  readonly times: (incoming: Scalar, name: string) => readonly Scalar[];
  /** The one factor, if it is kept. */
  readonly factor: Scalar | undefined;
}

export function otherFactorsOf(
  definition: Definition,
  clause: Clause,
  written: Reduction,
  define: Define,
): Others {
  const row = rows.get(clause) ?? rowOf(definition, clause, written, define);
  const { body, flat, before, factors } = row;
  const position = flat.of.reduce((a, b) => add(a, b));
  const here = [...clause.loops.map(coordinateScalar), integerScalar(position)];
  const at = (products: Definition): Scalar =>
    asType(
      {
        kind: "read",
        type: products.element,
        definition: products,
        indices: here,
        span: body.span,
      },
      definition.element,
    );
  return {
    others: [at(before), at(productsBehind(definition, row, define))],
    times: (incoming, name) => [
      at(productsBehind(definition, row, define, { incoming, name })),
      at(before),
    ],
    factor: factors && at(factors),
  };
}

function rowOf(definition: Definition, clause: Clause, written: Reduction, define: Define): Row {
  const walk = walkOf(definition, clause, written, define);
  const { body, flat } = walk;
  // A factor that takes at most a read and an operation is computed where it is used. Other factors
  // are kept.
  const factors = isSmall(clause, body) ? undefined : factorsOf(definition, clause, walk, define);
  const factorAt = (loops: readonly Loop[], q: Integer): Scalar => {
    const here = loops.map(coordinateScalar);
    const type = typeOf(definition);
    if (factors) {
      const indices = [...here, integerScalar(q)];
      return asType(
        { kind: "read", type: factors.element, definition: factors, indices, span: body.span },
        type,
      );
    }
    const by = atIndices(clause.loops, here);
    for (const [k, place] of flat.at(q).entries())
      by.set(body.loops[k]!.variable, instantiate(integerScalar(place), by));
    const value = asType(instantiate(body.value, by), type);
    const algebra = algebraOf(type, body.span);
    return body.guards.reduceRight(
      (inner, guard) => algebra.select(instantiate(guard, by), inner, algebra.number(1)),
      value,
    );
  };
  const row = { clause, factorAt, factors, ...walk };
  const before = runningProduct(definition, row, define, {
    name: `${definition.name}_before`,
    cells: plus(walk.longest, 1),
    until: plus(flat.size, 1),
    range: (q) => [zero, q],
    factor: factorAt,
  });
  return { ...row, before };
}

/** Is a factor one read with at most one operation, under guards on coordinates alone? */
function isSmall(clause: Clause, { value, guards }: Reduction): boolean {
  return [...clause.guards, ...guards].every(isOfCoordinates) && isSmallFactor(value);
}

/**
 * Is it one read with at most one operation? The index of the read must not be data, which takes
 * another read.
 */
export function isSmallFactor(value: Scalar): boolean {
  const isRead = (part: Scalar): boolean =>
    part.kind === "read" && part.indices.every(isOfCoordinates);
  if (value.kind !== "apply") return isRead(value);
  const { operands } = value;
  return (
    operands.every((part) => isRead(part) || part.kind === "constant") &&
    operands.filter(isRead).length === 1
  );
}

/** Half floats are multiplied in f32, as in their products. */
export function typeOf({ element }: Definition): FloatType {
  return element === "f16" || element === "bf16" ? "f32" : (element as FloatType);
}

/** The product behind each factor. The incoming gradient is behind the last factor. */
function productsBehind(
  definition: Definition,
  row: Omit<Row, "before">,
  define: Define,
  last?: { readonly incoming: Scalar; readonly name: string },
): Definition {
  const { clause, body, flat, longest, factorAt } = row;
  const { size } = flat;
  const type = typeOf(definition);
  return runningProduct(definition, row, define, {
    name: `${last?.name ?? definition.name}_behind`,
    cells: longest,
    until: size,
    range: (q) => [plus(q, 1), last ? plus(size, 1) : size],
    factor: (loops, k) => {
      if (!last) return factorAt(loops, k);
      const by = new Map(
        clause.loops.map((loop, n) => [loop.variable, coordinateScalar(loops[n]!)] as const),
      );
      const isFactor = isLess(k, instantiate(integerScalar(size), by), body);
      const incoming = asType(instantiate(last.incoming, by), type);
      return {
        kind: "select",
        type,
        condition: isFactor,
        then: factorAt(loops, k),
        otherwise: incoming,
      };
    },
  });
}

function isLess(k: Integer, end: Scalar, { span }: Reduction): Scalar {
  return compared("less", integerScalar(k), end, span);
}

interface Products {
  readonly name: string;
  readonly cells: Integer;
  /** The end of a row, in the coordinates of its cell. Positions from here on belong to no row. */
  readonly until: Integer;
  readonly range: (q: Integer) => readonly [Integer, Integer];
  readonly factor: (loops: readonly Loop[], k: Integer) => Scalar;
}

/** A product for each cell of the definition and each position in its row. */
function runningProduct(
  definition: Definition,
  { clause, body }: Omit<Row, "before">,
  define: Define,
  { name, cells, until, range, factor }: Products,
): Definition {
  const type = typeOf(definition);
  const { span } = body;
  const [along] = body.loops;
  const axes: readonly Axis[] = [...definition.axes, { name: along!.variable.name, extent: cells }];
  const by = new Map<Loop["variable"], Scalar>();
  const loops = eitherWay(freshLoops(clause.loops, by));
  const q = loopOver(variable("q"), zero, cells);
  const [from, to] = range(ofVariable(q.variable)).map((bound) =>
    instantiate(integerScalar(bound), by),
  );
  const k: Loop = { variable: renewed(along!.variable), from: from!, to: to!, reversed: false };
  const value = factor(loops, ofVariable(k.variable));
  const row = equal(until, cells)
    ? []
    : [isLess(ofVariable(q.variable), instantiate(integerScalar(until), by), body)];
  // Rows of cells that do not exist are never read, so the guards of the cells are kept.
  const cellGuards = clause.guards.every(isOfCoordinates)
    ? clause.guards.map((guard) => instantiate(guard, by))
    : [];
  const own: Clause = {
    loops: [...loops, q],
    guards: [...row, ...cellGuards],
    body: { kind: "reduce", reduction: "prod", loops: [k], guards: [], value, span },
    span,
  };
  const unit = algebraOf(type, span).number(1);
  const products = define(name, type, axes, definedEverywhere(definition, axes, own, unit), span);
  rowProducts.add(products);
  return products;
}

function loopOver(v: Loop["variable"], from: Integer, to: Integer): Loop {
  return { variable: v, from: integerScalar(from), to: integerScalar(to), reversed: false };
}

/** Every factor of a product. A factor that a guard filters is 1. */
function factorsOf(
  definition: Definition,
  clause: Clause,
  { body, flat, longest }: Walk,
  define: Define,
): Definition {
  const axes: readonly Axis[] = [
    ...definition.axes,
    { name: body.loops[0]!.variable.name, extent: longest },
  ];
  const unit: Scalar = { kind: "constant", type: definition.element, value: 1 };
  const by = new Map<Loop["variable"], Scalar>();
  const outer = eitherWay(freshLoops(clause.loops, by));
  const walk = loopOver(variable(body.loops[0]!.variable.name), zero, longest);
  const q = ofVariable(walk.variable);
  for (const [k, position] of flat.at(q).entries())
    by.set(body.loops[k]!.variable, instantiate(integerScalar(position), by));
  const row = equal(flat.size, longest)
    ? []
    : [isLess(q, instantiate(integerScalar(flat.size), by), body)];
  const own: Clause = {
    loops: [...outer, walk],
    guards: [...row, ...[...clause.guards, ...body.guards].map((guard) => instantiate(guard, by))],
    body: { kind: "map", value: instantiate(body.value, by) },
    otherwise: unit,
    span: body.span,
  };
  return define(
    `${definition.name}_factor`,
    definition.element,
    axes,
    definedEverywhere(definition, axes, own, unit),
    body.span,
  );
}

type Walk = Pick<Row, "body" | "flat" | "longest">;

/** The walk along one coordinate through all positions of the reduction. */
function walkOf(definition: Definition, clause: Clause, written: Reduction, define: Define): Walk {
  const own = ownRows(clause, written);
  if (own) return own;
  const body = boxed(clause.loops, written, measuring(definition, clause, written, define));
  const flat = flattened(body.loops)!;
  return { body, flat, longest: flat.size };
}

/**
 * The rows of a product with integer ranges: of one length, or of lengths that depend on the first
 * coordinate alone.
 */
function ownRows(clause: Clause, written: Reduction): Walk | undefined {
  const body = tightened(clause.loops, written);
  const flat = flattened(body.loops);
  if (!flat) return undefined;
  if (isEqualForAllCells(clause, flat.size)) return { body, flat, longest: flat.size };
  const inner = flattened(body.loops.slice(1));
  const longest = greatest(flat.size, clause.loops);
  return inner && isEqualForAllCells(clause, inner.size) && longest
    ? { body, flat, longest }
    : undefined;
}

/** Is a sum of extents and numbers never negative? */
function isNeverNegative({ constant: least, parts }: Integer): boolean {
  return least >= 0 && parts.every(({ coefficient }) => coefficient > 0);
}

function isEqualForAllCells({ loops }: Clause, term: Integer): boolean {
  const own = new Set(loops.map((loop) => loop.variable));
  return ![...variablesOf(term)].some((v) => own.has(v));
}
