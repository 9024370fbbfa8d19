// Half-open intervals of integers with symbolic bounds: the ranges of coordinates.
//
// A range is empty where `to <= from`. An affine use a·i + r of a coordinate i, with r anywhere in
// the range R of the rest, stays inside a target T for *every* r in R exactly where
//
//   a > 0:   ⌈(T.from - R.from)/a⌉  ≤ i <  ⌊(T.to - R.to)/a⌋ + 1
//   a < 0:   ⌈(R.to - T.to)/|a|⌉   ≤ i <  ⌊(R.from - T.from)/|a|⌋ + 1
//
// (R.to is exclusive: the largest rest is R.to - 1, and T.to - 1 is the largest value allowed.)

import {
  add,
  ceilDiv,
  constant,
  floorDiv,
  maximum,
  minimum,
  negate,
  one,
  plus,
  scale,
  subtract,
  zero,
} from "./term.ts";
import type { Term, Variable } from "./term.ts";
import { variablesOf } from "./visit.ts";

export interface Range {
  readonly from: Term;
  readonly to: Term;
}

/** 0..extent */
export function upTo(extent: Term): Range {
  return { from: zero, to: extent };
}

/** The range that contains a single value. */
export function single(value: Term): Range {
  return { from: value, to: plus(value, 1) };
}

export function intersect(a: Range, b: Range): Range {
  return { from: maximum(a.from, b.from), to: minimum(a.to, b.to) };
}

/** The smallest interval that contains a·i for all i in the range. */
function scaleRange(range: Range, by: number): Range {
  if (by === 0) return single(zero);
  if (by > 0) return { from: scale(range.from, by), to: plus(scale(plus(range.to, -1), by), 1) };
  return { from: scale(plus(range.to, -1), by), to: plus(scale(range.from, by), 1) };
}

/**
 * The values of i for which a·i + r lies in the target for every r of the rest. `a` is not 0,
 * `rest` is not empty.
 */
export function preimage(a: number, rest: Range, target: Range): Range {
  const by = constant(Math.abs(a));
  if (a > 0) {
    return {
      from: ceilDiv(subtract(target.from, rest.from), by),
      to: add(floorDiv(subtract(target.to, rest.to), by), one),
    };
  }
  return {
    from: ceilDiv(subtract(rest.to, target.to), by),
    to: add(floorDiv(subtract(rest.from, target.from), by), one),
  };
}

/**
 * The smallest interval that contains a term whose variables run through the given ranges, none of
 * them empty. Variables without a range are parameters. Undefined if a variable with a range has no
 * constant coefficient.
 */
export function image(term: Term, rangeOf: (v: Variable) => Range | undefined): Range | undefined {
  let from = constant(term.constant);
  let last = from;
  for (const part of term.parts) {
    const summand: Term = { constant: 0, parts: [part] };
    const [atom] = part.factors;
    const range =
      part.factors.length === 1 && atom!.kind === "variable" ? rangeOf(atom!.variable) : undefined;
    if (range) {
      const scaled = scaleRange(range, part.coefficient);
      from = add(from, scaled.from);
      last = add(last, plus(scaled.to, -1));
    } else {
      if (mentionsRanged(summand, rangeOf)) return undefined;
      from = add(from, summand);
      last = add(last, summand);
    }
  }
  return { from, to: plus(last, 1) };
}

function mentionsRanged(term: Term, rangeOf: (v: Variable) => Range | undefined): boolean {
  for (const v of variablesOf(term)) if (rangeOf(v)) return true;
  return false;
}

/** The mirrored range: -i for i in the range. */
export function mirror(range: Range): Range {
  return { from: plus(negate(range.to), 1), to: plus(negate(range.from), 1) };
}
