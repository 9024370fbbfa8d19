// Gradients through every kind of index: affine, joint, divided, periodic, looked-up and scattered.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { reachable } from "../../src/analyse/schedule.ts";
import { derivedProgram } from "./order.ts";
import { agrees, close } from "./testing.ts";

const vector = "let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];";
const matrix = "let x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];";

/** The weights give every cell a different gradient. */
const squares = (name: string): string =>
  `let l = sum[i](${name}[i] ** 2 * (i as f32 + 1)); let g = @l / @x;`;
const squares2 = (name: string): string =>
  `let l = sum[i, j](${name}[i, j] ** 2 * (3 * i + j + 1) as f32); let g = @l / @x;`;

describe("affine indices", () => {
  it.each([
    ["shift", `${vector} let y[i] = x[i + 2]; ${squares("y")}`],
    ["difference", `${vector} let y[i] = x[i + 1] - x[i]; ${squares("y")}`],
    ["flip", `${vector} let y[i in 0..7] = x[6 - i] * x[i]; ${squares("y")}`],
    ["stride", `${vector} let y[i] = x[2 * i + 1]; ${squares("y")}`],
    ["pairs", `${vector} let y[i] = x[2 * i] * x[2 * i + 1]; ${squares("y")}`],
    ["first cell everywhere", `${vector} let y[i] = x[0] * x[i]; ${squares("y")}`],
    ["transposed", `${matrix} let y[i, j] = x[j, i]; ${squares2("y")}`],
    ["outer product", `${vector} let y[i, j] = x[i] * x[j]; ${squares2("y")}`],
    ["broadcast", `let x = [0.5, 2.0]; let y[i in 0..3, j] = x[j]; ${squares2("y")}`],
    [
      "joint with one solved",
      `${vector} let y[i in 0..3, j in 0..3] = x[i + 2 * j]; ${squares2("y")}`,
    ],
    ["radix", `${vector} let y[i in 0..2, j in 0..3] = x[3 * i + j]; ${squares2("y")}`],
    ["antidiagonals", `${vector} let y[i in 0..3, j in 0..4] = x[3 + i - j]; ${squares2("y")}`],
  ])("%s", (_, text) => {
    agrees(text);
  });

  it("diagonal", () => {
    const { x } = agrees(
      "let x = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.5]]; let d[i] = x[i, i]; " +
        "let l = sum[i](d[i] ** 2); let g = @l / @x;",
    );
    close(x, [2, 0, 0, 0, 10, 0, 0, 0, 19]);
  });

  it("running sums", () => {
    const { x } = agrees(
      "let x = [1.0, 2.0, 3.0, 4.0]; let s[i in 0..4] = sum[k in 0..i + 1](x[k]); " +
        "let l = sum[i](s[i]); let g = @l / @x;",
    );
    close(x, [4, 3, 2, 1]);
  });

  it.each([
    ["suffixes", "let s[i in 0..7] = sum[k in i..7](x[k]);"],
    ["windows", "let s[i in 0..5] = sum[k in i..i + 3](x[k]);"],
    ["prefix up to a quotient", "let s[i in 0..7] = sum[k in 0..i / 2](x[k] ** 2);"],
    ["prefix behind a quotient", "let s[i in 0..7] = sum[k in 0..i / 3 + 2](x[k] * x[i]);"],
    ["from a quotient on", "let s[i in 0..7] = sum[k in i / 3..7](x[k] * x[i]);"],
    ["between two quotients", "let s[i in 0..7] = sum[k in i / 4..i / 2 + 1](x[k] * x[6 - k]);"],
    ["convolution by prefix", "let s[i in 0..7] = sum[k in 0..i + 1](x[k] * x[i - k]);"],
    ["triangles", "let s[i in 0..3] = sum[k in 0..i + 1, m in k..4](x[k] * x[m]);"],
  ])("dependent ranges: %s", (_, line) => {
    agrees(`${vector} ${line} ${squares("s")}`);
  });
});

it("a range that ends at a quotient by a large number, among many cells", () => {
  const text =
    "let y[i in 0..9] = 1.0; let x[k in 0..30000] = 1.0; " +
    "let s[i in 0..9] = sum[k in 0..i / 100000](x[k] ** 2 * y[i]); " +
    "let l = sum[i]((s[i] + 1) ** 2); let g = @l / @x; let most = max[k](abs(g[k]));";
  const { program } = compile({ name: "far.ein", text });
  expect(program!.run({ inputs: new Map(), get: ["most"] }).values.get("most")!.value.data[0]).toBe(
    0,
  );
});

describe("convolutions", () => {
  const w = "let w = [0.5, -1.0, 2.0];";
  const both = `let l = sum[i](y[i] ** 2); let g = @l / @x; let h = @l / @w;`;
  it.each([
    ["plain", "let y[i] = sum[k](x[i + k] * w[k]);"],
    ["stride 2", "let y[i] = sum[k](x[2 * i + k] * w[k]);"],
    ["stride 3, less than the kernel", "let y[i in 0..3] = sum[k in 0..1](x[3 * i + k] * w[k]);"],
    ["dilation 2", "let y[i] = sum[k](x[i + 2 * k] * w[k]);"],
    ["stride and dilation", "let y[i in 0..2] = sum[k](x[2 * i + 2 * k] * w[k]);"],
    [
      "padding by a guard",
      "let y[i in 0..7] = sum[k](x[i + k - 1] * w[k] where i + k - 1 in 0..7);",
    ],
    [
      "padding by a branch",
      "let y[i in 0..7] = sum[k](if i + k >= 1 && i + k < 8 { x[i + k - 1] * w[k] } else { 0 });",
    ],
    [
      "stride and padding",
      "let y[i in 0..4] = sum[k](x[2 * i + k - 1] * w[k] where 2 * i + k - 1 in 0..7);",
    ],
    ["an index equation", "let y[i in 0..7] = sum[k](x[p] * w[k] where p = i + k - 1, p in 0..7);"],
    ["flipped kernel", "let y[i] = sum[k](x[i + 2 - k] * w[k]);"],
  ])("%s", (_, line) => {
    agrees(`${vector} ${w} ${line} ${both}`);
  });

  it("in two dimensions with channels", () => {
    const cells = (n: number): string =>
      Array.from({ length: n }, (_, k) => ((k * 7) % 11) / 10 - 0.4).join(", ");
    agrees(`let flat = [${cells(32)}];
      let x[b in 0..1, c in 0..2, i in 0..4, j in 0..4] = flat[c * 16 + i * 4 + j] + 0.1 * b as f32;
      let kernel = [${cells(24)}];
      let w[oc in 0..3, c in 0..2, p in 0..2, q in 0..2] = kernel[oc * 8 + c * 4 + p * 2 + q];
      let y[b, oc, oh, ow] = sum[c, p, q](x[b, c, oh + p, ow + q] * w[oc, c, p, q]);
      let l = sum[b, oc, oh, ow](y[b, oc, oh, ow] ** 2); let g = @l / @x; let h = @l / @w;`);
  });

  it("max pooling", () => {
    agrees(
      `${vector} let y[i in 0..3] = max[k in 0..2](x[2 * i + k] * ` +
        `(if k == 0 { 3 } else { 1 })); ${squares("y")}`,
    );
  });
});

describe("division and remainder", () => {
  it.each([
    ["flatten", `${matrix} let y[i in 0..6] = x[i / 3, i % 3]; ${squares("y")}`],
    ["unflatten", `${vector} let y[i in 0..2, j in 0..3] = x[i * 3 + j]; ${squares2("y")}`],
    ["repeat", `${vector} let y[i in 0..14] = x[i / 2]; ${squares("y")}`],
    ["tile", `${vector} let y[i in 0..20] = x[i % 7]; ${squares("y")}`],
    ["periodic", `${vector} let y[i] = x[i] * x[(i + 1) % 7] - x[(i + 6) % 7]; ${squares("y")}`],
    [
      "periodic, both ways",
      `${matrix} let y[i, j] = x[(i + 1) % 2, j] + x[i, (j + 1) % 3] + ` +
        `x[i, (j + 2) % 3] - 4 * x[i, j]; ${squares2("y")}`,
    ],
    [
      "transposed reshape",
      `${matrix} let y[i in 0..3, j in 0..2] = x[(i * 2 + j) / 3, (i * 2 + j) % 3]; ` +
        squares2("y"),
    ],
    ["part of a period", `${vector} let y[i in 0..3] = x[(2 * i + 5) % 7]; ${squares("y")}`],
    [
      "sum of coordinates in a period",
      `${matrix} let y[i in 0..4, j in 0..3] = x[(i + j) % 2, j]; ${squares2("y")}`,
    ],
  ])("%s", (_, text) => {
    agrees(text);
  });

  it("depth to space", () => {
    agrees(`let x = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[5.0, 6.0], [7.0, 8.0]],
        [[1.5, 2.5], [3.5, 4.5]]];
      let y[i in 0..4, j in 0..4] = x[(i % 2) * 2 + j % 2, i / 2, j / 2]; ${squares2("y")}`);
  });
});

describe("lookups", () => {
  const idx = "let x = [1.0, 2.0, 3.0, 4.0]; let idx = [0, 2, 2, 1, 0];";

  it("add up where an index is repeated", () => {
    const { x } = agrees(
      `${idx} let y[k] = x[idx[k]]; let l = sum[k](y[k] * (k as f32 + 1)); let g = @l / @x;`,
    );
    close(x, [6, 4, 5, 0]);
  });

  it.each([
    ["shifted", "let y[i, j in 0..2] = x[idx[i] + j];", squares2("y")],
    ["scaled", "let y[i in 0..5] = x[(2 * idx[i]) % 4];", squares("y")],
    ["of lookups", "let y[i in 0..5] = x[idx[idx[i]]];", squares("y")],
    ["clamped", "let y[i in 0..4] = x[max(i - 1, 0)] * x[min(i + 1, 3)];", squares("y")],
    ["under a guard", "let y[i in 0..5] = x[idx[i] - 1] where idx[i] > 0;", squares("y")],
    [
      "in a sum under a guard",
      "let y[i in 0..2] = sum[k](x[idx[k] - 1] * (i + k) as f32 where idx[k] > i);",
      squares("y"),
    ],
  ])("%s", (_, line, rest) => {
    agrees(`${idx} ${line} ${rest}`);
  });

  it("are not made where a guard filters them", () => {
    const rows = "let x = [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]];";
    agrees(
      `${rows} let at = [0, 2, 1]; let p = [1, -1, 0, 2]; ` +
        "let y[k] = x[at[p[k]], k] ** 2 where p[k] >= 0; let l = sum[k](y[k]); let g = @l / @x;",
    );
  });

  it("in two axes", () => {
    agrees(
      `${matrix} let r = [0, 1, 1, 0]; let c = [2, 0, 0, 2]; let y[i] = x[r[i], c[i]]; ` +
        `${squares("y")} let h = @l / @y;`,
    );
  });

  it("of embeddings", () => {
    agrees(`${matrix} let words = [1, 0, 1]; let y[i, j] = x[words[i], j]; ${squares2("y")}`);
  });
});

describe("scatters and ragged rows", () => {
  const cells = "let v = [1.0, 2.0, 3.0, 4.0, 5.0];";
  it("histogram of weights", () => {
    const { v } = agrees(
      `${cells} let idx = [0, 2, 2, 0, 1]; ` +
        "let h[p in 0..4] = sum[k](v[k] where idx[k] == p); let l = sum[p](h[p] ** 2); " +
        "let g = @l / @v;",
    );
    close(v, [10, 10, 10, 10, 10]);
  });

  it("into two axes", () => {
    agrees(
      `${cells} let r = [0, 1, 1, 0, 1]; let c = [0, 2, 2, 1, 0]; ` +
        "let h[p in 0..2, q in 0..3] = sum[k](v[k] ** 2 where r[k] == p, c[k] == q); " +
        "let l = sum[p, q](h[p, q] ** 2); let g = @l / @v;",
    );
  });

  it("compressed rows times a vector", () => {
    agrees(
      `${cells} let ptr = [0, 2, 2, 5]; let col = [0, 1, 2, 0, 1]; let x = [0.3, -0.4, 0.7]; ` +
        "let s[i in 0..3] = sum[k in ptr[i]..ptr[i + 1]](v[k] * x[col[k]]); " +
        "let l = sum[i](s[i] ** 2); let g = @l / @v; let h = @l / @x;",
    );
  });

  it("an interval guard", () => {
    agrees(
      `${cells} let ptr = [0, 2, 2, 5]; let x = [0.3, -0.4, 0.7]; ` +
        "let s[p in 0..5] = v[p] * sum[i in 0..3](x[i] where ptr[i] <= p, p < ptr[i + 1]); " +
        "let l = sum[p](s[p] ** 2); let g = @l / @v; let h = @l / @x;",
    );
  });
});

describe("extents", () => {
  it("that the inputs decide", () => {
    const x = [1, 2, 3, 4, 5];
    const w = [0.5, 0.25];
    const text = "input x: [f32; n]; input w: [f32; k];";
    const rest = "let l = sum[i](y[i] ** 2); let g = @l / @x;";
    agrees(`${text} let y[i] = sum[j](x[i + j] * w[j]); ${rest} let h = @l / @w;`, {
      inputs: { x, w },
    });
    agrees(
      `${text} let y[i in 0..extent(n)] = x[(i + 1) % extent(n)] * x[extent(n) - 1 - i] * ` +
        `w[0]; ${rest}`,
      {
        inputs: { x, w },
      },
    );
    agrees(
      `${text} let y[i in 0..extent(n)] = sum[j in 0..i + 1](x[j]) + mean[j](x[j] * w[1]); ${rest}`,
      {
        inputs: { x, w },
      },
    );
    agrees(
      `${text} let y[i] = max[j](w[j] * x[i]) + prod[j](x[j] - w[0]) + logsumexp[j](x[j]); ${rest}`,
      {
        inputs: { x, w },
      },
    );
  });

  it("of 0", () => {
    const { x } = agrees("input x: [f32; n]; let l = sum[i](x[i] ** 2) + 1.0; let g = @l / @x;", {
      inputs: { x: [] },
    });
    expect(x).toEqual([]);
    agrees(
      "let e[i in 0..0] = 1.0; let x = [1.0, 2.0]; let l = sum[i, j](e[i] * x[j]); " +
        "let g = @l / @x;",
    );
    agrees(
      "let x = [1.0, 2.0]; let y[i in 0..0, j] = x[j]; let l = sum[i, j](y[i, j]) + x[0]; " +
        "let g = @l / @x;",
    );
  });
});

it(
  "a coordinate that others look up comes behind them: " +
    "one position of it is looked at for each of theirs",
  () => {
    const program = derivedProgram(`input X: [f32; n, d]; input src: [i32; e]; input dst: [i32; e];
    input w: [f32; e];
    let A[i in 0..extent(n), u in 0..extent(d)] = sum[c](w[c] * X[src[c], u] where dst[c] == i);
    let loss = sum[i, u](A[i, u] ** 2); let g = @loss / @X;`)!;
    const made = reachable([program.outputs.get("g")!.definition]).find(
      ({ name }) => name === "d_X",
    )!;
    const { body } = made.clauses[0]!;
    expect(body.kind === "reduce" && body.loops.map(({ variable }) => variable.name)).toEqual([
      "c",
      "i",
    ]);
    // The two reads have lookups of their own, so their cotangents are not added position by
    // position.
    agrees(`let k = [1.0, 2.0, 3.0]; let p = [0, 1, 2]; let q = [1, 2, 0]; let x = [0.5, 1.5, -1.0];
    let f[c] = k[c] * (x[q[c]] - x[p[c]]);
    let y[i in 0..3] = sum[c](f[c] where p[c] == i) - sum[c](f[c] where q[c] == i);
    ${squares("y")}`);
  },
);
