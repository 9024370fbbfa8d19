// `ein explain`: ledgers and steps of well-known derivations, numbers, costs, memory, and other
// forms.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/driver/compile.ts";
import { session } from "./session.ts";

const { ein, path } = session();

interface Entry {
  readonly wrt: string;
  readonly output: string[];
  readonly operand: string[];
  readonly path: string[];
  readonly kept: string[];
  readonly consumed: string[];
  readonly restored: string[];
  readonly supplied: { coordinate: string; by: string[] }[];
  readonly solved: { coordinate: string; value: string }[];
  readonly guards: string[];
  readonly filters: string[];
  readonly ties: string[];
}

interface Steps {
  readonly wrt: string;
  readonly hold: string;
  readonly cells: string;
  readonly incoming: string;
  readonly local: string;
  readonly over: string[];
  readonly lines: string[];
  readonly cell?: {
    position: number[];
    contributions: {
      cell: string;
      incoming: { value: number };
      local: { value: number };
      value: number;
    }[];
    value: number;
  };
}

async function explained(source: string, of: string, wrt: string, ...more: string[]) {
  const { code, out, err } = await ein([
    "explain",
    "-e",
    source,
    "--of",
    of,
    "--wrt",
    wrt,
    "--json",
    ...more,
  ]);
  expect(err).toBe("");
  expect(code).toBe(0);
  const {
    ledger,
    steps,
    source: program,
  } = JSON.parse(out) as { ledger: Entry[]; steps: Steps[]; source: string };
  return { ledger, steps, program };
}

/** The explanation of the last operand, which is the requested one. */
async function last(source: string, of: string, wrt: string) {
  const { ledger, steps } = await explained(source, of, wrt);
  return { ledger: ledger.at(-1)!, steps: steps.at(-1)! };
}

describe("the ledger", () => {
  test.each([
    [
      "matrix product",
      "let C[i, j] = sum[k](A[i, k] * B[k, j]);",
      "C",
      "A",
      ["j"],
      ["i"],
      ["k"],
      "let d_A[i, k] = sum[j](d_C[i, j] * B[k, j]);",
    ],
    [
      "its right factor",
      "let C[i, j] = sum[k](A[i, k] * B[k, j]);",
      "C",
      "B",
      ["i"],
      ["j"],
      ["k"],
      "let d_B[k, j] = sum[i](d_C[i, j] * A[i, k]);",
    ],
    [
      "one for each of a batch",
      "let C[b, i, j] = sum[k](A[b, i, k] * B[b, k, j]);",
      "C",
      "A",
      ["j"],
      ["b", "i"],
      ["k"],
      "let d_A[b, i, k] = sum[j](d_C[b, i, j] * B[b, k, j]);",
    ],
    [
      "a bias by feature",
      "let y[b, f] = x[b, f] + bias[f];",
      "y",
      "bias",
      ["b"],
      ["f"],
      [],
      "let d_bias[f] = sum[b](d_y[b, f]);",
    ],
    [
      "a bias by example",
      "let y[b, f] = x[b, f] + bias[b];",
      "y",
      "bias",
      ["f"],
      ["b"],
      [],
      "let d_bias[b] = sum[f](d_y[b, f]);",
    ],
    [
      "a constant for all",
      "let y[i] = x[i] + c;",
      "y",
      "c",
      ["i"],
      [],
      [],
      "let d_c = sum[i](d_y[i]);",
    ],
    [
      "the weights of a dense layer",
      "let z[b, out] = sum[in](x[b, in] * W[out, in]) + bias[out];",
      "z",
      "W",
      ["b"],
      ["out"],
      ["in"],
      "let d_W[out, in] = sum[b](d_z[b, out] * x[b, in]);",
    ],
    [
      "its input",
      "let z[b, out] = sum[in](x[b, in] * W[out, in]) + bias[out];",
      "z",
      "x",
      ["out"],
      ["b"],
      ["in"],
      "let d_x[b, in] = sum[out](d_z[b, out] * W[out, in]);",
    ],
    [
      "a pointwise square",
      "let y[i] = x[i] * x[i];",
      "y",
      "x",
      [],
      ["i"],
      [],
      "let d_x[i] = 2 * d_y[i] * x[i];",
    ],
    [
      "the values of attention",
      "let out[h, q, d] = sum[k](w[h, q, k] * V[h, k, d]);",
      "out",
      "V",
      ["q"],
      ["h", "d"],
      ["k"],
      "let d_V[h, k, d] = sum[q](d_out[h, q, d] * w[h, q, k]);",
    ],
    [
      "a parameter of a recurrence",
      "let h[0] = x; let h[t in 1..4] = h[t - 1] * W + b;",
      "h",
      "W",
      ["t"],
      [],
      [],
      "let d_W = sum[t in 1..4](d_h_2[t] * h[t - 1]);",
    ],
  ])("%s", async (_, source, of, wrt, over, kept, restored, line) => {
    const { ledger, steps } = await last(source, of, wrt);
    expect({ path: ledger.path, kept: ledger.kept, restored: ledger.restored }).toEqual({
      path: over,
      kept,
      restored,
    });
    expect(steps.over).toEqual(over);
    expect(steps.lines.at(-1)).toBe(line);
  });

  test(
    "a convolution: the output's position is solved for, the kernel's is summed, " +
      "guards keep it inside",
    async () => {
      const source =
        "input x: [f32; 2, 3, 6, 6]; input w: [f32; 4, 3, 2, 2]; " +
        "let conv[b, oc, oh, ow] = sum[ic, kh, " +
        "kw](x[b, ic, oh + kh, ow + kw] * w[oc, ic, kh, kw]);";
      const { ledger, steps } = await last(source, "conv", "x");
      expect(ledger.path).toEqual(["oc", "oh", "ow"]);
      expect(ledger.kept).toEqual(["b"]);
      expect(ledger.consumed).toEqual(["ic", "kh", "kw"]);
      expect(ledger.restored).toEqual(["ic"]);
      expect(ledger.supplied).toContainEqual({ coordinate: "ic", by: ["w[oc, ic, kh, kw]"] });
      expect(ledger.solved).toEqual([
        { coordinate: "oh", value: "ih - kh" },
        { coordinate: "ow", value: "iw - kw" },
      ]);
      expect(ledger.guards).toEqual(["ih - kh in 0..5", "iw - kw in 0..5"]);
      expect(steps.over).toEqual(["oc", "kh", "kw"]);
      const kernel = await last(source, "conv", "w");
      expect(kernel.ledger.path).toEqual(["b", "oh", "ow"]);
      expect(kernel.ledger.restored).toEqual(["ic", "kh", "kw"]);
    },
  );

  test("a stride brings divisibility, a guard filters both ways, a gather ties", async () => {
    const strided = await last("input x: [f32; 9]; let y[i in 0..4] = x[2 * i + 1];", "y", "x");
    expect(strided.ledger.guards.join()).toMatch(/% 2 == 0/);
    const guarded = await last(
      "input data: [f32; i]; let s = sum[i](data[i] where data[i] > 0);",
      "s",
      "data",
    );
    expect(guarded.ledger.filters).toEqual(["data[i] > 0"]);
    expect(guarded.steps.lines).toEqual(["let d_data[i] = 1.0 where data[i] > 0;"]);
    const gather = await last("input m: [f32; 4, 3]; let g[k] = m[idx[k], col[k]];", "g", "m");
    expect(gather.ledger).toMatchObject({ path: ["k"], ties: ["idx[k] == i", "col[k] == j"] });
  });

  test("max goes to the winner, prod multiplies the others", async () => {
    const max = await last("input x: [f32; 3, 4]; let p[i] = max[k](x[i, k]);", "p", "x");
    expect(max.ledger).toMatchObject({ kept: ["i"], restored: ["k"], ties: ["p_winner[i] == k"] });
    const prod = await last("input x: [f32; 3, 4]; let p[i] = prod[k](x[i, k]);", "p", "x");
    expect(prod.steps.local).toBe("p_before[i, k] * p_behind[i, k]");
  });

  test("the whole backward program is what `ein grad` prints", async () => {
    const source =
      "input x: [f32; b, in]; input W: [f32; out, in]; " +
      "let z[b, out] = sum[in](x[b, in] * W[out, in]); " +
      "let loss = sum[b, out](z[b, out] ** 2);";
    const { program } = await explained(source, "loss", "W,x");
    expect(program).toBe((await ein(["grad", "-e", source, "--of", "loss", "--wrt", "W,x"])).out);
  });

  test("explaining leaves the program as it is", () => {
    const text =
      "input A: [f32; i, j]; input B: [f32; j, k]; input C: [f32; k, l]; " +
      "let y[i, l] = sum[j, k](A[i, j] * B[j, k] * C[k, l]); let s = sum[i, l](y[i, l]);";
    const { program } = compile({ name: "chain.ein", text });
    const inputs = program!.drawInputs(new Map());
    const before = program!.run({ inputs, get: ["s"], f64: true }).values.get("s")!.value.data[0];
    expect(program!.explain({ of: "s", wrt: ["A"] })).toHaveLength(1);
    expect(program!.run({ inputs, get: ["s"], f64: true }).values.get("s")!.value.data[0]).toBe(
      before,
    );
  });
});

describe("numbers", () => {
  test("contributions add up to the cell of the gradient that the program computes", async () => {
    const source =
      "let A = [[1.0, 2.0], [3.0, 4.0]]; let B = [[5.0, 6.0], [7.0, 8.0]]; " +
      "let C[i, j] = sum[k](A[i, k] * B[k, j]); let loss = sum[i, j](C[i, j] ** 2); " +
      "let dA = @loss / @A;";
    const { steps } = await explained(source, "loss", "A", "--cell", "0,1");
    const { contributions, value, position } = steps.at(-1)!.cell!;
    expect(position).toEqual([0, 1]);
    expect(contributions.map(({ cell, value: each }) => [cell, each])).toEqual([
      ["C[0, 0]", 266],
      ["C[0, 1]", 352],
    ]);
    expect(value).toBe(618);
    const { out } = await ein(["run", "-e", source, "--get", "dA", "--json"]);
    expect((JSON.parse(out) as { values: { dA: { data: number[] } } }).values.dA.data[1]).toBe(618);
  });

  test("cells that are not there, and lists that are none", async () => {
    const words = [
      "explain",
      "-e",
      "let x = [1.0, 2.0]; let y = x[0] * x[1];",
      "--of",
      "y",
      "--wrt",
      "x",
    ];
    expect(await ein([...words, "--cell", "2"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("E0889"),
    });
    expect(await ein([...words, "--cell", "0,0"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("1 coordinate"),
    });
    expect(await ein([...words, "--cell", "one"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--cell 1,2"),
    });
  });

  test("an incoming gradient can be given, and must fit", async () => {
    const { file } = { file: path };
    const { writeFileSync } = await import("node:fs");
    writeFileSync(file("g.json"), "[10, 20]");
    writeFileSync(file("long.json"), "[10, 20, 30]");
    const words = [
      "explain",
      "-e",
      "let x = [1.0, 2.0]; let y[i] = 3.0 * x[i];",
      "--of",
      "y",
      "--wrt",
      "x",
      "--cell",
      "1",
    ];
    const given = await ein([...words, "--in", `d_y=${file("g.json")}`]);
    expect(given.out).toContain("d_y[1] * 3  20.0 * 3.0 = 60.0");
    const wrong = await ein([...words, "--in", `d_y=${file("long.json")}`]);
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("[2]") });
  });
});

describe("what is asked", () => {
  test("without names, every request of the program; with none, a word about it", async () => {
    const both = await ein([
      "explain",
      "-e",
      "let x = 2.0; let y = x ** 2; let a = @y / @x; let z = x ** 3; let b = @z / @x;",
    ]);
    expect(both.out.match(/^@\w \/ @x$/gm)).toEqual(["@y / @x", "@z / @x"]);
    expect(await ein(["explain", "-e", "let x = 2.0;"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("--of loss --wrt W"),
    });
    expect(await ein(["explain", "-e", "let x = 2.0;", "--of", "x"])).toMatchObject({ code: 2 });
    expect(await ein(["explain", "-e", "let x = 2.0;", "--of", "y", "--wrt", "x"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("E0884"),
    });
  });

  test("what has no gradient is an error, and no path is said to be none", async () => {
    const refused = await ein([
      "explain",
      "-e",
      "let x = [1.0, 2.0]; let y = argmax[i](x[i]) as f32;",
      "--of",
      "y",
      "--wrt",
      "x",
    ]);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("gradient of argmax is not defined"),
    });
    const none = await ein([
      "explain",
      "-e",
      "let x = 1.0; let z = 2.0; let y = z * z;",
      "--of",
      "y",
      "--wrt",
      "x",
    ]);
    expect(none.out).toContain("`y` does not depend on `x`: the derivative is 0.");
  });
});

describe("cost and memory", () => {
  const layer =
    "input x: [f32; b, in]; input W: [f32; out, in]; " +
    "let z[b, out] = sum[in](x[b, in] * W[out, in]); let loss = sum[b, out](z[b, out] ** 2);";

  test("polynomials in the named extents, then numbers", async () => {
    const { out } = await ein(["explain", "-e", layer, "--of", "loss", "--wrt", "W", "--cost"]);
    expect(out).toContain("with b = 3, in = 4, out = 5");
    expect(out).toMatch(/arithmetic\s+2·b·in·out \+ 2·b·out\s+=\s+150/);
    expect(out).toMatch(/All in one program, [\d.]+ times the work of loss/);
    const json = JSON.parse(
      (await ein(["explain", "-e", layer, "--of", "loss", "--wrt", "W", "--cost", "--json"])).out,
    ) as {
      cost: { ratio: number; gradients: { wrt: string }[] }[];
    };
    expect(json.cost[0]!.gradients.map(({ wrt }) => wrt)).toEqual(["W"]);
    expect(json.cost[0]!.ratio).toBeLessThan(5);
  });

  test("memory: what is saved and for whom; the peak is that of a run", async () => {
    const { program } = compile({ name: "layer.ein", text: layer });
    const [report] = program!.memory({ of: "loss", wrt: ["W", "x"] });
    if (!report || "diagnostics" in report) throw new Error("no report");
    expect(report.saved.map(({ value, readBy }) => [value, [...readBy].sort()])).toEqual([
      ["z", ["d_z"]],
    ]);
    expect(report.released.map(({ value }) => value)).toEqual(["loss"]);
    const [explanation] = program!.explain({ of: "loss", wrt: ["W", "x"] });
    if (!explanation || "diagnostics" in explanation) throw new Error("no explanation");
    const derived = compile({
      name: "derived.ein",
      text: `${explanation.source}let loss = sum[b, out](z[b, out] ** 2);`,
    });
    // The oracle keeps until the end everything that the plan keeps.
    const asked = { inputs: program!.drawInputs(new Map()), get: ["loss", "d_W", "d_x"] };
    const onOracle = derived.program!.run({ ...asked, backend: "interpret" });
    expect(onOracle.fault).toBeUndefined();
    expect(report.plannedBytes).toBe(onOracle.peakBytes);
    expect(report.peakBytes).toBe(derived.program!.run(asked).peakBytes);
  });

  test(
    "a recurrence keeps its history where the gradient reads it, " +
      "and says what a checkpoint would keep",
    async () => {
      const source =
        "let w = 0.5; let h[0] = 1.0; let h[t in 1..100] = w * h[t - 1] + 1.0; " +
        "let loss = h[99] ** 2;";
      const { out } = await ein([
        "explain",
        "-e",
        source,
        "--of",
        "loss",
        "--wrt",
        "w",
        "--memory",
      ]);
      expect(out).toContain("h keeps 100 of 100 steps along t, 400 bytes: read by d_w");
      expect(out).toContain("`checkpoint let h[…]` would save 312 bytes");
      const rolled = await ein([
        "explain",
        "-e",
        source.replace("w * h[t - 1]", "w + h[t - 1]"),
        "--of",
        "loss",
        "--wrt",
        "w",
        "--memory",
      ]);
      expect(rolled.out).toContain("h keeps 2 of 100 steps along t, 8 bytes");
    },
  );
});

describe("the memory plan is the one that a run follows", () => {
  const network = (checkpoint: string): string =>
    `let w = 0.5; let h[0] = 1.0; ${checkpoint}let h[t in 1..100] = w * h[t - 1] + 1.0; ` +
    "let loss = h[99] ** 2;";

  test.each(["", "checkpoint "])("%s", (checkpoint) => {
    const { program } = compile({ name: "network.ein", text: network(checkpoint) });
    const [report] = program!.memory({ of: "loss", wrt: ["w"] });
    const [explanation] = program!.explain({ of: "loss", wrt: ["w"] });
    if (!report || "diagnostics" in report || !explanation || "diagnostics" in explanation)
      throw new Error("none");
    const text = `${explanation.source}let loss = h[99] ** 2;`;
    const derived = compile({ name: "derived.ein", text }).program!;
    const onOracle = derived.run({ get: ["loss", "d_w"], backend: "interpret" });
    expect(onOracle.fault).toBeUndefined();
    expect(report.plannedBytes).toBe(onOracle.peakBytes);
    expect(report.peakBytes).toBe(derived.run({ get: ["loss", "d_w"] }).peakBytes);
    const [history] = report.recurrences;
    if (checkpoint === "") {
      const other = compile({ name: "network.ein", text: network("checkpoint ") }).program!.memory({
        of: "loss",
        wrt: ["w"],
      });
      expect(history!.checkpointedBytes).toBe((other[0] as typeof report).plannedBytes);
    } else expect(report.saved.find(({ value }) => value === "h")!.bytes).toBe(history!.bytes);
  });

  // Large enough that a kernel computes every value, and that memory is released after the last
  // read.
  const large: Readonly<
    Record<string, { readonly text: string; readonly wrt: readonly string[] }>
  > = {
    "a chain of maps": {
      text:
        "input x: [f32; 20000]; let a[i] = exp(x[i]); let b[i] = sin(a[i]); " +
        "let c[i] = tanh(b[i] * a[i]); let loss = sum[i](c[i] * c[i]);",
      wrt: ["x"],
    },
    "two dense layers": {
      text: `input x: [f32; 64, 96]; input V: [f32; 80, 96]; input W: [f32; 48, 80];
        let h[b, u] = tanh(sum[in](x[b, in] * V[u, in])); let p[b, o] = sum[u](h[b, u] * W[o, u]);
        let loss = sum[b, o](p[b, o] ** 2);`,
      wrt: ["V", "W", "x"],
    },
    "a recurrent network": {
      text: `input W: [f32; 32, 32]; let h[0, i in 0..32] = 0.1;
        let h[t in 1..50, i] = tanh(sum[j](W[i, j] * h[t - 1, j]));
        let loss = sum[i](h[49, i] ** 2);`,
      wrt: ["W"],
    },
    "a recurrent network with checkpoints": {
      text: `input W: [f32; 32, 32]; let h[0, i in 0..32] = 0.1;
        checkpoint let h[t in 1..50, i] = tanh(sum[j](W[i, j] * h[t - 1, j]));
        let loss = sum[i](h[49, i] ** 2);`,
      wrt: ["W"],
    },
    "a gather": {
      text:
        "input E: [f32; 500, 40]; let at[k in 0..900] = (k * 7) % 500; " +
        "let e[k, d] = E[at[k], d]; let loss = sum[k, d](e[k, d] ** 2);",
      wrt: ["E"],
    },
  };

  test.each(Object.entries(large))("on kernels: %s", (_, { text, wrt }) => {
    const { program } = compile({ name: "large.ein", text });
    const [report] = program!.memory({ of: "loss", wrt });
    if (!report || "diagnostics" in report) throw new Error("no report");
    const requests = wrt.map((name) => `let d_${name} = @loss / @${name};`).join(" ");
    const asking = compile({ name: "asking.ein", text: `${text} ${requests}` }).program!;
    const inputs = asking.drawInputs(new Map());
    const get = ["loss", ...wrt.map((name) => `d_${name}`)];
    const run = asking.run({ inputs, get });
    expect(run.fault).toBeUndefined();
    expect(report.peakBytes).toBe(run.peakBytes);
  });
});

describe("the source's own words", () => {
  test("the result of a function takes the name of its declaration", async () => {
    const source =
      "fn scaled[f](x: [f32; ..b, f], g: [f32; f]) -> [f32; " +
      "..b, f] { x[..b, f] * g[f] } input x: [f32; n, m]; input g: [f32; m]; " +
      "let out[i, j] = scaled[m](x[i, m], g);";
    const { out } = await ein(["explain", "-e", source, "--of", "out", "--wrt", "g"]);
    expect(out).toMatch(/^ {4}let out\[i, \w+\] = /m);
    expect(out).not.toContain("out_2");
  });

  test("packs of an open equation stay packs", async () => {
    const source = "let C[..b,i,j] = sum[k](A[..b,i,k]*B[..b,k,j]);";
    const { ledger, steps, program } = await explained(source, "C", "A");
    expect(ledger[0]).toMatchObject({
      output: ["..b", "i", "j"],
      operand: ["..b", "i", "k"],
      path: ["j"],
    });
    expect(steps[0]!.lines).toEqual([
      "let d_A[..b, i, k] = sum[j](d_C[..b, i, j] * B[..b, k, j]);",
    ]);
    expect(program).toBe(
      "input B: [f32; ..b, k, j];\ninput d_C: [f32; ..b, i, j];\n" +
        "let d_A[..b, i, k] = sum[j](d_C[..b, i, j] * B[..b, k, j]);\n",
    );
    const declared =
      "input A: [f32; ..b, i, k]; input B: [f32; 2, 3, 4, 5]; " +
      "let C[..b, i, j] = sum[k](A[..b, i, k] * B[..b, k, j]);";
    expect(
      (await explained(declared, "C", "A", "--cell", "1,2,0,3")).steps[0]!.cell!.position,
    ).toEqual([1, 2, 0, 3]);
  });

  test(
    "a derivative of a derivative shows the line that it comes through, " +
      "and the request as it stands",
    async () => {
      const { out } = await ein([
        "explain",
        "-e",
        "let x = 2.0; let y = x ** 3; let g = @(@y / @x) / @x;",
      ]);
      expect(out).toMatch(/^@\(@y \/ @x\) \/ @x\n/);
      expect(out).toContain("    let d_x = 3 * x ** 2;\n");
      expect(out).not.toContain("let y = x ** 3;  // line 1\n\n  output    {}                d_x");
    },
  );

  test("a part without a name is shown as the expression that it is", async () => {
    const { out } = await ein([
      "explain",
      "-e",
      "let y[i] = tanh(sum[j](W[i, j] * x[j])); let s = sum[i](y[i] ** 2);",
      "--of",
      "s",
      "--wrt",
      "W",
    ]);
    expect(out).toContain("The gradient of y_2, which is `sum[j](W[i, j] * x[j])`");
  });

  test("a kept coordinate is not supplied; one that is computed with is", async () => {
    const { ledger } = await explained("let y[i] = 3.0 * x[i]; let s = sum[i](y[i]);", "s", "x");
    expect(ledger.at(-1)).toMatchObject({ kept: ["i"], supplied: [] });
    const positions = await last("let s = sum[i](x[i] * (i as f32));", "s", "x");
    expect(positions.ledger.supplied).toEqual([{ coordinate: "i", by: ["i as f32"] }]);
  });

  test("a condition of a rule is no filter; a dimension keeps its name", async () => {
    const guarded = await last(
      "input x: [f32; i]; let s = max[i](x[i] where x[i] < 3.0);",
      "s",
      "x",
    );
    expect(guarded.ledger.filters).toEqual([]);
    const mean = await last("input x: [f32; b, f]; let m[b] = mean[f](x[b, f]);", "m", "x");
    expect(mean.steps.lines).toEqual([
      "let d_x[b, f in 0..extent(f)] = d_m[b] / extent(f) as f32;",
    ]);
  });

  test("drawn numbers are said to be drawn", async () => {
    const words = [
      "explain",
      "-e",
      "let y[i] = 3.0 * x[i];",
      "--of",
      "y",
      "--wrt",
      "x",
      "--cell",
      "0",
    ];
    expect((await ein(words)).out).toContain("x and d_y were not given");
    expect((await ein([...words, "--set", "x=[1, 2]", "--set", "d_y=[1, 1]"])).out).not.toContain(
      "not given",
    );
  });

  test("a Jacobian within a step is explained like any other request", async () => {
    const source =
      "input start: [f32; 2]; let s[0, i] = start[i]; " +
      "let f[t in 0..3, i in 0..2] = s[t, i] ** 2; " +
      "let s[t in 1..3, i in 0..2] = s[t - 1, " +
      "i] - sum[j in 0..2](@f[t - 1, i] / @s[t - 1, j] * f[t - 1, j]);";
    const { out, code } = await ein(["explain", "-e", source]);
    expect(code).toBe(0);
    expect(out).toContain("2 * d_f[t, i] * s[t, i]");
  });
});

describe("odd programs", () => {
  test("an open scatter: what is compared with a position is an integer", async () => {
    const { ledger } = await last("let h[p in 0..4] = sum[k](g[k] where idx[k] == p);", "h", "g");
    expect(ledger).toMatchObject({ operand: ["k"], restored: ["k"] });
  });

  test("extents without a name are measured on their inputs", async () => {
    const { program } = await explained(
      "input x: [f32; ?, ?]; let s = sum[i, j](x[i, j]);",
      "s",
      "x",
    );
    expect(program).toBe(
      "input x: [f32; ?, ?];\nlet d_x[i in 0..shape(x)[0], j in 0..shape(x)[1]] = 1.0;\n",
    );
    const loose = await explained("input x: [f32; *]; let s = sum[i, j](x[i, j]);", "s", "x");
    expect(loose.steps.at(-1)!.lines).toEqual([
      "let d_x[i in 0..shape(x)[0], j in 0..shape(x)[1]] = 1.0;",
    ]);
  });

  test("an axis without cells says so", async () => {
    const { code, err } = await ein([
      "explain",
      "-e",
      "let x[i in 0..0] = 1.0; let s = sum[i](x[i]);",
      "--of",
      "s",
      "--wrt",
      "x",
      "--cell",
      "0",
    ]);
    expect([code, err]).toEqual([1, expect.stringContaining("axis 0 (`i`) is empty")]);
  });
});

describe("flags that would be ignored", () => {
  test.each([
    ["--save", ["--save", "x.png"]],
    ["--tex", ["--html", "--tex"]],
    ["--html", ["--html", "--json"]],
    ["--cost", ["--html", "--cost"]],
    ["--cell", ["--cost", "--cell", "0"]],
    ["--of", ["--graph", "x.svg", "--of", "y", "--wrt", "x"]],
    ["--set", ["--graph", "x.svg", "--set", "x=1"]],
  ])("%s", async (flag, words) => {
    const { code, out, err } = await ein([
      "explain",
      "-e",
      "let x = 1.0; let y = x ** 2; let g = @y / @x;",
      ...words,
    ]);
    expect([code, words.includes("--json") ? "" : out]).toEqual([2, ""]);
    expect(out + err).toContain(`\`${flag}\` has nothing to do here`);
  });

  test("values for a check that computes nothing", async () => {
    expect(await ein(["check", "-e", "input x: f32;", "--set", "x=1"])).toMatchObject({ code: 2 });
  });
});

describe("other forms", () => {
  test("pictures as JSON", async () => {
    const source = [
      "explain",
      "-e",
      "let m = [[0.0, 1.0], [-2.0, 0.5]]; let y[i] = sum[j](m[i, j]);",
      "--json",
    ];
    const heat = await ein([...source, "--heat", "m"]);
    expect(JSON.parse(heat.out)).toMatchObject({
      heat: { name: "m", shape: [2, 2], data: [0, 1, -2, 0.5] },
    });
    const graph = await ein([...source, "--graph", path("j.dot")]);
    expect(JSON.parse(graph.out)).toMatchObject({
      graph: { edges: [{ from: "m", to: "y", label: "i, j" }] },
    });
  });

  test("the parts of a cell, as JSON and as LaTeX", async () => {
    const source = "let x = [1.0, 2.0]; let row = [1, 1]; let y[k] = x[row[k]] + x[k] * 3.0;";
    const { steps } = await explained(source, "y", "x", "--cell", "1");
    const cells = steps.map(
      ({ cell }) =>
        cell as unknown as { value: number; total: number; contributions: { value: number }[] },
    );
    for (const { value, contributions } of cells)
      expect(contributions.reduce((sum, each) => sum + each.value, 0)).toBeCloseTo(value, 5);
    expect(cells.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(cells[0]!.total, 5);
    const { out } = await ein(["explain", "-e", source, "--of", "y", "--wrt", "x", "--tex"]);
    expect(out).toContain("\\paragraph{Part 2}");
    expect(out).toMatch(/^tie & /m);
  });

  test("an edge over several layers passes beside the nodes between", async () => {
    const source = "let a[i] = 2.0 * x[i]; let c[i] = 3.0 * a[i]; let d[i] = c[i] + x[i];";
    await ein(["explain", "-e", source, "--graph", path("long.svg")]);
    const svg = readFileSync(path("long.svg"), "utf8");
    const nodes = [
      ...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="40"/g),
    ].map((match) => match.slice(1).map(Number));
    const routes = [...svg.matchAll(/<path d="(M[^"]*)"/g)].map((match) => match[1]!);
    const long = routes.find((route) => route.split("C").length > 2) ?? "";
    const points = [...long.matchAll(/([\d.]+),([\d.]+)(?= C|$)/g)].map((match) =>
      match.slice(1).map(Number),
    );
    expect(points.length).toBeGreaterThan(2);
    for (const [x, y] of points.slice(1, -1)) {
      const isInside = nodes.some(
        ([left, top, width]) => x! > left! && x! < left! + width! && y! > top! && y! < top! + 40,
      );
      expect(isInside).toBe(false);
    }
  });

  test("labels of edges lie apart from one another and from the nodes", async () => {
    const source =
      "let s[head, query, key] = a[head, query, key] * 2.0; " +
      "let m[head, query] = max[key](s[head, query, key]); " +
      "let w[head, query, key] = s[head, query, key] - m[head, query]; " +
      "let t[head, query] = sum[key](w[head, query, key]); " +
      "let o[head, query] = sum[key](w[head, query, key] * s[head, query, key]) / t[head, " +
      "query];";
    await ein(["explain", "-e", source, "--graph", path("labels.svg")]);
    const svg = readFileSync(path("labels.svg"), "utf8");
    const labels = [
      ...svg.matchAll(
        /<text x="([\d.]+)" y="([\d.]+)" text-anchor="middle" font-size="11.5"[^>]*>([^<]*)</g,
      ),
    ];
    const nodes = [
      ...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="40"/g),
    ];
    const boxes = [
      ...labels.map(([, x, y, text]) => {
        const width = text!.length * 6.95;
        return {
          left: Number(x) - width / 2,
          right: Number(x) + width / 2,
          top: Number(y) - 10,
          bottom: Number(y) + 3,
        };
      }),
      ...nodes.map(([, x, y, width]) => {
        return {
          left: Number(x),
          right: Number(x) + Number(width),
          top: Number(y),
          bottom: Number(y) + 40,
        };
      }),
    ];
    expect(labels.length).toBe(8);
    for (const [k, a] of boxes.entries()) {
      for (const b of boxes.slice(k + 1)) {
        expect(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).toBe(
          false,
        );
      }
    }
  });

  test("a page wraps long lines, needs no network, and says what is summed again", async () => {
    const source = "let conv[o, i] = sum[c, k](x[c, i + k] * w[o, c, k]);";
    const { out } = await ein(["explain", "-e", source, "--of", "conv", "--wrt", "x", "--html"]);
    expect(out).toContain("white-space: pre-wrap");
    expect(out).toContain("restored: c; summed again: k");
    expect(out).not.toMatch(/https?:|<link|<script|<img|<iframe|@import|url\(/);
    const tex = await ein(["explain", "-e", source, "--of", "conv", "--wrt", "x", "--tex"]);
    expect(tex.out).toContain("restored $\\{c\\}$, summed again $\\{k\\}$");
    expect(tex.out).toContain("\\item Sum over $o,\\, k$:");
  });

  const words = [
    "explain",
    "-e",
    "let C[i, j] = sum[k](A[i, k] * B[k, j]);",
    "--of",
    "C",
    "--wrt",
    "A",
    "--cell",
    "1,0",
  ];

  test("LaTeX: formulas with indices, every brace and environment closed", async () => {
    const { out } = await ein([...words, "--tex"]);
    expect(out).toContain("\\bar{A}_{i,\\,k} = \\sum_{j} \\bar{C}_{i,\\,j} \\, B_{k,\\,j}");
    const bare = out.replace(/\\[{}]/g, "");
    expect(bare.split("{").length).toBe(bare.split("}").length);
    const opened = [...out.matchAll(/\\begin\{(\w+\*?)\}/g)].map((match) => match[1]).sort();
    expect([...out.matchAll(/\\end\{(\w+\*?)\}/g)].map((match) => match[1]).sort()).toEqual(opened);
  });

  test("a page: one file that loads nothing", async () => {
    const { out } = await ein([...words, "--html"]);
    expect(out).toMatch(/^<!doctype html>/);
    expect(out).not.toMatch(/<script|src=|href=|url\(|@import/);
    expect(out).toContain("<mark>A[i, k]</mark>");
    expect(out).toContain('<span class="chip path">j</span>');
    for (const tag of ["section", "table", "pre", "ol", "div"])
      expect(out.split(`<${tag}`).length, tag).toBe(out.split(`</${tag}>`).length);
  });

  test("the graph, as SVG and as DOT", async () => {
    const source = [
      "explain",
      "-e",
      "let h[0] = x; let h[t in 1..4] = h[t - 1] * W; let loss = h[3] ** 2; let g = @loss / @W;",
    ];
    expect(await ein([...source, "--graph", path("g.dot")])).toMatchObject({ code: 0, err: "" });
    const dot = readFileSync(path("g.dot"), "utf8");
    expect(dot).toContain('"h" -> "h" [label="t - 1"];');
    expect(dot).toContain('"loss" -> "g" [label="of"];');
    await ein([...source, "--graph", path("g.svg")]);
    expect(readFileSync(path("g.svg"), "utf8")).toMatch(
      /^<svg xmlns[\s\S]*>h\[t\]<[\s\S]*<\/svg>\n$/,
    );
    expect(await ein([...source, "--graph", path("g.pdf")])).toMatchObject({
      code: 2,
      err: expect.stringContaining(".svg"),
    });
  });

  test("a heat map, in characters, in colour and as a picture", async () => {
    const source = ["explain", "-e", "let m = [[0.0, 1.0], [-2.0, 0.5]];", "--heat", "m"];
    expect((await ein(source)).out).toBe(
      "m: f32 [2, 2], from -2.0 (-@) through 0 to 2.0 (+@)\n   .+*\n  -@+=\n",
    );
    const { out } = await ein(source, { terminal: true, env: { FORCE_COLOR: "1" } });
    expect(out).toContain("\u001b[48;2;37;99;235m  \u001b[0m");
    await ein([...source, "--save", path("m.png")]);
    expect(
      [...readFileSync(path("m.png")).subarray(1, 4)]
        .map((byte) => String.fromCharCode(byte))
        .join(""),
    ).toBe("PNG");
    expect(await ein([...source.slice(0, 3), "--heat", "n"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("E0884"),
    });
  });
});
