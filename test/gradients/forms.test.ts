// Every form of the language on the path of a derivative. The tables are keyed by the forms themselves, so that a new one does not
// compile without its program. Only argmax, argmin, any, all, count, comparisons and float-to-integer casts used as numbers, and
// denominators that are not floats, may answer with an E07xx.

import { describe, expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { operations, type OperationName } from "../../src/ir/scalar/operations.ts";
import type { ReductionName } from "../../src/ir/scalar/reductions.ts";
import type { Expression, Pattern, Statement } from "../../src/syntax/ast.ts";
import { checkGradients } from "./check.ts";

/** The codes of a program's errors. */
function codesOf(text: string): readonly string[] {
  return compile({ name: "form.ein", text })
    .diagnostics.filter(({ level }) => level === "error")
    .map(({ code }) => code);
}

/** The value `y` of a form, and its derivative by x, which is [0.7, 1.9, 0.4]. */
const asked = (form: string): string => `let x = [0.7, 1.9, 0.4]; ${form} let g = @y / @x;`;

/** How an operation is applied to floats; `undefined` for one that has no float operands. */
const applications: Record<OperationName, string | undefined> = {
  add: "x[i] + x[2 - i]",
  subtract: "x[i] - x[2 - i]",
  multiply: "x[i] * x[2 - i]",
  divide: "x[i] / x[2 - i]",
  remainder: "x[i] % 0.3 + 2.0 % x[i]",
  power: "x[i] ** 2 + x[i] ** x[2 - i] + 2 ** -x[i]",
  negate: "-x[i]",
  max: "max(x[i], x[2 - i] + 0.1)",
  min: "min(x[i], x[2 - i] + 0.1)",
  clamp: "clamp(x[i], 0.1, 1.0)",
  abs: "abs(x[i] - 1.0)",
  sign: "x[i] * sign(x[i] - 1.0)",
  relu: "relu(x[i] - 1.0)",
  floor: "x[i] + floor(x[i])",
  ceil: "x[i] + ceil(x[i])",
  round: "x[i] + round(x[i])",
  exp: "exp(x[i])",
  log: "log(x[i])",
  sqrt: "sqrt(x[i])",
  sin: "sin(x[i])",
  cos: "cos(x[i])",
  tan: "tan(0.5 * x[i])",
  tanh: "tanh(x[i])",
  sigmoid: "sigmoid(x[i])",
  erf: "erf(x[i])",
  log1p: "log1p(x[i])",
  expm1: "expm1(x[i])",
  select: "if x[i] > 1.0 { x[i] ** 2 } else { x[i] }",
  stop: "x[i] * 1.0",
  uniform: "uniform(1, i) * x[i]",
  normal: "normal(1, i) * x[i]",
  randint: "randint(1, i, 1, 5) as f32 * x[i]",
  // As conditions they are fine; as numbers they are refused below.
  not: "if !(x[i] > 1.0) { x[i] } else { 2 * x[i] }",
  and: "if x[i] > 0.5 && x[i] < 1.0 { x[i] } else { 2 * x[i] }",
  or: "if x[i] > 1.0 || x[i] < 0.5 { x[i] } else { 2 * x[i] }",
  equal: "if x[i] == 1.0 { 0.0 } else { 2 * x[i] }",
  notEqual: "if x[i] != 1.0 { x[i] } else { 0.0 }",
  less: "if x[i] < 1.0 { x[i] } else { 2 * x[i] }",
  lessEqual: "if x[i] <= 1.0 { x[i] } else { 2 * x[i] }",
  greater: "if x[i] > 1.0 { x[i] } else { 2 * x[i] }",
  greaterEqual: "if x[i] >= 1.0 { x[i] } else { 2 * x[i] }",
};

const reductions: Record<ReductionName, { readonly body: string; readonly refused?: true }> = {
  sum: { body: "sum[i](x[i] ** 2)" },
  prod: { body: "prod[i](x[i])" },
  mean: { body: "mean[i](x[i] ** 2 where x[i] > 0.5)" },
  max: { body: "max[i](x[i])" },
  min: { body: "min[i](x[i])" },
  logsumexp: { body: "logsumexp[i](x[i])" },
  argmax: { body: "argmax[i](x[i]) as f32", refused: true },
  argmin: { body: "argmin[i](x[i]) as f32", refused: true },
  any: { body: "any[i](x[i] > 1.0) as f32", refused: true },
  all: { body: "all[i](x[i] > 1.0) as f32", refused: true },
  count: { body: "count[i](x[i] > 1.0) as f32", refused: true },
};

/** A program for each kind of expression, with x going through it. */
const expressions: Record<Exclude<Expression["kind"], "missing">, string> = {
  number: "let y = 2.5 * x[0];",
  string: 'let s = "{x[0]:.1f}"; let y = x[0]; print(s);',
  bool: "let y = if true { x[0] ** 2 } else { 0.0 };",
  path: "mod m { pub fn twice(v) { 2 * v } } let y = m::twice(x[1]);",
  unary: "let y = -x[0];",
  binary: "let y = x[0] * x[1] |> sin;",
  range: "let y = sum[i in 1..3](x[i] ** 2);",
  cast: "let y = ((x[0] as f64) ** 2) as f32;",
  index: "let y = x[argmax[i](x[i])] * x[0];",
  call: "fn f(v, scale: f32 = 2.0) { scale * v * v } let y = f(x[0], scale = 3.0) + f(x[1]);",
  member: "let n = x.shape[0]; let y = x[n - 1] ** 2;",
  if: "let y = if x[0] > 1.0 { x[0] } else if x[1] > 1.0 { x[1] ** 2 } else { 0.0 };",
  block: "let y = { let t = x[0] * x[1]; t * t };",
  match: "let y = match 2 { 0 => x[0], 1 | 2 => x[1] ** 2, _ => 0.0 };",
  lambda: "let f = |a, b| a * b; let y = f(x[0], x[1]);",
  tuple: "let p = (x[0], x[1] ** 2); let y = p.0 * p.1;",
  array: "let a = [x[0], x[1] ** 2]; let y = a[0] * a[1];",
  comprehension: "let a = [v * v | v in x, v > 0.5]; let y = sum[i](a[i]);",
  "struct-literal": "struct P { a: f32, b: f32 } let p = P { a: x[0], b: x[1] }; let y = p.a * p.b;",
  guarded: "let y = sum[i](x[i] ** 2) where x[i] > 0.5;",
};

const statements: Record<Exclude<Statement["kind"], "missing">, string> = {
  let: "let a = x[0] ** 2; let (b, c) = (a, x[1]); let y = b * c;",
  "indexed-let": "let h[0] = x[0]; let h[t in 1..3] = h[t - 1] * x[t] where t != 2 else x[t]; let y = h[2];",
  const: "const k = 3; let y = k * x[0];",
  input: "let y = x[0];",
  fn: "fn f(v: f32, n: i32) -> f32 { if n == 0 { v } else { sin(f(v, n - 1)) } } let y = f(x[0], 3);",
  "tangent-fn": "fn f(v) { v ** 3 } @fn f(v) { 3 * v ** 2 * @v } let y = f(x[0]);",
  use: "use std::math::{exp as e}; let y = e(x[0]);",
  mod: "mod m { pub fn f(v) { sin(v) } } let y = m::f(x[0]);",
  enum: "enum S { A(f32), B } let s = S::A(x[0]); let y = match s { S::A(v) => v ** 2, S::B => 0.0 };",
  struct: "struct P { a: f32 } let p = P { a: x[1] }; let y = p.a ** 2;",
  expression: "let y = x[0] ** 2; assert(y > 0.0); print(y);",
};

const patterns: Record<Exclude<Pattern["kind"], "missing">, string> = {
  wildcard: "let y = match x[0] { _ => x[0] };",
  literal: "let y = match 1 { 1 => x[0], _ => x[1] };",
  name: "let y = match x[0] { v => v ** 2 };",
  at: "let y = match 3 { n @ 1..5 => n as f32 * x[0], _ => 0.0 };",
  tuple: "let y = match (x[0], x[1]) { (a, b) => a * b };",
  array: "let y = match [x[0], x[1]] { [a, b] => a * b, _ => 0.0 };",
  range: "let y = match 3 { 0..5 => x[0], _ => 0.0 };",
  or: "let y = match 3 { 1 | 3 => x[0], _ => 0.0 };",
  variant: "enum S { A(f32), B } let y = match S::A(x[0]) { S::A(v) => v ** 2, S::B => 0.0 };",
  struct: "struct P { a: f32, b: f32 } let y = match (P { a: x[0], b: x[1] }) { P { a, b } => a * b };",
};

const cases = (table: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
  Object.entries(table).map(([name, form]) => [name, asked(form)]);

describe("a derivative goes through", () => {
  test.each(Object.keys(operations) as OperationName[])("the operation %s", (name) => {
    const text = asked(`let z[i in 0..3] = ${applications[name]}; let y = sum[i](z[i] ** 2);`);
    expect(codesOf(text)).toEqual([]);
    expect(checkGradients(text).problems).toEqual([]);
  });

  test.each(Object.entries(reductions).filter(([, { refused }]) => !refused))("the reduction %s", (_, { body }) => {
    expect(checkGradients(asked(`let y = ${body};`)).problems).toEqual([]);
  });

  test.each(cases(expressions))("the expression %s", (_, text) => expect(codesOf(text)).toEqual([]));
  test.each(cases(statements))("the statement %s", (_, text) => expect(codesOf(text)).toEqual([]));
  test.each(cases(patterns))("the pattern %s", (_, text) => expect(codesOf(text)).toEqual([]));
});

describe("a derivative is refused", () => {
  test.each(Object.entries(reductions).filter(([, { refused }]) => refused))(
    "through %s as a number",
    (_, { body }) => {
      expect(codesOf(asked(`let y = ${body};`))).toEqual(["E0701"]);
    },
  );

  const compared: readonly OperationName[] = ["equal", "notEqual", "less", "lessEqual", "greater", "greaterEqual"];
  test.each(compared)("through %s as a number", (name) => {
    const { notation } = operations[name];
    const symbol = notation.kind === "infix" ? notation.symbol : "";
    expect(codesOf(asked(`let y = (x[0] ${symbol} 1.0) as f32;`))).toEqual(["E0701"]);
  });

  test("through a cast to an integer as a number", () => {
    expect(codesOf(asked("let y = (x[0] as i32) as f32;"))).toEqual(["E0701"]);
  });

  test("by a denominator that is not a float", () => {
    expect(codesOf("let x = 3; let y = 2.0 * x as f32; let g = @y / @x;")).toEqual(["E0704"]);
  });
});
