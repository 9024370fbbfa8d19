// Gradients of eager operations against differences in f64, on random shapes, and second
// derivatives, which are pullbacks of pullbacks.

import { describe, expect, test } from "vitest";
import * as t from "../../src/tensor/index.ts";
import type { Tensor } from "../../src/tensor/index.ts";
import { uniform } from "../../src/scalar/random.ts";

type Drawn = (seed: number) => {
  readonly inputs: readonly Tensor[];
  readonly run: t.TensorFunction;
};

/** Numbers apart from each other and from the kinks at 0 and at whole numbers. */
const draw = (shape: readonly number[], seed: number, low = 0.2, high = 1.8): Tensor =>
  t
    .rand(shape, { seed, dtype: "f64" })
    .multiply(high - low)
    .add(low);
const extent = (seed: number, n: number): number => 1 + Math.floor(3 * uniform(seed, n));
const shapeOf = (seed: number, rank: number): readonly number[] =>
  Array.from({ length: rank }, (_, k) => extent(seed, k));

const unary =
  (f: (x: Tensor) => Tensor, rank = 2): Drawn =>
  (seed) => ({
    inputs: [draw(shapeOf(seed, rank), seed)],
    run: (x) => f(x),
  });
const binary =
  (f: (a: Tensor, b: Tensor) => Tensor): Drawn =>
  (seed) => {
    const shape = shapeOf(seed, 3);
    const stretched = shape.slice(seed % 2).map((n, k) => (uniform(seed, 10 + k) < 0.3 ? 1 : n));
    return { inputs: [draw(shape, seed), draw(stretched, seed + 1)], run: (a, b) => f(a, b) };
  };

const operations: Readonly<Record<string, Drawn>> = {
  negative: unary((x) => x.negative()),
  add: binary((a, b) => a.add(b)),
  subtract: binary((a, b) => a.subtract(b)),
  multiply: binary((a, b) => a.multiply(b)),
  divide: binary((a, b) => a.divide(b)),
  pow: binary((a, b) => a.pow(b)),
  maximum: binary((a, b) => a.maximum(b)),
  minimum: binary((a, b) => a.minimum(b)),
  exp: unary((x) => x.exp()),
  log: unary((x) => x.log()),
  sqrt: unary((x) => x.sqrt()),
  tanh: unary((x) => x.tanh()),
  sigmoid: unary((x) => x.sigmoid()),
  relu: unary((x) => x.subtract(1).relu()),
  abs: unary((x) => x.subtract(1).abs()),
  sin: unary((x) => x.sin()),
  cos: unary((x) => x.cos()),
  erf: unary((x) => x.erf()),
  gelu: unary((x) => x.gelu()),
  "gelu by tanh": unary((x) => x.gelu({ approximate: "tanh" })),
  clamp: unary((x) => x.clamp(0.5, 1.5)),
  where: unary((x) => t.where(x.greater(1), x.pow(2), x.pow(3))),
  sum: unary((x) => x.sum({ dim: [0, 2] }), 3),
  mean: unary((x) => x.mean({ dim: 1, keepdim: true }), 3),
  prod: unary((x) => x.prod({ dim: 0 })),
  max: unary((x) => x.max({ dim: 1 })),
  "max of all": unary((x) => x.max()),
  min: unary((x) => x.min()),
  logsumexp: unary((x) => x.logsumexp({ dim: 0 })),
  var: unary((x) => x.var({ correction: 0.5 })),
  softmax: unary((x) => x.softmax(0)),
  logSoftmax: unary((x) => x.logSoftmax(1), 3),
  matmul: (seed) => {
    const [b, n, k, m] = [0, 1, 2, 3].map((at) => extent(seed, at)) as [
      number,
      number,
      number,
      number,
    ];
    return { inputs: [draw([b, n, k], seed), draw([k, m], seed + 1)], run: (x, y) => x.matmul(y) };
  },
  einsum: (seed) => {
    const [i, j, k] = [0, 1, 2].map((at) => extent(seed, at)) as [number, number, number];
    return {
      inputs: [draw([i, j], seed), draw([j, k, i], seed + 1)],
      run: (x, y) => t.einsum("ij,jki->k", x, y),
    };
  },
  "other shapes": unary((x) =>
    t
      .concat([x.T.reshape(-1), x.flip(0).reshape(-1)])
      .unsqueeze(0)
      .expand(2, -1),
  ),
  pad: unary((x) =>
    x.pad(
      [
        [1, 0],
        [0, 2],
      ],
      3,
    ),
  ),
  index: unary((x) => x.get(t.tensor(Int32Array.of(0, 0)), t.slice(0, 1))),
  layerNorm: (seed) => {
    const [n, m] = [extent(seed, 0), 1 + extent(seed, 1)];
    return {
      inputs: [draw([n, m], seed), draw([m], seed + 1), draw([m], seed + 2)],
      run: (x, weight, bias) => t.layerNorm(x, [m], { weight, bias }),
    };
  },
  crossEntropy: (seed) => {
    const rows = extent(seed, 0);
    const classes = t.tensor(Int32Array.from({ length: rows }, (_, k) => k % 3));
    return { inputs: [draw([rows, 3], seed)], run: (x) => t.crossEntropy(x, classes) };
  },
  conv2d: (seed) => {
    const [channels, outs] = [extent(seed, 0), extent(seed, 1)];
    return {
      inputs: [
        draw([1, channels, 4, 3], seed),
        draw([outs, channels, 2, 2], seed + 1),
        draw([outs], seed + 2),
      ],
      run: (x, w, bias) => t.conv2d(x, w, { bias, stride: 1 + (seed % 2), padding: 1 }),
    };
  },
  maxPool2d: (seed) => ({ inputs: [draw([1, 2, 4, 4], seed)], run: (x) => t.maxPool2d(x, 2) }),
  embedding: (seed) => ({
    inputs: [draw([3, 2], seed)],
    run: (x) => t.embedding(x, t.tensor(Int32Array.of(2, 0, 2))),
  }),
  dropout: unary((x) => t.dropout(x, 0.5, 1)),
};

describe.each(Object.keys(operations))("%s", (name) => {
  test("gradients are what differences say", () => {
    for (const seed of [1, 2, 3]) {
      const { inputs, run } = operations[name]!(seed);
      expect(t.gradcheck(run, inputs)).toBe(true);
    }
  });

  test("so are gradients of gradients", () => {
    const { inputs, run } = operations[name]!(4);
    // The square makes the pullback depend on the inputs even for a linear operation.
    const slope: t.TensorFunction = (...xs) => {
      const value = run(...xs)
        .pow(2)
        .sum();
      return t.gradientsOf(value, undefined, { createGraph: true }).get(xs[0]!)!;
    };
    const { value } = t.vjp(slope, inputs);
    expect(value.shape).toEqual(inputs[0]!.shape);
    expect(gradcheckOfSlope(slope, inputs)).toBe(true);
  });
});

/** Differences evaluate without a record, but this function needs a record, so it makes its own. */
function gradcheckOfSlope(slope: t.TensorFunction, inputs: readonly Tensor[]): true {
  const recorded: t.TensorFunction = (...xs) =>
    t.enableGrad(() => slope(...xs.map((x) => (x.requiresGrad ? x : x.detach().requiresGrad_()))));
  return t.gradcheck(recorded, inputs, { tolerance: 1e-5 });
}
