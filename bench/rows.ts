// The rows of the benchmark. A row is one workload: its program, its data, its outputs, and the
// amount of its work.

import { fill, labels, positive, scalar, tokens, type Data } from "./data.ts";

export interface Row {
  readonly id: string;
  readonly title: string;
  /** The name of the file in `programs` with the Einlang of the row. */
  readonly program: string;
  readonly inputs: Readonly<Record<string, Data>>;
  /** The values to compute, in the order in which every contender returns them. */
  readonly outputs: readonly string[];
  /** Outputs that become inputs of the next run: the parameters of a training step. */
  readonly feedback: Readonly<Record<string, string>>;
  /** The number of additions and multiplications. An elementary function counts as one. */
  readonly flops: number;
  /**
   * The least number of bytes that come from memory or go to memory, if all values between stay in
   * the caches.
   */
  readonly bytes: number;
  /** The greatest accepted distance of two checksums, as a fraction of the magnitudes. */
  readonly tolerance: number;
  /** For a row that compiles in each run: the name of the constant that differs between runs. */
  readonly fresh?: string;
}

/**
 * `full` is timed. `small` is computed by tests and recordings, in milliseconds on the interpreter.
 */
export type Scale = "full" | "small";

const f32 = 4;

export function rowsAt(scale: Scale): readonly Row[] {
  const pick = <Sizes>(full: Sizes, small: Sizes): Sizes => (scale === "full" ? full : small);
  return [
    ...[64, 256, 512, 1024].map((n) => gemm(n, pick(n, 3 + (n % 7)))),
    tanhChain(pick(2 ** 24, 100)),
    sum(pick(2 ** 24, 100)),
    ...mlp(
      pick(
        { batch: 128, in: 784, hidden: 256, classes: 10 },
        { batch: 5, in: 6, hidden: 4, classes: 3 },
      ),
    ),
    ...convolution(
      pick(
        { batch: 8, channel: 16, side: 32, filter: 32 },
        { batch: 2, channel: 3, side: 5, filter: 4 },
      ),
    ),
    ...norm(pick({ rows: 1024, features: 1024 }, { rows: 6, features: 5 })),
    ...rnn(pick({ time: 256, batch: 16, width: 128 }, { time: 5, batch: 2, width: 3 })),
    heat(pick({ cells: 100_000, steps: 1000 }, { cells: 12, steps: 7 })),
    ...attention(pick({ heads: 8, places: 256, depth: 64 }, { heads: 2, places: 5, depth: 3 })),
    ...transformer(
      pick(
        { batch: 4, place: 64, d: 64, head: 4, depth: 16, hidden: 256, word: 512 },
        tinyTransformer,
      ),
    ),
    batchedMatmul(pick({ batch: 64, n: 128 }, { batch: 3, n: 4 })),
    ...embedding(
      pick({ word: 10_000, feature: 128, place: 8192 }, { word: 7, feature: 3, place: 11 }),
    ),
    cholesky(pick(256, 6)),
    prefixSums(pick(2 ** 22, 50)),
    tiny(10),
    ...tinyBoth(10),
    compileLatency(),
    {
      ...transformer(tinyTransformer)[1],
      id: "compile-transformer",
      title: "transformer and its gradients, from text to first result",
      flops: 0,
      bytes: 0,
      feedback: {},
      fresh: "rate",
    },
  ];
}

/** Pairs of rows that are one program without and with its gradients. */
export const withGradients: readonly { readonly without: string; readonly row: string }[] = [
  { without: "mlp-forward", row: "mlp-step" },
  { without: "conv-forward", row: "conv-weight" },
  { without: "conv-forward", row: "conv-both" },
  { without: "norm-forward", row: "norm-both" },
  { without: "rnn-forward", row: "rnn-both" },
  { without: "attention-forward", row: "attention-both" },
  { without: "transformer-forward", row: "transformer-step" },
  { without: "embedding-forward", row: "embedding" },
  { without: "tiny-forward", row: "tiny-both" },
];

type Described = Pick<Row, "id" | "title" | "program" | "inputs" | "outputs" | "flops" | "bytes"> &
  Partial<Row>;

function row(described: Described): Row {
  return { feedback: {}, tolerance: 1e-5, ...described };
}

function gemm(name: number, n: number): Row {
  return row({
    id: `gemm-${name}`,
    title: `GEMM ${name}`,
    program: "gemm",
    inputs: { A: fill([n, n], 1), B: fill([n, n], 2) },
    outputs: ["C"],
    flops: 2 * n ** 3,
    bytes: f32 * 3 * n ** 2,
  });
}

function tanhChain(n: number): Row {
  return row({
    id: "tanh-chain",
    title: "tanh(a x + b) c",
    program: "tanh-chain",
    inputs: { x: fill([n], 3, 6) },
    outputs: ["y"],
    flops: 4 * n,
    bytes: f32 * 2 * n,
  });
}

function sum(n: number): Row {
  return row({
    id: "sum",
    title: "sum",
    program: "sum",
    inputs: { x: fill([n], 3) },
    outputs: ["total"],
    flops: n,
    bytes: f32 * n,
    // The terms cancel to a five-hundredth of their magnitudes, and some peers add them in f32 one
    // after another.
    tolerance: 1e-3,
  });
}

function mlp(s: { batch: number; in: number; hidden: number; classes: number }): readonly Row[] {
  const first = 2 * s.batch * s.in * s.hidden;
  const second = 2 * s.batch * s.hidden * s.classes;
  const parameters = f32 * (s.in * s.hidden + s.hidden + s.hidden * s.classes + s.classes);
  const program = "mlp";
  const inputs = {
    x: fill([s.batch, s.in], 1),
    label: labels(s.batch, s.classes),
    W1: fill([s.in, s.hidden], 2, 0.1),
    b1: fill([s.hidden], 3, 0.1),
    W2: fill([s.hidden, s.classes], 4, 0.1),
    b2: fill([s.classes], 5, 0.1),
  };
  return [
    row({
      id: "mlp-forward",
      title: "MLP, forward",
      program,
      inputs,
      outputs: ["loss"],
      flops: first + second,
      bytes: f32 * s.batch * s.in + parameters,
    }),
    row({
      id: "mlp-step",
      title: "MLP, training step",
      program,
      inputs,
      ...trained(["W1", "b1", "W2", "b2"]),
      // The data needs no gradient. So the first layer has two products, and the second layer
      // three.
      flops: 2 * first + 3 * second,
      bytes: f32 * s.batch * s.in + 2 * parameters,
    }),
  ];
}

/** The outputs of a training step: the loss, and every parameter for the next step. */
function trained(parameters: readonly string[]): Pick<Row, "outputs" | "feedback"> {
  const outputs = ["loss", ...parameters.map((name) => `new_${name}`)];
  return { outputs, feedback: Object.fromEntries(parameters.map((name) => [`new_${name}`, name])) };
}

function convolution(s: {
  batch: number;
  channel: number;
  side: number;
  filter: number;
}): readonly Row[] {
  const image = s.batch * s.channel * s.side ** 2;
  const feature = s.batch * s.filter * s.side ** 2;
  const kernel = s.filter * s.channel * 9;
  const once = 2 * feature * s.channel * 9;
  const program = "convolution";
  const inputs = {
    image: fill([s.batch, s.channel, s.side, s.side], 1),
    kernel: fill([s.filter, s.channel, 3, 3], 2, 0.2),
    weight: fill([s.batch, s.filter, s.side, s.side], 3),
  };
  return [
    row({
      id: "conv-forward",
      title: "convolution, forward",
      program,
      inputs,
      outputs: ["feature"],
      flops: once,
      bytes: f32 * (image + kernel + feature),
    }),
    row({
      id: "conv-weight",
      title: "convolution, forward + kernel gradient",
      program,
      inputs,
      outputs: ["feature", "d_kernel"],
      flops: 2 * once,
      bytes: f32 * (image + 2 * kernel + 2 * feature),
    }),
    row({
      id: "conv-both",
      title: "convolution, forward + both gradients",
      program,
      inputs,
      outputs: ["feature", "d_kernel", "d_image"],
      flops: 3 * once,
      bytes: f32 * (2 * image + 2 * kernel + 2 * feature),
    }),
  ];
}

function norm(s: { rows: number; features: number }): readonly Row[] {
  const program = "norm";
  const inputs = {
    x: fill([s.rows, s.features], 1, 4),
    scale: fill([s.features], 2),
    shift: fill([s.features], 3),
    weight: fill([s.rows, s.features], 4),
  };
  const cells = s.rows * s.features;
  return [
    row({
      id: "norm-forward",
      title: "softmax + layer norm, forward",
      program,
      inputs,
      outputs: ["y"],
      flops: 12 * cells,
      bytes: f32 * 2 * cells,
    }),
    row({
      id: "norm-both",
      title: "softmax + layer norm, both ways",
      program,
      inputs,
      outputs: ["y", "d_x", "d_scale", "d_shift"],
      flops: 30 * cells,
      bytes: f32 * 4 * cells,
    }),
  ];
}

function rnn(s: { time: number; batch: number; width: number }): readonly Row[] {
  const states = s.time * s.batch * s.width;
  const product = 2 * states * s.width;
  const program = "rnn";
  const inputs = {
    x: fill([s.time, s.batch, s.width], 1),
    Wx: fill([s.width, s.width], 2, 0.3),
    Wh: fill([s.width, s.width], 3, 0.3),
    b: fill([s.width], 4, 0.1),
  };
  return [
    row({
      id: "rnn-forward",
      title: "RNN, forward",
      program,
      inputs,
      outputs: ["loss"],
      flops: 2 * product,
      bytes: f32 * states,
      // Some peers add half a million squares in f32 one after another.
      tolerance: 1e-3,
    }),
    row({
      id: "rnn-both",
      title: "RNN, both ways",
      program,
      inputs,
      outputs: ["loss", "d_Wx", "d_Wh", "d_b"],
      flops: 5 * product,
      bytes: f32 * 2 * states,
    }),
  ];
}

function heat(s: { cells: number; steps: number }): Row {
  return row({
    id: "heat",
    title: "heat equation",
    program: "heat",
    inputs: { start: fill([s.cells], 5), steps: scalar(s.steps) },
    outputs: ["end"],
    flops: 4 * s.cells * s.steps,
    bytes: f32 * 2 * s.cells,
  });
}

function attention(s: { heads: number; places: number; depth: number }): readonly Row[] {
  const cells = s.heads * s.places * s.depth;
  const products = 4 * cells * s.places;
  const program = "attention";
  const shape = [s.heads, s.places, s.depth];
  const inputs = {
    Q: fill(shape, 1, 2),
    K: fill(shape, 2, 2),
    V: fill(shape, 3),
    weight: fill(shape, 4),
  };
  return [
    row({
      id: "attention-forward",
      title: "attention, forward",
      program,
      inputs,
      outputs: ["read"],
      flops: products,
      bytes: f32 * 4 * cells,
    }),
    row({
      id: "attention-both",
      title: "attention, both ways",
      program,
      inputs,
      outputs: ["read", "d_Q", "d_K", "d_V"],
      flops: 3 * products,
      bytes: f32 * 8 * cells,
    }),
  ];
}

const tinyTransformer: TransformerSizes = {
  batch: 2,
  place: 18,
  d: 6,
  head: 2,
  depth: 3,
  hidden: 5,
  word: 7,
};

interface TransformerSizes {
  readonly batch: number;
  readonly place: number;
  readonly d: number;
  readonly head: number;
  readonly depth: number;
  readonly hidden: number;
  readonly word: number;
}

function transformer(s: TransformerSizes): readonly [forward: Row, step: Row] {
  const layers = 2;
  const parameters = {
    table: fill([s.word, s.d], 1, 0.3),
    position: fill([s.place, s.d], 2, 0.3),
    Wq: fill([layers, s.d, s.head, s.depth], 3, 0.3),
    Wk: fill([layers, s.d, s.head, s.depth], 4, 0.3),
    Wv: fill([layers, s.d, s.head, s.depth], 5, 0.3),
    Wo: fill([layers, s.head, s.depth, s.d], 6, 0.3),
    scale1: fill([layers, s.d], 7, 0.2, 1),
    shift1: fill([layers, s.d], 8, 0.2),
    W1: fill([layers, s.d, s.hidden], 9, 0.3),
    b1: fill([layers, s.hidden], 10, 0.2),
    W2: fill([layers, s.hidden, s.d], 11, 0.3),
    b2: fill([layers, s.d], 12, 0.2),
    scale2: fill([layers, s.d], 13, 0.2, 1),
    shift2: fill([layers, s.d], 14, 0.2),
  };
  const seen = s.batch * s.place;
  const width = s.head * s.depth;
  // Only the causal half of the scores and of the weighted sums is needed.
  const attending = 4 * seen * s.d * width * 2 + 2 * seen * s.place * width;
  const forward = layers * (attending + 4 * seen * s.d * s.hidden) + 2 * seen * s.d * s.word;
  const cells = Object.values(parameters).reduce(
    (total, { shape }) => total + shape.reduce((a, b) => a * b, 1),
    0,
  );
  const program = "transformer";
  const inputs = {
    token: tokens([s.batch, s.place], s.word, 1),
    target: tokens([s.batch, s.place], s.word, 2),
    ...parameters,
  };
  return [
    row({
      id: "transformer-forward",
      title: "small transformer, forward",
      program,
      inputs,
      outputs: ["loss"],
      flops: forward,
      bytes: f32 * cells,
    }),
    row({
      id: "transformer-step",
      title: "small transformer, training step",
      program,
      inputs,
      ...trained(Object.keys(parameters)),
      flops: 3 * forward,
      bytes: f32 * 2 * cells,
    }),
  ];
}

function batchedMatmul(s: { batch: number; n: number }): Row {
  return row({
    id: "batched-matmul",
    title: "batched matmul",
    program: "batched-matmul",
    inputs: { A: fill([s.batch, s.n, s.n], 1), B: fill([s.batch, s.n, s.n], 2) },
    outputs: ["C"],
    flops: 2 * s.batch * s.n ** 3,
    bytes: f32 * 3 * s.batch * s.n ** 2,
  });
}

function embedding(s: { word: number; feature: number; place: number }): readonly Row[] {
  const program = "embedding";
  const inputs = {
    table: fill([s.word, s.feature], 1),
    token: tokens([s.place], s.word, 1),
    weight: fill([s.place, s.feature], 2),
  };
  // The loss is a sum of a million products of both signs.
  const tolerance = 1e-4;
  return [
    row({
      id: "embedding-forward",
      title: "embedding, forward",
      program,
      inputs,
      outputs: ["loss"],
      flops: 2 * s.place * s.feature,
      bytes: f32 * s.feature * 2 * s.place,
      tolerance,
    }),
    row({
      id: "embedding",
      title: "embedding, both ways",
      program,
      inputs,
      outputs: ["loss", "d_table"],
      flops: 3 * s.place * s.feature,
      // Rows of the table and of the weights are read. All rows of the table's gradient are
      // written, and the changed rows are read again.
      bytes: f32 * s.feature * (3 * s.place + s.word),
      tolerance,
    }),
  ];
}

function cholesky(n: number): Row {
  return row({
    id: "cholesky",
    title: `Cholesky ${n}`,
    program: "cholesky",
    inputs: { A: positive(n, 1) },
    outputs: ["L"],
    flops: n ** 3 / 3,
    bytes: f32 * 2 * n ** 2,
  });
}

function prefixSums(n: number): Row {
  return row({
    id: "prefix-sums",
    title: "prefix sums",
    program: "prefix-sums",
    inputs: { x: fill([n], 3) },
    outputs: ["total"],
    flops: n,
    bytes: f32 * 2 * n,
    // A running sum in f32 contains the rounding errors of all earlier cells.
    tolerance: 1e-3,
  });
}

function tiny(n: number): Row {
  return row({
    id: "tiny",
    title: "ten cells, one call",
    program: "tiny",
    inputs: { x: fill([n], 3) },
    outputs: ["y"],
    flops: 2 * n,
    bytes: f32 * 2 * n,
  });
}

function tinyBoth(n: number): readonly Row[] {
  const program = "tiny-both";
  const inputs = { x: fill([n], 3), weight: fill([n], 4) };
  return [
    row({
      id: "tiny-forward",
      title: "ten cells, forward",
      program,
      inputs,
      outputs: ["y"],
      flops: n,
      bytes: f32 * 3 * n,
    }),
    row({
      id: "tiny-both",
      title: "ten cells, forward and backward",
      program,
      inputs,
      outputs: ["y", "d_x"],
      flops: 2 * n,
      bytes: f32 * 4 * n,
    }),
  ];
}

function compileLatency(): Row {
  return row({
    id: "compile",
    title: "20 lines, from text to first result",
    program: "compile-latency",
    inputs: { x: fill([8, 6], 1), W: fill([6, 6], 2), b: fill([6], 3) },
    outputs: ["loss", "d_W", "d_b"],
    flops: 0,
    bytes: 0,
    // The gradient of a quotient is a difference of nearly equal terms.
    tolerance: 1e-4,
    fresh: "seed",
  });
}
