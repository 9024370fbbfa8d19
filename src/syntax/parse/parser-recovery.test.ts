// A damaged program gives one error in the right place, and the statements around it are still
// read.

import { describe, expect, test } from "vitest";
import { corpus } from "../../../test/fuzz/corpus.ts";
import { problemOf } from "../../../test/fuzz/parser.ts";
import type { Module } from "../tree/ast.ts";
import { firstDifference } from "../../../test/support/equal.ts";
import { format, formatExpression } from "../format/format.ts";
import { lex } from "../lex/lexer.ts";
import { parse } from "./parser.ts";
import { showModule } from "../../../test/support/sexpr.ts";

function broken(text: string) {
  const { module, diagnostics } = parse({ name: "test", text });
  expect(problemOf(text)).toBeUndefined();
  const errors = diagnostics.map(({ code, title, span, help, labels }) => ({
    code,
    title,
    at: text.slice(0, span!.start).split("\n").length,
    on: text.slice(span!.start, span!.end),
    before: text.slice(0, span!.start),
    help: help ?? "",
    labels: labels.map((label) => text.slice(label.span.start, label.span.end)),
  }));
  return { errors, shown: showModule(module) };
}

describe("each mistake gives one error, and the next statement survives", () => {
  test.each<[string, string, RegExp]>([
    ["let x = ;", "E0110", /expected an expression, found `;`/],
    ["let = 3;", "E0110", /expected a name or a pattern, found `=`/],
    ["let x 3;", "E0110", /expected `=` and a value/],
    ["let x == 3;", "E0110", /`=` binds, `==` compares/],
    ["let x := 3;", "E0110", /`:=` is not an operator/],
    ["let mut x = 3;", "E0110", /bindings are immutable/],
    ["let match = 3;", "E0114", /`match` is a keyword/],
    ["let let x = 3;", "E0110", /stands here twice/],
    ["f(a, (b;", "E0112", /`\(` is never closed/],
    ["let y[i = x[i];", "E0112", /`\[` is never closed/],
    ["f(a]);", "E0113", /`\]` closes nothing/],
    ["f(a));", "E0113", /`\)` closes nothing/],
    ["f(a b);", "E0110", /expected `,` or `\)`, found `b`/],
    ["f(, a);", "E0110", /expected an expression, found `,`/],
    ["if a = 3 { 1 }", "E0110", /write `==` to compare/],
    ["let s = sum[k](a[k] where b[k] = 1);", "E0110", /write `==` to compare/],
    ["y[t] = 3;", "E0110", /write `let` in front/],
    ["return x;", "E0110", /last expression of a function is its value/],
    ["for i in 0..n { print(i); }", "E0110", /`print\(\[i \| i in 0\.\.n\]\);`/],
    ["while x > 0 { f(x); }", "E0110", /recurrence/],
    ["let z = a and b;", "E0110", /write `&&`/],
    ["let z = a or b;", "E0110", /write `\|\|`/],
    ["let z = not a;", "E0110", /write `!a`/],
    ["let z = a < b < c;", "E0110", /`a < b && b < …`/],
    ["let z = 0..;", "E0110", /a range has both ends/],
    ["let z = a ? b : c;", "E0110", /if c \{ a \} else \{ b \}/],
    ["x += 1;", "E0110", /`\+=` is not an operator/],
    ["let s = 'x';", "E0101", /write `"x"`/],
    ['let s = "abc;', "E0102", /this string is not closed/],
    ['print("a {b");', "E0104", /this interpolation is not closed/],
    ['print("a {}");', "E0104", /this interpolation is empty/],
    ['print("a {b c}");', "E0110", /expected `}`/],
    ["let z = a × b;", "E0101", /write `\*`/],
    ["let f = fn(x) { x };", "E0110", /as a lambda/],
    ["fn f(x): f32 { x }", "E0110", /expected `->`/],
    ["fn f(x) = x + 1;", "E0110", /body of a function is a block/],
    ["fn f<T>(x: T) { x }", "E0110", /parameters without a type are generic/],
    ["fn f(x) x + 1 }", "E0110", /expected `{` and the body/],
    ["fn (x) { x }", "E0110", /expected the name of the function/],
    ["fn f f(x) { x }", "E0110", /a function has one name/],
    ["let t: f32[3] = a;", "E0110", /element type inside the brackets/],
    ["let t: [f32, 3] = a;", "E0110", /write `\[f32; 2, 3\]`/],
    ["let t: [f32; *, n] = a;", "E0110", /`\*` stands for all axes/],
    ["let a: f32; 2, 3] = z;", "E0113", /`\]` closes nothing write `\[f32; 2, 3\]`/],
    ["let i: Option<f32; n]> = z;", "E0113", /write `\[f32; n\]`/],
    ["let l: (f32, i32); out, in] = z;", "E0113", /write `\[\(f32, i32\); out, in\]`/],
    ["let f: (f32, i32; ?]) = z;", "E0113", /write `\[i32; \?\]`/],
    ["fn f(a: f32; n], b) -> f32 { a }", "E0113", /write `\[f32; n\]`/],
    ["input x [f32; n];", "E0110", /expected `:` and a type/],
    ["allow(unused) let x = 1;", "E0110", /`unused` is not the code of a lint/],
    ["allow(unused)", "E0111", /missing `;`/],
    ["allow(unused) x;", "E0110", /expected an operator or `;`, found `x`/],
    ["use std.math;", "E0110", /joined by `::`/],
    ["enum E { A { x: f32 } }", "E0110", /stand in parentheses/],
    ["struct S x: f32 }", "E0110", /expected `{` and the fields/],
    ["struct S { x = 1 }", "E0110", /write `x: f32`/],
    ["let m = match x { 1 -> 2, _ => 3 };", "E0110", /expected `=>`/],
    ["let m = match x { 1 if y => 2, _ => 3 };", "E0110", /begins with `where`/],
    ["let m = match { 1 => 2 };", "E0110", /before the `{`/],
    ["let xs = [i for i in 0..3];", "E0110", /write `\[i \| i in 0\.\.3\]`/],
    ["let xs = [x where y];", "E0110", /behind the generators/],
    ["let o = { x: 1 };", "E0110", /begins with its name/],
    ["fn f(x) { allow(W0203) x }", "E0110", /not before the value of a block/],
    ["let d = ();", "E0110", /two or more members/],
    ["pub print(1);", "E0110", /`pub` exports declarations/],
    ["checkpoint let x = 1;", "E0110", /belongs to a recurrence/],
    ["else { 1 }", "E0110", /`else` follows/],
    ['print "hi";', "E0110", /stand in parentheses/],
    ["if a { 1 else { 2 }", "E0112", /`{` is never closed/],
  ])("%s", (text, code, said) => {
    const { errors, shown } = broken(`let before = 1;\n${text}\nlet after = 2;`);
    expect(errors.map((one) => one.code)).toEqual([code]);
    expect(`${errors[0]!.title} ${errors[0]!.help}`).toMatch(said);
    expect(errors[0]!.at).toBe(2);
    expect(shown.startsWith("(let before 1)\n")).toBe(true);
    expect(shown.endsWith("\n(let after 2)")).toBe(true);
  });
});

describe("missing semicolons", () => {
  test.each([
    ["let a = 1\nlet b = 2;", "let a = 1"],
    ["let a = f(x) // why\nprint(a);", "let a = f(x)"],
    ["fn f() { let a = 1 }", "fn f() { let a = 1"],
    ["let a = 1 let b = 2;", "let a = 1"],
    ["use std::math\nx;", "use std::math"],
  ])("%j points behind the last token", (text, before) => {
    const { errors } = broken(text);
    expect(errors.map(({ code, on, before: start, help }) => [code, on, start, help])).toEqual([
      ["E0111", "", before, "add `;`"],
    ]);
  });
});

describe("brackets", () => {
  test("an unclosed one labels its opening", () => {
    const { errors } = broken("print(a, f(b);\nlet c = 1;");
    expect(errors.map(({ code, labels, before }) => [code, labels, before])).toEqual([
      ["E0112", ["("], "print(a, f(b)"],
    ]);
  });

  test("a function without `}` ends before the next one at its indentation", () => {
    const { errors, shown } = broken("fn f(x) {\n  let a = x;\n\nfn g() { 2 }\nprint(g());");
    expect(errors.map(({ code, at }) => [code, at])).toEqual([["E0112", 2]]);
    expect(shown).toBe("(fn f (x) {(let a x);})\n(fn g () {2})\n(call print (call g))");
  });

  test("several mistakes are all reported", () => {
    const { errors } = broken(
      "let a = ;\nfn f() {\n  let b = (1;\n  let c = * 2;\n  c\n}\nlet = 3;",
    );
    expect(errors.map(({ code, at }) => [code, at])).toEqual([
      ["E0110", 1],
      ["E0112", 3],
      ["E0110", 4],
      ["E0110", 7],
    ]);
  });

  test("an opening one missing at the end of a line is one error at its partner", () => {
    const text =
      "let z = call\n  first,\n  second = 2,\n);\nlet c[i] = sum[k]\n  a[i, k] * b[k]\n);\n" +
      "let d = 1;";
    const { errors, shown } = broken(text);
    expect(errors.map(({ code, at, on, labels }) => [code, at, on, labels])).toEqual([
      ["E0113", 4, ")", [""]],
      ["E0113", 7, ")", [""]],
    ]);
    expect(shown).toBe("(let z call)\n(let c [i] (index sum k))\n(let d 1)");
  });

  const blame =
    "a forgotten semicolon before a line that does not continue it is not blamed on a bracket";
  test(blame, () => {
    const { errors } = broken("let a = 1\nf(x));\n");
    expect(errors.map(({ code, at }) => [code, at])).toEqual([
      ["E0111", 1],
      ["E0113", 2],
    ]);
  });

  test("closing brackets too many are one error", () => {
    expect(broken("let a = 1;\n}}}}\nlet b = 2;").errors.map(({ code }) => code)).toEqual([
      "E0113",
    ]);
  });
});

describe("independent mistakes of one statement", () => {
  test.each<[string, string[]]>([
    ["f(1 +, 2 *);", [",", ")"]],
    ["f(1 +, 2) + ;", [",", ";"]],
    ["let a = [1 +, 2 *, 3];", [",", ","]],
    ["g(f(a and b), c or d)[i +];", ["and", "or", "]"]],
    ["let y[i] = (a < b < c, fn);", ["<", "fn"]],
  ])("%s gives an error for each", (text, on) => {
    expect(broken(text).errors.map((one) => one.on)).toEqual(on);
  });

  test.each([
    "f(a b c, d = 1 2);",
    "let a = [..left, j, ..right];",
    "f (a: f32, b: i32 = 1) -> f32 { a }",
    "let t = (x where where x > 0, y = x * 2);",
    "let a = x[ [..b, j];",
  ])("%s is one", (text) => {
    expect(broken(text).errors.length).toBe(1);
  });
});

describe("depth", () => {
  const many = 100_000;
  test.each<[string, string]>([
    ["open parentheses", "(".repeat(many)],
    ["closed parentheses", `${"(".repeat(many)}1${")".repeat(many)}`],
    ["brackets", "[".repeat(many)],
    ["blocks", `${"{".repeat(many)}1${"}".repeat(many)}`],
    ["prefixes", `${"-".repeat(many)}a`],
    ["powers", `${"a ** ".repeat(many)}a`],
    ["words for prefixes", `${"not ".repeat(many)}a`],
    ["lambdas", `${"|a| ".repeat(many)}a`],
    ["matches", `${"match a { _ => ".repeat(many)}1${"}".repeat(many)}`],
    ["all levels", "a || a && a == a < a .. a + a * (".repeat(many / 10)],
  ])("%s are E0115 and cost their own statement", (_, text) => {
    const { module, diagnostics } = parse({ name: "deep", text: `let x = ${text};\nlet y = 1;` });
    expect(diagnostics.map((one) => one.code)).toEqual(["E0115"]);
    expect(showModule({ ...module, statements: module.statements.slice(-1) })).toBe("(let y 1)");
  });

  test.each([
    ["sums", `${"a + ".repeat(many)}a`],
    ["pipelines", `${"a |> ".repeat(many)}a`],
    ["casts", `a${" as f32".repeat(many)}`],
    ["postfix chains", `a${"[0](1).b".repeat(many / 4)}`],
    ["else-if chains", `${"if a { 1 } else ".repeat(10_000)}{ 2 }`],
    ["ranges in a sum", `${"a + ".repeat(many)}a .. a`],
    ["300 parentheses", `${"(".repeat(300)}1${")".repeat(300)}`],
  ])("%s parse, and every walk over the tree reaches its end", (_, text) => {
    expect(problemOf(`let x = ${text};`)).toBeUndefined();
    const { module, diagnostics } = parse({ name: "deep", text: `let x = ${text};` });
    expect(diagnostics).toEqual([]);
    const again = parse({ name: "formatted", text: walk(module) });
    expect(firstDifference(module, again.module)).toBeUndefined();
  });

  test.each([
    ["comparisons", `${"a < ".repeat(many)}a`],
    ["memberships", `${"a in ".repeat(many)}a`],
    ["ranges", `${"a .. ".repeat(many)}a`],
  ])("%s that do not chain are one error, and the tree can be walked over", (_, text) => {
    const { module, diagnostics } = parse({ name: "deep", text: `let x = ${text};` });
    expect(diagnostics.map((one) => one.code)).toEqual(["E0110"]);
    expect(walk(module)).toMatch(/^let x =/);
    expect(firstDifference(module, parse(module.source).module)).toBeUndefined();
  });
});

/** Everything in this folder that visits a whole tree; returns the formatted text. */
function walk(module: Module): string {
  const [statement] = module.statements;
  if (statement?.kind !== "let") throw new Error("expected `let`");
  expect(showModule(module)).toMatch(/^\(let x /);
  expect(typeof formatExpression(statement.value)).toBe("string");
  return format(module);
}

describe("one token deleted, doubled or exchanged", () => {
  test("never throws, and nearly always is at most one error", { timeout: 60_000 }, () => {
    let changed = 0;
    let several = 0;
    for (const text of corpus) {
      const { tokens } = lex({ name: "corpus", text });
      for (const [i, token] of tokens.slice(0, -1).entries()) {
        const word = text.slice(token.start, token.end);
        const next = tokens[i + 1]!;
        const head = text.slice(0, token.start);
        const deleted = head + text.slice(token.end);
        const doubled = `${head}${word} ${word}${text.slice(token.end)}`;
        const swapped =
          head +
          text.slice(next.start, next.end) +
          text.slice(token.end, next.start) +
          word +
          text.slice(next.end);
        for (const damaged of [deleted, doubled]) {
          changed++;
          if (parse({ name: "damaged", text: damaged }).diagnostics.length > 1) several++;
        }
        expect(problemOf(swapped)).toBeUndefined();
      }
    }
    expect(changed).toBeGreaterThan(5000);
    expect(several / changed).toBeLessThan(0.01);
  });
});
