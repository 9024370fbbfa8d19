// Which definitions go through the same points, in one walk.

import { describe, expect, test } from "vitest";
import { check } from "../../check/check.ts";
import { parse } from "../../syntax/parser.ts";
import { normalise } from "../normalise.ts";
import { rootsOf } from "../roots.ts";
import { reachable } from "../schedule.ts";
import { showPolynomial } from "./polynomial.ts";
import { totalWork, workOfAll } from "./work.ts";
import { walksOf, writingAmong } from "./walks.ts";

const inputs = `input x: [f32; n]; input y: [f32; n]; input z: [f32; m]; input M: [f32; n, m]; input S: [f32; n, n]; input at: [i32; n]; input to: [i32; n];`;

function definitionsIn(text: string) {
  const { module, damage } = parse({ name: "test.ein", text: `${inputs} ${text}` });
  const { checker, program: typed } = check(module, { damage });
  expect(checker.diagnostics.filter(({ level }) => level === "error")).toEqual([]);
  const all = reachable(rootsOf(normalise(checker, typed))).filter(
    ({ clauses }) => clauses.length > 0,
  );
  return new Map(all.map((each) => [each, each]));
}

/** The names in each walk of more than one, and how many of them write a cell at each point. */
function walks(text: string): readonly string[] {
  return walksOf(definitionsIn(text))
    .filter(({ visits }) => visits.length > 1)
    .map(({ visits }) =>
      [...new Set(visits.map(({ definition }) => definition.name)), writingAmong(visits)].join(" "),
    );
}

const work = (text: string): string => showPolynomial(totalWork(workOfAll(definitionsIn(text))));

describe("one walk", () => {
  test("is of sums by either coordinate: one of them writes a cell at each point", () => {
    expect(
      walks(
        "let a[i] = sum[j](M[i, j] * exp(x[i] - z[j])); let b[j] = sum[i](y[i] * exp(x[i] - z[j]));",
      ),
    ).toEqual(["a b 1"]);
    // x, z, M and y are read; subtract, exp, a product and a sum for each; a cell of b.
    expect(
      work(
        "let a[i] = sum[j](M[i, j] * exp(x[i] - z[j])); let b[j] = sum[i](y[i] * exp(x[i] - z[j]));",
      ),
    ).toBe("11·n·m + n + m");
  });

  test("is of several sums for the same cells, of none, and of cells at the points", () => {
    expect(
      walks(
        "let a[i] = sum[j](sin(M[i, j])); let b[i] = sum[j](cos(M[i, j])); let s = sum[i, j](M[i, j] * z[j]); let c[i, j] = M[i, j] - z[j];",
      ),
    ).toEqual(["a b s c 0"]);
  });

  test("finds pairs whose coordinates are changed over", () => {
    expect(
      walks(
        "let a[i] = sum[j](exp(sin(x[i] - x[j])) * y[j]); let b[j] = sum[i](exp(sin(x[i] - x[j])) * y[i]);",
      ),
    ).toEqual(["a b 1"]);
    expect(
      walks("let a[i] = sum[j](exp(S[i, j]) * y[j]); let b[i] = sum[j](exp(S[j, i]) * x[j]);"),
    ).toEqual(["a b 1"]);
  });

  test("is the same points however ranges and guards say so, and wherever they begin", () => {
    expect(
      walks(
        "let a[i] = sum[j](exp(S[i, j]) where j < i); let b[j] = sum[i](exp(S[i, j]) * x[i] where i > j);",
      ),
    ).toEqual(["a b 1"]);
    expect(
      walks(
        "let a = sum[i in 1..extent(n)](exp(x[i - 1])); let b = sum[i in 0..extent(n) - 1](exp(x[i]) * y[i]);",
      ),
    ).toEqual(["a b 0"]);
    expect(
      walks("let a = sum[i, j](exp(S[i, j]) where i < j); let b = sum[i, j](exp(S[i, j]));"),
    ).toEqual([]);
    // Where all but some positions count, that is tested at every point.
    expect(
      walks("let a = sum[i, j](exp(S[i, j]) where i != j); let b = sum[i, j](exp(S[i, j]));"),
    ).toEqual(["a b 0"]);
    expect(work("let a = sum[i, j](S[i, j] where i != j);")).toBe(
      work("let a = sum[i, j](S[i, j]);"),
    );
  });

  test("is all points of its loops where bounds leave some out", () => {
    const both = "let a[i] = exp(x[i]); let b[i in 0..extent(n)] = exp(x[i]) * 2.0 where i > 0;";
    expect(walks(both)).toEqual(["a b 0"]);
    // The exponential is there; the product and its cells are those of b alone.
    expect(work(both)).toBe("5·n - 2");
  });

  test("is all points of longer loops, where those are longer by a few", () => {
    expect(
      walks("let a = sum[i](exp(x[i])); let b = sum[i in 1..extent(n)](exp(x[i]) * y[i]);"),
    ).toEqual(["a b 0"]);
    expect(
      walks("let a = sum[i](exp(x[i])); let b = sum[i in 0..extent(n) - 1](exp(x[i + 1]) * y[i]);"),
    ).toEqual(["a b 0"]);
    expect(
      walks("let a = sum[i](exp(x[i])); let b = sum[i in 3..extent(n)](exp(x[i]) * y[i]);"),
    ).toEqual([]);
    // x, an exponential and two sums at each point, y and a product at all but one.
    expect(
      work("let a = sum[i](exp(x[i])); let b = sum[i in 1..extent(n)](exp(x[i]) * y[i]);"),
    ).toBe("6·n");
  });

  test("is of fewer points where another has those, and the others are by themselves", () => {
    const both = "let b = sum[i in 1..extent(n)](exp(x[i]) * y[i]); let a = sum[i](exp(x[i]));";
    expect(walks(both)).toEqual(["b a 0"]);
    // x, y, an exponential, a product and two sums at all points but one, where there are x, an exponential and a sum.
    expect(work(both)).toBe("6·n - 1");
    // Nothing is left out of what is left.
    expect(work("let b = sum[i in 0..0](exp(x[i])); let a = sum[i in 0..1](exp(x[i]));")).toBe("5");
  });

  test("is of what bounds choose, beside which there is something else at a few points", () => {
    const both =
      "let c[i in 0..extent(n)] = if i == 0 { y[0] } else { exp(x[i]) }; let s = sum[i in 1..extent(n)](exp(x[i]) * y[i]);";
    expect(walks(both)).toEqual(["c s 0"]);
    expect(
      walks(
        "let c[i in 0..extent(n)] = if i < 3 { y[i] } else { exp(x[i]) }; let s = sum[i](exp(x[i]) * y[i] where i >= 3);",
      ),
    ).toEqual(["c s 0"]);
    expect(
      walks(
        "let c[i in 0..extent(n)] = exp(x[i]) where i != 0; let s = sum[i in 0..extent(n) - 1](exp(x[i + 1]) * y[i]);",
      ),
    ).toEqual(["c s 0"]);
  });

  test("has no cell of what bounds choose where something else is chosen", () => {
    const chosen =
      "let a = sum[i](exp(x[i])); let c[i in 0..extent(n)] = if 2 * i < extent(n) { a * x[i] } else { exp(x[i]) * sin(x[i]) };";
    expect(walks(`${chosen} let b = sum[i](c[i] * exp(x[i]));`)).toEqual(["a c 0"]);
  });

  test("is of all points where that takes less than what bounds choose by itself", () => {
    // x and y at all points; two products or exponential, sine and product; the last product, the exponential there and a sum; a cell of c.
    const chosen =
      "let c[i in 0..extent(n)] = if i < 3 { y[i] * x[i] } else { exp(x[i]) * sin(x[i]) }; let b = sum[i](c[i] * exp(x[i]));";
    expect(work(chosen)).toBe("7·n + 1");
  });

  test("is the same points where one coordinate begins at another", () => {
    const both =
      "let a[i] = sum[j in i + 1..extent(n)](exp(S[i, j])); let b[i] = sum[j in 0..extent(n) - i - 1](exp(S[i, i + j + 1]) * x[i]);";
    expect(walks(both)).toEqual(["a b 0"]);
  });

  test("is of a recurrence whose steps come one after the other", () => {
    const mutual = (at: string): string =>
      `let a[t in rev(0..extent(n))] = if t == extent(n) - 1 { 1.0 } else { b[${at}] * exp(x[t]) }; let b[t in rev(0..extent(n))] = if t == 0 { 0.0 } else { a[t] * y[t] };`;
    // At t there is b[t + 1], made of a[t + 1] before it.
    expect(walks(mutual("t + 1"))).toEqual(["a b 0"]);
    // What needs b of a further step, at which b is not there, does not go along.
    expect(
      walks(`${mutual("t + 1")} let s = sum[t in 0..extent(n) - 1](a[t + 1] * b[t + 1]);`),
    ).toEqual(["a b s 0"]);
    expect(walks(`${mutual("t + 1")} let s = sum[t in 0..extent(n) - 1](a[t] * b[t]);`)).toEqual([
      "a b 0",
    ]);
  });

  test("has cells of earlier steps, wherever data says that they are", () => {
    const graph =
      "let v[i in 0..extent(n)] = if i < 2 { x[i] } else { p[i] + y[i] }; let p[i in 0..extent(n)] = if i < 2 { 0.0 } else { v[at[i]] * exp(x[i]) };";
    expect(walks(graph)).toEqual(["p v 0"]);
    // Along what it does not step, data may say that a cell is one of the same step.
    const grid =
      "let a[0, i] = x[i]; let b[t in 0..5, i in 0..extent(n)] = a[t, at[i]] * 2.0; let a[t in 1..5, i in 0..extent(n)] = b[t - 1, i] + a[t - 1, at[i]];";
    expect(walks(grid)).toEqual([]);
    const along = (read: string): string =>
      `let a[t in 0..extent(n), i in 0..extent(n)] = if t == 0 { x[i] } else { b[t - 1, i] * exp(S[t, i]) }; let b[t in 0..extent(n), i in 0..extent(n)] = if t == 0 { y[i] } else { a[t, ${read}] * exp(S[t, i]) };`;
    // The first step is by itself, of both.
    expect(walks(along("i"))).toEqual(["a b 0", "a b 0"]);
    expect(walks(along("at[i]"))).toEqual(["a b 0"]);
    expect(walks(along("(i + 1) % extent(n)"))).toEqual(["a b 0"]);
    expect(work(along("(i + 1) % extent(n)"))).toContain("10·n²");
  });

  test("is of no two of which one waits for the other, by whatever way", () => {
    expect(
      walks("let a[i] = sum[j](exp(M[i, j])); let b[i] = sum[j](exp(M[i, j]) * a[i]);"),
    ).toEqual([]);
    expect(
      walks("let a = sum[i](exp(x[i])); let c = a * 2.0; let b = sum[i](exp(x[i]) * c);"),
    ).toEqual([]);
    // Either pair could go together, not both.
    expect(
      walks(
        "let a = sum[i](exp(x[i])); let p = sum[j](exp(z[j])); let q = sum[j](exp(z[j]) * a); let b = sum[i](exp(x[i]) * p);",
      ),
    ).toHaveLength(1);
    expect(
      walks(
        "let h[0] = 1.0; let h[t in 1..extent(n)] = h[t - 1] * exp(x[t]); let g[0] = 1.0; let g[t in 1..extent(n)] = g[t - 1] * exp(x[t]) + h[t - 1];",
      ),
    ).toEqual([]);
  });

  test("is of terms that lookups send to their cells", () => {
    expect(
      walks(
        "let a[p in 0..9] = sum[i](exp(x[i]) where at[i] == p); let b[p in 0..9] = sum[i](exp(x[i]) * y[i] where to[i] == p);",
      ),
    ).toEqual(["a b 0"]);
    const chosen =
      "let a[p in 0..9] = sum[i, part in 0..2](if part == 0 { exp(x[i]) } else { exp(x[i]) * y[i] } where (if part == 0 { at[i] } else { to[i] }) == p);";
    // x, y, at and to are read; exp, a product and, for each term, a comparison, a sum and a cell.
    expect(work(chosen)).toBe("12·n");
  });

  test("goes one way at each point where conditions are opposite: the dearer counts", () => {
    const sent = (value: string, condition: string, name: string): string =>
      `let ${name}[p in 0..9] = sum[i](${value} where ${condition}, at[i] == p);`;
    const [exps, sines] = [
      sent("exp(x[i]) * y[i]", "y[i] > 0", "a"),
      sent("sin(x[i])", "!(y[i] > 0)", "b"),
    ];
    // y and at are read, and what is greater than 0; for each of the two, where it goes. Then x is read, an exponential, a product, a sum and a cell.
    expect(walks(`${exps} ${sines}`)).toEqual(["a b 0"]);
    expect(work(`${exps} ${sines}`)).toBe("10·n");
    // Conditions that are not opposite may both hold.
    expect(work(`${exps} ${sent("sin(x[i])", "y[i] > 1", "b")}`)).toBe("14·n");
    const chosen =
      "let b[p in 0..9] = sum[i](if y[i] > 0 { y[i] } else { sin(exp(x[i]) + 1.0) * tanh(x[i]) } where at[i] == p);";
    expect([work(chosen), work(`${exps} ${chosen}`)]).toEqual(["12·n", "13·n"]);
  });

  test("has what it computes at a point: that is not read", () => {
    expect(walks("let e[i] = exp(x[i]); let s = sum[i](e[i] * y[i]);")).toEqual(["e s 0"]);
    // x and y are read; exp, a product and a sum; a cell of e, which has a name.
    expect(work("let e[i] = exp(x[i]); let s = sum[i](e[i] * y[i]);")).toBe("6·n + 1");
    // A cell that another clause may own is not there.
    expect(
      walks(
        "let e[i in 0..extent(n)] = exp(x[i]); let e[i in 1..extent(n)] = sin(x[i]) where y[i] > 0; let s = sum[i](e[i] * y[i]);",
      ),
    ).toEqual(["e 0"]);
    // Its neighbour is not there.
    expect(
      walks("let e[i] = exp(x[i]); let s = sum[i in 1..extent(n)](e[i - 1] * e[i] * x[i]);"),
    ).toEqual([]);
    expect(
      walks("let e[i] = exp(x[i]); let t = sum[i](e[i]); let s = sum[i](e[i] * t * x[i]);"),
    ).toEqual(["e t 0"]);
  });

  test("is of all that a point of a recurrence has, and reads of earlier ones", () => {
    const mutual =
      "let h[0] = 1.0; let g[t in 0..extent(n)] = tanh(h[t]) * x[t]; let h[t in 1..extent(n)] = tanh(h[t - 1]) * x[t - 1] + g[t - 1];";
    expect(walks(mutual)).toEqual([]);
    const inStep =
      "let h[0] = 1.0; let a[t in 1..extent(n)] = exp(x[t] + h[t - 1]); let h[t in 1..extent(n)] = a[t] * x[t];";
    expect(walks(`${inStep} let a[0] = 0.0;`)).toEqual(["a h 0", "a h 0"]);
  });

  test("is of what only reads of a recurrence what it reads there itself", () => {
    const scores =
      "let F[0] = 0.0; let F[t in 1..extent(n)] = sum[s in 0..t](exp(F[s] - x[t - s]));";
    expect(
      walks(
        `${scores} let d[t in 1..extent(n)] = sum[s in 0..t](exp(F[s] - x[t - s]) * y[s]); let d[0] = 0.0;`,
      ),
    ).toEqual(["F d 0"]);
    expect(
      walks(
        `${scores} let d[t in 1..extent(n)] = sum[s in 0..t](exp(F[s] - x[t - s]) * F[t]); let d[0] = 0.0;`,
      ),
    ).toEqual([]);
  });

  test("goes along with what runs, in one direction", () => {
    expect(
      walks(
        "let e[i] = exp(x[i]); let p[i in 0..extent(n)] = sum[k in 0..i + 1](e[k]); let s = sum[i](p[i] * y[i]);",
      ),
    ).toEqual(["e p s 0"]);
    expect(
      walks(
        "let e[i] = exp(x[i]); let p[i in 0..extent(n)] = sum[k in 0..i + 1](e[k]); let q[i in 0..extent(n)] = sum[k in i..extent(n)](e[k]);",
      ),
    ).toEqual(["e p 0"]);
    // A recurrence has a direction too.
    const down =
      "let h[t in extent(n) - 1..extent(n)] = 1.0; let h[t in rev(0..extent(n) - 1)] = h[t + 1] * exp(x[t]);";
    expect(
      walks(`${down} let p[i in 0..extent(n) - 1] = sum[k in 0..i + 1](h[k] * y[k]);`),
    ).toEqual([]);
    expect(
      walks(`${down} let p[i in 0..extent(n) - 1] = sum[k in i..extent(n) - 1](h[k] * y[k]);`),
    ).toEqual(["h p 0"]);
    // What stands before a cell is not all of it.
    expect(
      work("let p[i in 0..extent(n)] = sum[k in 0..i + 1](x[k]); let s = sum[i](p[i] * y[i]);"),
    ).toBe("6·n + 1");
  });

  test("is found where cells stand at sums of its coordinates", () => {
    const sums =
      "let a[i] = sum[j](exp(x[i] + y[j]) where i + j < extent(n)); let b[k in 0..extent(n)] = sum[j](exp(x[k - j] + y[j]) * x[k - j] where k - j in 0..extent(n));";
    expect(walks(sums)).toEqual(["a b 0"]);
    // x and y are read; a sum, an exponential, a product; both are added up, and the second is sent to its cell.
    expect(work(sums)).toBe("4·n² + 6·n");
  });

  test("is found whatever the order of its coordinates, where guards decide about some of them", () => {
    const sums =
      "let a[i] = sum[j, k, l](exp(S[i, j] + x[k] - y[l]) where j < i); let b[l] = sum[k, i, j](exp(S[i, j] + x[k] - y[l]) * x[k] where i > j);";
    expect(walks(sums)).toEqual(["a b 1"]);
  });

  test("is not where nothing is shared", () => {
    expect(walks("let a = sum[i](x[i]); let b = sum[i](y[i]);")).toEqual([]);
    // A cell at each point is more than what is shared.
    expect(walks("let a[i] = sum[j](M[i, j] * 2.0); let b[j] = sum[i](M[i, j] * 3.0);")).toEqual(
      [],
    );
  });
});
