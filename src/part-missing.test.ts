// The parts of the compiler that a page loads on demand are asked for by the programs that need them, and by no others.

import { beforeEach, expect, test, vi } from "vitest";

const product = `input w: [f64; 4];
fn run(i: i32, p: f64) -> f64 { if i == 4 { p } else { run(i + 1, p * w[i]) } }
let y = run(0, 1.0);
`;

beforeEach(() => vi.resetModules());

/** The driver as a page has it before anything has been brought. */
async function partMissingIn(text: string): Promise<string | undefined> {
  const [{ compileCore }, { PartMissing }] = await Promise.all([import("./core.ts"), import("./part-missing.ts")]);
  try {
    compileCore({ name: "test.ein", text });
    return undefined;
  } catch (problem) {
    return problem instanceof PartMissing ? problem.part : String(problem);
  }
}

test.each([
  ["a derivative through a recursion", `${product}let dw = @y / @w;`, "functions"],
  ["a recursion without a derivative", product, "functions"],
  [
    "a function that is replaced by its body",
    "fn twice(x: f32) -> f32 { x + x } let y = twice(2.0); let dy = twice(y);",
    undefined,
  ],
  ["a derivative without a recursion", "input w: [f64; 4]; let z = sum[i](w[i] ** 2); let dz = @z / @w;", undefined],
  [
    "a derivative through a long expression",
    "input w: [f64; 4]; input v: [f64; 4]; let z = sum[i](sin(w[i] * v[i]) * w[i]); let dz = @z / @w;",
    "derivatives",
  ],
  ["a Jacobian", "input w: [f64; 4]; let z[i] = w[i] ** 2; let dz = @z / @w;", "derivatives"],
  ["ragged rows", "let rows: jagged [i32] = [[1, 2], [3]]; let n = rows[1][0];", "ragged"],
  ["rows of lengths that vary", "let rows = [[i * j | j in 0..i] | i in 0..4]; let n = rows[3][2];", "ragged"],
  ["an array of functions", "let fs = [|x: f32| x + 1.0, |x: f32| x * 2.0]; let y = fs[1](3.0);", "functions"],
  [
    "a function that is handed on",
    "fn twice(f, x: f32) -> f32 { f(f(x)) } let y = twice(|x| x + 1.0, 2.0);",
    undefined,
  ],
  [
    "a function under a declared type",
    "fn twice(f: (f32) -> f32, x: f32) -> f32 { f(f(x)) } let y = twice(|x| x + 1.0, 2.0);",
    "functions",
  ],
  ["equality of data", "let y = (1, 2) == (1, 3);", "match"],
  [
    "a guard on a call",
    "fn total[j](x: [f32; j]) -> f32 { sum[j](x[j]) } let z = [1.0, 2.0]; let y = total[k](z[k]) where z[k] > 1.0;",
    "guards",
  ],
  ["a choice by patterns", "let y = match 3 { 0 => 1.0, _ => 2.0 };", "match"],
  [
    "a rule of one's own",
    "fn f(x: f32) -> f32 { x * x } @fn f(x: f32) -> f32 { 2.0 * x * @x } let y = f(2.0);",
    "rules",
  ],
  ["a comprehension", "let rows = [[i * j | j in 0..3] | i in 0..4]; let n = rows[3, 2];", "ragged"],
  ["a table", "let rows = [[1, 2], [3, 4]]; let n = rows[1, 0];", undefined],
  ["the standard library", "use std::ml::softmax; let s = softmax([1.0, 2.0]);", "std"],
])("%s", async (_, text, part) => {
  expect(await partMissingIn(text)).toBe(part);
});
