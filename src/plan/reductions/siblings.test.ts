// Tests reductions over the same positions in one loop.

import { describe, expect, test } from "vitest";
import { holds, table, types } from "../../../test/support/kernels.ts";

describe("reductions of a cell in one loop", () => {
  const small = ["f32", "f64", "i32"];

  test.each(small)("along the terms, of %s", (type) => {
    for (const columns of [1, 3, 8, 13, 40, 300])
      holds(
        `${table(type, 6, columns)} let y[i] = sum[j](x[i, j]) + ` +
          "sum[k](x[i, k] * x[i, k]) - prod[j in 0..1](x[i, j]);",
      );
  });

  test.each(small)("across the cells, of %s", (type) => {
    for (const rows of [1, 2, 7, 40])
      for (const columns of [4, 9, 33])
        holds(
          `${table(type, rows, columns)} let y[j] = sum[i](x[i, j]) + sum[k](x[k, j] * x[k, j]);`,
        );
  });

  test("of different kinds, with guards and means", () => {
    holds(
      `${table("f32", 9, 50)} let y[i] = mean[j](x[i, j]) * max[j](x[i, j]) + ` +
        "sum[j](x[i, j] where x[i, j] > 1.0) + min[j](x[i, j]);",
    );
    holds(
      `${table("f32", 50, 9)} let y[j] = mean[i](x[i, j]) * max[i](x[i, j]) + ` +
        "sum[i](x[i, j] where x[i, j] > 1.0);",
    );
    holds(
      `${table("f32", 4, 5000)} let y[i] = mean[j](x[i, j]) + sum[j](x[i, j] * 0.5) + ` +
        "max[j](x[i, j]);",
    );
    holds(
      `${table("f32", 20, 12)} let y[i] = mean[j, k in 0..3](x[i, j] * (k as f32)) + ` +
        "sum[j, k in 0..3](x[i, j] + (k as f32));",
    );
  });

  test("one after the other where a later one reads an earlier one", () => {
    holds(
      `${table("f32", 9, 50)} let y[i] = { let m = mean[j](x[i, j]); ` +
        "sum[j]((x[i, j] - m) ** 2) + m };",
    );
    holds(
      `${table("f32", 50, 9)} let m[j] = mean[i](x[i, j]); ` +
        "let y[j] = sum[i]((x[i, j] - m[j]) ** 2) / max[i](x[i, j]);",
    );
    holds(
      `${table("f32", 9, 50)} let y[i] = logsumexp[j](x[i, j]) + sum[j](x[i, j]) + ` +
        "logsumexp[j](2.0 * x[i, j]);",
    );
  });

  test("over other positions in loops of their own", () => {
    holds(
      `${table("f32", 9, 50)} let y[i] = sum[j](x[i, j]) + sum[j in 1..50](x[i, j]) + ` +
        "sum[j in 0..i + 1](x[i, j]);",
    );
  });

  test("of every type there is", () => {
    expect(types.length).toBeGreaterThan(5);
    for (const type of types.filter((each) => each !== "i8"))
      holds(`${table(type, 6, 40)} let y[i] = sum[j](x[i, j]) + sum[j](x[i, j] + x[i, j]);`);
  });
});
