// The backward program of a recurrence as source: a recurrence in the other direction, which
// compiles to the same numbers.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { close, valueOf } from "./testing.ts";

/** The derived lines of a program, without the statements of the program. */
function derived(text: string, of: string, wrt: readonly string[]): readonly string[] {
  const { program } = compile({ name: "test.ein", text });
  const result = program!.grad(of, wrt);
  if ("diagnostics" in result)
    throw new Error(result.diagnostics.map(({ title }) => title).join("\n"));
  return result.source.trimEnd().split("\n");
}

const affine =
  "let x = 0.5; let W = 0.8; let b = 0.25; let h[0] = x; let h[t in 1..4] = h[t - 1] * W + b;";

describe("scalar recurrences print as promised", () => {
  it("an affine one, with all its gradients", () => {
    const lines = derived(`${affine} let loss = sum[t](h[t] ** 2);`, "loss", ["W", "b", "x"]);
    expect(lines.slice(-4)).toEqual([
      "let d_h[t in rev(0..4)] = 2 * h[t] + (if t + 1 in 1..4 { d_h[t + 1] * W } else { 0 });",
      "let d_W = sum[t in 1..4](d_h[t] * h[t - 1]);",
      "let d_b = sum[t in 1..4](d_h[t]);",
      "let d_x = d_h[0];",
    ]);
  });

  it("an accumulator", () => {
    const text =
      "input x: [f32; 5]; let s[0] = x[0]; let s[t in 1..5] = s[t - 1] + x[t]; " +
      "let loss = sum[t](s[t] ** 2);";
    expect(derived(text, "loss", ["x"]).slice(-2)).toEqual([
      "let d_s[t in rev(0..5)] = 2 * s[t] + (if t + 1 in 1..5 { d_s[t + 1] } else { 0 });",
      "let d_x[i] = if i == 0 { d_s[0] } else { d_s[i] };",
    ]);
  });

  it.each([
    ["upward", "let h[t in 1..4, i] = tanh(h[t - 1, i] * W[i]);", "d_h[0, i]"],
    ["downward", "let h[t in rev(0..3), i] = tanh(h[t + 1, i] * W[i]);", "d_h[3, i]"],
  ])(
    "a state declared everywhere and overridden %s: one position is left to the first clause",
    (_, step, cell) => {
      const text =
        "let W = [0.5, 0.1]; let start = [0.3, 0.2]; let h[t in 0..4, i] = start[i]; " +
        `${step} let l = sum[i](h[3, i] * h[0, i]);`;
      expect(derived(text, "l", ["start"]).at(-1)).toBe(`let d_start[i] = ${cell};`);
    },
  );

  it("a stretch that a later clause leaves, and cells that it leaves none of", () => {
    const text = (later: string): string =>
      "input T: i32; let x = 0.3; let w = 0.5; let h[t in 0..T] = x; " +
      `${later} let l = sum[t](h[t] ** 2);`;
    const stretch = text("let h[t in 3..T] = h[t - 1] * w;");
    expect(derived(stretch, "l", ["x"]).at(-1)).toBe("let d_x = sum[t](d_h[t] where t < 3);");
    const hidden = text("let h[t in 0..T] = w; let h[t in 1..T] = h[t - 1] * w;");
    expect(derived(hidden, "l", ["x"]).at(-1)).toBe(
      "// `l` does not depend on `x`: its derivative is 0",
    );
  });

  it("of a whole recurrence, with the gradient that comes in as an input", () => {
    const lines = derived(affine, "h", ["W"]);
    expect(lines.slice(-3)).toEqual([
      "input d_h: [f32; 4];",
      "let d_h_2[t in rev(0..4)] = d_h[t] + (if t + 1 in 1..4 { d_h_2[t + 1] * W } else { 0 });",
      "let d_W = sum[t in 1..4](d_h_2[t] * h[t - 1]);",
    ]);
  });
});

describe("printed programs compile again to the same numbers", () => {
  it.each([
    ["an affine recurrence", `${affine} let l = h[3] ** 2 + h[1];`, ["W", "b", "x"]],
    [
      "two steps back",
      "let a = 0.3; let b = 0.9; let f[0] = a; let f[1] = b; " +
        "let f[t in 2..7] = f[t - 1] * f[t - 2] + a; let l = f[6];",
      ["a", "b"],
    ],
    [
      "downward",
      "let x = [1.0, 2.0, 3.0, 4.0]; let s[3] = x[3]; " +
        "let s[t in rev(0..3)] = x[t] * s[t + 1]; let l = s[0] + s[1] ** 2;",
      ["x"],
    ],
    [
      "mutual",
      "let p = 0.5; let a[0] = p; let b[0] = 0.3; " +
        "let a[t in 1..6] = a[t - 1] * 0.5 + b[t - 1]; let b[t in 1..6] = a[t] - b[t - 1] * p; " +
        "let l = sum[t](a[t] * b[t]);",
      ["p"],
    ],
    [
      "a vector state",
      "let W = [[0.5, -0.25], [0.125, 1.0]]; let h[0, i in 0..2] = 0.3; " +
        "let h[t in 1..4, i in 0..2] = tanh(sum[j](W[i, j] * h[t - 1, j])); " +
        "let l = sum[t, i](h[t, i] ** 2);",
      ["W"],
    ],
    [
      "overlapping clauses",
      "let x = [1.0, 2.0, 0.5]; let h[t in 0..4, i in 0..3] = x[i]; " +
        "let h[t in 1..4, i in 0..3] = sin(h[t - 1, 2 - i]) * x[i]; " +
        "let l = sum[t, i](h[t, i] ** 2);",
      ["x"],
    ],
    [
      "a wavefront",
      "let w = [0.3, 0.4]; let h[i in 0..4, j in 0..4] = 0.1 * (i + 2 * j + 1) as f32; " +
        "let h[i in 1..4, j in 1..4] = sin(w[0] * h[i - 1, j] + w[1] * h[i, j - 1]); " +
        "let l = h[3, 3] + h[2, 1];",
      ["w"],
    ],
    [
      "forward substitution",
      "let L = [[2.0, 0.0, 0.0], [0.5, 1.5, 0.0], [0.25, -0.5, 3.0]]; " +
        "let b = [1.0, 2.0, 3.0]; let x[i in 0..3] = " +
        "(b[i] - sum[j in 0..i](L[i, j] * x[j])) / L[i, i]; let l = sum[i](x[i] ** 2);",
      ["b", "L"],
    ],
    [
      "a looked-up step",
      "let x = [1.0, 2.0, 0.5, 0.3]; let idx = [0, 0, 1, 0]; let h[0] = x[1]; " +
        "let h[t in 1..4] = h[idx[t]] * x[t]; let l = sum[t](h[t] ** 2);",
      ["x"],
    ],
    [
      "checkpoints",
      "let W = 0.7; checkpoint let h[0] = W; " +
        "checkpoint let h[t in 1..9] = sin(h[t - 1] * W); let l = h[8];",
      ["W"],
    ],
    [
      "training",
      "let lr = 0.1; let y = [0.5, 1.5]; let loss[t in 0..5] = sum[i]((w[t] - y[i]) ** 4); " +
        "let w[0] = 0.2; let w[t in 1..5] = w[t - 1] - lr * @loss[t - 1] / @w[t - 1]; " +
        "let l = loss[4];",
      ["lr", "y"],
    ],
    [
      "Newton with its Hessian in the step",
      "let c = 0.7; let f[t in 0..4] = exp(w[t, 0]) + w[t, 0] * w[t, 1] * c + w[t, 1] ** 2 + " +
        "w[t, 0] ** 2; let g[t in 0..4, i in 0..2] = @f[t] / @w[t, i]; " +
        "let H[t in 0..4, i, j] = @g[t, i] / @w[t, j]; let w[0, i in 0..2] = 0.3; " +
        "let w[t in 1..4, i in 0..2] = { let det = H[t - 1, 0, 0] * H[t - 1, 1, 1] - H[t - 1, " +
        "0, 1] * H[t - 1, 1, 0]; let s = if i == " +
        "0 { H[t - 1, 1, 1] * g[t - 1, 0] - H[t - 1, 0, 1] * g[t - 1, 1] } else " +
        "{ H[t - 1, 0, 0] * g[t - 1, 1] - H[t - 1, 1, 0] * g[t - 1, 0] }; " +
        "w[t - 1, i] - s / det }; let l = sum[i](w[3, i] ** 2);",
      ["c"],
    ],
    [
      "Adam with corrected moments",
      "let lr = 0.1; let b1 = 0.9; let y = [0.3, -0.8]; " +
        "let loss[t in 0..5] = sum[k]((w[t, k] - y[k]) ** 2 * (1.0 + k as f32)); " +
        "let w[0, k in 0..2] = 0.1; let m[0, k in 0..2] = 0.0; let v[0, k in 0..2] = 0.0; " +
        "let m[t in 1..5, k in 0..2] = b1 * m[t - 1, k] + " +
        "(1.0 - b1) * @loss[t - 1] / @w[t - 1, k]; " +
        "let v[t in 1..5, k in 0..2] = 0.99 * v[t - 1, k] + " +
        "0.01 * (@loss[t - 1] / @w[t - 1, k]) ** 2; " +
        "let w[t in 1..5, k in 0..2] = w[t - 1, k] - lr * (m[t, k] / (1.0 - b1 ** (t as f32))) " +
        "/ (sqrt(v[t, k] / (1.0 - 0.99 ** (t as f32))) + 0.001); let l = loss[4];",
      ["lr", "b1", "y"],
    ],
    [
      "a recurrence in every step of another, downward",
      "let p = 0.6; let q = [0.2, 0.5, 0.1]; let s[0, j in 0..3] = q[j]; " +
        "let r[t in 0..4, 2] = s[t, 0]; let r[t in 0..4, k in rev(0..2)] = " +
        "sin(r[t, k + 1] * p) + s[t, k]; let s[t in 1..4, j in 0..3] = r[t - 1, 0] * q[j] + " +
        "s[t - 1, (j + 1) % 3]; let l = sum[j](s[3, j] ** 2);",
      ["p", "q"],
    ],
    [
      "arrays out of recursion, one at each position",
      "let c = [0.5, 0.25]; fn f(a: [f32; m], k: i32) -> [f32; " +
        "m] { if k == 0 { a } else { let b[i in 0..len(a)] = sin(a[i]) * a[0]; f(b, k - 1) } } " +
        "let l = sum[t in 0..3, i in 0..2]({ let p[j in 0..2] = c[j] * (t as f32 + 1.0); " +
        "f(p, t)[i] ** 2 });",
      ["c"],
    ],
    ["a recurrence as the denominator", `${affine} let l = h[3] ** 2 + h[1];`, ["h"]],
  ] as const)("%s", (_, text, wrt) => {
    const printed = derived(text, "l", wrt).join("\n");
    for (const name of wrt) {
      close(
        valueOf(printed, `d_${name}`),
        valueOf(`${text} let answer = @l / @${name};`, "answer"),
      );
    }
  });
});
