// `ein audit`: broadcasts with their sums, what is shared, and lints that `allow` silences.

import { describe, expect, test } from "vitest";
import { session } from "./session.ts";

const { ein } = session();

interface AuditJson {
  readonly broadcasts: { in: string; term: string; omits: string[]; line: number; backward: string }[];
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
      "input x: [f32; b, in]; input W: [f32; out, in]; input bias: [f32; out];\nlet z[b, out] = sum[in](x[b, in] * W[out, in]) + bias[out];",
    );
    expect(broadcasts.map(({ term, omits, line, backward }) => [term, omits, line, backward])).toEqual([
      ["bias[out]", ["b"], 2, "let d_bias[out] = sum[b](d_z[b, out]);"],
      ["x[b, in]", ["out"], 2, "let d_x[b, in] = sum[out](d_z[b, out] * W[out, in]);"],
      ["W[out, in]", ["b"], 2, "let d_W[out, in] = sum[b](d_z[b, out] * x[b, in]);"],
    ]);
    expect(shared.map(({ parameter, over }) => [parameter, over.map(({ coordinate }) => coordinate)]).sort()).toEqual([
      ["W", ["b"]],
      ["bias", ["b"]],
      ["x", ["out"]],
    ]);
  });

  test("pointwise lines broadcast nothing; a recurrence shares its parameters over time", async () => {
    expect((await audit("let y[i] = x[i] * x[i];")).broadcasts).toEqual([]);
    const { broadcasts } = await audit("let h[0] = x; let h[t in 1..4] = h[t - 1] * W;");
    expect(broadcasts.map(({ term, omits }) => [term, omits])).toEqual([["W", ["t"]]]);
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
  ])("%s is said, and silenced by `allow` before its statement", async (code, before, statement) => {
    expect(await lints(before + statement)).toEqual([code]);
    expect(await lints(`${before}allow(${code}) ${statement}`)).toEqual([]);
  });

  test("W0501 is said about the function", async () => {
    const calling = "let v[i in 0..3] = 1.0; let y = twice[i](v);";
    expect(await lints(`fn twice[j](x: [f32; j]) -> [f32; j] { 2.0 * x } ${calling}`)).toEqual(["W0501"]);
    expect(await lints(`allow(W0501) fn twice[j](x: [f32; j]) -> [f32; j] { 2.0 * x } ${calling}`)).toEqual([]);
    expect(
      await lints(`fn total[j](x: [f32; j]) -> f32 { sum[j](x[j]) } let v = [1.0]; let y = total[i](v[i]);`),
    ).toEqual([]);
  });

  test("names make an exchange visible: then there is nothing to say", async () => {
    expect(await lints("let W[i in 0..2, j in 0..2] = 1.0; let y[i] = sum[j](W[i, j]);")).toEqual([]);
    expect(await lints("let W[i in 0..2, j in 0..2] = 1.0; let y[j] = sum[i](W[j, i]);")).toEqual(["W0303"]);
    expect(await lints("let W = [[1.0, 2.0], [3.0, 4.0]]; let s[i, j] = W[i, j] + W[j, i];")).toEqual([]);
  });
});
