// Training as a recurrence: one backward program for each step, one step of history, and
// derivatives through all steps.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { reachable } from "../../src/analyse/schedule.ts";
import { derive } from "./derived.ts";
import { agrees, messagesOf } from "./testing.ts";

const data = "let x = [0.1, 0.6, 1.1]; let y = [0.5, 1.5, 2.4]; let lr = 0.1;";
const miniBatches = readFileSync(
  new URL("../../examples/mini-batch-training.ein", import.meta.url),
  "utf8",
);

describe("derivatives through training", () => {
  it.each([
    [
      "gradient descent",
      `${data} let loss[t in 0..5] = sum[i]((w[t] * x[i] - y[i]) ** 2); let w[0] = 0.2; ` +
        "let w[t in 1..5] = w[t - 1] - lr * @loss[t - 1] / @w[t - 1]; let final = loss[4]; " +
        "let a = @final / @lr; let b = @final / @y;",
    ],
    [
      "momentum",
      `${data} let b = 0.8; let loss[t in 0..5] = sum[i]((w[t] * x[i] - y[i]) ** 2); ` +
        "let w[0] = 0.2; let v[0] = 0.0; let v[t in 1..5] = b * v[t - 1] + " +
        "@loss[t - 1] / @w[t - 1]; let w[t in 1..5] = w[t - 1] - lr * v[t]; " +
        "let final = loss[4]; let d = @final / @lr; let e = @final / @b;",
    ],
    [
      "Adam",
      `${data} let loss[t in 0..4] = sum[i]((w[t, 0] * x[i] + w[t, 1] - y[i]) ** 2); ` +
        "let g[t in 0..4, k in 0..2] = @loss[t] / @w[t, k]; let w[0, k in 0..2] = 0.1; " +
        "let m[0, k in 0..2] = 0.0; let v[0, k in 0..2] = 0.0; " +
        "let m[t in 1..4, k] = 0.9 * m[t - 1, k] + 0.1 * g[t - 1, k]; " +
        "let v[t in 1..4, k] = 0.99 * v[t - 1, k] + 0.01 * g[t - 1, k] ** 2; " +
        "let w[t in 1..4, k] = w[t - 1, k] - lr * m[t, k] / (sqrt(v[t, k]) + 0.001); " +
        "let final = loss[3]; let a = @final / @lr; let b = @final / @x;",
    ],
    [
      "Newton",
      "let a = 2.0; let f[t in 0..4] = x[t] ** 4 / 4.0 - a * x[t]; let x[0] = 1.7; " +
        "let x[t in 1..4] = x[t - 1] - (@f[t - 1] / @x[t - 1]) / " +
        "(@(@f[t - 1] / @x[t - 1]) / @x[t - 1]); let r = x[3]; let d = @r / @a;",
    ],
    [
      "two layers",
      `${data} let loss[t in 0..4] = sum[i]((v[t] * tanh(w[t] * x[i] + b[t]) - y[i]) ** 2); ` +
        "let w[0] = 0.2; let b[0] = 0.1; let v[0] = 0.7; " +
        "let w[t in 1..4] = w[t - 1] - lr * @loss[t - 1] / @w[t - 1]; " +
        "let b[t in 1..4] = b[t - 1] - lr * @loss[t - 1] / @b[t - 1]; " +
        "let v[t in 1..4] = v[t - 1] - lr * @loss[t - 1] / @v[t - 1]; let final = loss[3]; " +
        "let d = @final / @lr; let e = @final / @x;",
    ],
    [
      "a start that is learned",
      `${data} let s = 0.4; let loss[t in 0..4] = sum[i]((w[t] * x[i] - y[i]) ** 2); ` +
        "let w[0] = s; let w[t in 1..4] = w[t - 1] - lr * @loss[t - 1] / @w[t - 1]; " +
        "let final = loss[3]; let d = @final / @s; let n = d ** 2; let e = @n / @s;",
    ],
    [
      "a weighed sum of losses",
      `${data} let reg[t in 0..4] = 0.1 * w[t] ** 2; ` +
        "let loss[t in 0..4] = mean[i]((w[t] * x[i] - y[i]) ** 2); let w[0] = 0.2; " +
        "let w[t in 1..4] = w[t - 1] - lr * @(loss[t - 1] * 2.0 + reg[t - 1]) / @w[t - 1]; " +
        "let final = loss[3]; let a = @final / @lr; let b = @final / @x;",
    ],
    [
      "a loss that is a function",
      `${data} fn mse(p: [f32; n], y: [f32; n]) -> f32 { mean[n]((p[n] - y[n]) ** 2) } fn ` +
        "line(w: f32, c: f32, x: [f32; n]) -> [f32; n] { w * x[n] + c } let w[0] = 0.2; " +
        "let c[0] = 0.0; let w[t in 1..4] = w[t - 1] - lr * @mse(line(w[t - 1], c[t - 1], x), " +
        "y) / @w[t - 1]; let c[t in 1..4] = c[t - 1] - lr * @mse(line(w[t - 1], c[t - 1], x), " +
        "y) / @c[t - 1]; let final = mse(line(w[3], c[3], x), y); let a = @final / @lr; " +
        "let b = @final / @x;",
    ],
    [
      "Newton by an expression",
      "let a = 2.0; let x[0] = 1.7; let x[t in 1..4] = " +
        "x[t - 1] - (@(x[t - 1] ** 4 / 4.0 - a * x[t - 1]) / @x[t - 1]) / " +
        "(@(@(x[t - 1] ** 4 / 4.0 - a * x[t - 1]) / @x[t - 1]) / @x[t - 1]); let r = x[3]; " +
        "let d = @r / @a;",
    ],
    [
      "a filtered sum and a product",
      "let lr = 0.1; let w[0, i in 0..3] = 1.0; let v[0, i in 0..3] = 0.0; " +
        "let g[t in 0..4, i] = @(sum[j](w[t, j] ** 2 where j < 2) + prod[j](w[t, j])) / @w[t, " +
        "i]; let v[t in 1..4, i] = 0.9 * v[t - 1, i] + g[t - 1, i]; " +
        "let w[t in 1..4, i] = w[t - 1, i] - lr * v[t, i]; let o = sum[i](w[3, i]); " +
        "let d = @o / @lr;",
    ],
    [
      "a Jacobian within the step",
      "let a = 3.0; let x[0, i in 0..2] = 1.5; " +
        "let r[t in 0..4, k in 0..2] = if k == 0 { x[t, 0] * x[t, 0] + x[t, 1] - a } else " +
        "{ x[t, 0] - x[t, 1] }; let J[t in 0..4, k, i] = @r[t] / @x[t]; " +
        "let x[t in 1..4, i] = x[t - 1, i] - 0.1 * sum[k](J[t - 1, k, i] * r[t - 1, k]); " +
        "let s = sum[i](x[3, i]); let d = @s / @a;",
    ],
    [
      "a rule within the step",
      "fn f(x: f32) -> f32 { x * x } @fn f(x: f32) { 2.0 * x * @x } let a = 0.7; " +
        "let w[0] = 0.3; let loss[t in 0..4] = (f(w[t]) - a) ** 2; " +
        "let w[t in 1..4] = w[t - 1] - 0.1 * @loss[t - 1] / @w[t - 1]; let r = w[3]; " +
        "let d = @r / @a;",
    ],
    [
      "local names",
      `${data} let w[0] = 0.2; let c[0] = 0.0; ` +
        "let w[t in 1..4] = { let p[i] = w[t - 1] * x[i] + c[t - 1]; " +
        "let l = mean[i]((p[i] - y[i]) ** 2); w[t - 1] - lr * @l / @w[t - 1] }; " +
        "let c[t in 1..4] = { let p[i] = w[t - 1] * x[i] + c[t - 1]; " +
        "let l = mean[i]((p[i] - y[i]) ** 2); c[t - 1] - lr * @l / @c[t - 1] }; " +
        "let final = w[3] + c[3]; let a = @final / @lr; let b = @final / @x;",
    ],
    [
      "downward",
      "let a = 0.5; let w[5] = a; let w[4] = 0.4; " +
        "let w[t in rev(0..4)] = w[t + 1] - 0.1 * @(sin(w[t + 1]) * w[t + 2]) / @w[t + 1]; " +
        "let r = w[0] ** 2; let d = @r / @a;",
    ],
    [
      "a penalty on the gradient",
      "let lr = 0.05; let x = [0.4, -0.3]; " +
        "let y[t in 0..4] = tanh(sum[i](w[t, i] * x[i])) + sum[i](w[t, i] ** 3); " +
        "let g[t in 0..4, i in 0..2] = @y[t] / @w[t, i]; " +
        "let loss[t in 0..4] = y[t] ** 2 + (sum[i](g[t, i] ** 2) - 1.0) ** 2; " +
        "let w[0, i in 0..2] = 0.5; let w[t in 1..4, i in 0..2] = " +
        "w[t - 1, i] - lr * @loss[t - 1] / @w[t - 1, i]; let z = loss[3]; let d = @z / @lr; " +
        "let e = @z / @x;",
    ],
    [
      "a rule that takes a whole state",
      "fn size(v: [f32; n]) -> f32 { sum[n](v[n] * v[n]) } @fn size(v: " +
        "[f32; n]) { 2.0 * sum[n](v[n] * @v[n]) } let a = 0.7; " +
        "let y[0, i in 0..2] = 0.3 + i as f32; let l[t in 0..4] = (size(y[t]) - a) ** 2; " +
        "let y[t in 1..4, i in 0..2] = y[t - 1, i] - 0.1 * @l[t - 1] / @y[t - 1, i]; " +
        "let q = sum[i](y[3, i]); let d = @q / @a;",
    ],
    [
      "a Jacobian between local names",
      "let a = 3.0; let x[0, i in 0..2] = 1.5; " +
        "let x[t in 1..4, i in 0..2] = { let p[j in 0..2] = x[t - 1, j]; " +
        "let r[k in 0..2] = if k == 0 { p[0] * p[0] + p[1] - a } else { p[0] - p[1] }; " +
        "let J = @r / @p; p[i] - 0.1 * sum[k](J[k, i] * r[k]) }; let s = sum[i](x[3, i]); " +
        "let d = @s / @a;",
    ],
    [
      "inside a function",
      "fn descend(a: f32, n: i32) -> f32 { let w[0] = 1.0; " +
        "let w[t in 1..n] = w[t - 1] - 0.1 * @((w[t - 1] - a) ** 2) / @w[t - 1]; " +
        "w[n - 1] } let a = 3.0; let z = descend(a, 5); let g = @z / @a;",
    ],
    [
      "inside a body",
      "let a = [1.0, 2.0, 3.0]; let r[i] = { let w[0] = 0.0; " +
        "let l[t in 0..4] = sin(w[t] - a[i]); " +
        "let w[t in 1..4] = w[t - 1] - 0.1 * @(l[t - 1] * w[t - 1]) / @w[t - 1]; w[3] }; " +
        "let s = sum[i](r[i] ** 2); let g = @s / @a;",
    ],
  ])("%s", (_, text) => {
    agrees(text);
  });

  it("share one backward program where they write the same loss", () => {
    const layer = "(w[t - 1] * x[i] + c[t - 1] - y[i])";
    const { program } = derive(
      `${data} let w[0] = 0.2; let c[0] = 0.0; ` +
        `let w[t in 1..4] = w[t - 1] - lr * @mean[i](${layer} ** 2) / @w[t - 1]; ` +
        `let c[t in 1..4] = c[t - 1] - lr * @mean[i](${layer} ** 2) / @c[t - 1]; ` +
        "let r = w[3] + c[3];",
    );
    const needed = reachable([program.outputs.get("r")!.definition]);
    const requests = needed.flatMap(({ request }) => request?.of ?? []);
    expect(new Set(requests).size).toBe(1);
    expect(requests.length).toBe(2);
  });
});

describe("mini-batches with four parameter tensors", () => {
  it("share one backward program", () => {
    const { program } = derive(miniBatches);
    const needed = reachable([program.outputs.get("last")!.definition]).map(({ name }) => name);
    expect(needed.filter((name) => /^d_[zh](_\d+)?$/.test(name))).toEqual(["d_z", "d_h", "d_h_2"]);
  });

  it("keep one step of history, and the one that is being computed", () => {
    const { program } = compile({ name: "mini-batch-training.ein", text: miniBatches });
    const lines = program!.dump("plan", ["last"]).split("\n");
    const members = lines.filter((line) => line.startsWith("recurrence"));
    expect(members.length).toBeGreaterThan(8);
    for (const line of members) expect(line).toMatch(/buffer of [12]$/);
  });

  it("keep more where more is asked for", () => {
    const { program } = compile({ name: "mini-batch-training.ein", text: miniBatches });
    const lines = program!.dump("plan", ["last", "W1"]).split("\n");
    expect(lines.find((line) => line.startsWith("recurrence W1:"))).toContain(
      "full history (observed by name)",
    );
    expect(lines.find((line) => line.startsWith("recurrence W2:"))).toContain("buffer of 2");
  });
});

describe("requests within steps", () => {
  it("stand at one step", () => {
    const text =
      "let l[t in 0..4] = w[t] ** 2; let w[0] = 1.0; " +
      "let w[t in 1..4] = w[t - 1] - 0.1 * @l[t - 1] / @w[t]; let r = w[3];";
    expect(messagesOf(text).map(({ code }) => code)).toEqual(["E0708"]);
    const later = text
      .replace("@l[t - 1] / @w[t]", "@(2.0 * l[t - 1]) / @w[t - 2]")
      .replace("1..4] = w[t - 1]", "2..4] = w[t - 1]");
    expect(messagesOf(later).map(({ code }) => code)).toContain("E0708");
  });

  it("take reads of earlier steps as constants", () => {
    const text =
      "let l[t in 0..4] = w[t] * s[t]; let s[0] = 1.0; let s[t in 1..4] = w[t - 1] ** 2; " +
      "let w[0] = 2.0; let w[t in 1..4] = w[t - 1] - 0.125 * @l[t - 1] / @w[t - 1]; " +
      "let r = w[2];";
    // By s only: w₁ = 2 - 1/8, s₁ = 4, w₂ = w₁ - 4/8.
    expect(Array.from(derive(text).run(["r"], {}).get("r")!.data as Float64Array)).toEqual([1.375]);
  });
});
