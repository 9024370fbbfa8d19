// Philox against its published vectors, and the random numbers drawn from it.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArithmeticFault } from "./fault.ts";
import { cosOfTurns, logOfUnit, normal, philox, randint, uniform } from "./random.ts";

describe("philox 4x32-10", () => {
  // The known-answer vectors of the Random123 distribution.
  it.each([
    [
      [0, 0, 0, 0],
      [0, 0],
      [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
    ],
    [
      [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
    ],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
    ],
  ] as const)("counter %j, key %j", (counter, key, words) => {
    expect(philox(counter, key)).toEqual(words);
  });
});

describe("draws", () => {
  it("take the upper 24 bits of the first word", () => {
    expect(uniform(0, 0)).toBe((0x6627e8d5 >>> 8) * 2 ** -24);
  });

  it("sign-extend seed and position to 64 bits", () => {
    expect(uniform(-1, -1)).toBe(uniform(-1n, -1n));
    expect(uniform(-1, -1)).toBe(
      (philox([0xffffffff, 0xffffffff, 0, 0], [0xffffffff, 0xffffffff])[0] >>> 8) * 2 ** -24,
    );
    expect(uniform(7, 2n ** 32n)).toBe((philox([0, 1, 0, 0], [7, 0])[0] >>> 8) * 2 ** -24);
  });

  it("give the same for an i32 and the equal i64", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer(),
        (seed, n) => uniform(seed, n) === uniform(BigInt(seed), BigInt(n)),
      ),
    );
  });

  it("stay in range, and hit the whole of it", () => {
    const drawn = Array.from({ length: 2000 }, (_, n) => randint(3, n, -2, 3) as number);
    expect(new Set(drawn)).toEqual(new Set([-2, -1, 0, 1, 2]));
    expect(randint(0, 0, -2147483648, 2147483647)).toBe(-2147483648 + (0x6627e8d5 % 4294967295));
    expect(randint(0, 0, -(2n ** 63n), 2n ** 63n - 1n)).toBe(-(2n ** 63n) + 0x6627e8d5n);
    expect(() => randint(0, 0, 3, 3)).toThrow(ArithmeticFault);
  });

  it("normal has mean 0 and variance 1, and matches Box-Muller of the library's functions", () => {
    const count = 20000;
    let sum = 0;
    let squares = 0;
    for (let n = 0; n < count; n++) {
      const x = normal(11, n);
      const words = philox([n, 0, 0, 0], [11, 0]);
      const u = 1 - (words[0] >>> 8) * 2 ** -24;
      const v = (words[1] >>> 8) * 2 ** -24;
      expect(Math.abs(x - Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v))).toBeLessThan(
        4e-7,
      );
      sum += x;
      squares += x * x;
    }
    expect(Math.abs(sum / count)).toBeLessThan(0.03);
    expect(Math.abs(squares / count - 1)).toBeLessThan(0.05);
  });
});

it("the logarithm and the cosine agree with the library to the last bits", () => {
  expect(logOfUnit(1)).toBe(0);
  expect(logOfUnit(2 ** -24)).toBeCloseTo(-24 * Math.LN2, 14);
  expect([0, 0.25, 0.5, 0.75].map(cosOfTurns).map((x) => x + 0)).toEqual([1, 0, -1, 0]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 24 }), (k) => {
      const u = k * 2 ** -24;
      const exact = Math.log(u);
      return Math.abs(logOfUnit(u) - exact) <= 4e-16 * Math.abs(exact);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 24 - 1 }), (k) => {
      const v = k * 2 ** -24;
      return Math.abs(cosOfTurns(v) - Math.cos(2 * Math.PI * v)) <= 1e-15;
    }),
  );
});
