// The work of small programs, as polynomials in their extents.

import { describe, expect, test } from "vitest";
import { check } from "../check/check.ts";
import { parse } from "../syntax/parse/parser.ts";
import { variable } from "../affine/term.ts";
import { normalise } from "../lower/normalise.ts";
import type { Scalar } from "../ir/program.ts";
import { showPolynomial } from "./polynomial.ts";
import { tallyOf } from "./tally.ts";
import { workOf } from "./work.ts";

/** The work of one value of a program, each kind as text. */
function workText(text: string, name: string): Record<string, string> {
  const { module, damage } = parse({ name: "test.ein", text });
  const { checker, program: typed } = check(module, { damage });
  expect(checker.diagnostics).toEqual([]);
  const work = workOf(normalise(checker, typed).outputs.get(name)!.definition);
  return Object.fromEntries(
    Object.entries(work).map(([kind, polynomial]) => [kind, showPolynomial(polynomial)]),
  );
}

describe("the work of a definition", () => {
  test("a matrix product: two reads, a product and a sum for each step", () => {
    const text =
      "input A: [f32; m, k]; input B: [f32; k, n]; let C[i, j] = sum[l](A[i, l] * B[l, j]);";
    expect(workText(text, "C")).toEqual({
      arithmetic: "2·m·k·n",
      reads: "2·m·k·n",
      cells: "m·n",
      filled: "0",
      bytes: "8·m·k·n + 4·m·n",
    });
  });

  test.each([
    ["sum[k in 0..i + 1](d[k])", "n"],
    ["sum[k in 0..i](d[k])", "n - 1"],
    ["sum[k in i..extent(n)](d[k])", "n"],
    ["sum[k in 0..extent(n) - i](d[k])", "n"],
    ["sum[k](d[k] where k <= i)", "n"],
    ["sum[k](d[k] where i <= k, d[k] > 0)", "2·n"],
    ["mean[k in 0..i + 1](d[k])", "n"],
    ["max[k in 0..i + 1](d[k])", "n"],
    ["logsumexp[k in 0..i + 1](d[k])", "4·n"],
    ["argmax[k in 0..i + 1](d[k]) where d[i] > 0 else -1", "2·n"],
  ])("a running reduction adds each term once: %s", (value, arithmetic) => {
    const found = workText(`input d: [f32; n]; let s[i in 0..extent(n)] = ${value};`, "s");
    expect(found).toMatchObject({ arithmetic, cells: "n" });
  });

  test("what runs along one coordinate does so for each position of the others", () => {
    const text = "input d: [f32; n, m]; let s[i in 0..extent(n), j] = sum[k in 0..i + 1](d[k, j]);";
    expect(workText(text, "s")).toMatchObject({ arithmetic: "n·m", cells: "n·m" });
  });

  test.each([
    ["terms that depend on the cell", "sum[k in 0..i + 1](d[k] * d[i - k])"],
    ["both ends move", "sum[k in i..2 * i](d[k / 2])"],
    ["a log of sums over what moves away", "logsumexp[k in i..extent(n)](d[k])"],
  ])("no running reduction: %s", (_, value) => {
    const { reads } = workText(`input d: [f32; n]; let s[i in 0..extent(n)] = ${value};`, "s");
    expect(reads).toMatch(/²/);
  });

  test("on a diagonal the other guards narrow the coordinate that is walked", () => {
    const text = `input x: [f32; 6, 6];
      let s[k in 0..6, i in 0..6, j in 0..6] =
        sum[l in 0..6](x[i, l] where k == j, i >= k + 1, l >= k + 1);`;
    expect(workText(text, "s")).toMatchObject({ arithmetic: "55", reads: "55" });
  });

  test("cells of a recurrence gather their own terms", () => {
    const text = "let h[0] = 1.0; let h[i in 1..10] = sum[k in 0..i](h[k]);";
    expect(workText(text, "h")).toMatchObject({ arithmetic: "45" });
  });

  test("a scatter walks what it adds, not the product with its result", () => {
    const text =
      "input g: [f32; k]; input at: [i32; k]; let d[p in 0..100] = sum[k](g[k] where at[k] == p);";
    expect(workText(text, "d")).toMatchObject({ reads: "2·k", cells: "k", filled: "100" });
  });

  test("a diagonal costs its length, and filling the rest is counted apart", () => {
    const text = "input v: [f32; n]; let M[i, j in 0..extent(n)] = v[i] where i == j;";
    expect(workText(text, "M")).toMatchObject({ reads: "n", cells: "n", filled: "n²" });
  });

  test("guards on coordinates narrow the loops: a strip, a stride", () => {
    const text =
      "let x = [1.0, 2.0, 3.0, 4.0, 5.0]; let k = [1.0, 2.0]; " +
      "let y[p in 0..9] = sum[j](k[j] * x[(p - j) / 2] where (p - j) % 2 == 0, " +
      "p - j in 0..10);";
    expect(workText(text, "y")).toMatchObject({ reads: "18", cells: "9" });
  });

  test.each([
    ["sum[k](w[i, k] where k <= i)", "n²/2 + n/2"],
    ["sum[k](w[i, k] where k > i)", "n²/2 - n/2"],
  ])("a bound on coordinates cuts the nest: %s", (value, reads) => {
    const found = workText(`input w: [f32; n, n]; let y[i] = ${value};`, "y");
    expect(found["reads"]).toBe(reads);
  });

  test("what stands at one point twice is read and computed once", () => {
    const text = "input x: [f32; n]; let y[i] = sin(x[i]) * sin(x[i]) + x[i];";
    expect(workText(text, "y")).toMatchObject({ arithmetic: "3·n", reads: "n" });
  });

  test("what one branch computes is not there for what follows", () => {
    const text =
      "input x: [f32; n]; let y[i] = (if x[i] > 0 { exp(x[i]) } else { sin(x[i]) }) + " +
      "(if x[i] < 1 { exp(x[i]) } else { 0 });";
    expect(workText(text, "y")).toMatchObject({ arithmetic: "5·n", reads: "n" });
  });

  test.each([
    ["x[i] ** w[i]", "3·n"],
    ["exp(w[i] * log(x[i]))", "3·n"],
    ["x[i] ** 2", "n"],
    ["clamp(x[i], 0.0, w[i])", "2·n"],
    ["2.0 ** x[i]", "2·n"],
  ])("%s is as many operations as it stands for", (value, arithmetic) => {
    expect(
      workText(`input x: [f32; n]; input w: [f32; n]; let y[i] = ${value};`, "y"),
    ).toMatchObject({ arithmetic });
  });

  test("what takes place at one point of a loop is counted there", () => {
    const text =
      "input x: [f32; n]; let y[i in 0..extent(n)] = if i == " +
      "0 { exp(x[i]) } else { x[i] + 2 * x[i - 1] };";
    expect(workText(text, "y")).toMatchObject({ arithmetic: "2·n - 1" });
  });

  test.each([
    ["sum[k](w[i, k] where 4 * k <= i)", "(n / 8)·n + n"],
    ["sum[k in 0..i / 4](w[i, k])", "(n / 8)·n"],
    ["sum[k in 0..(i - 4) / 4](w[i, k])", "n·|0..(i - 4) / 4|"],
  ])("a range that ends at a quotient has as many positions: %s", (value, reads) => {
    expect(
      workText(`input w: [f32; n, n]; let y[i in 0..extent(n)] = ${value};`, "y")["reads"],
    ).toBe(reads);
  });

  test("what has a name is computed in each branch that asks for it", () => {
    // One position costs an exponential, a sum and a negation; all others cost two operations.
    const text =
      "input x: [f32; n]; let y[i in 0..extent(n)] = { let e = exp(x[i]) + 1; " +
      "if i == 0 { -e } else { e } };";
    expect(workText(text, "y")).toMatchObject({ arithmetic: "2·n + 1", reads: "n" });
  });

  test("choices by one condition have one outcome", () => {
    const text =
      "input x: [f32; n]; let y[i] = (if x[i] > 0 { exp(x[i]) } else { 1 }) * " +
      "(if x[i] > 0 { 1 } else { sin(x[i]) });";
    expect(workText(text, "y")).toMatchObject({ arithmetic: "3·n", reads: "n" });
  });

  test("what is computed in any case is there for a branch, wherever it stands", () => {
    const text =
      "input x: [f32; n]; let y[i] = (if x[i] > 0 { exp(x[i]) } else { 0 }) + exp(x[i]);";
    expect(workText(text, "y")).toMatchObject({ arithmetic: "3·n", reads: "n" });
  });

  test("a range that data decides is as long as it is on average", () => {
    const text =
      "input x: [f32; n]; input p: [i32; m]; " +
      "let y[i in 0..extent(m) - 1] = sum[k in p[i]..p[i + 1]](x[k]);";
    expect(workText(text, "y")).toMatchObject({
      arithmetic: "m·|p[i]..p[i + 1]| - |p[i]..p[i + 1]|",
    });
  });

  test("terms in ranges that data decides are walked, and each goes to its cell", () => {
    const text = `input v: [f32; n]; input p: [i32; m]; input d: [f32; m];
      let y[q in 0..extent(n)] =
        sum[i in 0..extent(m) - 1, k in p[i]..p[i + 1]](v[k] * d[i] where k == q);`;
    expect(workText(text, "y")).toMatchObject({ cells: "m·|p[i]..p[i + 1]| - |p[i]..p[i + 1]|" });
  });

  test("a lookup in i64 says where a term goes, too", () => {
    const text =
      "input v: [f32; n]; input at: [i64; n]; " +
      "let y[p in 0..10] = sum[k](v[k] where at[k] == p as i64);";
    expect(workText(text, "y")).toMatchObject({ cells: "n" });
  });

  test("the dearer branch counts, and a local once", () => {
    const text =
      "input x: [f32; n]; let y[i] = { let t = exp(x[i]); if t > 1.0 { t * t + t } else { t } };";
    expect(workText(text, "y")).toMatchObject({ arithmetic: "4·n", reads: "n" });
  });

  test.each([
    [
      "fn f(k: i32, x: f32) -> f32 { if k == 0 { x } else { f(k - 1, x * a) } }",
      "|calls of f| + 1",
    ],
    [
      "fn f(k: i32, x: f32) -> f32 { if k == 0 { x } else { x * f(k - 1, x * a) } }",
      "|calls of f| + 1",
    ],
    [
      "fn f(k: i32, x: f32) -> f32 { if k == 0 { x } else { x * g(k - 1, x * a) } } fn g(k: " +
        "i32, x: f32) -> f32 { if k == 0 { a } else { f(k - 1, x) } }",
      "2·|calls of f| + 1",
    ],
  ])("a call writes its results: %s", (functions, cells) => {
    expect(workText(`input a: f32; ${functions} let y = f(9, a);`, "y")).toMatchObject({ cells });
  });

  test.each([
    ["f32", 1],
    ["str", 1],
    ["i32", 0],
    ["i64", 0],
    ["bool", 0],
    ["data", 0],
  ] as const)("taking %s out of data is %i operations", (type, arithmetic) => {
    const kept: Scalar = {
      kind: "parameter",
      type: "data",
      parameter: { name: "kept", type: "data", variable: variable("kept") },
    };
    const part: Scalar = {
      kind: "data",
      type,
      function: "part",
      operands: [kept],
      member: 0,
      layout: { kind: "tuple", members: [] },
    };
    expect(tallyOf([part])).toMatchObject({ arithmetic });
  });

  test("another name for a tensor is no work", () => {
    expect(workText("input x: [f32; n]; let y[i] = x[i];", "y")).toMatchObject({
      reads: "0",
      cells: "0",
    });
  });
});
