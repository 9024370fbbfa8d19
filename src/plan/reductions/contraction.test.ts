// Tests which sums are contractions, and which coordinates are rows, columns, batch and depth.

import { describe, expect, test } from "vitest";
import { holds } from "../../../test/support/kernels.ts";
import { compile } from "../../driver/compile.ts";
import { contracted, contractedSteps, type Contraction } from "./contraction.ts";
import { fuse } from "../fuse.ts";
import { newHeard, type Heard } from "../print.ts";
import { sized, type Side } from "../regions/regions.ts";
import { asWritten, definitionOf, programOf, sizing } from "../../../test/support/plan.ts";

const data = `let a[b in 0..6, i in 0..7, k in 0..8] = (b + i + k) as f32;
  let w[b in 0..6, k in 0..8, j in 0..9] = (b * k + j) as f32;
  let x[c in 0..4, r in 0..10, s in 0..10] = (c + r + s) as f32;
  let f[o in 0..5, c in 0..4, p in 0..3, q in 0..3] = (o + c + p) as f32;`;

function found(definition: string): Contraction | undefined {
  const { definition: y, shape } = definitionOf(`${data} ${definition}`);
  return contracted(y, shape, sizing, 0)?.contractions?.all[0];
}

const names = (sides: readonly Side[]): string =>
  sides.map(({ variable }) => variable.name).join(" ");
const roles = ({ batch, rows, columns, depth }: Contraction): string =>
  [batch, rows, columns, depth].map(names).join(" | ");

describe("the coordinates of a contraction", () => {
  for (const [text, expected] of [
    ["let y[i, j] = sum[k](a[0, i, k] * w[0, k, j]);", " | i | j | k"],
    ["let y[j, i] = sum[k](a[0, i, k] * w[0, k, j]);", " | j | i | k"],
    ["let y[b, i, j] = sum[k](a[b, i, k] * w[b, k, j]);", "b | i | j | k"],
    ["let y[k, j] = sum[b, i](a[b, i, k] * w[b, k, j]);", "k | | j | b i"],
    [
      "let y[o, h in 0..8, v in 0..8] = sum[c, p, q](x[c, h + p, v + q] * f[o, c, p, q]);",
      " | o | h v | c p q",
    ],
    [
      "let y[o, c, p, q] = sum[h in 0..8, v in 0..8](x[c, h + p, v + q] * f[o, 0, h % 3, v % 3]);",
      " | o | c p q | h v",
    ],
  ] as const)
    test(text, () => {
      const contraction = found(text);
      if (expected.includes("| | ")) expect(contraction).toBeUndefined();
      else expect(roles(contraction!)).toBe(expected);
    });
});

describe("operands", () => {
  test("are read as they lie, wherever their indices are sums of coordinates", () => {
    const plain = found(
      "let y[o, h in 0..4, v in 0..4] = sum[c, p, " +
        "q](x[c, 9 - 2 * h - p, v + 2 * q] * f[o, c, p, q]);",
    )!;
    expect([plain.left.made, plain.right.made]).toEqual([undefined, undefined]);
  });

  test("under guards are made over as few coordinates as they have, with zeros around", () => {
    const padded = found(`let y[o, h in 0..10, v in 0..10] =
        sum[c, p, q](x[c, h + p - 1, v + q - 1] * f[o, c, p, q]
      where h + p >= 1, h + p < 11, v + q >= 1, v + q < 11);`)!;
    expect(padded.right.made!.shape).toEqual([4, 12, 12]);
    expect([padded.left.isMasked, padded.right.isMasked]).toEqual([false, true]);
  });

  test("that are expressions are made, and terms without them are not there", () => {
    const masked = found(
      "let y[i, j] = sum[k](if a[0, i, k] == 0.0 { 0.0 } else { a[0, i, k] * exp(w[0, k, j]) });",
    )!;
    expect([masked.left.isMasked, masked.left.made, masked.right.made!.shape]).toEqual([
      true,
      undefined,
      [8, 9],
    ]);
  });

  test("of sums without two sides, of other reductions and of ties are none", () => {
    expect(found("let y[i] = sum[k](a[0, i, k] * w[0, k, 0]);")).toBeUndefined();
    expect(found("let y[i, j] = max[k](a[0, i, k] * w[0, k, j]);")).toBeUndefined();
    expect(
      found(
        "let at[k in 0..8] = k % 7; let y[i in 0..7, j] = " +
          "sum[k](a[0, 0, k] * w[0, k, j] where at[k] == i);",
      ),
    ).toBeUndefined();
  });
});

describe("sums that only some of the cells have", () => {
  const layers = `let x[n in 0..9, i in 0..8] = sin((n * 5 + i) as f32);
    let w[l in 0..2, i in 0..8, j in 0..8] = cos((l + i * 3 + j) as f32);
    let h[n, j] = tanh(sum[i](x[n, i] * w[0, i, j])); let y[n, j] = sum[i](h[n, i] * w[1, i, j]);
    let loss = sum[n, j](y[n, j] ** 2); let g = @loss / @w;`;

  test("are multiplied out in their boxes", () => {
    const multiplied = (text: string, name: string): string => {
      const { program } = compile({ name: "test.ein", text });
      let heard: Heard | undefined;
      program!.run({
        get: [name],
        leastWork: 0,
        leastProducts: 0,
        hearing: (of, each) => (heard = newHeard(of, each)),
      });
      return heard!.text("multiply");
    };
    expect(multiplied(layers, "g").match(/^d_w.*: over n$/gm)).toHaveLength(2);
    const some =
      `${data} let y[l in 0..3, i, j] = if l == ` +
      "1 { sum[k](a[0, i, k] * w[0, k, j]) } else { (l + i + j) as f32 };";
    expect(multiplied(some, "y")).toContain("y: over k");
  });

  test("have the oracle's values", () => {
    holds(layers);
    holds(
      `${data} let y[l in 0..3, i, j] = if l == 1 { sum[k](a[0, i, k] * w[0, k, j]) } else ` +
        "{ (l + i + j) as f32 };",
    );
    holds(
      `${data} let y[l in 0..3, i, j] = if l == 1 { sum[k](a[0, i, k] * w[0, k, j]) } else ` +
        "{ sum[k](a[1, i, k] * w[2, k, j]) };",
    );
    holds(
      `${data} let y[i in 0..7, j in 0..9] = 1.0; ` +
        "let y[i in 2..6, j in 0..9] = sum[k](a[0, i, k] * w[0, k, j]);",
    );
  });
});

describe("the sums of a step", () => {
  const net = `let x[t in 0..12, b in 0..9, i in 0..8] = sin((t * 5 + b * 3 + i) as f32);
    let u[i in 0..8, j in 0..8] = 0.1 * cos((i * 3 + j) as f32);
    let v[i in 0..8, j in 0..8] = 0.1 * sin((i + 5 * j) as f32);
    let h[0, b in 0..9, j in 0..8] = 0.0;`;
  const steps = (value: string): string => `${net} let h[t in 1..12, b, j] = ${value};`;
  const both = steps("tanh(sum[i](x[t - 1, b, i] * u[i, j]) + sum[k](h[t - 1, b, k] * v[k, j]))");

  test("are all multiplied out, those after the first beside the step's cells", () => {
    const { program, schedules } = programOf(both);
    const definition = [...program.outputs.values()].find(
      (each) => each.definition.name === "h",
    )!.definition;
    const fused = fuse(
      program,
      schedules,
      { asked: undefined },
      (term) => term.constant,
      1e9,
      asWritten,
    );
    const whole = sized(definition, [12, 9, 8], { ...sizing, ...fused });
    const {
      steps: found,
      beside,
      rest,
    } = contractedSteps(whole, new Set([0]), Infinity, sizing.typeOf, 0)!;
    const targets = new Set(found.map(({ depth, target }) => `${names(depth)}: ${target.name}`));
    expect([...targets]).toEqual(["i: h", "k: h_totals"]);
    expect(beside.map(({ heldAt }) => heldAt)).toEqual([0]);
    expect(
      rest.regions.flatMap(({ cases }) => cases.flatMap(({ reductions }) => reductions)),
    ).toEqual([]);
  });

  test.each([
    ["added", both],
    [
      "multiplied",
      steps("sum[i](x[t - 1, b, i] * u[i, j]) * tanh(sum[k](h[t - 1, b, k] * v[k, j]))"),
    ],
    [
      "beside a third one and a product with a vector",
      steps(
        "tanh(sum[i](x[t - 1, b, i] * u[i, j]) + " +
          "sum[k](h[t - 1, b, k] * v[k, j]) - sum[k](h[t - 1, b, k] * u[j, k]) + " +
          "sum[i](x[t, b, i] * u[i, 0]))",
      ),
    ],
    [
      "of which one goes back further",
      steps(
        "tanh(sum[i](x[t - 1, b, i] * u[i, j]) + " +
          "(if t > 2 { sum[k](h[t - 2, b, k] * v[k, j]) } else { 0.0 }))",
      ),
    ],
    [
      "behind one that has no sides",
      steps(
        "tanh(max[i](x[t - 1, b, i]) + sum[k](h[t - 1, b, k] * v[k, j]) + " +
          "sum[i](x[t - 1, b, i] * u[i, j]))",
      ),
    ],
    [
      "within another recurrence",
      `${net} let g[0, t in 0..5, b in 0..9, j in 0..8] = 0.1;
        let g[n in 1..4, 0, b in 0..9, j in 0..8] = 0.2;
      let g[n in 1..4, t in 1..5, b in 0..9, j in 0..8] =
        tanh(sum[i](g[n - 1, t, b, i] * u[i, j]) + sum[k](g[n, t - 1, b, k] * v[k, j]));`,
    ],
    ["of which the last step is read", `${both} let last[b, j] = h[11, b, j];`],
  ])("%s have the oracle's values", (_, text) => {
    holds(text);
  });
});
