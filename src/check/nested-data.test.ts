// Nested calls that build data compile to code whose size grows with the number of calls. A value
// that occurs many times is not written out many times.

import { describe, expect, it } from "vitest";
import { compile } from "../driver/compile.ts";

/** A stack whose contents are known only at run time. Each step adds, multiplies or pushes. */
const stack = `enum S { E, P(f32, S) }
fn pop(s: S) -> (f32, S) { match s { S::P(v, r) => (v, r), S::E => (0.0, S::E) } }
fn add(s: S) -> S { let (a, r) = pop(s); let (b, q) = pop(r); S::P(a + b, q) }
fn mul(s: S) -> S { let (a, r) = pop(s); let (b, q) = pop(r); S::P(a * b, q) }
fn one(s: S, op: i32) -> S { match op { 0 => add(s), 1 => mul(s), n => S::P(n as f32, s) } }
let ops = [2, 3, 0, 4, 1];
`;

/** A tree that grows exponentially when written out: each level holds the one below twice. */
const tree = `enum T { L, N(T, i32, T) }
fn twice(t: T, k: i32) -> T { T::N(t, k, t) }
fn count(t: T) -> i32 { match t { T::L => 0, T::N(a, _, b) => 1 + count(a) + count(b) } }
`;

function nested(times: number, start: string, call: (inner: string, k: number) => string): string {
  return Array.from({ length: times }, (_, k) => k).reduce(call, start);
}

function lines(text: string): number {
  const { program, diagnostics } = compile({ name: "nested.ein", text });
  expect(diagnostics).toEqual([]);
  return program!.dump("ir").split("\n").length;
}

describe("calls inside one another that make data", () => {
  const steps = (times: number): string =>
    `${stack}let y = ` +
    `pop(${nested(times, "S::E", (inner, k) => `one(${inner}, ops[${k % 5}])`)}).0;\n`;

  it("cost as much as their number and the size of the value, not as the ways to it", () => {
    expect(lines(steps(20))).toBeLessThan(20 * 20 * 6);
  });

  it("name no part of a value of too many parts", () => {
    const levels = (times: number): string =>
      `${tree}let n = count(${nested(times, "T::L", (inner, k) => `twice(${inner}, ${k})`)});\n`;
    expect(lines(levels(24))).toBeLessThan(1000);
  });
});
