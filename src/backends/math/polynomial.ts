// Polynomials by Horner's rule: the fewest operations, in one dependent chain that a processor
// overlaps with the chain of the next vector.

import type { Doubles, Lanes } from "./lanes.ts";

/** c0 + c1·x + c2·x² + …, every coefficient rounded to f32. */
export function polynomial<V>(m: Lanes<V>, x: V, coefficients: readonly number[]): V {
  const [highest, ...rest] = coefficients.toReversed();
  return rest.reduce<V>((sum, c) => m.mulAdd(sum, x, m.float(c)), m.float(highest!));
}

/** c0 + c1·x + c2·x² + … in f64. */
export function widePolynomial<W>(m: Doubles<W>, x: W, coefficients: readonly number[]): W {
  const [highest, ...rest] = coefficients.toReversed();
  return rest.reduce<W>((sum, c) => m.add(m.mul(sum, x), m.double(c)), m.double(highest!));
}
