// Polynomials in extents: their arithmetic agrees with numbers, and their text is readable.

import fc from "fast-check";
import { expect, it } from "vitest";
import {
  constant,
  floorDiv,
  maximum,
  ofVariable,
  plus as shifted,
  variable,
} from "../affine/term.ts";
import {
  evaluate,
  minus,
  number,
  ofTerm,
  plus,
  scaled,
  showPolynomial,
  summed,
  times,
  unknown,
  type Polynomial,
  type Sizes,
} from "./polynomial.ts";

const [n, m] = [variable("n"), variable("m")];
const [rows, columns] = [ofTerm(ofVariable(n)), ofTerm(ofVariable(m))];
const at = (rowCount: number, columnCount: number): Sizes => ({
  extent: (v) => (v === n ? rowCount : columnCount),
  data: () => 5,
});

/** A polynomial, and its value at the sizes 7 and 3. */
const drawn: fc.Arbitrary<readonly [Polynomial, number]> = fc.letrec<{
  any: readonly [Polynomial, number];
}>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.integer({ min: -4, max: 4 }).map((value) => [number(value), value] as const),
    fc.constantFrom([rows, 7] as const, [columns, 3] as const, [unknown("rows"), 5] as const),
    fc.tuple(tie("any"), tie("any")).map(([[a, x], [b, y]]) => [plus(a, b), x + y] as const),
    fc.tuple(tie("any"), tie("any")).map(([[a, x], [b, y]]) => [minus(a, b), x - y] as const),
    fc.tuple(tie("any"), tie("any")).map(([[a, x], [b, y]]) => [times(a, b), x * y] as const),
    tie("any").map(([a, x]) => [scaled(a, 3, 2), 1.5 * x] as const),
  ),
})).any;

it("computes as numbers do", () => {
  fc.assert(
    fc.property(drawn, ([polynomial, value]) => {
      expect(evaluate(polynomial, at(7, 3))).toBeCloseTo(value, 6);
    }),
  );
});

it("what cancels is gone", () => {
  fc.assert(
    fc.property(drawn, ([polynomial]) => {
      expect(minus(polynomial, polynomial)).toEqual([]);
    }),
  );
});

it("sums over a range term by term", () => {
  const i = variable("i");
  const term = plus(times(ofTerm(ofVariable(i)), ofTerm(ofVariable(i))), rows);
  const sum = summed(term, i, number(1), columns);
  for (const size of [1, 2, 6]) {
    const expected = Array.from({ length: size - 1 }, (_, k) => (k + 1) ** 2 + 7).reduce(
      (a, b) => a + b,
      0,
    );
    expect(evaluate(sum, at(7, size))).toBeCloseTo(expected, 9);
  }
});

it("is written as mathematics is", () => {
  const half = ofTerm(floorDiv(ofVariable(n), constant(2)));
  const shown: readonly (readonly [Polynomial, string])[] = [
    [number(0), "0"],
    [number(-3), "-3"],
    [plus(times(rows, columns), number(2)), "n·m + 2"],
    [minus(times(rows, rows), columns), "n² - m"],
    [scaled(times(rows, rows), 1, 2), "n²/2"],
    [scaled(rows, -4), "-4·n"],
    [times(half, half), "(n / 2)²"],
    [ofTerm(maximum(shifted(ofVariable(n), -1), constant(0))), "max(n - 1, 0)"],
    [times(unknown("row"), number(3)), "3·|row|"],
  ];
  for (const [polynomial, text] of shown) expect(showPolynomial(polynomial)).toBe(text);
});
