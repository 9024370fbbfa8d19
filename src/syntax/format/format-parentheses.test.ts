// Needed parentheses are written, and all others are left out.

import { describe, expect, test } from "vitest";
import { formatExpression } from "./format.ts";
import { parse } from "../parse/parser.ts";
import { expressionIn, formatted } from "../../../test/support/syntax.ts";

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
    "+x ** 2",
    "(+x) ** 2",
    "a + +b - -c",
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
    const text =
      "(allow(W0203) - 1); (allow(W0203)(x)); (allow(W0203) in r); (allow(W0203) + 1); " +
      "allow(x) - 1; (x) - 1;";
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
      "((a)) + (b * (c)); let x = (1); f((y)); if (c) { (1) } else { ((2)) }; ((a, b)); " +
      "(a[i])[j]; (f(x)).y;";
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
