// Sums along the same walk are one sum where data chooses among them, or where they share what they compute: every point is visited once, and every
// condition tested once.
//
//   Σ { t } d[t]·(1 - y[t] / b) + Σ { t } e[t]·(1 - z[t] / b)   is   Σ { t } (d[t]·(1 - y[t] / b) + e[t]·(1 - z[t] / b)),   where b is read once
//
// What goes to both of a pair comes as two sums, which go through the same points with their coordinates in another order: they stay two, so that what they compute is the same.

import { isOff } from "../ir/rewrites.ts";
import { ofVariable, zero } from "../affine/term.ts";
import { workAtPoint } from "../ir/cost/tally.ts";
import { keyOf, numberOf } from "../ir/keys.ts";
import { callsSomething } from "../ir/parts.ts";
import { oppositeOf, outcomeOf, type Outcome } from "../ir/opposite.ts";
import { permutations } from "../ir/permutations.ts";
import type { Loop, Scalar } from "../ir/program.ts";
import type { FloatType } from "../scalar/types.ts";
import { instantiate, integerScalar } from "../ir/substitute.ts";
import { lookedUpIn } from "../ir/pins.ts";
import { conjuncts, usesAny } from "../ir/ties.ts";
import type { Span } from "../base/source.ts";
import { conditionsInCommon, looksUp, sumOfCounting, type Counting } from "./choices.ts";
import {
  algebraOf,
  factorsInCommon,
  isConstantProduct,
  one,
  productScalar,
  sumOf,
  times,
  withoutFactors,
  withQuotients,
  type Product,
} from "./products.ts";
import type { Arrived } from "./sweep.ts";
import { keyOfPiece, type Piece } from "./transpose.ts";

export function inOneWalk(arrived: readonly Arrived[], span: Span): readonly Arrived[] {
  if (isOff("joined-sums")) return arrived;
  const walks = new Map<string, Arrived[]>();
  for (const each of arrived) {
    const { piece } = each;
    // Of what others look up there is one position for each of theirs.
    if (piece.summed.length === 0 || isLookedUp(piece)) continue;
    // Lookups that say where a term goes are only made behind its guards.
    const guards = piece.ties.some(looksUp) ? piece.guards : [];
    const key = keyOfWalk(piece, guards);
    walks.set(key, [...(walks.get(key) ?? []), each]);
  }
  const joined = new Map<Arrived, Arrived | undefined>();
  for (const alike of walks.values()) {
    for (const { of, piece } of alike.length > 1 ? together(alike, span) : []) {
      const [first, ...others] = of;
      for (const each of others) joined.set(each, undefined);
      joined.set(first!, others.length > 0 ? { ...first!, piece } : first);
    }
  }
  const all = arrived.flatMap((each) => (joined.has(each) ? (joined.get(each) ?? []) : [each]));
  return withChoices(all, span);
}

/** The points of a piece under some of its guards. The same condition is a range of one piece and a guard of another. */
function keyOfWalk(piece: Piece, guards: readonly Scalar[]): string {
  return `${piece.ranges.length} ${keyOfPiece({ ...piece, guards, value: integerScalar(zero) })}`;
}

/**
 * What both branches of a choice send to the cells that one lookup finds is one sum, of which each term is chosen:
 *
 *   Σ { k where c[k], at[k] == p } f(k) + Σ { k where !c[k], at[k] == p } g(k)   is   Σ { k where at[k] == p } (if c[k] { f(k) } else { g(k) })
 */
function withChoices(arrived: readonly Arrived[], span: Span): readonly Arrived[] {
  const walks = new Map<string, Guarded[]>();
  for (const each of arrived) {
    const { piece } = each;
    if (piece.summed.length === 0 || piece.guards.length === 0 || !piece.ties.some(looksUp))
      continue;
    const key = keyOfWalk(piece, []);
    const alike = walks.get(key) ?? [];
    walks.set(key, alike);
    alike.push(guarded(each, alike[0]?.arrived.piece ?? piece));
  }
  const joined = new Map<Arrived, Arrived | undefined>();
  for (const alike of walks.values())
    for (const { of, arrived: made } of alike.length > 1 ? chosenAmong(alike, span) : [])
      for (const each of of) joined.set(each, each === of[0] ? made : undefined);
  return arrived.flatMap((each) => (joined.has(each) ? (joined.get(each) ?? []) : [each]));
}

/** What arrives under guards, in the coordinates of the first that goes along the same walk, and what it is made of. */
interface Guarded {
  readonly arrived: Arrived;
  readonly of: readonly Arrived[];
  readonly outcomes: readonly { readonly key: string; readonly holds: boolean }[];
}

function guarded(each: Arrived, walk: Piece, of: readonly Arrived[] = [each]): Guarded {
  const [value, ...guards] = [each.piece.value, ...each.piece.guards].map((part) =>
    along(each.piece, walk, part),
  );
  const outcomes = guards.map((guard) => {
    const { value: test, holds } = testIn(guard);
    return { key: numberOf(test), holds };
  });
  return { arrived: { ...each, piece: { ...walk, guards, value: value! } }, of, outcomes };
}

/** A test that a condition and its opposite have in common. */
function testIn(condition: Scalar): Outcome {
  const { value, holds } = outcomeOf(condition);
  const isOther =
    value.kind === "apply" && (value.operation === "greater" || value.operation === "greaterEqual");
  const opposite = isOther ? oppositeOf(value) : undefined;
  return opposite ? { value: opposite, holds: !holds } : { value, holds };
}

/** Of those that differ in the outcome of one guard, one: in it, that guard chooses. */
function chosenAmong(alike: readonly Guarded[], span: Span): readonly Guarded[] {
  const open = [...alike];
  const left = new Map<string, Guarded>();
  for (const each of open) {
    const opposite = (which: number): string => keyOfOutcomes(each.outcomes, which);
    const which = each.outcomes.findIndex((_, k) => left.has(opposite(k)));
    if (which < 0) {
      left.set(keyOfOutcomes(each.outcomes), each);
      continue;
    }
    const other = left.get(opposite(which))!;
    left.delete(opposite(which));
    open.push(choosing(other, each, which, span));
  }
  return [...left.values()].filter(({ of }) => of.length > 1);
}

/** The outcomes of some guards, one of them the other way round. */
function keyOfOutcomes(outcomes: Guarded["outcomes"], turned?: number): string {
  return outcomes.map(({ key, holds }, k) => `${holds !== (k === turned)} ${key}`).join();
}

function choosing(first: Guarded, second: Guarded, which: number, span: Span): Guarded {
  const { piece } = first.arrived;
  const counting = [first, second].map(({ arrived: { piece: own } }) => ({
    conditions: [own.guards[which]!],
    value: own.value,
  }));
  const value = sumOfCounting(counting, algebraOf(piece.value.type as FloatType, span), span);
  const guards = piece.guards.filter((_, k) => k !== which);
  return guarded({ ...first.arrived, piece: { ...piece, guards, value } }, piece, [
    ...first.of,
    ...second.of,
  ]);
}

/** Whether a guard looks up the one position of a summed coordinate that counts, `dst[c] == i`. */
function isLookedUp({ summed, guards }: Piece): boolean {
  return guards.flatMap(conjuncts).some((guard) => summed.some((loop) => lookedUpIn(guard, loop)));
}

/** Some sums as one. */
interface Joined {
  readonly of: readonly Arrived[];
  readonly piece: Piece;
}

/** Sums along one walk as one, or as two that go through the same points; nothing where they are better taken apart. */
function together(alike: readonly Arrived[], span: Span): readonly Joined[] {
  const walk = alike[0]!.piece;
  const counting = alike.map(({ piece }) => {
    const [value, ...conditions] = [piece.value, ...piece.guards].map((part) =>
      along(piece, walk, part),
    );
    return { conditions, value: value! };
  });
  const whole = joinedIn(walk, counting, span);
  // What is sent to its cells is always one sum.
  if (walk.ties.length > 0) return [{ of: alike, piece: whole! }];
  const turned = turnedIn(walk, counting, span);
  const isTested = counting.some(({ conditions }) => conditions.some(looksUp));
  const apart = isTested
    ? Infinity
    : alike.reduce((sum, { piece }) => sum + workAtPoint([piece.value]) + 1, 0);
  const best = Math.min(whole ? workAtPoint(scalarsIn(whole)) + 1 : Infinity, apart);
  if (turned && turned.work <= best) {
    const groups = [false, true].map((isTurned) =>
      alike.filter((_, k) => turned.isTurned[k] === isTurned),
    );
    return turned.pieces.map((piece, k) => ({
      of: groups[k]!,
      piece: inCoordinatesOf(groups[k]![0]!.piece, piece),
    }));
  }
  return whole && best < apart ? [{ of: alike, piece: whole }] : [];
}

/** Terms of one walk as one sum; nothing where conditions on coordinates bound some of them, or where they share nothing. */
function joinedIn(walk: Piece, counting: readonly Counting[], span: Span): Piece | undefined {
  const common = counting[0]!.conditions.slice(0, conditionsInCommon(counting));
  const behind = counting.map((part) => ({
    ...part,
    conditions: part.conditions.slice(common.length),
  }));
  const values = counting.map(({ value }) => value);
  // Conditions on coordinates bound the walks of sums, but not of what is sent to its cells.
  if (walk.ties.length > 0 || counting.some(({ conditions }) => conditions.some(looksUp)))
    return { ...walk, guards: common, value: sumUnderTest(behind, walk, span) };
  const isAlike = behind.every(({ conditions }) => conditions.length === 0);
  // Calls are taken back one by one, and products of cells are summed as the contractions that they are.
  if (!isAlike || values.some(callsSomething) || values.every(isContraction) || !shares(values))
    return undefined;
  return { ...walk, guards: common, value: sumInside(behind, walk.summed, span) };
}

/** A sum of terms; what all of them are left out for is tested once. */
function sumUnderTest(counting: readonly Counting[], walk: Piece, span: Span): Scalar {
  const algebra = algebraOf(walk.value.type as FloatType, span);
  const tested = counting.flatMap(({ value, conditions }) =>
    value.kind === "select" && value.isProduct && conditions.length === 0 ? [value] : [],
  );
  const [first, ...others] = tested;
  const isOne =
    tested.length === counting.length &&
    others.every(({ condition }) => keyOf(condition) === keyOf(first!.condition));
  if (!first || others.length === 0 || !isOne) return sumOfCounting(counting, algebra, span);
  const left = tested.map(({ otherwise: value }): Counting => ({ conditions: [], value }));
  return { ...first, otherwise: sumInside(left, walk.summed, span) };
}

/** What is tested and computed at each point of a sum. */
function scalarsIn({ guards, value }: Piece): readonly Scalar[] {
  return [...guards.filter(looksUp), value];
}

/** Two sums through the same points, and what they take at each. */
interface Turned {
  readonly pieces: readonly Piece[];
  /** Of each term, whether it is in the second one. */
  readonly isTurned: readonly boolean[];
  readonly work: number;
}

/**
 * Two sums that go through the same points with their coordinates in another order: the pair of i and j is one point for what i gets and for what j gets.
 * Both are added up, and one of them has a cell at each point.
 */
function turnedIn(walk: Piece, counting: readonly Counting[], span: Span): Turned | undefined {
  const loops = [...walk.axes, ...walk.summed];
  if (loops.length > mostTurned) return undefined;
  const rangeOf = ({ from, to }: Loop): string => `${keyOf(from)}..${keyOf(to)}`;
  const [, ...orders] = permutations(loops).filter((order) =>
    order.every((loop, k) => rangeOf(loop) === rangeOf(loops[k]!)),
  );
  const found = orders.flatMap((order): readonly Turned[] => {
    const by = new Map(
      order.map((loop, k) => [loop.variable, integerScalar(ofVariable(loops[k]!.variable))]),
    );
    const turnedBy = (scalar: Scalar): Scalar => instantiate(scalar, by);
    const isTurned: boolean[] = [];
    let there: readonly Scalar[] = [];
    for (const { conditions, value } of counting) {
      const own = [...conditions.filter(looksUp), value];
      const turned = own.map(turnedBy);
      const isBetter = workAtPoint([...there, ...turned]) < workAtPoint([...there, ...own]);
      isTurned.push(isBetter);
      there = [...there, ...(isBetter ? turned : own)];
    }
    const groups = [false, true].map((is) => counting.filter((_, k) => isTurned[k] === is));
    if (groups.some((group) => group.length === 0)) return [];
    const pieces = groups.map((group) =>
      group.length > 1
        ? joinedIn(walk, group, span)
        : { ...walk, guards: group[0]!.conditions, value: group[0]!.value },
    );
    const [first, second] = pieces;
    if (!first || !second) return [];
    const work = workAtPoint([...scalarsIn(first), ...scalarsIn(second).map(turnedBy)]) + 3;
    return [{ pieces: [first, second], isTurned, work }];
  });
  return found.reduce<Turned | undefined>(
    (best, each) => (best && best.work <= each.work ? best : each),
    undefined,
  );
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
  const isPlain =
    products.length === counting.length &&
    products.every(({ conditions }) => conditions.length === 0);
  if (!isPlain) return sumOfCounting(counting, algebra, span);
  const { constant, factors, divisors } = factorsInCommon(products);
  const isOutside = (factor: Scalar): boolean => !usesAny(factor, summed);
  const outside = {
    constant,
    factors: factors.filter(isOutside),
    divisors: divisors.filter(isOutside),
  };
  const rest = products.map(({ product }) => withoutFactors(product, outside));
  const plain = sumOf(
    rest.map((each) => productScalar(withQuotients(each), type, span)),
    algebra,
  )!;
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
        const found = counts.get(key) ?? {
          taken: { ...one, [kind]: [each] },
          having: new Set<Product>(),
        };
        counts.set(key, found);
        found.having.add(product);
      }
  const most = [...counts.values()].reduce((a, b) => (b.having.size > a.having.size ? b : a), {
    taken: one,
    having: new Set<Product>(),
  });
  if (most.having.size < 2)
    return sumOf(
      products.map((each) => productScalar(withQuotients(each), type, span)),
      algebraOf(type, span),
    )!;
  const { taken, having } = most;
  const inside = factored(
    [...having].map((each) => withoutFactors(each, taken)),
    type,
    span,
  );
  const shared = productScalar({ ...taken, factors: [inside, ...taken.factors] }, type, span);
  const others = products.filter((each) => !having.has(each));
  return others.length === 0
    ? shared
    : sumOf([shared, factored(others, type, span)], algebraOf(type, span))!;
}

/** A product of cells. */
function isContraction(value: Scalar): boolean {
  if (value.kind === "select") return value.isProduct === true && isContraction(value.otherwise);
  if (value.kind === "read" || value.kind === "constant") return true;
  return (
    value.kind === "apply" &&
    ["multiply", "negate"].includes(value.operation) &&
    value.operands.every(isContraction)
  );
}

/** A piece in the coordinates of another one that goes along a walk like its own. */
function inCoordinatesOf(own: Piece, piece: Piece): Piece {
  const [value, ...guards] = [piece.value, ...piece.guards].map((part) => along(piece, own, part));
  return { ...own, value: value!, guards };
}

/** What is said along one walk, along another one like it. */
function along(from: Piece, to: Piece, scalar: Scalar): Scalar {
  const others = [...to.axes, ...to.summed];
  const loops = [...from.axes, ...from.summed];
  const by = new Map(
    loops.map((loop, k) => [loop.variable, integerScalar(ofVariable(others[k]!.variable))]),
  );
  return instantiate(scalar, by);
}
