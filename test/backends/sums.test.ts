// Sums, means, products and logsumexps of f32 accumulate in f64 and are rounded once: on every
// backend, on any number of threads, and in every way of computing them. With S the sum in f64 of
// the terms in f32: |result − S| ≤ 1 ulp(S) + n·2⁻⁵²·Σ|terms|.

import { afterAll, describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import type { Backend } from "../../src/backends/results.ts";
import type { TensorValue } from "../../src/scalar/values/value.ts";
import { useThreads } from "../../src/backends/wasm/threads/threads.ts";

type Cells = ArrayLike<number>;

const f = Math.fround;

function ulp(value: number): number {
  return Math.max(2 ** (Math.floor(Math.log2(Math.abs(value))) - 23), 2 ** -149);
}

/** The error in units of its bound. It must be at most 1. */
function sumError(got: number, terms: readonly number[], divisor = 1): number {
  const total = terms.reduce((a, b) => a + b, 0) / divisor;
  const size = terms.reduce((a, b) => a + Math.abs(b), 0) / divisor;
  return Math.abs(got - total) / (ulp(total) + terms.length * 2 ** -52 * size);
}

const [rows, columns] = [67, 301];
const count = rows * columns;

/** Terms of all sizes and both signs, which mostly cancel. */
const data = `let x[i in 0..${count}] = ((i * 7919 % 1000 - 500) as f32) * (if i % 7 == 0 {
    30000.0 } else { 0.001 });
  let z[r in 0..${rows}, c in 0..${columns}] = x[r * ${columns} + c];
  let at[i in 0..${count}] = (i * 31) % 50; let w = 0.3; let m = 1234.5;`;

interface Row {
  readonly text: string;
  /** The terms of each cell of `s`, rounded as the oracle rounds them. */
  readonly terms: (x: Cells) => readonly (readonly number[])[];
  readonly divisor?: number;
}

const range = (n: number): readonly number[] => Array.from({ length: n }, (_, k) => k);
const row = (x: Cells, r: number): readonly number[] =>
  range(columns).map((c) => x[r * columns + c]!);
const column = (x: Cells, c: number): readonly number[] =>
  range(rows).map((r) => x[r * columns + c]!);
const all = (x: Cells): readonly number[] => Array.from(x);
/** The number in `data`. */
const m = 1234.5;
const square = (d: number): number => f(d * d);

/** The products of every two vectors, cell by cell. */
function pairsOf(
  vectors: readonly (readonly number[])[],
  product = (a: number, b: number): number => f(a * b),
): readonly (readonly number[])[] {
  return vectors.flatMap((one) => vectors.map((other) => one.map((a, k) => product(a, other[k]!))));
}

const sums: Readonly<Record<string, Row>> = {
  "of a vector": { text: "let s = sum[i](x[i]);", terms: (x) => [all(x)] },
  "of rows": {
    text: "let s[r] = sum[c](z[r, c]);",
    terms: (x) => range(rows).map((r) => row(x, r)),
  },
  "of columns": {
    text: "let s[c] = sum[r](z[r, c]);",
    terms: (x) => range(columns).map((c) => column(x, c)),
  },
  "of a matrix": { text: "let s = sum[r, c](z[r, c]);", terms: (x) => [all(x)] },
  "of windows": {
    text: `let s[i in 0..${count - 9}] = sum[k in 0..10](x[i + k]);`,
    terms: (x) => range(count - 9).map((i) => all(x).slice(i, i + 10)),
  },
  means: { text: "let s = mean[i](x[i]);", terms: (x) => [all(x)], divisor: count },
  "means of rows": {
    text: "let s[r] = mean[c](z[r, c]);",
    terms: (x) => range(rows).map((r) => row(x, r)),
    divisor: columns,
  },
  "means of columns": {
    text: "let s[c] = mean[r](z[r, c]);",
    terms: (x) => range(columns).map((c) => column(x, c)),
    divisor: rows,
  },
  squares: { text: "let s = sum[i](x[i] ** 2);", terms: (x) => [all(x).map(square)] },
  "products of a tensor with itself": {
    text: `let s = sum[i in 0..${count}](x[i] * x[${count - 1} - i]);`,
    terms: (x) => [range(count).map((i) => f(x[i]! * x[count - 1 - i]!))],
  },
  "products of rows of a tensor": {
    text: "let s[a, b] = sum[c](z[a, c] * z[b, c]);",
    terms: (x) => pairsOf(range(rows).map((r) => row(x, r))),
  },
  "products of columns of a tensor": {
    text: "let s[a, b] = sum[r](z[r, a] * z[r, b]);",
    terms: (x) => pairsOf(range(columns).map((c) => column(x, c))),
  },
  "half the products of rows": {
    text: "let s[a, b] = sum[c](z[a, c] * 0.5 * z[b, c]);",
    terms: (x) =>
      pairsOf(
        range(rows).map((r) => row(x, r)),
        (a, b) => f(f(a * 0.5) * b),
      ),
  },
  "products of deviations": {
    text:
      "let mean_of[c] = 2.0 * z[3, c]; let s[a, b] = " +
      "sum[c]((z[a, c] - mean_of[c]) * (z[b, c] - mean_of[c]));",
    terms: (x) => {
      const own = row(x, 3);
      return pairsOf(range(rows).map((r) => row(x, r).map((each, c) => f(each - f(2 * own[c]!)))));
    },
  },
  deviations: {
    text: "let s = sum[i]((x[i] - m) ** 2);",
    terms: (x) => [all(x).map((each) => square(f(each - f(m))))],
  },
  "deviations of rows": {
    text: "let s[r] = mean[c]((z[r, c] - m) ** 2);",
    terms: (x) => range(rows).map((r) => row(x, r).map((each) => square(f(each - f(m))))),
    divisor: columns,
  },
  "of a constant times terms": {
    text: "let s = sum[i](0.1 * x[i]);",
    terms: (x) => [all(x).map((each) => f(f(0.1) * each))],
  },
  "of a number times terms": {
    text: "let s[r] = sum[c](w * z[r, c]);",
    terms: (x) => range(rows).map((r) => row(x, r).map((each) => f(f(0.3) * each))),
  },
  "under a guard": {
    text: "let s = sum[i](x[i] where x[i] > 0.0);",
    terms: (x) => [all(x).filter((each) => each > 0)],
  },
  "under a guard on the position": {
    text: "let s[r] = sum[c](z[r, c] where c % 3 != r % 3);",
    terms: (x) => range(rows).map((r) => row(x, r).filter((_, c) => c % 3 !== r % 3)),
  },
  "of choices": {
    text: "let s[c] = sum[r](if z[r, c] > 1.0 { z[r, c] } else { 0.0 });",
    terms: (x) => range(columns).map((c) => column(x, c).map((each) => (each > 1 ? each : 0))),
  },
  "of a map that is computed in its place": {
    text: "let y[i] = x[i] * 0.5 + 1.0; let s = sum[i](y[i]);",
    terms: (x) => [all(x).map((each) => f(f(each * 0.5) + 1))],
  },
  "of products that have a name": {
    text: "let v[i] = 1.0 + 0.001 * (at[i] as f32); let y[i] = x[i] * v[i]; let s = sum[i](y[i]);",
    terms: (x) => [all(x).map((each, i) => f(each * f(1 + f(f(0.001) * ((i * 31) % 50)))))],
  },
  "beside other reductions": {
    text:
      "let t[r] = max[c](z[r, c]); let u[r] = sum[c](abs(z[r, c])); " +
      "let s[r] = sum[c](z[r, c]); let y[r, c] = z[r, c] / t[r] - s[r] + u[r];",
    terms: (x) => range(rows).map((r) => row(x, r)),
  },
  "in part of a cell": {
    text: "let s[r] = 2.0 * sum[c](z[r, c]);",
    terms: (x) => range(rows).map((r) => row(x, r).map((each) => 2 * each)),
  },
  running: {
    text: `let s[i in 0..${count}] = sum[k in 0..i + 1](x[k]);`,
    terms: (x) => [10, 1000, count - 1].map((i) => all(x).slice(0, i + 1)),
  },
  "running over rows": {
    text: `let s[r in 0..${rows}, c] = sum[k in 0..r + 1](z[k, c]);`,
    terms: (x) => range(columns).map((c) => column(x, c).slice(0, 41)),
  },
  "sent to their cells": {
    text: "let s[p in 0..50] = sum[i](x[i] where at[i] == p);",
    terms: (x) => range(50).map((p) => all(x).filter((_, i) => (i * 31) % 50 === p)),
  },
  "rows sent to their cells": {
    text:
      `let to[r in 0..${rows}] = at[r]; let s[p in 0..50, c] = ` +
      "sum[r](z[r, c] where to[r] == p);",
    terms: (x) =>
      range(50).flatMap((p) =>
        range(columns).map((c) => column(x, c).filter((_, r) => (r * 31) % 50 === p)),
      ),
  },
  "few terms sent to their cells": {
    text: "let s[p in 0..5] = sum[r in 0..67](z[r, 7] where at[r] % 5 == p);",
    terms: (x) => range(5).map((p) => column(x, 7).filter((_, r) => ((r * 31) % 50) % 5 === p)),
  },
  "over the steps of a recurrence": {
    text:
      `let h[0, c in 0..${columns}] = z[0, c]; ` +
      `let h[t in 1..${rows}, c] = 0.5 * h[t - 1, c] + z[t, c]; let s[c] = sum[t](h[t, c]);`,
    terms: (x) => range(columns).map((c) => stepsOf(column(x, c))),
  },
  "over the steps and their cells": {
    text:
      `let h[0, c in 0..${columns}] = z[0, c]; ` +
      `let h[t in 1..${rows}, c] = 0.5 * h[t - 1, c] + z[t, c]; let s = mean[t, c](h[t, c]);`,
    terms: (x) => [range(columns).flatMap((c) => stepsOf(column(x, c)))],
    divisor: count,
  },
  "in the steps of a recurrence": {
    text:
      `let q[0, c in 0..${columns}] = z[0, c]; ` +
      `let q[t in 1..${rows}, c] = sum[k](z[k, c] * 0.5 + 0.0 * q[t - 1, c]); ` +
      "let s[c] = q[66, c];",
    terms: (x) => range(columns).map((c) => column(x, c).map((each) => 0.5 * each)),
  },
  "that are gradients": {
    text:
      "let b[c in 0..301] = 0.25; let loss = sum[r, c]((z[r, c] + b[c]) ** 2); " +
      "let s = @loss / @b;",
    terms: (x) => range(columns).map((c) => column(x, c).map((each) => f(2 * f(each + 0.25)))),
  },
};

/** The states of  h[t] = 0.5 · h[t - 1] + z[t]. */
function stepsOf(z: readonly number[]): readonly number[] {
  const states = [z[0]!];
  for (const each of z.slice(1)) states.push(f(f(0.5 * states.at(-1)!) + each));
  return states;
}

/** The cells of the given names. */
function run<const Names extends readonly string[]>(
  text: string,
  get: Names,
  backend: Backend = "wasm",
  given: Record<string, TensorValue> = {},
): { readonly [K in keyof Names]: readonly number[] } {
  const { program, diagnostics } = compile({ name: "test.ein", text });
  if (!program) throw new Error(diagnostics[0]!.title);
  const inputs = new Map(Object.entries(given));
  const { values, fault } = program.run({
    backend,
    get,
    inputs,
    ...(backend === "wasm" ? { leastWork: 0 } : {}),
  });
  if (fault) throw new Error(fault.title);
  const cells = get.map((name) => Array.from(values.get(name)!.value.data as Float32Array));
  return cells as readonly unknown[] as { readonly [K in keyof Names]: readonly number[] };
}

const pick: Readonly<Record<string, (s: Cells) => Cells>> = {
  running: (s) => [10, 1000, count - 1].map((i) => s[i]!),
  "running over rows": (s) => range(columns).map((c) => s[40 * columns + c]!),
};

afterAll(() => void useThreads(1));

describe("sums of f32 are those of f64, rounded once", () => {
  test.each(Object.entries(sums))("%s", (name, { text, terms, divisor }) => {
    const source = `${data} ${text}`;
    const [x] = run(source, ["x"], "interpret");
    const expected = terms(x);
    const holds = (cells: Cells, how: string): void => {
      const own = (pick[name] ?? ((s) => s))(cells);
      expect(own).toHaveLength(expected.length);
      expected.forEach((each, k) =>
        expect(sumError(own[k]!, each, divisor), `${how}, cell ${k}`).toBeLessThanOrEqual(1),
      );
    };
    for (const backend of ["interpret", "js"] as const)
      holds(run(source, ["s"], backend)[0], backend);
    useThreads(1);
    const [alone] = run(source, ["s"]);
    holds(alone, "wasm");
    // All values are asked for, so none is computed at its reads.
    holds(run(source, ["s", "x", "z"])[0], "wasm, whole");
    for (const threads of [2, 4]) {
      useThreads(threads);
      expect(run(source, ["s"])[0]).toEqual(alone);
    }
  });

  test("products", () => {
    const text = `let x[i in 0..${count}] = 1.0 + ((i * 7919 % 1000 - 500) as f32) * 0.0001;
      let s = prod[i](x[i]); let t[p in 0..50] = prod[i](x[i] where (i * 31) % 50 == p);
      let u[i in 0..${count}] = prod[k in 0..i + 1](x[k]);
      let v[j in 0..301] = prod[i in 0..67](x[i * 301 + j]);`;
    const [x] = run(text, ["x"], "interpret");
    const product = (terms: readonly number[]): number => terms.reduce((a, b) => a * b, 1);
    for (const backend of ["interpret", "js", "wasm"] as const) {
      const [s, t, u, v] = run(text, ["s", "t", "u", "v"], backend);
      const holds = (got: number, terms: readonly number[]): void => {
        const right = product(terms);
        const bound = ulp(right) + terms.length * 2 ** -52 * Math.abs(right);
        expect(Math.abs(got - right), backend).toBeLessThanOrEqual(bound);
      };
      holds(s[0]!, all(x));
      for (const p of range(50))
        holds(
          t[p]!,
          all(x).filter((_, i) => (i * 31) % 50 === p),
        );
      for (const i of [0, 500, count - 1]) holds(u[i]!, all(x).slice(0, i + 1));
      for (const j of range(301)) holds(v[j]!, column(x, j));
    }
  });

  test("logsumexps have the errors of the exponentials and the logarithm alone", () => {
    const text = `let x[i in 0..${count}] = ((i * 7919 % 1000) as f32) * 0.002;
      let s = logsumexp[i](x[i]);
      let z[r in 0..${rows}, c in 0..${columns}] = x[r * ${columns} + c];
      let t[r] = logsumexp[c](z[r, c]); let p[r, c] = exp(z[r, c] - t[r]);`;
    const [x] = run(text, ["x"], "interpret");
    const holds = (got: number, terms: readonly number[]): void => {
      const top = Math.max(...terms);
      const right = top + Math.log(terms.reduce((total, each) => total + Math.exp(each - top), 0));
      // Exponentials are within 2 units, and their arguments and the result are rounded once. In
      // single precision, 20,000 terms would add 20 units.
      expect(Math.abs(got - right)).toBeLessThanOrEqual(2 ** -23 * (2 + 2) + 2 * ulp(right));
    };
    for (const backend of ["interpret", "js", "wasm"] as const) {
      const [s, t] = run(text, ["s", "t", "p"], backend);
      holds(s[0]!, all(x));
      for (const r of range(rows)) holds(t[r]!, row(x, r));
    }
  });
});

describe("long sums", () => {
  const long = 10_000_000;
  const given = (cells: (at: number) => number): Record<string, TensorValue> => {
    return {
      x: {
        dtype: "f32",
        shape: [long],
        data: Float32Array.from({ length: long }, (_, at) => cells(at)),
      },
    };
  };
  const text =
    "input x: [f32; n]; let s = sum[i](x[i]); let m = mean[i](x[i]); " +
    "let c[j in 0..4] = sum[k in 0..2500000](x[4 * k + j]);";

  test("of equal terms", () => {
    for (const backend of ["js", "wasm"] as const) {
      const [s, m, c] = run(
        text,
        ["s", "m", "c"],
        backend,
        given(() => f(0.1)),
      );
      expect(s).toEqual([f(long * f(0.1))]);
      expect(m).toEqual([f(0.1)]);
      expect(c).toEqual(range(4).map(() => f(2_500_000 * f(0.1))));
    }
  });

  test("of ones after a number that a float adds no one to", () => {
    for (const backend of ["js", "wasm"] as const) {
      const [s] = run(
        text,
        ["s"],
        backend,
        given((at) => (at === 0 ? 2 ** 24 : 1)),
      );
      expect(s).toEqual([f(26_777_215)]);
    }
  });

  test("that cancel", () => {
    expect(run("let u[i in 0..1000] = 0.1; let s = sum[i](u[i]);", ["s"])).toEqual([[100]]);
    const ends =
      "let b[i in 0..1000] = if i == 0 { 16777216.0 } else " +
      "{ if i == 999 { -16777216.0 } else { 1.0 } };";
    expect(run(`${ends} let s = sum[i](b[i]);`, ["s"])).toEqual([[998]]);
  });
});
