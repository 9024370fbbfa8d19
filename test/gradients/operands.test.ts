// Operands of contractions that are expressions of the cells of one tensor are computed before the
// contraction, and no others.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { agrees, agreesBesideKinks } from "./testing.ts";

const data = `let x = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]];
  let W = [[1.0, 0.5, -0.5], [0.25, 2.0, 1.0]]; let g = [0.5, 1.5, -1.0]; let m = [0.25, 0.5];
  let s = [2.0, 3.0];
  let n = [1.0, 2.0, 0.5]; let o = [0.75, 1.25];`;

const contractions: readonly (readonly [
  name: string,
  text: string,
  asked: readonly string[],
  made: number,
])[] = [
  [
    "factors and divisors of one operand",
    "let y[b, o] = sum[i](W[o, i] * g[i] * x[b, i] / n[i]);",
    ["x", "W", "g", "n"],
    1,
  ],
  [
    "two operands",
    "let y[b, o] = mean[i]((x[b, i] - m[b]) / s[b] * (W[o, i] - n[i]));",
    ["x", "W", "m", "s", "n"],
    2,
  ],
  [
    "an expression of several",
    "let y[b, o] = sum[i](W[o, i] * (g[i] * (x[b, i] - m[b]) / s[b] + n[i]));",
    ["x", "W", "g", "m", "s", "n"],
    1,
  ],
  [
    "a divisor with two coordinates",
    "let y[b, o] = sum[i](W[o, i] * x[b, i] / sqrt(s[b] * n[i]));",
    ["x", "W", "s", "n"],
    1,
  ],
  [
    "windows",
    "let k = [0.5, 2.0]; let y[b, p in 0..2] = sum[q](k[q] * (x[b, p + q] - m[b]) / s[b]);",
    ["x", "k", "m", "s"],
    1,
  ],
  [
    "a choice",
    "let y[b, o] = sum[i](W[o, i] * (if g[i] > 0 { x[b, i] * g[i] } else { n[i] }));",
    ["x", "W", "g", "n"],
    1,
  ],
  [
    "steps",
    "let y[0, b] = m[b]; let y[t in 1..4, b] = y[t - 1, b] * 0.5 + " +
      "sum[i](W[b, i] * g[i] / o[b] * y[t - 1, 0]);",
    ["W", "g", "o", "m"],
    1,
  ],
  [
    "nothing of two tensors, neither of which has the coordinates of both",
    "let y[b, o] = sum[i](W[o, i] * tanh(x[b, i] + m[b] + o as f32));",
    ["x", "W", "m"],
    0,
  ],
];

const asking = (by: readonly string[]): string =>
  by.map((name) => `let d_${name} = @loss / @${name};`).join(" ");

describe.each(contractions)("%s", (_, text, by, made) => {
  const sum = text.includes("y[0, b]")
    ? "sum[b](y[3, b] ** 2)"
    : "sum[b, o](y[b, o] ** 2)".replaceAll("o", text.includes("p in") ? "p" : "o");
  const program = `${data} ${text} let loss = ${sum};`;

  it("is what differences say", () => {
    expect(Object.keys(agreesBesideKinks(`${program} ${asking(by)}`)).length).toBe(by.length);
  });

  it("is made as often as it should be", () => {
    const derived = compile({ name: "operands.ein", text: program }).program!.grad("loss", by);
    const lines = "source" in derived ? derived.source.split("\n") : [];
    expect(lines.filter((line) => /^let y\w*_part\w*\[/.test(line)).length).toBe(made);
  });
});

it("an operand that nothing reads in some cells is a number all the same", () => {
  const found =
    agrees(`let x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]; let k = [0.5, 2.0]; let s = [2.0, 4.0];
    let z = [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0]];
    let y[b] = sum[q in 0..2, c](k[c] * x[b, q] / z[b, q] * s[b]); let loss = sum[b](y[b] ** 2);
    let d_x = @loss / @x; let d_s = @loss / @s; let d_k = @loss / @k;`);
  expect(found.x!.every(Number.isFinite)).toBe(true);
});
