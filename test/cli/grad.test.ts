// `ein grad`: the derived program in its conventional form, and as source that runs.

import { describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { session } from "./session.ts";

const { ein } = session();

async function grad(source: string, of: string, wrt: string): Promise<readonly string[]> {
  const { code, out, err } = await ein(["grad", "-e", source, "--of", of, "--wrt", wrt]);
  expect(err).toBe("");
  expect(code).toBe(0);
  expect(compile({ name: "derived.ein", text: out }).diagnostics).toEqual([]);
  return out.trimEnd().split("\n");
}

/** The adjoint lines, without the lines of the original program. */
async function adjoints(source: string, of: string, wrt: string): Promise<readonly string[]> {
  return (await grad(source, of, wrt)).filter((line) => line.startsWith("let d_"));
}

describe("ein grad", () => {
  test("matmul: one contraction each, the incoming gradient is an input", async () => {
    const source =
      "input A: [f32; 2, 3]; input B: [f32; 3, 4]; let C[i, j] = sum[k](A[i, k] * B[k, j]);";
    expect(await grad(source, "C", "A,B")).toEqual([
      "input A: [f32; 2, 3];",
      "input B: [f32; 3, 4];",
      "input d_C: [f32; 2, 4];",
      "let d_A[i, k] = sum[j](d_C[i, j] * B[k, j]);",
      "let d_B[k, j] = sum[i](d_C[i, j] * A[i, k]);",
    ]);
  });

  test("a scalar numerator needs no seed, and no unit factor is printed", async () => {
    const source =
      "let W = [[1.0, 2.0], [3.0, 4.0]]; let x = [0.5, -1.0]; " +
      "let y[i] = sum[j](W[i, j] * x[j]); let loss = sum[i](y[i] * y[i]);";
    expect(await adjoints(source, "loss", "W,x")).toEqual([
      "let d_y[i] = 2 * y[i];",
      "let d_W[i, j] = d_y[i] * x[j];",
      "let d_x[j] = sum[i](d_y[i] * W[i, j]);",
    ]);
  });

  test("the dense layer: each parameter collects what it omitted", async () => {
    const source =
      "input x: [f32; 4, 3]; input W: [f32; 2, 3]; input bias: [f32; 2]; " +
      "let z[b, out] = sum[in](x[b, in] * W[out, in]) + bias[out];";
    expect(await adjoints(source, "z", "bias,W,x")).toEqual([
      "let d_bias[out] = sum[b](d_z[b, out]);",
      "let d_W[out, in] = sum[b](d_z[b, out] * x[b, in]);",
      "let d_x[b, in] = sum[out](d_z[b, out] * W[out, in]);",
    ]);
  });

  test("convolution: `oh + kh` inverts to `ih - kh` with its guard", async () => {
    const source =
      "let input[b in 0..1, ic in 0..1, ih in 0..6, iw in 0..6] = uniform(1, ih * 6 + iw); " +
      "let weight[oc in 0..1, ic in 0..1, kh in 0..2, kw in 0..2] = 0.5; " +
      "let conv[b, oc, oh, ow] = sum[ic, kh, " +
      "kw](input[b, ic, oh + kh, ow + kw] * weight[oc, ic, kh, kw]);";
    expect(await adjoints(source, "conv", "weight,input")).toEqual([
      "let d_weight[oc, ic, kh, kw] = sum[b, oh, " +
        "ow](d_conv[b, oc, oh, ow] * input[b, ic, oh + kh, ow + kw]);",
      "let d_input[b, ic, ih in 0..6, iw in 0..6] = " +
        "sum[oc, kh, kw](d_conv[b, oc, ih - kh, iw - kw] * weight[oc, ic, kh, " +
        "kw] where ih - kh in 0..5, iw - kw in 0..5);",
    ]);
  });

  test("gathers, guards, transposes, diagonals and broadcasts", async () => {
    const m =
      "let m[i in 0..4, j in 0..3] = 1.0; let idx = [0, 2, 2]; let col = [1, 1, 0]; " +
      "let g[k] = m[idx[k], col[k]];";
    expect(await adjoints(m, "g", "m")).toEqual([
      "let d_m[i in 0..4, j in 0..3] = sum[k](d_g[k] where idx[k] == i, col[k] == j);",
    ]);
    const s =
      "let data = [1.0, -2.0]; let s = sum[i](data[i] where data[i] > 0); let loss = s * s;";
    expect(await adjoints(s, "loss", "data")).toEqual([
      "let d_s = 2 * s;",
      "let d_data[i] = d_s where data[i] > 0;",
    ]);
    expect(
      await adjoints(
        "let x[i in 0..2, j in 0..3] = 1.0; let y[i, j] = x[i, j]; let z[j, i] = y[i, j];",
        "z",
        "y",
      ),
    ).toEqual(["let d_y[i, j] = d_z[j, i];"]);
    expect(
      await adjoints("let M[i in 0..3, j in 0..3] = 1.0; let d[i] = M[i, i];", "d", "M"),
    ).toEqual(["let d_M[i, j in 0..3] = d_d[i] where i == j;"]);
    expect(
      await adjoints("let x = [1.0, 2.0]; let c = 3.0; let y[i] = x[i] + c;", "y", "c"),
    ).toEqual(["let d_c = sum[i](d_y[i]);"]);
    expect(await adjoints("let x = [1.0, 2.0]; let y[i] = x[i] * x[i];", "y", "x")).toEqual([
      "let d_x[i] = 2 * d_y[i] * x[i];",
    ]);
  });

  test("a recurrence: time runs backward, parameters are summed over it", async () => {
    const source =
      "let x = 0.5; let W = 2.0; let b = 0.1; let h[0] = x; " +
      "let h[t in 1..4] = h[t - 1] * W + b; let loss = sum[t](h[t] * h[t]);";
    expect(await adjoints(source, "loss", "W,b,x")).toEqual([
      "let d_h[t in rev(0..4)] = 2 * h[t] + (if t + 1 in 1..4 { d_h[t + 1] * W } else { 0 });",
      "let d_W = sum[t in 1..4](d_h[t] * h[t - 1]);",
      "let d_b = sum[t in 1..4](d_h[t]);",
      "let d_x = d_h[0];",
    ]);
  });

  test("JSON, missing flags, unknown names, and what has no gradient", async () => {
    const source = "let x = 2.0; let y = x ** 2;";
    const { out } = await ein(["grad", "-e", source, "--of", "y", "--wrt", "x", "--json"]);
    expect(JSON.parse(out)).toEqual({ source: "let x = 2.0;\nlet d_x = 2 * x;\n" });
    expect(await ein(["grad", "-e", source])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--wrt"),
    });
    expect(await ein(["grad", "-e", source, "--of", "yy", "--wrt", "x"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("E0884"),
    });
    const count = "let x = [1.0, 2.0]; let y = argmax[i](x[i]) as f32;";
    expect(await ein(["grad", "-e", count, "--of", "y", "--wrt", "x"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("gradient of argmax is not defined"),
    });
  });
});

describe("ein check --grad", () => {
  test("compares every request with differences, and draws inputs that are not given", async () => {
    const source =
      "input x: [f32; n]; input W: [f32; m, n]; let y[i] = tanh(sum[j](W[i, j] * x[j])); " +
      "let loss = sum[i](y[i] ** 2); let dW = @loss / @W; let J = @y / @x;";
    const { code, out } = await ein(["check", "--grad", "--json", "-e", source]);
    const { gradients } = JSON.parse(out) as {
      gradients: { of: string; wrt: string; ok: boolean; error: number }[];
    };
    expect(code).toBe(0);
    expect(gradients.map(({ of, wrt, ok }) => ({ of, wrt, ok }))).toEqual([
      { of: "loss", wrt: "W", ok: true },
      { of: "y", wrt: "x", ok: true },
    ]);
    for (const { error } of gradients) expect(error).toBeLessThan(1e-6);
  });

  test("forward and reverse mode agree, also in recurrences and contracted Jacobians", async () => {
    const source =
      "input W: [f32; n, n]; let h[0, i in 0..3] = 1.0; " +
      "let h[t in 1..4, i] = tanh(sum[j](W[i, j] * h[t - 1, j])); " +
      "let loss = sum[i](h[3, i] ** 2); let g = @loss / @W; let a = @loss / @h;";
    const { code, out } = await ein(["check", "--grad", "--json", "-e", source]);
    const { gradients } = JSON.parse(out) as {
      gradients: { error: number; adjoint: number; skipped: number }[];
    };
    expect(code).toBe(0);
    expect(gradients.length).toBe(2);
    for (const { error, adjoint, skipped } of gradients) {
      expect(error).toBeLessThan(1e-6);
      expect(adjoint).toBeLessThan(1e-10);
      expect(skipped).toBe(0);
    }
  });

  test("names the request, the cell and the term that is wrong", async () => {
    const source =
      "fn f(v) { sin(v) } @fn f(v) { -cos(v) * @v } let x = [0.0, 2.0]; let y[i] = f(x[i]); " +
      "let s = sum[i](y[i] * x[i]); let g = @s / @x;";
    expect(await ein(["check", "--grad", "-e", source])).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        "@s / @x at \\[1\\]: derived .*, measured .*; first wrong at `f\\(x\\[i\\]\\)` " +
          "\\(line 1\\), whose tangent comes from an `@fn` rule",
      ),
    });
    const { out } = await ein(["check", "--grad", "--json", "-e", source]);
    expect(JSON.parse(out)).toMatchObject({
      gradients: [{ ok: false, cell: [1], term: expect.stringContaining("f(x[i])") }],
    });
  });

  test.each([
    [
      "in a recurrence",
      "let h[0] = x[0]; let h[t in 1..4] = q(h[t - 1]) + x[t % 2]; let y = h[3];",
      "`h` (line 1), in which the tangent of `q(h[t - 1])` comes from an `@fn` rule",
    ],
    [
      "in a function that stays one",
      "let n = 2 + (x[0] as i32); fn f(v: f32, k: " +
        "i32) -> f32 { if k == 0 { v } else { q(f(v, k - 1)) + 0.1 } } let y = f(x[0], n);",
      "`y` (line 1), in which the tangent of `q` comes from an `@fn` rule",
    ],
  ])("names a wrong rule %s", async (_, used, term) => {
    const source =
      "fn q(v: f32) -> f32 { v ** 2 } @fn q(v: f32) { v * @v } let x = [0.3, 0.7]; " +
      `${used} let g = @y / @x;`;
    const { out } = await ein(["check", "--grad", "--json", "-e", source]);
    expect(JSON.parse(out)).toMatchObject({ gradients: [{ ok: false, term }] });
  });

  test("does not call a derivative wrong because the run fails", async () => {
    const { code, out } = await ein([
      "check",
      "--grad",
      "-e",
      "input P: [f32; c, 2]; let l = sum[a](P[30, a] ** 2); let g = @l / @P;",
    ]);
    expect(out).toContain("not computed");
    expect(out).not.toContain("WRONG");
    expect(out).toContain("@l / @P: the run failed: index 30 is out of bounds in `P[30, a]`");
    expect(code).toBe(1);
  });

  test("does not call a derivative wrong because numbers are not finite, nor right", async () => {
    const source = `input k: [f32; r]; let c[0] = 0.5;
      let c[t in 1..12] = c[t - 1] + exp(sum[j](k[j]) + c[t - 1] ** 2);
      let loss = c[11] ** 2; let g = @loss / @k;`;
    const { code, out } = await ein(["check", "--grad", "-e", source]);
    expect(out).toMatch(/@loss \/ @k .* not computed$/m);
    expect(out).toContain(
      "`loss` is Infinity; give inputs with `--in` or `--set` at which it is finite",
    );
    expect(code).toBe(1);
    const smaller = await ein(["check", "--grad", "--set", "k=[-4.0, -3.0]", "-e", source]);
    expect(smaller).toMatchObject({ code: 0, out: expect.stringContaining("agrees") });
  });

  test("compares what is finite where a part is not", async () => {
    const source =
      "let x = [0.0, 1.0]; let y = sum[i](sqrt(x[i])); let g = @y / @x; let z = sqrt(x[0]); " +
      "let h = @z / @x;";
    const { code, out } = await ein(["check", "--grad", "--json", "-e", source]);
    expect(JSON.parse(out)).toMatchObject({
      gradients: [
        { of: "y", ok: true, adjoint: null, skipped: 1 },
        { of: "z", ok: true, adjoint: null, skipped: 1 },
      ],
    });
    expect(code).toBe(0);
    const alone = await ein([
      "check",
      "--grad",
      "-e",
      "let x = 0.0; let y = sqrt(x); let g = @y / @x;",
    ]);
    expect(alone).toMatchObject({
      code: 1,
      out: expect.stringContaining("`y` is not finite right beside these inputs"),
    });
  });

  test("says where a value is no longer finite, and by which guard it stays so", async () => {
    const source =
      "let A = [[0.5, 0.5], [0.0, 1.0]]; let a[t in 0..3, i in 0..2] = 0.1;\n" +
      "let a[t in 1..3, j in 0..2] = logsumexp[i](a[t-1, i] + log(A[i, j]));\n" +
      "let ll = logsumexp[i](a[2, i]); let g = @ll / @A;";
    const { code, out } = await ein(["check", "--grad", "-e", source]);
    expect(out).toContain(
      "`ll` is not finite right beside these inputs; first, `log(A[i, j])` gives -Infinity " +
        "(line 2): guard `log(A[i, j])` by `where A[i, j] > 0.0`",
    );
    expect(code).toBe(1);
  });

  test("catches a derivative that is not finite though all values are", async () => {
    const source =
      "fn q(v: f32) -> f32 { v * 2.0 } @fn q(v: f32) { @v / (v - v) } input x: [f32; n]; " +
      "let y = sum[i](q(x[i])); let g = @y / @x;";
    const { code, out } = await ein(["check", "--grad", "-e", source]);
    expect(out).toContain("at [0]: derived Infinity, measured 2.0");
    expect(code).toBe(1);
  });

  test(
    "does not call a derivative wrong that rounding hides, " +
      "and calls those wrong that can be measured",
    async () => {
      const cell = `input x: [f32; T, I]; input Wz: [f32; H, I]; input Uz: [f32; H, H];
      input Wr: [f32; H, I]; input Ur: [f32; H, H];
      input Wh: [f32; H, I]; input Uh: [f32; H, H];
      let h[0, a in 0..extent(H)] = 0.0;
      let h[t in 1..extent(T) + 1, a in 0..extent(H)] = {
        let r[b in 0..extent(H)] =
        squash(sum[i](Wr[b, i] * x[t - 1, i]) + sum[c](Ur[b, c] * h[t - 1, c]));
        let z = sigmoid(sum[i](Wz[a, i] * x[t - 1, i]) + sum[c](Uz[a, c] * h[t - 1, c]));
        let n = tanh(sum[i](Wh[a, i] * x[t - 1, i]) + sum[c](Uh[a, c] * r[c] * h[t - 1, c]));
        (1.0 - z) * n + z * h[t - 1, a]
      };
      let loss = sum[a](h[extent(T), a] ** 2); let g = @loss / @Ur;`;
      const squash = "fn squash(v: f32) -> f32 { sigmoid(v) }";
      const right = await ein(["check", "--grad", "-e", `${squash} ${cell}`]);
      expect(right).toMatchObject({ code: 0, out: expect.stringContaining("agrees") });
      // Differences can measure derivatives of 1e-10 to a thousandth.
      const rule = "@fn squash(v: f32) { 1.02 * sigmoid(v) * (1.0 - sigmoid(v)) * @v }";
      const wrong = await ein(["check", "--grad", "-e", `${squash} ${rule} ${cell}`]);
      expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining("WRONG") });
      const slight =
        "fn f(v) { exp(v) } @fn f(v) { 1.00001 * exp(v) * @v } let x = [0.5, 2.0]; " +
        "let y = sum[i](f(x[i])); let g = @y / @x;";
      expect(await ein(["check", "--grad", "-e", slight])).toMatchObject({ code: 1 });
    },
  );

  test(
    "checks what is only printed, in the order of the lines, " +
      "and says which cell of a Jacobian is wrong",
    async () => {
      const source = `fn q(v: f32) -> f32 { v ** 2 } @fn q(v: f32) { v * @v }
      let x = [0.5, 2.0]; let y[i] = q(x[i]); let s = sum[i](x[i] ** 3); let h = @(s * 2.0) / @x;
      print("how", @s / @x);
      let k = @y[1] / @x;
      print(@y / @x); let d = @(@s / @x) / @x;`;
      const { code, out } = await ein(["check", "--grad", "-e", source]);
      const rows = [...out.matchAll(/^ +(\d+) {2}(@.*? \/ @x) .*(agrees|WRONG)$/gm)].map(
        ([, ...row]) => row.join(" "),
      );
      expect(rows).toEqual([
        "2 @(s * 2.0) / @x agrees",
        "3 @s / @x agrees",
        "4 @y[1] / @x WRONG",
        "5 @y / @x WRONG",
        "5 @(@s / @x) / @x agrees",
      ]);
      expect(out).toContain("line 5: @y / @x at [0, 0]: derived 0.5, measured 0.99");
      expect(code).toBe(1);
    },
  );

  test("draws sizes in which a window fits into what it slides over", async () => {
    const source = `input x: [f32; b, c, n]; input K: [f32; o, c, k];
      let y[b, o, i] = sum[c, k](K[o, c, k] * x[b, c, i + k]);
      let loss = sum[b, o, i](y[b, o, i] ** 2); let g = @loss / @K;`;
    const { out } = await ein(["check", "--grad", "--json", "-e", source]);
    expect(JSON.parse(out)).toMatchObject({ gradients: [{ ok: true, shape: [6, 4, 7] }] });
    const cost = await ein(["explain", "--cost", "-e", source]);
    expect(cost.out).toContain("with b = 3, c = 4, n = 8, o = 6, k = 7");
  });

  test("leaves out cells at kinks, and says how many", async () => {
    const source = "let x = [0.0, 2.0]; let s = sum[i](relu(x[i])); let g = @s / @x;";
    const { out } = await ein(["check", "--grad", "--json", "-e", source]);
    expect(JSON.parse(out)).toMatchObject({ gradients: [{ ok: true, skipped: 1 }] });
  });

  test("catches a rule that is wrong, and lets a surrogate be", async () => {
    const rule = "@fn f(x) { 3.0 * x * @x } let a = 2.0; let y = f(a); let g = @y / @a;";
    const wrong = await ein(["check", "--grad", "-e", `fn f(x) { x * x } ${rule}`]);
    expect(wrong).toMatchObject({
      code: 1,
      out: expect.stringContaining("@y / @a: derived 6, measured 4"),
    });
    const meant = await ein(["check", "--grad", "-e", `fn f(x) { x * x } surrogate ${rule}`]);
    expect(meant).toMatchObject({ code: 0, out: expect.stringContaining("skipped") });
  });
});

describe("ein run --dump plan", () => {
  test("keeps only the history that is asked for", async () => {
    const source = "let h[0] = 1.0; let h[t in 1..100] = 0.5 * h[t - 1]; let last = h[99];";
    const last = await ein(["run", "--dump", "plan", "--get", "last", "-e", source]);
    expect(last.err).toContain("lookback 1 along t; tail 1; buffer of 2");
    const all = await ein(["run", "--dump", "plan", "-e", source]);
    expect(all.err).toContain("full history");
    expect((await ein(["run", "--dump", "plan", "--json", "-e", source])).err).toContain(
      "full history",
    );
    for (const end of [" last", " print(last);", " h[99]"])
      expect((await ein(["run", "--dump", "plan", "-e", source + end])).err).toContain(
        "buffer of 2",
      );
  });
});
