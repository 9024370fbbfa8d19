// How a visit goes through its points: forms by which the same points are recognised, whatever coordinates are called, in which order they stand and where they begin.

import {
  add,
  constantOf,
  ofVariable,
  plus,
  subtract,
  zero,
  type Term,
  type Variable,
} from "../../affine/term.ts";
import { coefficientOf, substitute, withoutVariable } from "../../affine/visit.ts";
import { compared, integerOf } from "../integers.ts";
import { numberOf, placeholder } from "../keys.ts";
import { permutations } from "../permutations.ts";
import type { Loop, Scalar } from "../program.ts";
import { instantiate, integerScalar, type Replacements } from "../substitute.ts";
import { isCoordinate, usesAny } from "../ties.ts";
import { cutByAll, isUnit, settled } from "./cut.ts";
import { conjuncts, halvesOf, pointsOf } from "./points.ts";
import { dataGuards } from "./tally.ts";
import type { Visit } from "./visits.ts";

/** One order of a visit's coordinates. Forms with the same key go through the same points, each coordinate from where it begins. */
export interface Form {
  readonly key: string;
  readonly coordinates: readonly Variable[];
  readonly starts: readonly Term[];
}

/** Of more orders, not all are tried. */
const mostOrders = 720;

/** The visit's own order first. */
export function formsOf(visit: Visit): readonly Form[] {
  const { determined } = pointsOf(visit.loops, visit.guards);
  const [found, walked] = [true, false].map((isIn) =>
    visit.loops.filter(({ variable: v }) => determined.has(v) === isIn),
  );
  const conditions = visit.guards
    .flatMap(conjuncts)
    .filter((guard) => dataGuards(guard).length === 0 && !isInequation(guard));
  const ofData = walked!.filter(({ from, to }) => !integerOf(from) || !integerOf(to));
  const guards = conditions.flatMap((guard) => insideOf(guard, found!, ofData));
  const others = [...guards, ...walked!.flatMap(({ from, to }) => [from, to])];
  if (others.some((scalar) => usesAny(scalar, found!))) return [];
  const { loops, left } = withEndsMoved(walked!, guards);
  return ordersOf(loops, left).map((order) => formOf(order, left));
}

/** What leaves out single positions is tested at every point, as guards on data are. */
function isInequation(guard: Scalar): boolean {
  return guard.kind === "apply" && guard.operation === "notEqual";
}

/** Loops with the ends that conditions on one coordinate say, and the conditions that are left. */
function withEndsMoved(
  walked: readonly Loop[],
  guards: readonly Scalar[],
): { readonly loops: readonly Loop[]; readonly left: readonly Scalar[] } {
  let left = guards;
  const loops = walked.map((loop) => {
    const others = walked.filter((other) => other !== loop);
    const own = left.filter(
      (guard) => halvesOf(guard).length > 0 && usesAny(guard, [loop]) && !usesAny(guard, others),
    );
    const cut = own.length > 0 ? cutByAll(own.flatMap(halvesOf), [{ loop }]) : undefined;
    if (cut) left = left.filter((guard) => !own.includes(guard));
    return cut?.[0]!.loop ?? loop;
  });
  return { loops, left };
}

/** An equation that finds a coordinate, as the conditions that it is one of its positions; where quotients or data say what it is, that is taken to be so. */
function insideOf(
  guard: Scalar,
  found: readonly Loop[],
  ofData: readonly Loop[],
): readonly Scalar[] {
  if (guard.kind !== "apply" || guard.operation !== "equal") return [guard];
  const [a, b] = guard.operands.map(integerOf);
  if (!a || !b)
    return guard.operands.some((side) => found.some((loop) => isCoordinate(side, loop.variable)))
      ? []
      : [guard];
  const gap = subtract(a, b);
  const loop = found.find(({ variable: v }) => isUnit(gap, v));
  if (!loop) return [guard];
  if (usesAny(guard, ofData)) return [];
  const rest = withoutVariable(gap, loop.variable);
  const at = integerScalar(
    constantOf(coefficientOf(gap, loop.variable)!) === 1 ? subtract(zero, rest) : rest,
  );
  return [
    compared("lessEqual", loop.from, at, guard.span),
    compared("less", at, loop.to, guard.span),
  ];
}

/** Orders of some coordinates in which the same points are recognised: all of those that decide about one another, and before the others, of which the longer ones come behind. */
function ordersOf(loops: readonly Loop[], guards: readonly Scalar[]): readonly (readonly Loop[])[] {
  const ends = ({ from, to }: Loop): readonly Scalar[] => [from, to];
  const isDeciding = (loop: Loop): boolean =>
    ends(loop).some((end) => usesAny(end, loops)) ||
    [...guards, ...loops.flatMap(ends)].some((scalar) => usesAny(scalar, [loop]));
  const [tangled, free] = [true, false].map((isIn) =>
    loops.filter((loop) => isDeciding(loop) === isIn),
  );
  const alike = new Map<string, Loop[]>();
  for (const loop of free!) {
    const known = lengthOf(loop);
    const length = numberOf(known ? integerScalar(known) : loop.to);
    alike.set(length, [...(alike.get(length) ?? []), loop]);
  }
  const sets = [
    tangled!,
    ...[...alike].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each),
  ];
  const count = sets.reduce((product, set) => product * factorial(set.length), 1);
  if (count > mostOrders) return [sets.flat()];
  return sets.reduce<readonly (readonly Loop[])[]>(
    (orders, set) =>
      orders.flatMap((order) => permutations(set).map((next) => [...order, ...next])),
    [[]],
  );
}

/** How many positions a loop has, where data does not say it. */
export function lengthOf({ from, to }: Loop): Term | undefined {
  const [start, end] = [integerOf(from), integerOf(to)];
  return start && end && subtract(end, start);
}

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}

/** Loops without positions at which one inside of them has none: `t in 0..n, s in 0..t` has nothing at t = 0. */
function withoutEmptyEnds(loops: readonly Loop[]): readonly Loop[] {
  return loops.map((loop) => {
    const [from, to] = [integerOf(loop.from), integerOf(loop.to)];
    const { variable: v } = loop;
    if (!from || !to) return loop;
    const lengths = loops
      .flatMap((inner) => (inner === loop ? [] : (lengthOf(inner) ?? [])))
      .filter((length) => isUnit(length, v));
    const isNoneAt = (at: Term): boolean =>
      lengths.some((length) => constantOf(substitute(length, new Map([[v, at]]))) === 0);
    if (isNoneAt(from)) return { ...loop, from: integerScalar(plus(from, 1)) };
    return isNoneAt(plus(to, -1)) ? { ...loop, to: integerScalar(plus(to, -1)) } : loop;
  });
}

function formOf(loops: readonly Loop[], guards: readonly Scalar[]): Form {
  const halves = guards.flatMap(halvesOf);
  const cut =
    halves.length === 0
      ? undefined
      : cutByAll(
          halves,
          loops.map((loop) => ({ loop })),
        );
  const narrowed = withoutEmptyEnds(cut?.map(({ loop }) => loop) ?? loops);
  const left = cut ? guards.filter((guard) => halvesOf(guard).length === 0) : guards;
  const starts = narrowed.map(
    ({ from }, k) => (usesAny(from, loops.slice(k)) ? undefined : integerOf(from)) ?? zero,
  );
  const by = placedAt(
    loops.map(({ variable: v }) => v),
    starts,
    (k) => ofVariable(placeholder(k)),
  );
  const at = (scalar: Scalar): string => numberOf(instantiate(scalar, by));
  const lengths = narrowed.map(({ from, to }, k) => {
    const ends = [from, to].map((end) => {
      const term = integerOf(end);
      return at(term ? integerScalar(settled(subtract(term, starts[k]!))) : end);
    });
    return ends.join("..");
  });
  const key = `${lengths.join()} ${left.map(at).sort().join()}`;
  return { key, coordinates: loops.map(({ variable: v }) => v), starts };
}

/** The coordinates of one form in terms of those of another one of the same points. */
export function between(own: Form, walk: Form): Replacements {
  return placedAt(own.coordinates, own.starts, (k) =>
    subtract(ofVariable(walk.coordinates[k]!), walk.starts[k]!),
  );
}

/** Coordinates by how far each is from its start, which those before it may say. */
function placedAt(
  coordinates: readonly Variable[],
  starts: readonly Term[],
  behind: (k: number) => Term,
): Replacements {
  const places = new Map<Variable, Term>();
  for (const [k, v] of coordinates.entries())
    places.set(v, add(behind(k), substitute(starts[k]!, places)));
  return new Map([...places].map(([v, place]) => [v, integerScalar(place)]));
}
