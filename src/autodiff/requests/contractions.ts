// Finds contractions with Jacobians before anything is differentiated. A Jacobian stays a request
// until its uses are known:
//
//    Σ c(v)·J[a(v), p]   is one pullback:
//                        the weights c are the cotangents of the numerator
//    Σ c(v)·J[a, p(v)]   is one pushforward:
//                        the weights c are a direction in which the denominator moves
//
// The coordinates of the result that the weights mention are lanes: there is one sweep for each of
// their positions. A use that is neither a pullback nor a pushforward, or that needs as many lanes
// as the Jacobian has rows, reads the Jacobian itself. Then the Jacobian is built.

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

/** Is this a Jacobian that may be replaced by contractions? */
export function isJacobian({ request }: Definition): boolean {
  return request?.jacobian === true && request.step === undefined && !request.shared;
}

interface Shop {
  readonly workshop: Workshop;
  readonly opaque: Opaque;
  readonly known: readonly Fact[];
  readonly carriers: Carriers;
  /** Weights and requests that exist already, by their content. */
  readonly made: Map<string, Definition>;
}

/**
 * Replaces every use of a Jacobian that can be computed with less work. `named` are the
 * denominators of other requests. Reads of their cells are not replaced, because a derivative goes
 * through that very name: `J[0, 0]` with the request `@y / @J`.
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
  // A definition comes after the definitions that it reads. So a Jacobian is passed on only by
  // definitions that cannot contract it.
  for (const group of components(all.length, (k) => edges[k]!)) {
    for (const k of group) {
      const definition = all[k]!;
      if (definition.request || !edges[k]!.some((read) => carriesJacobian(carriers, all[read]!)))
        continue;
      const clauses = definition.clauses.map((clause) =>
        withContractions(shop, definition, clause),
      );
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

/** The clause with its Jacobians contracted. `undefined`: a Jacobian must be built or passed on. */
function withContractions(shop: Shop, definition: Definition, clause: Clause): Clause | undefined {
  const reads = [...readsOf({ ...definition, needs: new Set(), clauses: [clause] })];
  if (!reads.some((read) => carriesJacobian(shop.carriers, read))) return clause;
  const uses = usesIn(shop.carriers, definition, clause);
  const plans = uses?.map((use) => planFor(clause, use));
  if (!uses || !plans || !plans.every((plan) => plan !== undefined)) return undefined;
  const rest = remainder(shop.carriers, clause);
  const parts = [
    ...uses.map((use, k) => contraction(shop, definition, clause, use, plans[k]!)),
    ...(rest ? [rest] : []),
  ];
  if (parts.length === 1) return parts[0]!;
  const { axes, element, name, span } = definition;
  const algebra = algebraOf(element as FloatType, clause.span);
  // The uses in `J[i, i] - J[i, i]` cancel, and none is left.
  if (parts.length === 0) return { ...clause, body: { kind: "map", value: algebra.number(0) } };
  const value = parts
    // The parts are read where the guards of the clause hold. The `else` stays with the clause.
    .map(({ loops, guards, body, span: at }): Clause => ({ loops, guards, body, span: at }))
    .map((part): Scalar => {
      const sum = shop.carriers.define(`${name}_part`, element, axes, [part], span);
      return readCell(sum, clause.loops, span);
    })
    .reduce((a, b) => algebra.apply("add", a, b));
  return { ...clause, body: { kind: "map", value } };
}

/**
 * How to answer a use: the loops that are summed into the weights, the loops that are summed
 * outside, and the coordinates of the result that the weights mention.
 */
interface Plan {
  readonly kind: "cotangent" | "direction";
  readonly inner: readonly Loop[];
  readonly outer: readonly Loop[];
  readonly lanes: readonly Loop[];
}

function planFor(clause: Clause, use: Use): Plan | undefined {
  const plans = (["cotangent", "direction"] as const).flatMap(
    (kind) => planOfKind(clause, use, kind) ?? [],
  );
  const plain = plans.find((plan) => plan.lanes.length === 0);
  return plain ?? plans.find((plan) => !isDearer(plan, use.request.request!));
}

/**
 * Tries to sum the coordinates of the numerator into the weights, or those of the denominator.
 * Summed coordinates in the indices of the other side stay outside.
 */
function planOfKind(clause: Clause, use: Use, kind: Plan["kind"]): Plan | undefined {
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
  // The coordinates of the two sides must be independent.
  const isTied =
    outer.some(({ variable: v }) => inside.has(v) || weights.has(v)) ||
    inner.some(({ variable: v }) => bounds.has(v));
  const lanes = clause.loops.filter((loop) => weights.has(loop.variable));
  return isTied || !lanes.every(startsAtZero) ? undefined : { kind, inner, outer, lanes };
}

/** The indices of the side with the weights, and the indices of the other side. */
function sidesOf(
  use: Use,
  kind: Plan["kind"],
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

/** Does the use need at least as many lanes as the Jacobian has rows or columns? */
function isDearer({ lanes }: Plan, { of, wrt }: Request): boolean {
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

/** One use as a clause of its own: a sum over the answer of a request. */
function contraction(
  shop: Shop,
  definition: Definition,
  clause: Clause,
  use: Use,
  plan: Plan,
): Clause {
  const answer = questionFor(shop, use, plan);
  const own = variablesIn(plan.inner);
  const type = tangentType(definition);
  const isOutside = (scalar: Scalar): boolean => !touches(scalar, own);
  const lanes = plan.lanes.map(coordinateScalar);
  const indices = [...lanes, ...sidesOf(use, plan.kind).kept];
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
  if (plan.outer.length > 0) {
    const body: Clause["body"] = {
      kind: "reduce",
      reduction: "sum",
      loops: plan.outer,
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

/** The request that answers a contraction. Equal contractions share one request. */
function questionFor(shop: Shop, use: Use, plan: Plan): Definition {
  const { of, wrt } = use.request.request!;
  const [weighed, answered] = plan.kind === "cotangent" ? [of, wrt] : [wrt, of];
  const weights = weightsFor(shop, use, plan, weighed);
  const key = `${plan.kind} ${weights.name} ${of.name} ${wrt.name}`;
  const known = shop.made.get(key);
  if (known) return known;
  const axes = [...weights.axes.slice(0, plan.lanes.length), ...answered.axes];
  const { define } = shop.carriers;
  const request: Definition = {
    ...define(`${use.request.name}_contracted`, use.request.element, axes, [], use.request.span),
    request: { of, wrt, contracted: { kind: plan.kind, with: weights } },
  };
  shop.made.set(key, request);
  return request;
}

/** The weights of the cells of one side: a sum over the inner loops, in each lane. */
function weightsFor(shop: Shop, use: Use, plan: Plan, weighed: Definition): Definition {
  const own = variablesIn(plan.inner);
  const type = tangentType(weighed);
  const isInside = (scalar: Scalar): boolean => touches(scalar, own);
  const product = {
    constant: 1,
    factors: use.product.factors.filter(isInside),
    divisors: use.product.divisors.filter(isInside),
  };
  const given = use.request.element as FloatType;
  const { loops: lanes, by } = renamedLoops(plan.lanes);
  const inLanes = (scalar: Scalar): Scalar => instantiate(scalar, by);
  const piece = transpose(
    shop.opaque,
    {
      read: {
        kind: "read",
        type: weighed.element,
        definition: weighed,
        indices: sidesOf(use, plan.kind).weighed,
        span: use.span,
      },
      loops: plan.inner.map((loop) => ({
        ...loop,
        from: inLanes(loop.from),
        to: inLanes(loop.to),
      })),
      guards: use.guards.filter(isInside).map(inLanes),
      conditions: [],
      value: asType(inLanes(productScalar(product, given, use.span)), type),
      span: use.span,
    },
    weighed.axes.map((axis, k) => ({ name: axis.name ?? "ijklmnpq"[k] ?? "i" })),
    shop.known,
    lanes.map((loop) => ({ loop })),
  );
  const same = aliasOf(piece);
  if (same && hasSameCells(same, piece)) return same;
  const key = `weights ${weighed.name} ${keyOfPiece(piece)}`;
  const known = shop.made.get(key);
  if (known) return known;
  const laneAxes = lanes.map((loop): Axis => ({
    name: loop.variable.name,
    extent: (loop.to as Extract<Scalar, { kind: "integer" }>).term,
  }));
  const name = plan.kind === "cotangent" ? `d_${weighed.name}` : `${weighed.name}_move`;
  const weights = shop.carriers.define(
    name,
    type,
    [...laneAxes, ...weighed.axes],
    [clauseOf(piece)],
    use.span,
  );
  shop.made.set(key, weights);
  return weights;
}

/** Does the definition have exactly the cells of the piece? */
function hasSameCells(definition: Definition, piece: Piece): boolean {
  return definition.axes.every((axis, k) => {
    const { to } = piece.axes[k]!;
    return to.kind === "integer" && constantOf(subtract(to.term, axis.extent)) === 0;
  });
}
