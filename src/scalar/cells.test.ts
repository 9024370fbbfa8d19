import { expect, test } from "vitest";
import { append, cellOfArray, cellsOfArray, lengthOfArray, slice } from "./cells.ts";
import type { Data, Scalar } from "./types.ts";

const of = (...values: readonly Scalar[]): Data =>
  values.reduce<Data>((cells, value) => append(cells, value), []);

test("cells are there in the order in which they were appended", () => {
  expect(cellsOfArray(of(1, 2, 3))).toEqual([1, 2, 3]);
  expect([lengthOfArray([]), lengthOfArray(of(1, 2))]).toEqual([0, 2]);
  expect([cellOfArray(of(1, 2), 1), cellOfArray(of(1, 2), 2), cellOfArray([], 0)]).toEqual([
    2,
    undefined,
    undefined,
  ]);
});

test("what is appended to one value is not seen in others of the same store", () => {
  const two = of(1, 2);
  const [left, right] = [append(two, 3), append(two, 4)];
  expect([cellsOfArray(two), cellsOfArray(left), cellsOfArray(right)]).toEqual([
    [1, 2],
    [1, 2, 3],
    [1, 2, 4],
  ]);
});

test("a slice is some of the cells, and appending to it leaves the others as they are", () => {
  const all = of(1, 2, 3, 4);
  const middle = slice(all, 1, 2);
  expect(cellsOfArray(middle)).toEqual([2, 3]);
  expect(cellsOfArray(append(middle, 9))).toEqual([2, 3, 9]);
  expect(cellsOfArray(all)).toEqual([1, 2, 3, 4]);
  expect(cellsOfArray(slice(middle, 1, 1))).toEqual([3]);
  expect(slice([], 0, 0)).toEqual([]);
});

test("appending takes a constant time for each cell", () => {
  let cells: Data = [];
  for (let k = 0; k < 200_000; k++) cells = append(cells, k);
  expect(lengthOfArray(cells)).toBe(200_000);
  expect(cellOfArray(cells, 199_999)).toBe(199_999);
});
