// Tests that the shares of a logsumexp are found and have the oracle's values, also for terms that
// are not finite.

import { describe, expect, test } from "vitest";
import { cellsOf, holds } from "../../../test/support/kernels.ts";
import { fuse } from "../fuse.ts";
import { asWritten, programOf } from "../../../test/support/plan.ts";

const data =
  "let x[i in 0..6, j in 0..40] = sin((i * j) as f32); let w[j in 0..40] = x[1, j]; " +
  "let l[i] = logsumexp[j](x[i, j] * w[j]);\n";

/** The names of the maps that are computed along with `l`. */
function mapsComputedWithL(text: string): readonly string[] {
  const { program, schedules } = programOf(data + text);
  const { sharesOf } = fuse(
    program,
    schedules,
    { asked: undefined },
    (term) => term.constant,
    1e9,
    asWritten,
  );
  return [...sharesOf.values()].map(({ name }) => name);
}

describe("shares of a logsumexp", () => {
  test("are found by what they are, whatever the coordinates are called", () => {
    expect(mapsComputedWithL("let p[a, b] = exp(x[a, b] * w[b] - l[a]);")).toEqual(["p"]);
  });

  test("are those of its own terms, all of them, in their rows", () => {
    for (const other of [
      "let p[a, b] = exp(x[a, b] * w[b] - 2.0 * l[a]);",
      "let p[a, b] = exp(x[a, b] - l[a]);",
      "let p[b, a] = exp(x[a, b] * w[b] - l[a]);",
      "let p[a, b in 0..20] = exp(x[a, b] * w[b] - l[a]);",
      "let p[a in 0..6, b] = exp(x[a, b] * w[b] - l[5 - a]);",
    ])
      expect(mapsComputedWithL(other), other).toEqual([]);
  });

  test("have the oracle's values", () => {
    for (const n of [1, 3, 4, 9, 64, 101])
      holds(`let x[i in 0..5, j in 0..${n}] = sin((i * j * 3) as f32) * 20.0;
        let l[i] = logsumexp[j](x[i, j]); let p[i, j] = exp(x[i, j] - l[i]);
        let s = sum[i, j](p[i, j] * x[i, j]); let d = @s / @x;`);
  });

  test("are NaN, 0 or 1 where the oracle's are", () => {
    const row = (
      special: string,
    ): string => `let x[j in 0..40] = if j == 7 { ${special} } else { 90.0 * (j as f32) };
      let y[i in 0..1, j] = x[j]; let l[i] = logsumexp[j](y[i, j]);
      let p[i, j] = exp(y[i, j] - l[i]);`;
    for (const special of ["1.0 / 0.0", "-1.0 / 0.0", "0.0 / 0.0"]) holds(row(special));
    expect(
      cellsOf(row("1.0 / 0.0"), "p").map((cell, j) => (j === 7 ? Number.isNaN(cell) : cell === 0)),
    ).not.toContain(false);
    holds(
      "let x[i in 0..3, j in 0..24] = -1.0 / 0.0; let l[i] = logsumexp[j](x[i, j]); " +
        "let p[i, j] = exp(x[i, j] - l[i]);",
    );
  });
});
