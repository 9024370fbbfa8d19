// Conditions that are implied by others.

import { expect, test } from "vitest";
import { withoutImplied } from "./implied.ts";
import { printOperand } from "../print/print.ts";
import { lowered } from "../../test/support/ir.ts";

/** The guards of a sum without implied ones. */
function left(guards: string): readonly string[] {
  const text = `let x = [1.0, 2.0, 3.0]; let s = sum[i in 0..3, j in 0..3](x[i] where ${guards});`;
  const [clause] = lowered(text).program.outputs.get("s")!.definition.clauses;
  return clause!.body.kind === "reduce"
    ? withoutImplied(clause!.body.guards).map(printOperand)
    : [];
}

test.each([
  ["!(i == 0 && j == 0), i != 0", ["i != 0"]],
  ["i != 0, !(i == 0 && j == 0)", ["i != 0"]],
  ["i < 1 || j < 2, j < 2", ["j < 2"]],
  ["!(i == 0 && j == 0), i != 1", ["!(i == 0 && j == 0)", "i != 1"]],
  ["i != 0, i != 0 && j != 0", ["i != 0", "i != 0 && j != 0"]],
])("of %s there is left", (guards, expected) => {
  expect(left(guards)).toEqual(expected);
});

test("one that another may rely on stays before it", () => {
  const both = ["!(i == 0 && j == 0)", "6 / (i + j) > 1", "i != 0"];
  expect(left(both.join(", "))).toEqual(both);
  expect(left("!(i == 0 && j == 0), i != 0, 6 / (i + j) > 1")).toEqual(both.slice(1).reverse());
});
