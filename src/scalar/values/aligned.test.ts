// The layout of values at a terminal.

import { describe, expect, it } from "vitest";
import { showAligned } from "./aligned.ts";
import { fromScalars, scalarValue, sizeOf, zeros } from "./value.ts";
import type { TensorValue } from "./value.ts";

const plain = { width: 60, color: false };

const counting = (shape: readonly number[]): TensorValue =>
  fromScalars(
    "i32",
    shape,
    Array.from({ length: sizeOf(shape) }, (_, k) => k),
  );

const lines = (value: TensorValue, options = {}): readonly string[] =>
  showAligned(value, { ...plain, ...options }).split("\n");

describe("showAligned", () => {
  it("shows a scalar as print does", () => {
    expect(showAligned(scalarValue("f32", 2), plain)).toBe("2.0");
  });

  it("aligns columns on their points, under the coordinates", () => {
    const value = fromScalars("f64", [3, 2], [1, 22.5, -10.25, 1e-9, NaN, 3]);
    expect(lines(value, { name: "C", names: ["i", "j"] })).toEqual([
      "C = [i: 3, j: 2] f64",
      "    1.0   22.5",
      "  -10.25   1e-9",
      "  NaN      3.0",
    ]);
  });

  it("puts a heading on each matrix of a higher rank", () => {
    expect(lines(counting([2, 2, 3]), { names: ["b", undefined, "j"] })).toEqual([
      "[b: 2, 2, j: 3] i32",
      "b = 0",
      "  0  1  2",
      "  3  4  5",
      "b = 1",
      "  6   7   8",
      "  9  10  11",
    ]);
    expect(lines(counting([1, 2, 1, 1]))).toEqual([
      "[1, 2, 1, 1] i32",
      "axis 0 = 0, axis 1 = 0",
      "  0",
      "axis 0 = 0, axis 1 = 1",
      "  1",
    ]);
  });

  it("wraps a vector and labels its rows", () => {
    expect(lines(counting([12]), { width: 24 })).toEqual([
      "[12] i32",
      "   0   0   1   2   3   4",
      "   5   5   6   7   8   9",
      "  10  10  11",
    ]);
  });

  it("abridges what is large to the edges of each axis", () => {
    expect(lines(counting([5000]))).toEqual([
      "[5000] i32",
      "     0     1     2     …  4997  4998  4999",
    ]);
    expect(lines(counting([40, 50]))).toEqual([
      "[40, 50] i32",
      "     0     1     2  …    47    48    49",
      "    50    51    52  …    97    98    99",
      "   100   101   102  …   147   148   149",
      "     …     …     …  …     …     …     …",
      "  1850  1851  1852  …  1897  1898  1899",
      "  1900  1901  1902  …  1947  1948  1949",
      "  1950  1951  1952  …  1997  1998  1999",
    ]);
    const deep = lines(counting([4, 4, 4, 4, 4, 4]));
    expect(deep.slice(0, 5)).toEqual([
      "[4, 4, 4, 4, 4, 4] i32",
      "axis 0 = 0, axis 1 = 0, axis 2 = 0, axis 3 = 0",
      "   0  …   3",
      "   …  …   …",
      "  12  …  15",
    ]);
    expect(deep.at(-1)).toBe("  4092  …  4095");
  });

  it("keeps within the width", () => {
    const shown = lines(counting([3, 300]), { width: 30 });
    expect(shown).toEqual([
      "[3, 300] i32",
      "    0    1    2  …  298  299",
      "  300  301  302  …  598  599",
      "  600  601  602  …  898  899",
    ]);
    for (const width of [12, 20, 33, 47, 80]) {
      for (const line of lines(counting([3, 300]), { width }))
        expect(line.length).toBeLessThanOrEqual(Math.max(width, 16));
    }
  });

  it("says when there is nothing", () => {
    expect(lines(zeros("f32", [2, 0]))).toEqual(["[2, 0] f32", "  (no elements)"]);
    expect(lines(zeros("f32", [0]), { name: "v", names: ["k"] })).toEqual([
      "v = [k: 0] f32",
      "  (no elements)",
    ]);
  });

  it("shows bools and strings", () => {
    expect(lines(fromScalars("bool", [2, 2], [true, false, false, false]))).toEqual([
      "[2, 2] bool",
      "   true  false",
      "  false  false",
    ]);
    expect(lines(fromScalars("str", [2], ["a", "bcd"]))).toEqual(["[2] str", '  "a"    "bcd"']);
  });

  it("makes only the frame faint", () => {
    expect(lines(counting([2]), { color: true })).toEqual(["\u001b[2m[2] i32\u001b[22m", "  0  1"]);
  });
});
