// Jets, compared with derivatives in closed form.

import { expect, test } from "vitest";
import * as jets from "./jets.ts";
import { erf } from "../../../src/scalar/elementary.ts";

const at = 0.6;

/** A number that is moved by three steps. The last coefficient of f is f'''. */
const moving = [0, 1, 2].reduce(jets.moved, jets.constantJet(at, 3));
const [e, tanh, s] = [Math.exp(at), Math.tanh(at), 1 / (1 + Math.exp(-at))];

test.each<readonly [string, (a: jets.Jet) => jets.Jet, number, number, number]>([
  ["exp", jets.exp, e, e, e],
  ["log", jets.log, 1 / at, -1 / at ** 2, 2 / at ** 3],
  ["log1p", jets.log1p, 1 / (1 + at), -1 / (1 + at) ** 2, 2 / (1 + at) ** 3],
  ["sin", jets.sin, Math.cos(at), -Math.sin(at), -Math.cos(at)],
  [
    "tanh",
    jets.tanh,
    1 - tanh ** 2,
    -2 * tanh * (1 - tanh ** 2),
    (1 - tanh ** 2) * (6 * tanh ** 2 - 2),
  ],
  [
    "sigmoid",
    jets.sigmoid,
    s * (1 - s),
    s * (1 - s) * (1 - 2 * s),
    s * (1 - s) * (1 - 6 * s + 6 * s ** 2),
  ],
  ["x ** 2", (a) => jets.power(a, 2), 2 * at, 2, 0],
  ["sqrt", (a) => jets.power(a, 0.5), 0.5 / Math.sqrt(at), -0.25 * at ** -1.5, 0.375 * at ** -2.5],
  ["x ** x", (a) => jets.powerOf(a, a), ...ofPowers()],
])("%s has its first three derivatives", (_, f, first, second, third) => {
  const found = f(moving);
  for (const [place, expected] of [
    [1, first],
    [6, second],
    [7, third],
  ] as const)
    expect(found[place]).toBeCloseTo(expected, 12);
});

test("erf has its value and its slopes", () => {
  const slope = (2 / Math.sqrt(Math.PI)) * Math.exp(-at * at);
  const found = jets.erf(moving);
  expect(found[0]).toBeCloseTo(erf(at), 14);
  expect(found[4]).toBeCloseTo(slope, 14);
  expect(found[3]).toBeCloseTo(-2 * at * slope, 14);
});

test("a power of 0 has the derivatives of the power", () => {
  const zero = [0, 1].reduce(jets.moved, jets.constantJet(0, 2));
  expect(jets.power(zero, 2)).toEqual([0, 0, 0, 2]);
  expect(jets.power(zero, 0)).toEqual([1, 0, 0, 0]);
});

/** x ** x with l = log(x) + 1: x ** x · l, · (l² + 1 / x), · (l³ + 3 l / x - 1 / x²). */
function ofPowers(): [number, number, number] {
  const [whole, l] = [at ** at, Math.log(at) + 1];
  return [whole * l, whole * (l ** 2 + 1 / at), whole * (l ** 3 + (3 * l) / at - 1 / at ** 2)];
}
