// Which facts follow from a condition, and whether they say all that the condition says.

import { describe, expect, it, test } from "vitest";
import { span } from "../base/source.ts";
import { holds, lessThan, nonNegative } from "../affine/prove.ts";
import { constant, ofVariable, variable } from "../affine/term.ts";
import { accessesOf, factsOf, isExact, newOpaque, termOf } from "./facts.ts";
import type { Scalar } from "../ir/program.ts";
import { lowered } from "../../test/support/ir.ts";

const here = span({ name: "p", text: "" }, 0, 0);
const [i, n] = [variable("i"), variable("n")];
const at: Scalar = { kind: "integer", type: "i32", term: ofVariable(i) };
const size: Scalar = { kind: "integer", type: "i32", term: ofVariable(n) };
const apply = (
  operation: "and" | "or" | "not" | "less" | "equal" | "notEqual",
  ...operands: Scalar[]
): Scalar => {
  const within = operation === "and" || operation === "or" || operation === "not" ? "bool" : "i32";
  return { kind: "apply", type: "bool", within, operation, operands, span: here };
};
const zero: Scalar = { kind: "integer", type: "i32", term: constant(0) };
const below = apply("less", at, size);
const above = apply("not", apply("less", at, zero));
/** A condition that only a run can tell. */
const data: Scalar = {
  kind: "apply",
  type: "bool",
  within: "f32",
  operation: "less",
  operands: [
    { kind: "constant", type: "f32", value: 1 },
    { kind: "constant", type: "f32", value: 2 },
  ],
  span: here,
};

describe("a condition", () => {
  const known = (condition: Scalar, truth: boolean): string => {
    const facts = factsOf(newOpaque(), condition, truth, []);
    const [low, high] = [
      holds(nonNegative(ofVariable(i)), facts),
      holds(lessThan(ofVariable(i), ofVariable(n)), facts),
    ];
    const exact = isExact(newOpaque(), condition, truth, []);
    return `${low ? "0 <= i " : ""}${high ? "i < n " : ""}${exact ? "exactly" : "at least"}`;
  };

  test.each<readonly [string, Scalar, boolean, string]>([
    ["i < n", below, true, "i < n exactly"],
    ["i < n fails", below, false, "exactly"],
    ["not i < 0", above, true, "0 <= i exactly"],
    ["both", apply("and", above, below), true, "0 <= i i < n exactly"],
    ["both fails: one of them does", apply("and", above, below), false, "at least"],
    ["either", apply("or", above, below), true, "at least"],
    [
      "either fails: both do",
      apply("or", apply("not", above), apply("not", below)),
      false,
      "0 <= i i < n exactly",
    ],
    ["not either", apply("not", apply("or", apply("not", above), data)), true, "0 <= i at least"],
    ["with data", apply("and", below, data), true, "i < n at least"],
    ["data first", apply("and", data, below), true, "i < n at least"],
    ["data alone", data, true, "at least"],
    ["a constant", { kind: "constant", type: "bool", value: true }, true, "at least"],
  ])("%s", (_, condition, truth, expected) => {
    expect(known(condition, truth)).toBe(expected);
  });

  it("of difference is an inequality where one side cannot be the greater", () => {
    const facts = [nonNegative(ofVariable(i))];
    expect(
      holds(
        lessThan(constant(0), ofVariable(i)),
        factsOf(newOpaque(), apply("notEqual", at, zero), true, facts),
      ),
    ).toBe(true);
    expect(
      holds(
        lessThan(constant(0), ofVariable(i)),
        factsOf(newOpaque(), apply("equal", at, zero), false, facts),
      ),
    ).toBe(true);
    expect(factsOf(newOpaque(), apply("notEqual", at, zero), true, [])).toEqual([]);
  });
});

describe("what the solver does not look into", () => {
  it("is one variable for each structure", () => {
    const opaque = newOpaque();
    const cast = (value: number): Scalar => ({
      kind: "cast",
      type: "i32",
      operand: { kind: "constant", type: "f32", value },
    });
    expect(termOf(opaque, cast(1), [])).toEqual(termOf(opaque, cast(1), []));
    expect(termOf(opaque, cast(1), [])).not.toEqual(termOf(opaque, cast(2), []));
    expect(opaque.all.size).toBe(2);
  });
});

describe("accesses know", () => {
  const exactness = (text: string, name: string): readonly boolean[] => {
    const { program } = lowered(text);
    const [clause] = program.outputs.get("y")!.definition.clauses;
    return accessesOf(newOpaque(), clause!, [])
      .filter(({ read }) => read.definition.name === name)
      .map(({ exact }) => exact);
  };

  test.each<readonly [string, string, readonly boolean[]]>([
    ["a guard on positions says all", "let y[i in 0..2] = x[i] where i > 0;", [true]],
    ["a guard on data does not", "let y[i in 0..2] = x[i] where b[i] > 1.0;", [false]],
    ["branches of a position", "let y[i in 0..2] = if i > 0 { x[i] } else { x[0] };", [true, true]],
    [
      "branches of data",
      "let y[i in 0..2] = if b[i] > 1.0 { x[i] } else { x[0] };",
      [false, false],
    ],
    ["the condition itself", "let y[i in 0..2] = if x[i] > 1.0 { 1.0 } else { 0.0 };", [true]],
    ["behind `&&`", "let y[i in 0..2] = b[i] > 1.0 && x[i] > 1.0;", [false]],
    ["behind `&&` of positions", "let y[i in 0..2] = i > 0 && x[i] > 1.0;", [true]],
    ["the `else` of one guard", "let y[i in 0..2] = 1.0 where i > 0 else x[i];", [true]],
    ["the `else` of two", "let y[i in 0..2] = 1.0 where i > 0, i < 2 else x[i];", [false]],
  ])("%s", (_, declaration, expected) => {
    expect(exactness(`input x: [f32; 2]; input b: [f32; 2]; ${declaration}`, "x")).toEqual(
      expected,
    );
  });
});
