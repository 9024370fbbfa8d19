// Quotients of exponentials are finite where the exponential overflows its type, and agree with
// differences elsewhere.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { agrees } from "./testing.ts";

/** The function, its slopes at -200 and 200, and the text of its gradient. */
const functions: readonly (readonly [
  written: string,
  below: number,
  above: number,
  gradient: string,
])[] = [
  ["log(1 + exp(z))", 0, 1, "sigmoid(x[n])"],
  ["log1p(exp(z))", 0, 1, "sigmoid(x[n])"],
  ["log(exp(z) + 4)", 0, 1, "1 / (1 + 4 * exp(-x[n]))"],
  ["1 / (1 + exp(-z))", 0, 0, "sigmoid(-x[n]) * sigmoid(x[n])"],
  ["1 / (exp(z - 0.5) + 1)", 0, 0, "-sigmoid(x[n] - 0.5) * sigmoid(0.5 - x[n])"],
  ["z / (1 + exp(-z))", 0, 1, "1 / (1 + exp(-x[n])) + x[n] * sigmoid(-x[n]) * sigmoid(x[n])"],
  ["1 / (exp(z) - 1)", 0, 0, "-1 / (exp(x[n]) - 1) / (1 - exp(-x[n]))"],
  ["1 / (1 - exp(z))", 0, 0, "1 / (1 - exp(x[n])) / (exp(-x[n]) - 1)"],
  ["1 / expm1(z)", 0, 0, "1 / expm1(x[n]) / expm1(-x[n])"],
];

const asking = (value: string): string =>
  `let y = sum[i](${value.replaceAll("z", "x[i]")}); let g = @y / @x;`;

describe.each(functions)("the derivative of %s", (value, below, above, gradient) => {
  it("is what differences say, and so is its own", () => {
    const found = agrees(
      `let x = [-3.0, -0.75, 0.25, 2.0]; ${asking(value)} let t = sum[i](g[i]); let h = @t / @x;`,
    );
    expect(found.x!.length).toBe(4);
  });

  it("is a number where the exponential is none", () => {
    const text = `let x = [-200.0, 200.0]; ${asking(value)} let t = sum[i](g[i]); let h = @t / @x;`;
    const { values } = compile({ name: "exponentials.ein", text }).program!.run({
      get: ["g", "h"],
    });
    const cells = (name: string): readonly number[] =>
      [...values.get(name)!.value.data].map(Number);
    for (const [k, slope] of [below, above].entries()) expect(cells("g")[k]).toBeCloseTo(slope, 6);
    for (const slope of cells("h")) expect(slope).toBeCloseTo(0, 6);
  });

  it("is written down so", () => {
    const text = `input x: [f32; n]; ${asking(value)}`;
    expect(compile({ name: "exponentials.ein", text }).program!.grad("y", ["x"])).toMatchObject({
      source: expect.stringContaining(gradient),
    });
  });
});

const cells = (text: string, name: string): readonly number[] =>
  [
    ...compile({ name: "exponentials.ein", text })
      .program!.run({ get: [name] })
      .values.get(name)!.value.data,
  ].map(Number);

it.each([
  ["let x: f16 = -12.0; let y = log(exp(x) + 1e-12);", 1],
  ["let x = -90.0; let y = log(exp(x) + 0.0);", 1],
  ["let x: f16 = 12.0; let y = 1000.0 / (exp(-x) + 0.02);", 15.34],
  ["let x = -89.0; let y = log(exp(x) + 1e-38);", 0.182],
  ["let x = -710.0f64; let y = log(exp(x) + 1e-308);", 0.309],
])("%s keeps what is near the end of its type", (text, slope) => {
  const [found] = cells(`${text} let g = @y / @x;`, "g");
  expect(Math.abs(found! / slope - 1)).toBeLessThan(5e-3);
});

it.each([
  [
    "let x = [100.0, -100.0]; let w = [1.0, 2.0]; let b = 0.5; " +
      "let y = sum[i](x[i] / (1 + exp(-w[i] * (x[i] + b))));",
    ["w", "b", "x"],
  ],
  [
    "let x = [154.0, 60.0]; let a = 1.0; let b = 0.5; " +
      "let y = sum[i](b * x[i] / (exp(x[i] - a) - 1));",
    ["x", "a", "b"],
  ],
])("%s has the same gradients together and alone", (text, by) => {
  const asked = by.map((name) => `let d_${name} = @y / @${name};`);
  for (const [k, name] of by.entries()) {
    const together = cells(`${text} ${asked.join(" ")}`, `d_${name}`);
    const alone = cells(`${text} ${asked[k]}`, `d_${name}`);
    for (const [at, slope] of alone.entries()) {
      expect(Number.isFinite(slope)).toBe(true);
      expect(Math.abs(together[at]! - slope)).toBeLessThanOrEqual(1e-5 * Math.abs(slope) + 1e-44);
    }
  }
});

it("is a number where a local name stands for the exponential", () => {
  expect(
    cells(
      "let x = [-200.0]; let y = sum[i](1 / (1 + e) where e = exp(-x[i])); let g = @y / @x;",
      "g",
    ),
  ).toEqual([0]);
});

it("is multiplied in the order in which it stays in range", () => {
  const text =
    "let x = [1e-30, 0.0]; let a = 69.0; let b = 1e20; let y = sum[i](x[i] * exp(a) * b); " +
    "let g = @y / @a; print(y, g);";
  expect(Math.abs(cells(text, "g")[0]! / 9.2537e19 - 1)).toBeLessThan(1e-4);
});
