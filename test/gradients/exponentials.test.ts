// Quotients of exponentials are numbers where the exponential is too large for its type, and what differences say everywhere else.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/compile.ts";
import { agrees } from "./testing.ts";

/** What is differentiated, its slopes at -200 and 200, and how its gradient is written. */
const functions: readonly (readonly [written: string, below: number, above: number, gradient: string])[] = [
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

const asking = (value: string): string => `let y = sum[i](${value.replaceAll("z", "x[i]")}); let g = @y / @x;`;

describe.each(functions)("the derivative of %s", (value, below, above, gradient) => {
  it("is what differences say, and so is its own", () => {
    const found = agrees(`let x = [-3.0, -0.75, 0.25, 2.0]; ${asking(value)} let t = sum[i](g[i]); let h = @t / @x;`);
    expect(found.x!.length).toBe(4);
  });

  it("is a number where the exponential is none", () => {
    const text = `let x = [-200.0, 200.0]; ${asking(value)} let t = sum[i](g[i]); let h = @t / @x;`;
    const { values } = compile({ name: "exponentials.ein", text }).program!.run({ get: ["g", "h"] });
    const cells = (name: string): readonly number[] => [...values.get(name)!.value.data].map(Number);
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
