// Guards, branches and clauses: cells that are filtered, not taken or not owned get gradient zero,
// whatever their value or slope is.

import { describe, expect, it } from "vitest";
import { agrees, agreesBesideKinks, close } from "./testing.ts";

describe("a guard keeps out NaN and infinity", () => {
  it.each([
    ["in the reduction", "let l = sum[i](sqrt(x[i]) where x[i] > 0);", [0, 0.5, 0.25]],
    [
      "over another definition",
      "let s[i] = sqrt(x[i]); let l = sum[i](s[i] where x[i] > 0);",
      [0, 0.5, 0.25],
    ],
    [
      "on the definition",
      "let s[i] = sqrt(x[i]) where x[i] > 0; let l = sum[i](s[i]);",
      [0, 0.5, 0.25],
    ],
    [
      "over a chain",
      "let s[i] = sqrt(x[i]); let t[i] = 1 / s[i]; let l = sum[i](t[i] where x[i] > 0);",
      [0, -0.5, -0.0625],
    ],
    [
      "over a log",
      "let s[i] = x[i] * log(x[i]); let l = sum[i](s[i] where x[i] > 0);",
      [0, 1, 1 + Math.log(4)],
    ],
    [
      "in a branch",
      "let s[i] = if x[i] > 0 { sqrt(x[i]) } else { 0 }; let l = sum[i](s[i]);",
      [0, 0.5, 0.25],
    ],
    [
      "in a branch over another definition",
      "let r[i] = sqrt(x[i]); let s[i] = if x[i] > 0 { r[i] } else { 0 }; let l = sum[i](s[i]);",
      [0, 0.5, 0.25],
    ],
    ["of the position", "let s[i] = sqrt(x[i]); let l = sum[i](s[i] where i > 0);", [0, 0.5, 0.25]],
    ["of a mean", "let s[i] = sqrt(x[i]); let l = mean[i](s[i] where x[i] > 0);", [0, 0.25, 0.125]],
    [
      "of a clause",
      "let s[i in 0..3] = sqrt(x[i]); let s[0] = 3.0; let l = sum[i](s[i]);",
      [0, 0.5, 0.25],
    ],
  ])("%s", (_, lines, expected) => {
    close(agreesBesideKinks(`let x = [0.0, 1.0, 4.0]; ${lines} let g = @l / @x;`)["x"], expected);
  });

  it("behind a contraction", () => {
    const text = `let x = [0.0, 1.0, 4.0]; let W = [[1.0, 2.0, 3.0], [1.0, 0.5, 2.0]];
      let s[i] = sqrt(x[i]);
      let m[i] = s[i] where x[i] > 0; let c[j] = sum[i](W[j, i] * m[i]); let l = sum[j](c[j] ** 2);
      let g = @l / @x;`;
    close(agreesBesideKinks(text)["x"], [0, 18.25, 16.5]);
  });

  it("where a guard of other coordinates filters every use of a cell", () => {
    const text = `let x = [0.0, 1.0, 4.0]; let s[i] = sqrt(x[i]);
      let keep = [[false, true, true], [false, true, false]];
      let c[j] = sum[i](s[i] where keep[j, i]); let l = sum[j](c[j]); let g = @l / @x;`;
    close(agreesBesideKinks(text)["x"], [0, 1, 0.25]);
  });

  it("through a looked-up index", () => {
    const text = `let x = [0.0, 1.0, 4.0]; let s[i] = sqrt(x[i]); let idx = [2, 0, 1];
      let l = sum[k](s[idx[k]] where idx[k] > 0); let g = @l / @x;`;
    close(agreesBesideKinks(text)["x"], [0, 0.5, 0.25]);
  });

  it("through two definitions behind the guard", () => {
    const text = `let x = [0.0, 1.0, 4.0]; let s[i] = sqrt(x[i]); let t[i] = 2 * s[i];
      let u[i] = t[i] + 1;
      let l = sum[i](u[i] where x[i] > 0); let g = @l / @x;`;
    close(agreesBesideKinks(text)["x"], [0, 1, 0.5]);
  });

  it("in a masked call", () => {
    const softmax = `fn softmax[j](x: [f32; ..l, j, ..r]) -> [f32; ..l, j, ..r] {
      let m[..l, ..r] = max[j](x[..l, j, ..r]);
      let e[..l, j, ..r] = exp(x[..l, j, ..r] - m[..l, ..r]);
      let s[..l, ..r] = sum[j](e[..l, j, ..r]);
      e[..l, j, ..r] / s[..l, ..r] }`;
    const mask = "let valid = [[true, false, true], [true, true, true]];";
    const rest =
      "let p[b, class] = softmax[class](z[b, class]) where valid[b, class]; " +
      "let l = sum[b, class](p[b, class] ** 2);";
    agrees(
      `${softmax} ${mask} let z = [[1.0, 2.0, 0.5], [0.1, 0.2, 0.3]]; ${rest} let g = @l / @z;`,
    );
    const { x } = agreesBesideKinks(
      `${softmax} ${mask} let x = [[1.0, 0.0, 0.5], [0.1, 0.2, 0.3]]; ` +
        `let z[b, class] = log(x[b, class]); ${rest} let g = @l / @x;`,
    );
    expect(x![1]).toBe(0);
    expect(x!.every(Number.isFinite)).toBe(true);
  });
});

describe("clauses", () => {
  it.each([
    ["concatenated", "let c[i in 0..3] = x[i]; let c[i in 3..6] = x[i - 3] ** 2;"],
    ["overridden", "let c[i in 0..3] = x[i] ** 3; let c[1] = 7.0;"],
    ["overlapping", "let c[i in 0..3] = x[i] ** 3; let c[i in 1..3] = 2 * x[i - 1];"],
    [
      "with a guard that gives back",
      "let c[i in 0..3] = x[i] ** 3; let c[i in 1..3] = 2 * x[i - 1] where x[i] > 0;",
    ],
    ["with an else", "let c[i in 0..3] = x[i] ** 2 where x[i] > 0 else -x[i];"],
    [
      "with an else that data changes",
      "let c[i in 0..3] = x[i] ** 2 where i != 1 else x[2] * x[0];",
    ],
    [
      "with the else of the last",
      "let c[i in 0..3] = x[i] where i == 0 else x[1]; " +
        "let c[i in 1..3] = x[i] ** 2 where x[i] > 0 else 3 * x[0];",
    ],
    ["of one cell each", "let c[0] = x[1] * x[2]; let c[1] = sin(x[0]); let c[2] = 3.0;"],
    ["that reduce", "let c[0] = sum[k](x[k] ** 2); let c[i in 1..3] = prod[k](x[k] + i as f32);"],
    [
      "that read a clause's neighbour",
      "let a[i in 0..3] = x[i]; let a[1] = x[0] * 2; let c[i] = a[i] * a[2 - i];",
    ],
  ])("%s", (_, lines) => {
    agrees(`let x = [1.0, -2.0, 3.0]; ${lines} let l = sum[i](c[i] ** 2); let g = @l / @x;`);
  });

  it("of two axes", () => {
    agrees(`let x = [1.0, -2.0, 3.0]; let c[i in 0..2, j in 0..3] = x[j];
      let c[1, j in 0..3] = x[j] ** 2; let c[i in 0..2, 2] = x[0] * (i + 1) as f32;
      let l = sum[i, j](c[i, j] ** 2 * (i + 2 * j + 1) as f32); let g = @l / @x; let h = @l / @c;`);
  });
});

describe("branches", () => {
  it.each([
    ["on data", "if x[i] > 0 { x[i] ** 2 } else { sin(x[i]) }"],
    ["on the position", "if i == 1 { x[i] ** 2 } else { x[0] * x[2] }"],
    ["at a border", "if i > 0 { x[i] - x[i - 1] } else { x[i] }"],
    ["in a chain", "if x[i] > 2 { x[i] } else if x[i] > 0 { x[i] ** 2 } else { 1 / x[i] }"],
    ["as a factor", "(if x[i] > 0 { 1 } else { 3 }) * x[i] ** 2"],
    [
      "in a product",
      "(if x[i] > 0 { x[i] } else { x[i] ** 2 }) * (if i > 1 { x[0] } else { x[i] })",
    ],
    ["over blocks", "if x[i] > 0 { let t = x[i] * x[1]; t * t } else { x[i] }"],
  ])("%s", (_, e) => {
    agrees(
      `let x = [1.0, -2.0, 3.0]; let y[i in 0..3] = ${e}; let l = sum[i](y[i] ** 2); ` +
        "let g = @l / @x;",
    );
  });
});

describe("guards of a reduction", () => {
  it.each([
    ["on data", "sum[k](x[k] ** 2 where x[k] > 0)"],
    ["on both", "sum[k](x[k] * x[i] where k <= i)"],
    ["several", "sum[k](x[k] ** 2 where k <= i, x[k] > 0, x[i] < 5)"],
    ["with bindings", "sum[k](w * w * z where z = x[k] - 2, w = z * x[i], w > 0)"],
    ["that never hold", "sum[k](x[k] where k > 10)"],
    ["in a product of sums", "sum[k](x[k] where k != i) * sum[k](x[k] where k == i)"],
  ])("%s", (_, e) => {
    agrees(
      `let x = [1.0, -2.0, 3.0]; let y[i in 0..3] = ${e}; let l = sum[i](y[i] ** 2 + x[i]); ` +
        "let g = @l / @x;",
    );
  });
});
