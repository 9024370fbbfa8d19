// The canonical layout, form by form. Each snapshot shows a formatted program.

import { describe, expect, test } from "vitest";
import { format, formatExpression, formatPattern, formatType } from "./format.ts";
import { parse } from "../parse/parser.ts";
import { expressionIn, formatted } from "../../../test/support/syntax.ts";

describe("statements", () => {
  test("bindings and inputs", () => {
    const text = `let x=e;let x:T=e where c;let (a,b)=pair;const N:i32=64;pub let y[i,j]=e;
      let y[i in 0..n,0,..b,k in rev(0..n)]:[f32;n,?]=e where c1,z=c2 else d;
      checkpoint let h[t in 1..T,i]=h[t-1,i];input x:[f32;batch,..rest];input s:[f32;*];
      allow(W0203,W0101) pub let _=1;allow(W0203) print(x);@y/@x`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let x = e;
      let x: T = e where c;
      let (a, b) = pair;
      const N: i32 = 64;
      pub let y[i, j] = e;
      let y[i in 0..n, 0, ..b, k in rev(0..n)]: [f32; n, ?] = e where c1, z = c2 else d;
      checkpoint let h[t in 1..T, i] = h[t - 1, i];
      input x: [f32; batch, ..rest];
      input s: [f32; *];
      allow(W0203, W0101) pub let _ = 1;
      allow(W0203) print(x);
      @y / @x;
      "
    `);
  });

  test("functions", () => {
    const text = `fn relu(x){if x>0{x}else{0}} fn none(){} pub fn f(a,b:T,stride:i32=1)->R{a}
      fn g[j,..rest](x:[f32;..rest,j])->[f32;..rest]{let s[..rest]=sum[j](x[..rest,j]);s}
      @fn f(a,b:T,stride:i32=1){@a*b+a*@b} surrogate @fn step(x){@x} fn effects(x){print(x);}`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      fn relu(x) { if x > 0 { x } else { 0 } }
      fn none() {}
      pub fn f(a, b: T, stride: i32 = 1) -> R { a }
      fn g[j, ..rest](x: [f32; ..rest, j]) -> [f32; ..rest] {
        let s[..rest] = sum[j](x[..rest, j]);
        s
      }
      @fn f(a, b: T, stride: i32 = 1) { @a * b + a * @b }
      surrogate @fn step(x) { @x }
      fn effects(x) {
        print(x);
      }
      "
    `);
  });

  test("modules, imports and types", () => {
    const text = `use std::math::{exp,sqrt as root,inner::{a,b::*}};pub use std::ml::*;
      use std::array as arr;
      mod other;pub mod m{const N=1;fn f(x){x}} mod nothing{}
      enum Shape{Dot,Circle(f32),Box(w:f32,h:f32,)} enum Option<T>{None,Some(T)}
      struct Point{x:f32,y:f32} struct Unit{}
      let f:(f32,[i32;n])->f32=g;let t:(Option<(f32)->f32>,jagged[i32],[f32],m::Point)=u;`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      use std::math::{exp, sqrt as root, inner::{a, b::*}};
      pub use std::ml::*;
      use std::array as arr;
      mod other;
      pub mod m {
        const N = 1;
        fn f(x) { x }
      }
      mod nothing {}
      enum Shape { Dot, Circle(f32), Box(w: f32, h: f32) }
      enum Option<T> { None, Some(T) }
      struct Point { x: f32, y: f32 }
      struct Unit {}
      let f: (f32, [i32; n]) -> f32 = g;
      let t: (Option<(f32) -> f32>, jagged[i32], [f32], m::Point) = u;
      "
    `);
  });

  test("blank lines: one at most, none at the ends of a file or block", () => {
    const text =
      "\n\n\nlet a = 1;\n\n\n\nlet b = 2;\nlet c = 3;\n" +
      "fn f() {\n\n  let d = 4;\n\n\n  d\n\n}\n\n\n";
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let a = 1;

      let b = 2;
      let c = 3;
      fn f() {
        let d = 4;

        d
      }
      "
    `);
  });

  test("an empty file stays empty, and one of comments keeps them", () => {
    expect(formatted("  \n\n ")).toBe("\n");
    expect(formatted("\n// a\n\n\n// b  ")).toBe("\n// a\n\n// b\n");
  });

  test("carriage returns go", () => {
    expect(formatted("let a = 1; // x\r\n\r\n\r\n// y\r\nlet b = 2;\r\n")).toBe(
      "\nlet a = 1; // x\n\n// y\nlet b = 2;\n",
    );
  });
});

describe("expressions", () => {
  test("match arms stand one to a line", () => {
    const text = `let area=match shape{Shape::Dot=>0.0,Circle(r) where r>0=>3.14*r**2,
      Box(w=a,h=b)=>{let c=a*b;c}
      1|2..=5=>4,-1=>n,n@(-2|-3)=>n,[a,..rest,b]=>a,[..]=>0,Point{x,y:0,..}=>x,
      (a,"s",true)=>{1},_=>0};match x{};`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let area = match shape {
        Shape::Dot => 0.0,
        Circle(r) where r > 0 => 3.14 * r ** 2,
        Box(w = a, h = b) => {
          let c = a * b;
          c
        },
        1 | 2..=5 => 4,
        -1 => n,
        n @ (-2 | -3) => n,
        [a, ..rest, b] => a,
        [..] => 0,
        Point { x, y: 0, .. } => x,
        (a, "s", true) => { 1 },
        _ => 0,
      };
      match x {};
      "
    `);
  });

  test("strings have one spelling", () => {
    const rest = `{{y}} {x:.4f} {f("in{y}")} {a::b} {(|v: f32| v)(1)} {({ 1 })} {P { x: 1 }}";`;
    const text = String.raw`let s = "a\tb\n\u{41}\u{7} \'q\' \"r\" \{x\} ${rest}`;
    const escaped = String.raw`"a\tb\nA\u{7} 'q' \"r\" {{x}} ${rest}`;
    expect(formatted(text)).toBe(`\nlet s =\n  ${escaped}\n`);
  });

  test("numbers stay as written", () => {
    expect(formatExpression(expressionIn("[1_000, .5, 1e-5, 42i64, 1.0f64]"))).toBe(
      "[1_000, .5, 1e-5, 42i64, 1.0f64]",
    );
  });

  test("struct literals use the shorthand", () => {
    expect(formatExpression(expressionIn("Point { x: x, y: 1, }"))).toBe("Point { x, y: 1 }");
  });
});

describe("texts for messages", () => {
  test("are one line, however long", () => {
    expect(
      formatExpression(expressionIn("{ let a = 1;\n\n // c\n match a { 1 => b, _ => { 2 } } }")),
    ).toBe("{ let a = 1; match a { 1 => b, _ => { 2 } } }");
    const long = `f(${Array.from({ length: 60 }, (_, n) => `argument${n}`).join(", ")})`;
    expect(formatExpression(expressionIn(long))).toBe(long);
  });

  test("of types and patterns", () => {
    const [statement] = parse({ name: "<test>", text: "let [a, ..r]:[f32;..n,2,?]=x;" }).module
      .statements;
    if (statement?.kind !== "let" || !statement.type) throw new Error("expected a typed `let`");
    expect(formatType(statement.type)).toBe("[f32; ..n, 2, ?]");
    expect(formatPattern(statement.pattern)).toBe("[a, ..r]");
  });
});

test("what could not be read is kept as written", () => {
  const text = "let a = 1;\nlet = ;\nwhile  true { // c\n  x\n}\nlet b = 2;\n";
  const result = format(parse({ name: "<test>", text }).module);
  expect(result).toContain("let a = 1;");
  expect(result).toContain("let b = 2;");
  expect(result.match(/\/\/ c/g)).toHaveLength(1);
});
