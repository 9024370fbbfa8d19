// The parts of the work of some gradients.

import { describe, expect, test } from "vitest";
import { showPolynomial } from "../../src/cost/polynomial.ts";
import { totalWork, workOf } from "../../src/cost/work.ts";
import type { Program } from "../../src/ir/program.ts";
import { rootsOf } from "../../src/ir/roots.ts";
import { reachable } from "../../src/analyse/schedule.ts";
import { layers } from "./cost-layers.ts";
import { derivedProgram, questionsIn, workFor } from "./order.ts";

const workOfValue = (program: Program, name: string): string =>
  showPolynomial(workFor([program.outputs.get(name)!.definition]));

describe("work", () => {
  test.each([
    ["windows", "let p[i in 0..extent(n) - 3] = prod[j in i..i + 4](x[j]);", "n"],
    ["a triangle", "let p[i in 0..extent(n)] = prod[j in 0..i + 1](x[j] + x[i]);", "n²"],
  ])("products over %s and their gradients visit as many points", (_, product, degree) => {
    const text = `input x: [f32; n]; ${product} let loss = sum[i](p[i]); let d = @loss / @x;`;
    const work = workOfValue(derivedProgram(text)!, "d");
    expect(work).toContain(degree);
    expect(work).not.toContain(degree === "n" ? "n²" : "n³");
  });

  test("what functions are called does not change what they take", () => {
    const inTurn = (inner: string): string => `
      input K: i32; input x: [f32; n]; input w: [f32; m];
      fn b(y: f32) -> f32 {
        fn ${inner}(z: f32, m: i32) -> f32 {
          if m == 0 { z } else { 0.5 * ${inner}(sin(z) * w[m % 3], m - 1) }
        }
        ${inner}(y, K)
      }
      fn a(x: f32, n: i32) -> f32 {
        fn go(y: f32, m: i32) -> f32 { if m == 0 { y } else { w[m % 3] * go(b(y), m - 1) } }
        go(x, n)
      }
      let l = sum[n](a(x[n], K)); let g = @l / @w; let h = @l / @x;`;
    const work = (inner: string): readonly string[] =>
      questionsIn(derivedProgram(inTurn(inner))!).map(({ both }) =>
        showPolynomial(both).replaceAll(`|calls of ${inner}|`, "|calls|"),
      );
    expect(work("turn")).toEqual(work("other"));
    expect(work("turn")).toHaveLength(1);
  });

  test("a masked call and its gradient visit each cell a fixed number of times", () => {
    expect(workOfValue(derivedProgram(layers["a masked call"]!)!, "d_1")).not.toContain("²");
  });

  test("five requests on one loss share one backward program", () => {
    const program = derivedProgram(`
      input x: [f32; b, i]; input V: [f32; h, i]; input c: [f32; h];
      input W: [f32; o, h]; input d: [f32; o];
      let a[b, h] = tanh(sum[i](x[b, i] * V[h, i]) + c[h]);
      let p[b, o] = sum[h](a[b, h] * W[o, h]) + d[o];
      let loss = sum[b, o](p[b, o] ** 2);
      let g_x = @loss / @x; let g_V = @loss / @V; let g_c = @loss / @c;
      let g_W = @loss / @W; let g_d = @loss / @d;`)!;
    const names = reachable(rootsOf(program)).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith("d_p"))).toHaveLength(1);
    expect(questionsIn(program)).toHaveLength(1);
  });

  test("nested loops of functions are counted by the points that they visit", () => {
    const program = derivedProgram(`input a: [f64; 5]; let h[0] = a[0];
      let h[t in 1..5] = a[t] + 0.5 * max[k in 0..(h[t - 1] * 2) as i32, l in 0..k + 1](
        a[k % 5] * a[l % 5]); let loss = h[4]; let d = @loss / @a;`)!;
    const range = "|0..(h[t - 1] * 2) as i32|";
    expect(workOfValue(program, "d").replaceAll(range, "r")).toMatch(/^\d+·r² \+ \d+·r \+ \d+$/);
  });

  test("nothing of the size of a Jacobian is allocated", () => {
    const program = derivedProgram(layers["two dense layers"]!)!;
    const largest = (name: string): number => program.outputs.get(name)!.definition.axes.length;
    expect([largest("d_1"), largest("d_2"), largest("d_3")]).toEqual([2, 1, 2]);
    const { definition } = program.outputs.get("d_1")!;
    expect(showPolynomial(totalWork(workOf(definition)))).toBe("0");
  });
});
