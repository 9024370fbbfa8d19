// The requests of the language: denominators in the middle, several denominators, and requests in
// functions, in blocks and of requests.

import { describe, expect, it } from "vitest";
import { agrees, close, messagesOf, valueOf } from "./testing.ts";
import { derive } from "./derived.ts";

describe("denominators", () => {
  it("in the middle count only paths through that name", () => {
    const { a } = agrees("let x = 3.0; let a = x * x; let y = a * 2 + x; let g = @y / @a;");
    close(a, [2]);
  });

  it("one behind the other", () => {
    const { x, y } = agrees(
      "let x = [1.0, -2.0, 3.0]; let y[i] = sin(x[i]) * x[i]; let l = sum[i](y[i] * y[i]); " +
        "let g = @l / @y; let h = @l / @x;",
    );
    expect(x!.every((cell) => cell !== 0)).toBe(true);
    expect(y!.every((cell) => cell !== 0)).toBe(true);
  });

  it("one behind the other, with another path around", () => {
    agrees(
      "let x = [1.0, -2.0]; let a[i] = x[i] ** 2; let b[i] = a[i] * x[i]; " +
        "let c = prod[i](b[i] + a[1 - i]); let l = c + sum[i](x[i]); let p = @l / @a; " +
        "let q = @l / @b; let r = @l / @x; let s = @l / @c;",
    );
  });

  it("of several clauses", () => {
    agrees(
      "let x = [1.0, -2.0]; let c[i in 0..2] = x[i]; let c[i in 2..4] = x[i - 2] ** 2; " +
        "let l = sum[i](c[i] ** 2); let g = @l / @c; let h = @l / @x;",
    );
  });

  it("that is the numerator", () => {
    close(agrees("let x = 2.0; let g = @x / @x;")["x"], [1]);
    close(agrees("let x = [1.0, 2.0]; let g = @x[1] / @x;")["x"], [0, 1]);
    agrees("let x = [1.0, 2.0]; let y = x[0] * x[1]; let g = @y / @y; let h = @y / @x;");
  });

  it("that no path leads to", () => {
    const text = "let x = [1.0, 2.0]; let z = 3.0; let y = z * z; let g = @y / @x;";
    close(agrees(text)["x"], [0, 0]);
    expect(derive(text).warnings.map(({ code }) => code)).toEqual(["W0701"]);
  });

  it("that is hidden behind `stop`", () => {
    const text = "let x = [1.0, 2.0]; let y = sum[i](stop(x[i]) * x[i]); let g = @y / @x;";
    close(valueOf(text, "g"), [1, 2]);
  });

  it("must be floats", () => {
    expect(messagesOf("let x = 3; let y = x as f32 * 2.0; let g = @y / @x;")[0]?.code).toBe(
      "E0704",
    );
    expect(
      messagesOf("let x = [1, 2]; let y = sum[i](x[i] as f32); let g = @y / @x;")[0]?.code,
    ).toBe("E0704");
  });
});

describe("linear combinations of numerators", () => {
  const two = "let x = [0.5, 1.5]; let y = sum[i](x[i] ** 2); let z = prod[i](x[i]);";
  it.each([
    "(2.0 * @y + @z) / @x",
    "(@y - @z / 2.0) / @x",
    "-@y / @x",
    "(3.0 * (@y + @z) - @y) / @x",
    "(@y * 2.0) / @x",
  ])("%s", (request) => {
    agrees(`${two} let g = ${request};`);
  });

  it("have constant factors, whatever they are made of", () => {
    close(valueOf("let x = 3.0; let y = x * x; let g = (x * @y) / @x;", "g"), [18]);
  });

  it("are not products", () => {
    expect(messagesOf(`${two} let g = (@y * @z) / @x;`)[0]?.code).toBe("E0702");
  });

  it("of expressions", () => {
    agrees(
      "let x = [0.5, 1.5]; let g = @(x[0] * x[1] + sin(x[0])) / @x; " +
        "let h = @sum[i](x[i] ** 3) / @x;",
    );
  });
});

describe("derivatives of derivatives", () => {
  it("of a polynomial", () => {
    const text =
      "let x = 1.5; let f = x ** 5; let a = @f / @x; let b = @a / @x; let c = @b / @x; " +
      "let d = @c / @x; let e = @d / @x; let z = @e / @x;";
    agrees(text);
    close(valueOf(text, "e"), [120]);
    close(valueOf(text, "z"), [0]);
  });

  it("nested in one line", () => {
    agrees(
      "let x = 1.5; let f = sin(x) * exp(x); let a = @(@f / @x) / @x; " +
        "let b = @(@(@f / @x) / @x) / @x;",
    );
  });

  it("through a reduction of a gradient", () => {
    agrees(
      "let x = [0.5, 1.5, -1.0]; let f = sum[i](x[i] ** 3 * x[0]); let g = @f / @x; " +
        "let n = sum[i](g[i] ** 2); let h = @n / @x;",
    );
    agrees(
      "let x = [[0.5, 1.5], [-1.0, 2.0]]; let p[i] = logsumexp[j](x[i, j] ** 2); " +
        "let f = sum[i](p[i] * max[j](x[i, j])); let g = @f / @x; " +
        "let n = sum[i, j](g[i, j] ** 2); let h = @n / @x;",
    );
  });

  it("Hessian times vector", () => {
    agrees(
      "let x = [0.5, 1.5, -1.0]; let v = [1.0, 2.0, 3.0]; " +
        "let f = prod[i](x[i] + 2) + sum[i](x[i] * x[2 - i]); let g = @f / @x; " +
        "let s = sum[i](g[i] * v[i]); let h = @s / @x;",
    );
  });

  it("by different names", () => {
    agrees(
      "let x = 0.7; let y = 1.3; let f = sin(x * y) * y; let a = @f / @x; let b = @a / @y; " +
        "let c = @b / @x;",
    );
  });

  it("of prod, with zeros", () => {
    const second = (cells: string): readonly number[] =>
      valueOf(
        `let d = [${cells}]; let s = prod[k](d[k]); let g = @s / @d; let q = g[0]; ` +
          "let h = @q / @d;",
        "h",
      );
    close(second("1.0, 0.0, 3.0, 2.0"), [0, 6, 0, 0]);
    close(second("1.0, 0.0, 0.0, 2.0"), [0, 0, 0, 0]);
    close(second("0.0, 0.0, 3.0, 2.0"), [0, 6, 0, 0]);
    close(second("2.0, 3.0, 5.0, 7.0"), [0, 35, 21, 15]);
  });
});

describe("requests in functions and blocks", () => {
  it("in a function of a number", () => {
    agrees(
      "fn f(v) { let l = v ** 3; let g = @l / @v; g } let x = [1.0, 2.5, 3.0]; " +
        "let y[i] = f(x[i]); let s = sum[i](y[i] ** 2); let g = @s / @x;",
    );
  });

  it("in a function of a tensor", () => {
    const text =
      "fn slope(v: [f32; n]) -> [f32; n] { let l = sum[n](v[n] ** 3); let g = @l / @v; " +
      "g[n] } let x = [1.0, 2.5]; let y = slope(x); let s = sum[i](y[i] ** 2); " +
      "let g = @s / @x;";
    close(valueOf(text, "y"), [3, 18.75]);
    agrees(text);
  });

  it("in a block", () => {
    agrees(
      "let x = [1.0, 2.5, 3.0]; let q = { let l = sum[i](x[i] ** 3); let g = @l / @x; " +
        "sum[i](g[i] * x[i]) }; let g = @q / @x;",
    );
  });

  it("of a function's own local", () => {
    close(valueOf("fn f(v) { let a = v * 2; let l = a ** 2; @l / @a } let y = f(3.0);", "y"), [12]);
  });
});

describe("through functions", () => {
  it.each([
    ["of a number", "fn f(a, b) { a * sin(b) } let y[i] = f(x[i], x[2 - i]);"],
    ["lifted over a tensor", "fn f(a: f32) { a ** 3 } let y = f(x);"],
    [
      "of a tensor",
      "fn f(v) { let n = sum[i](v[i] ** 2); let r[i] = v[i] / sqrt(n); r } let y = f(x);",
    ],
    ["with a default", "fn f(a, p = 2.0) { a * a * p } let y[i] = f(x[i]) + f(x[i], p = 3.0);"],
    ["in a pipeline", "fn f(a: f32) { a ** 3 } let y = x |> f |> sin;"],
    [
      "of coordinates",
      "fn unit[j](v: [f32; j]) -> [f32; j] { let n = sum[j](v[j] ** 2); " +
        "v[j] / sqrt(n) } let y[i] = unit[i](x[i]);",
    ],
    [
      "that returns a tuple",
      "fn f(a) { (a * a, sin(a)) } let (p, q) = f(x[0]); let y[i] = x[i] * p + q;",
    ],
    ["elementwise without indices", "let y = sin(x * x + x) * 2.0;"],
    ["in array literals", "let y = [x[0] * x[1], sin(x[2]), 3.0];"],
  ])("%s", (_, lines) => {
    agrees(`let x = [0.5, 2.0, -3.0]; ${lines} let l = sum[i](y[i] ** 2); let g = @l / @x;`);
  });
});
