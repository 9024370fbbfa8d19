// The rows in TensorFlow.js on its WebAssembly backend: eager operations, gradients by its tape.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { serve } from "../serve.ts";

const require = createRequire(import.meta.url);

await serve(async () => {
  const imported = await import("@tensorflow/tfjs");
  const tf = imported.default ?? imported;
  const wasm = await import("@tensorflow/tfjs-backend-wasm");
  const module = require.resolve("@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm");
  (wasm.setWasmPaths ?? wasm.default.setWasmPaths)(`${dirname(module)}/`);
  await tf.setBackend("wasm");
  await tf.ready();
  const { version } = JSON.parse(
    readFileSync(require.resolve("@tensorflow/tfjs/package.json"), "utf8"),
  );
  const rows = rowsIn(tf);
  return {
    versions: { tfjs: version },
    prepare(task, inputs) {
      const row = rows[task.id.replace(/^gemm-\d+$/, "gemm")];
      if (!row) return undefined;
      const given = Object.fromEntries(
        Object.entries(inputs).map(([name, { dtype, shape, data }]) => [
          name,
          tf.tensor(data, shape, dtype === "i32" ? "int32" : "float32"),
        ]),
      );
      return row(given, task);
    },
  };
});

function rowsIn(tf) {
  /** A row that keeps the tensors of its latest run. */
  const kept = (compute, show = (tensor) => tensor) => {
    let latest = [];
    return {
      run() {
        const results = tf.tidy(compute);
        tf.dispose(latest);
        latest = Array.isArray(results) ? results : [results];
        // Kernels run when they are called; only a read makes sure of it.
        latest[0].dataSync();
      },
      outputs: () => latest.map((tensor, at) => tf.tidy(() => show(tensor, at).dataSync())),
      release: () => tf.dispose(latest),
    };
  };

  /** Loss and new parameters; the parameters are variables that the step assigns to. */
  const training = (inputs, fixed, loss) => {
    const names = Object.keys(inputs).filter((name) => !fixed.includes(name));
    const variables = Object.fromEntries(names.map((name) => [name, tf.variable(inputs[name])]));
    const all = { ...inputs, ...variables };
    let value;
    return {
      run() {
        tf.tidy(() => {
          const { value: next, grads } = tf.variableGrads(
            () => loss(all),
            names.map((name) => variables[name]),
          );
          for (const name of names)
            variables[name].assign(variables[name].sub(grads[variables[name].name].mul(0.1)));
          value?.dispose();
          value = tf.keep(next);
        });
        value.dataSync();
      },
      outputs: () =>
        [value, ...names.map((name) => variables[name])].map((tensor) => tensor.dataSync()),
      release: () => names.forEach((name) => variables[name].dispose()),
    };
  };

  const crossEntropy = (z, label) =>
    tf.sub(tf.logSumExp(z, -1), tf.sum(tf.mul(z, tf.oneHot(label, z.shape.at(-1))), -1)).mean();
  const mlpLoss = ({ x, label, W1, b1, W2, b2 }) =>
    crossEntropy(x.matMul(W1).add(b1).relu().matMul(W2).add(b2), label);

  // Only channels-last convolutions have kernels.
  const last = (image) => image.transpose([0, 2, 3, 1]);
  const first = (image) => image.transpose([0, 3, 1, 2]);
  const showConv = (tensor, at) => (at === 1 ? tensor.transpose([3, 2, 0, 1]) : first(tensor));
  const convolution = (parts) => (inputs) => {
    const image = last(inputs.image);
    const kernel = inputs.kernel.transpose([2, 3, 1, 0]);
    const weight = last(inputs.weight);
    return kept(() => {
      const feature = tf.conv2d(image, kernel, 1, "same");
      const results = [feature];
      // The backend has no kernel for the filter's gradient: it is a convolution of the image with
      // the cotangent.
      if (parts.includes("kernel")) {
        const border = [
          [0, 0],
          [1, 1],
          [1, 1],
          [0, 0],
        ];
        const back = tf.conv2d(
          image.transpose([3, 1, 2, 0]),
          weight.transpose([1, 2, 0, 3]),
          1,
          border,
        );
        results.push(back.transpose([1, 2, 0, 3]));
      }
      if (parts.includes("image"))
        results.push(tf.conv2dTranspose(weight, kernel, image.shape, 1, "same"));
      return results;
    }, showConv);
  };

  const layerNorm = (x, scale, shift) => {
    const centred = x.sub(x.mean(-1, true));
    return centred
      .mul(tf.rsqrt(centred.square().mean(-1, true).add(1e-5)))
      .mul(scale)
      .add(shift);
  };
  const norm = (x, scale, shift) => layerNorm(tf.softmax(x), scale, shift);

  const rnnLoss = (x, Wx, Wh, b) => {
    const [time, batch, width] = x.shape;
    const steps = tf.unstack(
      x
        .reshape([time * batch, width])
        .matMul(Wx)
        .add(b)
        .reshape([time, batch, width]),
    );
    let h = tf.zeros([batch, width]);
    let loss = tf.scalar(0);
    for (const step of steps) {
      h = tf.tanh(step.add(h.matMul(Wh)));
      loss = loss.add(h.square().sum());
    }
    return loss.mul(0.5);
  };

  const attend = (Q, K, V) =>
    tf.matMul(tf.softmax(tf.matMul(Q, K, false, true).mul(Q.shape.at(-1) ** -0.5)), V);

  // The backend has no kernel for the gradient that the library gives to a lookup; this one is the
  // same sum.
  const lookUp = (token) =>
    tf.customGrad((table) => ({
      value: tf.gather(table, token),
      gradFunc: (back) => tf.scatterND(token.expandDims(1), back, table.shape),
    }));

  /**
   * `token` and `target` are flat: what a lookup's gradient reads has to live as long as the row.
   */
  const transformerLoss = ({ token, target, ...P }) => {
    const [place] = P.position.shape;
    const batch = token.size / place;
    const [layers, d, head, depth] = P.Wq.shape;
    const hidden = P.W1.shape[2];
    const flat = (x) => x.reshape([batch * place, d]);
    const layer = (name, l, shape) => P[name].slice([l], [1]).reshape(shape);
    const causal = tf.linalg
      .bandPart(tf.ones([place, place]), -1, 0)
      .sub(1)
      .mul(1e30);
    let x = lookUp(token)(P.table).reshape([batch, place, d]).add(P.position);
    for (let l = 0; l < layers; l++) {
      const calm = layerNorm(x, layer("scale1", l, [d]), layer("shift1", l, [d]));
      const heads = (name) =>
        flat(calm)
          .matMul(layer(name, l, [d, head * depth]))
          .reshape([batch, place, head, depth])
          .transpose([0, 2, 1, 3]);
      const score = tf
        .matMul(heads("Wq"), heads("Wk"), false, true)
        .mul(depth ** -0.5)
        .add(causal);
      const read = tf.matMul(tf.softmax(score), heads("Wv")).transpose([0, 2, 1, 3]);
      x = x.add(
        read
          .reshape([batch * place, head * depth])
          .matMul(layer("Wo", l, [head * depth, d]))
          .reshape([batch, place, d]),
      );
      const calm2 = layerNorm(x, layer("scale2", l, [d]), layer("shift2", l, [d]));
      const z = flat(calm2)
        .matMul(layer("W1", l, [d, hidden]))
        .add(layer("b1", l, [hidden]));
      const gelu = z.mul(0.5).mul(tf.erf(z.mul(Math.SQRT1_2)).add(1));
      x = x.add(
        gelu
          .matMul(layer("W2", l, [hidden, d]))
          .add(layer("b2", l, [d]))
          .reshape([batch, place, d]),
      );
    }
    return crossEntropy(flat(x).matMul(P.table, false, true), target);
  };

  const heatStep = (u) => {
    const n = u.size;
    const inner = u.slice(1, n - 2);
    const change = u
      .slice(0, n - 2)
      .add(u.slice(2, n - 2))
      .sub(inner.mul(2))
      .mul(0.25);
    return tf.concat([u.slice(0, 1), inner.add(change), u.slice(n - 1, 1)]);
  };

  return {
    gemm: ({ A, B }) => kept(() => tf.matMul(A, B)),
    "batched-matmul": ({ A, B }) => kept(() => tf.matMul(A, B)),
    "tiny-both": ({ x, weight }) =>
      kept(() => {
        let y;
        const grad = tf.grad((given) => (y = tf.keep(given.mul(weight))))(x);
        return [y, grad];
      }),
    tiny: ({ x }) => kept(() => x.mul(1.3).add(0.1)),
    "tanh-chain": ({ x }) => kept(() => x.mul(1.3).add(0.1).tanh().mul(0.7)),
    sum: ({ x }) => kept(() => x.sum()),
    "mlp-forward": (inputs) => kept(() => mlpLoss(inputs)),
    "mlp-step": (inputs) => training(inputs, ["x", "label"], mlpLoss),
    "conv-forward": convolution([]),
    "conv-weight": convolution(["kernel"]),
    "conv-both": convolution(["kernel", "image"]),
    "norm-forward": ({ x, scale, shift }) => kept(() => norm(x, scale, shift)),
    "norm-both": ({ x, scale, shift, weight }) =>
      kept(() => {
        let y;
        const loss = (...given) => {
          y = tf.keep(norm(...given));
          return y.mul(weight).sum();
        };
        const { grads } = tf.valueAndGrads(loss)([x, scale, shift]);
        return [y, ...grads];
      }),
    "rnn-forward": ({ x, Wx, Wh, b }) => kept(() => rnnLoss(x, Wx, Wh, b)),
    "rnn-both": ({ x, Wx, Wh, b }) =>
      kept(() => {
        const { value, grads } = tf.valueAndGrads((...weights) => rnnLoss(x, ...weights))([
          Wx,
          Wh,
          b,
        ]);
        return [value, ...grads];
      }),
    heat: ({ start, steps }) => {
      const [count] = steps.dataSync();
      return kept(() => {
        let u = start.clone();
        for (let step = 0; step < count; step++) {
          const next = tf.tidy(() => heatStep(u));
          u.dispose();
          u = next;
        }
        return u;
      });
    },
    "attention-forward": ({ Q, K, V }) => kept(() => attend(Q, K, V)),
    "attention-both": ({ Q, K, V, weight }) =>
      kept(() => {
        let read;
        const loss = (...given) => {
          read = tf.keep(attend(...given));
          return read.mul(weight).sum();
        };
        const { grads } = tf.valueAndGrads(loss)([Q, K, V]);
        return [read, ...grads];
      }),
    "transformer-forward": ({ token, target, ...P }) => {
      const given = { token: token.flatten(), target: target.flatten(), ...P };
      return kept(() => transformerLoss(given));
    },
    "transformer-step": ({ token, target, ...P }) =>
      training(
        { token: token.flatten(), target: target.flatten(), ...P },
        ["token", "target"],
        transformerLoss,
      ),
    "embedding-forward": ({ table, token, weight }) =>
      kept(() => tf.gather(table, token).mul(weight).sum()),
    embedding: ({ table, token, weight }) =>
      kept(() => {
        const { value, grad } = tf.valueAndGrad((given) => lookUp(token)(given).mul(weight).sum())(
          table,
        );
        return [value, grad];
      }),
    "prefix-sums": ({ x }) => kept(() => tf.cumsum(x)),
  };
}
