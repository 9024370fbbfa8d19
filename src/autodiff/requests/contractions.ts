// Contractions with Jacobians, found before anything is differentiated: a Jacobian stays a question
// until its uses are known.
//
//   Σ c(v)·J[a(v), p]   is one pullback: the weights c are a gradient that comes in at the numerator
//   Σ c(v)·J[a, p(v)]   is one pushforward: the weights c are a direction in which the denominator moves
//
// Coordinates of the result that the weights mention are lanes: one sweep for each of their
// positions. A use that is neither, or that would need as many lanes as the Jacobian has rows,
// reads the Jacobian itself, which is then built.

import { components } from "../../base/components.ts";
import { constantOf, subtract, type Variable } from "../../affine/term.ts";
import { variablesOf } from "../../affine/visit.ts";
import { newOpaque, type Opaque } from "../../analyse/facts.ts";
import type { Fact } from "../../affine/prove.ts";
import { eachScalar } from "../../ir/parts.ts";
import type { Axis, Clause, Definition, Loop, Request, Scalar } from "../../ir/program.ts";
import { readsOf } from "../../ir/references.ts";
import { instantiate, coordinateScalar } from "../../ir/substitute.ts";
import type { FloatType } from "../../scalar/types.ts";
import type { Workshop } from "../sweep/sweep.ts";
import { tangentType } from "../legality/handed-on.ts";
import {
  canCarry,
  carriesJacobian,
  remainder,
  renamedLoops,
  usesIn,
  withFreshLoops,
  type Carriers,
  type Use,
} from "./jacobian-uses.ts";
import { algebraOf, productScalar } from "../scalar/products.ts";
import { asType, newDefinition, readCell } from "../sweep/cells.ts";
import { aliasOf, clauseOf, keyOfPiece, transpose, type Piece } from "../transpose/transpose.ts";

/** A Jacobian whose uses decide how it is had. */
export function isJacobian({ request }: Definition): boolean {
  return request?.jacobian === true && request.step === undefined && !request.shared;
}

interface Shop {
  readonly workshop: Workshop;
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
  readonly carriers: Carriers;
  /** Weights and requests that were made so far, by what they are. */
  readonly made: Map<string, Definition>;
}

/**
 * Rewrites every use of a Jacobian, among all definitions that are needed, that can be had for
 * less. Denominators of other requests are `named`: uses of these cells go through that very name,
 * as `J[0, 0]` does where `@y / @J` is asked.
 */
export function contractJacobians(
  all: readonly Definition[],
  named: ReadonlySet<Definition>,
  workshop: Workshop,
): void {
  const carriers: Carriers = {
    isJacobian: (definition) => isJacobian(definition) && !named.has(definition),
    all: new Set(),
    define: (name, ...rest) => newDefinition(workshop.claim(name), ...rest),
  };
  const shop: Shop = {
    workshop,
    opaque: newOpaque(),
    known: workshop.known,
    carriers,
    made: new Map(),
  };
  const at = new Map(all.map((definition, k) => [definition, k]));
  const edges = all.map((definition) => [...readsOf(definition)].map((read) => at.get(read)!));
  // Each after what it reads, so that a Jacobian is handed on only by what cannot contract it.
  for (const group of components(all.length, (k) => edges[k]!)) {
    for (const k of group) {
      const definition = all[k]!;
      if (definition.request || !edges[k]!.some((read) => carriesJacobian(carriers, all[read]!)))
        continue;
      const clauses = definition.clauses.map((clause) => contracted(shop, definition, clause));
      if (clauses.every((clause) => clause !== undefined)) definition.clauses = clauses;
      else if (
        group.length === 1 &&
        !edges[k]!.includes(k) &&
        !named.has(definition) &&
        canCarry(carriers, definition)
      )
        carriers.all.add(definition);
      else definition.clauses = clauses.map((clause, n) => clause ?? definition.clauses[n]!);
    }
  }
}

/**
 * The clause with its Jacobians contracted; undefined where one of them has to be built or handed
 * on.
 */
function contracted(shop: Shop, definition: Definition, clause: Clause): Clause | undefined {
  const reads = [...readsOf({ ...definition, needs: new Set(), clauses: [clause] })];
  if (!reads.some((read) => carriesJacobian(shop.carriers, read))) return clause;
  const uses = usesIn(shop.carriers, definition, clause);
  const ways = uses?.map((use) => wayOf(clause, use));
  if (!uses || !ways || !ways.every((way) => way !== undefined)) return undefined;
  const rest = remainder(shop.carriers, clause);
  const parts = [
    ...uses.map((use, k) => contraction(shop, definition, clause, use, ways[k]!)),
    ...(rest ? [rest] : []),
  ];
  if (parts.length === 1) return parts[0]!;
  const { axes, element, name, span } = definition;
  const algebra = algebraOf(element as FloatType, clause.span);
  // `J[i, i] - J[i, i]` uses nothing.
  if (parts.length === 0) return { ...clause, body: { kind: "map", value: algebra.number(0) } };
  const value = parts
    // Parts are read where the guards of the clause hold; its `else` stays with the clause.
    .map(({ loops, guards, body, span: at }): Clause => ({ loops, guards, body, span: at }))
    .map((part): Scalar => {
      const made = shop.carriers.define(`${name}_part`, element, axes, [part], span);
      return readCell(made, clause.loops, span);
    })
    .reduce((a, b) => algebra.apply("add", a, b));
  return { ...clause, body: { kind: "map", value } };
}

/**
 * How a use is answered: which sums go with the weights, and which coordinates of the result the
 * weights mention.
 */
interface Way {
  readonly kind: "cotangent" | "direction";
  readonly inner: readonly Loop[];
  readonly outer: readonly Loop[];
  readonly lanes: readonly Loop[];
}

function wayOf(clause: Clause, use: Use): Way | undefined {
  const ways = (["cotangent", "direction"] as const).flatMap(
    (kind) => splitFor(clause, use, kind) ?? [],
  );
  const plain = ways.find((way) => way.lanes.length === 0);
  return plain ?? ways.find((way) => !isDearer(way, use.request.request!));
}

/**
 * Summed coordinates of the numerator (or of the denominator) go with the weights; those that index
 * the other side stay.
 */
function splitFor(clause: Clause, use: Use, kind: Way["kind"]): Way | undefined {
  const { weighed, kept } = sidesOf(use, kind);
  const [inside, outside] = [mentioned(weighed), mentioned(kept)];
  if (clause.loops.some((loop) => inside.has(loop.variable))) return undefined;
  const outer = use.summed.filter((loop) => outside.has(loop.variable));
  const inner = use.summed.filter((loop) => !outer.includes(loop));
  const own = variablesIn(inner);
  const weights = mentioned([
    ...partsOf(use).filter((part) => touches(part, own)),
    ...inner.flatMap((loop) => [loop.from, loop.to]),
  ]);
  const bounds = mentioned(outer.flatMap((loop) => [loop.from, loop.to]));
  // Nothing may tie the coordinates of one side to those of the other.
  const isTied =
    outer.some(({ variable: v }) => inside.has(v) || weights.has(v)) ||
    inner.some(({ variable: v }) => bounds.has(v));
  const lanes = clause.loops.filter((loop) => weights.has(loop.variable));
  return isTied || !lanes.every(startsAtZero) ? undefined : { kind, inner, outer, lanes };
}

/** The indices that the weights are summed by, and the others. */
function sidesOf(
  use: Use,
  kind: Way["kind"],
): { readonly weighed: readonly Scalar[]; readonly kept: readonly Scalar[] } {
  const rank = use.request.request!.of.axes.length;
  const [numerator, denominator] = [use.indices.slice(0, rank), use.indices.slice(rank)];
  return kind === "cotangent"
    ? { weighed: numerator, kept: denominator }
    : { weighed: denominator, kept: numerator };
}

function partsOf({ product, guards }: Use): readonly Scalar[] {
  return [...product.factors, ...product.divisors, ...guards];
}

function variablesIn(loops: readonly Loop[]): ReadonlySet<Variable> {
  return new Set(loops.map((loop) => loop.variable));
}

function touches(scalar: Scalar, variables: ReadonlySet<Variable>): boolean {
  return [...mentioned([scalar])].some((v) => variables.has(v));
}

/** The coordinates and extents in some scalars. */
function mentioned(scalars: readonly Scalar[]): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  for (const scalar of scalars)
    eachScalar(scalar, (part) => {
      if (part.kind === "integer") for (const v of variablesOf(part.term)) found.add(v);
    });
  return found;
}

/** A lane counts its positions from 0. */
function startsAtZero({ from, to }: Loop): boolean {
  return from.kind === "integer" && constantOf(from.term) === 0 && to.kind === "integer";
}

/** Are the lanes known to be as many as the rows or columns of the Jacobian itself? */
function isDearer({ lanes }: Way, { of, wrt }: Request): boolean {
  const size = (extents: readonly (number | undefined)[]): number | undefined =>
    extents.reduce((a, b) => (a === undefined || b === undefined ? undefined : a * b), 1);
  const needed = size(lanes.map(extentOf));
  const [rows, columns] = [of, wrt].map((side) =>
    size(side.axes.map((axis) => constantOf(axis.extent))),
  );
  return (
    needed !== undefined &&
    rows !== undefined &&
    columns !== undefined &&
    needed >= Math.min(rows, columns)
  );
}

function extentOf({ from, to }: Loop): number | undefined {
  return from.kind === "integer" && to.kind === "integer"
    ? constantOf(subtract(to.term, from.term))
    : undefined;
}

/**
 * One use as a clause of its own: the answer to a question, summed over what stays outside of it.
 */
function contraction(
  shop: Shop,
  definition: Definition,
  clause: Clause,
  use: Use,
  way: Way,
): Clause {
  const answer = questionFor(shop, use, way);
  const own = variablesIn(way.inner);
  const type = tangentType(definition);
  const isOutside = (scalar: Scalar): boolean => !touches(scalar, own);
  const lanes = way.lanes.map(coordinateScalar);
  const indices = [...lanes, ...sidesOf(use, way.kind).kept];
  const read: Scalar = {
    kind: "read",
    type: answer.element,
    definition: answer,
    indices,
    span: use.span,
  };
  const value = productScalar(
    {
      constant: use.product.constant,
      factors: [...use.product.factors.filter(isOutside), asType(read, type)],
      divisors: use.product.divisors.filter(isOutside),
    },
    type,
    use.span,
  );
  const guards = use.guards.filter(isOutside);
  const { span } = use;
  if (way.outer.length > 0) {
    const body: Clause["body"] = {
      kind: "reduce",
      reduction: "sum",
      loops: way.outer,
      guards,
      value,
      span,
    };
    return withFreshLoops({ ...clause, body });
  }
  const algebra = algebraOf(type, span);
  const guarded = guards.reduceRight(
    (inner, guard) => algebra.select(guard, inner, algebra.number(0)),
    value,
  );
  return withFreshLoops({ ...clause, body: { kind: "map", value: guarded } });
}

/** The request that answers a contraction: asked once, whoever needs it. */
function questionFor(shop: Shop, use: Use, way: Way): Definition {
  const { of, wrt } = use.request.request!;
  const [weighed, answered] = way.kind === "cotangent" ? [of, wrt] : [wrt, of];
  const weights = weightsFor(shop, use, way, weighed);
  const key = `${way.kind} ${weights.name} ${of.name} ${wrt.name}`;
  const known = shop.made.get(key);
  if (known) return known;
  const axes = [...weights.axes.slice(0, way.lanes.length), ...answered.axes];
  const { define } = shop.carriers;
  const made: Definition = {
    ...define(`${use.request.name}_contracted`, use.request.element, axes, [], use.request.span),
    request: { of, wrt, contracted: { kind: way.kind, with: weights } },
  };
  shop.made.set(key, made);
  return made;
}

/**
 * What the cells of one side are weighed with: the sum over the coordinates that the weights take
 * with them, in each lane.
 */
function weightsFor(shop: Shop, use: Use, way: Way, weighed: Definition): Definition {
  const own = variablesIn(way.inner);
  const type = tangentType(weighed);
  const isInside = (scalar: Scalar): boolean => touches(scalar, own);
  const product = {
    constant: 1,
    factors: use.product.factors.filter(isInside),
    divisors: use.product.divisors.filter(isInside),
  };
  const given = use.request.element as FloatType;
  const { loops: lanes, by } = renamedLoops(way.lanes);
  const at = (scalar: Scalar): Scalar => instantiate(scalar, by);
  const piece = transpose(
    shop.opaque,
    {
      read: {
        kind: "read",
        type: weighed.element,
        definition: weighed,
        indices: sidesOf(use, way.kind).weighed,
        span: use.span,
      },
      loops: way.inner.map((loop) => ({ ...loop, from: at(loop.from), to: at(loop.to) })),
      guards: use.guards.filter(isInside).map(at),
      conditions: [],
      value: asType(at(productScalar(product, given, use.span)), type),
      span: use.span,
    },
    weighed.axes.map((axis, k) => ({ name: axis.name ?? "ijklmnpq"[k] ?? "i" })),
    shop.known,
    lanes.map((loop) => ({ loop })),
  );
  const same = aliasOf(piece);
  if (same && sameShape(same, piece)) return same;
  const key = `weights ${weighed.name} ${keyOfPiece(piece)}`;
  const known = shop.made.get(key);
  if (known) return known;
  const laneAxes = lanes.map((loop): Axis => ({
    name: loop.variable.name,
    extent: (loop.to as Extract<Scalar, { kind: "integer" }>).term,
  }));
  const name = way.kind === "cotangent" ? `d_${weighed.name}` : `${weighed.name}_move`;
  const made = shop.carriers.define(
    name,
    type,
    [...laneAxes, ...weighed.axes],
    [clauseOf(piece)],
    use.span,
  );
  shop.made.set(key, made);
  return made;
}

/** Has the definition exactly the cells that a piece walks? */
function sameShape(definition: Definition, piece: Piece): boolean {
  return definition.axes.every((axis, k) => {
    const { to } = piece.axes[k]!;
    return to.kind === "integer" && constantOf(subtract(to.term, axis.extent)) === 0;
  });
}
