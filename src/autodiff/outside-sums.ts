// What every term of a sum is multiplied with is multiplied with the sum.
//
//   y[t] = y[t - 1]²·a / b   has   d_b = -Σ { t } d_y[t]·y[t - 1]²·a / b / b = -(Σ { t } d_y[t]·y[t - 1]²)·a / b / b
//
// A gradient that is 0 because of a guard contributes nothing, and so does a sum without any term: such a sum is 0, whatever it is multiplied with.

import { keyOf } from "../ir/keys.ts";
import type { Scalar } from "../ir/program.ts";
import { isFloat } from "../ir/scalar/types.ts";
import { usesAny } from "../ir/ties.ts";
import { looksUp } from "./choices.ts";
import { isTotal } from "./hoist.ts";
import { one, productScalar, times, unlessZero, type Product } from "./products.ts";
import type { Sweep } from "./sweep.ts";
import { conditionsOf, type Piece } from "./transpose.ts";

/** How many operations and reads have to be saved at every point, so that a line more is worth it. */
const enough = 3;

/** A sum with little to do at each of its points, and what becomes of it behind. */
export interface Outside {
  readonly piece: Piece;
  readonly behind: (sum: Scalar) => Scalar;
}

/** Nothing where that saves little. */
export function takenOutside(sweep: Sweep, piece: Piece): Outside | undefined {
  const { axes, summed, value, span } = piece;
  const { type } = value;
  if (summed.length === 0 || !isFloat(type)) return undefined;
  const test = value.kind === "select" && value.isProduct ? value : undefined;
  const [only, another] = times({ product: one, conditions: [] }, test?.otherwise ?? value);
  if (!only || another || only.conditions.length > 0) return undefined;
  const isOutside = (factor: Scalar): boolean => !usesAny(factor, summed);
  const isInside = (factor: Scalar): boolean => !isOutside(factor);
  const { factors, divisors, constant } = only.product;
  const inside: Product = { constant: 1, factors: factors.filter(isInside), divisors: divisors.filter(isInside) };
  const outside: Product = { constant, factors: factors.filter(isOutside), divisors: divisors.filter(isOutside) };
  const isWorthIt = savedBy(outside) + (isContraction(inside) ? 1 : 0) >= enough;
  if (inside.factors.length === 0 || !isWorthIt || !isTotal(sweep, productScalar(outside, type, span), axes))
    return undefined;
  const sum = productScalar(inside, type, span);
  return {
    piece: { ...piece, value: test ? { ...test, otherwise: sum } : sum },
    behind: (read) => {
      const product = productScalar({ ...outside, factors: [read, ...outside.factors] }, type, span);
      return test || !isEverywhere(piece) ? unlessZero(read, product, type, span) : product;
    },
  };
}

/** Whether a sum has the same terms in every cell. */
function isEverywhere(piece: Piece): boolean {
  const bounds = piece.summed.flatMap(({ from, to }) => [from, to]);
  return conditionsOf(piece).length === 0 && !bounds.some((bound) => usesAny(bound, piece.axes));
}

/** Whatever a factor is made of, it would be read from a cell of its own. */
function savedBy({ constant, factors, divisors }: Product): number {
  const all = [...factors, ...divisors];
  const read = new Set(all.filter((factor) => looksUp(factor)).map(keyOf));
  return all.length + (Math.abs(constant) === 1 ? 0 : 1) + read.size;
}

/** Products of cells are summed faster than others. */
function isContraction({ factors, divisors }: Product): boolean {
  return factors.length > 1 && divisors.length === 0 && factors.every((factor) => factor.kind === "read");
}
