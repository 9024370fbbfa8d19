// Tensor values: construction from nested arrays, its messages, and access.

import { describe, expect, it } from "vitest";
import { failed } from "../../base/failure.ts";
import { fromNested, get, indicesOf, scalarValue, stridesOf, zeros } from "./value.ts";
import type { Nested, TensorValue } from "./value.ts";
import type { ElementType } from "../types.ts";

function tensor(dtype: ElementType, nested: Nested): TensorValue {
  const value = fromNested(dtype, nested);
  if (failed(value)) throw new Error(value.error);
  return value;
}

describe("fromNested", () => {
  it("stores cells row-major in the store of their type", () => {
    const value = tensor("f32", [
      [1, 2, 3],
      [4, 5, 0.1],
    ]);
    expect(value.shape).toEqual([2, 3]);
    expect(value.data).toEqual(new Float32Array([1, 2, 3, 4, 5, 0.1]));
    expect(tensor("i64", [1, 2n, "9007199254740993"]).data).toEqual(
      new BigInt64Array([1n, 2n, 9007199254740993n]),
    );
    expect(tensor("bool", [true, false]).data).toEqual(new Uint8Array([1, 0]));
    expect(tensor("str", ["a", "b"]).data).toEqual(["a", "b"]);
    expect(tensor("f16", [0.1]).data[0]).toBe(0.0999755859375);
  });

  it("accepts scalars, empty axes, bools as floats and the names of what is not finite", () => {
    expect(tensor("i32", 7)).toEqual({ dtype: "i32", shape: [], data: new Int32Array([7]) });
    expect(tensor("f32", []).shape).toEqual([0]);
    expect(tensor("f32", [[], []]).shape).toEqual([2, 0]);
    expect(tensor("f64", [true, "NaN", "-Infinity"]).data).toEqual(
      new Float64Array([1, NaN, -Infinity]),
    );
  });

  it.each<[ElementType, Nested, string]>([
    [
      "f32",
      [[1, 2], [3]],
      "the nested arrays are ragged: element [1] has 1 element, but [0] has 2 elements",
    ],
    ["f32", [[1], 2], "the nested arrays are ragged: element [1] is a scalar, but [0] is an array"],
    [
      "f32",
      [[1], [[2]]],
      "the nested arrays are ragged: element [1, 0] is an array, but [0, 0] is a scalar",
    ],
    [
      "f32",
      [[], [1]],
      "the nested arrays are ragged: element [1] has 1 element, but [0] has 0 elements",
    ],
    [
      "i32",
      [
        [1, 2],
        [3, 4.5],
      ],
      "element [1, 1]: 4.5 is not an integer, and i32 is wanted",
    ],
    ["i8", [200], "element [0]: 200 does not fit in i8, which goes from -128 to 127"],
    [
      "i64",
      2 ** 60,
      "1152921504606847000 is beyond 2^53, where plain numbers have gaps; write it as a string",
    ],
    ["bool", [1], "element [0]: 1 is not a bool"],
    ["f32", ["x"], 'element [0]: "x" is not a number'],
    ["str", 1, "1 is not a string"],
  ])("refuses %s from %j", (dtype, nested, error) => {
    expect(fromNested(dtype, nested)).toEqual({ error });
  });
});

describe("access", () => {
  it("is by position, in bounds", () => {
    const value = tensor("i32", [
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(get(value, [1, 2])).toBe(6);
    expect(() => get(value, [2, 0])).toThrow("index 2 on axis 0 of extent 2");
    expect(() => get(value, [0, -1])).toThrow(RangeError);
    expect(() => get(value, [0])).toThrow("1 indices into rank 2");
    expect(get(scalarValue("bool", true), [])).toBe(true);
    expect(get(scalarValue("i64", 5n), [])).toBe(5n);
  });

  it("knows strides and the place of an offset", () => {
    expect(stridesOf([2, 3, 4])).toEqual([12, 4, 1]);
    expect(stridesOf([])).toEqual([]);
    expect(indicesOf([2, 3, 4], 23)).toEqual([1, 2, 3]);
  });

  it("starts from zeros", () => {
    expect(zeros("i64", [2]).data).toEqual(new BigInt64Array(2));
    expect(zeros("str", [2]).data).toEqual(["", ""]);
    expect(zeros("f32", [2, 0]).data.length).toBe(0);
  });
});
