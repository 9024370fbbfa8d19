// Checks that every rule reports what it did, under its name.

import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { useThreads } from "../backends/wasm/threads/threads.ts";
import { compile } from "../driver/compile.ts";
import type { TensorValue } from "../scalar/values/value.ts";
import { newHeard, type Heard } from "./print.ts";
import { ruleNames, rules, type RuleName } from "./rules.ts";

const declared =
  "input x: [f32; 300, 40]; input other: [f32; 300, 40]; input v: [f32; 300]; input at: " +
  "[i32; 300];\n";

const matrix = (seed: number): TensorValue => ({
  dtype: "f32",
  shape: [300, 40],
  data: Float32Array.from({ length: 12000 }, (_, n) => Math.sin(n + seed)),
});

const inputs: ReadonlyMap<string, TensorValue> = new Map<string, TensorValue>([
  ["x", matrix(0)],
  ["other", matrix(1)],
  [
    "v",
    { dtype: "f32", shape: [300], data: Float32Array.from({ length: 300 }, (_, n) => Math.cos(n)) },
  ],
  [
    "at",
    { dtype: "i32", shape: [300], data: Int32Array.from({ length: 300 }, (_, n) => (n * 7) % 40) },
  ],
]);

/** A program for each rule, with a part of what the rule reports about it. */
const examples: Readonly<Record<RuleName, readonly [text: string, says: string]>> = {
  inline: ["let a[i] = v[i] + 1.0; let y[i] = exp(a[i]);", "a: computed in y"],
  merge: ["let y[i] = exp(sum[j](x[i, j])) + v[i];", "part of y"],
  share: [
    "let e[i, j] = exp(x[i, j] - v[i]); let s = sum[i, j](e[i, j]); " +
      "let y[a, b] = s + e[a, b] * exp(x[a, b] - v[a]);",
    "y: exp(",
  ],
  twins: [
    "let y[i, j] = exp(x[i, j] - max[a](x[i, a])) / sum[b](exp(x[i, b] - max[c](x[i, c])));",
    "the same as",
  ],
  shares: [
    "let l[i] = logsumexp[j](x[i, j]); let p[i, j] = exp(x[i, j] - l[i]); " +
      "let y[i] = sum[j](p[i, j] * (x[i, j] - p[i, j]));",
    "l: with p",
  ],
  apart: [
    "let w[a in 0..40, b in 0..40] = sin((a + b) as f32) * 0.1; let h[0, a in 0..40] = 0.0; " +
      "let h[t in 1..300, a in 0..40] = tanh(h[t - 1, a] + sum[b](w[a, b] * x[t, b])); " +
      "let y = sum[t, a](h[t, a] * h[299 - t, a]);",
    "computed before the loop of h",
  ],
  fold: ["let y[i] = if i < 400 { v[i] * (2.0 + 1.0) } else { 0.0 };", "y: if i < 400"],
  tighten: ["let y[i] = sum[j](x[i, j] where j <= 20);", "j <= 20 bounds j"],
  hoist: [
    "let y[j] = sum[i](0.5 * x[i, j] * v[i]);",
    "sum[i in 0..300](0.5 * x[i, j] * v[i]) leaves sum[i in 0..300](x[i, j] * v[i])",
  ],
  boxes: ["let y[i] = if i > 0 { v[i] - v[i - 1] } else { v[i] };", "y: 0..1, 1..300"],
  phases: [
    "let y[p in 0..600] = sum[k in 0..3](v[(p - k) / 2] * v[k] where (p - k) % 2 == 0, k <= p);",
    "y: 2 of p",
  ],
  siblings: [
    "let y[i] = sum[j](x[i, j]) * max[j](x[i, j]);",
    "sum[j in 0..40](x[i, j] as f64) with max[j in 0..40](x[i, j])",
  ],
  order: ["let y = sum[j, i](x[i, j]);", "i, j from outside in"],
  scatter: ["let y[p in 0..40] = sum[k](v[k] where at[k] == p);", "each term goes to p = at[k]"],
  scan: ["let y[i in 0..300] = sum[k in 0..i + 1](v[k]);", "goes on along i"],
  multiply: ["let y[i, k in 0..300] = sum[j](x[i, j] * other[k, j]);", "y: over j"],
  operand: ["let y[i, k in 0..300] = sum[j](exp(x[i, j]) * other[k, j]);", "of 300 × 40 cells"],
  blocks: ["let z[i in 0..200000] = sin(i as f32); let y = sum[i](z[i] * z[i]);", "in blocks of"],
  together: [
    "let a[i, j] = exp(x[i, j]); let b[i] = sum[j](a[i, j]); let y[i, j] = a[i, j] / b[i];",
    "with ",
  ],
  rows: [
    "let a[i, j] = exp(x[i, j]); let b[i] = sum[j](a[i, j]); let y[i, j] = a[i, j] / b[i];",
    "a: with b, y",
  ],
  rolling: [
    "let h[0, j in 0..40] = 1.0; let h[t in 1..300, j in 0..40] = h[t - 1, j] * 0.5 + " +
      "x[t, j]; let y[j] = h[299, j];",
    "h: buffer of",
  ],
  checkpoints: [
    "let k = 0.5; checkpoint let h[0, j in 0..40] = 1.0; " +
      "let h[t in 1..300, j in 0..40] = tanh(h[t - 1, j] * k + x[t, j]); " +
      "let loss = sum[j](h[299, j] ** 2); let y = @loss / @k;",
    "h: saved states",
  ],
  tracks: [
    "let h[0, i in 0..300] = v[i]; let h[t in 1..40, i in 0..300] = " +
      "tanh(h[t - 1, i] + sum[j](x[i, j] * h[t - 1, i])); let y[i] = h[39, i];",
    "h: each of 300 positions by itself",
  ],
  place: [
    "let a[i, j] = exp(x[i, j]); let s = sum[i, j](a[i, j]); let b[i, j] = a[i, j] / s; " +
      "let t = sum[i, j](b[i, j] * b[i, j]); let y[i, j] = b[i, j] * t;",
    "written over",
  ],
  release: [
    "let a[i, j] = exp(x[i, j]); let s[i] = sum[j](a[i, j]); let m = max[i, j](a[i, j]); " +
      "let y[i] = s[i] * m;",
    "a: after its last reader",
  ],
};

function dumped(text: string, pass: string): string {
  const { program, diagnostics } = compile({ name: "test.ein", text: declared + text });
  if (!program) throw new Error(diagnostics.map(({ title }) => title).join());
  let heard: Heard | undefined;
  const { fault } = program.run({
    inputs,
    get: ["y"],
    hearing: (of, schedules) => (heard = newHeard(of, schedules)),
  });
  if (fault) throw new Error(fault.title);
  return heard!.text(pass);
}

afterAll(() => void useThreads(1));

test.each(ruleNames)("%s", (rule) => {
  const [text, says] = examples[rule];
  useThreads(rule === "tracks" ? 2 : 1);
  expect(dumped(text, rule)).toContain(says);
  const all = dumped(text, "optimise");
  expect(all).toContain(`// ${rule}: `);
  expect(all).toMatch(/^(let )?y\W/m);
});

test("the page of the command line has them all", () => {
  const page = readFileSync(new URL("../../docs/command-line.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map(([, name, says]) => [
    name,
    says,
  ]);
  expect(rows).toEqual(expect.arrayContaining(Object.entries(rules)));
});

test("the oracle computes programs as they are written", () => {
  const { program } = compile({ name: "test.ein", text: `${declared} let y[i] = v[i] + 1.0;` });
  let heard: Heard | undefined;
  program!.run({
    inputs,
    get: ["y"],
    backend: "interpret",
    hearing: (of, each) => (heard = newHeard(of, each)),
  });
  expect(heard!.text("optimise")).toBe("");
});
