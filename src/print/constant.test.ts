// Constants as source: their text reads back to the value in its type.

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compile } from "../driver/compile.ts";
import { strengths } from "../syntax/tree/strength.ts";
import { constantText, type Setting } from "./constant.ts";
import { roundTo } from "../scalar/round.ts";
import {
  elementTypes,
  isFloat,
  isInteger,
  type ElementType,
  type Scalar,
} from "../scalar/types.ts";

/** The value of a text in a program. The text itself decides the type. */
function readBack(text: string): { readonly type: string; readonly value: Scalar } {
  const { program } = compile({ name: "p", text: `let y = ${text};` });
  const { value } = program!.run({}).values.get("y")!;
  return { type: value.dtype, value: value.data[0]! };
}

describe("a constant that stands alone reads back", () => {
  const floats: readonly number[] = [
    0,
    -0,
    1,
    -1,
    0.1,
    1e-7,
    -2.5e-4,
    3e10,
    2 ** 60,
    Infinity,
    -Infinity,
    NaN,
  ];
  const types = elementTypes.filter((type) => isFloat(type));
  test.each(types.flatMap((type) => floats.map((value) => [type, value] as const)))(
    "%s %s",
    (type, value) => {
      const rounded = roundTo(type, value);
      expect(readBack(constantText(type, rounded, "alone").text)).toEqual({ type, value: rounded });
    },
  );

  it("as an integer of its type", () => {
    for (const type of elementTypes.filter(isInteger)) {
      const bits = type === "i8" ? 8 : type === "i32" ? 32 : 64;
      fc.assert(
        fc.property(
          fc.bigInt({ min: -(2n ** BigInt(bits - 1)) + 1n, max: 2n ** BigInt(bits - 1) - 1n }),
          (value) => {
            const scalar = type === "i64" ? value : Number(value);
            expect(readBack(constantText(type, scalar, "alone").text)).toEqual({
              type,
              value: scalar,
            });
          },
        ),
        { numRuns: 20 },
      );
    }
  });
});

describe("how much a literal says", () => {
  test.each<readonly [ElementType, Scalar, Setting, string]>([
    ["f32", 2, "known", "2"],
    ["f32", 2, "alone", "2.0"],
    ["f32", 2, "forced", "2.0f32"],
    ["f64", 2, "alone", "2.0f64"],
    ["i32", 2, "alone", "2"],
    ["i32", 2, "forced", "2i32"],
    ["i64", 2n, "alone", "2i64"],
    ["i64", 2n, "known", "2"],
    ["f32", 0.001, "known", "0.001"],
    ["f32", 0.0005, "known", "5e-4"],
    ["f64", 2 ** 60, "known", "1.152921504606847e18"],
    ["f32", -Infinity, "known", "-1.0 / 0.0"],
    ["f64", Infinity, "alone", "1.0f64 / 0.0"],
    ["f32", NaN, "known", "0.0 / 0.0"],
    ["bool", true, "alone", "true"],
    ["str", 'a"{b}\\', "alone", '"a\\"{{b}}\\\\"'],
  ])("%s %s %s: %s", (type, value, setting, text) => {
    expect(constantText(type, value, setting).text).toBe(text);
  });

  it("binds as its outermost operator does", () => {
    expect(constantText("f32", -1, "known").strength).toBe(strengths.prefix);
    expect(constantText("i32", -1, "known").strength).toBe(strengths.prefix);
    expect(constantText("f32", 1, "known").strength).toBe(strengths.atom);
    expect(constantText("f32", Infinity, "known").strength).toBe(strengths.product);
  });
});
