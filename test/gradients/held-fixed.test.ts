// What a denominator in the middle of a program holds fixed. `@f / @y` is the change of f when the
// cells of y are moved after their equation, y = F(x) + δ, even if a derivative computes F'(x) from
// y. The expected numbers are closed forms.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { valueOf } from "./testing.ts";

const a = 0.7;
const sigmoid = 1 / (1 + Math.exp(-a));

/** F, its value and its slope at x = 0.7. */
const equations: readonly (readonly [string, number, number])[] = [
  ["exp(x)", Math.exp(a), Math.exp(a)],
  ["expm1(x)", Math.expm1(a), Math.exp(a)],
  ["sqrt(x)", Math.sqrt(a), 0.5 / Math.sqrt(a)],
  ["x ** 0.5", Math.sqrt(a), 0.5 / Math.sqrt(a)],
  ["tanh(x)", Math.tanh(a), 1 - Math.tanh(a) ** 2],
  ["tan(x)", Math.tan(a), 1 + Math.tan(a) ** 2],
  ["sigmoid(x)", sigmoid, sigmoid * (1 - sigmoid)],
  ["sin(x)", Math.sin(a), Math.cos(a)],
  ["x / (1.0 + x)", a / (1 + a), 1 / (1 + a) ** 2],
  ["2.0 ** x", 2 ** a, Math.log(2) * 2 ** a],
  ["x ** x", a ** a, a ** a * (Math.log(a) + 1)],
  ["prod[k in 0..3](x + k as f64)", a * (a + 1) * (a + 2), 3 * a ** 2 + 6 * a + 2],
  ["max[k in 0..2](exp(x * k as f64))", Math.exp(a), Math.exp(a)],
  ["logsumexp[k in 0..2](x * k as f64)", Math.log(1 + Math.exp(a)), sigmoid],
  ["if x > 0 { exp(x) } else { x }", Math.exp(a), Math.exp(a)],
];

describe("a denominator whose value the first derivative uses again", () => {
  it.each(equations)("is not what its own slope moves with: %s", (equation) => {
    const text = `let x: f64 = 0.7; let y = ${equation}; let g = @y / @x; let h = @g / @y;`;
    expect(valueOf(text, "h")).toEqual([0]);
  });

  it.each(equations)("is followed where the program reads it: %s", (equation, value, slope) => {
    const text =
      `let x: f64 = 0.7; let y = ${equation}; let loss = y * y * y; let g = @loss / @x; ` +
      "let h = @g / @y; let k = @h / @y;";
    expect(valueOf(text, "h")[0]).toBeCloseTo(6 * value * slope, 12);
    expect(valueOf(text, "k")[0]).toBeCloseTo(6 * slope, 12);
  });

  it("is the same in a function, in recursion and in the steps of a recurrence", () => {
    const text = `let x: f64 = 0.7;
      fn f(a: f64) -> f64 { let y = exp(a); let l = y ** 3; let g = @l / @a; @g / @y }
      fn r(n: i32, a: f64) -> f64 { if n <= 0 { let y = exp(a); let l = y ** 3; let g = @l / @a;
        @g / @y } else { r(n - 1, a) } }
      let plain = f(x); let deep = r(2, x);
      let w[0] = x; let y[t in 0..2] = exp(w[t]); let l[t in 0..2] = y[t] ** 3;
      let g[t in 0..2] = @l[t] / @w[t]; let h[t in 0..2] = @g[t] / @y[t];
      let w[t in 1..2] = w[t - 1] + 0.0 * h[t - 1];`;
    const expected = 6 * Math.exp(2 * a);
    expect(valueOf(text, "plain")[0]).toBeCloseTo(expected, 10);
    expect(valueOf(text, "deep")[0]).toBeCloseTo(expected, 10);
    for (const each of valueOf(text, "h")) expect(each).toBeCloseTo(expected, 10);
  });

  it("has its value behind `else`", () => {
    const text = `let x: [f64; 2] = [1.0, 1.0];
      fn f(n: i32, a: f64) -> f64 { if n <= 0 { x[0] } else { f(n - 1, 0.5) } }
      let y[i in 0..2] = f(1, 0.0) where i < 0 else exp(x[i]);
      let l = y[0]; let g = @l / @x; let q = sum[k](g[k]); let h = @q / @y;
      let cube = y[0] ** 3; let gc = @cube / @x; let qc = sum[k](gc[k]); let hc = @qc / @y;`;
    expect(valueOf(text, "h")).toEqual([0, 0]);
    const [moved, still] = valueOf(text, "hc");
    expect(moved).toBeCloseTo(6 * Math.exp(1) ** 2, 10);
    expect(still).toBe(0);
  });

  it("is a running product or log-sum-exp of which each cell goes on from its neighbour", () => {
    // p = (x0, x0 x1), and @loss / @x = (2 p0 + 2 p1 x1, 2 p1 x0).
    const text = `let x: [f64; 2] = [0.5, 0.8]; let p[i in 0..2] = prod[k in 0..i + 1](x[k]);
      let loss = sum[i](p[i] ** 2);
      let g = @loss / @x; let h[i, j] = @g[i] / @p[j];`;
    expect(valueOf(text, "h")).toEqual([2, 1.6, 0, 1]);
  });

  it("is a recurrence: its Hessian is symmetric", () => {
    const text = `let x: [f64; 2] = [0.7, 0.2]; let c[t in 0..2] = x[t];
      let c[t in 1..2] = 1.0 / (2.0 + c[t - 1] ** 2);
      let loss = sum[t](c[t] * (t as f64 + 0.5)); let g = @loss / @c; let q = g[0];
      let hv = @q / @c; let H[i, j] = @g[i] / @c[j];`;
    // g[0] = 0.5 - 3 c / (2 + c²)², at c = 0.7
    const below = 2 + a ** 2;
    const slope = -3 / below ** 2 + (12 * a ** 2) / below ** 3;
    const [first, second] = valueOf(text, "hv");
    expect(first).toBeCloseTo(slope, 12);
    expect(second).toBe(0);
    expect(valueOf(text, "H")).toEqual([first, 0, 0, 0]);
  });
});

describe("a denominator that is a derivative itself", () => {
  it("may have no use that is left", () => {
    const text = `let x: [f64; 2] = [0.5, 0.25]; let J = @x / @x;
      let y[i in 0..2] = J[i, i] - J[i, i];`;
    expect(valueOf(text, "y")).toEqual([0, 0]);
  });

  it.each([
    ["of constants", "let y: [f64; 2] = [0.5, 0.25];"],
    ["of what depends on them", "let y[i in 0..2] = x[i] * x[i];"],
  ])("is moved behind its equation: %s", (_, equation) => {
    const text = `let x: [f64; 2] = [1.0, 2.0]; ${equation} let J = @y / @x; let z = 3.0 * J[0, 1];
      let h = @z / @J;
      let twice[i, j] = 2.0 * J[i, j]; let s = sum[i, j](twice[i, j] * twice[i, j]);
      let k = @s / @twice; let e = k[1, 1];`;
    expect(valueOf(text, "h")).toEqual([0, 3, 0, 0]);
    const [, , , last] = valueOf(text, "twice");
    expect(valueOf(text, "e")).toEqual([2 * last!]);
  });
});

describe("a denominator that a rule stands at", () => {
  const rule = "fn f(a: f64) -> f64 { a } @fn f(a: f64) { 2.0 * @a } let x = [3.0f64, 4.0f64];";

  it("is moved behind the rule, in the cells of a tensor too", () => {
    const text = `${rule} let y[i in 0..2] = 1.0 * { let t = f(1.0f64); let u = t * x[i];
        @u / @t };`;
    expect(valueOf(text, "y")).toEqual([3, 4]);
  });

  it("goes on by the rule in a recurrence", () => {
    const text =
      `${rule} let h[0] = f(1.0f64); let h[t in 1..3] = f(h[t - 1] * x[t - 1]); ` +
      "let J[s, t] = @h[s] / @h[t];";
    expect(valueOf(text, "J")).toEqual([1, 0, 0, 6, 1, 0, 48, 8, 1]);
  });
});

describe("a recurrence of one step as a denominator", () => {
  it("is found an order for, where its only step is a number", () => {
    const text = `let x[i in 0..2] = 0.0f64; let m[i in 0..2, j in 0..3] = x[i];
      let y[0] = m[1, 2]; let y[i in 1..2] = tanh(y[i - 1] + m[i, i]);
      let g = @y[1] / @x; let h[u, k] = @g[k] / @y[u];`;
    // y[1] = tanh(y[0] + m[1, 1]) at 0, where tanh'' is 0.
    expect(valueOf(text, "g")).toEqual([0, 2]);
    expect(valueOf(text, "h")).toEqual([0, 0, 0, 0]);
  });

  it("is found an order for, where other axes have as few cells", () => {
    const text = `let x: [f64; 3] = [1.0, 1.0, 1.0]; let y[0] = x[0];
      let y[i in 1..2] = 2.0 / (y[i - 1] * y[i - 1]);
      let J = @y / @x; let q = sum[k in 0..2, l in 0..3](sin(J[k, l])); let h = @q / @x;
      let r = h[0]; let k = @r / @y;`;
    // J[1, 0] = -4 / y³, so h[0] = 12 cos(-4 / y³) / y⁴. It does not depend on y[1].
    const slope = -144 * Math.sin(-4) - 48 * Math.cos(-4);
    const [first, second] = valueOf(text, "k");
    expect(first).toBeCloseTo(slope, 10);
    expect(second).toBe(0);
  });

  it("has its Jacobian tested for 0 behind the ranges of its cells", () => {
    const text = `let x: [f64; 3] = [0.5, 0.25, 0.0];
      let y[i in 0..1] = 2.0f64 ** mean[r in 0..2](x[i]); let y[i in 1..2] = 0.0f64;
      let J = @y / @x; let q = sum[k in 0..2, l in 0..3](J[k, l]); let h = @q / @y;`;
    const [first, ...others] = valueOf(text, "J");
    expect(first).toBeCloseTo(Math.log(2) * Math.SQRT2, 12);
    expect(others).toEqual([0, 0, 0, 0, 0]);
  });

  it("leaves out what no cell gets", () => {
    const text = `let x: f64 = 1.0; let y[0] = x; let y[i in 1..2] = 0.0f64; let w[0] = 0.0f64;
      let w[t in 1..2] = h[t - 1];
      let l[t in 0..2] = prod[r in 0..2](w[t] + 0.31 * (r as f64) where t < r);
      let g[t in 0..2] = @l[t] / @w[t];
      let m[t in 0..2] = g[t] * y[t]; let h[t in 0..2] = @m[t] / @w[t];
      let loss = sum[k in 0..2](w[k]); let d = @loss / @x;`;
    expect(valueOf(text, "d")).toEqual([0]);
  });
});

describe("a derivative that is asked for from outside the text", () => {
  const text =
    "let x: f64 = 0.7; let y = exp(x); let loss = y * y * y; let g = @loss / @x; " +
    "let own = @y / @x; let h = @g / @y;";
  const { program } = compile({ name: "a.ein", text });

  it.each([
    ["g", 6 * Math.exp(2 * a)],
    ["own", 0],
    ["h", 6 * Math.exp(a)],
  ])("@%s / @y is a program with the same numbers", (of, expected) => {
    const derived = program!.grad(of, ["y"]);
    if (!("source" in derived)) throw new Error("not derived");
    expect(valueOf(derived.source, derived.derivatives[0]!)[0]).toBeCloseTo(expected, 10);
  });

  it("is explained by the program as it is written", () => {
    const [explanation] = program!.explain({ of: "own", wrt: ["y"] });
    expect(explanation).toMatchObject({ independent: ["y"] });
  });
});

describe("a test for 0 that a derivative has put in", () => {
  it("stays with a factor that several uses have in common", () => {
    // The numbers are those of hyperdual arithmetic.
    const text = `let x: [f64; 2] = [1.0, 0.0]; let y[i in 0..3] = x[(i + 1) % 2];
      let w[0] = 1.25; let w[t in 1..2] = h[t - 1];
      let z[t in 0..2] = (1.3 + w[t] ** 2.0) ** (w[t] * y[t]); let l[t in 0..2] = z[t];
      let g[t in 0..2] = @l[t] / @w[t]; let m[t in 0..2] = g[t]; let h[t in 0..2] = @m[t] / @w[t];
      let loss = sum[k](y[k] ** 3.0) + sum[k in 0..2](w[k] ** 3.0) + sum[k](z[k] ** 2.0);
      let d = @loss / @x;`;
    const found = valueOf(text, "d");
    expect(found[0]).toBeCloseTo(3, 12);
    expect(found[1]).toBeCloseTo(3.503769293635792, 10);
  });

  it("tests several factors together, of which one moves", () => {
    // y = x^(a·c) with a = 0: ∂y/∂x = 0, ∂²y/∂x∂a = c / x, ∂²y/∂x∂c = 0, ∂³y/∂x∂a∂c = 1 / x
    const text = `let a: f64 = 0.0; let c: f64 = 2.0; let x: f64 = 1.5; let y = x ** (a * c);
      let h = @y / @x; let k = @h / @a; let l = @h / @c; let m = @k / @c;
      let z = x ** (3.0 * a); let n = @z / @x; let o = @n / @a;`;
    expect(valueOf(text, "h")).toEqual([0]);
    expect(valueOf(text, "k")[0]).toBeCloseTo(2 / 1.5, 12);
    expect(valueOf(text, "l")).toEqual([0]);
    expect(valueOf(text, "m")[0]).toBeCloseTo(1 / 1.5, 12);
    expect(valueOf(text, "o")[0]).toBeCloseTo(3 / 1.5, 12);
  });

  it.each([
    ["a product under a branch", "if c < 0.5 { prod[r in 0..3](y[at[r]]) } else { 0.0 }"],
    ["a product under a guard of its factors", "prod[r in 0..3](y[at[r]] where c < 0.5)"],
    ["factors one by one", "if c < 0.5 { y[at[0]] * y[at[1]] * y[at[2]] } else { 0.0 }"],
    ["a quotient", "if c < 0.5 { y[at[2]] * y[at[1]] / (1.0 / y[at[0]]) } else { 0.0 }"],
  ])("is no part of the program: %s", (_, value) => {
    const text = `let y: [f64; 3] = [0.5, 1.0, 0.0]; let c: f64 = 0.0; let at = [0, 1, 2];
      let m[i in 0..2] = ${value}; let p = sum[i](m[i] ** 2); let g = @p / @y;
      let h[i in 0..3, j in 0..3] = @g[i] / @y[j]; let s = sum[i, j](h[i, j]);
      let third = @s / @y;`;
    // p = 2 (y0 y1 y2)²
    expect(valueOf(text, "h")).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1]);
    // The sum of the third derivatives: by y0 4·2·y0·y1² = 4, by y1 4·2·y0²·y1 = 2, by y2 8·(y1² y0
    // …) = 16·y0·y1.
    const third = valueOf(text, "third");
    expect(third[0]).toBeCloseTo(4, 12);
    expect(third[1]).toBeCloseTo(2, 12);
    expect(third[2]).toBeCloseTo(12, 12);
  });

  it("keeps out what a guard has filtered, whatever it is there", () => {
    const text = `let x: [f64; 3] = [1.0, 0.0, -1.0];
      let z[i] = log(x[i]) * prod[k in 0..2](x[i] + k as f64);
      let l = sum[i](z[i] ** 2 where x[i] > 0.5); let g = @l / @x; let s = sum[i](g[i] * 2.0);
      let h = @s / @x; let t = sum[i](h[i]); let d = @t / @x;`;
    for (const name of ["g", "h", "d"]) {
      const [, second, third] = valueOf(text, name);
      expect([second, third]).toEqual([0, 0]);
    }
  });

  it("is not that of a sum of several such products", () => {
    const text =
      "let x: f64 = 1.0; let y = (x ** 2.0) ** x; let g = @y / @x; let h = @g / @x; " +
      "let third = @h / @x;";
    // y = x ** (2 * x); its third derivative at 1 is (2 log(x) + 2)³ + 3 (2 log(x) + 2) (2 / x) - 2
    // / x².
    expect(valueOf(text, "third")[0]).toBeCloseTo(18, 12);
  });

  it("is not that of a factor which stands before a sum", () => {
    const text = `let x: [f64; 2] = [0.0, 0.0]; let y[i in 0..2, j in 0..3] = 0.0f64;
      let y[i in 1..2, j in 0..3] = y[i - 1, j] * mean[r in 0..3](x[i]);
      let loss = sum[k in 0..2, l in 0..3](y[k, l]);
      let g = @loss / @x; let q = sum[k in 0..2](g[k]); let h = @q / @y;`;
    expect(valueOf(text, "h")).toEqual([1, 1, 1, 0, 0, 0]);
  });

  it("is not that of an exponent which is 0", () => {
    const text =
      "let x: f64 = 0.5; let y: f64 = 0.0; let z = x ** y; let g = @z / @x; let h = @g / @y; " +
      "let back = @(@z / @y) / @x;";
    // ∂²(x ** y) / ∂x ∂y = x ** (y - 1) * (1 + y * log(x)) = 1 / x
    expect(valueOf(text, "h")).toEqual([2]);
    expect(valueOf(text, "back")).toEqual([2]);
  });
});
