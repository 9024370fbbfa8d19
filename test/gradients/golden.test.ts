// The adjoint lines that derived programs print, compared up to white space.
//
// The incoming gradient of a tensor comes from a loss that weights it with an input: `sum[i,
// j](G[i, j] * C[i, j])`.

import { describe, expect, it } from "vitest";
import { compile } from "../../src/driver/compile.ts";

interface Golden {
  readonly name: string;
  /** The inputs, the forward equation, and the loss. */
  readonly forward: string;
  readonly wrt: readonly string[];
  readonly lines: readonly string[];
}

const rows: readonly Golden[] = [
  {
    name: "matrix product",
    forward: `input A: [f32; i, k]; input B: [f32; k, j]; input G: [f32; i, j];
      let C[i, j] = sum[k](A[i, k] * B[k, j]); let loss = sum[i, j](G[i, j] * C[i, j]);`,
    wrt: ["A", "B"],
    lines: [
      "let d_C[i, j] = G[i, j];",
      "let d_A[i, k] = sum[j](d_C[i, j] * B[k, j]);",
      "let d_B[k, j] = sum[i](d_C[i, j] * A[i, k]);",
    ],
  },
  {
    name: "matrix times vector, squared",
    forward: `input W: [f32; i, j]; input x: [f32; j];
      let y[i] = sum[j](W[i, j] * x[j]); let loss = sum[i](y[i] * y[i]);`,
    wrt: ["W", "x"],
    lines: [
      "let d_y[i] = 2 * y[i];",
      "let d_W[i, j] = d_y[i] * x[j];",
      "let d_x[j] = sum[i](d_y[i] * W[i, j]);",
    ],
  },
  {
    name: "dense layer",
    forward: `input x: [f32; b, in]; input W: [f32; out, in]; input bias: [f32; out];
      input G: [f32; b, out];
      let z[b, out] = sum[in](x[b, in] * W[out, in]) + bias[out];
      let loss = sum[b, out](G[b, out] * z[b, out]);`,
    wrt: ["bias", "W", "x"],
    lines: [
      "let d_bias[out] = sum[b](d_z[b, out]);",
      "let d_W[out, in] = sum[b](d_z[b, out] * x[b, in]);",
      "let d_x[b, in] = sum[out](d_z[b, out] * W[out, in]);",
    ],
  },
  {
    name: "a constant for all",
    forward: `input x: [f32; i]; input c: f32; input G: [f32; i];
      let y[i] = x[i] + c; let loss = sum[i](G[i] * y[i]);`,
    wrt: ["c"],
    lines: ["let d_c = sum[i](d_y[i]);"],
  },
  {
    name: "square",
    forward: `input x: [f32; i]; input G: [f32; i];
      let y[i] = x[i] * x[i]; let loss = sum[i](G[i] * y[i]);`,
    wrt: ["x"],
    lines: ["let d_x[i] = 2 * d_y[i] * x[i];"],
  },
  {
    name: "convolution, by the kernel",
    forward: `input input: [f32; 2, 3, 6, 6]; input weight: [f32; 4, 3, 2, 2];
      input G: [f32; 2, 4, 5, 5];
      let conv[b, oc, oh, ow] = sum[ic, kh, kw](input[b, ic, oh + kh, ow + kw]
        * weight[oc, ic, kh, kw]);
      let loss = sum[b, oc, oh, ow](G[b, oc, oh, ow] * conv[b, oc, oh, ow]);`,
    wrt: ["weight"],
    lines: [
      "let d_weight[oc, ic, kh, kw] = sum[b, oh, " +
        "ow](d_conv[b, oc, oh, ow] * input[b, ic, oh + kh, ow + kw]);",
    ],
  },
  {
    name: "convolution, by the input",
    forward: `input input: [f32; 2, 3, 6, 6]; input weight: [f32; 4, 3, 2, 2];
      input G: [f32; 2, 4, 5, 5];
      let conv[b, oc, oh, ow] = sum[ic, kh, kw](input[b, ic, oh + kh, ow + kw]
        * weight[oc, ic, kh, kw]);
      let loss = sum[b, oc, oh, ow](G[b, oc, oh, ow] * conv[b, oc, oh, ow]);`,
    wrt: ["input"],
    lines: [
      "let d_input[b, ic, ih in 0..6, iw in 0..6] = " +
        "sum[oc, kh, kw](d_conv[b, oc, ih - kh, iw - kw] * weight[oc, ic, kh, " +
        "kw] where ih - kh in 0..5, iw - kw in 0..5);",
    ],
  },
  {
    name: "batched matrix product",
    forward: `input A: [f32; 2, 7, 3, 4]; input B: [f32; 2, 7, 4, 5]; input G: [f32; 2, 7, 3, 5];
      let C[..b, i, j] = sum[k](A[..b, i, k] * B[..b, k, j]);
      let loss = sum[..b, i, j](G[..b, i, j] * C[..b, i, j]);`,
    wrt: ["A", "B"],
    lines: [
      "let d_A[..b, i, k] = sum[j](d_C[..b, i, j] * B[..b, k, j]);",
      "let d_B[..b, k, j] = sum[i](d_C[..b, i, j] * A[..b, i, k]);",
    ],
  },
  {
    name: "guarded sum",
    forward: `input data: [f32; i]; input G: f32;
      let s = sum[i](data[i] where data[i] > 0); let loss = G * s;`,
    wrt: ["data"],
    lines: ["let d_data[i] = d_s where data[i] > 0;"],
  },
  {
    name: "gather",
    forward: `input m: [f32; 4, 3]; input idx: [i32; k]; input col: [i32; k]; input G: [f32; k];
      let g[k] = m[idx[k], col[k]]; let loss = sum[k](G[k] * g[k]);`,
    wrt: ["m"],
    lines: ["let d_m[i in 0..4, j in 0..3] = sum[k](d_g[k] where idx[k] == i, col[k] == j);"],
  },
  {
    name: "attention, by the values",
    forward: `input w: [f32; h, q, k]; input V: [f32; h, k, d]; input G: [f32; h, q, d];
      let out[h, q, d] = sum[k](w[h, q, k] * V[h, k, d]);
      let loss = sum[h, q, d](G[h, q, d] * out[h, q, d]);`,
    wrt: ["V"],
    lines: ["let d_V[h, k, d] = sum[q](d_out[h, q, d] * w[h, q, k]);"],
  },
  {
    name: "transposition",
    forward: `input x: [f32; j, i]; input G: [f32; i, j];
      let y[i, j] = x[j, i]; let loss = sum[i, j](G[i, j] * y[i, j]);`,
    wrt: ["x"],
    lines: ["let d_x[j, i] = d_y[i, j];"],
  },
  {
    name: "diagonal",
    forward: `input M: [f32; 5, 5]; input G: [f32; 5];
      let d[i] = M[i, i]; let loss = sum[i](G[i] * d[i]);`,
    wrt: ["M"],
    lines: ["let d_M[i, j in 0..5] = d_d[i] where i == j;"],
  },
  {
    name: "matrix product of unknown extents",
    forward: `input A: [f32; ?, ?]; input B: [f32; ?, ?]; input G: [f32; ?, ?];
      let C[i, j] = sum[k](A[i, k] * B[k, j]); let loss = sum[i, j](G[i, j] * C[i, j]);`,
    wrt: ["A", "B"],
    lines: [
      "let d_A[i, k] = sum[j](d_C[i, j] * B[k, j]);",
      "let d_B[k, j] = sum[i](d_C[i, j] * A[i, k]);",
    ],
  },
  {
    name: "rows times columns of unknown extents",
    forward: `input A: [f32; ?, ?]; input B: [f32; ?, ?];
      let y[i] = sum[j](A[i, j] * B[j, i]); let loss = sum[i](y[i] * y[i]);`,
    wrt: ["A", "B"],
    lines: [
      "let d_y[i] = 2 * y[i];",
      "let d_A[i, j] = d_y[i] * B[j, i];",
      "let d_B[j, i] = d_y[i] * A[i, j];",
    ],
  },
];

function derivedLines({ forward, wrt }: Golden): readonly string[] {
  const requests = wrt.map((name, k) => `let gradient_${k} = @loss / @${name};`).join(" ");
  const text = `${forward} ${requests}`;
  const { program, diagnostics } = compile({ name: "golden.ein", text });
  if (!program)
    throw new Error(diagnostics.map(({ code, title }) => `${code}: ${title}`).join("\n"));
  return program.dump("ir").trimEnd().split("\n").map(plain);
}

const plain = (line: string): string => line.replace(/\s+/g, "");

describe("derived programs print as promised", () => {
  it.each(rows)("$name", (row) => {
    const lines = derivedLines(row);
    expect(lines.filter((line) => row.lines.some((wanted) => plain(wanted) === line))).toEqual(
      row.lines.map(plain),
    );
  });

  it("under names that nothing else in the printed program has", () => {
    const text =
      "input x: [f32; n]; let f = sum[i](sin(x[i])); let d = @f / @x; let L = sum[i](d[i] * d[i]);";
    const derived = compile({ name: "golden.ein", text }).program!.grad("L", ["x"]);
    expect("source" in derived && derived.source.trimEnd().split("\n").slice(-2)).toEqual([
      "let d_d[n] = 2 * d[n];",
      "let d_x[n] = -d_d[n] * sin(x[n]);",
    ]);
  });

  it("and hold nothing else but the request itself", () => {
    for (const row of rows) {
      const adjoints = derivedLines(row).filter((line) => line.startsWith("letd_"));
      const seeds = adjoints.filter((line) => /=G(\[[\w.,]*\])?;$/.test(line));
      const wanted = new Set(row.lines.map(plain));
      expect(adjoints.filter((line) => !wanted.has(line) && !seeds.includes(line))).toEqual([]);
    }
  });
});
