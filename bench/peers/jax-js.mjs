// The rows in jax-js on its WebAssembly backend: functions under `jit`, gradients by
// `valueAndGrad`. An operation takes its operands' memory unless it is given a `.ref` of them.

import { readFileSync } from "node:fs";
import { resolveObjectURL } from "node:buffer";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { serve } from "../serve.ts";

const threads = Number(process.env.EIN_BENCH_THREADS ?? 1);

await serve(async () => {
  offerWorkers();
  const jax = await import("@jax-js/jax");
  await jax.init("wasm");
  jax.defaultDevice("wasm");
  const manifest = createRequire(import.meta.url)
    .resolve("@jax-js/jax")
    .replace(/(.*@jax-js\/jax\/).*/, "$1package.json");
  const rows = rowsIn(jax);
  return {
    versions: {
      "jax-js": JSON.parse(readFileSync(manifest, "utf8")).version,
      "node (jax-js)": process.versions.node,
    },
    async prepare(task, inputs) {
      const row = rows[task.id.replace(/^gemm-\d+$/, "gemm")];
      if (!row) return undefined;
      const given = Object.entries(inputs).map(([name, { dtype, shape, data }]) => [
        name,
        jax.numpy
          .array(data, { dtype: dtype === "i32" ? jax.numpy.int32 : jax.numpy.float32 })
          .reshape([...shape]),
      ]);
      await jax.blockUntilReady(given.map(([, array]) => array));
      return row(Object.fromEntries(given), inputs);
    },
  };
});

/** jax-js takes its threads from the browser's `Worker`: this is one, out of Node's. */
function offerWorkers() {
  Object.defineProperty(globalThis, "navigator", {
    value: { hardwareConcurrency: threads },
    configurable: true,
  });
  if (threads === 1) return;
  const prelude = `const { parentPort } = require("node:worker_threads");
globalThis.self = globalThis;
globalThis.postMessage = (message) => parentPort.postMessage(message);
parentPort.on("message", (data) => self.onmessage({ data }));\n`;
  globalThis.Worker = class {
    #waiting = [];
    #worker;
    constructor(address) {
      void resolveObjectURL(address)
        .text()
        .then((source) => {
          this.#worker = new Worker(prelude + source, { eval: true });
          this.#worker.on("message", (data) => this.onmessage?.({ data }));
          this.#worker.on("error", (failure) => this.onerror?.(failure));
          for (const message of this.#waiting) this.#worker.postMessage(message);
        });
    }
    postMessage(message) {
      if (this.#worker) this.#worker.postMessage(message);
      else this.#waiting.push(message);
    }
    terminate() {
      void this.#worker?.terminate();
    }
  };
}

function rowsIn({ numpy: np, jit, grad, valueAndGrad, lax, nn, blockUntilReady }) {
  const refs = (given) => given.map((array) => array.ref);
  const flat = (result) => (Array.isArray(result) ? result.flatMap(flat) : [result]);
  const dispose = (result) => flat(result).forEach((array) => array.dispose());

  /** A row that keeps the arrays of its latest run. */
  const kept = (compute) => {
    let latest = [];
    return {
      async run() {
        const results = flat(await compute());
        dispose(latest);
        latest = results;
        await blockUntilReady(latest);
      },
      outputs: () => Promise.all(latest.map((array) => array.ref.data())),
      release: () => dispose(latest),
    };
  };
  const compiled = (compute, ...given) => {
    const compiledOnce = jit(compute);
    return kept(() => compiledOnce(...refs(given)));
  };

  /** Loss and new parameters, which take the place of the old ones. */
  const training = (loss, parameters, ...fixed) => {
    const step = jit((P, ...given) => {
      const [value, grads] = valueAndGrad(loss)(refs(P), ...given);
      return [value, P.map((parameter, at) => parameter.sub(grads[at].mul(0.1)))];
    });
    let P = parameters;
    let value;
    return {
      async run() {
        const [next, updated] = step(P, ...refs(fixed));
        value?.dispose();
        [value, P] = [next, updated];
        await blockUntilReady([value, ...P]);
      },
      outputs: () => Promise.all([value, ...P].map((array) => array.ref.data())),
      release: () => dispose([value, ...P]),
    };
  };

  const oneHot = (label, classes) => {
    const cells = new Float32Array(label.data.length * classes);
    label.data.forEach((at, row) => (cells[row * classes + at] = 1));
    return np.array(cells).reshape([label.data.length, classes]);
  };
  const crossEntropy = (z, y) => {
    const [batch] = z.shape;
    return nn
      .logSoftmax(z)
      .mul(y)
      .sum()
      .mul(-1 / batch);
  };
  const mlpLoss = ([W1, b1, W2, b2], x, y) =>
    crossEntropy(np.matmul(nn.relu(np.matmul(x, W1).add(b1)), W2).add(b2), y);
  const mlp = ({ x, W1, b1, W2, b2 }, { label, b2: classes }) => ({
    P: [W1, b1, W2, b2],
    x,
    y: oneHot(label, classes.data.length),
  });

  const convolve = (image, kernel) => lax.conv(image, kernel, [1, 1], "SAME");
  /** The weighted sum of a result, beside the result itself. */
  const weighted = (result, weight) => [result.ref.mul(weight).sum(), result];
  /** The result and its gradients for the first of the arrays given, out of one forward pass. */
  const bothWays =
    (compute, argnums) =>
    (...given) => {
      const loss = (...each) => weighted(compute(...each.slice(0, -1)), each.at(-1));
      const [grads, result] = grad(loss, { argnums, hasAux: true })(...given);
      return [result, ...grads];
    };

  const layerNorm = (x, scale, shift) => {
    const centred = x.ref.sub(x.mean(-1, { keepdims: true }));
    const spread = np.sqrt(np.square(centred.ref).mean(-1, { keepdims: true }).add(1e-5));
    return centred.div(spread).mul(scale).add(shift);
  };
  const norm = (x, scale, shift) => layerNorm(nn.softmax(x, -1), scale, shift);

  const rnnLoss = ([Wx, Wh, b], x) => {
    const [time, batch, width] = x.shape;
    const xw = np
      .matmul(x.reshape([time * batch, width]), Wx)
      .add(b)
      .reshape([time, batch, width]);
    let h = np.zeros([batch, width]);
    let loss;
    for (let t = 0; t < time; t++) {
      h = np.tanh(xw.ref.slice(t).add(np.matmul(h, Wh.ref)));
      const square = np.square(h.ref).sum();
      loss = loss ? loss.add(square) : square;
    }
    dispose([h, xw, Wh]);
    return loss.mul(0.5);
  };

  const heatStep = (u) => {
    const n = u.shape[0];
    const inner = u.ref.slice([1, n - 1]);
    const around = u.ref.slice([0, n - 2]).add(u.ref.slice([2, n]));
    const next = inner.ref.add(around.sub(inner.mul(2)).mul(0.25));
    return np.concatenate([u.ref.slice([0, 1]), next, u.slice([n - 1, n])]);
  };

  const attend = (Q, K, V) => {
    const scale = Q.shape.at(-1) ** -0.5;
    return np.matmul(nn.softmax(np.matmul(Q, np.swapaxes(K, 1, 2)).mul(scale), -1), V);
  };

  // Under `jit`, the gradient of a lookup wants its positions at once: the lookup is a product with
  // a one-hot matrix.
  const transformerLoss = (P, hot, y, causal) => {
    const [table, position, Wq, Wk, Wv, Wo, scale1, shift1, W1, b1, W2, b2, scale2, shift2] = P;
    const [layers, d, head, depth] = Wq.shape;
    const [place] = position.shape;
    const batch = hot.shape[0] / place;
    const layer = (array, l, shape) => array.ref.slice(l).reshape(shape);
    let x = np.matmul(hot, table.ref).reshape([batch, place, d]).add(position);
    for (let l = 0; l < layers; l++) {
      const calm = layerNorm(x.ref, layer(scale1, l, [d]), layer(shift1, l, [d])).reshape([
        batch * place,
        d,
      ]);
      const heads = (W) =>
        np
          .matmul(calm.ref, layer(W, l, [d, head * depth]))
          .reshape([batch, place, head, depth])
          .transpose([0, 2, 1, 3]);
      const score = np
        .matmul(heads(Wq), np.swapaxes(heads(Wk), 2, 3))
        .mul(depth ** -0.5)
        .add(causal.ref);
      const read = np.matmul(nn.softmax(score, -1), heads(Wv)).transpose([0, 2, 1, 3]);
      calm.dispose();
      const joined = np.matmul(
        read.reshape([batch * place, head * depth]),
        layer(Wo, l, [head * depth, d]),
      );
      x = x.add(joined.reshape([batch, place, d]));
      const calm2 = layerNorm(x.ref, layer(scale2, l, [d]), layer(shift2, l, [d])).reshape([
        batch * place,
        d,
      ]);
      const z = np
        .matmul(calm2, layer(W1, l, W1.shape.slice(1)))
        .add(layer(b1, l, b1.shape.slice(1)));
      const thought = np.matmul(
        nn.gelu(z, { approximate: false }),
        layer(W2, l, W2.shape.slice(1)),
      );
      x = x.add(thought.add(layer(b2, l, [d])).reshape([batch, place, d]));
    }
    dispose([Wq, Wk, Wv, Wo, scale1, shift1, W1, b1, W2, b2, scale2, shift2, causal]);
    return crossEntropy(np.matmul(x.reshape([batch * place, d]), table.transpose()), y);
  };
  const transformer = ({ token: _token, target: _target, ...P }, { token, target, table }) => {
    const [, place] = token.shape;
    const [words] = table.shape;
    const mask = Float32Array.from({ length: place * place }, (_, at) =>
      at % place > Math.floor(at / place) ? -1e30 : 0,
    );
    const causal = np.array(mask).reshape([place, place]);
    return training(
      transformerLoss,
      Object.values(P),
      oneHot(token, words),
      oneHot(target, words),
      causal,
    );
  };

  const embeddingLoss = (table, token, weight) => table.slice(token).mul(weight).sum();

  let serial = 0;
  const fresh = (x, W, b) => {
    const seed = serial++;
    const loss = ([W, b], x) => {
      const layer = (v, W, b) => np.tanh(np.matmul(v, W).add(b));
      const p = nn.softmax(layer(layer(x, W.ref, b.ref), W, b), -1);
      const [time] = p.shape;
      let s;
      const powers = [];
      for (let t = 0; t < time; t++) {
        const row = p.ref.slice(t);
        s = s ? s.mul(0.5).add(row) : row;
        powers.push(np.square(s.ref).sum());
      }
      dispose([s, p]);
      const power = np.stack(powers);
      return power.ref.sum().div(np.max(power)).add(seed);
    };
    return jit((P, x) => valueAndGrad(loss)(P, x))(refs([W, b]), x.ref);
  };

  return {
    gemm: ({ A, B }) => compiled((a, b) => np.matmul(a, b), A, B),
    "batched-matmul": ({ A, B }) => compiled((a, b) => np.matmul(a, b), A, B),
    tiny: ({ x }) => compiled((x) => x.mul(1.3).add(0.1), x),
    "tanh-chain": ({ x }) => compiled((x) => np.tanh(x.mul(1.3).add(0.1)).mul(0.7), x),
    sum: ({ x }) => compiled((x) => x.sum(), x),
    "mlp-forward": (inputs, raw) => {
      const { P, x, y } = mlp(inputs, raw);
      const loss = jit(mlpLoss);
      return kept(() => loss(refs(P), x.ref, y.ref));
    },
    "mlp-step": (inputs, raw) => {
      const { P, x, y } = mlp(inputs, raw);
      return training(mlpLoss, P, x, y);
    },
    "conv-forward": ({ image, kernel }) => compiled(convolve, image, kernel),
    "conv-weight": ({ image, kernel, weight }) =>
      compiled(bothWays(convolve, [1]), image, kernel, weight),
    "conv-both": ({ image, kernel, weight }) =>
      compiled(bothWays(convolve, [1, 0]), image, kernel, weight),
    "norm-forward": ({ x, scale, shift }) => compiled(norm, x, scale, shift),
    "norm-both": ({ x, scale, shift, weight }) =>
      compiled(bothWays(norm, [0, 1, 2]), x, scale, shift, weight),
    "rnn-forward": ({ x, Wx, Wh, b }) => compiled((x, ...P) => rnnLoss(P, x), x, Wx, Wh, b),
    "rnn-both": ({ x, Wx, Wh, b }) =>
      compiled((x, ...P) => valueAndGrad(rnnLoss)(P, x), x, Wx, Wh, b),
    heat: ({ start }, { steps }) => {
      const step = jit(heatStep);
      return kept(() => {
        let u = start.ref;
        for (let t = 0; t < steps.data[0]; t++) u = step(u);
        return u;
      });
    },
    "attention-forward": ({ Q, K, V }) => compiled(attend, Q, K, V),
    "attention-both": ({ Q, K, V, weight }) =>
      compiled(bothWays(attend, [0, 1, 2]), Q, K, V, weight),
    "transformer-step": transformer,
    "embedding-forward": ({ table, token, weight }) =>
      compiled(embeddingLoss, table, token, weight),
    embedding: ({ table, token, weight }) =>
      compiled((...given) => valueAndGrad(embeddingLoss)(...given), table, token, weight),
    cholesky: ({ A }) => compiled((a) => lax.linalg.cholesky(a), A),
    "prefix-sums": ({ x }) => compiled((x) => np.cumsum(x), x),
    compile: ({ x, W, b }) => kept(() => fresh(x, W, b)),
  };
}
