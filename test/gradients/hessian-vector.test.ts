// A Hessian-vector product takes a constant times the work of the gradient: the ratio does not grow
// with the extents.

import { describe, expect, test } from "vitest";
import { evaluate } from "../../src/cost/polynomial.ts";
import type { Program } from "../../src/ir/program.ts";
import { derivedProgram, workFor } from "./order.ts";

/** Inputs, the loss, and the denominator with its coordinates. */
type Row = readonly [
  what: string,
  forward: string,
  wrt: string,
  type: string,
  coordinates: readonly string[],
];

const rows: readonly Row[] = [
  [
    "two dense layers",
    `input x: [f32; b, in]; input W: [f32; out, hidden]; input y: [f32; b, out];
     let h[b, hidden] = tanh(sum[in](x[b, in] * V[hidden, in]));
     let p[b, out] = sum[hidden](h[b, hidden] * W[out, hidden]);
     let loss = mean[b, out]((p[b, out] - y[b, out]) ** 2);`,
    "V",
    "[f32; hidden, in]",
    ["hidden", "in"],
  ],
  [
    "attention",
    `input K: [f32; k, d]; input V: [f32; k, e];
     let s[q, k] = sum[d](Q[q, d] * K[k, d]); let m[q] = max[k](s[q, k]);
     let w[q, k] = exp(s[q, k] - m[q]);
     let t[q] = sum[k](w[q, k]); let o[q, e] = sum[k](w[q, k] * V[k, e]) / t[q];
     let loss = sum[q, e](o[q, e] ** 2);`,
    "Q",
    "[f32; q, d]",
    ["q", "d"],
  ],
  [
    "layer norm",
    `let mu[b] = mean[f](x[b, f]); let v[b] = mean[f]((x[b, f] - mu[b]) ** 2);
     let y[b, f] = (x[b, f] - mu[b]) / sqrt(v[b] + 1e-5); let loss = sum[b, f](y[b, f] ** 3);`,
    "x",
    "[f32; b, f]",
    ["b", "f"],
  ],
  [
    "a convolution",
    `input x: [f32; n, c, 12, 12];
     let y[n, o, i, j] = tanh(sum[c, k, l](x[n, c, i + k, j + l] * w[o, c, k, l]));
     let loss = sum[n, o, i, j](y[n, o, i, j] ** 2);`,
    "w",
    "[f32; o, c, 3, 3]",
    ["o", "c", "k", "l"],
  ],
  [
    "a recurrent network",
    `input x: [f32; t, i]; let h[0, i in 0..extent(i)] = 0.0;
     let h[s in 1..extent(t), i] = tanh(sum[j](W[i, j] * h[s - 1, j]) + x[s, i]);
     let loss = sum[i](h[extent(t) - 1, i] ** 2);`,
    "W",
    "[f32; i, j]",
    ["i", "j"],
  ],
  ["a product", "let loss = prod[i](sin(x[i]));", "x", "[f32; n]", ["i"]],
  [
    "an embedding",
    "input at: [i32; k]; let e[k, d] = tanh(E[at[k], d]); let loss = sum[k, d](e[k, d] ** 2);",
    "E",
    "[f32; 50, d]",
    ["r", "d"],
  ],
];

const sizes = [64, 1024] as const;

describe.each(rows)("of %s", (_, forward, wrt, type, coordinates) => {
  const gradient = `input ${wrt}: ${type}; input u: ${type}; ${forward} let g = @loss / @${wrt};`;
  const own = coordinates.join(", ");
  const others = coordinates.map((name) => `${name}_2`).join(", ");
  const work = (program: Program | undefined, name: string): readonly number[] => {
    const polynomial = workFor([program!.outputs.get(name)!.definition]);
    return sizes.map((size) => evaluate(polynomial, { extent: () => size, data: () => size }));
  };
  const growthOf = (text: string): number => {
    const [product, once] = [work(derivedProgram(text), "Hu"), work(derivedProgram(gradient), "g")];
    const [small, large] = product.map((each, k) => each / once[k]!);
    return large! / small!;
  };

  test("as a pushforward of the gradient", () => {
    const text = `${gradient} let H = @g / @${wrt};
      let Hu[${own}] = sum[${others}](H[${own}, ${others}] * u[${others}]);`;
    expect(growthOf(text)).toBeLessThan(1.2);
  });

  test("as the gradient of a product", () => {
    const text = `${gradient} let s = sum[${own}](g[${own}] * u[${own}]); let Hu = @s / @${wrt};`;
    expect(growthOf(text)).toBeLessThan(1.2);
  });
});
