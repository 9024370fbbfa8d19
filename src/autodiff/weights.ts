// What all derivatives of a part of an expression are multiplied with and divided by is multiplied into its adjoint, once.
//
//   q = u·s / m      d_u = d_q·s / m,   d_s = d_q·u / m,   d_m = -d_q·q / m
//
// all divide by m, and nothing reads d_q but these: with w = d_q / m in its place they are w·s, w·u and -w·q. Only parts are weighed that were made to be
// differentiated (expression-parts.ts): the adjoint of what a program names is its gradient.

import { isOff } from "../ir/rewrites.ts";
import { ofVariable } from "../affine/term.ts";
import { workAtPoint } from "../ir/cost/tally.ts";
import { factsOf, isImplied, loopFacts } from "../ir/facts.ts";
import { compared } from "../ir/integers.ts";
import type { Clause, Definition, Scalar } from "../ir/program.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { conjuncts } from "../ir/ties.ts";
import type { FloatType } from "../scalar/types.ts";
import { nowhere } from "../base/source.ts";
import { newDefinition, readCell, wholeLoops } from "./cells.ts";
import { isPart } from "./expression-parts.ts";
import { asFormula } from "./formulas.ts";
import { tangentType } from "./handed-on.ts";
import { linearize, readsByDefinition, type Coefficient } from "./linearize.ts";
import {
  factorsInCommon,
  isConstantProduct,
  isSingular,
  productScalar,
  unlessZero,
  withoutFactors,
  type Product,
} from "./products.ts";
import { withShared } from "./share.ts";
import { isStepGraph } from "./step-graph.ts";
import type { Sweep, Zeros } from "./sweep.ts";

/** What an adjoint is multiplied with, in the coordinates of the clause that it is sent back through. */
export interface Weight {
  readonly product: Product;
  readonly clause: Clause;
  /** Those that have it in common: each of them is sent back without it. */
  readonly coefficients: readonly Coefficient[];
}

/** The weight of a part's adjoint, where it has one. */
export function weightOf(sweep: Sweep, definition: Definition): Weight | undefined {
  const { activity, denominators, lanes, graph } = sweep;
  if (isOff("weights")) return undefined;
  if (!isPart(definition) || denominators.has(definition) || lanes.length > 0 || isStepGraph(graph))
    return undefined;
  const varies = activity.variesFor(definition);
  const [clause, another] = definition.clauses.filter((each) =>
    [...readsByDefinition(each.body.value).keys()].some(varies),
  );
  if (
    !clause ||
    another ||
    clause.body.kind !== "map" ||
    clause.otherwise ||
    asFormula(clause) !== clause
  )
    return undefined;
  const cell = readCell(definition, clause.loops, clause.span);
  const { coefficients } = linearize(
    clause.body.value,
    varies,
    activity.stopsFor(definition),
    cell,
  );
  const product = commonWeight(coefficients, tangentType(definition));
  return product && { product, clause, coefficients };
}

/** What several coefficients have in common, where it is better multiplied once. */
export function commonWeight(
  coefficients: readonly Coefficient[],
  type: FloatType,
): Product | undefined {
  const isFree = ({ read, conditions, over }: Coefficient): boolean =>
    conditions.length === 0 && !over && tangentType(read.definition) === type;
  if (coefficients.length < 2 || !coefficients.every(isFree)) return undefined;
  const common = inRange(factorsInCommon(coefficients));
  if (isConstantProduct(common) || type === "f16") return undefined;
  const before = coefficients.map(({ product }) => workWith(product, type));
  const behind = coefficients.map(({ product }) => workWith(withoutFactors(product, common), type));
  const total = (work: readonly number[]): number => work.reduce((sum, each) => sum + each, 0);
  return total(behind) + workOfWeight(common, type) < total(before) ? common : undefined;
}

/**
 * One number at most, so that the product stays in range: what a gradient is divided by again and again may be small, and the factors that make up for it
 * come after the weight. For f16 even one may be too much.
 */
function inRange({ factors, divisors }: Pick<Product, "factors" | "divisors">): Product {
  const [divisor] = divisors;
  return {
    constant: 1,
    factors: divisor ? [] : factors.slice(0, 1),
    divisors: divisor ? [divisor] : [],
  };
}

/** What it takes to multiply something that is there by a weight. */
export function workOfWeight(product: Product, type: FloatType): number {
  return workWith(product, type) - 1;
}

function workWith(product: Product, type: FloatType): number {
  return workAtPoint([
    productScalar({ ...product, factors: [gradient, ...product.factors] }, type, nowhere),
  ]);
}

/** Stands for what comes in. */
const gradient = readCell(newDefinition("d", "f32", [], [], nowhere), [], nowhere);

/** Weighs an adjoint; what is 0 because a guard says so, or because nothing reads it, stays 0 whatever the weight is there. */
export function weigh(
  sweep: Sweep,
  weight: Weight,
  adjoint: Definition,
  zeros: Zeros,
): readonly Clause[] {
  const { clauses, name, element, axes, span } = adjoint;
  const [only, another] = clauses;
  const loops = wholeLoops(adjoint);
  // A sum is taken before it is weighed.
  const asCell = (): Clause => {
    const value = readCell(sweep.define(`${name}_sum`, element, axes, clauses, span), loops, span);
    return { loops, guards: [], body: { kind: "map", value }, span };
  };
  const clause = only && !another && only.body.kind === "map" && !only.otherwise ? only : asCell();
  return [weighedClause(sweep, weight, clause, zeros)];
}

export function weighedName({ name }: Definition): string {
  return `d_${name}_weighed`;
}

function weighedClause(sweep: Sweep, weight: Weight, clause: Clause, zeros: Zeros): Clause {
  const { loops, body } = clause;
  const type = body.value.type as FloatType;
  const at = new Map(
    weight.clause.loops.map((loop, k) => [
      loop.variable,
      integerScalar(ofVariable(loops[k]!.variable)),
    ]),
  );
  const inside = (scalar: Scalar): Scalar => instantiate(scalar, at);
  const { constant, factors, divisors } = weight.product;
  const product: Product = {
    constant,
    factors: [body.value, ...factors.map(inside)],
    divisors: divisors.map(inside),
  };
  const value = productScalar(product, type, clause.span);
  const isTested = zeros === "guarded" || (zeros === "unread" && isSingular(weight.product));
  const counting = isTested ? unlessZero(body.value, value, type, clause.span) : value;
  return {
    ...clause,
    guards: [...clause.guards, ...missing(sweep, clause, ownOf(weight.clause).map(inside))],
    body: { kind: "map", value: withShared(counting, loops) },
  };
}

/** Where a clause has its cells. */
function ownOf({ loops, guards, span }: Clause): readonly Scalar[] {
  const ranges = loops.flatMap(({ variable: v, from, to }) => [
    compared("lessEqual", from, integerScalar(ofVariable(v)), span),
    compared("less", integerScalar(ofVariable(v)), to, span),
  ]);
  return [...ranges, ...guards];
}

/** Conditions that do not follow from where a clause has its cells. */
function missing(
  { opaque, known }: Sweep,
  { loops, guards }: Clause,
  conditions: readonly Scalar[],
): readonly Scalar[] {
  const around = [...known, ...loopFacts(opaque, loops, known)];
  const facts = [...around, ...guards.flatMap((guard) => factsOf(opaque, guard, true, around))];
  const own = guards.flatMap(conjuncts);
  return conditions.filter((condition) => !isImplied(opaque, condition, own, facts));
}
