// Integer inputs that a numerical check draws. They lie within the axes that they index, so that
// the program runs.

import { describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { at, type TensorValue } from "../../src/scalar/values/value.ts";

type Range = readonly [least: number, most: number];

const floats = "input A: [f32; n, 2]; input x: [f32; 2]; input y: [f32; 5]; input w: [f32; n];";

/** A program, and the ranges that its integer inputs must keep. */
const programs: readonly (readonly [string, string, Readonly<Record<string, Range>>])[] = [
  [
    "an axis of a written extent",
    "input q: [i32; n]; let l = sum[t](A[t, q[t]] ** 2);",
    { q: [0, 1] },
  ],
  [
    "the shortest of several axes",
    "input q: [i32; n]; let l = sum[t](y[q[t]] * A[q[t], q[t]]);",
    { q: [0, 1] },
  ],
  [
    "a lookup of a lookup",
    "input p: [i32; 4]; input q: [i32; n]; let l = sum[t](x[p[q[t]]] ** 2);",
    { p: [0, 1], q: [0, 3] },
  ],
  ["a sum", "input q: [i32; n]; let l = sum[t](x[q[t] + 1] ** 2);", { q: [-1, 0] }],
  [
    "a difference",
    "input q: [i32; n]; let l = sum[t](x[q[t] - 7] ** 2 + x[8 - q[t]] ** 2);",
    { q: [7, 8] },
  ],
  ["a multiple", "input q: [i32; n]; let l = sum[t](y[2 * q[t] + 1] ** 2);", { q: [0, 1] }],
  [
    "two digits",
    "input r: [i32; n]; input c: [i32; n]; let l = sum[t](y[r[t] * 3 + c[t]] ** 2);",
    { r: [0, 0], c: [0, 4] },
  ],
  [
    "a coordinate added",
    "input q: [i32; n]; let l = sum[t, k in 0..3](y[q[t] + k] * w[t]);",
    { q: [0, 2] },
  ],
  [
    "a coordinate that it is taken off",
    "input q: [i32; n]; let l = sum[t in 0..extent(n)](w[t - q[t]] ** 2);",
    { q: [0, 0] },
  ],
  [
    "a name",
    "input q: [i32; n]; let j[t] = q[t] + 1; let l = sum[t](x[j[t]] ** 2);",
    { q: [-1, 0] },
  ],
  [
    "the largest of some",
    "input q: [i32; n]; let j = max[t](q[t]); let l = x[j] ** 2;",
    { q: [0, 1] },
  ],
  [
    "running sums",
    "input q: [i32; 3]; let j[t in 0..3] = sum[s in 0..t](q[s]); let l = sum[t](y[j[t]] ** 2);",
    { q: [0, 2] },
  ],
  ["a quotient", "input q: [i32; n]; let l = sum[t](x[q[t] / 4] ** 2);", { q: [0, 7] }],
  ["a remainder", "input q: [i32; n]; let l = sum[t](x[q[t] % 2] ** 2);", { q: [0, 2] }],
  [
    "bounds of its own",
    "input q: [i32; n]; let l = sum[t](x[min(max(q[t], 0), 1)] ** 2);",
    { q: [0, 2] },
  ],
  ["a number", "input q: i32; let l = x[q] ** 2;", { q: [0, 1] }],
  ["an i64", "input q: [i64; n]; let l = sum[t](x[q[t]] ** 2);", { q: [0, 1] }],
  [
    "a branch",
    "input q: [i32; n]; let l = sum[t](if w[t] > 1.0 { x[q[t]] } else { x[1 - q[t]] });",
    { q: [0, 1] },
  ],
  [
    "a guard that says nothing of it",
    "input q: [i32; n]; let l = sum[t](x[q[t]] ** 2 where q[t] != 1);",
    { q: [0, 1] },
  ],
  [
    "a guard that lets less pass",
    "input q: [i32; n]; let l = sum[t](x[q[t]] ** 2 where q[t] < 2);",
    { q: [0, 2] },
  ],
  [
    "where terms go",
    "input q: [i32; n]; let s[p in 0..2] = sum[t](w[t] where q[t] == p); " +
      "let l = sum[p](s[p] ** 2);",
    { q: [0, 1] },
  ],
  [
    "a parameter of recursion",
    "input q: [i32; n]; fn f(k: i32, c: i32) -> f32 " +
      "{ if c == 0 { 1.0 } else { x[k] * f(k, c - 1) } } let l = sum[t](f(q[t], 2));",
    { q: [0, 1] },
  ],
  [
    "the end of a range",
    "input q: [i32; n]; let l = sum[t](max[k in 0..q[t]](A[t, k] ** 2));",
    { q: [1, 2] },
  ],
  [
    "both ends",
    "input p: [i32; n]; input q: [i32; n]; let l = sum[t](max[k in p[t]..q[t]](y[k]) * w[t]);",
    { p: [0, 2], q: [3, 5] },
  ],
  [
    "a window",
    "input q: [i32; n]; let l = sum[t](sum[k in q[t]..q[t] + 3](y[k]) * w[t]);",
    { q: [0, 2] },
  ],
  [
    "a size",
    "input m: i32; input q: [i32; 4]; let z[i in 0..m] = y[0] * i as f32; " +
      "let l = sum[t](z[q[t]] ** 2);",
    { m: [3, 5], q: [0, 2] },
  ],
  [
    "a step of a recurrence",
    "input q: [i32; n]; let h[0] = 1.0; let h[t in 1..extent(n) + 1] = " +
      "h[t - 1] * A[t - 1, q[t - 1]]; let l = h[extent(n)];",
    { q: [0, 1] },
  ],
];

describe("integers are drawn within what they index", () => {
  test.each(programs)("%s", (_, text, ranges) => {
    const { drawn, program } = drawnFor(`${floats} ${text}`);
    for (const [name, [least, most]] of Object.entries(ranges)) {
      const cells = cellsOf(drawn.get(name)!);
      expect(Math.min(...cells)).toBeGreaterThanOrEqual(least);
      expect(Math.max(...cells)).toBeLessThanOrEqual(most);
    }
    const [asked] = ["A", "x", "y", "w"].filter((name) => new RegExp(`\\b${name}\\[`).test(text));
    const reports = drawnFor(`${floats} ${text} let g = @l / @${asked};`).program.checkGradients(
      new Map(),
    );
    expect(reports).toMatchObject([{ ok: true }]);
    expect(program.checkGradients(new Map())).toEqual([]);
  });

  test("all of a long axis", () => {
    const { drawn } = drawnFor(
      "input E: [f32; 50, d]; input q: [i32; 400]; let l = sum[t, d](E[q[t], d] ** 2);",
    );
    expect(new Set(cellsOf(drawn.get("q")!)).size).toBe(50);
  });

  test("rows that lie one after another", () => {
    const text = `input start: [i32; R]; input column: [i32; 9]; input v: [f32; 9];
      input x: [f32; 2];
      let s[r in 0..extent(R) - 1] = max[k in start[r]..start[r + 1]](v[k] * x[column[k]]);
      let l = sum[r](s[r] ** 2); let g = @l / @v; let h = @l / @x;`;
    const { drawn, program } = drawnFor(text);
    const cells = cellsOf(drawn.get("start")!);
    expect([cells[0], cells.at(-1)]).toEqual([0, 9]);
    for (const [k, cell] of cells.slice(1).entries()) expect(cell).toBeGreaterThan(cells[k]!);
    expect(program.checkGradients(new Map())).toMatchObject([{ ok: true }, { ok: true }]);
  });

  test("a size that is given", () => {
    const text =
      "input A: [f32; n, m]; input q: [i32; n]; let l = sum[t](A[t, q[t]] ** 2); let g = @l / @A;";
    const A: TensorValue = { dtype: "f64", shape: [40, 1], data: new Float64Array(40).fill(0.5) };
    const { program } = drawnFor(text);
    expect(program.drawInputs(new Map([["A", A]])).get("q")!.data).toEqual(new Int32Array(40));
  });
});

function drawnFor(text: string): {
  readonly drawn: ReadonlyMap<string, TensorValue>;
  readonly program: NonNullable<ReturnType<typeof compile>["program"]>;
} {
  const { program, diagnostics } = compile({ name: "drawn.ein", text });
  if (!program) throw new Error(diagnostics.map(({ title }) => title).join("\n"));
  return { program, drawn: program.drawInputs(new Map()) };
}

function cellsOf(value: TensorValue): readonly number[] {
  return Array.from({ length: value.data.length }, (_, k) => Number(at(value, k)));
}
