// Gradients of recursive functions: pullbacks of loops, trees of calls, several results, arrays and
// data, at every order.

import { describe, expect, test } from "vitest";
import type { Backend } from "../../src/backends/results.ts";
import { compile, type CompiledProgram } from "../../src/driver/compile.ts";
import { requestsIn } from "./perturb.ts";

function wrongIn(text: string): readonly string[] {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics.map(({ title }) => title).join("\n"));
  const reports = program.checkGradients(new Map());
  expect(reports.length).toBeGreaterThan(0);
  return reports.filter(({ ok }) => !ok).map(({ of, wrt, error }) => `@${of} / @${wrt}: ${error}`);
}

const around = `let w: [f64; 4] = [0.3, -0.2, 0.5, 0.7];
  let x: f64 = 0.5;
  let a: [f64; 3] = [0.1, 0.7, -0.4];
  fn run(i: i32, acc: f64) -> f64 { if i == 4 { acc } else {
    run(i + 1, sin(acc * x) + w[i] * w[i] * acc) } }`;

const programs: Readonly<Record<string, string>> = {
  "a loop, of second order": `let y = run(0, x) ** 2; let yx = @y / @x;
    let u = sum[i]((@y / @w)[i] ** 2) + yx * yx; let uw = @u / @w; let ux = @u / @x;`,
  "a loop in many cells, of second order": `let q = sum[b](run(b, a[b] * x) * a[b]);
    let s = sum[i]((@q / @w)[i] ** 2);
    let sw = @s / @w; let sx = @s / @x; let sa = @s / @a; let h = @(@q / @x) / @x;`,
  "a Jacobian":
    "let J[b] = run(b, a[b]) * x; let Jw = @J / @w; let n = sum[b, i](Jw[b, i] ** 2); " +
    "let dn = @n / @w;",
  "several results, and calls whose arguments are results": `
    fn two(n: i32, p: f64, q: f64) -> (f64, f64) {
      if n == 0 { (p * x, q) } else { let (c, d) = two(n - 1, p * q, sin(q) + w[n]);
      (c + d * p, d * w[n - 1]) } }
    fn nested(n: i32, p: f64) -> f64 { if n == 0 { p * x } else {
      nested(n - 1, nested(n - 1, p * w[n])) } }
    let (t1, t2) = two(3, a[0], a[1]); let v = t1 * t2 + nested(3, a[2]);
    let va = @v / @a; let vw = @v / @w; let vx = @v / @x;`,
  "guards, branches inside, and conditions on calls": `
    fn step(n: i32, p: f64) -> f64 {
      if n == 0 { p } else { p * w[n] + (if step(n - 1, p) > 0.0 { sqrt(step(n - 1, p + 1.0)) }
      else { x }) } }
    let g[b, i] = step(i, a[b]) + w[i] where i > 0, a[b] > 0.0;
    let l = logsumexp[b, i](g[b, i] where i > 0, a[b] > 0.0); let la = @l / @a; let lw = @l / @w;
    let lx = @l / @x;`,
  "two functions that call one another, one with a rule": `
    fn sq(v: f64) -> f64 { v * v }
    @fn sq(v: f64) { 2.0 * v * @v }
    fn even(n: i32, v: f64) -> f64 { if n == 0 { sq(v) } else { odd(n - 1, v * w[n]) } }
    fn odd(n: i32, v: f64) -> f64 { if n == 0 { v } else { even(n - 1, sq(v) + x) } }
    let y = even(3, a[0] + x) * even(2, a[1]); let dw = @y / @w; let dx = @y / @x;
    let da = @y / @a;`,
  "data that is passed on to two functions": `
    enum List { Nil, Cons(f64, List) }
    fn build(k: i32) -> List { if k == 4 { List::Nil } else { List::Cons(w[k] * x, build(k + 1)) } }
    fn total(l: List) -> f64 { match l { List::Nil => 0.0, List::Cons(h, t) => sin(h) + total(t) } }
    fn product(l: List, p: f64) -> f64 { match l {
      List::Nil => p, List::Cons(h, t) => product(t, p * (h + a[0])) } }
    fn both(l: List) -> f64 { total(l) * product(l, x) }
    let y = both(build(0)); let dw = @y / @w; let dx = @y / @x; let da = @y / @a;`,
  "arrays that are taken apart, put together and read while they are made": `
    fn fold(v: [f64], k: i32) -> f64 {
      let run[i] = if i == 0 { v[0] } else { v[i] * x + sin(v[i - 1]) };
      if k == 0 { sum[i](run[i] ** 2) } else {
      fold([run[i] * w[k] | i in 0..len(v)], k - 1) + v[0] } }
    fn halves(v: [f64]) -> f64 {
      if len(v) == 1 { v[0] ** 2 * x } else { halves([v[i] | i in 0..len(v) / 2]) * v[len(v) - 1]
      + halves([v[i] | i in len(v) / 2..len(v)]) } }
    let y = fold(a, 2) + halves(w); let dw = @y / @w; let dx = @y / @x; let da = @y / @a;`,
  "gradients that are taken inside, by arrays and in loops": `
    fn descend(v: [f64; m], k: i32) -> [f64; m] {
      if k == 0 { v } else { let l = sum[i](v[i] ** 4) * v[0] + x; let g = @l / @v;
      descend([v[i] - 0.1 * g[i] * x | i in 0..len(v)], k - 1) } }
    fn inside(v: f64, k: i32) -> f64 {
      if k == 0 { v } else {
        let b[i in 0..3] = v * a[i];
        let l = prod[i](b[i] + 1.0) + max[i](b[i]) + logsumexp[i](b[i] * v);
        inside(0.1 * sum[i]((@l / @b)[i] * b[i]) + 0.1 * sum[i]((@l / @v) * a[i]), k - 1) } }
    let y = sum[i](descend(a, 2)[i] ** 2) + inside(x, 2); let da = @y / @a; let dx = @y / @x;`,
  "gradients that are taken inside, by what is around": `
    fn near(v: f64, k: i32) -> f64 {
      if k == 0 { v } else {
        let l = sum[i](w[i] ** 2 * v) * a[k - 1] + w[k] * v; let g = @l / @w;
        sum[i](g[i] * w[i]) + (@l / @a)[k - 1] + near(v * 1.25, k - 1) } }
    let y = near(x, 3); let dx = @y / @x; let dw = @y / @w; let da = @y / @a;`,
  "rules on arrays, of second order": `
    fn norm(v: [f64; k]) -> f64 { sqrt(sum[i](v[i] * v[i])) }
    @fn norm(v: [f64; k]) { sum[i](v[i] * @v[i]) / norm(v) }
    fn scaled(v: [f64; k], s: f64) { [v[i] * s | i in 0..len(v)] }
    @fn scaled(v: [f64; k], s: f64) { let d[i in 0..len(v)] = @v[i] * s + v[i] * @s; d }
    fn on(v: [f64; k], left: i32) -> f64 { if left == 0 { v[0] * v[1] * x } else {
      on(scaled(v, norm(v) / 2), left - 1) } }
    let y = on(a, 2); let dy = @y / @a; let dx = @y / @x; let c = dy[0]; let second = @c / @a;`,
  "arrays that are made in the steps of a recurrence": `
    fn f(p: [f64], n: i32) -> [f64] { if n == 0 { p } else { f([p[1] * p[0], p[0] + 1], n - 1) } }
    let h[0, i in 0..2] = a[i];
    let h[t in 1..4, i in 0..2] = { let p[j in 0..2] = h[t - 1, j] * a[1 - j]; f(p, 2)[i] };
    let z[0, i in 0..2] = a[i]; let z[t in 1..4, i in 0..2] = f(z[t - 1], 2)[i];
    let r[0] = a[0]; let r[t in 1..4] = { let q = f([r[t - 1], a[1]], t); sum[i](q[i]) };
    let y = sum[i](h[3, i] * z[3, i]) + r[3]; let da = @y / @a;`,
  "arrays that come out whole, of second order": `
    fn steps(v: [f64; m], k: i32) -> [f64; m] {
      if k == 0 { v } else { let u[i in 0..len(v)] = sin(v[i]) * v[len(v) - 1 - i] + w[k];
      steps(u, k - 1) } }
    let r = steps(a, 2); let z[i in 0..3] = steps(a, 1)[i] + r[2 - i] * x where i != 1;
    let y = sum[i](r[i] * (i as f64 + 1)) * sum[i](z[i]) + prod[i in 0..3](steps(a, i)[i]);
    let J = @r / @a;
    let da = @y / @a; let q = sum[i](da[i] ** 2) + sum[i, j](J[i, j] ** 2); let dqa = @q / @a;
    let dqw = @q / @w; let dqx = @q / @x;`,
  "calls in branches of steps": `
    fn f(v: f64, p: f64, k: i32) -> f64 { if k <= 0 { v } else { f(v, p, k - 1) * p + sin(v) } }
    let h[0] = x;
    let h[t in 1..6] = if t % 2 == 0 { f(h[t - 1], w[t - 1], 2) } else if h[t - 1] > 0.0 {
      x * h[t - 1] } else { f(x, h[t - 1], 1) };
    let y = h[5] ** 2; let dw = @y / @w; let dx = @y / @x; let s = sum[i](dw[i] ** 2) + dx;
    let sw = @s / @w; let sx = @s / @x;`,
  "calls that read tensors from around them in steps": `
    let h[0] = x; let h[t in 1..4] = run(t, h[t - 1]) * x; let y = h[3]; let dw = @y / @w;
    let dx = @y / @x;`,
  "functions in turn that have parameters of other names, types and numbers": `
    fn ev(v: f64, n: i32) -> f64 { if n == 0 { v } else { od(n - 1, x * v + 0.1, v) } }
    fn od(n: i32, q: f64, r: f64) -> f64 { if n == 0 { q * q + r } else {
      ev(tanh(x * q) + w[n % 4] * r, n - 1) } }
    let y = ev(0.4, 7) + od(4, x, 0.2); let dw = @y / @w; let dx = @y / @x;
    let s = sum[i](dw[i] ** 2) + dx ** 2; let sw = @s / @w; let sx = @s / @x;`,
  "three functions in turn, one of which gives its arguments in another order": `
    fn f(p: f64, q: f64, n: i32) -> f64 { if n == 0 { p - q } else { g(sin(p * x), q, n - 1) } }
    fn g(q: f64, p: f64, n: i32) -> f64 { if n == 0 { p * q } else { h(p * p + w[1], q, n - 1) } }
    fn h(p: f64, q: f64, n: i32) -> f64 { if n == 0 { p / (1.0 + q * q) } else {
      f(q, p / (1.5 + w[2] * p * p), n - 1) } }
    let y = f(0.7, x, 8); let dw = @y / @w; let dx = @y / @x;`,
  "a function that ends in three ways": `
    fn f(v: f64, k: i32) -> f64 { if k == 0 { v } else if v > 0.4 { f(v * w[0], k - 1) }
      else if k % 2 == 0 { sin(f(v + w[1], k - 1)) } else { f(v * v + w[2], k - 1) } }
    let y = sum[i](f(a[i] * x, 6)); let dw = @y / @w; let dx = @y / @x; let da = @y / @a;
    let s = sum[i](dw[i] ** 2) + dx; let sw = @s / @w;`,
  "what stands where a guard leaves calls out": `
    let u[b in 0..3] = run(b, 0.7) where b != 1 else 0.3 * w[b];
    let v[b in 0..3] = run(b, a[b]) where a[b] > 0.2 else a[b] * x;
    let y = sum[b](u[b] ** 2) + sum[b](v[b]); let dw = @y / @w; let dx = @y / @x; let da = @y / @a;
    let s = sum[i](dw[i] ** 2) + dx; let sw = @s / @w; let sa = @s / @a;`,
  "calls in sums within steps, of second order": `
    fn f(v: f64, p: f64, k: i32) -> f64 { if k <= 0 { v } else { f(sin(v) * p, p, k - 1) } }
    let s[0, i in 0..3] = a[i];
    let s[t in 1..4, i in 0..3] = sum[j in 0..3](f(s[t - 1, j], w[i], j + 1) * a[i]) where i != 1
      else 0.5;
    let y = sum[i](s[3, i] ** 2); let dw = @y / @w; let da = @y / @a;
    let q = sum[i](dw[i] ** 2) + sum[i](da[i]); let qw = @q / @w; let qa = @q / @a;`,
};

describe("recursive functions", () => {
  test.each(Object.entries(programs))("%s", { timeout: 60_000 }, (_, text) => {
    expect(wrongIn(`${around}\n${text}`)).toEqual([]);
  });
});

function numbersOf(
  program: CompiledProgram,
  name: string,
  backend: Backend = "interpret",
): readonly number[] {
  const { values, fault } = program.run({ inputs: new Map(), get: [name], f64: true, backend });
  if (fault) throw new Error(fault.title);
  return Array.from(values.get(name)!.value.data as ArrayLike<number>, (x) =>
    Number(x.toPrecision(10)),
  );
}

describe("their derivatives, printed", () => {
  test.each(Object.entries(programs))("%s", { timeout: 60_000 }, (_, part) => {
    const text = `${around}\n${part}`;
    const { program } = compile({ name: "test.ein", text });
    for (const { answer, of, wrt } of requestsIn(text)) {
      if (!/^@\w+$/.test(of) || program!.formOf(of.slice(1))!.shape!.length > 0) continue;
      const derived = program!.grad(of.slice(1), [wrt]);
      if ("diagnostics" in derived)
        throw new Error(derived.diagnostics.map(({ title }) => title).join("\n"));
      const { source, derivatives } = derived;
      const again = compile({ name: "printed.ein", text: source });
      if (!again.program)
        throw new Error(`${again.diagnostics.map(({ title }) => title).join("\n")}\n${source}`);
      for (const backend of ["interpret", "js", "wasm"] as const)
        expect(numbersOf(again.program, derivatives[0]!, backend)).toEqual(
          numbersOf(program!, answer),
        );
    }
  });
});
