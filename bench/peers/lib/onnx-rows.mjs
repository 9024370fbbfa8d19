// The rows as ONNX graphs, for both builds of ONNX Runtime: what can be said as a forward pass.

import { model } from "./onnx.mjs";

/**
 * @returns {{ bytes: Uint8Array, inputs: readonly string[], outputs: Record<string, readonly
 * number[]> } | undefined}
 */
export function graphOf(id, inputs) {
  const row = rows[id.replace(/^gemm-\d+$/, "gemm")];
  if (!row) return undefined;
  const { nodes, outputs, constants, reads = Object.keys(inputs) } = row(inputs);
  const read = Object.fromEntries(reads.map((name) => [name, inputs[name]]));
  return { bytes: model(nodes, read, outputs, constants), inputs: reads, outputs };
}

const matmul = ({ A, B }) => ({
  nodes: [["MatMul", ["A", "B"], ["C"]]],
  outputs: { C: [...A.shape.slice(0, -1), B.shape.at(-1)] },
});

const rows = {
  gemm: matmul,
  "batched-matmul": matmul,
  "tanh-chain": ({ x }) => ({
    nodes: [
      ["Mul", ["x", "a"], ["t"]],
      ["Add", ["t", "b"], ["u"]],
      ["Tanh", ["u"], ["v"]],
      ["Mul", ["v", "c"], ["y"]],
    ],
    outputs: { y: x.shape },
    constants: { a: 1.3, b: 0.1, c: 0.7 },
  }),
  sum: () => ({
    nodes: [["ReduceSum", ["x"], ["total"], { keepdims: 0 }]],
    outputs: { total: [] },
  }),
  "mlp-forward": () => ({
    nodes: [
      ["Gemm", ["x", "W1", "b1"], ["g"]],
      ["Relu", ["g"], ["h"]],
      ["Gemm", ["h", "W2", "b2"], ["z"]],
      ["ReduceLogSumExp", ["z"], ["s"], { axes: [1], keepdims: 1 }],
      ["Unsqueeze", ["label", "last"], ["place"]],
      ["GatherElements", ["z", "place"], ["right"], { axis: 1 }],
      ["Sub", ["s", "right"], ["each"]],
      ["ReduceMean", ["each"], ["loss"], { keepdims: 0 }],
    ],
    outputs: { loss: [] },
    constants: { last: [1] },
  }),
  "conv-forward": ({ weight }) => ({
    nodes: [
      ["Conv", ["image", "kernel"], ["feature"], { kernel_shape: [3, 3], pads: [1, 1, 1, 1] }],
    ],
    outputs: { feature: weight.shape },
    reads: ["image", "kernel"],
  }),
  "norm-forward": ({ x }) => ({
    nodes: [
      ["Softmax", ["x"], ["p"], { axis: -1 }],
      ["LayerNormalization", ["p", "scale", "shift"], ["y"], { axis: -1, epsilon: { real: 1e-5 } }],
    ],
    outputs: { y: x.shape },
    reads: ["x", "scale", "shift"],
  }),
  "attention-forward": ({ Q }) => ({
    nodes: [
      ["Transpose", ["K"], ["KT"], { perm: [0, 2, 1] }],
      ["MatMul", ["Q", "KT"], ["similar"]],
      ["Mul", ["similar", "scale"], ["score"]],
      ["Softmax", ["score"], ["share"], { axis: -1 }],
      ["MatMul", ["share", "V"], ["read"]],
    ],
    outputs: { read: Q.shape },
    constants: { scale: Q.shape.at(-1) ** -0.5 },
    reads: ["Q", "K", "V"],
  }),
  "rnn-forward": ({ b }) => ({
    nodes: [
      ["Transpose", ["Wx"], ["WxT"], { perm: [1, 0] }],
      ["Transpose", ["Wh"], ["WhT"], { perm: [1, 0] }],
      ["Unsqueeze", ["WxT", "first"], ["W"]],
      ["Unsqueeze", ["WhT", "first"], ["R"]],
      ["Sub", ["b", "b"], ["none"]],
      ["Concat", ["b", "none"], ["biases"], { axis: 0 }],
      ["Unsqueeze", ["biases", "first"], ["B"]],
      ["RNN", ["x", "W", "R", "B"], ["h"], { hidden_size: b.shape[0] }],
      ["ReduceSumSquare", ["h"], ["square"], { keepdims: 0 }],
      ["Mul", ["square", "half"], ["loss"]],
    ],
    outputs: { loss: [] },
    constants: { first: [0], half: 0.5 },
  }),
  "prefix-sums": ({ x }) => ({
    nodes: [["CumSum", ["x", "along"], ["total"]]],
    outputs: { total: x.shape },
    constants: { along: [0] },
  }),
};
