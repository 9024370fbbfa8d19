// Format specs against Python's own formatting, and the messages for specs that cannot be used.

import { describe, expect, it } from "vitest";
import { failed } from "./failure.ts";
import { formatProblem, formatScalar, parseFormatSpec } from "./formatSpec.ts";
import type { FormatSpec } from "./formatSpec.ts";
import { pythonFormats } from "../../test/reference/format.ts";
import type { ElementType, Scalar } from "../ir/scalar/types.ts";

function parsed(text: string): FormatSpec {
  const spec = parseFormatSpec(text);
  if (failed(spec)) throw new Error(spec.error);
  return spec;
}

const format = (spec: string, type: ElementType, x: Scalar): string => formatScalar(parsed(spec), type, x);
const problem = (spec: string, type: ElementType): string | undefined => formatProblem(parsed(spec), type);

it("formats as Python does", () => {
  const ours = pythonFormats.map(([spec, type, value]) => {
    const x = type === "f64" ? Number(value) : type === "i64" ? BigInt(value) : value;
    return [spec, type, value, problem(spec, type) ?? format(spec, type, x)];
  });
  expect(ours).toEqual(pythonFormats);
  expect(ours.length).toBeGreaterThan(500);
});

describe("what Python does not have", () => {
  it("shows the shortest text of the value's own type where the spec gives no precision", () => {
    expect(format(">8", "f32", Math.fround(0.1))).toBe("     0.1");
    expect(format("", "f16", 2)).toBe("2.0");
    expect(format("+", "f64", 1e-7)).toBe("+1e-7");
  });

  it("spells what is not finite as print does", () => {
    expect(format(".2f", "f32", NaN)).toBe("NaN");
    expect(format("+10.2f", "f32", Infinity)).toBe(" +Infinity");
    expect(format(",", "f32", -Infinity)).toBe("-Infinity");
  });

  it("shows bools as text", () => {
    expect(format(">6", "bool", true)).toBe("  true");
  });

  it("formats i32 and counts characters, not UTF-16 units", () => {
    expect(format("x", "i32", -255)).toBe("-ff");
    expect(format("😀>4", "i32", 7)).toBe("😀😀😀7");
    expect(format("4", "str", "😀")).toBe("😀   ");
  });
});

describe("messages", () => {
  it.each([
    [".4q", "the format `.4q` ends in `q`, which is none of d, f, e, g, x, s and %"],
    [".", "the format `.` has no digits after its point; write for example `.4f`"],
    [
      "hello world",
      "`hello world` is not a format; it is written [[fill]align][sign][0][width][,][.precision][d|f|e|g|x|s|%], for example `.4f`, `>8` or `+.2e`",
    ],
    ["99999", "the width 99999 in the format `99999` is more than 1000"],
    [".200f", "the precision 200 in the format `.200f` is more than 100"],
  ])("for %s", (text, message) => {
    expect(parseFormatSpec(text)).toEqual({ error: message });
  });

  it("say what a format is for", () => {
    expect(problem("d", "f32")).toBe("the format `d` shows an integer type, and this is f32; write `.0f`");
    expect(problem("x", "f32")).toBe("the format `x` shows an integer type, and this is f32");
    expect(problem(".2f", "str")).toBe("the format `f` shows a numeric type, and this is str");
    expect(problem("s", "i32")).toBe("the format `s` shows str and bool, and this is i32; leave out the `s`");
    expect(problem(".2d", "i32")).toBe("the format `d` takes no precision");
    expect(problem(".2", "i32")).toBe("a precision needs a float, and this is i32; add an `f`");
    expect(problem("+", "str")).toBe("a sign or a comma in a format is for numbers, and this is str");
    expect(problem(".2f", "i64")).toBeUndefined();
  });
});
