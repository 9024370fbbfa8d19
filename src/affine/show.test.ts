// Terms as source and ranges: their texts and values.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { knownUnder, lessThan, nonNegative, within } from "./prove.ts";
import { intersect, image, preimage, upTo } from "./range.ts";
import { show } from "./show.ts";
import { simplify } from "./simplify.ts";
import { box, sampleOver, showRange, termOver, valueOfSource } from "../../test/support/affine.ts";
import {
  add,
  constant,
  floorDiv,
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
  zero,
} from "./term.ts";
import { evaluate } from "./visit.ts";

const variables = ["i", "k", "n"].map((name) => variable(name));
const [i, k, n] = variables.map(ofVariable) as [
  ReturnType<typeof ofVariable>,
  ReturnType<typeof ofVariable>,
  ReturnType<typeof ofVariable>,
];
const two = constant(2);

describe("terms as source", () => {
  it("reads like what a person writes", () => {
    expect(show(plus(add(scale(i, 2), k), -1))).toBe("2 * i + k - 1");
    expect(show(mod(plus(add(i, n), -1), n))).toBe("(i + n - 1) % n");
    expect(show(floorDiv(n, two))).toBe("n / 2");
    expect(show(plus(floorDiv(plus(n, -3), two), 1))).toBe("(n + 1) / 2 - 1");
    expect(show(subtract(constant(5), i))).toBe("5 - i");
    expect(show(negate(i))).toBe("-i");
    expect(show(subtract(k, i))).toBe("k - i");
    expect(show(zero)).toBe("0");
    expect(show(constant(-3))).toBe("-3");
    expect(show(add(multiply(n, i), k))).toBe("i * n + k");
    expect(show(scale(floorDiv(i, two), 2))).toBe("2 * (i / 2)");
    expect(show(add(mod(i, constant(4)), scale(k, 4)))).toBe("4 * k + i % 4");
    expect(show(scale(mod(i, two), 3))).toBe("3 * (i % 2)");
    expect(show(mod(floorDiv(i, k), n))).toBe("(i / k) % n");
    expect(show(maximum(plus(i, -1), zero))).toBe("max(i - 1, 0)");
    expect(show(minimum(minimum(i, k), n))).toBe("min(i, min(k, n))");
    expect(show(mod(subtract(i, k), n))).toBe("((i - k) % n + n) % n");
  });

  it("uses what is known", () => {
    const facts = [nonNegative(i), nonNegative(k), lessThan(k, n)];
    expect(show(mod(subtract(i, k), n), knownUnder(facts))).toBe("(i + n - k) % n");
    expect(show(floorDiv(subtract(i, k), two), knownUnder([nonNegative(subtract(i, k))]))).toBe(
      "(i - k) / 2",
    );
  });

  it("has the value of the term under truncating division", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          sampleOver(variables).map((sample) => sample.term),
          termOver(variables),
        ),
        (term) => {
          const text = show(term);
          for (const valueOf of box(variables, 0, 3)) {
            const named = (name: string) => valueOf(variables.find((v) => v.name === name)!);
            if (valueOfSource(text, named) !== evaluate(term, valueOf))
              throw new Error(`${text} at ${variables.map(valueOf).join()}`);
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe("ranges", () => {
  it("shows and intersects", () => {
    expect(showRange(upTo(n))).toBe("0..n");
    expect(showRange(intersect(upTo(n), { from: constant(1), to: plus(n, -1) }))).toBe("1..n - 1");
  });

  it("turns an affine use into bounds", () => {
    expect(showRange(preimage(1, upTo(constant(3)), upTo(n)))).toBe("0..n - 2");
    expect(showRange(preimage(2, { from: constant(-1), to: zero }, upTo(n)))).toBe("1..n / 2 + 1");
    expect(showRange(preimage(-1, { from: plus(n, -1), to: n }, upTo(n)))).toBe("0..n");
  });

  it("agrees with enumeration", () => {
    const a = fc.integer({ min: -3, max: 3 }).filter((value) => value !== 0);
    const bound = fc.integer({ min: -4, max: 6 });
    fc.assert(
      fc.property(
        a,
        bound,
        fc.integer({ min: 1, max: 4 }),
        bound,
        bound,
        (by, from, length, low, high) => {
          const rest = { from: constant(from), to: constant(from + length) };
          const found = preimage(by, rest, { from: constant(low), to: constant(high) });
          for (let value = -40; value < 40; value++) {
            let fits = true;
            for (let r = from; r < from + length; r++)
              fits &&= by * value + r >= low && by * value + r < high;
            expect(found.from.constant <= value && value < found.to.constant).toBe(fits);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("bounds the values of a term tightly", () => {
    const ranges = new Map([
      [variables[0]!, upTo(constant(3))],
      [variables[1]!, { from: constant(1), to: constant(5) }],
    ]);
    const found = image(plus(subtract(scale(i, 2), k), 7), (v) => ranges.get(v))!;
    expect(showRange(found)).toBe("3..11");
    expect(showRange(image(add(n, i), (v) => ranges.get(v))!)).toBe("n..n + 3");
    expect(image(multiply(n, i), (v) => ranges.get(v))).toBeUndefined();
  });
});

describe("simplification", () => {
  it("drops what the assumptions decide", () => {
    const facts = [...within(i, upTo(n)), nonNegative(k)];
    expect(show(simplify(floorDiv(i, n), facts))).toBe("0");
    expect(show(simplify(mod(plus(i, -1), n), [...facts, lessThan(zero, i)]))).toBe("i - 1");
    expect(show(simplify(minimum(i, n), facts))).toBe("i");
    expect(show(simplify(maximum(minimum(i, n), k), facts))).toBe("max(i, k)");
  });

  it("keeps the value wherever the assumptions hold", () => {
    fc.assert(
      fc.property(sampleOver(variables), termOver(variables), ({ term }, given) => {
        const simpler = simplify(term, [nonNegative(given)]);
        for (const valueOf of box(variables, -2, 2)) {
          if (evaluate(given, valueOf) >= 0)
            expect(evaluate(simpler, valueOf)).toBe(evaluate(term, valueOf));
        }
      }),
      { numRuns: 150 },
    );
  });
});
