// `ein audit`: broadcasts with their sums, shared parameters, and lints that `allow` silences.

import { describe, expect, test } from "vitest";
import { session } from "./session.ts";

const { ein } = session();

interface AuditJson {
  readonly broadcasts: {
    in: string;
    term: string;
    omits: string[];
    line: number;
    backward: string;
  }[];
  readonly shared: { parameter: string; over: { coordinate: string; in: string[] }[] }[];
  readonly warnings: { code: string }[];
}

async function audit(source: string): Promise<AuditJson> {
  const { code, out, err } = await ein(["audit", "-e", source, "--json"]);
  expect(err).toBe("");
  expect(code).toBe(0);
  return JSON.parse(out) as AuditJson;
}

const lints = async (source: string): Promise<readonly string[]> =>
  (await audit(source)).warnings.map(({ code }) => code);

describe("broadcasts", () => {
  test("a dense layer: every omission, and the sum that answers it", async () => {
    const { broadcasts, shared } = await audit(
      "input x: [f32; b, in]; input W: [f32; out, in]; input bias: [f32; out];\n" +
        "let z[b, out] = sum[in](x[b, in] * W[out, in]) + bias[out];",
    );
    expect(
      broadcasts.map(({ term, omits, line, backward }) => [term, omits, line, backward]),
    ).toEqual([
      ["bias[out]", ["b"], 2, "let d_bias[out] = sum[b](d_z[b, out]);"],
      ["x[b, in]", ["out"], 2, "let d_x[b, in] = sum[out](d_z[b, out] * W[out, in]);"],
      ["W[out, in]", ["b"], 2, "let d_W[out, in] = sum[b](d_z[b, out] * x[b, in]);"],
    ]);
    expect(
      shared
        .map(({ parameter, over }) => [parameter, over.map(({ coordinate }) => coordinate)])
        .sort(),
    ).toEqual([
      ["W", ["b"]],
      ["bias", ["b"]],
      ["x", ["out"]],
    ]);
  });

  test("pointwise lines broadcast nothing; a recurrence shares parameters over time", async () => {
    expect((await audit("let y[i] = x[i] * x[i];")).broadcasts).toEqual([]);
    const { broadcasts } = await audit("let h[0] = x; let h[t in 1..4] = h[t - 1] * W;");
    expect(broadcasts.map(({ term, omits }) => [term, omits])).toEqual([["W", ["t"]]]);
  });

  test("a term in an inline reduction omits coordinates of the declaration", async () => {
    const { broadcasts } = await audit("let y[i, j] = s[i] + sum[k](w[k] * v[j]);");
    expect(broadcasts.map(({ term, omits }) => [term, omits])).toEqual([
      ["s[i]", ["j"]],
      ["w[k]", ["i", "j"]],
      ["v[j]", ["i", "k"]],
    ]);
    const inline = await audit("let y[i] = x[i] + sum[j](w[j] * 2.0);");
    expect(inline.broadcasts.map(({ term, omits }) => [term, omits])).toEqual([["w[j]", ["i"]]]);
    expect(inline.shared.map(({ parameter }) => parameter)).toEqual(["w"]);
  });

  test("a term that stands twice is one row, and its sums are added up", async () => {
    const { broadcasts } = await audit("let y[i] = x[i] * c + c;");
    expect(broadcasts.map(({ term, backward }) => [term, backward])).toEqual([
      ["c", "let d_c = sum[i](d_y[i] * x[i]) + sum[i](d_y[i]);"],
    ]);
  });

  test("every line that answers a broadcast compiles beside its program", async () => {
    const source =
      "let y[b, f] = (x[b, f] - mean[g](x[b, g])) * gain[f] + " +
      "sum[k](w[k]) / sum[g](exp(x[b, g])) + shift * shift;";
    for (const { backward } of (await audit(source)).broadcasts) {
      const inputs =
        "input x: [f32; b, f]; input gain: [f32; f]; input w: [f32; k]; input shift: f32; " +
        "input d_y: [f32; b, f];";
      const { code, err } = await ein(["check", "-e", `${inputs} ${source} ${backward}`]);
      expect([code, err], backward).toEqual([0, ""]);
    }
  });

  test("packs go by their names", async () => {
    const { broadcasts } = await audit("let C[..b, i, j] = sum[k](A[..b, i, k] * B[k, j]);");
    expect(broadcasts.map(({ term, omits, backward }) => [term, omits, backward])).toEqual([
      ["A[..b, i, k]", ["j"], "let d_A[..b, i, k] = sum[j](d_C[..b, i, j] * B[k, j]);"],
      ["B[k, j]", ["..b", "i"], "let d_B[k, j] = sum[..b, i](d_C[..b, i, j] * A[..b, i, k]);"],
    ]);
  });

  test("as text, grouped by declaration", async () => {
    const { out } = await ein(["audit", "-e", "let y[b, f] = x[b, f] + bias[f];"]);
    expect(out).toBe(`let y[b, f] = x[b, f] + bias[f];  // line 1

  bias[f] omits b  answered by  let d_bias[f] = sum[b](d_y[b, f]);

bias is shared over b (in y)
`);
  });
});

describe("lints", () => {
  test.each([
    ["W0303", "let W = [[1.0, 2.0], [3.0, 4.0]]; ", "let y[i] = sum[j](W[i, j]);"],
    ["W0304", "", "let y[b, f] = x[b, f] * gain[b, f] + shift[f];"],
    ["W0305", "", "let s = sum[i, k in 0..4](x[i]);"],
    ["W0306", "let x = [1.0, 2.0]; ", "let s = sum[i](x[i] where i > 1);"],
    ["W0701", "let x = 1.0; let y = 2.0; ", "let g = @y / @x;"],
  ])(
    "%s is said, and silenced by `allow` before its statement",
    async (code, before, statement) => {
      expect(await lints(before + statement)).toEqual([code]);
      expect(await lints(`${before}allow(${code}) ${statement}`)).toEqual([]);
    },
  );

  test("W0501 is said about the function", async () => {
    const calling = "let v[i in 0..3] = 1.0; let y = twice[i](v);";
    expect(await lints(`fn twice[j](x: [f32; j]) -> [f32; j] { 2.0 * x } ${calling}`)).toEqual([
      "W0501",
    ]);
    expect(
      await lints(`allow(W0501) fn twice[j](x: [f32; j]) -> [f32; j] { 2.0 * x } ${calling}`),
    ).toEqual([]);
    expect(
      await lints(
        `fn total[j](x: [f32; j]) -> f32 { sum[j](x[j]) } let v = [1.0]; let y = total[i](v[i]);`,
      ),
    ).toEqual([]);
  });

  test("a reduction over what does not vary: the help is that of its operation", async () => {
    const help = async (operation: string): Promise<string> =>
      (await ein(["audit", "-e", `let s = ${operation}[i, k in 0..4](x[i]);`])).err;
    expect(await help("sum")).toContain("multiply by `extent(k)`");
    expect(await help("prod")).toContain("the power of `extent(k)`");
    expect(await help("max")).toContain("the result is the same without it");
  });

  test("the axes of a pack, and parts without a name, cannot be exchanged", async () => {
    const pack = "input A: [f32; 2, 2, 3]; let s[..b] = sum[k](A[..b, k]);";
    expect(await lints(pack)).toEqual([]);
  });

  test("names make an exchange visible: then there is nothing to say", async () => {
    expect(await lints("let W[i in 0..2, j in 0..2] = 1.0; let y[i] = sum[j](W[i, j]);")).toEqual(
      [],
    );
    expect(await lints("let W[i in 0..2, j in 0..2] = 1.0; let y[j] = sum[i](W[j, i]);")).toEqual([
      "W0303",
    ]);
    expect(
      await lints("let W = [[1.0, 2.0], [3.0, 4.0]]; let s[i, j] = W[i, j] + W[j, i];"),
    ).toEqual([]);
  });
});

describe("what a lint says, and what it leaves alone", () => {
  test.each([
    ["W0303", "input W: [f32; n, n]; input x: [f32; n]; let y[i] = sum[j](W[i, j] * x[j]);"],
    ["W0303", "input A: [f32; b, n, n]; let y[b, i] = max[j](A[b, i, j]);"],
    [
      "W0303",
      "fn f(M: [f32; k, k]) -> [f32; k] { let y[i] = sum[j](M[i, j]); y } input A: " +
        "[f32; n, n]; let r = f(A);",
    ],
    [
      "W0304",
      "input x: [f32; b, f]; input y: [f32; b, f]; input c: [f32; f]; " +
        "let z[b, f] = x[b, f] + y[b, f] + c[f];",
    ],
    [
      "W0304",
      "input x: [f32; b, f]; input y: [f32; b, f]; input c: [f32; b]; " +
        "let z[b, f] = tanh(x[b, f] + y[b, f] + c[b]);",
    ],
    [
      "W0304",
      "input x: [f32; b, i]; input W: [f32; b, i]; input c: f32; " +
        "let z[b] = sum[i](x[b, i] * W[b, i]) + c;",
    ],
    ["W0305", "input x: [f32; n]; let y = sum[i](x[i] + sum[k in 0..4](x[i]));"],
    ["W0305", "input x: [f32; n]; let y[i] = prod[k in 0..3](x[i]);"],
    ["W0306", "input x: [f32; n]; let s = sum[i](x[i] where i - 1 in 0..0);"],
    ["W0306", "input x: [f32; n, m]; let y[i] = sum[j](x[i, j] where j == extent(m));"],
    ["W0306", "const ON = false; input x: [f32; n]; let s = sum[i](x[i] where ON);"],
    ["W0501", "fn f[j](x: [f32; ..l, j]) -> f32 { 1.0 } input x: [f32; k]; let y = f[k](x);"],
    ["W0701", "input x: [f32; n]; let y = sum[i](stop(x[i])); let g = @y / @x;"],
  ])("%s: %s", async (code, source) => {
    expect(await lints(source)).toContain(code);
  });

  test.each([
    [
      "names that the axes have",
      "input A: [f32; out, in]; input x: [f32; in]; let y[out] = sum[in](A[out, in] * x[in]);",
    ],
    [
      "no coordinates to exchange",
      "let A = [[1.0, 2.0], [3.0, 4.0]]; let B = A + A; let c[i, j] = A;",
    ],
    [
      "a pack and a coordinate",
      "let B = [[1.0, 2.0], [3.0, 4.0]]; let s[..b] = sum[j](B[..b, j]);",
    ],
    ["both ways", "let A = [[1.0, 2.0], [3.0, 4.0]]; let S[i, j] = A[i, j] + A[j, i];"],
    [
      "a factor",
      "input x: [f32; b, f]; input g: [f32; f]; input y: [f32; b, f]; " +
        "let z[b, f] = x[b, f] * g[f] + y[b, f];",
    ],
    [
      "a bias",
      "input x: [f32; b, i]; input W: [f32; o, i]; input c: [f32; o]; " +
        "let z[b, o] = sum[i](x[b, i] * W[o, i]) + c[o];",
    ],
    ["counted by a guard", "input x: [f32; n]; let s = sum[k](1.0 where x[k] > 0);"],
    ["true for long inputs", "input x: [f32; n]; let s = sum[i](x[i] where i > 100);"],
    [
      "a choice that nobody wrote as a guard",
      'fn told(x: i32) -> bool { print("asked {x}"); x > 0 } let a = false && told(1);',
    ],
  ])("nothing about %s", async (_, source) => {
    expect(await lints(source)).toEqual([]);
  });

  test("a guard that is `false` is shown where it stands", async () => {
    const { err } = await ein([
      "audit",
      "-e",
      "input x: [f32; n]; let s = sum[i](x[i] where false);",
    ]);
    expect(err).toContain("warning[W0306]: the guard `false` is never true");
    expect(err).toContain("1:46");
  });
});
