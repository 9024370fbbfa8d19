// The values of calls and clauses: coordinates and packs that a call binds, guards of calls,
// lifting, tuples, and the order of clauses.

import { describe, expect, test } from "vitest";
import { compile } from "../../driver/compile.ts";
import { showTensor } from "../../scalar/values/show.ts";

/** The values of some names after a run without messages. */
function values(text: string, ...names: string[]): readonly string[] {
  const { program, diagnostics } = compile({ name: "p", text });
  expect(diagnostics.map(({ code, title }) => `${code} ${title}`)).toEqual([]);
  const result = program!.run({ get: names });
  expect(result.fault).toBeUndefined();
  return names.map((name) => showTensor(result.values.get(name)!.value));
}

describe("a guard at a call", () => {
  const total = "fn total[j](x: [f32; ..l, j]) -> [f32; ..l] { sum[j](x[..l, j]) }";
  const a = "let a = [[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]]; let n = [3, 1];";

  test.each([
    ["a comparison with the coordinate", "c < n[b]", "[7.0, 8.0]"],
    ["a cast", "c as f32 < 1.5", "[3.0, 24.0]"],
    ["a choice", "if c > 0 { a[b, c] > 2 } else { true }", "[5.0, 56.0]"],
    ["a reduction with a guard of its own", "sum[k](a[b, k] where k < c) > 1", "[4.0, 48.0]"],
    ["a binding", "t = a[b, c] > 3, t", "[4.0, 56.0]"],
    ["a binding of a binding", "q = a[b, c] * 2, t = q < 10, t", "[7.0, 0.0]"],
    ["a block", "{ let q = a[b, c] * 2; q < 10 }", "[7.0, 0.0]"],
    ["a literal", "[true, false, true][c]", "[5.0, 40.0]"],
    ["a member of a tuple", "(c > 0, 1).0", "[6.0, 48.0]"],
    ["two guards", "c > 0, c < 2", "[2.0, 16.0]"],
  ])("is read inside the callee: %s", (_, guard, expected) => {
    expect(values(`${total} ${a} let y[b] = total[c](a[b, c]) where ${guard};`, "y")).toEqual([
      expected,
    ]);
  });

  test("gives filtered cells of the result its `else`, or 0", () => {
    const scale =
      "fn scale[j](x: [f32; ..l, j]) -> [f32; ..l, j] { x[..l, j] / sum[k](x[..l, k]) }";
    const text = `${scale} let a = [[1.0, 3.0], [6.0, 2.0]];
      let p[b, c] = scale[c](a[b, c]) where a[b, c] > 1.5 else -1;
      let q[b, c] = scale[c](a[b, c]) where a[b, c] > 1.5;`;
    expect(values(text, "p", "q")).toEqual([
      "[[-1.0, 1.0], [0.75, 0.25]]",
      "[[0.0, 1.0], [0.75, 0.25]]",
    ]);
  });
});

describe("coordinates and packs", () => {
  test("of one parameter go where the call names them", () => {
    const f = "fn f[j](x: [f32; ..l, j, ..r]) -> [f32; ..l, ..r] { sum[j](x[..l, j, ..r]) }";
    const text =
      `${f} let a = [[1.0, 2.0], [3.0, 4.0]]; let y[k] = f[c](a[c, k]); ` +
      "let z[k] = f[c](a[k, c]);";
    expect(values(text, "y", "z")).toEqual(["[4.0, 6.0]", "[3.0, 7.0]"]);
  });

  test("of two parameters, in any order of the axes, and inferred", () => {
    const sum2 = "fn sum2[i, j](x: [f32; ..a, i, j]) -> [f32; ..a] { sum[i, j](x[..a, i, j]) }";
    const text = `${sum2} let q = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]];
      let y[k] = sum2[u, v](q[k, u, v]); let z[k] = sum2[u, v](q[u, k, v]); let w = sum2(q[0]);`;
    expect(values(text, "y", "z", "w")).toEqual(["[10.0, 26.0]", "[14.0, 22.0]", "10.0"]);
  });

  test("a pack takes a group of names, or one", () => {
    const f = "fn f[..s](x: [f32; ..s]) -> f32 { sum[..s](x[..s]) }";
    const text =
      `${f} let a = [[1.0, 2.0], [3.0, 4.0]]; let y = f[(c, d)](a[c, d]); ` +
      "let z = f[c](a[c, 0]);";
    expect(values(text, "y", "z")).toEqual(["10.0", "4.0"]);
  });

  test("an argument is abstracted over the coordinate that is passed", () => {
    const f = "fn f[j](x: [f32; ..l, j]) -> [f32; ..l] { sum[j](x[..l, j]) }";
    const text = `${f} let A = [[1.0, 2.0], [3.0, 4.0]];
      let y[b] = f[c](if A[b, c] > 1 { A[b, c] } else { -A[b, c] });
      let z[b] = f[c](sum[k](A[b, k] * A[k, c] where A[k, c] > 1));`;
    expect(values(text, "y", "z")).toEqual(["[1.0, 7.0]", "[16.0, 34.0]"]);
  });

  test("the result has the layout that is declared", () => {
    const outer = "fn outer(x: [f32; n], y: [f32; m]) -> [f32; m, n] { x[n] * y[m] }";
    expect(values(`${outer} let o = outer([1.0, 2.0], [3.0, 4.0, 5.0]);`, "o")).toEqual([
      "[[3.0, 6.0], [4.0, 8.0], [5.0, 10.0]]",
    ]);
    const turned = "fn f(x: [f32; n, m]) -> [f32; m, n] { x[n, m] }";
    expect(values(`${turned} let y = f([[1.0, 2.0, 3.0]]);`, "y")).toEqual([
      "[[1.0], [2.0], [3.0]]",
    ]);
  });

  test("a dimension name has its extent at each call", () => {
    const f = "fn f(x: [f32; n]) -> [f32; n] { x[n] * extent(n) as f32 }";
    expect(values(`${f} let y = f([1.0, 2.0]); let z = f([1.0, 1.0, 1.0]);`, "y", "z")).toEqual([
      "[2.0, 4.0]",
      "[3.0, 3.0, 3.0]",
    ]);
  });
});

describe("bodies", () => {
  test("have declarations of their own", () => {
    const shift =
      "fn shift[t](x: [f32; t]) -> [f32; t] { let y[0] = x[0]; " +
      "let y[k in 1..extent(t)] = x[k - 1]; y }";
    expect(values(`${shift} let z = shift([1.0, 2.0, 3.0]);`, "z")).toEqual(["[1.0, 1.0, 2.0]"]);
  });

  test("are called on sub-tensors", () => {
    const dot = "fn dot(x: [f32; n], y: [f32; n]) -> f32 { sum[n](x[n] * y[n]) }";
    const text = `${dot} let a = [[1.0, 2.0], [3.0, 4.0]]; let g[i, j] = dot(a[i], a[j]);`;
    expect(values(text, "g")).toEqual(["[[5.0, 11.0], [11.0, 25.0]]"]);
  });

  test("take tuples apart, also those that an `if` chooses", () => {
    const text = `fn pick(t) { let (a, b) = t; a * 10 + b }
      let y = pick((1, 2)); let z = pick(if y > 11 { (3, 4) } else { (5, 6) });
      let ((c, d), e) = ((1, 2), 3); let s = c + d * e; let m = { let k = 2; (k, k + 1) }.1;`;
    expect(values(text, "y", "z", "s", "m")).toEqual(["12", "34", "7", "3"]);
  });

  test("have defaults and keywords", () => {
    const text =
      "fn f(x: f32 = 2.0, y: f32 = 1.0) { x - y } let a = f(); let b = f(y = 5.0); " +
      "let c = f(1.0, 4.0);";
    expect(values(text, "a", "b", "c")).toEqual(["1.0", "-3.0", "-3.0"]);
  });

  test("are lifted over tensors where a scalar is declared", () => {
    const text = `fn f(x: f32, k: f32 = 2.0) { x * k + 1 }
      let a = [1.0, 3.0]; let y = f(a); let z = f(a, k = 3.0);
      let w = f(a, a); let v[i] = f(a[i]);`;
    expect(values(text, "y", "z", "w", "v")).toEqual([
      "[3.0, 7.0]",
      "[4.0, 10.0]",
      "[2.0, 10.0]",
      "[3.0, 7.0]",
    ]);
  });
});

describe("clauses", () => {
  test("of packs, of single positions, and of a grid", () => {
    const text = `let t[i, j in 0..2] = [1.0, 2.0][i] + 10 * j as f32;
      let y[..b] = t[..b] * 2; let z[..b, k in 0..2] = t[..b];
      let x[i in 0..3, 1] = i; let x[i in 0..3, 0] = 10 * i; let r = x[2];
      let h[0, j in 0..3] = j; let h[i in 1..3, 0] = 1;
      let h[i in 1..3, j in 1..3] = h[i - 1, j] + h[i, j - 1];`;
    expect(values(text, "y", "z", "r", "h")).toEqual([
      "[[2.0, 22.0], [4.0, 24.0]]",
      "[[[1.0, 1.0], [11.0, 11.0]], [[2.0, 2.0], [12.0, 12.0]]]",
      "[20, 2]",
      "[[0, 1, 2], [1, 2, 4], [1, 3, 7]]",
    ]);
  });

  test("that read one another, and downward", () => {
    const text = `let a[0] = 1; let a[t in 1..5] = b[t - 1] + 1; let b[t in 0..5] = a[t] * 2;
      let h[3] = 1; let h[t in rev(0..3)] = h[t + 1] * 2; let g[t in 0..4] = sum[k in t..4](h[k]);`;
    expect(values(text, "a", "b", "h", "g")).toEqual([
      "[1, 3, 7, 15, 31]",
      "[2, 6, 14, 30, 62]",
      "[8, 4, 2, 1]",
      "[15, 7, 3, 1]",
    ]);
  });
});

test(
  "a function that nothing calls may read tensors of the file by the dimension that its " +
    "parameters share with them",
  () => {
    const text = `input W: [f32; d, d];
    fn first(x: [f32; batch, d]) -> [f32; batch] {
      let q[batch] = sum[d](x[batch, d] * W[d, 0]);
      q
    }`;
    expect(compile({ name: "p", text }).diagnostics).toEqual([]);
  },
);
