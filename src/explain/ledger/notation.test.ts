import { expect, test } from "vitest";
import { expressionTex, nameTex, statementTex } from "./notation.ts";

test.each([
  ["i", "i"],
  ["out", "\\mathit{out}"],
  ["d_W", "\\bar{W}"],
  ["d_d_x", "\\bar{\\bar{x}}"],
  ["h_2", "h^{(2)}"],
  ["two_words", "\\mathit{two\\_words}"],
])("the name %s", (name, tex) => {
  expect(nameTex(name)).toBe(tex);
});

test.each([
  ["a * (b + c)", "a \\, \\left(b + c\\right)"],
  ["a - (b - c)", "a - \\left(b - c\\right)"],
  ["x ** 2 / 3", "\\frac{x^{2}}{3}"],
  ["(a + b) ** 2", "\\left(a + b\\right)^{2}"],
  ["h_2[i] ** 2", "{h^{(2)}_{i}}^{2}"],
  ["-x", "-x"],
  ["exp(-x[i])", "\\exp\\left(-x_{i}\\right)"],
  ["sqrt(x)", "\\sqrt{x}"],
  ["extent(n)", "\\left|n\\right|"],
  ["1e-5", "1 \\cdot 10^{-5}"],
  ["sum[j](a[i, j])", "\\sum_{j} a_{i,\\,j}"],
  ["sum[j](a[j] where j > 0)", "\\sum_{\\substack{j\\\\ j > 0}} a_{j}"],
  ["max[k in 0..3](x[k])", "\\max_{k \\in [0,\\, 3)} x_{k}"],
  [
    "if x > 0 { x } else { 0 }",
    "\\begin{cases} x & \\text{if } x > 0 \\\\ 0 & \\text{otherwise} \\end{cases}",
  ],
  ["y as f32", "y"],
  ["constructor(x)", "\\operatorname{constructor}\\left(x\\right)"],
])("%s", (source, tex) => {
  expect(expressionTex(source)).toBe(tex);
});

test("statements are equations, and what is none stands as code", () => {
  expect(statementTex("let d_x[i] = 2 * d_y[i] * x[i];")).toBe(
    "\\bar{x}_{i} = 2 \\, \\bar{y}_{i} \\, x_{i}",
  );
  expect(statementTex("let d_x[i] = d_s where x[i] > 0;")).toBe(
    "\\bar{x}_{i} = \\bar{s} \\quad\\text{where } x_{i} > 0",
  );
  expect(statementTex("input x_1: [f32; n];")).toBe("\\texttt{input x\\_1: [f32; n];}");
});
