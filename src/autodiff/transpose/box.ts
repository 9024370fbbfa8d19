// Boxes: ranges that do not depend on one another. A reduction over several coordinates becomes a
// walk along one coordinate through the positions of a box, the last coordinate fastest:
//
//    sum[i in 0..2, j in 0..3](f(i, j))   is   sum[q in 0..6](f(q / 3, q % 3))
//
// A range that depends on other coordinates or on data is widened to hold all its positions. Guards
// then select the positions of the reduction.

import { image, type Range } from "../../affine/range.ts";
import {
  add,
  constant,
  constantOf,
  equal,
  floorDiv,
  mod,
  multiply,
  ofVariable,
  subtract,
  zero,
  type Term as Integer,
  type Variable,
} from "../../affine/term.ts";
import { coefficientOf, variablesOf, withoutVariable } from "../../affine/visit.ts";
import { halfOf } from "../../cost/points.ts";
import { alwaysIn } from "../../ir/parts.ts";
import type { Clause, Loop, Scalar } from "../../ir/program.ts";
import { integerScalar, coordinateScalar } from "../../ir/substitute.ts";
import { conjuncts } from "../../analyse/ties.ts";
import { compared } from "../../ir/integers.ts";

export type Reduction = Extract<Clause["body"], { kind: "reduce" }>;

/** One coordinate q for several coordinates, the last one fastest. */
export interface Flattened {
  readonly size: Integer;
  readonly at: (q: Integer) => readonly Integer[];
  readonly of: readonly Integer[];
}

/** The walk along loops with integer ranges that do not depend on one another. */
export function flattened(loops: readonly Loop[]): Flattened | undefined {
  const sizes = loops.map(sizeOf);
  if (sizes.some((size) => size === undefined) || dependOnOneAnother(loops)) return undefined;
  const strides = sizes.map((_, k) =>
    sizes.slice(k + 1).reduce<Integer>((a, b) => multiply(a, b!), constant(1)),
  );
  const start = (k: number): Integer =>
    (loops[k]!.from as Extract<Scalar, { kind: "integer" }>).term;
  // An empty box has no positions, and its sizes must not become divisors.
  const isNothing = sizes.some((size) => constantOf(size!) === 0);
  const digit = (q: Integer, k: number): Integer => {
    if (isNothing) return constant(0);
    const quotient = constantOf(strides[k]!) === 1 ? q : floorDiv(q, strides[k]!);
    return k === 0 ? quotient : mod(quotient, sizes[k]!);
  };
  return {
    size: sizes.reduce<Integer>((a, b) => multiply(a, b!), constant(1)),
    at: (q) => loops.map((_, k) => add(start(k), digit(q, k))),
    of: loops.map((loop, k) =>
      multiply(subtract(ofVariable(loop.variable), start(k)), strides[k]!),
    ),
  };
}

export function sizeOf(loop: Loop): Integer | undefined {
  return loop.from.kind === "integer" && loop.to.kind === "integer"
    ? subtract(loop.to.term, loop.from.term)
    : undefined;
}

/**
 * Does the range of one coordinate mention another of the coordinates? Then the number of positions
 * is not the product of the sizes.
 */
export function dependOnOneAnother(loops: readonly Loop[]): boolean {
  const variables = new Set(loops.map((loop) => loop.variable));
  return loops.some((loop) =>
    [loop.from, loop.to].some(
      (bound) =>
        bound.kind === "integer" && [...variablesOf(bound.term)].some((v) => variables.has(v)),
    ),
  );
}

/**
 * The largest value of a size over the ranges of the coordinates around it. The size is never
 * negative. `undefined` if the ranges do not give a bound.
 */
export function greatest(size: Integer, outer: readonly Loop[]): Integer | undefined {
  const ranges = rangesOf(outer);
  const range = image(size, (v) => ranges.get(v));
  return range && (constantOf(range.from) ?? -1) >= 0 ? subtract(range.to, constant(1)) : undefined;
}

function rangesOf(outer: readonly Loop[]): Map<Variable, Range> {
  const ranges = new Map<Variable, Range>();
  for (const loop of outer) {
    const range = rangeOfLoop(loop, ranges);
    if (range) ranges.set(loop.variable, range);
  }
  return ranges;
}

/**
 * The reduction with tighter bounds for its first coordinate instead of guards: `k <= i` ends its
 * range at `i + 1`.
 */
export function tightened(outer: readonly Loop[], body: Reduction): Reduction {
  const [first, ...others] = body.loops;
  const { loop, guards } = tightenedLoop(outer, first!, others, body.guards);
  return loop === first ? body : { ...body, loops: [loop, ...others], guards };
}

/**
 * One loop with its ends moved by guards, and the remaining guards. A guard moves an end only if it
 * lies between the ends for all positions of the coordinates around it.
 */
export function tightenedLoop(
  outer: readonly Loop[],
  written: Loop,
  inner: readonly Loop[],
  tests: readonly Scalar[],
): { readonly loop: Loop; readonly guards: readonly Scalar[] } {
  const ranges = rangesOf(outer);
  let loop = written;
  const isInside = (gap: Integer): boolean => {
    const range = image(gap, (v) => ranges.get(v));
    return range !== undefined && (constantOf(range.from) ?? -1) >= 0;
  };
  const guards = tests.flatMap(conjuncts).filter((guard) => {
    const half = halfOf(guard);
    const slope = half && constantOf(coefficientOf(half, loop.variable) ?? half);
    if (!half || (slope !== 1 && slope !== -1)) return true;
    const rest = withoutVariable(half, loop.variable);
    const { from, to } = loop;
    const isOwn = [...variablesOf(rest)].some((v) =>
      [loop, ...inner].some((each) => each.variable === v),
    );
    if (isOwn || from.kind !== "integer" || to.kind !== "integer") return true;
    const end = slope === 1 ? subtract(constant(0), rest) : add(rest, constant(1));
    if (!isInside(subtract(end, from.term)) || !isInside(subtract(to.term, end))) return true;
    loop =
      slope === 1 ? { ...loop, from: integerScalar(end) } : { ...loop, to: integerScalar(end) };
    return false;
  });
  return { loop, guards };
}

/**
 * The reduction over a box, with guards for its own ranges. `measure` gives the ranges that no
 * written bound holds.
 */
export function boxed(
  outer: readonly Loop[],
  body: Reduction,
  measure: (loop: Loop) => Range,
): Reduction {
  const ranges = rangesOf(outer);
  const loops: Loop[] = [];
  const guards: Scalar[] = [];
  // A range that mentions a coordinate is no range of a box.
  const moved = new Set([...outer, ...body.loops].map((loop) => loop.variable));
  const isFixed = (term: Integer): boolean => ![...variablesOf(term)].some((v) => moved.has(v));
  for (const loop of body.loops) {
    const held = rangeOfLoop(loop, ranges);
    const known = held && isFixed(held.from) && isFixed(held.to) ? held : undefined;
    const range = known ?? usedRange(loop.variable, [...body.guards, body.value]) ?? measure(loop);
    ranges.set(loop.variable, range);
    loops.push({
      ...loop,
      from: integerScalar(range.from),
      to: integerScalar(range.to),
      reversed: false,
    });
    const at = coordinateScalar(loop);
    if (!isSameBound(loop.from, range.from))
      guards.push(compared("lessEqual", loop.from, at, body.span));
    if (!isSameBound(loop.to, range.to)) guards.push(compared("less", at, loop.to, body.span));
  }
  return { ...body, loops, guards: [...guards, ...body.guards] };
}

/**
 * The least and the greatest position of a loop, over the ranges of the coordinates in its bounds.
 */
function rangeOfLoop({ from, to }: Loop, ranges: ReadonlyMap<Variable, Range>): Range | undefined {
  if (from.kind !== "integer" || to.kind !== "integer") return undefined;
  const [low, high] = [from.term, to.term].map((bound) => image(bound, (v) => ranges.get(v)));
  return low && high ? { from: low.from, to: subtract(high.to, constant(1)) } : undefined;
}

/**
 * The range of an axis that the coordinate alone indexes at every position. Reads inside a branch
 * do not count, because they are not made at every position.
 */
function usedRange(v: Variable, scalars: readonly Scalar[]): Range | undefined {
  const parts = new Set(scalars);
  for (const part of parts) {
    if (part.kind === "read") {
      const axis = part.indices.findIndex(
        (index) => index.kind === "integer" && equal(index.term, ofVariable(v)),
      );
      if (axis >= 0) return { from: zero, to: part.definition.axes[axis]!.extent };
    }
    for (const each of alwaysIn(part)) parts.add(each);
  }
  return undefined;
}

function isSameBound(bound: Scalar, term: Integer): boolean {
  return bound.kind === "integer" && equal(bound.term, term);
}
