// Tests which guards become bounds of loops.

import { describe, expect, test } from "vitest";
import { holds } from "../../../test/support/kernels.ts";
import { printScalar } from "../../print/print.ts";
import { sized } from "./regions.ts";
import { definitionOf, sizing } from "../../../test/support/plan.ts";

const data =
  "let idx[i in 0..6] = i * 3 % 7 - 1; let d[p in 0..5] = p as f32 + 0.5; " +
  "let m[p in 0..5, i in 0..6] = p - i;";

/** The ranges of a reduction, and the number of guards that remain. */
function rangesAndGuards(definition: string): readonly [readonly string[], number] {
  const { definition: y, shape } = definitionOf(`${data} ${definition}`);
  const { loops, guards } = sized(y, shape, sizing).regions[0]!.cases[0]!.reductions[0]!.body;
  return [loops.map(({ from, to }) => `${printScalar(from)}..${printScalar(to)}`), guards.length];
}

describe("a lookup that a coordinate has to be", () => {
  test("bounds its loop", () => {
    const only = "max(0, idx[i])..min(5, idx[i] + 1)";
    expect(rangesAndGuards("let y[i in 0..6] = sum[p](d[p] where idx[i] == p);")).toEqual([
      [only],
      0,
    ]);
    expect(
      rangesAndGuards("let y[i in 0..6] = sum[p](d[p] where d[p] > 1.0, p == idx[i]);"),
    ).toEqual([[only], 1]);
  });

  test("stays a guard where it is not known before the loop", () => {
    expect(
      rangesAndGuards("let y[i in 0..6] = sum[p, q in 0..6](d[p] where idx[q] == p);"),
    ).toEqual([["0..5", "0..6"], 1]);
    expect(rangesAndGuards("let y[i in 0..6] = sum[p](d[p] where m[p, i] == p);")).toEqual([
      ["0..5"],
      1,
    ]);
  });

  test("changes no value", () => {
    holds(`${data} let a[i] = sum[p](d[p] where idx[i] == p);
      let b[i] = max[p](d[p] where p == idx[i]);
      let c[i] = mean[p, q in 0..3](d[p] * q as f32 where idx[i] == p, q > 0);
      let e[i] = prod[p](d[p] where idx[i] == p, d[p] > 1.0);
      let f[i in 0..7] = sum[p](d[p] where i > 0, idx[i - 1] == p);`);
  });
});

describe("a comparison of sums of coordinates", () => {
  test("bounds a loop", () => {
    expect(rangesAndGuards("let y[i in 0..6] = sum[p](d[p] where i < p + 1);")).toEqual([
      ["i..5"],
      0,
    ]);
    expect(rangesAndGuards("let y[i in 0..6] = sum[p](d[p] where 2 * p + 3 < 2 * i + 3);")).toEqual(
      [["0..i"], 0],
    );
  });

  test("bounds a loop by parts of what its multiples are compared with", () => {
    for (const guard of ["3 * p <= i + 2", "3 * p > i", "i - 2 * p < -3"])
      expect(rangesAndGuards(`let y[i in 0..6] = sum[p](d[p] where ${guard});`)[1], guard).toBe(0);
  });

  test("bounds a loop by multiples of what its quotient is compared with", () => {
    expect(rangesAndGuards("let y[i in 0..6] = sum[p](d[p] where i < p / 2);")).toEqual([
      ["2 * i + 2..5"],
      0,
    ]);
    expect(rangesAndGuards("let y[i in 0..6] = sum[p](d[p] where p / 2 <= i - 1);")).toEqual([
      ["0..2 * i"],
      0,
    ]);
  });

  test("of quotients and multiples changes no value", () => {
    const sides = [
      "p / 2",
      "(p + 3) / 4",
      "(2 * p + i) / 3",
      "3 * p",
      "5 - 2 * p",
      "(7 - p) / 2",
      "p / 2147483647",
      "(p + i) / 4",
    ];
    const guards = sides.flatMap((side) =>
      ["<", "<=", ">", ">=", "==", "!="].flatMap((is) =>
        ["i", "i / 2 + 1", "2 * i - 3"].map((other) => `${side} ${is} ${other}`),
      ),
    );
    for (const some of [guards.slice(0, 48), guards.slice(48, 96), guards.slice(96)]) {
      const lines = some.map((guard, k) => `let y${k}[i in 0..6] = sum[p](d[p] where ${guard});`);
      holds(`${data} ${lines.join(" ")}`);
    }
  });

  test("stays a guard where a sum may leave what an i32 holds, and wraps round", () => {
    for (const guard of [
      "p + 2147483647 > i",
      "p * 2000000000 < 10",
      "p - 2147483647 - i < -2147483640",
    ]) {
      expect(rangesAndGuards(`let y[i in 0..6] = sum[p](d[p] where ${guard});`)[1], guard).toBe(1);
      holds(`${data} let y[i in 0..6] = sum[p](d[p] where ${guard});`);
    }
  });
});
