// JSON: what is written, what is read, and that both fit together.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromJson, toJson } from "./json.ts";
import { fromScalars, scalarValue } from "../scalar/values/value.ts";

describe("toJson", () => {
  it("is flat and row-major, with the digits of the element type", () => {
    const value = fromScalars("f32", [2, 2], [1, 0.1, Math.fround(1 / 3), 4].map(Math.fround));
    expect(JSON.stringify(toJson(value))).toBe(
      '{"dtype":"f32","shape":[2,2],"data":[1,0.1,0.33333334,4]}',
    );
  });

  it("writes as strings what JSON has no number for", () => {
    expect(toJson(fromScalars("f32", [3], [NaN, Infinity, -Infinity])).data).toEqual([
      "NaN",
      "Infinity",
      "-Infinity",
    ]);
    expect(toJson(fromScalars("i64", [3], [5n, 2n ** 53n, -(2n ** 53n) + 1n])).data).toEqual([
      5,
      "9007199254740992",
      -9007199254740991,
    ]);
    expect(toJson(fromScalars("bool", [2], [true, false])).data).toEqual([true, false]);
    expect(toJson(scalarValue("str", "x"))).toEqual({ dtype: "str", shape: [], data: ["x"] });
  });
});

describe("fromJson", () => {
  it("reads back what was written", () => {
    fc.assert(
      fc.property(fc.array(fc.float()), (xs) => {
        const value = fromScalars(
          "f32",
          [xs.length],
          xs.map((x) => x + 0),
        );
        expect(fromJson(JSON.parse(JSON.stringify(toJson(value))))).toEqual(value);
      }),
    );
    const wide = fromScalars("i64", [2], [2n ** 62n + 1n, -3n]);
    expect(fromJson(JSON.parse(JSON.stringify(toJson(wide))))).toEqual(wide);
  });

  it("reads nested arrays in the declared type, or in the one their elements have", () => {
    expect(fromJson([[1], [2]], "f32")).toEqual(fromScalars("f32", [2, 1], [1, 2]));
    expect(fromJson([1, 2])).toEqual(fromScalars("i64", [2], [1n, 2n]));
    expect(fromJson([1, 2.5])).toEqual(fromScalars("f64", [2], [1, 2.5]));
    expect(fromJson([1, "NaN"])).toEqual(fromScalars("f64", [2], [1, NaN]));
    expect(fromJson([true])).toEqual(fromScalars("bool", [1], [true]));
    expect(fromJson("hi")).toEqual(scalarValue("str", "hi"));
    expect(fromJson([])).toEqual(fromScalars("f64", [0], []));
  });

  it.each<[unknown, string]>([
    [null, 'null is not a value; a missing number is written "NaN"'],
    [[1, {}], "an object stands where a number, a bool or a string is expected"],
    [
      [[1], [2, 3]],
      "the nested arrays are ragged: element [1] has 2 elements, but [0] has 1 element",
    ],
    [
      { shape: [1], data: [1] },
      '"dtype" is missing, not an element type; ' +
        'the form is {"dtype": "f32", "shape": [2], "data": [1, 2]}',
    ],
    [
      { dtype: "f32", shape: [-1], data: [] },
      '"shape" is [-1], not a list of extents; ' +
        'the form is {"dtype": "f32", "shape": [2], "data": [1, 2]}',
    ],
    [{ dtype: "f32", shape: [2], data: [1] }, 'the shape [2] has 2 cells, but "data" has 1'],
    [
      { dtype: "f32", shape: [1], data: [[1]] },
      'element [0]: "data" is nested; it must be flat, in row-major order',
    ],
    [
      { dtype: "i32", shape: [2], data: [1, 1.5] },
      "element [1]: 1.5 is not an integer, and i32 is wanted",
    ],
  ])("refuses %j", (json, error) => {
    expect(fromJson(json)).toEqual({ error });
  });
});
