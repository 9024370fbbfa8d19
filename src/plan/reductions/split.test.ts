// Tests which reductions are split into blocks, and that their values stay the same.

import { describe, expect, test } from "vitest";
import { holds } from "../../../test/support/kernels.ts";
import { sized } from "../regions/regions.ts";
import { inBlocks } from "./split.ts";
import { definitionOf, sizing } from "../../../test/support/plan.ts";

const data = `let x[i in 0..1000, j in 0..200] = ((i * 7 + j) % 13) as f32;\n`;

/** The shape of the blocks of `y`, if it has any. */
function shapeOfBlocks(text: string): readonly number[] | undefined {
  const { definition, shape } = definitionOf(data + text);
  return inBlocks(sized(definition, shape, sizing)).blocks?.parts.shape;
}

describe("reductions in blocks", () => {
  test("are those of few cells, and those whose cells lie side by side", () => {
    expect(shapeOfBlocks("let y = sum[i, j](x[i, j]);")).toEqual([32]);
    expect(shapeOfBlocks("let y = max[i, j](x[i, j]);")).toEqual([32]);
    expect(shapeOfBlocks("let y[j] = sum[i](x[i, j]);")).toEqual([32, 200]);
    expect(shapeOfBlocks("let y[j] = mean[i](x[i, j]);")).toEqual([32, 200]);
  });

  test("are not those of many cells along their terms, short ones, and those under guards", () => {
    expect(shapeOfBlocks("let y[i] = sum[j](x[i, j]);")).toBeUndefined();
    expect(shapeOfBlocks("let y = sum[i in 0..9, j](x[i, j]);")).toBeUndefined();
    expect(shapeOfBlocks("let y = sum[i, j](x[i, j] where x[i, j] > 3.0);")).toBeUndefined();
  });

  test("come to the same, what is left over included", () => {
    holds(`${data} let s = sum[i, j](x[i, j]); let m = mean[i, j](x[i, j]);
      let g = max[i, j](x[i, j] - j as f32);
      let c[j] = sum[i](x[i, j] * x[(i + 1) % 1000, j]); let a[j] = mean[i](x[i, j]);
      let l[j] = min[i](x[i, j] + i as f32);`);
  });
});
