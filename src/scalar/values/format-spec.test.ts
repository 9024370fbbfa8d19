// Format specs against Python's own formatting, and the messages for specs that cannot be used.

import { describe, expect, it } from "vitest";
import { failed } from "../../base/failure.ts";
import { formatProblem } from "./format-problem.ts";
import { formatScalar } from "./format-spec.ts";
import { parseFormatSpec } from "../../base/format-spec.ts";
import type { FormatSpec } from "../../base/format-spec.ts";
import { pythonFormats } from "../../../test/reference/format.ts";
import type { ElementType, Scalar } from "../types.ts";

function parsed(text: string): FormatSpec {
  const spec = parseFormatSpec(text);
  if (failed(spec)) throw new Error(spec.error);
  return spec;
}

const format = (spec: string, type: ElementType, x: Scalar): string =>
  formatScalar(parsed(spec), type, x);
const problem = (spec: string, type: ElementType): string | undefined => {
  const found = formatProblem(parsed(spec), type);
  return found && `${found.why}; ${found.help}`;
};

function valueOf(type: ElementType, text: string): Scalar {
  return type === "str" ? text : type === "i64" ? BigInt(text) : Number(text);
}

it("formats as Python does, and refuses what Python refuses", () => {
  const ours = pythonFormats.map(([spec, type, value]) => {
    return [
      spec,
      type,
      value,
      problem(spec, type) ? null : format(spec, type, valueOf(type, value)),
    ];
  });
  expect(ours).toEqual(pythonFormats);
  expect(ours.length).toBeGreaterThan(1500);
});

describe("what Python does not have", () => {
  it("shows the shortest text of the value's own type where the spec gives no precision", () => {
    expect(format(">8", "f32", Math.fround(0.1))).toBe("     0.1");
    expect(format("", "f16", 2)).toBe("2.0");
    expect(format("10", "f32", Math.fround(1e-7))).toBe("     1e-07");
    expect(format("", "f32", Math.fround(3e38))).toBe("3e+38");
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
    [".4q", "the format `.4q` ends in `q`, which is none of `d f e g x s %`"],
    [".", "the format `.` has no digits after its point"],
    ["hello world", "`hello world` is not a format"],
    ["99999", "the width 99999 in the format `99999` is more than 1000"],
    [".200f", "the precision 200 in the format `.200f` is more than 100"],
  ])("for %s", (text, message) => {
    expect(parseFormatSpec(text)).toEqual({ error: message });
  });

  it("say what a format is for", () => {
    expect(problem("d", "f32")).toBe("is for integers; write `.0f`, or cast the value: `as i32`");
    expect(problem("x", "f32")).toBe("is for integers; cast the value: `as i32`");
    expect(problem("s", "i32")).toBe("is for texts; leave out the `s`");
    const digits =
      "has a precision, which is for floats; " +
      "leave out `.2`, or write `.2f` for digits after the point";
    expect([".2d", ".2x", ".2"].map((spec) => problem(spec, "i32"))).toEqual([
      digits,
      digits,
      digits,
    ]);
    expect(problem(",x", "i32")).toBe(
      "puts commas between hexadecimal digits; leave out the comma",
    );
    const texts = "; a text has a width and a longest length: `>10`, `^10`, `.3`";
    expect(problem(".2f", "str")).toBe(`is for numbers${texts}`);
    expect(problem("+", "bool")).toBe(`has a sign, which is for numbers${texts}`);
    expect(problem(",", "str")).toBe(`has a comma, which is for numbers${texts}`);
    expect(problem("=5", "str")).toBe(`fills behind the sign of a number${texts}`);
    expect(problem(".2f", "i64")).toBeUndefined();
  });
});
