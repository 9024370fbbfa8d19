import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { operations } from "../../scalar/operations.ts";
import { elementary, elementaryNames, type ElementaryName } from "./elementary.ts";
import { abreast } from "./lanes.ts";
import {
  fromBits,
  fusedNumbers,
  numbers,
  onNumbers,
  toBits,
} from "../../../test/support/math/numbers.ts";
import { compiled } from "../../../test/support/math/source.ts";
import { ulps } from "../../../test/support/ulps.ts";

type OfOne = Exclude<ElementaryName, "power">;

const ofOne = elementaryNames.filter((name): name is OfOne => name !== "power");
const smallest = 2 ** -149;
const smallestNormal = 2 ** -126;
const largest = (2 - 2 ** -23) * 2 ** 127;

/** The result that the language defines, before it is rounded to f32. */
function oracle(name: ElementaryName, ...args: readonly number[]): number {
  return operations[name].evaluate("f64", ...args) as number;
}

const fast = Object.fromEntries(
  elementaryNames.map((name) => [
    name,
    compiled(elementary[name].compute, name === "power" ? ["x", "y"] : ["x"]),
  ]),
) as Record<ElementaryName, (...args: number[]) => number>;

/**
 * Arguments at which a formula changes, a rounding turns, or a result begins to be 0, 1 or
 * infinite. They are tested with both signs.
 */
const thresholds: Record<OfOne, readonly number[]> = {
  exp: [
    88.72284,
    89,
    103.97208,
    104,
    87.33655,
    Math.LN2,
    3 * Math.LN2,
    61 * Math.LN2,
    127 * Math.LN2,
    2 ** -25,
  ],
  expm1: [88.72284, 89, 17.328679, 18, Math.LN2, 3 * Math.LN2, 5 * Math.LN2, 2 ** -25, 0.5],
  sigmoid: [
    17.328679,
    16.635532,
    18,
    88.72284,
    87.33655,
    103.97208,
    104,
    Math.LN2 / 2,
    1.5 * Math.LN2,
    2 ** -25,
  ],
  tanh: [
    9.010914,
    9.02,
    9.1,
    Math.LN2 / 2,
    Math.LN2,
    1.5 * Math.LN2,
    12.5 * Math.LN2,
    0.55,
    2 ** -12,
    2 ** -25,
  ],
  erf: [3.919206, 3.8325069, 4, 0.84375, 1.25, 1 / 0.35, 2 ** -12, 2 ** -25],
  log: [
    Math.SQRT1_2,
    Math.SQRT2,
    2 * Math.SQRT2,
    smallestNormal,
    smallestNormal * Math.SQRT2,
    2 ** -130,
  ],
  log1p: [
    Math.SQRT1_2 - 1,
    Math.SQRT2 - 1,
    2 * Math.SQRT2 - 1,
    2 ** -24,
    2 ** -12,
    2 ** 24,
    2 ** 25,
    2 ** 127 * Math.SQRT2,
  ],
  sin: [2 ** 17, 2 ** 22, 2 ** 23, 2 ** 24, 0.8, 2 ** -12, 2 ** -25, 16367173 * 2 ** 72],
  cos: [2 ** 17, 2 ** 22, 2 ** 23, 2 ** 24, 0.8, 2 ** -12, 2 ** -25, 16367173 * 2 ** 72],
  tan: [2 ** 17, 2 ** 22, 2 ** 23, 2 ** 24, 0.8, 2 ** -12, 2 ** -25, 16367173 * 2 ** 72],
};

/** How many floats are tested on either side of each threshold. */
const around = 500;

/** Multiples of π/4, where quarters change and where sine or cosine vanish, up to large ones. */
const quarters = Array.from(
  { length: 400 },
  (_, k) => (k < 200 ? k : Math.round(1.12 ** (k - 100))) * (Math.PI / 4),
);

const specials = [
  0,
  smallest,
  2 * smallest,
  smallestNormal - smallest,
  smallestNormal,
  0.5,
  1,
  2,
  largest,
  Infinity,
  NaN,
];
const signed = (values: readonly number[]): number[] => values.flatMap((value) => [value, -value]);

function neighbours(value: number, count: number): number[] {
  const centre = toBits(value);
  return Array.from({ length: 2 * count + 1 }, (_, k) => fromBits(centre - count + k));
}

/** A fixed sample: the specials, both sides of the thresholds, and every 20011th of all floats. */
function* sample(name: OfOne): Generator<number> {
  yield* signed(specials);
  for (const value of signed([...specials.slice(0, -1), ...thresholds[name]]))
    yield* neighbours(value, around);
  if (name === "sin" || name === "cos" || name === "tan") {
    for (const value of signed(quarters)) yield* neighbours(value, 8);
  }
  for (let pattern = 0; pattern < 2 ** 32; pattern += 20011) yield fromBits(pattern | 0);
}

describe.each(ofOne)("%s", (name) => {
  it(`is within ${elementary[name].ulps} ulp of the exact value`, () => {
    let worst = 0;
    let at = 0;
    for (const x of sample(name)) {
      const error = ulps(fast[name](x), oracle(name, x));
      if (error > worst) [worst, at] = [error, x];
    }
    expect({ at, within: worst <= elementary[name].ulps, worst }).toEqual({
      at,
      within: true,
      worst,
    });
  });

  it("gives the same bits on numbers and as source", () => {
    const onOne = onNumbers(elementary[name].compute);
    const differing: number[] = [];
    let count = 0;
    for (const x of sample(name)) {
      if (count++ % 11 === 0 && !Object.is(onOne(x), fast[name](x))) differing.push(x);
    }
    expect(differing).toEqual([]);
  });

  it("gives the same bits for several numbers at once", () => {
    const both = abreast(numbers, 2);
    const { compute } = elementary[name];
    const differing: number[] = [];
    let count = 0;
    for (const x of sample(name)) {
      if (count++ % 101 !== 0) continue;
      const [own, other] = compute<readonly number[]>(both, [toBits(x), toBits(0.75)]);
      if (own !== compute(numbers, toBits(x)) || other !== compute(numbers, toBits(0.75)))
        differing.push(x);
    }
    expect(differing).toEqual([]);
  });

  it("holds its limit where the host rounds products and sums once", () => {
    const fused = onNumbers(elementary[name].compute, fusedNumbers);
    let worst = 0;
    let count = 0;
    for (const x of sample(name))
      if (count++ % 7 === 0) worst = Math.max(worst, ulps(fused(x), oracle(name, x)));
    expect({ within: worst <= elementary[name].ulps, worst }).toEqual({ within: true, worst });
    for (const x of signed([0, Infinity, NaN]))
      expect([x, fused(x)]).toEqual([x, Math.fround(oracle(name, x))]);
  });

  it("is exact at zeros, infinities and NaN", () => {
    for (const x of signed([0, Infinity, NaN]))
      expect([x, fast[name](x)]).toEqual([x, Math.fround(oracle(name, x))]);
  });
});

it("has the limits that docs/numerics.md promises", () => {
  const text = readFileSync(
    fileURLToPath(new URL("../../../docs/numerics.md", import.meta.url)),
    "utf8",
  );
  const rows = [...text.matchAll(/^\| `(\w+)` +\| ([\d.]+) +\| ([\d.]+) /gm)];
  expect(rows.map(([, name, limit]) => [name, Number(limit)])).toEqual(
    elementaryNames.map((name) => [name, elementary[name].ulps]),
  );
  expect(rows.filter(([, , limit, found]) => !(Number(found) <= Number(limit)))).toEqual([]);
});

describe("where exactness is more than a bound", () => {
  it("keeps odd functions odd and tiny arguments as they are", () => {
    for (const x of [smallest, 3 * smallest, smallestNormal, 2 ** -60]) {
      for (const name of ["sin", "tan", "tanh", "log1p", "expm1"] as const) {
        expect([name, fast[name](x), fast[name](-x)]).toEqual([name, x, -x]);
      }
    }
    const uneven: number[] = [];
    for (let x = 2 ** -20; x < 1e6; x *= 1.01) {
      const odd = (["sin", "tan", "tanh", "erf"] as const).every(
        (name) => fast[name](-x) === -fast[name](x),
      );
      if (!odd || fast.cos(-x) !== fast.cos(x)) uneven.push(x);
    }
    expect(uneven).toEqual([]);
  });

  it("saturates at 1 and never passes it", () => {
    const saturated = [...neighbours(20, 100), largest, Infinity];
    const near = [3, 3.9, 4, 8, 9, 9.1, 16, 17, 18].flatMap((value) => neighbours(value, 2000));
    for (const name of ["tanh", "erf", "sigmoid"] as const) {
      expect(saturated.filter((x) => fast[name](x) !== 1)).toEqual([]);
      expect(near.filter((x) => !(fast[name](x) <= 1))).toEqual([]);
    }
  });

  it("has the values that everyone knows", () => {
    expect([fast.exp(0), fast.log(1), fast.cos(0), fast.sigmoid(0)]).toEqual([1, 0, 1, 0.5]);
    expect([fast.expm1(-200), fast.exp(-200), fast.exp(200)]).toEqual([-1, 0, Infinity]);
    expect([fast.log(0), fast.log(-0), fast.log1p(-1)]).toEqual([-Infinity, -Infinity, -Infinity]);
    expect([fast.log(-1), fast.log1p(-2), fast.sin(Infinity), fast.log(-Infinity)]).toEqual([
      NaN,
      NaN,
      NaN,
      NaN,
    ]);
  });
});

describe("power", () => {
  const bases = signed([
    ...specials,
    3,
    0.75,
    1.5,
    10,
    fromBits(toBits(1) + 1),
    fromBits(toBits(1) - 1),
  ]);
  const powers = signed([
    ...specials,
    3,
    1 / 3,
    1.5,
    7,
    126,
    127,
    128,
    149,
    150,
    16777215,
    16777216,
    16777217,
    2 ** 30,
  ]);

  it("has the specials of IEEE 754, whatever is raised to whatever", () => {
    const wrong: unknown[] = [];
    for (const x of bases) {
      for (const y of powers) {
        const [got, exact] = [fast.power(x, y), oracle("power", Math.fround(x), Math.fround(y))];
        if (!(ulps(got, exact) <= 0.5 + 2 ** -4)) wrong.push({ x, y, got, exact });
      }
    }
    expect(wrong).toEqual([]);
  });

  it(
    `is within ${elementary.power.ulps} ulp of the exact value, ` +
      "up to the overflow and into the subnormals",
    () => {
      let worst = 0;
      let at: readonly number[] = [];
      for (let pattern = 0; pattern < 2 ** 32; pattern += 40009) {
        const x = fromBits(pattern | 0);
        const full = 150 / Math.abs(Math.log2(Math.abs(x)));
        for (const part of [-1, -0.99, -0.5, -1e-3, 1e-3, 0.3, 0.85, 0.851, 1]) {
          const y = Math.fround(
            Number.isFinite(full) ? (x < 0 ? Math.round(full * part) : full * part) : part,
          );
          const error = ulps(fast.power(x, y), oracle("power", x, y));
          if (error > worst) [worst, at] = [error, [x, y]];
        }
      }
      expect({ at, within: worst <= elementary.power.ulps, worst }).toEqual({
        at,
        within: true,
        worst,
      });
    },
  );

  it("gives the same bits on numbers and as source", () => {
    const onTwo = onNumbers(elementary.power.compute);
    for (const x of bases)
      for (const y of powers) expect([x, y, onTwo(x, y)]).toEqual([x, y, fast.power(x, y)]);
  });

  it("keeps x to the power 1 and small squares exact", () => {
    for (const x of [...neighbours(1, 100), ...neighbours(1e-40, 100), ...neighbours(1e30, 100)]) {
      expect(fast.power(x, 1)).toBe(x);
    }
    for (let k = -4096; k <= 4096; k++) expect(fast.power(k, 2)).toBe(k * k);
  });
});
