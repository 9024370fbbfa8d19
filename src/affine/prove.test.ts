// Facts that the prover decides, that no answer contradicts enumeration, and how long it may take.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  atMost,
  contradictory,
  equalsZero,
  lessThan,
  nonNegative,
  positive,
  prove,
  within,
} from "./prove.ts";
import type { Fact } from "./prove.ts";
import { upTo } from "./range.ts";
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
import { show } from "./show.ts";
import type { Term } from "./term.ts";
import { box, holdsAt, termOver } from "../../test/support/affine.ts";

const names = "i j k n m h w p b c q oh kh ow kw H W C B H2 t T".split(" ");
const at = Object.fromEntries(names.map((name) => [name, ofVariable(variable(name))])) as Record<
  string,
  Term
>;
const { i, j, k, n, m, h, w, p, b, c, q, oh, kh, H, C, B, t, T } = at as {
  [
    name in
      | "i"
      | "j"
      | "k"
      | "n"
      | "m"
      | "h"
      | "w"
      | "p"
      | "b"
      | "c"
      | "q"
      | "oh"
      | "kh"
      | "H"
      | "C"
      | "B"
      | "t"
      | "T"
  ]: Term;
};
const two = constant(2);

function inBounds(index: Term, extent: Term): Fact[] {
  return within(index, upTo(extent));
}

function coordinate(v: Term, extent: Term): Fact[] {
  return inBounds(v, extent);
}

function extents(...terms: Term[]): Fact[] {
  return terms.map(nonNegative);
}

const provable: [string, Fact[], Fact[]][] = [
  [
    "matmul",
    inBounds(k, m),
    [...extents(n, m, h), ...coordinate(i, n), ...coordinate(k, m), ...coordinate(j, h)],
  ],
  [
    "a batched matrix in flat storage",
    inBounds(add(multiply(add(multiply(b, h), i), w), j), multiply(multiply(B, h), w)),
    [...extents(B, h, w), ...coordinate(b, B), ...coordinate(i, h), ...coordinate(j, w)],
  ],
  [
    "padded strided convolution under its guard",
    inBounds(plus(add(scale(oh, 2), kh), -1), H),
    [
      ...extents(H),
      ...coordinate(kh, constant(3)),
      ...inBounds(plus(add(scale(oh, 2), kh), -1), H),
    ],
  ],
  [
    "strided convolution over the extent it leaves",
    inBounds(add(scale(oh, 2), kh), H),
    [
      ...extents(H),
      ...coordinate(kh, constant(3)),
      ...coordinate(oh, plus(floorDiv(plus(H, -3), two), 1)),
    ],
  ],
  [
    "heat equation, left",
    inBounds(plus(i, -1), n),
    [...extents(n), ...within(i, { from: constant(1), to: plus(n, -1) })],
  ],
  [
    "heat equation, right",
    inBounds(plus(i, 1), n),
    [...extents(n), ...within(i, { from: constant(1), to: plus(n, -1) })],
  ],
  ["periodic", inBounds(mod(plus(add(i, n), -1), n), n), [...extents(n), ...coordinate(i, n)]],
  ["periodic with a shift", inBounds(mod(add(i, k), n), n), [...extents(n), ...coordinate(i, n)]],
  [
    "reshape, quotient",
    inBounds(floorDiv(p, w), h),
    [...extents(h, w), ...coordinate(p, multiply(h, w))],
  ],
  [
    "reshape, remainder",
    inBounds(mod(p, w), w),
    [...extents(h, w), positive(w), ...coordinate(p, multiply(h, w))],
  ],
  [
    "flatten",
    inBounds(add(multiply(i, w), j), multiply(h, w)),
    [...extents(h, w), ...coordinate(i, h), ...coordinate(j, w)],
  ],
  [
    "depth to space, rows",
    inBounds(floorDiv(i, two), H),
    [...extents(H), ...coordinate(i, scale(H, 2))],
  ],
  [
    "depth to space, channels",
    inBounds(add(multiply(add(scale(mod(i, two), 2), mod(j, two)), C), c), scale(C, 4)),
    [
      ...extents(C, h, w),
      ...coordinate(i, scale(h, 2)),
      ...coordinate(j, scale(w, 2)),
      ...coordinate(c, C),
    ],
  ],
  [
    "depth to space with a symbolic block",
    inBounds(add(multiply(mod(i, b), C), c), multiply(b, C)),
    [...extents(C, h, b), ...coordinate(i, multiply(h, b)), positive(b), ...coordinate(c, C)],
  ],
  ["prefix", inBounds(k, n), [...extents(n), ...coordinate(k, plus(i, 1)), ...coordinate(i, n)]],
  [
    "triangular",
    [lessThan(k, n), lessThan(k, i)],
    [
      ...extents(n),
      nonNegative(k),
      lessThan(k, j),
      atMost(j, i),
      ...coordinate(i, n),
      lessThan(j, i),
    ],
  ],
  [
    "a self-read goes backward",
    [lessThan(plus(t, -1), t)],
    [...within(t, { from: constant(1), to: T })],
  ],
  [
    "a clamped index",
    inBounds(maximum(plus(i, -1), zero), n),
    [...extents(n), ...coordinate(i, n)],
  ],
  [
    "a clamped index, above",
    inBounds(minimum(plus(i, 1), plus(n, -1)), n),
    [...extents(n), ...coordinate(i, n)],
  ],
  [
    "an intersection of ranges",
    inBounds(i, n),
    [...extents(n, m), ...coordinate(i, minimum(n, m))],
  ],
  [
    "three levels of reshape",
    inBounds(mod(floorDiv(p, w), h), h),
    [...extents(h, w, B), positive(w), positive(h), ...coordinate(p, multiply(multiply(B, h), w))],
  ],
  [
    "the outermost level of three",
    inBounds(floorDiv(p, multiply(h, w)), B),
    [...extents(h, w, B), positive(w), positive(h), ...coordinate(p, multiply(multiply(B, h), w))],
  ],
  [
    "average pooling",
    inBounds(add(multiply(i, k), q), n),
    [...extents(n, k), positive(k), ...coordinate(i, floorDiv(n, k)), ...coordinate(q, k)],
  ],
  [
    "a known extent",
    inBounds(plus(i, 2), n),
    [equalsZero(plus(n, -8)), ...coordinate(i, constant(6))],
  ],
  [
    "parity",
    [equalsZero(subtract(floorDiv(add(i, j), two), add(floorDiv(subtract(i, j), two), j)))],
    [],
  ],
];

describe("facts of real programs", () => {
  it.each(provable)("%s", (_, facts, assumptions) => {
    for (const fact of facts)
      expect([show(fact.term), prove(fact, assumptions)]).toEqual([show(fact.term), "true"]);
  });

  it("says false only of what never holds", () => {
    expect(prove(lessThan(plus(i, 1), i), [])).toBe("false");
    expect(prove(lessThan(add(i, n), n), coordinate(i, n))).toBe("false");
    expect(prove(equalsZero(plus(scale(subtract(i, j), 2), 1)), [])).toBe("false");
    expect(prove(lessThan(plus(i, 1), n), [...extents(n), ...coordinate(i, n)])).toBe("unknown");
    expect(prove(nonNegative(constant(-1)), [])).toBe("false");
  });

  it("is not distracted by what has nothing to do with the question", () => {
    const others = Array.from({ length: 200 }, (_, at) => ofVariable(variable(`other${at}`)));
    const far = others.flatMap((v, at) => [nonNegative(v), atMost(v, others[(at + 1) % 4]!)]);
    expect(prove(lessThan(j, n), [...far, lessThan(j, i), lessThan(i, n)])).toBe("true");
    expect(prove(lessThan(n, j), [...far, lessThan(j, i), lessThan(i, n)])).toBe("false");
    // Contradictory assumptions make every fact true.
    expect(prove(lessThan(n, j), [lessThan(h, w), lessThan(w, h)])).toBe("true");
  });

  it("finds contradictions", () => {
    expect(contradictory([lessThan(i, j), lessThan(j, k), lessThan(k, i)])).toBe(true);
    expect(contradictory([lessThan(i, j), lessThan(j, k)])).toBe(false);
    expect(contradictory([equalsZero(plus(scale(i, 6), -4))])).toBe(true);
    expect(
      contradictory([
        lessThan(scale(i, 2), plus(scale(j, 2), 2)),
        lessThan(scale(j, 2), plus(scale(i, 2), 0)),
      ]),
    ).toBe(true);
    expect(
      prove(
        nonNegative(negate(i)),
        [positive(i), negate(i)].map((x) => ("relation" in x ? x : nonNegative(x))),
      ),
    ).toBe("true");
  });

  it("does not trust a divisor that may be zero", () => {
    expect(prove(lessThan(mod(p, w), w), [nonNegative(p)])).toBe("unknown");
  });
});

describe("soundness", () => {
  const variables = ["x", "y", "z"].map((name) => variable(name));
  const relation = fc.constantFrom(">=" as const, ">" as const, "==" as const);
  const fact = fc.record({ term: termOver(variables), relation });
  it("never contradicts an assignment", () => {
    const verdicts = { true: 0, false: 0, unknown: 0 };
    fc.assert(
      fc.property(fact, fc.array(fact, { maxLength: 4 }), fc.boolean(), (claim, given, boxed) => {
        const walls = boxed
          ? variables.flatMap((v) => within(ofVariable(v), { from: constant(-2), to: constant(4) }))
          : [];
        const verdict = prove(claim, [...given, ...walls]);
        verdicts[verdict]++;
        if (verdict === "unknown") return;
        for (const valueOf of box(variables, -2, 3)) {
          if (!given.every((one) => holdsAt(one, valueOf) === true)) continue;
          const value = holdsAt(claim, valueOf);
          if (value === undefined) continue;
          if (value !== (verdict === "true")) {
            const shown = [claim, ...given]
              .map((one) => `${show(one.term)} ${one.relation} 0`)
              .join("; ");
            throw new Error(`${verdict} of ${shown} at ${variables.map(valueOf).join()}`);
          }
        }
      }),
      { numRuns: 1500 },
    );
    expect(verdicts.true).toBeGreaterThan(100);
    expect(verdicts.false).toBeGreaterThan(100);
  });

  it("agrees with evaluation on contradictions", () => {
    fc.assert(
      fc.property(fc.array(fact, { minLength: 1, maxLength: 5 }), (given) => {
        if (!contradictory(given)) return;
        for (const valueOf of box(variables, -2, 3)) {
          expect(given.every((one) => holdsAt(one, valueOf) === true)).toBe(false);
        }
      }),
      { numRuns: 400 },
    );
  });
});

describe("work", () => {
  it("is bounded for questions that it cannot decide", () => {
    const xs = Array.from({ length: 12 }, (_, at) => variable(`x${at}`));
    const relation = fc.constantFrom(">=" as const, ">" as const, "==" as const);
    const fact = fc.record({ term: termOver(xs), relation });
    const questions = fc.sample(fc.tuple(fact, fc.array(fact, { minLength: 25, maxLength: 25 })), {
      numRuns: 60,
      seed: 7,
    });
    const started = performance.now();
    for (const [claim, given] of questions) prove(claim, given);
    // Each takes some 2 ms on a laptop; without the budget a single question takes minutes.
    expect(performance.now() - started).toBeLessThan(60 * 50);
  });

  it("survives numbers that grow too large", () => {
    const large = 2 ** 50;
    const chain = [i, j, k, n, m, p, q].map((x, at, all) =>
      atMost(scale(x, large - at), scale(all[(at + 1) % all.length]!, large + at)),
    );
    expect(prove(nonNegative(subtract(i, j)), chain)).toBe("unknown");
  });
});

describe("what is assumed", () => {
  it("is certain however much else is", () => {
    const values = Array.from({ length: 300 }, (_, k) => ofVariable(variable(`v${k}`)));
    const rising = values.slice(1).map((value, k) => atMost(values[k]!, value));
    expect(prove(rising[150]!, rising)).toBe("true");
    expect(prove(lessThan(values[150]!, plus(values[151]!, 1)), rising)).toBe("true");
  });
});
