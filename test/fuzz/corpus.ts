// Valid programs that together use every form of the language: seeds for the fuzzers and for the
// tests of the formatter.

export const corpus: readonly string[] = [
  `let x = 1;
let y: f32 = 2.5;
let (a, b) = (x, y);
const N = 64;
const M: i32 = 8;
print(a);
`,
  `let C[i, j] = sum[k](A[i, k] * B[k, j]);
let d[i] = M[i, i];
let t[j, i] = C[i, j];
let row[j] = M[2];
`,
  `// one layer
input x: [f32; batch, in];
input W: [f32; out, in];
input bias: [f32; out];
let z[b, out] = sum[in](x[b, in] * W[out, in]) + bias[out];
let h[b, out] = max(z[b, out], 0.0);
let in = 3;
let v = in in 0..in;
let s = [in in 0..4 | in in 0..n];
`,
  `/// Rows that sum to one.
pub fn softmax[j](x: [f32; ..left, j, ..right]) -> [f32; ..left, j, ..right] {
  let m[..left, ..right] = max[j](x[..left, j, ..right]);
  let e[..left, j, ..right] = exp(x[..left, j, ..right] - m[..left, ..right]);
  e[..left, j, ..right] / sum[j](e[..left, j, ..right])
}
let p[b, class] = softmax[class](logits[b, class]);
`,
  `fn f(a, b: f32, stride: i32 = 1) -> f32 { a * b + stride as f32 }
@fn f(a, b: f32, stride: i32 = 1) { @a * b + a * @b }
surrogate @fn round_half(x) { @x }
print(f(1.0, 2.0, stride = 3));
`,
  `let h[0] = x;
let h[t in 1..4] = h[t-1] * W + b;
checkpoint let g[t in 1..T, i] = tanh(g[t-1, i] + sum[j](U[i, j] * g[t-1, j]));
let back[t in rev(0..T - 1)] = back[t+1] * 0.5;
`,
  `use std::math::{exp, sqrt as root};
use std::ml::*;
use std::array as arr;
use std::nn::{layers::{dense, conv as convolution,}, loss::*};
pub use std::math;
mod inner {
  pub const K = 3;
  fn hidden(x) { x + K }
}
mod beside;
`,
  `enum Shape { Dot, Circle(f32), Box(w: f32, h: f32) }
enum Option<T> { None, Some(T), }
struct Point { x: f32, y: f32 }
pub struct Pair<A, B> { first: A, second: [B; n, 3], }
let c = Shape::Circle(2.0);
let p = Point { x: 1.0, y: 2.0 };
let x = 1.0;
let q = Point { x, y: p.y, };
`,
  `fn area(s: Shape) -> f32 {
  match s {
    Shape::Dot => 0.0,
    Shape::Circle(r) where r > 0.0 => 3.14 * r ** 2,
    Shape::Circle(_) => { 0.0 }
    Shape::Box(w = a, h = b) => a * b,
  }
}
`,
  `let kind = match n {
  0 => "zero",
  1 | 2 | 3 => "few",
  4..=9 => "some",
  -5..0 => "below",
  k @ 10 => "ten",
  k @ (11 | 12) => "eleven or twelve",
  _ where n % 2 == 0 => "even",
  _ => "many",
};
`,
  `let total = match xs {
  [] => 0,
  [only] => only,
  [first, ..rest, last] => first + last + len(rest),
  [_, ..] => 1,
};
let (a, (b, c)) = nested;
let Point { x, y: py, .. } = p;
let [u, v] = pair;
let true_or = match flag { true => 1, false => 0 };
let n = match (a, b) { (0, _) => 1, (_, "s") => 2, other => 3 };
`,
  `let s = "loss {x:.4f} at {t}";
let braces = "{{literal}} {value}";
let nested = "outer {f("inner {y:>8}", 1)} end";
let escapes = "tab\\t quote\\" back\\\\ line\\n uni\\u{1F600}";
let specs = "{a:+08.3e} {b:,} {c:*^10} {d:%} {e:<5s} {g[i, j]:d}";
let empty = "";
`,
  `let squares = [i * i | i in 0..n];
let table = [a + b | (a, b) in pairs, a > 0, v = a * b, v < 10];
let kept = [x[i] | i in 0..n, mask[i]];
let firsts = [p | Some(p) in options];
let flat = [e | row in rows, e in row,];
let lits = [1, 2, 3,];
let rows = [[1.0, 2.0], [3.0, 4.0]];
let none = [];
`,
  `let add = |a, b| a + b;
let typed = |a: f32, b: [f32; n]| a * b;
let thunk = || 42;
let curried = |a| |b| a + b;
let r = x |> f |> g(1) |> |v| v + 1;
let called = f(x)(y)(z);
`,
  `let y = -x ** 2 + 2 ** -x ** 3;
let z = a || b && c == d < e;
let w = !a && -b as f32 * 0.5 < c;
let r = (a + b) * (c - d) / e % f;
let m = a + b * c as f64 as f32;
let k = 0..n + 1;
let q = i in 0..=n - 1;
`,
  `let numbers = 42 + 1_000 + 3.14 + 1e-5 + .5 + 42i64 + 1.0f64 + 2f32 + 7i8 + 1bf16 + 2E+3;
let member = pair.0.1 + t.1.x + x.shape[0];
let range = 1..n;
let inclusive = 1..=10;
`,
  `let y[i in 0..n, 0, ..b] = e[..b] where i > 0, z = i * 2 else 1.0;
let s = sum[i](d[i] where d[i] > 0);
let after = sum[i](d[i]) where d[i] > 0;
let d_E[p in 0..V, j] = sum[k](g[k, j] where idx[k] == p);
let d_in[ih in 0..6] = sum[kh](g[ih - kh] * w[kh] where ih - kh in 0..5, q = kh + 1 else 0.0);
let c[oh, kh] = x[ih] where ih = oh + kh;
`,
  `let dW = @loss / @W;
let J[i, j, p, q] = @C[i, j] / @A[p, q];
let H = @(@f / @x) / @x;
let first = @y[0] / @x;
let combo = (2.0 * @y) / @x;
print(@y);
print(@y / @x);
`,
  `let loss[t in 0..T] = sum[i](W[t, i] * W[t, i]);
let W[t in 1..T, i] = W[t-1, i] - lr * @loss[t-1] / @W[t-1, i];
allow(W0203) let unused = 1;
allow(W0203, W0301) pub fn g(x) { x }
allow(W0204)
print(unused);
`,
  `fn fact(n: i32) -> i32 {
  if n <= 1 { 1 } else { n * fact(n - 1) }
}
fn sign(x) {
  if x > 0.0 {
    1.0
  } else if x < 0.0 {
    -1.0
  } else {
    0.0
  }
}
print(fact(10));
`,
  `fn steps(x) {
  let a = x + 1;
  let b[i] = x[i] * a[i];
  print("a");
  if a > 2 { print("big"); }
  { let c = 1; print(c); }
  match a { 1 => print("one"), _ => print("other") }
  b
}
`,
  `let a: [f32; 2, 3] = z;
let b: [f32; ?, ?] = z;
let c: [f32] = z;
let d: [f32; *] = z;
let e: [f32; ..left, j, ..right] = z;
let f: (f32, [i32; n]) = z;
let g: (f32, f32) -> f32 = z;
let h: jagged[i32] = z;
let i: Option<[f32; n]> = z;
let j: () -> bool = z;
let k: std::shapes::Shape = z;
let l: [(f32, i32); out, in] = z;
`,
  `let conv[b, oc, oh, ow] = sum[ic, kh, kw](
  input[b, ic, oh + kh, ow + kw] * weight[oc, ic, kh, kw]
);
let input = 3;
let rev = rev(0..input);
let checkpoint = rev;
let surrogate = checkpoint + 1;
let allow = surrogate;
allow(x);
`,
  `let a = x[t, i, field = 0];
let b = x[..b, j];
let c = softmax[(h, w)](x);
let d = f[(h, w), ..rest, c in 0..3](x[b, h, w, c], stride = 2);
let e = a[p / w, p % w] + a[(i + n - 1) % n] + a[idx[k], col[k]] + a[max(i - 1, 0)];
let g = logsumexp[i, j in 0..n](x[i, j]);
`,
  `let total = (x where x > 0, y = x * 2);
f(a where a > 0 else 1, );
x[i] where i > 0;
let t = { let u = 1; u + 2 };
let v = { x where x > 0 };
`,
  `let y[i] = if i > 0 { x[i] - x[i-1] } else { x[i] };
let n = if c { Point { x: 1, y: 2 } } else { p };
let m = match (Point { x: 1, y: 2 }) { Point { x, .. } => x };
let k = (if a { 1 } else { 2 }) - 3;
let s = if c { 1 } else { 0 } * 2.0;
`,
  `let deep = ((((1 + (2 * (3 - (4 / 5)))))));
let idx = a[b[c[d[e[0]]]]];
let calls = f(g(h(k(1, 2), 3), 4), 5);
let blocks = { { { 1 } } };
`,
  `let out[h, q, d] = sum[k](w[h, q, k] * V[h, k, d]);
let scores[h, q, k] = sum[d](Q[h, q, d] * K[h, k, d]) / sqrt(extent(d) as f32) where k <= q
  else -1e9;
let w[h, q, k] = softmax[k](scores[h, q, k]) where k <= q;
`,
  `let fib[0] = 0;
let fib[1] = 1;
let fib[n in 2..20] = fib[n-1] + fib[n-2];
assert(fib[19] == 4181);
fib
`,
  `let c[i in 0..n] = a[i];
let c[i in n..n+m] = b[i - n];
let hist[b in 0..8] = sum[k](1 where bins[k] == b);
let run[i] = sum[k in 0..i+1](d[k]);
let best = argmax[i](x[i]);
let ok = all[i](x[i] > 0) && any[i](y[i] != 0) || count[i](z[i] >= 1) == 3;
`,
  `struct Empty {}
enum Never {}
fn unit() {}
mod empty {}
let e = Empty {};
;
let after = 1;;
`,
  `// comments everywhere
let x // after a name
  = // after the sign
  1 /// odd doc
  + 2; // behind
// between
fn f(
  a, // first
  b,
) {
  // only a comment before
  a + b
  // and after
}
// at the end`,
  `let x = a
  |> f
  |> g;
let y = long_name
  + other
  * third;
let z = call(
  first,
  second = 2,
);
`,
  `fn newton(f, x: float, steps: int = 10) -> float {
  let g[0] = x;
  let g[t in 1..steps] = {
    let here = g[t-1];
    let slope = 1.0;
    here - f(here) / slope
  };
  g[steps - 1]
}
`,
  `let s = a.len();
let t = "text".upper();
let u = (1, 2).0;
let v = [1, 2, 3][0];
let w = { 1 }.shape;
let x = f(a).b.c[0](1).d;
`,
  `pub let exported = 1;
pub const SIZE = 10;
pub enum Color { Red, Green, Blue }
pub mod shapes { pub struct Square { side: f32 } }
pub fn area(s) { s.side ** 2 }
let i8_value = 1i8;
let q: [f16; n] = z as [f16; n];
let e = x as [f32; 10, 784];
`,
  `let either = match r {
  Ok(v) => v,
  Err(code = c) where c in 1..5 => if c > 2 { 1 } else { 2 }
  Err(_) => match c { 0 => 0, _ => { let d = 1; d } }
  | None | Never => 3,
};
`,
  `let matrix[i in 0..3, j in 0..3] = if i == j { 1.0 } else { 0.0 };
let big[i in 0..1_000] = i as f32 * 0.5;
let mean[..b] = mean[f](x[..b, f]);
let pooled[b, c] = mean[height, width](f);
let n = extent(batch);
`,
  `if flag { print("yes") } else { print("no") }
if flag { print("only"); }
match flag { true => print(1), false => print(2), }
{ let hidden = 1; print(hidden); }
-1;
!true;
@x;
(1, 2);
[1, 2];
|x| x;
"text";
`,
  `print("windows")\u003b\r
let x = 1;\r
let y = 2;\r
`,
  `@fn matmul[i, j](a: [f32; i, k], b: [f32; k, j]) -> [f32; i, j] {
  sum[k](@a[i, k] * b[k, j] + a[i, k] * @b[k, j])
}
surrogate @fn step(x: f32) -> f32 { @x * (1.0 - tanh(x) ** 2) }
let z = stop(x) + uniform(1, 2) * normal(seed = 3, n = 4)`,
];
