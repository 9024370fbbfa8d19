// The coordinates around a definition that is lifted out of its place: which of them the definition
// needs, their loops, and the hull of each, which is an interval that contains all its positions.
//
//   let y[i] = 2.0 * sum[k in 0..i](x[k]);
//   let helper[i] = sum[k in 0..i](x[k]);      the sum is lifted out, over the coordinate `i`

import { extentFacts } from "../check/statements/agree.ts";
import { structureOf, integerTerm } from "../check/types/integers.ts";
import { mayStop } from "../check/values/may-stop.ts";
import { rangeOfBinder } from "../check/ranges/ranges.ts";
import type { Binder, Item, TensorBinding, Typed } from "../check/types/typed.ts";
import { scalar as scalarType } from "../check/types/types.ts";
import type { Span } from "../base/source.ts";
import { holds, nonNegative } from "../affine/prove.ts";
import { image, type Range } from "../affine/range.ts";
import {
  add,
  constant,
  constantOf,
  extremum,
  floorDiv,
  keyOf,
  ofVariable,
  plus,
  scale,
  subtract,
  variable,
  zero,
  isZero,
  type Atom,
  type Term,
  type Variable,
} from "../affine/term.ts";
import { someVariable, substitute } from "../affine/visit.ts";
import { conditionsOf, zeroUnless } from "./conditions.ts";
import { lower, materialise } from "./forms.ts";
import { enclosing, inCommon, topOf, type Condition, type Lowering, type Site } from "./site.ts";
import { evaluable, extentAt, needScalars, typedOf } from "./terms.ts";
import { reachable } from "../analyse/schedule.ts";
import { isIndexedBy, outerVariables } from "../check/ranges/outer-variables.ts";
import type { Definition, Loop, Scalar } from "../ir/program.ts";
import { claim } from "../base/claim.ts";
import { integerScalar, arithmetic } from "../ir/substitute.ts";

/** Loops over enclosing coordinates for a lifted definition, under fresh names. */
export function enter(
  site: Site,
  outer: readonly Variable[],
  definition: Definition,
): { readonly loops: readonly Loop[]; readonly inside: Site } {
  const here = new Map<Variable, Term>();
  const inside: Site = {
    ...site,
    here,
    conditions: [],
    locals: new Map(),
    owner: definition.name,
    needs: definition.needs,
  };
  const loops = outer.map((v) => outerLoop(inside, v, here));
  return { loops, inside: { ...inside, conditions: site.conditions } };
}

/**
 * The loop of an enclosing coordinate. Cells count from 0, so a range that starts below 0 is
 * shifted.
 */
function outerLoop(site: Site, v: Variable, here: Map<Variable, Term>): Loop {
  const { binders, boundUnder } = site.lowering;
  const loop = loopAt({ ...site, conditions: boundUnder.get(v) ?? [] }, binders.get(v)!, here);
  const start = hull(site.lowering, v).from;
  if (isZero(start)) return loop;
  here.set(v, add(ofVariable(loop.variable), start));
  const shift = (bound: Scalar): Scalar => minus(bound, start, site.lowering.binders.get(v)!.span);
  return { ...loop, from: shift(loop.from), to: shift(loop.to) };
}

function minus(bound: Scalar, by: Term, span: Span): Scalar {
  if (bound.kind === "integer") return integerScalar(subtract(bound.term, by));
  return arithmetic("subtract", bound, integerScalar(by), span);
}

/** The enclosing coordinates as indices of a definition over them. */
export function outerIndices(site: Site, outer: readonly Variable[]): readonly Scalar[] {
  return outer.map((v) => {
    const { from } = hull(site.lowering, v);
    needScalars(site, from);
    return integerScalar(subtract(site.here.get(v)!, from));
  });
}

/**
 * The loop of a coordinate that is bound here. Records the coordinate and the conditions around it.
 */
export function loopOf(site: Site, binder: Binder, here: Map<Variable, Term>): Loop {
  const { binders, boundUnder } = site.lowering;
  binders.set(binder.variable, binder);
  const before = boundUnder.get(binder.variable);
  boundUnder.set(binder.variable, before ? inCommon(before, site.conditions) : site.conditions);
  return loopAt(site, binder, here);
}

/**
 * A loop under the conditions of a site. If a bound may end the run, it is computed only where the
 * conditions hold, and is 0 elsewhere.
 */
function loopAt(site: Site, binder: Binder, here: Map<Variable, Term>): Loop {
  const isHeld = site.conditions.length > 0 && (mayStop(binder.from!) || mayStop(binder.to!));
  const guards = isHeld ? conditionsOf(site, site.conditions) : [];
  const whereGuardsHold = (bound: Scalar): Scalar =>
    bound.kind === "integer" && isZero(bound.term) ? bound : zeroUnless(guards, bound);
  const [from, to] = [
    whereGuardsHold(boundOf(site, binder.from!)),
    whereGuardsHold(boundOf(site, binder.to!)),
  ];
  const position = variable(binder.name, binder.pack);
  here.set(binder.variable, ofVariable(position));
  return {
    variable: position,
    from,
    to,
    reversed: binder.reversed,
    ...(binder.explicit ? {} : { inferred: true }),
  };
}

/** A bound as a term, unless it is a lookup by coordinates: then it is lowered as a scalar. */
function boundOf(site: Site, bound: Typed): Scalar {
  const { checker } = site.lowering;
  const term = integerTerm(checker, bound);
  return bound.kind === "integer" || evaluable(site, term)
    ? extentAt(site, term)
    : lower(site, bound);
}

/**
 * The smallest known interval from 0, or from below, that contains every position of a coordinate.
 * The coordinate's own bounds may depend on further coordinates: the hull of `k in 0..i` with
 * `i in 0..n` is `0..n - 1`.
 */
export function hull(lowering: Lowering, v: Variable): Range {
  const known = lowering.hulls.get(v);
  if (known) return known;
  const binder = lowering.binders.get(v)!;
  const { from, to } = rangeOfBinder(lowering.checker, binder)!;
  const conditions = lowering.boundUnder.get(v);
  const least =
    extreme(lowering, from, "from") ?? leastLookedUp(lowering, from, binder, conditions);
  const most =
    extreme(lowering, to, "to") ?? greatestLookedUp(lowering, to, binder.to!, conditions);
  const start = holds(nonNegative(least), extentFacts(lowering.checker, [least])) ? zero : least;
  const found: Range = { from: start, to: most };
  lowering.hulls.set(v, found);
  return found;
}

/**
 * The least or greatest value of a bound over the coordinates that it mentions. Undefined where
 * only a run can tell.
 */
function extreme(lowering: Lowering, bound: Term, side: "from" | "to"): Term | undefined {
  let term = bound;
  for (let round = 0; round <= lowering.binders.size; round++) {
    if (dependsOnLookup(lowering, term)) return undefined;
    if (!someVariable(term, (part) => lowering.binders.has(part))) return term;
    const interval = image(withExtremeAtoms(lowering, term, side), (part) => {
      const around = lowering.binders.get(part);
      return around && rangeOfBinder(lowering.checker, around);
    });
    if (!interval) return undefined;
    term = side === "from" ? interval.from : plus(interval.to, -1);
  }
  return undefined;
}

/**
 * Replaces a summand that is a quotient, a min or a max by its own extreme. A summand with a
 * negative factor takes the opposite extreme.
 */
function withExtremeAtoms(lowering: Lowering, term: Term, side: "from" | "to"): Term {
  const summands = term.parts.map((part): Term => {
    const [atom] = part.factors;
    const own = part.coefficient > 0 === (side === "from") ? "from" : "to";
    const at = part.factors.length === 1 ? extremeAtom(lowering, atom!, own) : undefined;
    return at ? scale(at, part.coefficient) : { constant: 0, parts: [part] };
  });
  return summands.reduce(add, constant(term.constant));
}

function extremeAtom(lowering: Lowering, atom: Atom, side: "from" | "to"): Term | undefined {
  if (atom.kind === "variable") return undefined;
  if (atom.kind !== "floor")
    return extremum(
      atom.kind,
      atom.members.map((member) => extreme(lowering, member, side) ?? member),
    );
  const divisor = constantOf(atom.divisor);
  const dividend =
    divisor !== undefined && divisor > 0 ? extreme(lowering, atom.dividend, side) : undefined;
  return dividend && floorDiv(dividend, atom.divisor);
}

/**
 * The extent of an axis that is long enough for every size that the coordinates around it give it.
 */
export function extentHull({ lowering, conditions }: Site, extent: Term): Term {
  const known = extreme(lowering, extent, "to");
  if (known) return known;
  const key = [
    keyOf(extent),
    ...conditions.map(({ value, holds }) => `${holds} ${structureOf(value)}`),
  ].join("; ");
  const found =
    lowering.longest.get(key) ??
    greatestLookedUp(lowering, extent, typedOf(lowering, extent), conditions);
  lowering.longest.set(key, found);
  return found;
}

/** Whether a size depends on coordinates: directly, or by a lookup. */
export function isRagged(lowering: Lowering, extent: Term): boolean {
  return someVariable(extent, (v) => lowering.binders.has(v)) || dependsOnLookup(lowering, extent);
}

export function dependsOnLookup(lowering: Lowering, term: Term): boolean {
  return someVariable(term, (v) => {
    const value = lowering.checker.opaqueValue.get(v);
    return (
      value !== undefined &&
      outerVariables([value], new Set(lowering.binders.keys()), lowering.checker.opaqueValue)
        .length > 0
    );
  });
}

/**
 * The greatest value of a bound that is looked up. If the scalar of this value would have to wait
 * for the recurrence that is being lowered, an upper limit takes its place: for a filter, the
 * number of all positions that it tests.
 */
function greatestLookedUp(
  lowering: Lowering,
  bound: Term,
  written: Typed,
  conditions?: readonly Condition[],
): Term {
  const found = extremeScalar(lowering, "max", written, conditions);
  const counted = isUnderWay(lowering, found)
    ? extreme(lowering, substitute(bound, lowering.checker.countedAmong), "to")
    : undefined;
  if (counted) lowering.scalars.delete(found);
  return counted ?? ofVariable(found);
}

/**
 * The least value of a bound that is looked up, or 0 if that is less. A bound that is a position of
 * a tensor, like the `ptr[i]` where a row begins, cannot be below 0. A bound that subtracts may be;
 * its least value is computed, unless it would have to wait for the recurrence that is being
 * lowered.
 */
function leastLookedUp(
  lowering: Lowering,
  bound: Term,
  binder: Binder,
  conditions?: readonly Condition[],
): Term {
  const reduction = lowering.reductions.get(binder.variable);
  const isPlace = !reduction || isIndexedBy(reduction, binder.variable);
  if (isPlace && bound.constant >= 0 && bound.parts.every(({ coefficient }) => coefficient > 0))
    return zero;
  const found = extremeScalar(lowering, "min", binder.from!, conditions);
  if (!isUnderWay(lowering, found)) return extremum("min", [zero, ofVariable(found)]);
  lowering.scalars.delete(found);
  return zero;
}

/** Whether a scalar would have to wait for a definition that is being lowered. */
function isUnderWay(lowering: Lowering, scalar: Variable): boolean {
  const needed = reachable([lowering.scalars.get(scalar)!]);
  return needed.some(({ origin, clauses }) => origin === "declared" && clauses.length === 0);
}

/**
 * A scalar of its own for the greatest or least value of a bound that is looked up. It is computed
 * as a float, because only floats have an infinity for an empty range.
 */
function extremeScalar(
  lowering: Lowering,
  reduction: "max" | "min",
  bound: Typed,
  conditions: readonly Condition[] = [],
): Variable {
  const { span } = bound;
  const [float, bool] = [scalarType("f64"), scalarType("bool")];
  const guards = conditions.map(({ value, holds }): Typed =>
    holds ? value : { kind: "apply", operation: "not", operands: [value], type: bool, span },
  );
  const around = closure(lowering, [bound, ...guards], new Set(lowering.binders.keys()));
  const most: Typed = {
    kind: "reduce",
    reduction,
    binders: around.map((v) => lowering.binders.get(v)!),
    items: guards.map((condition): Item => ({ kind: "guard", condition })),
    body: { kind: "cast", operand: bound, type: float, span },
    type: float,
    span,
  };
  const whole: Typed = { kind: "cast", operand: most, type: scalarType("i32"), span };
  const name = reduction === "max" ? "extent" : "start";
  const scalarVariable = variable(name);
  lowering.scalars.set(
    scalarVariable,
    materialise(topOf(lowering), whole, span, claim(lowering.taken, name)).definition,
  );
  return scalarVariable;
}

/**
 * The enclosing coordinates that expressions mention, and the coordinates that the bounds of these
 * mention in turn.
 */
function closure(
  lowering: Lowering,
  nodes: readonly (Typed | TensorBinding)[],
  among: ReadonlySet<Variable>,
): readonly Variable[] {
  const { opaqueValue } = lowering.checker;
  let found = outerVariables(nodes, among, opaqueValue);
  for (;;) {
    const known = found;
    const bounds = known.flatMap((v) => {
      const { from, to } = lowering.binders.get(v)!;
      return [from!, to!];
    });
    const more = outerVariables(bounds, among, opaqueValue).filter((v) => !known.includes(v));
    if (more.length === 0) return known;
    found = [...among].filter((v) => known.includes(v) || more.includes(v));
  }
}

/**
 * The coordinates that a lifted definition needs as outer axes: the ones that it mentions, and the
 * ones that decide whether it is needed.
 */
export function outerOf(site: Site, node: Typed | TensorBinding): readonly Variable[] {
  const { span, type } = node;
  const sizes = (type.kind === "tensor" ? type.axes : []).map(({ extent }): Typed => {
    return { kind: "integer", term: extent ?? zero, type: scalarType("i32"), span };
  });
  const conditions = site.conditions.map((condition) => condition.value);
  return closure(site.lowering, [node, ...sizes, ...conditions], enclosing(site));
}
