import { describe, expect, it } from "vitest";
import type { Lanes } from "../../../src/backends/math/lanes.ts";
import { onNumbers } from "./numbers.ts";
import { compiled } from "./source.ts";

type Formula = <V>(m: Lanes<V>, x: V, y: V) => V;

const values = [
  0,
  0.3,
  0.5,
  1,
  1.5,
  2.5,
  3,
  1e-45,
  1e-38,
  16777216,
  3e9,
  3.4e38,
  Infinity,
  NaN,
].flatMap((v) => [v, -v]);

/** Every operation, and the ways in which a value is read as one of another kind. */
const formulas: Record<string, Formula> = {
  "sums and differences": (m, x, y) => m.sub(m.add(x, y), m.float(0.1)),
  "products and quotients": (m, x, y) => m.div(m.mul(x, y), m.sub(x, y)),
  roots: (m, x, y) => m.sqrt(m.add(m.abs(x), y)),
  floors: (m, x, y) => m.sub(m.floor(x), m.floor(y)),
  nearest: (m, x) => m.nearest(x),
  "nearest in f64": (m, x, y) =>
    m.wide([x, y], (d, [a, b]) => d.nearest(d.mul(a!, d.div(b!, d.double(3))))),
  signs: (m, x, y) => m.mul(m.neg(x), m.abs(y)),
  smaller: (m, x, y) => m.pmin(x, y),
  larger: (m, x, y) => m.pmax(x, y),
  comparisons: (m, x, y) =>
    m.choose(m.or(m.less(x, y), m.notEqual(x, x)), x, m.choose(m.lessEqual(y, x), y, m.float(7))),
  "masks and masks": (m, x, y) =>
    m.andNot(m.and(m.less(x, m.float(3)), m.lessEqual(x, y)), m.equal(x, y)),
  "masks as bits": (m, x, y) => m.xor(m.less(x, y), m.and(x, m.lessEqual(y, x))),
  "masks and numbers": (m, x, y) => m.or(m.and(m.less(x, y), x), m.less(y, m.float(-1))),
  "bits of numbers": (m, x, y) =>
    m.or(m.and(x, m.integer(0x007fffff)), m.andNot(y, m.integer(0x007fffff))),
  "sums of bits": (m, x, y) => m.addInteger(m.subInteger(x, y), m.integer(1 << 20)),
  "products of bits": (m, x, y) => m.mulInteger(x, y),
  shifts: (m, x, y) =>
    m.xor(m.shiftLeft(x, 3), m.xor(m.shiftRight(y, 5), m.shiftRightUnsigned(x, 7))),
  "bits compared": (m, x, y) =>
    m.choose(m.lessInteger(x, y), m.choose(m.equalInteger(x, y), x, y), m.toFloat(x)),
  conversions: (m, x, y) => m.add(m.toFloat(m.toInteger(x)), m.toFloat(y)),
  "a mixed choice": (m, x, y) => m.choose(m.less(x, y), m.addInteger(x, m.integer(1)), y),
  exceptions: (m, x, y) => {
    const bits = m.and(y, m.integer(0x7fffffff));
    const usual = m.except(
      m.less(x, y),
      () => m.add(m.shiftLeft(bits, 1), x),
      m.mul(x, m.float(2)),
    );
    // Reads, behind the exception, a value that was converted inside it.
    return m.sub(usual, m.add(m.shiftLeft(bits, 1), bits));
  },
  "everything in f64": (m, x, y) =>
    m.wide([x, y], (d, [a, b]) => {
      const bounded = d.pmax(d.double(-1000), d.pmin(d.floor(b!), d.double(1000)));
      const size = d.sqrt(d.abs(d.sub(a!, d.neg(b!))));
      return d.choose(
        d.less(bounded, d.double(500)),
        d.add(size, d.powerOfTwo(bounded)),
        d.div(size, d.double(3)),
      );
    }),
};

describe.each(Object.entries(formulas))("%s", (_, formula) => {
  it("gives the same as source as on numbers", () => {
    const asSource = compiled(formula, ["x", "y"]);
    const onTwo = onNumbers(formula);
    for (const x of values)
      for (const y of values) expect([x, y, asSource(x, y)]).toEqual([x, y, onTwo(x, y)]);
  });
});
