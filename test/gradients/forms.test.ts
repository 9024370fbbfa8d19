// Differentiates every form of the language. The tables are keyed by the forms, so a new form does
// not compile without its program. An E07xx is allowed only for argmax, argmin, any, all, count,
// comparisons and float-to-integer casts used as numbers, and for denominators that are not floats.

import { describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { operations, type OperationName } from "../../src/scalar/operations.ts";
import type { ReductionName } from "../../src/scalar/reductions.ts";
import type { Typed } from "../../src/check/types/typed.ts";
import type { Expression, Pattern, Statement } from "../../src/syntax/tree/ast.ts";
import { checkGradients } from "./check.ts";

/** The codes of a program's errors. */
function codesOf(text: string): readonly string[] {
  return compile({ name: "form.ein", text })
    .diagnostics.filter(({ level }) => level === "error")
    .map(({ code }) => code);
}

/** Checks that a program has no errors and that all its derivatives agree with differences. */
function goesThrough(text: string): void {
  const { program, diagnostics } = compile({ name: "form.ein", text });
  const errors = diagnostics.filter(({ level }) => level === "error");
  expect(errors.map(({ code, title }) => `${code} ${title}`)).toEqual([]);
  expect(program!.checkGradients(new Map()).filter(({ ok }) => !ok)).toEqual([]);
}

/** The value `y` of a form, and its derivative by x, which is [0.7, 1.9, 0.4]. */
const asked = (form: string): string => `let x = [0.7, 1.9, 0.4]; ${form} let g = @y / @x;`;

/** The use of an operation on floats. `undefined` for an operation without float operands. */
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
  // As conditions these are accepted. As numbers they are refused below.
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

/** A program for each kind of expression, in which the expression depends on x. */
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
  "struct-literal":
    "struct P { a: f32, b: f32 } let p = P { a: x[0], b: x[1] }; let y = p.a * p.b;",
  guarded: "let y = sum[i](x[i] ** 2) where x[i] > 0.5;",
};

const statements: Record<Exclude<Statement["kind"], "missing">, string> = {
  let: "let a = x[0] ** 2; let (b, c) = (a, x[1]); let y = b * c;",
  "indexed-let":
    "let h[0] = x[0]; let h[t in 1..3] = h[t - 1] * x[t] where t != 2 else x[t]; let y = h[2];",
  const: "const k = 3; let y = k * x[0];",
  input: "let y = x[0];",
  fn:
    "fn f(v: f32, n: i32) -> f32 { if n == 0 { v } else { sin(f(v, n - 1)) } } let y = " +
    "f(x[0], 3);",
  "tangent-fn": "fn f(v) { v ** 3 } @fn f(v) { 3 * v ** 2 * @v } let y = f(x[0]);",
  use: "use std::math::{exp as e}; let y = e(x[0]);",
  mod: "mod m { pub fn f(v) { sin(v) } } let y = m::f(x[0]);",
  enum:
    "enum S { A(f32), B } let s = S::A(x[0]); " +
    "let y = match s { S::A(v) => v ** 2, S::B => 0.0 };",
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
  struct:
    "struct P { a: f32, b: f32 } let y = match (P { a: x[0], b: x[1] }) { P { a, b } => a * b };",
};

/**
 * The forms that the checker makes, inside an instance: a function that calls itself, as often as
 * the run decides. Forms without a value of their own, and forms that only the compiler knows, do
 * not occur there.
 */
type InFunctions = Exclude<
  Typed["kind"],
  "wrong" | "absent" | "range" | "closure" | "text" | "text-call"
>;

/**
 * The text before the recursive call of `step(v, k)`. The argument of the call is `w`, made of the
 * number v and the round k.
 */
const inFunctions: Record<InFunctions, string> = {
  constant: "let w = 0.5 * v;",
  integer: "let w = v * k as f32;",
  reference: "let u = v; let w = u * u;",
  read: "let w = x[k] * v;",
  apply: "let w = sin(v) ** 2;",
  cast: "let w = ((v as f64) ** 2) as f32;",
  select: "let w = if v > 0.1 { v ** 2 } else { v };",
  reduce:
    "let w = sum[i](x[i] * v) + max[i](x[i] * v) + prod[i](x[i] + v) + " +
    "logsumexp[i](x[i] * v) + mean[i](x[i] * v);",
  abstract: "let a[i in 0..3] = x[i] * v; let b[i in 0..3] = a[2 - i] * a[i]; let w = b[0] + b[k];",
  block: "let w = { let t = v * x[0]; t * t };",
  array: "let a = [v, v * v, x[0]]; let w = a[0] * a[k];",
  tuple: "let (p, q) = (v * v, x[k]); let w = p * q;",
  call:
    "fn power(u: f32, n: i32) -> f32 { if n == 0 { x[0] } else { u * power(u, n - 1) } } let w " +
    "= power(v, k + 1);",
  data:
    "enum S { A(f32), B } let s = if v > 0.1 { S::A(v) } else { S::B }; " +
    "let w = match s { S::A(u) => u ** 2, S::B => 0.0 };",
  boxed:
    "enum L { End, More(f32, L) } fn down(l: " +
    "L) -> f32 { match l { L::End => 0.0, L::More(u, rest) => u * u + down(rest) } } let w = " +
    "down(L::More(v, L::More(x[k], L::End)));",
  kept:
    "fn last(a: [f32]) -> f32 { if len(a) == " +
    "1 { a[0] } else { last([a[i] * a[0] | i in 1..len(a)]) } } let w = last([v, x[0], x[1]]);",
  accepted: "let a = [u * v | u in x, u * v > 0.2]; let w = sum[i](a[i]);",
  cells:
    "fn all(a: [f32; m], n: i32) -> [f32; " +
    "m] { if n == 0 { a } else { let b[i in 0..len(a)] = a[i] * v; all(b, n - 1) } } let w = " +
    "all(x, k)[1];",
  functions: "let f = if k > 1 { |u: f32| u * u } else { |u: f32| sin(u) }; let w = f(v);",
  request: "let u = v ** 3; let w = @u / @v;",
  ruled:
    "fn cube(u: f32) -> f32 { u ** 3 } @fn cube(u: f32) { 3 * u ** 2 * @u } fn norm(a: " +
    "[f32; m]) -> f32 { sum[i](a[i] ** 2) } @fn norm(a: " +
    "[f32; m]) { 2 * sum[i](a[i] * @a[i]) } let w = cube(v) + norm([v, x[k]]);",
};

const looping = (form: string): string => `fn step(v: f32, k: i32) -> f32 { if k == 0 { v } else {
    ${form} step(0.5 * w + 0.2, k - 1) } }
  let n = 2 + (stop(x[2]) as i32); let y = step(x[0], n);`;

const cases = (table: Readonly<Record<string, string>>): readonly (readonly [string, string])[] =>
  Object.entries(table).map(([name, form]) => [name, asked(form)]);

describe("a derivative goes through", () => {
  test.each(Object.keys(operations) as OperationName[])("the operation %s", (name) => {
    const text = asked(`let z[i in 0..3] = ${applications[name]}; let y = sum[i](z[i] ** 2);`);
    expect(codesOf(text)).toEqual([]);
    expect(checkGradients(text).problems).toEqual([]);
  });

  test.each(Object.entries(reductions).filter(([, { refused }]) => !refused))(
    "the reduction %s",
    (_, { body }) => {
      expect(checkGradients(asked(`let y = ${body};`)).problems).toEqual([]);
    },
  );

  test.each(cases(expressions))("the expression %s", (_, text) => goesThrough(text));
  test.each(cases(statements))("the statement %s", (_, text) => goesThrough(text));
  test.each(cases(patterns))("the pattern %s", (_, text) => goesThrough(text));

  test.each(Object.entries(inFunctions))("%s inside a function that stays one", (_, form) =>
    goesThrough(asked(looping(form))),
  );
});

describe("a derivative is refused", () => {
  test.each(Object.entries(reductions).filter(([, { refused }]) => refused))(
    "through %s as a number",
    (_, { body }) => {
      expect(codesOf(asked(`let y = ${body};`))).toEqual(["E0701"]);
    },
  );

  test.each(Object.entries(reductions).filter(([, { refused }]) => refused))(
    "through %s as a number, inside a function that stays one",
    (_, { body }) => {
      expect(codesOf(asked(looping(`let w = v * ${body};`)))).toEqual(["E0701"]);
      expect(codesOf(asked(looping(`let w = v * stop(${body});`)))).toEqual([]);
    },
  );

  const compared: readonly OperationName[] = [
    "equal",
    "notEqual",
    "less",
    "lessEqual",
    "greater",
    "greaterEqual",
  ];
  test.each(compared)("through %s as a number", (name) => {
    const { notation } = operations[name];
    const symbol = notation.kind === "infix" ? notation.symbol : "";
    expect(codesOf(asked(`let y = (x[0] ${symbol} 1.0) as f32;`))).toEqual(["E0701"]);
    expect(codesOf(asked(looping(`let w = v * (v ${symbol} 1.0) as f32;`)))).toEqual(["E0701"]);
  });

  test("through a cast to an integer as a number", () => {
    expect(codesOf(asked("let y = (x[0] as i32) as f32;"))).toEqual(["E0701"]);
    expect(codesOf(asked(looping("let w = v + (x[k] as i32) as f32;")))).toEqual(["E0701"]);
  });

  test("by a denominator that is not a float", () => {
    expect(codesOf("let x = 3; let y = 2.0 * x as f32; let g = @y / @x;")).toEqual(["E0704"]);
  });
});
