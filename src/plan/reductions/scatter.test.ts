// Tests which reductions are scatters, which cells their terms go to, and which totals they have.

import { describe, expect, test } from "vitest";
import { subjectOf } from "../../../test/backends/compare.ts";
import { unfused } from "../fuse.ts";
import { sized, type Sized } from "../regions/regions.ts";
import { isUntied, scattered } from "./scatter.ts";

const data =
  "let idx[k in 0..9] = k % 4; let g[k in 0..9] = k as f64; let f[k in 0..9] = k as f32;";

function of(text: string, shape: readonly number[], stepped?: ReadonlySet<number>): Sized {
  const subject = subjectOf("test.ein", `${data} ${text}`);
  if ("errors" in subject) throw new Error(subject.errors.map(({ title }) => title).join());
  const { definition } = subject.program.outputs.get("y")!;
  return scattered(
    sized(definition, shape, { known: new Map(), typeOf: (type) => type, ...unfused }),
    stepped,
  );
}

describe("scatters", () => {
  test("cells that are nothing but sums are their own totals", () => {
    const own = of("let y[p in 0..4] = sum[k](g[k] where idx[k] == p);", [4]);
    expect(own.scratch).toBeUndefined();
    expect(own.regions[0]).toMatchObject({ cases: [] });
    expect(own.regions[0]!.scatters![0]!.totals.definition).toBe(own.definition);
  });

  test("a mean is two totals, a sum of f32 one that is wider", () => {
    const mean = of("let y[p in 0..4] = mean[k](g[k] where idx[k] == p);", [4]);
    expect(mean.scratch!.map(({ element }) => element)).toEqual(["f64", "i32"]);
    expect(mean.regions[0]!.cases[0]!.reductions).toEqual([]);
    for (const sum of ["f[k]", "f[k] * f[8 - k]", "f[k] * cos(f[k])"]) {
      const totals = of(`let y[p in 0..4] = sum[k](${sum} where idx[k] == p);`, [4]);
      expect(totals.scratch!.map(({ element }) => element)).toEqual(["f64"]);
    }
  });

  test("a bound on the tied position does not move into the terms' range", () => {
    const { regions } = of("let y[p in 0..4] = sum[k](g[k] where idx[k] == p, k <= p);", [4]);
    const [scatter] = regions[0]!.scatters!;
    expect(scatter!.ties.map(({ axis }) => axis)).toEqual([0]);
    expect(scatter!.body.guards).toHaveLength(2);
  });

  test("what needs more than a cell, and sums without ties, stay reductions", () => {
    expect(isUntied(of("let y[p in 0..4] = argmax[k](g[k] where idx[k] == p);", [4]))).toBe(false);
    const plain = of("let y[p in 0..4] = sum[k](g[k] where k <= p);", [4]);
    expect(isUntied(plain)).toBe(true);
    expect(plain.regions.every(({ scatters }) => !scatters)).toBe(true);
  });

  test("in a recurrence there are totals of one step at a time", () => {
    const step = new Set([0]);
    const mean = of("let y[t in 0..3, p in 0..4] = mean[k](g[k] where idx[k] == p);", [3, 4], step);
    expect(mean.scratch!.map(({ element, heldAt }) => [element, heldAt])).toEqual([
      ["f64", 0],
      ["i32", 0],
    ]);
    const sum = of("let y[t in 0..3, p in 0..4] = sum[k](g[k] where idx[k] == p);", [3, 4], step);
    expect(sum.scratch).toBeUndefined();
    expect(sum.regions[0]!.scatters).toHaveLength(1);
  });
});
