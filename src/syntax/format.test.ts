// The canonical layout, form by form: each snapshot shows what a program looks like after formatting.

import { describe, expect, test } from "vitest";
import type { Expression } from "./ast.ts";
import { format, formatExpression, formatPattern, formatType } from "./format.ts";
import { parse } from "./parser.ts";

function formatted(text: string): string {
  const { module, diagnostics } = parse({ name: "<test>", text });
  expect(diagnostics.map((one) => one.title)).toEqual([]);
  return "\n" + format(module);
}

function expressionIn(text: string): Expression {
  const [statement] = parse({ name: "<test>", text: `${text};` }).module.statements;
  if (statement?.kind !== "expression") throw new Error(`no expression: ${text}`);
  return statement.value;
}

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
    const text = `use std::math::{exp,sqrt as root,inner::{a,b::*}};pub use std::ml::*;use std::array as arr;
      mod other;pub mod m{const N=1;fn f(x){x}} mod nothing{}
      enum Shape{Dot,Circle(f32),Box(w:f32,h:f32,)} enum Option<T>{None,Some(T)} struct Point{x:f32,y:f32} struct Unit{}
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
    const text = "\n\n\nlet a = 1;\n\n\n\nlet b = 2;\nlet c = 3;\nfn f() {\n\n  let d = 4;\n\n\n  d\n\n}\n\n\n";
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

describe("parentheses", () => {
  // Each text is canonical: it keeps all of its parentheses.
  test.each([
    "a - (b - c)",
    "a - b - c",
    "a / (b * c)",
    "(a + b) * c",
    "(-x) ** 2",
    "-x ** 2",
    "2 ** -x",
    "2 ** 3 ** 4",
    "(2 ** 3) ** 4",
    "--x",
    "!(a && b)",
    "(a == b) == c",
    "a == b < c",
    "(a..b)..c",
    "v in 0..n + 1",
    "(v in r) in s",
    "x as f32 < y",
    "(x as Foo) < y",
    "x as Foo > y",
    "(a + b) as f32 as i32",
    "-x as f32",
    "-(x as f32)",
    "(x as f32)[i]",
    "(a, b).0.1",
    "(1).shape",
    "true.0",
    "(a[i])(x)",
    "a[i](x)",
    "a[i][j](x)",
    "f(x)(y)[i].z",
    "(if a { 1 } else { 2 }) * 3",
    "3 * if a { 1 } else { 2 } + 4",
    "(match x { _ => f })(y)",
    "({ a })[i]",
    "(|x| x)(y)",
    "x |> (|y| y + 1) |> f",
    "|x| |y: f32| x + y",
    "|| 1",
    "(x where c) + 1",
    "f(x where c)",
    "f((x where c), y)",
    "f(a = x where c else 0)",
    "[(x where c)]",
    "x where c, d = 1 else y",
    "x where (if c { d }) else y",
    "if (Point { x: 1 } == p) { 1 }",
    "if (a == if b { c } else { d }) { 1 }",
    "match (P {}) {}",
    "[x | (i in r), i in r, f(i) in r, a + i in r]",
    "[(|x| x) | (Some(y) | y) in xs, (n @ (1, m)) in xs, Some(z) in xs, _ in xs]",
    "a[(i in r && c), i in r]",
    "sum[i, j in 0..n, ..b, (h, w), 0](x)",
    "a[..b, field = 0, 1]",
    "0...5",
    '"s".0',
    "allow(W0203)",
    "allow(x) - 1",
    "input in r",
    "[x | (-1, x) in pairs, ((-1, x) in pairs), (-1) in xs]",
    "a[(x in r, z)]",
    "@(@f / @x) / @x",
    "x in .5",
    "(a || b) && c",
    "a |> f || g",
    "(a |> f) || g",
  ])("%s", (text) => {
    const { diagnostics } = parse({ name: "<test>", text: `${text};` });
    const once = formatExpression(expressionIn(text));
    expect(diagnostics.map((one) => one.title)).toEqual([]);
    expect(once).toBe(text);
  });

  test("a call that begins like the mark `allow(W0203)` stands in parentheses", () => {
    const text = "(allow(W0203) - 1); (allow(W0203)(x)); (allow(W0203) in r); allow(W0203) + 1; allow(x) - 1; (x) - 1;";
    expect(formatted(text)).toBe(`
(allow(W0203) - 1);
(allow(W0203)(x));
(allow(W0203) in r);
(allow(W0203) + 1);
allow(x) - 1;
x - 1;
`);
    expect(formatted("allow(W0203) (x)[0]; allow(W0203) .5; fn f() { (allow(W0203) - 1) }")).toBe(`
allow(W0203) x[0];
allow(W0203) .5;
fn f() { (allow(W0203) - 1) }
`);
  });

  test("those that are not needed go", () => {
    const text =
      "((a)) + (b * (c)); let x = (1); f((y)); if (c) { (1) } else { ((2)) }; ((a, b)); (a[i])[j]; (f(x)).y;";
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      a + b * c;
      let x = 1;
      f(y);
      if c { 1 } else { 2 };
      (a, b);
      a[i][j];
      f(x).y;
      "
    `);
  });
});

describe("expressions", () => {
  test("match arms stand one to a line", () => {
    const text = `let area=match shape{Shape::Dot=>0.0,Circle(r) where r>0=>3.14*r**2,Box(w=a,h=b)=>{let c=a*b;c}
      1|2..=5=>4,-1=>n,n@(-2|-3)=>n,[a,..rest,b]=>a,[..]=>0,Point{x,y:0,..}=>x,(a,"s",true)=>{1},_=>0};match x{};`;
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
    const text = String.raw`let s = "a\tb\n\u{41}\u{7} \'q\' \"r\" \{x\} {{y}} {x:.4f} {f("in{y}")} {a::b} {(|v: f32| v)(1)} {({ 1 })} {P { x: 1 }}";`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let s =
        "a\\tb\\nA\\u{7} 'q' \\"r\\" {{x}} {{y}} {x:.4f} {f("in{y}")} {a::b} {(|v: f32| v)(1)} {({ 1 })} {P { x: 1 }}";
      "
    `);
  });

  test("numbers stay as written", () => {
    expect(formatExpression(expressionIn("[1_000, .5, 1e-5, 42i64, 1.0f64]"))).toBe("[1_000, .5, 1e-5, 42i64, 1.0f64]");
  });

  test("struct literals use the shorthand", () => {
    expect(formatExpression(expressionIn("Point { x: x, y: 1, }"))).toBe("Point { x, y: 1 }");
  });
});

describe("long lines", () => {
  test("lists break one element a line", () => {
    const text = `let long = some_function(first_argument_expression + 1, second_argument_expression * 2, third = 3, fourth = 4);
      let matrix = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 3.0]];
      let only = f([first_element_of_the_array, second_element_of_the_array, third_element_of_the_array, fourth]);
      fn conv[h, w](image: [f32; batch, channel, h, w], kernel: [f32; out, channel, kh, kw], stride: i32 = 1) -> [f32; batch, out, h, w] { image }
      enum Longer { FirstVariantWithALongName(f32, i32), SecondVariantWithALongName(w: f32, h: f32), Third }
      use std::some::very::long::path::{first_member, second_member as renamed_second, third::{a, b}, fourth::*};
      let points = [Point { x: px, y: py } | (px, py) in all_the_points_that_were_collected, px > lower_bound, py > lower_bound];`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let long = some_function(
        first_argument_expression + 1,
        second_argument_expression * 2,
        third = 3,
        fourth = 4,
      );
      let matrix = [
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        [1.0, 2.0, 3.0],
      ];
      let only = f([
        first_element_of_the_array,
        second_element_of_the_array,
        third_element_of_the_array,
        fourth,
      ]);
      fn conv[h, w](
        image: [f32; batch, channel, h, w],
        kernel: [f32; out, channel, kh, kw],
        stride: i32 = 1,
      ) -> [f32; batch, out, h, w] { image }
      enum Longer {
        FirstVariantWithALongName(f32, i32),
        SecondVariantWithALongName(w: f32, h: f32),
        Third,
      }
      use std::some::very::long::path::{
        first_member,
        second_member as renamed_second,
        third::{a, b},
        fourth::*,
      };
      let points = [
        Point { x: px, y: py }
        | (px, py) in all_the_points_that_were_collected,
          px > lower_bound,
          py > lower_bound
      ];
      "
    `);
  });

  test("chains break before their operators", () => {
    const text = `let total = first_component[i, j] * weight_of_the_first + second_component[i, j] * weight_of_the_second - third[i];
      let z = data |> normalise(mean = 0.0, deviation = 1.0) |> flatten |> dense(width = 128) |> relu |> dense(width = 10);
      let ok = some_condition_that_is_long(x) && (another_condition_that_is_long(y) || a_third_condition(z)) && the_last_condition;
      let next_line_is_enough = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa[i, j] + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb[i, j];`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let total =
        first_component[i, j] * weight_of_the_first
          + second_component[i, j] * weight_of_the_second
          - third[i];
      let z = data
        |> normalise(mean = 0.0, deviation = 1.0)
        |> flatten
        |> dense(width = 128)
        |> relu
        |> dense(width = 10);
      let ok =
        some_condition_that_is_long(x)
          && (another_condition_that_is_long(y) || a_third_condition(z))
          && the_last_condition;
      let next_line_is_enough =
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa[i, j] + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb[i, j];
      "
    `);
  });

  test("calls, blocks and branches open on the line of their `=`", () => {
    const text = `let loss = -mean[b](sum[class](target[b, class] * log(prediction[b, class] + 1e-9)) where weight[b] > 0.0);
      let s = sum[hidden](some_rather_long_activation_name[batch, hidden] * some_rather_long_weight_name[out, hidden]);
      let g = if some_condition_that_is_long && another_condition { some_function(of, several, arguments) } else { other(of, args) };
      let h = fold(|acc, x| { let y = acc + x; y * 2 });
      let b = { let inner = 1; inner + 1 };
      let m = f(x) |> match y { _ => { 1 } };`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let loss = -mean[b](
        sum[class](target[b, class] * log(prediction[b, class] + 1e-9)) where weight[b] > 0.0
      );
      let s = sum[hidden](
        some_rather_long_activation_name[batch, hidden] * some_rather_long_weight_name[out, hidden]
      );
      let g = if some_condition_that_is_long && another_condition {
        some_function(of, several, arguments)
      } else {
        other(of, args)
      };
      let h = fold(|acc, x| {
        let y = acc + x;
        y * 2
      });
      let b = {
        let inner = 1;
        inner + 1
      };
      let m = f(x)
        |> match y {
          _ => { 1 },
        };
      "
    `);
  });

  test("`where` gets its own line", () => {
    const text = `let hidden[batch, out] = bias[out] + sum[feature](x[batch, feature] * W[out, feature]) where batch < limit, mask[batch];
      let y[i] = x[i] where first_guard_that_is_long(i), second_binding = something_that_is_long[i], third_guard(i), last else 0;
      let c[b, o] = sum[i, k](image[b, ih] * kernel[o, k] where ih = i * stride + k - padding, ih >= 0, ih < extent(height));`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let hidden[batch, out] = bias[out] + sum[feature](x[batch, feature] * W[out, feature])
        where batch < limit, mask[batch];
      let y[i] = x[i]
        where first_guard_that_is_long(i),
          second_binding = something_that_is_long[i],
          third_guard(i),
          last
        else 0;
      let c[b, o] = sum[i, k](
        image[b, ih] * kernel[o, k] where ih = i * stride + k - padding, ih >= 0, ih < extent(height)
      );
      "
    `);
  });
});

describe("comments", () => {
  test("in lists, chains, blocks and arms", () => {
    const text = `// header

/// Doc of f.
fn f(x, // the x
     y) { // body opens
  // own
  x + y // value
  // end of f
} // after f
let z = g( // open
  a, // first
  // before b
  b
  // dangling
);
let s = a // left
  + b // right
  // own line before c
  + c;
let pipeline = data // raw
  |> clean // cleaned
  // then
  |> train;
match v { // arms
  // first arm
  1 => 2, // one
  _ => // default
    3,
  // last
};
let h[t in 1..T, // time
      i] = g(h[t-1, i]) // step
   where t > 0, // guard
         i < n // other
   else 0; // done
struct P { // fields
  x: f32, // the x

  // the y
  y: f32 }
let p = [ // squares
  i * i // each
  // from
  | i in 0..n, // up
  i > 2
  // no more
];`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      // header

      /// Doc of f.
      fn f(
        x, // the x
        y,
      ) { // body opens
        // own
        x + y // value
        // end of f
      } // after f
      let z = g( // open
        a, // first
        // before b
        b,
        // dangling
      );
      let s =
        a // left
          + b // right
          // own line before c
          + c;
      let pipeline = data // raw
        |> clean // cleaned
        // then
        |> train;
      match v { // arms
        // first arm
        1 => 2, // one
        _ => 3, // default
        // last
      };
      let h[
        t in 1..T, // time
        i,
      ] = g(h[t - 1, i]) // step
        where t > 0, // guard
          i < n // other
        else 0; // done
      struct P { // fields
        x: f32, // the x
        // the y
        y: f32,
      }
      let p = [ // squares
        i * i // each
        // from
        | i in 0..n, // up
          i > 2
        // no more
      ];
      "
    `);
  });

  test("in places that have no line of their own", () => {
    const text = `let x = // after equals
  5;
let y =
  // why y
  f(a); // trailing y
let odd = a // one
  . // two
  b;
let two = // one
  ( // two
  3 // three
  ) // four
  ; // five
if a { // then
  1
} // between
else { // otherwise
  2
}
let w[i] = x[i]
  // before where
  where i > 0;
fn nothing( // here
) { // or here
}
fn only() {
  // this
}
mod m { // inside
  // nothing
}
let q = sum[i, // the i
 j // the j
 ]( // body
  a[i] where // guard
   i > j );
let last = 1 // no semicolon
// the end`;
    expect(formatted(text)).toMatchInlineSnapshot(`
      "
      let x = 5; // after equals
      let y =
        // why y
        f(a); // trailing y
      let odd = a.b; // one
      // two
      let two = 3; // one
      // two
      // three
      // four
      // five
      if a { // then
        1
      } else { // between
        // otherwise
        2
      };
      let w[i] = x[i]
        // before where
        where i > 0;
      fn nothing( // here
      ) { // or here
      }
      fn only() {
        // this
      }
      mod m { // inside
        // nothing
      }
      let q = sum[
        i, // the i
        j, // the j
      ]( // body
        a[i] where i > j // guard
      );
      let last = 1; // no semicolon
      // the end
      "
    `);
  });
});

describe("texts for messages", () => {
  test("are one line, however long", () => {
    expect(formatExpression(expressionIn("{ let a = 1;\n\n // c\n match a { 1 => b, _ => { 2 } } }"))).toBe(
      "{ let a = 1; match a { 1 => b, _ => { 2 } } }",
    );
    const long = `f(${Array.from({ length: 60 }, (_, n) => `argument${n}`).join(", ")})`;
    expect(formatExpression(expressionIn(long))).toBe(long);
  });

  test("of types and patterns", () => {
    const [statement] = parse({ name: "<test>", text: "let [a, ..r]:[f32;..n,2,?]=x;" }).module.statements;
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
