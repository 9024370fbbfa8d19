// Programs with statements that the parser cannot read, or that are wrong: each mistake is reported
// once, and readers of the lost names report nothing.

import { describe, expect, test } from "vitest";
import { compile } from "../../driver/compile.ts";
import { positionOf } from "../../base/source.ts";

/** The code and line of every error. */
function errors(text: string): readonly string[] {
  return compile({ name: "p", text }).diagnostics.flatMap(({ level, code, span }) =>
    level === "error" ? [`${code}:${span ? positionOf(span.source, span.start).line : "-"}`] : [],
  );
}

describe("a statement that could not be read", () => {
  test.each([
    ["let", "let x = (1 + ;\nlet y = x * 2;\nprint(x, y);", ["E0110:1"]],
    ["let without its word", "x = [1, 2];\nlet y[i] = x[i];\nlet z = sum[i](y[i]);", ["E0110:1"]],
    ["const", "const n 4;\nlet x[i in 0..n] = i;\nprint(x);", ["E0110:1"]],
    ["input", "input x: [f32 n, m];\nlet y[i, j] = x[i, j];\nlet k = extent(n);", ["E0110:1"]],
    [
      "clause",
      "let h[0] = 1;\nlet h[t in 1..4] = h[t - 1] + ;\nlet y[t] = h[t];\nprint(h[3]);",
      ["E0110:2"],
    ],
    [
      "first clause",
      "let h[i in , 0] = 1;\nlet h[i, t in 1..4] = h[i, t - 1];\nprint(h);",
      ["E0110:1"],
    ],
    ["fn head", "fn f(x: ) { x }\nlet y = f(1) + f(2);", ["E0110:1"]],
    ["fn value", "fn f(x) { x + }\nlet y = f(1) + f(2);\nlet z = f(3);", ["E0110:1"]],
    ["fn statement", "fn f(x) { let y = x +; y * 2 }\nlet a = f(1);\nlet b = f(2);", ["E0110:1"]],
    ["keyword as name", "let where = 1;\nlet y = where + 1;\nprint(where);", ["E0114:1"]],
    [
      "link of a recurrence",
      "let a[0] = 0;\nb[t in 0..3] = a[t];\nlet a[t in 1..4] = b[t - 1];\nprint(a);",
      ["E0110:2"],
    ],
  ])("is one error: %s", (_, text, expected) => {
    expect(errors(text)).toEqual(expected);
  });

  test("does not hide what is wrong elsewhere", () => {
    expect(
      errors("let x = (1 + ;\nlet y = x + a;\nlet z = 1 + true;\nlet w[i] = [1, 2][j];"),
    ).toEqual(["E0110:1", "E0201:2", "E0401:3", "E0301:4"]);
  });

  test("does not take the coordinates it binds with it", () => {
    expect(errors("let y[i in 0..3 = i;\nlet x = [1];\nlet z = x[i];")).toEqual([
      "E0112:1",
      "E0301:3",
    ]);
  });
});

describe("a wrong statement", () => {
  test.each([
    ["its readers", "let x = 1 + true;\nlet y = x * 2;\nassert(y > 0);", ["E0401:1"]],
    [
      "ranges that its tensor would determine",
      "let x[i in 0..3] = a;\nlet y[k] = x[k];\nlet s = sum[k](x[k]);",
      ["E0201:1"],
    ],
    [
      "the clauses beside it",
      "let h[t in 0..4, i in 0..2] = a;\nlet h[t in 1..4, i] = h[t - 1, i];",
      ["E0201:1"],
    ],
    ["packs over its tensor", "let x = a;\nlet y[..b] = x[..b, 0];", ["E0201:1"]],
    ["bindings of a where", "let y[i in 0..3] = z * 2 where z = a + i;", ["E0201:1"]],
    ["dimension names of its type", "input x: [f33; n];\nlet k = extent(n);", ["E0404:1"]],
    ["the calls of its function", "fn f(x) { x + a }\nlet y = f(1);\nlet z = f(2.0);", ["E0201:1"]],
    [
      "the cells of its tensor",
      "let a[0] = 1;\nlet s = a[0];\nlet a[1] = 2;\nlet t = a[1];",
      ["E0605:3"],
    ],
  ])("is no error of %s", (_, text, expected) => {
    expect(errors(text)).toEqual(expected);
  });
});

describe("a name that stands for nothing", () => {
  test("is one error with its other uses as labels", () => {
    const { diagnostics } = compile({
      name: "p",
      text: "let y = a + 1;\nlet z = a * a;\nlet w = b;",
    });
    expect(diagnostics.map(({ title, labels }) => [title, labels.length])).toEqual([
      ["`a` is not defined", 2],
      ["`b` is not defined", 0],
    ]);
  });

  test("is a coordinate of its statement where it stands as an index", () => {
    expect(errors("let x = [1, 2];\nlet y[i] = x[j] + j;\nlet z[i] = x[j];")).toEqual([
      "E0301:2",
      "E0301:3",
    ]);
  });

  test("is one error for all calls of a function", () => {
    expect(errors("let y = f(1);\nlet z = f(2) + g(3);")).toEqual(["E0202:1", "E0202:2"]);
  });
});
