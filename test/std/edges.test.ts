// The functions of std::math at the edges: poles, zeros of both signs, infinities, NaN, tiny and
// large numbers, compared with SciPy in f64 and f32. test/reference/edges.py records the
// expectations.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import type { JsonScalar } from "../../src/host/json.ts";
import { valueOf } from "./recorded.ts";

interface Row {
  readonly name: string;
  readonly dtype: "f64" | "f32";
  readonly x: readonly JsonScalar[];
  readonly y: readonly JsonScalar[];
  readonly slope?: readonly JsonScalar[];
}

const rows = JSON.parse(
  readFileSync(fileURLToPath(new URL("edges.json", import.meta.url)), "utf8"),
) as Row[];

/**
 * Relative to the size of each cell, plus two steps of the numbers below the smallest normal one.
 * gamma is exp of lgamma, so the rounding error of f32 grows there.
 */
const tolerance = {
  f64: { relative: 2e-12, absolute: 2 * Number.MIN_VALUE },
  f32: { relative: 1e-5, absolute: 2 ** -148 },
};

/**
 * Next to its zeros at 1 and 2, lgamma is a difference of larger numbers. Its absolute error there
 * is that of numbers near 1.
 */
const smallest = (name: string): number => (name === "lgamma" ? 1 : 0);

test.each(rows)("$name in $dtype", { timeout: 60_000 }, ({ name, dtype, ...recorded }) => {
  const text = `use std::math::*;
input x: [${dtype}; n];
let y[i] = ${name}(x[i]);
let total = sum[i](y[i]);
let slope = @total / @x;`;
  const { program, diagnostics } = compile({ name: "edges.ein", text });
  expect(diagnostics).toEqual([]);
  const tensor = (data: readonly JsonScalar[]) => valueOf({ dtype, shape: [data.length], data });
  for (const backend of ["interpret", "js", "wasm"] as const) {
    const { values } = program!.run({
      inputs: new Map([["x", tensor(recorded.x)]]),
      get: ["y", "slope"],
      backend,
    });
    for (const what of ["y", "slope"] as const) {
      const wanted = recorded[what];
      if (!wanted) continue;
      const got = values.get(what)!.value.data as ArrayLike<number>;
      const wrong = Array.from(tensor(wanted).data as ArrayLike<number>, (cell, k) =>
        isClose(got[k]!, cell, dtype, smallest(name)) &&
        !(what === "y" && isOtherZero(got[k]!, cell))
          ? []
          : [{ x: recorded.x[k], got: got[k], wanted: cell }],
      ).flat();
      expect(wrong, `${what} on ${backend}`).toEqual([]);
    }
  }
});

function isClose(got: number, wanted: number, dtype: Row["dtype"], least: number): boolean {
  if (Object.is(got, wanted) || got === wanted) return true;
  const { relative, absolute } = tolerance[dtype];
  return Math.abs(got - wanted) <= Math.max(relative * Math.max(Math.abs(wanted), least), absolute);
}

/** The sign of a zero counts. */
function isOtherZero(got: number, wanted: number): boolean {
  return got === wanted && !Object.is(got, wanted);
}
