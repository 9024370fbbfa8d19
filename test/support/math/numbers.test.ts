import { describe, expect, it } from "vitest";
import { fromBits, nearest, numbers as m, toBits } from "./numbers.ts";
import { ulps } from "../ulps.ts";

const f = toBits;
const all = -1;
const none = 0;

describe("one lane on numbers", () => {
  it("rounds every result to f32", () => {
    expect(fromBits(m.add(f(1), f(2 ** -24)))).toBe(1);
    expect(fromBits(m.add(f(1), f(2 ** -23)))).toBe(1 + 2 ** -23);
    expect(fromBits(m.mul(f(2 ** -100), f(2 ** -49)))).toBe(2 ** -149);
    expect(fromBits(m.div(f(1), f(3)))).toBe(Math.fround(1 / 3));
    expect(fromBits(m.div(f(-1), f(0)))).toBe(-Infinity);
    expect(fromBits(m.sqrt(f(-1)))).toBeNaN();
    expect(fromBits(m.sub(f(2 ** 24 + 2), f(1)))).toBe(2 ** 24);
  });

  it("rounds to the nearest integer, ties to even, and keeps the sign of zero", () => {
    expect([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, -2.6, 1e10].map(nearest)).toEqual([
      0, 2, 2, -0, -2, 2, -3, 1e10,
    ]);
    expect([Infinity, -Infinity, NaN, -0, 0].map(nearest)).toEqual([
      Infinity,
      -Infinity,
      NaN,
      -0,
      0,
    ]);
    expect(fromBits(m.floor(f(-0.5)))).toBe(-1);
    expect(fromBits(m.nearest(f(2.5)))).toBe(2);
  });

  it("takes the second operand when one is NaN, or both are equal", () => {
    expect([m.pmin(f(NaN), f(1)), m.pmax(f(NaN), f(1))].map(fromBits)).toEqual([1, 1]);
    expect([m.pmin(f(1), f(NaN)), m.pmax(f(1), f(NaN))].map(fromBits)).toEqual([NaN, NaN]);
    expect([m.pmin(f(0), f(-0)), m.pmax(f(-0), f(0))].map(fromBits)).toEqual([-0, 0]);
  });

  it("makes masks that select bit by bit", () => {
    expect([m.less(f(1), f(2)), m.less(f(2), f(1)), m.less(f(NaN), f(1))]).toEqual([
      all,
      none,
      none,
    ]);
    expect([m.lessEqual(f(1), f(1)), m.equal(f(-0), f(0)), m.notEqual(f(NaN), f(NaN))]).toEqual([
      all,
      all,
      all,
    ]);
    expect([m.equalInteger(3, 3), m.lessInteger(-1, 0), m.lessInteger(0, -1)]).toEqual([
      all,
      all,
      none,
    ]);
    expect(m.choose(0x0f, 0x33, 0x55)).toBe(0x53);
    expect(m.except(none, () => expect.unreachable(), 7)).toBe(7);
    expect(m.except(all, () => 8, 7)).toBe(8);
  });

  it("computes with the bits as integers", () => {
    expect([m.and(6, 3), m.or(6, 3), m.xor(6, 3), m.andNot(6, 3)]).toEqual([2, 7, 5, 4]);
    expect([m.addInteger(0x7fffffff, 1), m.subInteger(-0x80000000, 1)]).toEqual([
      -0x80000000, 0x7fffffff,
    ]);
    expect(m.mulInteger(0x10001, 0x10001)).toBe(0x20001);
    expect([m.shiftLeft(3, 31), m.shiftRight(-8, 1), m.shiftRightUnsigned(-8, 1)]).toEqual([
      -0x80000000, -4, 0x7ffffffc,
    ]);
    expect([m.abs(f(-0)), m.neg(f(0)), m.abs(f(-2))].map(fromBits)).toEqual([0, -0, 2]);
  });

  it("converts between integers and floats", () => {
    expect(fromBits(m.toFloat(16777217))).toBe(16777216);
    expect([2.9, -2.9, 3e9, -3e9, NaN, Infinity].map((value) => m.toInteger(f(value)))).toEqual([
      2, -2, 2147483647, -2147483648, 0, 2147483647,
    ]);
  });

  it("computes in f64 and rounds once", () => {
    const sum = m.wide([f(1), f(2 ** -30)], (d, [a, b]) => d.sub(d.add(a!, b!), d.double(1)));
    expect(fromBits(sum)).toBe(2 ** -30);
    const chosen = m.wide([f(3)], (d, [a]) =>
      d.choose(d.less(a!, d.double(4)), d.powerOfTwo(a!), d.double(0)),
    );
    expect(fromBits(chosen)).toBe(8);
  });
});

describe("units of the last place", () => {
  it("counts in the steps of f32 around the exact value", () => {
    expect(ulps(1 + 2 ** -23, 1)).toBe(1);
    expect(ulps(1 - 2 ** -24, 1)).toBe(0.5);
    expect(ulps(2 ** -149, 2 ** -150)).toBe(0.5);
    expect(ulps(Infinity, (2 - 2 ** -23) * 2 ** 127)).toBe(1);
    expect(ulps(Infinity, 1e300)).toBe(0);
  });

  it("forgives no wrong zero and no wrong NaN", () => {
    expect([ulps(NaN, NaN), ulps(-0, -0), ulps(0, 2 ** -151)]).toEqual([0, 0, 0.25]);
    expect([ulps(NaN, 1), ulps(1, NaN), ulps(0, -0), ulps(-0, 0), ulps(-0, 2 ** -151)]).toEqual(
      Array(5).fill(Infinity),
    );
  });
});
