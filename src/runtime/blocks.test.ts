// Blocks of rows cover a tensor: each cell once, and in its place.

import { expect, test } from "vitest";
import { blocksOf, choices, eachRun } from "./blocks.ts";

test("any number of rows is made of blocks, one after the other", () => {
  for (const rows of [1, 15, 16, 17, 300, 4097]) {
    const blocks = blocksOf(rows, [256, 16, 1, 0]);
    let end = 0;
    for (const { start, size } of blocks) {
      expect(start).toBe(end);
      end += size;
    }
    expect(end).toBe(rows);
  }
  expect(blocksOf(0, [16, 1, 0])).toEqual([{ start: 0, size: 0 }]);
});

test("the runs of all blocks are the cells of the tensor", () => {
  for (const shape of [[], [7], [3, 5], [4, 3, 5], [2, 1, 3, 2], [3, 0]]) {
    const lists = shape.map((extent, axis) =>
      axis === 1 ? [{ start: 0, size: extent }] : blocksOf(extent, [2, 1, 0]),
    );
    const found: number[] = [];
    for (const block of choices(lists)) {
      let next = 0;
      eachRun(shape, block, (inWhole, inBlock, length) => {
        expect(inBlock).toBe(next);
        next += length;
        for (let k = 0; k < length; k++) found.push(inWhole + k);
      });
      expect(next).toBe(block.reduce((cells, { size }) => cells * size, 1));
    }
    const cells = shape.reduce((all, extent) => all * extent, 1);
    expect(found.toSorted((a, b) => a - b)).toEqual(Array.from({ length: cells }, (_, k) => k));
  }
});
