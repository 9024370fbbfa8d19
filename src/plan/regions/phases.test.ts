// Tests which cells are computed together, what their sums become, and that their values stay the
// same.

import { describe, expect, test } from "vitest";
import { holds, leftToOracleIn } from "../../../test/support/kernels.ts";
import { contracted } from "../reductions/contraction.ts";
import { inPhases } from "./phases.ts";
import { newHeard } from "../print.ts";
import { sized, asOneRegion, type Region } from "./regions.ts";
import { definitionOf, programOf, sizing } from "../../../test/support/plan.ts";

const data = `let g[o in 0..9, i in 0..12, j in 0..12] = sin((o * 5 + i * 3 + j) as f32);
  let w[o in 0..9, c in 0..6, a in 0..3, b in 0..3] = cos((o + c * 2 + a * 7 + b) as f32);
  let v[k in 0..5] = k as f32 + 0.5; let x[i in 0..40] = sin(i as f32);`;

function phases(definition: string): readonly Region[] {
  const { definition: y, shape } = definitionOf(`${data} ${definition}`);
  return inPhases(asOneRegion(y, shape, sizing), sizing.typeOf);
}

/** The printed lines of a definition that is divided into phases. */
function printedLines(definition: string): readonly string[] {
  const { program, schedules } = programOf(`${data} ${definition}`);
  const { definition: y, shape } = definitionOf(`${data} ${definition}`);
  const heard = newHeard(program, schedules);
  heard.became(sized(y, shape, sizing, inPhases));
  return heard.text("optimise").split("\n");
}

const strided =
  "let y[p in 0..21] = sum[k in 0..5](x[(p + 4 - k) / 3] * v[k] where (p + 4 - k) % 3 == 0);";

describe("phases", () => {
  test("have dense sums, without the guard", () => {
    expect(printedLines(strided)).toEqual([
      "let y[3 * p for p in 0..7] = sum[k in 0..2](x[p - k + 1] * v[3 * k + 1]);",
      "let y[3 * p + 1 for p in 0..7] = sum[k in 0..1](x[p - k + 1] * v[3 * k + 2]);",
      "let y[3 * p + 2 for p in 0..7] = sum[k in 0..2](x[p - k + 2] * v[3 * k]);",
    ]);
  });

  test("hold every cell once, whatever the extent", () => {
    for (const extent of [6, 7, 8, 9, 20]) {
      const found = phases(
        `let y[p in 0..${extent}] = sum[k in 0..3](v[k] where (p - k) % 3 == 0);`,
      );
      const cells = found.flatMap(({ sides: [side], cells: [cell] = [] }) =>
        Array.from({ length: side!.to }, (_, q) => cell!.constant + 3 * q),
      );
      expect(cells.toSorted((a, b) => a - b)).toEqual(Array.from({ length: extent }, (_, p) => p));
    }
  });

  test("of several coordinates are all of their combinations", () => {
    expect(
      phases(
        "let y[p in 0..8, q in 0..9] = sum[a in 0..3, " +
          "b in 0..3](w[0, 0, a, b] where (p - a) % 2 == 0, (q + b) % 3 == 1);",
      ),
    ).toHaveLength(6);
  });

  test("are none where a remainder does not decide, or decides too much", () => {
    const one = (body: string): void =>
      expect(phases(`let y[p in 0..12] = ${body};`), body).toHaveLength(1);
    one("sum[k in 0..3](v[k])");
    one("sum[k in 0..3](v[k] where (p - k) % 2 > 0)");
    one("sum[k in 0..3, l in 0..3](v[k] where (p - k - l) % 2 == 0)");
    one("sum[k in 0..3](v[k] where (p - k) % 7 == 0)");
    expect(
      phases("let y[p in 0..12] = argmax[k in 0..5](v[k] where (p - k) % 2 == 0);"),
    ).toHaveLength(1);
  });

  test("of a window's adjoint are multiplied out, each where it belongs", () => {
    const text = `${data} let y[c, h in 0..25, u in 0..25] =
      sum[o, a, b](g[o, (h - a) / 2, (u - b) / 2] * w[o, c, a, b]
      where (h - a) % 2 == 0, (u - b) % 2 == 0, a <= h, b <= u, h - a < 24, u - b < 24);`;
    const { definition, shape } = definitionOf(text);
    const found = contracted(definition, shape, sizing, 0)!;
    expect(found.contractions!.all).toHaveLength(4);
    expect(found.regions).toEqual([]);
    expect(
      found.contractions!.all.map(({ depth }) => depth.map(({ from, to }) => to - from).join(" ")),
    ).toEqual(["9 2 2", "9 2 1", "9 1 2", "9 1 1"]);
  });

  test("have the same values, on kernels", () => {
    for (const text of [
      strided,
      "let y[p in 0..23] = sum[k in 0..5](x[(p - k) / 2] * v[k] where (p - k) % 2 == 0, k <= p);",
      "let y[p in 0..23] = mean[k in 0..5](x[k] where (p - 2 * k) % 5 == 0);",
      "let y[p in 0..23] = max[k in 0..p + 1](x[k] where (p - k) % 2 == 0);",
      "let y[p in 0..23] = sum[k in 0..p + 1](x[k] where (p - k) % 2 == 0);",
      "let y[p in 0..23, q in 0..4] = sum[k in 0..p + 1](x[k + q] where (p - k) % 3 == 0);",
      "let y[p in 0..23] = 2.0 * sum[k in 0..5](v[k] where (p + k) % 4 == 0) + " +
        "prod[k in 0..3](v[k] where (p - k) % 2 == 0);",
      "let z[i in 0..18] = sum[k in 0..4](x[2 * i + k] * v[k]); " +
        "let loss = sum[i](z[i] ** 2); let dx = @loss / @x; let dv = @loss / @v;",
      "let z[o, i in 0..4, j in 0..3] = sum[a in 0..3, " +
        "b in 0..3](g[o, 3 * i + a, 4 * j + b] * w[o, 0, a, b]); " +
        "let loss = sum[o, i, j](z[o, i, j] ** 3); let dg = @loss / @g;",
    ])
      holds(`${data} ${text}`);
  });
});

test("a read that only a guard keeps inside needs no oracle", () => {
  const left = leftToOracleIn(
    `${data} let y[o, p in 0..30, q in 0..30] = ` +
      "sum[a in 0..2](g[o, (p - a) / 11, (q - a) / 13] where (p - a) % 11 == 0, " +
      "(q - a) % 13 == 0, a <= p, a <= q);",
  );
  expect([...left.values()].filter((why) => why === "a fault")).toEqual([]);
});
