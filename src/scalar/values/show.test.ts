// The shortest text of every kind of value, and nested brackets.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bf16FromBits, f16FromBits, roundTo } from "../round.ts";
import { shortest } from "./shortest.ts";
import { showScalar, showTensor } from "./show.ts";
import { fromScalars, scalarValue, zeros } from "./value.ts";

const digits = (text: string): number =>
  text.replace(/e.*|[^0-9]/g, "").replace(/^0+|0+$/g, "").length;

const f32FromBits = (bits: number): number => new Float32Array(new Uint32Array([bits]).buffer)[0]!;

describe("showScalar", () => {
  it.each([
    ["f32", 2, "2.0"],
    ["f32", Math.fround(0.1), "0.1"],
    ["f64", 0.1, "0.1"],
    ["f64", Math.fround(0.1), "0.10000000149011612"],
    ["f16", roundTo("f16", 0.1), "0.1"],
    ["bf16", roundTo("bf16", Math.PI), "3.14"],
    ["f32", Math.fround(1e-7), "1e-7"],
    ["f32", Math.fround(1e21), "1e21"],
    ["f32", 100000, "100000.0"],
    ["f32", 16777216, "16777216.0"],
    ["f32", 3.4028234663852886e38, "3.4028235e38"],
    ["f32", 1.401298464324817e-45, "1e-45"],
    ["f16", 65504, "65500.0"],
    ["f32", 343126.125, "343126.12"],
    ["f32", -3957957.25, "-3957957.2"],
    ["f32", 2 ** -96, "1.2621775e-29"],
    ["f64", -0, "-0.0"],
    ["f32", NaN, "NaN"],
    ["f32", -Infinity, "-Infinity"],
    ["i32", -7, "-7"],
    ["i64", 9007199254740993n, "9007199254740993"],
    ["bool", true, "true"],
    ["str", 'a "b"', 'a "b"'],
  ] as const)("%s %s is %s", (type, x, text) => {
    expect(showScalar(type, x)).toBe(text);
  });

  it("reads back to the same f32, and no shorter decimal does", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (bits) => {
        const x = f32FromBits(bits);
        fc.pre(Number.isFinite(x) && x !== 0);
        const text = showScalar("f32", x);
        expect(Math.fround(Number(text))).toBe(x);
        // The neighbouring decimals of x with one digit fewer: one below x and one above.
        const fewer = digits(text) - 1;
        if (fewer === 0) return;
        const [mantissa, exponent] = x.toExponential(fewer - 1).split("e");
        const whole = Number(mantissa!.replace(".", ""));
        for (const near of [whole - 1, whole, whole + 1]) {
          expect(Math.fround(Number(`${near}e${Number(exponent) - fewer + 1}`))).not.toBe(x);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["f16", f16FromBits],
    ["bf16", bf16FromBits],
  ] as const)("reads back to the same %s for every pattern", (type, from) => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const x = from(bits);
      const back = roundTo(type, Number(showScalar(type, x)));
      if (!Object.is(back, x)) expect.fail(`pattern ${bits} shows ${showScalar(type, x)}`);
    }
  });

  it(
    "finds the decimal away from zero at powers of two, " +
      "where the nearest one reads back to the value below",
    () => {
      for (let power = -126; power < 128; power++) {
        const x = 2 ** power;
        const best = shortest("f32", x);
        expect(Math.fround(best)).toBe(x);
        const length = digits(best.toExponential());
        for (let fewer = 1; fewer < length; fewer++) {
          const [mantissa, exponent] = x.toExponential(fewer - 1).split("e");
          const next = Number(mantissa!.replace(".", "")) + 1;
          expect(Math.fround(Number(`${next}e${Number(exponent) - fewer + 1}`))).not.toBe(x);
        }
      }
    },
  );
});

describe("showTensor", () => {
  it("nests brackets on one line", () => {
    expect(showTensor(fromScalars("f32", [2, 2], [1, 2, 3, 4]))).toBe("[[1.0, 2.0], [3.0, 4.0]]");
    expect(showTensor(fromScalars("bool", [2], [true, false]))).toBe("[true, false]");
    expect(showTensor(fromScalars("i64", [1, 1, 2], [1n, -2n]))).toBe("[[[1, -2]]]");
    expect(showTensor(fromScalars("str", [2], ["a", 'b"']))).toBe('["a", "b\\""]');
    expect(showTensor(zeros("f32", [2, 0]))).toBe("[[], []]");
    expect(showTensor(zeros("f32", [0, 2]))).toBe("[]");
    expect(showTensor(scalarValue("f32", 2))).toBe("2.0");
    expect(showTensor(scalarValue("str", "as is"))).toBe("as is");
  });
});
