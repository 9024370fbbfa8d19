// Converting inputs to their declared element type.

import { describe, expect, it } from "vitest";
import { convertInput } from "./convert.ts";
import { fromScalars, scalarValue } from "./value.ts";

describe("convertInput", () => {
  it("rounds floats and widens exactly", () => {
    expect(convertInput(fromScalars("f64", [1], [0.1]), "f32")).toEqual(
      fromScalars("f32", [1], [Math.fround(0.1)]),
    );
    expect(convertInput(fromScalars("f64", [1], [257]), "bf16")).toEqual(
      fromScalars("bf16", [1], [256]),
    );
    expect(convertInput(fromScalars("f32", [1], [0.5]), "f64")).toEqual(
      fromScalars("f64", [1], [0.5]),
    );
  });

  it("makes no finite number infinite", () => {
    expect(convertInput(fromScalars("f64", [2], [1, -1e39]), "f32")).toEqual({
      error:
        "element [1] is -1e+39, which is too large for f32; " +
        "declare a wider float, or run with --f64",
    });
    expect(convertInput(scalarValue("i32", 70000), "f16")).toHaveProperty("error");
    expect(convertInput(fromScalars("f64", [2], [Infinity, NaN]), "f32")).toEqual(
      fromScalars("f32", [2], [Infinity, NaN]),
    );
  });

  it("takes integers that fit", () => {
    expect(convertInput(fromScalars("i64", [2], [2147483647n, -5n]), "i32")).toEqual(
      fromScalars("i32", [2], [2147483647, -5]),
    );
    expect(convertInput(fromScalars("i8", [1], [-5]), "i64")).toEqual(
      fromScalars("i64", [1], [-5n]),
    );
    expect(convertInput(fromScalars("i64", [1, 2], [0n, 2147483648n]), "i32")).toEqual({
      error: "element [0, 1] is 2147483648, which does not fit in i32 (-2147483648 to 2147483647)",
    });
    expect(convertInput(scalarValue("i32", 300), "i8")).toEqual({
      error: "the value is 300, which does not fit in i8 (-128 to 127)",
    });
  });

  it("makes floats of integers and bools", () => {
    expect(convertInput(fromScalars("i64", [2], [3n, 16777217n]), "f32")).toEqual(
      fromScalars("f32", [2], [3, 16777216]),
    );
    expect(convertInput(fromScalars("bool", [2], [true, false]), "f32")).toEqual(
      fromScalars("f32", [2], [1, 0]),
    );
  });

  it("hands on what already fits", () => {
    const value = fromScalars("f32", [1], [1]);
    expect(convertInput(value, "f32")).toBe(value);
  });

  it("refuses the rest", () => {
    expect(convertInput(scalarValue("f64", 1), "i32")).toEqual({
      error:
        "the value is f64, but i32 is declared; a float is not cut to an integer silently: " +
        "declare it f64 and cast it with `as i32`",
    });
    expect(convertInput(scalarValue("i64", 1n), "bool")).toEqual({
      error: "the value is i64, but bool is declared; declare it i64 and compare it, `x != 0`",
    });
    expect(convertInput(scalarValue("bool", true), "i32")).toEqual({
      error: "the value is bool, but i32 is declared",
    });
    expect(convertInput(scalarValue("str", "1"), "f32")).toEqual({
      error: "the value is str, but f32 is declared",
    });
  });
});
