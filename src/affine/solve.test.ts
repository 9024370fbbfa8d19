// Inverses of index patterns, and guards that become bounds of loops.

import { describe, expect, it } from "vitest";
import { nonNegative, positive, within } from "./prove.ts";
import type { Fact } from "./prove.ts";
import { upTo } from "./range.ts";
import { solve } from "./solve.ts";
import type { Coordinate, Equation } from "./solve.ts";
import {
  add,
  constant,
  floorDiv,
  mod,
  multiply,
  ofVariable,
  plus,
  scale,
  subtract,
  variable,
} from "./term.ts";
import type { Term, Variable } from "./term.ts";
import { described } from "../../test/support/affine.ts";

const v = Object.fromEntries(
  "i j k n m h w p q r c oh kh oc C".split(" ").map((name) => [name, variable(name)]),
) as Record<string, Variable>;
const at = (name: string): Term => ofVariable(v[name]!);
const p = variable("p");
const p1 = variable("p1");
const p2 = variable("p2");
const p3 = variable("p3");

function inverted(
  unknowns: [string, Term | { from: Term; to: Term }][],
  equations: [Variable, Term][],
  assumptions: Fact[],
): string {
  const coordinates = unknowns.map(([name, range]): Coordinate => ({
    variable: v[name]!,
    range: "from" in range ? range : upTo(range),
  }));
  const solution = solve(
    coordinates,
    equations.map(([left, right]): Equation => ({ left: ofVariable(left), right })),
    assumptions,
  );
  return described(solution, assumptions);
}

const inside = (parameter: Variable, extent: Term): Fact[] => [
  nonNegative(extent),
  ...within(ofVariable(parameter), upTo(extent)),
];

describe("inverses of index patterns", () => {
  it("convolution", () => {
    expect(
      inverted(
        [
          ["oh", constant(5)],
          ["kh", constant(2)],
        ],
        [[p, add(at("oh"), at("kh"))]],
        inside(p, constant(6)),
      ),
    ).toBe("oh = p - kh; sum kh in 0..2; where p - kh in 0..5");
  });

  it("strided, padded convolution", () => {
    expect(
      inverted(
        [
          ["oh", constant(4)],
          ["kh", constant(3)],
        ],
        [[p, plus(add(scale(at("oh"), 2), at("kh")), -1)]],
        inside(p, constant(8)),
      ),
    ).toBe(
      "oh = (p - kh + 1) / 2; sum kh in 0..3; where (p - kh + 1) % 2 == 0; " +
        "where (p - kh + 1) / 2 in 0..4",
    );
  });

  it("patches", () => {
    expect(
      inverted(
        [
          ["oh", at("n")],
          ["kh", constant(2)],
        ],
        [[p, add(scale(at("oh"), 2), at("kh"))]],
        inside(p, scale(at("n"), 2)),
      ),
    ).toBe("oh = p / 2; kh = p % 2");
  });

  it("transpose, diagonal, slice, flip, a pinned index", () => {
    expect(
      inverted(
        [
          ["i", at("n")],
          ["j", at("m")],
        ],
        [
          [p1, at("j")],
          [p2, at("i")],
        ],
        [...inside(p1, at("m")), ...inside(p2, at("n"))],
      ),
    ).toBe("i = p2; j = p1");
    expect(
      inverted(
        [["i", at("n")]],
        [
          [p1, at("i")],
          [p2, at("i")],
        ],
        [...inside(p1, at("n")), ...inside(p2, at("n"))],
      ),
    ).toBe("i = p1; where p1 == p2");
    expect(inverted([["i", plus(at("n"), -2)]], [[p, plus(at("i"), 1)]], inside(p, at("n")))).toBe(
      "i = p - 1; where p - 1 in 0..n - 2",
    );
    expect(
      inverted([["i", at("n")]], [[p, plus(subtract(at("n"), at("i")), -1)]], inside(p, at("n"))),
    ).toBe("i = n - p - 1");
    expect(inverted([["i", at("n")]], [[p, constant(3)]], inside(p, constant(8)))).toBe(
      "sum i in 0..n; where 3 == p",
    );
  });

  it("time runs backwards", () => {
    expect(
      inverted(
        [["i", { from: constant(1), to: at("n") }]],
        [[p, plus(at("i"), -1)]],
        inside(p, at("n")),
      ),
    ).toBe("i = p + 1; where p + 1 in 1..n");
  });

  it("flatten and reshape", () => {
    const sizes = [nonNegative(at("h")), nonNegative(at("w"))];
    expect(
      inverted(
        [["q", multiply(at("h"), at("w"))]],
        [
          [p1, floorDiv(at("q"), at("w"))],
          [p2, mod(at("q"), at("w"))],
        ],
        [...sizes, ...inside(p1, at("h")), ...inside(p2, at("w"))],
      ),
    ).toBe("q = w * p1 + p2");
    expect(
      inverted(
        [
          ["i", at("h")],
          ["j", at("w")],
        ],
        [[p, add(multiply(at("i"), at("w")), at("j"))]],
        [...sizes, positive(at("w")), ...inside(p, multiply(at("h"), at("w")))],
      ),
    ).toBe("i = p / w; j = p % w");
    const [C, h, w, q] = [at("C"), at("h"), at("w"), at("q")] as const;
    const cells = multiply(multiply(C, h), w);
    expect(
      inverted(
        [["q", cells]],
        [
          [p1, floorDiv(q, multiply(h, w))],
          [p2, mod(floorDiv(q, w), h)],
          [p3, mod(q, w)],
        ],
        [...sizes, nonNegative(C), ...inside(p1, C), ...inside(p2, h), ...inside(p3, w)],
      ),
    ).toBe("q = h * w * p1 + w * p2 + p3");
  });

  it("periodic", () => {
    const n = at("n");
    expect(inverted([["i", n]], [[p, mod(plus(add(at("i"), n), -1), n)]], inside(p, n))).toBe(
      "i = (p + 1) % n",
    );
    expect(
      inverted(
        [["i", n]],
        [[p, mod(add(at("i"), at("c")), n)]],
        [...inside(p, n), nonNegative(at("c")), nonNegative(subtract(n, at("c")))],
      ),
    ).toBe("i = (n + p - c) % n");
    expect(
      inverted(
        [["i", constant(8)]],
        [[p, mod(plus(at("i"), 3), constant(8))]],
        inside(p, constant(8)),
      ),
    ).toBe("i = (p + 5) % 8");
  });

  it("a lone quotient or remainder", () => {
    expect(
      inverted(
        [["q", constant(12)]],
        [[p, floorDiv(at("q"), constant(4))]],
        inside(p, constant(3)),
      ),
    ).toBe("q = 4 * p + q_remainder; sum q_remainder in 0..4");
    expect(
      inverted(
        [["q", at("n")]],
        [[p, floorDiv(at("q"), constant(4))]],
        [nonNegative(at("n")), nonNegative(ofVariable(p))],
      ),
    ).toBe("q = 4 * p + q_remainder; sum q_remainder in 0..4; where 4 * p + q_remainder in 0..n");
    expect(
      inverted([["q", constant(12)]], [[p, mod(at("q"), constant(4))]], inside(p, constant(4))),
    ).toBe("q = p + 4 * q_quotient; sum q_quotient in 0..3");
  });

  it("depth to space", () => {
    const [i, j, c, C] = [at("i"), at("j"), at("c"), at("C")] as const;
    const two = constant(2);
    const channel = add(multiply(add(scale(mod(i, two), 2), mod(j, two)), C), c);
    expect(
      inverted(
        [
          ["c", C],
          ["i", scale(at("h"), 2)],
          ["j", scale(at("w"), 2)],
        ],
        [
          [p1, channel],
          [p2, floorDiv(i, two)],
          [p3, floorDiv(j, two)],
        ],
        [positive(C), ...inside(p1, scale(C, 4)), ...inside(p2, at("h")), ...inside(p3, at("w"))],
      ),
    ).toBe("c = p1 % C; i = 2 * p2 + p1 / (2 * C); j = 2 * p3 + (p1 / C) % 2");
  });

  it("a triangular range", () => {
    expect(
      inverted(
        [
          ["i", at("n")],
          ["k", plus(at("i"), 1)],
        ],
        [[p, at("k")]],
        inside(p, at("n")),
      ),
    ).toBe("k = p; sum i in 0..n; where p in 0..i + 1");
    expect(
      inverted(
        [
          ["i", at("n")],
          ["k", plus(at("i"), 1)],
        ],
        [[p, add(at("i"), at("k"))]],
        inside(p, scale(at("n"), 2)),
      ),
    ).toBe("i = p - k; sum k in 0..p / 2 + 1; where p - k in 0..n");
  });

  it("dilation, pooling, causal windows, strides and their mirror images", () => {
    const [i, j, k, n, m, q, oh, kh] = [
      at("i"),
      at("j"),
      at("k"),
      at("n"),
      at("m"),
      at("q"),
      at("oh"),
      at("kh"),
    ] as const;
    expect(
      inverted(
        [
          ["oh", n],
          ["kh", constant(3)],
        ],
        [[p, add(oh, scale(kh, 2))]],
        inside(p, plus(n, 4)),
      ),
    ).toBe("oh = p - 2 * kh; sum kh in 0..3; where p - 2 * kh in 0..n");
    expect(
      inverted(
        [
          ["i", floorDiv(n, k)],
          ["q", k],
        ],
        [[p, add(multiply(i, k), q)]],
        [...inside(p, n), positive(k)],
      ),
    ).toBe("i = p / k; q = p % k; where p / k in 0..n / k");
    expect(
      inverted(
        [
          ["i", n],
          ["k", plus(i, 1)],
        ],
        [[p, subtract(i, k)]],
        inside(p, n),
      ),
    ).toBe("k = i - p; sum i in 0..n; where i - p in 0..i + 1");
    expect(
      inverted(
        [
          ["i", n],
          ["j", m],
        ],
        [[p, add(i, j)]],
        inside(p, add(n, m)),
      ),
    ).toBe("i = p - j; sum j in 0..m; where p - j in 0..n");
    expect(inverted([["i", n]], [[p, plus(scale(i, 2), 1)]], inside(p, scale(n, 2)))).toBe(
      "i = (p - 1) / 2; where (p - 1) % 2 == 0",
    );
    expect(
      inverted([["i", constant(5)]], [[p, plus(scale(i, -2), 9)]], inside(p, constant(10))),
    ).toBe("i = (9 - p) / 2; where (9 - p) % 2 == 0");
  });

  it("symbolic strides", () => {
    const [i, k, n] = [at("i"), at("k"), at("n")] as const;
    expect(
      inverted([["i", n]], [[p, multiply(i, k)]], [...inside(p, multiply(n, k)), positive(k)]),
    ).toBe("i = p / k; where (p) % k == 0");
    // Without k > 0, k may be 0, and every i reads cell 0.
    expect(inverted([["i", n]], [[p, multiply(i, k)]], inside(p, multiply(n, k)))).toBe(
      "sum i in 0..n; unsolved p = i * k",
    );
    expect(inverted([["i", n]], [[p, mod(i, k)]], inside(p, k))).toBe(
      "i = k * i_quotient + p; sum i_quotient in 0..(n - p - 1) / k + 1",
    );
    expect(
      inverted([["i", n]], [[p, floorDiv(i, k)]], [positive(k), nonNegative(ofVariable(p))]),
    ).toBe("i = k * p + i_remainder; sum i_remainder in 0..k; where k * p + i_remainder in 0..n");
  });

  it("says what it cannot invert", () => {
    expect(inverted([["i", at("n")]], [[p, multiply(at("i"), at("i"))]], [])).toBe(
      "sum i in 0..n; unsolved p = i * i",
    );
  });
});
