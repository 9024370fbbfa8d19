// Every form of the language, with the tree that it is parsed to.

import { describe, expect, test } from "vitest";
import { corpus } from "../../../test/fuzz/corpus.ts";
import { inspectTree } from "../../../test/fuzz/spans.ts";
import { parse } from "./parser.ts";
import { showModule } from "../../../test/support/sexpr.ts";

function tree(text: string): string {
  const { module, diagnostics } = parse({ name: "test", text });
  expect(diagnostics).toEqual([]);
  expect(inspectTree(module).problem).toBeUndefined();
  return showModule(module);
}

/** The tree of an expression, parsed as the value of a `let`. */
function value(text: string): string {
  return tree(`let v = ${text};`).replace(/^\(let v (.*)\)$/s, "$1");
}

describe("statements", () => {
  test.each([
    ["let x = e;", "(let x e)"],
    ["let x: f32 = e where c, z = 2 else d;", "(let x : f32 e (where c (= z 2) else d))"],
    ["let (a, b) = pair;", "(let (tuple a b) pair)"],
    ["const N: i32 = 64;", "(const N : i32 64)"],
    ["let y[i, j] = e;", "(let y [i j] e)"],
    [
      "let y[i in 0..n, 0, ..b]: f32 = e where c else d;",
      "(let y [(i in (.. 0 n)) 0 ..b] : f32 e (where c else d))",
    ],
    ["let y[t + 1] = e;", "(let y [(+ t 1)] e)"],
    ["let y[in in 0..3] = in;", "(let y [(in in (.. 0 3))] in)"],
    ["checkpoint let h[t in 1..T] = e;", "(checkpoint-let h [(t in (.. 1 T))] e)"],
    ["pub checkpoint let h[t in 1..T] = e;", "(pub (checkpoint-let h [(t in (.. 1 T))] e))"],
    ["input x: [f32; batch, in];", "(input x (tensor f32 batch in))"],
    ["input in: f32;", "(input in f32)"],
    ["fn f(a, b: T, s: i32 = 1,) -> R { a }", "(fn f (a (b : T) (s : i32 = 1)) -> R {a})"],
    ["fn g[j, ..r](x) { x[..r, j] }", "(fn g [j ..r] (x) {(index x ..r j)})"],
    ["@fn f(a) { @a }", "(@fn f (a) {(@ a)})"],
    ["surrogate @fn f(a) { @a }", "(surrogate-@fn f (a) {(@ a)})"],
    ["allow(W0203) let x = 1;", "(allow [W0203] (let x 1))"],
    ["allow(W1, W2) pub fn f() {}", "(allow [W1 W2] (pub (fn f () {})))"],
    ["allow(x);", "(call allow x)"],
    ["allow(x) in r;", "(in (call allow x) r)"],
    ["allow(x) + 1; allow(x) - 1;", "(+ (call allow x) 1)\n(- (call allow x) 1)"],
    ["allow(W0203) -1; allow(W0203) +1;", "(allow [W0203] (- 1))\n(allow [W0203] (+ 1))"],
    ["allow(W0203) * 1; allow(W0203);", "(* (call allow W0203) 1)\n(call allow W0203)"],
    ["allow(W0203) (a);", "(allow [W0203] a)"],
    ["allow(W0203) [a];", "(allow [W0203] (array a))"],
    ["allow(W0203) -a;", "(allow [W0203] (- a))"],
    ["allow(W0203) 1;", "(allow [W0203] 1)"],
    ["allow(W0203) .5;", "(allow [W0203] .5)"],
    ['allow(W0203) "s";', '(allow [W0203] (string "s"))'],
    ["allow(W0203,) allow(W0204) in in r;", "(allow [W0203 W0204] (in in r))"],
    ["fn f() { input in r }", "(fn f () {(in input r)})"],
    ["input in r && c;", "(&& (in input r) c)"],
    ["if a { b } .5;", "(if a {b})\n.5"],
    ["{ a }\n.5;", "{a}\n.5"],
    ["{ a }.0;", "(. {a} 0)"],
    ["val.0; from.1 + 1;", "(. val 0)\n(+ (. from 1) 1)"],
    ["use a::{b, c as d, e::*,};", "(use a::[b (c as d) e::*])"],
    ["use a; use a::*; use a::b as c;", "(use a)\n(use a::*)\n(use (a::b as c))"],
    ["mod m; pub mod n { let x = 1; }", "(mod m)\n(pub (mod n [(let x 1)]))"],
    [
      "enum O<T> { None, Some(T), Box(w: f32, h: f32), }",
      "(enum O <T> None (Some T) (Box w: f32 h: f32))",
    ],
    ["struct P<A, B> { x: A, y: B, }", "(struct P <A B> x: A y: B)"],
    ["a; b", "a\nb"],
    ["e where c, x = 1;", "(guarded e (where c (= x 1)))"],
    ["if a { b } c", "(if a {b})\nc"],
    ["if a { b } else { c } * 2;", "(* (if a {b} {c}) 2)"],
    ["match a { _ => 1 } -b;", "(match a (_ => 1))\n(- b)"],
    [";;let x = 1;;", "(let x 1)"],
    ["", ""],
  ])("%s", (text, expected) => expect(tree(text)).toBe(expected));

  test("contextual words are names wherever they declare nothing", () => {
    expect(
      tree(
        "let input = input[b, ic, oh + kh]; input + 1; rev(a..b); checkpoint(x); surrogate; allow",
      ),
    ).toBe(
      "(let input (index input b ic (+ oh kh)))\n(+ input 1)\n(call rev (.. a b))\n" +
        "(call checkpoint x)\nsurrogate\nallow",
    );
  });

  test("an expression without `;` is the value of its block, with `;` it is not", () => {
    expect(tree("fn f() { a; b }")).toBe("(fn f () {a; b})");
    expect(tree("fn f() { a; (b) }")).toBe("(fn f () {a; b})");
    expect(tree("fn f() { a; b; }")).toBe("(fn f () {a; b;})");
    expect(tree("fn f() { if a { b } else { c } }")).toBe("(fn f () {(if a {b} {c})})");
    expect(tree("fn f() { if a { b } }  fn g() { x where c }")).toBe(
      "(fn f () {(if a {b})})\n(fn g () {(guarded x (where c))})",
    );
  });
});

describe("binding strength", () => {
  const levels = ["|>", "||", "&&", "==", "<", "..", "+", "*"];
  test.each(levels.slice(1).map((tight, i) => [levels[i]!, tight] as const))(
    "%s is looser than %s",
    (loose, tight) => {
      expect(value(`a ${loose} b ${tight} c`)).toBe(`(${loose} a (${tight} b c))`);
      expect(value(`a ${tight} b ${loose} c`)).toBe(`(${loose} (${tight} a b) c)`);
    },
  );

  test.each([
    ["a - b - c", "(- (- a b) c)"],
    ["a / b * c % d", "(% (* (/ a b) c) d)"],
    ["a * b as f32", "(* a (as b f32))"],
    ["-a as f32", "(as (- a) f32)"],
    ["a as i32 < b", "(< (as a i32) b)"],
    ["a as f64 as f32", "(as (as a f64) f32)"],
    ["-x ** 2", "(- (** x 2))"],
    ["2 ** -x", "(** 2 (- x))"],
    ["a ** b ** c", "(** a (** b c))"],
    ["!a && b", "(&& (! a) b)"],
    ["@y / @x", "(/ (@ y) (@ x))"],
    ["@C[i, j] / @A[p]", "(/ (@ (index C i j)) (@ (index A p)))"],
    ["@(@f / @x) / @x", "(/ (@ (/ (@ f) (@ x))) (@ x))"],
    ["i + 1 in 0..n - 1", "(in (+ i 1) (.. 0 (- n 1)))"],
    ["a != b && c >= d", "(&& (!= a b) (>= c d))"],
    ["(a + b) * c", "(* (+ a b) c)"],
    ["x |> f |> |a| a + 1", "(|> (|> x f) (lambda (a) (+ a 1)))"],
  ])("%s", (text, expected) => expect(value(text)).toBe(expected));
});

describe("expressions", () => {
  test.each([
    ["pair.0.1 + x.shape", "(+ (. (. pair 0) 1) (. x shape))"],
    ["true.0", "(. true 0)"],
    ['"s".0', '(. (string "s") 0)'],
    ["P { x }\n.0", "(. (new P x: x) 0)"],
    ["x in .5", "(in x .5)"],
    ["in in .5", "(in in .5)"],
    ["in.0 in .5", "(in (. in 0) .5)"],
    ["a[(x in r, z)]", "(index a (tuple (in x r) z))"],
    ["a[(in, z), (in in in)]", "(index a (tuple in z) (in in in))"],
    ["f[(x in r, z), (in, in)](y)", "(call f [(tuple (in x r) z) (group in in)] y)"],
    ['"{x::>8} {a::b:^^4}"', '(string (show x ":>8") " " (show a::b "^^4"))'],
    ["[x | (-1, x) in pairs]", "(comprehension x (draw (tuple (- 1) x) pairs))"],
    [
      "[x | Some(-1..-.5) in xs, P { a: -1, b } in ps]",
      "(comprehension x (draw (variant Some (.. (- 1) (- .5))) xs) (draw (struct P a: " +
        "(- 1) b: b) ps))",
    ],
    [
      "[x | (a - 1) in r, (a, b - 1) in r, [-a] in r]",
      "(comprehension x (in (- a 1) r) (in (tuple a (- b 1)) r) (in (array (- a)) r))",
    ],
    ["a[t, ..b, f = 0]", "(index a t ..b (pin f 0))"],
    ["a[in in 0..n]", "(index a (in in (.. 0 n)))"],
    ["x[b, in] * W[out, in]", "(* (index x b in) (index W out in))"],
    ["sum[in](x[in])", "(call sum [in] (index x in))"],
    [
      "sum[i, j in 0..n, ..b](e where c else 0)",
      "(call sum [i (j in (.. 0 n)) ..b] (guarded e (where c else 0)))",
    ],
    ["f[(h, w)](x)", "(call f [(group h w)] x)"],
    ["f[i + 1](x)", "(call f [(+ i 1)] x)"],
    ["a[(i, j)]", "(index a (tuple i j))"],
    ["a[(i)]", "(index a i)"],
    ["f(x, s = 2,)(y)[0].z", "(. (index (call (call f x (= s 2)) y) 0) z)"],
    ["v in in", "(in v in)"],
    ["|in| in", "(lambda (in) in)"],
    ["|a, b: f32| a", "(lambda (a b: f32) a)"],
    ["|a||b| a || b", "(lambda (a) (lambda (b) (|| a b)))"],
    ["|| 1", "(lambda () 1)"],
    ["[1, 2,]", "(array 1 2)"],
    ["[]", "(array)"],
    ["[in | in in 0..n]", "(comprehension in (draw in (.. 0 n)))"],
    [
      "[e | (a, b) in xs, a in 0..b, a > 0, v = a]",
      "(comprehension e (draw (tuple a b) xs) (draw a (.. 0 b)) (> a 0) (= v a))",
    ],
    [
      "[e | i + 1 in r, f(i) in r, Some(x) in xs]",
      "(comprehension e (in (+ i 1) r) (in (call f i) r) (draw (variant Some x) xs))",
    ],
    ["[i in r, j]", "(array (in i r) j)"],
    ["(a, b)", "(tuple a b)"],
    ["P { x: 1, y }", "(new P x: 1 y: y)"],
    ["a::P {}", "(new a::P)"],
    ["{ let a = 1; a }", "{(let a 1); a}"],
    ["if x { 1 } else if y { 2 } else { 3 }", "(if x {1} (if y {2} {3}))"],
    ["if (P { x: 1 }) == p { 1 }", "(if (== (new P x: 1) p) {1})"],
    ["match x { 1 => a, }", "(match x (1 => a))"],
    ["true || false", "(|| true false)"],
    ['"a {b:>4} {{c}}"', '(string "a " (show b ">4") " {c}")'],
    ['"{f("x{y}")}"', '(string (show (call f (string "x" (show y)))))'],
    ["1_000i64 + .5f32", "(+ 1_000i64 .5f32)"],
    ["Shape::Circle(2.0)", "(call Shape::Circle 2.0)"],
  ])("%s", (text, expected) => expect(value(text)).toBe(expected));
});

describe("types", () => {
  test.each([
    ["f32", "f32"],
    ["[f32; 2, n, ..b, ?]", "(tensor f32 2 n ..b ?)"],
    ["[f32; *]", "(tensor f32 *)"],
    ["[f32]", "(row f32)"],
    ["[f32;]", "(tensor f32)"],
    ["[f32; out, in]", "(tensor f32 out in)"],
    ["(f32, [i32; n])", "(tuple f32 (tensor i32 n))"],
    ["(f32, f32) -> f32", "(-> (f32 f32) f32)"],
    ["() -> (f32) -> i32", "(-> () (-> (f32) i32))"],
    ["jagged[i32]", "(jagged i32)"],
    ["a::Name<T, Option<f32>>", "a::Name<T Option<f32>>"],
  ])("%s", (text, expected) => expect(tree(`let v: ${text}= e;`)).toBe(`(let v : ${expected} e)`));
});

describe("patterns", () => {
  test.each([
    ["_", "_"],
    ["-1", "(- 1)"],
    ['"s"', '(string "s")'],
    ["true", "true"],
    ["in", "in"],
    ["1 | 2..5 | -3..=N", "(| 1 (.. 2 5) (..= (- 3) N))"],
    ["n @ (1 | 2)", "(@ n (| 1 2))"],
    ["(a, (b, _))", "(tuple a (tuple b _))"],
    ["[a, ..rest, b]", "(array a ..rest b)"],
    ["[..]", "(array ..)"],
    ["Shape::Dot", "(variant Shape::Dot)"],
    ["Box(w = a, h = 1)", "(variant Box (= w a) (= h 1))"],
    ["P { x, y: 0, .. }", "(struct P x: x y: 0 ..)"],
    ["x where x > 1", "x where (> x 1)"],
  ])("%s", (text, expected) =>
    expect(value(`match s { ${text} => 1 }`)).toBe(`(match s (${expected} => 1))`),
  );

  test("a comma after a block body is optional", () => {
    expect(value("match s { 1 => { a } 2 => if c { d } else { e } _ => f }")).toBe(
      "(match s (1 => {a}) (2 => (if c {d} {e})) (_ => f))",
    );
  });
});

describe("places", () => {
  test.each(corpus.map((text, n) => [n, text] as const))(
    "of corpus program %i nest and follow one another",
    (_, text) => {
      const { module } = parse({ name: "corpus", text });
      const { problem, nodes } = inspectTree(module);
      expect(problem).toBeUndefined();
      expect(nodes).toBeGreaterThan(2);
    },
  );

  test("begin with the first token and end with the last", () => {
    const text = "  allow(W1) let y = (a + b) * f(x) ; // end\n";
    const [statement] = parse({ name: "test", text }).module.statements;
    expect(text.slice(statement!.span.start, statement!.span.end)).toBe(
      "allow(W1) let y = (a + b) * f(x) ;",
    );
    if (statement?.kind !== "let" || statement.value.kind !== "binary")
      throw new Error("unexpected tree");
    const { left, right, span, operatorSpan } = statement.value;
    expect(
      [left.span, right.span, span, operatorSpan].map((place) =>
        text.slice(place.start, place.end),
      ),
    ).toEqual(["(a + b)", "f(x)", "(a + b) * f(x)", "*"]);
  });

  test("the walker sees a child outside of its parent", () => {
    const { module } = parse({ name: "test", text: "let x = a + b;" });
    const statement = { ...module.statements[0]!, span: { ...module.span, end: 9 } };
    expect(inspectTree({ ...module, statements: [statement] }).problem).toMatch(/^outside/);
  });
});
