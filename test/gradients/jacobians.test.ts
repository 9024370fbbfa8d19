// Jacobians are lazy: a contracted Jacobian is never built, and its numbers equal those of a built
// one.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { constantOf } from "../../src/affine/term.ts";
import { reachable } from "../../src/analyse/schedule.ts";
import { close, valueOf } from "./testing.ts";
import { derive } from "./derived.ts";

/** The cells of the largest definition that a value needs. */
function largest(text: string, name: string): number {
  const { program } = derive(text);
  const sizes = reachable([program.outputs.get(name)!.definition]).map(({ axes }) =>
    axes.reduce((cells, axis) => cells * constantOf(axis.extent)!, 1),
  );
  return Math.max(...sizes);
}

function product(n: number): string {
  return `let A[i in 0..${n}, k in 0..${n}] = sin((i * 7 + k) as f32);
    let B[k in 0..${n}, j in 0..${n}] = cos((k + 3 * j) as f32);
    let G[i in 0..${n}, j in 0..${n}] = sin((i - j) as f32) + 0.3;
    let V[i in 0..${n}, k in 0..${n}] = cos((2 * i - k) as f32);
    let C[i, j] = sum[k](A[i, k] * B[k, j]); let J = @C / @A; let l = sum[i, j](G[i, j] * C[i, j]);
    let pulled = @l / @A;
    let pushed[i, j] = sum[k](V[i, k] * B[k, j]);`;
}

describe("the Jacobian of a matrix product", () => {
  // Each row has a use of J, and the same number without J.
  const uses: readonly (readonly [string, string, string])[] = [
    [
      "contracted with a cotangent",
      "let a[p, q] = sum[i, j](G[i, j] * J[i, j, p, q]);",
      "let b = pulled;",
    ],
    [
      "with a constant factor",
      "let a[p, q] = sum[i, j](2.0 * G[i, j] * J[i, j, p, q] / 4.0);",
      "let b = 0.5 * pulled;",
    ],
    [
      "through a plain name",
      "let K = J; let a[p, q] = sum[i, j](G[i, j] * K[i, j, p, q]);",
      "let b = pulled;",
    ],
    [
      "through a scaled copy",
      "let K[i, j, p, q] = 3.0 * J[i, j, p, q]; let a[p, q] = sum[i, j](G[i, j] * K[i, j, p, q]);",
      "let b = 3.0 * pulled;",
    ],
    [
      "through a call",
      "fn weigh(g, m) { let y[p, q] = sum[i, j](g[i, j] * m[i, j, p, q]); y } let a = weigh(G, J);",
      "let b = pulled;",
    ],
    [
      "in a nested sum",
      "let a[p, q] = sum[i](2.0 * sum[j](G[i, j] * J[i, j, p, q]));",
      "let b = 2.0 * pulled;",
    ],
    [
      "in a sum with others",
      "let a[p, q] = sum[i, j](G[i, j] * (J[i, j, p, q] + 1.0)) + A[p, q];",
      "let s = sum[i, j](G[i, j]); let b[p, q] = pulled[p, q] + s + A[p, q];",
    ],
    [
      "twice",
      "let a[p, q] = sum[i, j](G[i, j] * J[i, j, p, q] - 2.0 * J[i, j, p, q] * G[i, j]);",
      "let b = -pulled;",
    ],
    [
      "with a mean",
      "let a[p, q] = mean[i, j](G[i, j] * J[i, j, p, q]);",
      "let n = (len(G) * len(G)) as f32; let b = pulled / n;",
    ],
    [
      "with a guard",
      "let a[p, q] = sum[i, j](G[i, j] * J[i, j, p, q] where G[i, j] > 0);",
      "let m = sum[i, j](G[i, j] * C[i, j] where G[i, j] > 0); let b = @m / @A;",
    ],
    [
      "under a branch",
      "let a[p, q] = sum[i, j](if G[i, j] > 0 { G[i, j] * J[i, j, p, q] } else { 0 });",
      "let m = sum[i, j](G[i, j] * C[i, j] where G[i, j] > 0); let b = @m / @A;",
    ],
    [
      "as an indexed request",
      "let a[p, q] = sum[i, j](G[i, j] * @C[i, j] / @A[p, q]);",
      "let b = pulled;",
    ],
    [
      "contracted with a direction",
      "let a[i, j] = sum[p, q](J[i, j, p, q] * V[p, q]);",
      "let b = pushed;",
    ],
    [
      "contracted on both sides",
      "let a = sum[i, j, p, q](G[i, j] * J[i, j, p, q] * V[p, q]);",
      "let b = sum[p, q](pulled[p, q] * V[p, q]);",
    ],
    [
      "at a fixed cell of the numerator",
      "let a[p, q] = J[1, 2, p, q];",
      "let c = C[1, 2]; let b = @c / @A;",
    ],
    [
      "at a fixed cell of the denominator",
      "let a[i, j] = J[i, j, 1, 2];",
      "let b[i in 0..len(A), j] = if i == 1 { B[2, j] } else { 0 };",
    ],
    ["at one cell", "let a = J[1, 2, 1, 0];", "let b = B[0, 2];"],
    [
      "built",
      "let a = J;",
      "let b[i in 0..len(A), j, p in 0..len(A), q] = if i == p { B[q, j] } else { 0 };",
    ],
    [
      "built for its diagonal",
      "let a[i, j] = J[i, j, i, j];",
      "let b[i in 0..len(A), j] = B[j, j];",
    ],
    [
      "squared",
      "let a = sum[i, j, p, q](J[i, j, p, q] ** 2);",
      "let b = len(A) as f32 * sum[k, j](B[k, j] ** 2);",
    ],
  ];

  it.each(uses)("%s", (_, use, reference) => {
    const text = `${product(4)} ${use} ${reference}`;
    expect(derive(text).complaints()).toEqual([]);
    close(valueOf(text, "a"), valueOf(text, "b"));
  });

  const small = uses.filter(([name]) => !/built|squared/.test(name));
  it.each(small)("%s holds nothing larger than the matrices, at 512 × 512", (_, use) => {
    expect(largest(`${product(512)} ${use}`, "a")).toBe(512 * 512);
  });

  it("is built where it is used otherwise", () => {
    expect(largest(`${product(16)} let a = sum[i, j, p, q](J[i, j, p, q] ** 2);`, "a")).toBe(
      16 ** 4,
    );
  });

  it("shares one backward program between denominators", () => {
    const text = `${product(4)} let K = @C / @B;
      let a[p, q] = sum[i, j](sin(G[i, j]) * J[i, j, p, q]);
      let b[p, q] = sum[i, j](sin(G[i, j]) * K[i, j, p, q]);
      let r = sum[p, q](a[p, q] + b[p, q]);`;
    const { program } = derive(text);
    const sines = reachable([program.outputs.get("r")!.definition]).filter(({ name }) =>
      name.startsWith("d_C"),
    );
    expect(sines).toHaveLength(1);
  });
});

describe("lanes", () => {
  it("are the coordinates of the result that the weights mention", () => {
    const text = `let x = [0.3, 0.7, 1.1, 0.2]; let y[i] = sin(x[i]) * x[(i + 1) % 4];
      let J = @y / @x; let W = [[1.0, 2.0, 3.0, 4.0], [0.5, 0.1, 0.2, 0.3]];
      let a[b, p] = sum[i](W[b, i] * J[i, p]); let l0 = sum[i](W[0, i] * y[i]);
      let l1 = sum[i](W[1, i] * y[i]); let g0 = @l0 / @x; let g1 = @l1 / @x;`;
    close(valueOf(text, "a"), [...valueOf(text, "g0"), ...valueOf(text, "g1")]);
    expect(largest(text, "a")).toBe(8);
  });
});

describe("Hessian-vector products", () => {
  const text = `let x = [0.3, 0.7, 1.1]; let v = [1.0, -0.5, 0.25];
    let f = sum[i](exp(x[i]) * x[(i + 1) % 3] ** 2) + x[0] * x[1] * x[2];
    let g = @f / @x; let H = @g / @x; let a[i] = sum[j](H[i, j] * v[j]);
    let s = sum[i](g[i] * v[i]); let b = @s / @x;`;

  it("are a pushforward of the gradient", () => {
    expect(derive(text).complaints()).toEqual([]);
    close(valueOf(text, "a"), valueOf(text, "b"));
    expect(largest(text, "a")).toBe(3);
  });

  it("are the product with the Hessian", () => {
    const built =
      `${text} let q[i, j] = H[i, j] * 1.0; let c[i] = sum[j](q[j, i] * v[j]); ` +
      "let m = max[i, j](H[i, j]);";
    close(valueOf(built, "c"), valueOf(text, "b"));
  });
});

describe("printed", () => {
  it.each([
    ["a product", "let y[i] = sum[j](x[j] * W[i, j]);", "y", "W"],
    ["a layer", "let z[i] = sum[j](W[i, j] * x[j]); let y[i] = tanh(z[i]);", "y", "W"],
    ["a softmax", "let y[i] = exp(x[i]) / sum[j](exp(x[j]));", "y", "x"],
    ["a gradient", "let f = sum[i](x[i] ** 3 * x[(i + 1) % 3]); let y = @f / @x;", "y", "x"],
    ["a shift", "let y[i in 0..2] = x[i + 1] * x[i];", "y", "x"],
    ["a recurrence", "let y[0] = x[0]; let y[t in 1..4] = y[t - 1] * x[1] + x[2];", "y", "x"],
    ["a sum to one row", "let y[i] = sum[j](W[i, j] * W[j, i] * x[j]) * x[0];", "y", "x"],
  ])("%s compiles again to the same numbers", (_, forward, of, wrt) => {
    const inputs =
      "let x = [0.3, -0.7, 1.1]; let W = [[0.1, 0.2, -0.3], [0.4, 0.5, 0.6], " +
      `[0.9, -0.8, 0.7]]; ${forward}`;
    const { program } = compile({ name: "test.ein", text: `${inputs} print(@${of} / @${wrt});` });
    let printed = "";
    program!.run({ onPrint: ({ text }) => void (printed = text), get: [] });
    close(
      valueOf(printed, `d_${of}_d_${wrt}`),
      valueOf(`${inputs} let J = @${of} / @${wrt};`, "J"),
    );
  });
});
