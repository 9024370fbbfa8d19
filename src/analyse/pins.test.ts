// Which guards of a reduction leave one position of a reduced coordinate.

import { describe, expect, it } from "vitest";
import { pinsOf } from "./pins.ts";
import { printScalar } from "../print/print.ts";
import { lowered } from "../../test/support/ir.ts";

/** The pins of the reduction that defines `s`, one for each of its coordinates. */
function pins(text: string): readonly (string | undefined)[] {
  const { program } = lowered(
    `input a: [i32; 5]; input x: [f32; 9]; input m: [i32; 5, 9]; ${text}`,
  );
  const [clause] = program.outputs.get("s")!.definition.clauses;
  if (clause?.body.kind !== "reduce") throw new Error("no reduction");
  return pinsOf(clause.body.loops, clause.body.guards).map((pin) => pin && printScalar(pin));
}

const one = (guards: string): readonly (string | undefined)[] =>
  pins(`let s[i in 0..5] = sum[p in 0..9](x[p] where ${guards});`);
const two = (guards: string, bound = "9"): readonly (string | undefined)[] =>
  pins(`let s[i in 0..5] = sum[p in 0..9, q in 0..${bound}](x[p] * x[q] where ${guards});`);

describe("a reduced coordinate", () => {
  it.each([
    ["a[i] == p", "a[i]"],
    ["p == a[i]", "a[i]"],
    ["i + 2 == p", "i + 2"],
    ["x[i] > 0, i > 0, a[i] == p", "a[i]"],
    ["p > 2 && a[i] == p", "a[i]"],
  ])("is pinned by %s", (guards, at) => expect(one(guards)).toEqual([at]));

  it.each(["a[i] <= p", "2 * p == i", "m[i, p] == p", "a[i] != p"])(
    "is not pinned by %s",
    (guards) => expect(one(guards)).toEqual([undefined]),
  );

  it("is not pinned behind a guard of its own that may fault, or lets others come to one", () => {
    expect(one("x[p] > 0, a[i] == p")).toEqual([undefined]);
    expect(one("p > 2, x[i] > 0, a[i] == p")).toEqual([undefined]);
  });

  it("is pinned by those before it, not by those behind", () => {
    expect(two("a[i] == p, m[i, p] == q")).toEqual(["a[i]", "m[i, p]"]);
    expect(two("m[i, q] == p")).toEqual([undefined, undefined]);
  });

  it("is not pinned where it bounds another", () => {
    expect(two("a[i] == p", "p")).toEqual([undefined, undefined]);
  });
});
