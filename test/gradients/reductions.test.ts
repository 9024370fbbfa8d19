// The derivative of every reduction, with guards, ties, zeros and infinities.

import { describe, expect, it } from "vitest";
import { agrees, agreesBesideKinks, close, messagesOf } from "./testing.ts";

const matrix = "let d = [[1.0, 0.2, 3.0], [2.0, 0.5, 0.3]];";

describe("every reduction", () => {
  it.each(["sum", "prod", "mean", "max", "min", "logsumexp"])("%s", (name) => {
    const weighted = "let l = sum[i](s[i] ** 2 * (i as f32 + 1)); let g = @l / @d;";
    agrees(`${matrix} let s[i] = ${name}[k](d[i, k] * d[i, k]); ${weighted}`);
    agrees(`${matrix} let s[i in 0..2] = ${name}[j, k](d[j, k] * d[i, 2 - k]); ${weighted}`);
    agrees(`${matrix} let s[i] = ${name}[k](d[i, k] + d[i, 0] where d[i, k] > 0.25); ${weighted}`);
    agrees(`${matrix} let s = 1 + 2 * ${name}[i, k](sin(d[i, k])); let g = @s / @d;`);
  });
});

describe("prod", () => {
  it.each([
    ["no zero", [2, 3, 4], [12, 8, 6]],
    ["one zero", [2, 0, 4], [0, 8, 0]],
    ["two zeros", [0, 3, 0], [0, 0, 0]],
    ["one factor", [0], [1]],
  ])("with %s", (_, factors, expected) => {
    const literal = factors.map((x) => `${x}.0`).join(", ");
    close(agrees(`let x = [${literal}]; let p = prod[i](x[i]); let g = @p / @x;`)["x"], expected);
  });

  it("over two axes with a zero", () => {
    const { d } = agrees(
      "let d = [[1.0, 0.0, 3.0], [2.0, 0.5, 0.3]]; let s = prod[i, k](d[i, k]); let g = @s / @d;",
    );
    close(d, [0, 0.9, 0, 0, 0, 0]);
  });

  it("leaves out what a guard filters", () => {
    const { x } = agrees(
      "let x = [2.0, 0.0, 4.0]; let p = prod[i](x[i] where i != 1); let g = @p / @x;",
    );
    close(x, [4, 0, 2]);
  });

  it("in each row", () => {
    agrees(
      "let x = [[2.0, 0.0, 4.0], [0.5, 1.5, -1.0]]; let p[i] = prod[k](x[i, k] + x[0, k]); " +
        "let l = sum[i](p[i] ** 2 + p[i]); let g = @l / @x;",
    );
  });

  it("of factors that are chosen, with zeros", () => {
    agrees(
      "let x = [0.5, -0.25, 0.0, 2.0, -1.5]; let at = [0, 7, 2, 3, 9]; " +
        "let p = prod[k](if x[k] > 1 { x[k] } else " +
        "{ (if at[k] < 5 { x[at[k]] + 1 } else { 2 - x[k] }) * " +
        "(if k == 1 { x[k] } else { x[k] * x[(k + 1) % 5] }) }); let g = @p / @x;",
    );
  });

  it("in steps, with zeros", () => {
    agrees(
      "let v = [[0.5, 0.0, 1.5], [0.0, 0.0, 2.0]]; let a = [0.5, -1.0]; let h[0, i] = a[i]; " +
        "let h[t in 1..4, i in 0..2] = prod[k](v[i, k] * h[t - 1, i] + a[i]); " +
        "let l = h[3, 0] + 2.0 * h[3, 1]; let g = @l / @v; let e = @l / @a;",
    );
    agrees(
      "let v = [[0.5, 0.0, 1.5], [0.0, 0.0, 2.0]]; let a = [0.5, -1.0]; let h[0, i] = a[i]; " +
        "let h[t in 1..4, i in 0..2] = prod[k](v[i, k] * h[t - 1, (i + k) % 2]); " +
        "let l = h[3, 0] + 2.0 * h[3, 1]; let g = @l / @v; let e = @l / @a;",
    );
  });
});

describe("running products and log-sum-exps", () => {
  const weighted = "let l = sum[i](sin(y[i]) * (i as f32 + 1)); let g = @l / @x;";
  const twice = "let s = sum[i](g[i] ** 2); let h = @s / @x;";
  const shapes = [
    "y[i in 0..5] = op[k in 0..i](x[k])",
    "y[i in 0..4] = op[k in 0..i + 1](x[k] * x[0])",
    "y[i in 0..3] = op[k in i + 1..4](x[k])",
    "y[i in 0..4] = op[k](x[k] where k <= i)",
    "y[i in 0..4] = op[k](x[k] where k >= i, x[k] != 0.5)",
    "y[i in 0..4] = op[k in 0..4 - i](x[k])",
    "y[i in 2..4] = op[k in 0..i - 2](x[k]); let y[i in 0..2] = 1.0",
    "y[i in 0..6] = op[k in 2..i](x[k % 4])",
    "y[i in 0..2] = op[k in 0..i + 3](x[k])",
    "y[i in 0..4] = op[k in 0..i + 1, m in 0..2](x[(k + m) % 4])",
  ];
  const programs = shapes.flatMap((shape) =>
    ["prod", "logsumexp"].map((op) => [shape.replace("op", op)] as const),
  );
  it.each(programs)("%s", (shape) => {
    agreesBesideKinks(
      `let x = [0.3, 0.0, 0.5, -1.2]; let ${shape}; ` +
        `${weighted} ${shape.includes("exp") ? "" : twice}`,
    );
  });

  it.each([
    "a[i in 0..4, j in 0..5] = sum[k in i..4, m in k..j](x[k] * y[m])",
    "a[i in 0..4, j in 0..4] = sum[m in j..4, k in i..m + 1](x[k] * sin(y[m]))",
    "a[i in 0..4, j in 0..4] = sum[k in 0..i + 1, m in 0..4](x[k] * y[m] where m <= j, m != k)",
    "a[i in 0..4, j in 0..4] = sum[k in i..4, m in k..j](x[k] * y[m]) where i + j < 6",
    "a[i in 0..4, j in 0..4] = sum[k in 0..i, m in 0..k, n in 0..m + j](x[k] * y[m] * y[n % 4])",
  ])("of which several coordinates bound several ranges: %s", (shape) => {
    agrees(`let x = [0.3, 0.9, 0.5, -1.2]; let y = [0.75, -0.5, 1.25, 0.25]; let ${shape};
      let l = sum[i, j](a[i, j] ** 2); let g = @l / @x; let h = @l / @y; let s = sum[i](g[i] ** 2);
      let t = @s / @y;`);
  });

  it("in rows, with a denominator between", () => {
    agrees(`let x = [[0.3, 0.7, 0.5], [0.2, 1.5, -1.2]];
      let y[b, i in 0..3] = prod[k in 0..i + 1](x[b, k]);
      let l = sum[b, i](y[b, i] ** 2); let g = @l / @y; let h = @l / @x;`);
  });
});

describe("running sums of expressions", () => {
  const weighted = "let l = sum[i](sin(y[i]) * (i as f32 + 1)); let g = @l / @x;";
  const twice = "let s = sum[i](g[i] ** 2); let h = @s / @x;";
  it.each([
    "y[i in 0..4] = sum[k in 0..i + 1](x[k] ** 2)",
    "y[i in 0..5] = exp(-sum[k in 0..i](x[k] * x[3 - k]))",
    "y[i in 0..4] = sum[k in i..4](x[k] * x[0])",
    "y[i in 0..4] = sum[k](sin(x[k]) where k <= i, x[k] > 0.2)",
    "y[i in 0..3] = sum[k in 0..4](x[k] * x[(k + 1) % 4] where k + 1 <= i)",
    "y[i in 0..4] = mean[k in 0..i + 1](x[k] ** 3)",
    "y[i in 0..4] = sum[k in 0..i + 1, m in 0..2](x[(k + m) % 4] ** 2)",
    "y[i in 0..4] = sum[k in 0..i + 1, m in 0..k + 1](x[m] * x[k])",
    "y[i in 0..4] = sum[k in 0..i + 1]({ let t[j in 0..4] = sum[m in 0..j + 1](x[m] ** 2); " +
      "t[k] * x[k] })",
    "y[i in 2..4] = sum[k in 0..i - 2](x[k] ** 2); let y[i in 0..2] = 1.0",
    "y[i in 0..4] = sum[k in 0..4 - i](x[[2, 0, 3, 2][k]] ** 2)",
  ])("%s", (shape) => {
    agrees(`let x = [0.3, 0.9, 0.5, -1.2]; let ${shape}; ${weighted} ${twice}`);
  });

  it("in rows, with a denominator between", () => {
    agrees(`let x = [[0.3, 0.7, 0.5], [0.2, 1.5, -1.2]]; let w = [0.5, 0.25, 2.0];
      let y[b, i in 0..3] = sum[k in 0..i + 1](x[b, k] * w[k]);
      let l = sum[b, i](y[b, i] ** 3); let g = @l / @y; let h = @l / @x; let m = @l / @w;`);
  });

  it("over a rectangle from the corner", () => {
    agrees(`let x = [[0.3, 0.7, 0.5], [0.2, 1.5, -1.2]];
      let y[i in 0..2, j in 0..3] = sum[k in 0..i + 1, m in 0..j + 1](x[k, m] ** 2);
      let l = sum[i, j](sin(y[i, j])); let g = @l / @x;`);
  });

  it("through a rule", () => {
    agrees(`fn total(x: [f32; n]) { let y[i in 0..len(x)] = sum[k in 0..i + 1](x[k] ** 2); y }
      @fn total(x: [f32; n]) { let y[i in 0..len(x)] = sum[k in 0..i + 1](2 * x[k] * @x[k]); y }
      let x = [0.3, 0.9, 0.5]; let y = total(x); let l = sum[i](y[i] ** 2); let g = @l / @x;`);
  });

  it("filter what has no finite slope", () => {
    const { x } = agreesBesideKinks(
      "let x = [0.0, 4.0, -1.0, 9.0]; let y[i in 0..4] = " +
        "sum[k in 0..i + 1](sqrt(x[k]) where x[k] > 0); let l = sum[i](y[i]); let g = @l / @x;",
    );
    expect(x).toEqual([0, 3 / 4, 0, 1 / 6]);
  });
});

describe("max and min", () => {
  it("give all to the first winner", () => {
    const tied = (e: string): readonly number[] =>
      agreesBesideKinks(`let x = [1.0, 3.0, 3.0, 1.0]; let m = ${e}; let g = @m / @x;`)["x"]!;
    expect(tied("max[i](x[i])")).toEqual([0, 1, 0, 0]);
    expect(tied("min[i](x[i])")).toEqual([1, 0, 0, 0]);
    expect(tied("max[i](x[3 - i])")).toEqual([0, 0, 1, 0]);
    expect(tied("max[i](x[i] where i != 1)")).toEqual([0, 0, 1, 0]);
  });

  it("take the first in bracket order", () => {
    const text = (order: string): string =>
      `let x = [[1.0, 5.0], [5.0, 2.0]]; let m = max[${order}](x[i, j]); let g = @m / @x;`;
    expect(agreesBesideKinks(text("i, j"))["x"]).toEqual([0, 1, 0, 0]);
    expect(agreesBesideKinks(text("j, i"))["x"]).toEqual([0, 0, 1, 0]);
  });

  it("never compare values again", () => {
    // A winner through a map that is not injective: the first of two equal values at different
    // positions.
    const { x } = agreesBesideKinks(
      "let x = [-2.0, 2.0, 1.0]; let m = max[i](x[i] * x[i]); let g = @m / @x;",
    );
    expect(x).toEqual([-4, 0, 0]);
  });

  it("of nothing have no winner", () => {
    const { x } = agreesBesideKinks(
      "let x = [1.0, 2.0]; let m = max[i](x[i] where x[i] > 5); let g = @m / @x;",
    );
    expect(x).toEqual([0, 0]);
  });

  it("know the place of the winner as a number", () => {
    const { x } = agrees(
      "let x = [1.0, 2.0, 0.5]; let m = max[i](i as f32 * x[i]); let g = @m / @x;",
    );
    close(x, [0, 1, 0]);
  });

  it("over ranges that other coordinates decide", () => {
    const { x } = agrees(
      "let x = [1.0, 3.0, 2.0]; let y[i in 0..3] = max[k in 0..i + 1](x[k] ** 2); " +
        "let l = sum[i](y[i]); let g = @l / @x;",
    );
    close(x, [2, 12, 0]);
  });

  it("in one clause of several", () => {
    agrees(
      "let x = [1.0, 2.0, 3.0]; let y[i in 0..3] = x[i]; let y[2] = max[k](x[k] ** 2); " +
        "let l = sum[i](y[i] ** 2); let g = @l / @x;",
    );
  });
});

describe("logsumexp", () => {
  it("has gradient 0 where all elements are -∞", () => {
    const text = (cells: string): string =>
      `let x = [${cells}]; let y[i] = log(x[i]); let l = logsumexp[i](y[i]); let g = @l / @y;`;
    expect(agreesBesideKinks(text("0.0, 0.0"))["y"]).toEqual([0, 0]);
    expect(agreesBesideKinks(text("0.0, 2.0"))["y"]).toEqual([0, 1]);
  });

  it("is stable for large elements", () => {
    close(
      agrees("let x = [1000.0, 1000.0, -1000.0]; let l = logsumexp[i](x[i]); let g = @l / @x;")[
        "x"
      ],
      [0.5, 0.5, 0],
    );
  });
});

describe("mean", () => {
  it("divides by what passed the guard", () => {
    const { x } = agrees(
      "let x = [1.0, -2.0, 3.0]; let m = mean[i](x[i] where x[i] > 0); let g = @m / @x;",
    );
    close(x, [0.5, 0, 0.5]);
  });

  it("over a triangle divides by its cells", () => {
    agrees(
      "let x = [1.0, 3.0, 2.0]; let y = mean[i, k in 0..i + 1](x[k] * x[i]); let g = @y / @x;",
    );
  });

  it("over rows that data decides", () => {
    agrees(
      "let x = [1.0, 3.0, 2.0]; let p = [0, 1, 3]; " +
        "let y[i in 0..2] = mean[k in p[i]..p[i + 1]](x[k] ** 2); let l = sum[i](y[i] ** 2); " +
        "let g = @l / @x;",
    );
  });
});

describe("reductions without a derivative", () => {
  it.each([
    ["argmax[i](x[i]) as f32", "argmax"],
    ["argmin[i](x[i]) as f32", "argmin"],
    ["count[i](x[i] > 0) as f32", "count"],
    ["any[i](x[i] > 0) as f32", "any"],
    ["all[i](x[i] > 0) as f32", "all"],
  ])("%s", (e, name) => {
    const message = { code: "E0701", title: `gradient of ${name} is not defined` };
    expect(messagesOf(`let x = [1.0, 2.0]; let y = ${e} * x[0]; let g = @y / @x;`)).toEqual([
      message,
    ]);
    expect(
      messagesOf(`let x = [1.0, 2.0]; let n = ${e}; let y = n * x[0]; let g = @y / @x;`),
    ).toEqual([message]);
  });

  it("argmax is fine as an index", () => {
    agrees(
      "let x = [[0.3, 0.9, 0.2], [0.8, 0.2, 0.4]]; let a[i] = argmax[j](x[i, j]); " +
        "let y[i] = x[i, a[i]] ** 2; let l = sum[i](y[i]); let g = @l / @x;",
    );
  });

  it("a count is fine as a condition", () => {
    agrees(
      "let x = [0.3, 0.9]; let n = count[i](x[i] > 0.5); " +
        "let y = if n > 0 { x[0] * x[1] } else { x[0] }; let g = @y / @x;",
    );
  });
});
