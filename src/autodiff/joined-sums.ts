// Sums along the same walk are one sum where data chooses among them, or where they share what they compute: every point is visited once, and every
// condition tested once.
//
//   Σ { t } d[t]·(1 - y[t] / b) + Σ { t } e[t]·(1 - z[t] / b)   is   Σ { t } (d[t]·(1 - y[t] / b) + e[t]·(1 - z[t] / b)),   where b is read once

import { ofVariable, zero } from "../ir/affine/term.ts";
import { workAtPoint } from "../ir/cost/tally.ts";
import { keyOf } from "../ir/keys.ts";
import { eachScalar } from "../ir/parts.ts";
import { permutations } from "../ir/permutations.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import type { FloatType } from "../ir/scalar/types.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { lookedUpIn } from "../ir/pins.ts";
import { conjuncts, usesAny } from "../ir/ties.ts";
import type { Span } from "../syntax/source.ts";
import { conditionsInCommon, looksUp, sumOfCounting, type Counting } from "./choices.ts";
import { algebraOf, factorsInCommon, isConstantProduct, one, productScalar, sumOf, times, withoutFactors, withQuotients, type Product } from "./products.ts"; // prettier-ignore
import type { Arrived } from "./sweep.ts";
import { keyOfPiece, type Piece } from "./transpose.ts";

export function inOneWalk(arrived: readonly Arrived[], span: Span): readonly Arrived[] {
  const walks = new Map<string, Arrived[]>();
  for (const each of arrived) {
    const { piece } = each;
    // Lookups that say where a term goes are only made behind its guards, and of what others look up there is one position for each of theirs.
    if (piece.summed.length === 0 || piece.ties.some(looksUp) || isLookedUp(piece)) continue;
    const key = keyOfPiece({ ...piece, guards: [], value: integerScalar(zero) });
    walks.set(key, [...(walks.get(key) ?? []), each]);
  }
  const joined = new Map<Arrived, Arrived | undefined>();
  for (const alike of walks.values()) {
    const [first] = alike;
    const piece = alike.length > 1 && together(alike, span);
    if (!piece) continue;
    for (const each of alike) joined.set(each, undefined);
    joined.set(first!, { ...first!, piece });
  }
  return arrived.flatMap((each) => (joined.has(each) ? (joined.get(each) ?? []) : [each]));
}

/** Whether a guard looks up the one position of a summed coordinate that counts, `dst[c] == i`. */
function isLookedUp({ summed, guards }: Piece): boolean {
  return guards.flatMap(conjuncts).some((guard) => summed.some((loop) => lookedUpIn(guard, loop)));
}

/** Sums along one walk as one; nothing where they are better taken apart. */
function together(alike: readonly Arrived[], span: Span): Piece | undefined {
  const walk = alike[0]!.piece;
  const counting = alike.map(({ piece }) => {
    const [value, ...conditions] = [piece.value, ...piece.guards].map((part) => along(piece, walk, part));
    return { conditions, value: value! };
  });
  const common = counting[0]!.conditions.slice(0, conditionsInCommon(counting));
  const behind = counting.map((part) => ({ ...part, conditions: part.conditions.slice(common.length) }));
  const algebra = algebraOf(walk.value.type as FloatType, span);
  // Conditions on coordinates bound the walks of sums, but not of what is sent to its cells.
  const isSent = walk.ties.length > 0;
  if (isSent || counting.some(({ conditions }) => conditions.some(looksUp)))
    return { ...walk, guards: common, value: sumOfCounting(behind, algebra, span) };
  const values = counting.map(({ value }) => value);
  const isAlike = behind.every(({ conditions }) => conditions.length === 0);
  // Calls are taken back one by one, and products of cells are summed as the contractions that they are.
  if (!isAlike || values.some(hasCall) || values.every(isContraction) || !shares(values)) return undefined;
  const joined: Piece = { ...walk, guards: common, value: sumInside(behind, walk.summed, span) };
  const work = (piece: Piece): number => workAtPoint([piece.value]) + 1;
  const apart = Math.min(
    alike.reduce((sum, { piece }) => sum + work(piece), 0),
    workTurned(walk, values),
  );
  return work(joined) < apart ? joined : undefined;
}

/**
 * What two sums take at a point that they go through with their coordinates in another order: the pair of i and j is one point for what i gets and for what j gets.
 * Both are added up, and one of them has a cell at each point.
 */
function workTurned({ axes, summed }: Piece, [first, second, ...others]: readonly Scalar[]): number {
  const loops = [...axes, ...summed];
  if (others.length > 0 || loops.length > mostTurned) return Infinity;
  const rangeOf = ({ from, to }: Loop): string => `${keyOf(from)}..${keyOf(to)}`;
  const turned = permutations(loops).filter((order) => order.every((loop, k) => rangeOf(loop) === rangeOf(loops[k]!)));
  const works = turned.map((order) => {
    const by = new Map(order.map((loop, k) => [loop.variable, integerScalar(ofVariable(loops[k]!.variable))]));
    return workAtPoint([first!, instantiate(second!, by)]);
  });
  return Math.min(...works) + 3;
}

/** Of more coordinates, other orders are not tried. */
const mostTurned = 4;

function shares(values: readonly Scalar[]): boolean {
  return workAtPoint(values) < values.reduce((work, value) => work + workAtPoint([value]), 0);
}

/** The sum of some products, factored where that takes less, times what all of them have in common that does not change along the walk. */
function sumInside(counting: readonly Counting[], summed: readonly Loop[], span: Span): Scalar {
  const type = counting[0]!.value.type as FloatType;
  const algebra = algebraOf(type, span);
  const products = counting.flatMap(({ value }) => times({ product: one, conditions: [] }, value));
  const isPlain = products.length === counting.length && products.every(({ conditions }) => conditions.length === 0);
  if (!isPlain) return sumOfCounting(counting, algebra, span);
  const { constant, factors, divisors } = factorsInCommon(products);
  const isOutside = (factor: Scalar): boolean => !usesAny(factor, summed);
  const outside = { constant, factors: factors.filter(isOutside), divisors: divisors.filter(isOutside) };
  const rest = products.map(({ product }) => withoutFactors(product, outside));
  const plain = sumOf(rest.map((each) => productScalar(withQuotients(each), type, span)), algebra)!; // prettier-ignore
  const shorter = products.length > 2 ? factored(rest, type, span) : plain;
  const sum = workAtPoint([shorter]) < workAtPoint([plain]) ? shorter : plain;
  if (isConstantProduct(outside) && sum === plain) return sumOfCounting(counting, algebra, span);
  return productScalar({ ...outside, factors: [sum, ...outside.factors] }, type, span);
}

/** A sum of products in which what many of them have in common is multiplied once: a·c + b·c + d is (a + b)·c + d. */
function factored(products: readonly Product[], type: FloatType, span: Span): Scalar {
  const counts = new Map<string, { readonly taken: Product; readonly having: Set<Product> }>();
  for (const product of products)
    for (const kind of ["factors", "divisors"] as const)
      for (const each of product[kind]) {
        const key = `${kind} ${keyOf(each)}`;
        const found = counts.get(key) ?? { taken: { ...one, [kind]: [each] }, having: new Set<Product>() };
        counts.set(key, found);
        found.having.add(product);
      }
  const most = [...counts.values()].reduce((a, b) => (b.having.size > a.having.size ? b : a), { taken: one, having: new Set<Product>() }); // prettier-ignore
  if (most.having.size < 2) return sumOf(products.map((each) => productScalar(withQuotients(each), type, span)), algebraOf(type, span))!; // prettier-ignore
  const { taken, having } = most;
  const inside = factored([...having].map((each) => withoutFactors(each, taken)), type, span); // prettier-ignore
  const shared = productScalar({ ...taken, factors: [inside, ...taken.factors] }, type, span);
  const others = products.filter((each) => !having.has(each));
  return others.length === 0 ? shared : sumOf([shared, factored(others, type, span)], algebraOf(type, span))!;
}

function hasCall(value: Scalar): boolean {
  let found = false;
  eachScalar(value, (part) => void (found ||= part.kind === "call"));
  return found;
}

/** A product of cells. */
function isContraction(value: Scalar): boolean {
  if (value.kind === "select") return value.isProduct === true && isContraction(value.otherwise);
  if (value.kind === "read" || value.kind === "constant") return true;
  return value.kind === "apply" && ["multiply", "negate"].includes(value.operation) && value.operands.every(isContraction); // prettier-ignore
}

/** What is said along one walk, along another one like it. */
function along(from: Piece, to: Piece, scalar: Scalar): Scalar {
  const others = [...to.axes, ...to.summed];
  const loops = [...from.axes, ...from.summed];
  const by = new Map(loops.map((loop, k) => [loop.variable, integerScalar(ofVariable(others[k]!.variable))]));
  return instantiate(scalar, by);
}
