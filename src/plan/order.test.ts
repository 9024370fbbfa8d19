// Tests which coordinate of a reduction becomes the innermost loop.

import { describe, expect, test } from "vitest";
import { holds } from "../../test/support/kernels.ts";
import { constantOf } from "../affine/term.ts";
import { coefficientOf } from "../affine/visit.ts";
import { withNearestInnermost, type StrideOf } from "./order.ts";
import { sized } from "./regions/regions.ts";
import { definitionOf, sizing } from "../../test/support/plan.ts";

const data = "let x[i in 0..40, j in 0..50, k in 0..60] = sin((i * 3 + j * 5 + k) as f32);";

const strides: StrideOf = ({ definition, indices }, variable) => {
  let total = 0;
  let size = 1;
  for (const [axis, { extent }] of [...definition.axes.entries()].toReversed()) {
    const index = indices[axis]!;
    const factor = index.kind === "integer" ? coefficientOf(index.term, variable) : undefined;
    if (!factor) return undefined;
    total += constantOf(factor)! * size;
    size *= extent.constant;
  }
  return total;
};

function order(body: string): string {
  const { definition, shape } = definitionOf(`${data} let y = ${body};`);
  const [reduced] = sized(definition, shape, sizing).regions[0]!.cases[0]!.reductions;
  return withNearestInnermost(reduced!.body, strides)
    .loops.map(({ variable }) => variable.name)
    .join(" ");
}

describe("the terms of a reduction", () => {
  test("are walked as they lie, however the coordinates are written", () => {
    expect(order("sum[a, b, c](x[a, b, c])")).toBe("a b c");
    expect(order("sum[c, b, a](x[a, b, c])")).toBe("a b c");
    expect(order("max[b, c, a](x[a, b, c])")).toBe("a b c");
    expect(order("sum[b in 0..40, c in 0..40](x[0, b, c] + x[c, 0, b] + x[c, 1, b])")).toBe("c b");
  });

  test(
    "stay in the order of a range that needs another coordinate, " +
      "and where one coordinate is short",
    () => {
      expect(order("sum[c in 0..40, b in 0..c](x[b, 0, c])")).toBe("c b");
      expect(order("sum[c in 0..3, b in 0..40](x[0, b, c])")).toBe("c b");
    },
  );

  test("come to the same", () => {
    holds(
      `${data} let y = sum[c, b, a](x[a, b, c]); let m[b] = max[c, a](x[a, b, c]); ` +
        "let n[a] = mean[c, b](x[a, b, c] where b < c);",
    );
  });
});
