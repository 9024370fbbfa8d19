// Tests which factors leave a sum, and that the value of the sum stays the same.

import { describe, expect, test } from "vitest";
import { holds } from "../../../test/support/kernels.ts";
import { evaluationWorkOf } from "../fuse.ts";
import { sized } from "../regions/regions.ts";
import { definitionOf, sizing } from "../../../test/support/plan.ts";

const data = `let x[i in 0..6, j in 0..8] = (i * j) as f64; let v[i in 0..6] = i as f64;
  let p[i in 0..6, j in 0..8] = (i * j) as f32; let q[j in 0..8] = j as f32;`;

/** The operations and reads that remain in each term. */
function termWork(definition: string): number {
  const { definition: y, shape } = definitionOf(`${data} ${definition}`);
  return evaluationWorkOf(sized(y, shape, sizing).regions[0]!.cases[0]!.reductions[0]!.body.value);
}

describe("factors that all terms share", () => {
  test("leave the sum", () => {
    expect(termWork("let y[i] = sum[j](x[i, j]);")).toBe(1);
    expect(termWork("let y[i] = sum[j](-2.0 * tanh(v[i]) * x[i, j] / 4.0);")).toBe(1);
    expect(termWork("let y[i] = sum[j](-2.0 * (i as f64) * x[i, j] / v[i]);")).toBe(
      termWork("let y[i] = sum[j](x[i, j] / v[i]);"),
    );
    expect(termWork("let y[i] = mean[j](x[i, j] * (sin(v[i]) * x[i, 7 - j]));")).toBe(3);
  });

  test("leave a contraction of f32, and no other sum of f32, which is rounded once", () => {
    expect(termWork("let y[i] = sum[j](0.5 * p[i, j] * q[j]);")).toBe(
      termWork("let y[i] = sum[j](p[i, j] * q[j]);"),
    );
    expect(termWork("let y[i] = sum[j](0.5 * p[i, j]);")).toBe(
      termWork("let y[i] = sum[j](p[i, j]);") + 1,
    );
  });

  test("stay if they may be infinite, if there may be no terms, and outside of products", () => {
    expect(termWork("let y[i] = sum[j](v[i] * x[i, j]);")).toBe(3);
    expect(termWork("let y[i] = sum[j in 0..i](2.0 * x[i, j]);")).toBe(2);
    expect(termWork("let y[i] = sum[j](2.0 * x[i, j] where x[i, j] > 3.0);")).toBe(2);
    expect(termWork("let y[i] = max[j](2.0 * x[i, j]);")).toBe(2);
    expect(termWork("let y[i] = sum[j](2.0 + x[i, j]);")).toBe(2);
  });

  test("leave the value as it was, its sign where it is 0 included", () => {
    holds("let y[i in 0..2, j in 0..16] = sum[s in 0..4](j as f32 / i as f32 * s as f32);");
    holds(`${data} let z[i in 0..6, j in 0..8] = 0.0 * x[i, j];
      let y[i] = sum[j](-v[i] * z[i, j]); let inverse[i] = 1.0 / y[i];
      let m[i] = mean[j](v[i] * x[i, j] / (v[i] + 1.0));`);
  });
});
