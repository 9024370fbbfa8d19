// The derivative of every scalar operation: at smooth points against differences, and at kinks
// against the rules of the language.

import { describe, expect, it } from "vitest";
import { operationNames, type OperationName } from "../../src/scalar/operations.ts";
import { agrees, agreesBesideKinks, close, messagesOf, valueOf } from "./testing.ts";

interface Row {
  /** The operation on x[i], and on y[i] and z[i] if it has more operands. */
  readonly call: string;
  /** The operands of points that are no kinks. */
  readonly smooth: readonly (readonly number[])[];
  /** The operands of kinks, and the slope by each operand that the language prescribes. */
  readonly kinks?: readonly {
    readonly at: readonly number[];
    readonly slopes: readonly number[];
  }[];
}

/**
 * The operation has no derivative, because its result is a bool or an integer, or a use as a number
 * is an error.
 */
type Ends = { readonly ends: string } | { readonly ofIntegers: string };

const rows: Record<OperationName, Row | Ends> = {
  add: {
    call: "x[i] + y[i]",
    smooth: [
      [0.3, -0.7],
      [0, 0],
      [2, 5],
    ],
  },
  subtract: {
    call: "x[i] - y[i]",
    smooth: [
      [0.3, -0.7],
      [0, 0],
      [2, 5],
    ],
  },
  multiply: {
    call: "x[i] * y[i]",
    smooth: [
      [0.3, -0.7],
      [0, 2],
      [0, 0],
      [2, 5],
    ],
  },
  divide: {
    call: "x[i] / y[i]",
    smooth: [
      [0.3, -0.7],
      [0, 2],
      [2, 5],
    ],
  },
  remainder: {
    call: "x[i] % y[i]",
    smooth: [
      [5.3, 2],
      [-5.3, 2],
      [5.3, -2],
      [-5.3, -2],
      [0.5, 2],
    ],
    kinks: [
      { at: [4, 2], slopes: [1, -2] },
      { at: [-4, 2], slopes: [1, 2] },
      { at: [0, 2], slopes: [1, 0] },
    ],
  },
  power: {
    call: "x[i] ** y[i]",
    smooth: [
      [1.3, 2],
      [0.4, -1.5],
      [2, 0.5],
      [1, 3],
    ],
    kinks: [
      { at: [2, 0], slopes: [0, Math.log(2)] },
      { at: [0, 0], slopes: [0, -Infinity] },
      { at: [0, 2], slopes: [0, 0] },
      { at: [0, 1], slopes: [1, 0] },
    ],
  },
  negate: { call: "-x[i]", smooth: [[0.3], [0], [-2]] },
  max: {
    call: "max(x[i], y[i])",
    smooth: [
      [1, 2],
      [2, 1],
      [-1, -3],
    ],
    kinks: [{ at: [1.5, 1.5], slopes: [1, 0] }],
  },
  min: {
    call: "min(x[i], y[i])",
    smooth: [
      [1, 2],
      [2, 1],
      [-1, -3],
    ],
    kinks: [{ at: [1.5, 1.5], slopes: [1, 0] }],
  },
  clamp: {
    call: "clamp(x[i], y[i], z[i])",
    smooth: [
      [0.5, 0, 1],
      [-0.5, 0, 1],
      [1.5, 0, 1],
    ],
    kinks: [
      { at: [0, 0, 1], slopes: [1, 0, 0] },
      { at: [1, 0, 1], slopes: [1, 0, 0] },
    ],
  },
  abs: { call: "abs(x[i])", smooth: [[0.3], [-2]], kinks: [{ at: [0], slopes: [0] }] },
  sign: { call: "sign(x[i])", smooth: [[0.3], [-2]], kinks: [{ at: [0], slopes: [0] }] },
  relu: { call: "relu(x[i])", smooth: [[0.3], [-2]], kinks: [{ at: [0], slopes: [0] }] },
  floor: { call: "floor(x[i])", smooth: [[0.3], [-2.5]], kinks: [{ at: [1], slopes: [0] }] },
  ceil: { call: "ceil(x[i])", smooth: [[0.3], [-2.5]], kinks: [{ at: [1], slopes: [0] }] },
  round: { call: "round(x[i])", smooth: [[0.3], [-2.4]], kinks: [{ at: [0.5], slopes: [0] }] },
  exp: { call: "exp(x[i])", smooth: [[0.3], [0], [-2]] },
  log: { call: "log(x[i])", smooth: [[0.3], [1], [5]] },
  sqrt: { call: "sqrt(x[i])", smooth: [[0.3], [1], [5]], kinks: [{ at: [0], slopes: [Infinity] }] },
  sin: { call: "sin(x[i])", smooth: [[0.3], [0], [-2]] },
  cos: { call: "cos(x[i])", smooth: [[0.3], [0], [-2]] },
  tan: { call: "tan(x[i])", smooth: [[0.3], [0], [-1]] },
  tanh: { call: "tanh(x[i])", smooth: [[0.3], [0], [-2], [40]] },
  sigmoid: { call: "sigmoid(x[i])", smooth: [[0.3], [0], [-2], [40], [-800]] },
  erf: { call: "erf(x[i])", smooth: [[0.3], [0], [-2]] },
  log1p: { call: "log1p(x[i])", smooth: [[0.3], [0], [-0.5]] },
  expm1: { call: "expm1(x[i])", smooth: [[0.3], [0], [-2]] },
  select: {
    call: "(if x[i] > 0.0 { x[i] * y[i] } else { y[i] ** 2 })",
    smooth: [
      [0.5, 2],
      [-0.5, 3],
    ],
    kinks: [{ at: [0, 3], slopes: [0, 6] }],
  },
  stop: { call: "stop(x[i])", smooth: [], kinks: [{ at: [0.3], slopes: [0] }] },
  not: { ends: "(!(x[i] > 0.1)) as f32" },
  and: { ends: "(x[i] > 0.1 && x[i] < 5.0) as f32" },
  or: { ends: "(x[i] > 0.1 || x[i] < 5.0) as f32" },
  equal: { ends: "(x[i] == 0.1) as f32" },
  notEqual: { ends: "(x[i] != 0.1) as f32" },
  less: { ends: "(x[i] < 0.1) as f32" },
  lessEqual: { ends: "(x[i] <= 0.1) as f32" },
  greater: { ends: "(x[i] > 0.1) as f32" },
  greaterEqual: { ends: "(x[i] >= 0.1) as f32" },
  uniform: { ofIntegers: "uniform(7, i) * x[i]" },
  normal: { ofIntegers: "normal(7, i) * x[i]" },
  randint: { ofIntegers: "randint(7, i, 1i32, 5i32) as f32 * x[i]" },
};

const operands = ["x", "y", "z"];

/** `sum[i](w[i] * op(x[i], …))`, with a request for each operand. */
function programOf(call: string, points: readonly (readonly number[])[]): string {
  const arity = points[0]!.length;
  const literal = (numbers: readonly number[]): string =>
    `[${numbers.map((x) => (Number.isInteger(x) ? `${x}.0` : String(x))).join(", ")}]`;
  const used = operands.slice(0, arity);
  return [
    ...used.map((name, k) => `let ${name} = ${literal(points.map((point) => point[k]!))};`),
    `let loss = sum[i]((1.0 + i as f32) * (${call}));`,
    ...used.map((name) => `let gradient_${name} = @loss / @${name};`),
  ].join("\n");
}

describe.each(operationNames)("%s", (name) => {
  const row = rows[name];
  if ("ends" in row) {
    it("is an error as a number on the path", () => {
      const text = `let x = [0.3, -0.7]; let loss = sum[i](x[i] * ${row.ends});
        let g = @loss / @x;`;
      const [message] = messagesOf(text);
      expect(message?.code).toBe("E0701");
      expect(message?.title).toMatch(/^gradient of .+ is not defined$/);
    });
    it("is fine as a condition", () => {
      const condition = row.ends.replace(/ as f32$/, "");
      agrees(
        `let x = [0.3, -0.7]; let loss = sum[i](if ${condition} { x[i] ** 2 } else ` +
          "{ 3 * x[i] }); let g = @loss / @x;",
      );
    });
    return;
  }
  if ("ofIntegers" in row) {
    it("is a constant", () => {
      agrees(`let x = [0.3, -0.7]; let loss = sum[i](${row.ofIntegers}); let g = @loss / @x;`);
    });
    return;
  }
  if (row.smooth.length > 0) {
    it("agrees with differences", () => {
      agrees(programOf(row.call, row.smooth));
    });
  }
  it.each(row.kinks ?? [])("at $at has the slopes $slopes", ({ at, slopes }) => {
    const text = programOf(row.call, [at]);
    // Differences ignore `stop`.
    if (name !== "stop") agreesBesideKinks(text);
    // Zeros of both signs count as equal slopes.
    for (const [k, slope] of slopes.entries())
      expect(valueOf(text, `gradient_${operands[k]}`)[0]! + 0).toBe(slope);
  });
});

it("names the arithmetic on an integer that carries a tangent", () => {
  const text =
    "fn near(v: f32) -> i32 { round(v) as i32 } @fn near(v: f32) { @v } let x = 1.3; " +
    "let k = near(x); let m = k + 1; let y = m as f32; let g = @y / @x;";
  expect(messagesOf(text).map(({ title }) => title)).toEqual(["gradient of `+` is not defined"]);
});

describe("nested operations", () => {
  it("names the operation that stops a derivative", () => {
    const title = (e: string): string | undefined =>
      messagesOf(`let x = [0.3, -0.7]; let loss = sum[i](x[i] * ${e}); let g = @loss / @x;`)[0]
        ?.title;
    expect(title("(x[i] > 0.1) as f32")).toBe("gradient of `>` is not defined");
    expect(title("(x[i] as i32) as f32")).toBe("gradient of the cast to i32 is not defined");
    expect(title("argmax[j](x[j]) as f32")).toBe("gradient of argmax is not defined");
    expect(title("argmin[j](x[j]) as f32")).toBe("gradient of argmin is not defined");
    expect(title("count[j](x[j] > 0) as f32")).toBe("gradient of count is not defined");
    expect(title("any[j](x[j] > 0) as f32")).toBe("gradient of any is not defined");
    expect(title("all[j](x[j] > 0) as f32")).toBe("gradient of all is not defined");
  });

  it("holds under `stop`", () => {
    const answers = agrees(
      "let x = [0.3, -0.7]; let loss = sum[i](x[i] * stop(argmax[j](x[j]) as f32 + 2)); " +
        "let g = @loss / @x;",
    );
    close(answers["x"], [2, 2]);
  });

  it("shares what a local computes", () => {
    agrees(
      "let x = [0.5, 2.0]; let y[i] = { let t = exp(x[i]); let u = t * t; u + t / u }; " +
        "let l = sum[i](y[i]); let g = @l / @x;",
    );
  });

  it("counts a value that is used twice, twice", () => {
    const { x } = agrees(
      "let x = [1.0, -2.0, 3.0]; let y[j in 0..4] = x[0] * x[0]; let l = sum[j](y[j]); " +
        "let g = @l / @x;",
    );
    close(x, [8, 0, 0]);
  });

  it("goes through casts between floats", () => {
    agrees(
      "let x = [0.5f64, 1.5]; let y[i] = x[i] as f32; let z[i] = y[i] * y[i] * 2; " +
        "let l = sum[i](z[i] as f64 * x[i]); let g = @l / @x;",
    );
    agrees(
      "let x = [0.5f16, 1.5]; let y[i] = x[i] * x[i] * (x[i] as f32) as f16; " +
        "let l = sum[i](y[i]); let g = @l / @x;",
    );
    agrees("let x = [0.5bf16, 1.5]; let l = sum[i](x[i] as f64 * 3.0f64); let g = @l / @x;");
  });
});
