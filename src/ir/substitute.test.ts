// Replacing coordinates keeps terms where possible, and writes out the arithmetic elsewhere.

import { describe, expect, it } from "vitest";
import {
  add,
  constant,
  maximum,
  multiply,
  ofVariable,
  scale,
  subtract,
  variable,
  type Term,
} from "../affine/term.ts";
import { printScalar } from "../print/print.ts";
import type { Scalar } from "./program.ts";
import { instantiate, instantiateLoop, instantiateTerm, integerScalar } from "./substitute.ts";
import { lowered } from "../../test/support/ir.ts";

const i = variable("i");
const j = variable("j");
const term = (text: string): Term => {
  const known: Record<string, Term> = {
    i: ofVariable(i),
    "2 * i + 3": add(scale(ofVariable(i), 2), constant(3)),
    "3 - 2 * i": subtract(constant(3), scale(ofVariable(i), 2)),
    "i - 1": subtract(ofVariable(i), constant(1)),
    "j - i": subtract(ofVariable(j), ofVariable(i)),
    "i * j": multiply(ofVariable(i), ofVariable(j)),
    "i + j": add(ofVariable(i), ofVariable(j)),
    "max(i, j)": maximum(ofVariable(i), ofVariable(j)),
  };
  return known[text]!;
};

/** `a[0]`, an integer that has no term. */
function lookup(): Scalar {
  const { program } = lowered("input a: [i32; 4]; let y = a[0];");
  const [clause] = program.outputs.get("y")!.definition.clauses;
  if (clause?.body.kind !== "map") throw new Error("no map");
  return clause.body.value;
}

describe("terms", () => {
  it("stay terms when terms come in", () => {
    const by = new Map([[i, integerScalar(add(ofVariable(j), constant(1)))]]);
    const found = instantiateTerm(term("2 * i + 3"), by);
    expect(found.kind).toBe("integer");
    expect(printScalar(found)).toBe("2 * j + 5");
    expect(printScalar(instantiateTerm(term("max(i, j)"), by))).toBe("j + 1");
  });

  it("stay as they are when they mention nothing that is replaced", () => {
    const found = instantiateTerm(term("i"), new Map([[j, lookup()]]));
    expect(found).toEqual(integerScalar(term("i")));
  });

  it.each([
    ["i", "a[0]"],
    ["2 * i + 3", "2 * a[0] + 3"],
    ["3 - 2 * i", "-2 * a[0] + 3"],
    ["i - 1", "a[0] - 1"],
    ["j - i", "j - a[0]"],
    ["i + j", "a[0] + j"],
    ["i * j", "a[0] * j"],
    ["max(i, j)", "max(a[0], j)"],
  ])("%s becomes arithmetic: %s", (before, after) => {
    const found = instantiateTerm(term(before), new Map([[i, lookup()]]));
    expect(printScalar(found)).toBe(after);
  });
});

describe("scalars", () => {
  it("are copied with everything in them", () => {
    const { program } = lowered(
      "input x: [f32; 4]; let y[i] = if x[i] > 0 { -x[i] } else { i as f32 + z } where z = " +
        "x[i] * 2;",
    );
    const [clause] = program.outputs.get("y")!.definition.clauses;
    if (clause?.body.kind !== "map") throw new Error("no map");
    const own = clause.loops[0]!.variable;
    const before = printScalar(clause.body.value);
    const after = printScalar(
      instantiate(clause.body.value, new Map([[own, integerScalar(constant(2))]])),
    );
    expect(before).toContain("x[i] > 0");
    expect(after).toBe(before.replaceAll("x[i]", "x[2]").replaceAll("i as f32", "2 as f32"));
  });

  it("copy a local once", () => {
    const local = { name: "z", value: integerScalar(ofVariable(i)) };
    const read: Scalar = { kind: "local", type: "i32", local };
    const span = { source: { name: "", text: "" }, start: 0, end: 0 };
    const both: Scalar = {
      kind: "apply",
      type: "i32",
      within: "i32",
      operation: "add",
      operands: [read, read],
      span,
    };
    const copy = instantiate(both, new Map([[i, integerScalar(constant(7))]]));
    if (copy.kind !== "apply") throw new Error("no operation");
    const [a, b] = copy.operands;
    if (a?.kind !== "local" || b?.kind !== "local") throw new Error("no locals");
    expect(a.local).toBe(b.local);
    expect(a.local).toEqual({ name: "z", value: integerScalar(constant(7)) });
    expect(local.value).toEqual(integerScalar(ofVariable(i)));
  });

  it("replace in both ends of a loop", () => {
    const loop = {
      variable: j,
      from: integerScalar(ofVariable(i)),
      to: integerScalar(term("2 * i + 3")),
      reversed: true,
    };
    const found = instantiateLoop(loop, new Map([[i, integerScalar(constant(1))]]));
    expect(found).toEqual({
      variable: j,
      from: integerScalar(constant(1)),
      to: integerScalar(constant(5)),
      reversed: true,
    });
  });
});
