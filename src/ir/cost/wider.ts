// Visits of more points than their own, so that they can go along with others: where their bounds do not hold there is nothing to compute. Or of fewer, and
// of the others by themselves.
//
//   d_x[n] = sum[j](d_D[n + 1, j]·…)   goes along with   d_D[i, j] = …,   at n = i - 1: it has nothing at i = 0, which is tested at every point

import { constantOf, ofVariable, plus, subtract } from "../../affine/term.ts";
import { compared, integerOf } from "../integers.ts";
import { numberOf } from "../keys.ts";
import { isOfCoordinates } from "../parts.ts";
import type { Loop, Scalar } from "../program.ts";
import { integerScalar } from "../substitute.ts";
import { usesAny } from "../ties.ts";
import { lengthOf } from "./forms.ts";
import { conjuncts } from "./points.ts";
import type { Visit } from "./visits.ts";

/** The same visit at all points of its loops, or of the same steps. What is tested before a bound is tested everywhere. */
export function wholeOf(visit: Visit): readonly Visit[] {
  const inStep = visit.loops.filter((loop) => !visit.order.has(loop.variable));
  const isBound = (guard: Scalar): boolean => isOfCoordinates(guard) && usesAny(guard, inStep);
  const guards = visit.guards.flatMap(conjuncts);
  if (!guards.some(isBound)) return [];
  const tested = guards.map(numberOf);
  const bounded = (scalar: Scalar): Scalar => {
    const at = tested.indexOf(numberOf(scalar));
    const bounds = (at < 0 ? guards : guards.slice(0, at)).filter(isBound);
    const otherwise: Scalar = {
      kind: "constant",
      type: scalar.type,
      value: scalar.type === "bool" ? false : 0,
    };
    return bounds.reduceRight(
      (then, condition) => ({ kind: "select", type: scalar.type, condition, then, otherwise }),
      scalar,
    );
  };
  // At the other points, a cell that something else is chosen for may not be there.
  const at = visit.isPiece ? undefined : visit.at;
  return [
    {
      ...visit,
      at,
      guards: guards.filter((guard) => !isBound(guard)),
      scalars: visit.scalars.map(bounded),
    },
  ];
}

/** By how many positions a loop may be longer, or shorter. */
const mostLonger = 2;

/** Of more ways to make loops longer, none is tried. */
const mostWays = 8;

/** The same visit along loops that are as long as others, of which each is longer by a few positions. */
export function longerOf(visit: Visit, others: readonly (readonly Loop[])[]): readonly Visit[] {
  const { loops, order, definition } = visit;
  const alike = others.filter((each) => each.length === loops.length).flat();
  const ways = loops.map((loop) => [
    loop,
    ...(order.has(loop.variable) ? [] : longer(loop, loops, alike)),
  ]);
  if (ways.reduce((product, each) => product * each.length, 1) > mostWays) return [];
  const nests = ways.reduce<readonly (readonly Loop[])[]>(
    (found, each) => found.flatMap((nest) => each.map((loop) => [...nest, loop])),
    [[]],
  );
  return nests.slice(1).flatMap((nest) => {
    const bounds = loops.flatMap(({ variable: v, from, to }, k) => {
      const at = integerScalar(ofVariable(v));
      const [first, behind] = [
        compared("lessEqual", from, at, definition.span),
        compared("less", at, to, definition.span),
      ];
      return [...(nest[k]!.from === from ? [] : [first]), ...(nest[k]!.to === to ? [] : [behind])];
    });
    // At further points, another clause may own the cell.
    const at = definition.clauses.length > 1 ? undefined : visit.at;
    return wholeOf({ ...visit, at, loops: nest, guards: [...bounds, ...visit.guards] });
  });
}

/** A visit as two, of which the first goes along a loop that is as long as another one, and the second is at the few positions that are left. */
export function shorterOf(
  visit: Visit,
  others: readonly (readonly Loop[])[],
): readonly (readonly [Visit, Visit])[] {
  const { loops, order, isRest } = visit;
  const alike = others.filter((each) => each.length === loops.length).flat();
  return loops.flatMap((loop) => {
    const cuts =
      isRest || order.has(loop.variable)
        ? []
        : differences(loop, loops, alike).filter((count) => count < 0);
    const at = (from: Scalar, to: Scalar): Visit => ({
      ...visit,
      loops: loops.map((each) => (each === loop ? { ...loop, from, to } : each)),
    });
    return cuts.flatMap((count): readonly (readonly [Visit, Visit])[] => {
      const [low, high] = [
        plus(integerOf(loop.from)!, -count),
        plus(integerOf(loop.to)!, count),
      ].map(integerScalar) as [Scalar, Scalar];
      const left = (rest: Visit): Visit => ({ ...rest, isRest: true });
      return [
        [at(loop.from, high), left(at(high, loop.to))],
        [at(low, loop.to), left(at(loop.from, low))],
      ];
    });
  });
}

/** By how many positions some loops are longer than one, where data and coordinates around it do not say that: a few at most. */
function differences(
  loop: Loop,
  around: readonly Loop[],
  others: readonly Loop[],
): readonly number[] {
  const length = lengthOf(loop);
  if (!length || usesAny(loop.from, around) || usesAny(loop.to, around)) return [];
  const found = new Set(
    others.map(lengthOf).flatMap((each) => (each && constantOf(subtract(each, length))) ?? []),
  );
  return [...found].filter((count) => Math.abs(count) <= mostLonger);
}

/** A loop with a few positions more before it and behind it, as many as one of some others has. */
function longer(loop: Loop, around: readonly Loop[], others: readonly Loop[]): readonly Loop[] {
  return differences(loop, around, others)
    .filter((count) => count > 0)
    .flatMap((count) =>
      Array.from({ length: count + 1 }, (_, before) => ({
        ...loop,
        from: before === 0 ? loop.from : integerScalar(plus(integerOf(loop.from)!, -before)),
        to: before === count ? loop.to : integerScalar(plus(integerOf(loop.to)!, count - before)),
      })),
    );
}
