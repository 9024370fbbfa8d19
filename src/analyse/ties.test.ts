// Which guards of a reduction say where its terms go.

import { describe, expect, it } from "vitest";
import { printScalar } from "../print/print.ts";
import { lowered } from "../../test/support/ir.ts";
import { tiesOf } from "./ties.ts";

/** The ties of the reduction that defines `s`, as `axis: from..to`. */
function ties(text: string): readonly string[] {
  const { program } = lowered(
    `input a: [i32; 4]; input b: [i32; 4]; input x: [f32; 4]; input m: [i32; 5, 4]; ${text}`,
  );
  const [clause] = program.outputs.get("s")!.definition.clauses;
  if (clause?.body.kind !== "reduce") throw new Error("no reduction");
  return tiesOf(clause.loops, clause.body.loops, clause.body.guards).map(
    ({ axis, from, to }) => `${axis}: ${printScalar(from)}..${printScalar(to)}`,
  );
}

const one = (guards: string): readonly string[] =>
  ties(`let s[p in 0..5] = sum[k](x[k] where ${guards});`);
const two = (guards: string): readonly string[] =>
  ties(`let s[p in 0..5, q in 0..6] = sum[k](x[k] where ${guards});`);

it("a position that another tie is found from is not tied itself", () => {
  expect(two("m[q / 2, k] == p, q == k")).toEqual(["0: m[q / 2, k]..m[q / 2, k] + 1"]);
});

describe("an equation", () => {
  it.each([
    ["a[k] == p", ["0: a[k]..a[k] + 1"]],
    ["p == a[k]", ["0: a[k]..a[k] + 1"]],
    ["p == k", ["0: k..k + 1"]],
    ["x[k] > 0, a[k] == p", ["0: a[k]..a[k] + 1"]],
    ["x[k] > 0 && a[k] == p", ["0: a[k]..a[k] + 1"]],
    ["a[k] == p, b[k] == p", ["0: a[k]..a[k] + 1"]],
  ])("%s", (guards, expected) => {
    expect(one(guards)).toEqual(expected);
  });

  it.each([
    ["another relation", "a[k] != p"],
    ["under an or", "a[k] == p || x[k] > 0"],
    ["a multiple of the coordinate", "a[k] == 2 * p"],
    ["a place beside the coordinate", "a[k] == p + 1"],
    ["no reduced coordinate in it", "p == a[0]"],
    ["the coordinate on both sides", "m[p, k] == p"],
  ])("is no tie: %s", (_, guards) => {
    expect(one(guards)).toEqual([]);
  });
});

describe("an interval", () => {
  it.each([
    ["a[k] <= p, p < b[k]", ["0: a[k]..b[k]"]],
    ["p >= a[k], b[k] > p", ["0: a[k]..b[k]"]],
    ["a[k] < p, p <= b[k]", ["0: a[k] + 1..b[k] + 1"]],
    ["p > a[k], b[k] >= p", ["0: a[k] + 1..b[k] + 1"]],
    ["a[k] <= p, k <= p, p < b[k], p < k + 2", ["0: a[k]..b[k]"]],
    ["a[k] <= p, 3 <= b[k], b[k] <= 3, p < b[k]", ["0: a[k]..b[k]"]],
    ["3 < b[k], b[k] < 3, a[k] <= p, p < b[k]", ["0: a[k]..b[k]"]],
    ["3 >= b[k], b[k] >= 3, p >= a[k], b[k] > p", ["0: a[k]..b[k]"]],
    ["3 > b[k], b[k] > 3, p >= a[k], b[k] > p", ["0: a[k]..b[k]"]],
    ["p <= 3, 1 <= p, a[k] <= p, p < b[k]", ["0: a[k]..b[k]"]],
    ["p >= 3, 1 >= p, p < 4, p > 0, a[k] <= p, p < b[k]", ["0: a[k]..b[k]"]],
    ["p < b[k], b[k] > p, p <= b[k], a[k] < p, a[k] <= p", ["0: a[k] + 1..b[k]"]],
  ])("%s", (guards, expected) => {
    expect(one(guards)).toEqual(expected);
  });

  it.each([
    ["open above", "a[k] <= p"],
    ["open below", "p < b[k]"],
    ["an end that is no term's own", "a[0] <= p, p < b[k]"],
    ["ends that hold the coordinate", "m[p, k] <= p, p < m[p, k]"],
  ])("is no tie: %s", (_, guards) => {
    expect(one(guards)).toEqual([]);
  });
});

describe("several axes", () => {
  it("are tied each by its own guard", () => {
    expect(two("a[k] == p, b[k] == q")).toEqual(["0: a[k]..a[k] + 1", "1: b[k]..b[k] + 1"]);
    expect(two("b[k] == q")).toEqual(["1: b[k]..b[k] + 1"]);
    expect(two("a[k] == p, b[k] <= q, q < a[k]")).toEqual(["0: a[k]..a[k] + 1", "1: b[k]..a[k]"]);
  });

  it("are not tied to one another", () => {
    expect(two("a[k] == p, m[p, k] == q")).toEqual(["0: a[k]..a[k] + 1"]);
    expect(two("m[p, k] == q")).toEqual(["1: m[p, k]..m[p, k] + 1"]);
  });
});

it("leaves a coordinate alone that the reduced range depends on", () => {
  expect(ties("let s[p in 0..4] = sum[k in 0..p + 1](x[k] where a[k] == p);")).toEqual([]);
  expect(ties("let s[p in 0..4] = sum[k in p..4](x[k] where a[k] == p);")).toEqual([]);
});
