// Terms: their canonical form, their variables, and their values.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleOver, box } from "../../test/support/affine.ts";
import {
  AffineOverflow,
  add,
  attempt,
  ceilDiv,
  constant,
  constantOf,
  equal,
  floorDiv,
  keyOf,
  maximum,
  minimum,
  mod,
  multiply,
  negate,
  ofVariable,
  plus,
  scale,
  subtract,
  variable,
} from "./term.ts";
import { coefficientOf, evaluate, mentions, substitute, variablesOf } from "./visit.ts";

const [iv, jv, nv] = ["i", "j", "n"].map((name) => variable(name)) as [
  ReturnType<typeof variable>,
  ReturnType<typeof variable>,
  ReturnType<typeof variable>,
];
const [i, j, n] = [ofVariable(iv), ofVariable(jv), ofVariable(nv)];
const two = constant(2);

describe("canonical form", () => {
  it("does not depend on the way a term was built", () => {
    expect(equal(add(i, j), add(j, i))).toBe(true);
    expect(keyOf(multiply(plus(i, 1), plus(i, -1)))).toBe(keyOf(plus(multiply(i, i), -1)));
    expect(equal(subtract(add(i, n), n), i)).toBe(true);
    expect(equal(i, j)).toBe(false);
    expect(keyOf(multiply(i, j))).not.toBe(keyOf(add(i, j)));
  });

  it("divides what can be divided", () => {
    expect(equal(floorDiv(plus(scale(i, 6), 7), constant(3)), plus(scale(i, 2), 2))).toBe(true);
    expect(equal(floorDiv(add(multiply(n, i), j), n), add(i, floorDiv(j, n)))).toBe(true);
    expect(equal(floorDiv(multiply(multiply(n, n), i), n), multiply(n, i))).toBe(true);
    expect(equal(floorDiv(floorDiv(i, two), constant(3)), floorDiv(i, constant(6)))).toBe(true);
    expect(equal(floorDiv(floorDiv(i, n), j), floorDiv(i, multiply(n, j)))).toBe(true);
    expect(equal(floorDiv(plus(scale(i, 2), 1), constant(4)), floorDiv(i, two))).toBe(true);
    expect(equal(floorDiv(add(multiply(i, plus(n, 1)), constant(0)), plus(n, 1)), i)).toBe(true);
    expect(constantOf(floorDiv(constant(-7), two))).toBe(-4);
    expect(constantOf(floorDiv(constant(7), constant(-2)))).toBe(-4);
    expect(constantOf(ceilDiv(constant(7), two))).toBe(4);
  });

  it("sees that remainders agree", () => {
    expect(equal(mod(plus(i, -1), constant(3)), mod(plus(i, 2), constant(3)))).toBe(true);
    expect(equal(mod(plus(add(i, n), -1), n), mod(plus(i, -1), n))).toBe(true);
  });

  it("compares what it can", () => {
    expect(equal(minimum(n, plus(n, 2)), n)).toBe(true);
    expect(equal(maximum(n, plus(n, 2)), plus(n, 2))).toBe(true);
    expect(equal(minimum(minimum(i, j), n), minimum(i, minimum(n, j)))).toBe(true);
  });

  it("refuses what it cannot represent", () => {
    expect(() => floorDiv(i, constant(0))).toThrow(RangeError);
    expect(() => scale(scale(i, 2 ** 40), 2 ** 40)).toThrow(AffineOverflow);
    expect(() => constant(2 ** 53)).toThrow(AffineOverflow);
    expect(attempt(() => add(constant(2 ** 52), constant(2 ** 52)))).toBeUndefined();
    expect(() => evaluate(multiply(i, i), () => 2 ** 30)).toThrow(AffineOverflow);
    expect(() => evaluate(floorDiv(i, n), () => 0)).toThrow(RangeError);
  });
});

describe("variables of a term", () => {
  it("finds coefficients where the term is linear", () => {
    const term = add(add(multiply(n, i), scale(i, 3)), floorDiv(j, n));
    expect(equal(coefficientOf(term, iv)!, plus(n, 3))).toBe(true);
    expect(coefficientOf(term, jv)).toBeUndefined();
    expect(coefficientOf(multiply(i, i), iv)).toBeUndefined();
    expect(constantOf(coefficientOf(term, variable("other"))!)).toBe(0);
    expect(variablesOf(term)).toEqual(new Set([iv, jv, nv]));
    expect(mentions(floorDiv(j, n), nv)).toBe(true);
  });

  it("substitutes inside atoms", () => {
    const term = substitute(floorDiv(i, two), new Map([[iv, plus(scale(j, 2), 1)]]));
    expect(equal(term, j)).toBe(true);
    const swapped = substitute(
      subtract(i, j),
      new Map([
        [iv, j],
        [jv, i],
      ]),
    );
    expect(equal(swapped, subtract(j, i))).toBe(true);
  });
});

describe("evaluation", () => {
  const variables = [iv, jv, nv];
  const sample = sampleOver(variables);

  it("is that of the operations that built the term", () => {
    fc.assert(
      fc.property(sample, ({ term, value }) => {
        for (const valueOf of box(variables, -2, 3))
          expect(evaluate(term, valueOf)).toBe(value(valueOf) + 0);
      }),
      { numRuns: 400 },
    );
  });

  it("is the same for equal terms", () => {
    let met = 0;
    fc.assert(
      fc.property(sample, sample, fc.boolean(), (a, b, related) => {
        // Unrelated samples are seldom equal; a + b - b and the like always should be.
        const other = related ? subtract(add(a.term, b.term), b.term) : b.term;
        if (related) expect(equal(a.term, other)).toBe(true);
        expect(equal(a.term, other)).toBe(keyOf(a.term) === keyOf(other));
        if (!equal(a.term, other)) return;
        met++;
        for (const valueOf of box(variables, -2, 2))
          expect(evaluate(a.term, valueOf)).toBe(evaluate(other, valueOf));
      }),
      { numRuns: 300 },
    );
    expect(met).toBeGreaterThan(50);
  });

  it("commutes with substitution", () => {
    fc.assert(
      fc.property(sample, sample, (outer, inner) => {
        const replaced = substitute(outer.term, new Map([[iv, inner.term]]));
        for (const valueOf of box(variables, -1, 2)) {
          const value = evaluate(inner.term, valueOf);
          expect(evaluate(replaced, valueOf)).toBe(
            evaluate(outer.term, (v) => (v === iv ? value : valueOf(v))),
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  it("is exact near the limit", () => {
    const large = 2 ** 53 - 1;
    expect(evaluate(floorDiv(i, constant(3)), () => large)).toBe(3002399751580330);
    expect(evaluate(floorDiv(negate(i), two), () => large)).toBe(-(2 ** 52));
  });
});
