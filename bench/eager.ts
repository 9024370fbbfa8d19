// The eager tensors of Einlang as a contender: the rows that people write with a recorded graph and
// `.backward()`.

import { pathToFileURL } from "node:url";
import { serve, type Prepared, type Tensor as Given } from "./serve.ts";
import type * as Eager from "../src/tensor/index.ts";

type Inputs = Readonly<Record<string, Eager.Tensor>>;
type Rows = Readonly<Record<string, (inputs: Inputs) => Prepared>>;

const { EIN_BENCH_ROOT: root = "." } = process.env;

await serve(async () => {
  const t = (await import(pathToFileURL(`${root}/dist/tensor.js`).href)) as typeof Eager;
  const rows = rowsIn(t);
  return {
    versions: {},
    prepare(task, inputs) {
      const given = Object.fromEntries(
        Object.entries(inputs).map(([name, { data, shape }]: [string, Given]) => [
          name,
          t.fromTypedArray(data, shape),
        ]),
      );
      return rows[task.id]?.(given);
    },
  };
});

function rowsIn(t: typeof Eager): Rows {
  /** A row that computes one tensor. */
  const forward = (compute: () => Eager.Tensor): Prepared => {
    let latest = compute();
    return { run: () => void (latest = compute()), outputs: () => [latest.data as Float32Array] };
  };
  /** A step of gradient descent on all inputs except the data. */
  const training = (
    inputs: Inputs,
    data: readonly string[],
    lossOf: (inputs: Inputs) => Eager.Tensor,
  ): Prepared => {
    const parameters = Object.keys(inputs).filter((name) => !data.includes(name));
    for (const name of parameters) inputs[name]!.requiresGrad_();
    const all = parameters.map((name) => inputs[name]!);
    const sgd = new t.optim.SGD(all, 0.1);
    let loss: Eager.Tensor | undefined;
    return {
      run() {
        sgd.zeroGrad();
        loss = lossOf(inputs);
        loss.backward();
        sgd.step();
      },
      outputs: () => [loss!, ...all].map(({ data }) => data as Float32Array),
    };
  };
  const mlpLoss = ({ x, label, W1, b1, W2, b2 }: Inputs): Eager.Tensor =>
    t.crossEntropy(x!.matmul(W1!).add(b1!).relu().matmul(W2!).add(b2!), label!);
  return {
    tiny: ({ x }) => forward(() => x!.multiply(1.3).add(0.1)),
    "tiny-both": ({ x, weight }) => {
      x!.requiresGrad_();
      let y: Eager.Tensor | undefined;
      return {
        run() {
          x!.grad = undefined;
          y = x!.multiply(weight!);
          y.backward();
        },
        outputs: () => [y!, x!.grad!].map(({ data }) => data as Float32Array),
      };
    },
    "mlp-forward": (inputs) => forward(() => mlpLoss(inputs)),
    "mlp-step": (inputs) => training(inputs, ["x", "label"], mlpLoss),
    "transformer-forward": (inputs) => forward(() => transformerLoss(t, inputs)),
    "transformer-step": (inputs) =>
      training(inputs, ["token", "target"], (given) => transformerLoss(t, given)),
  };
}

/** Two blocks of causal attention and a network, and the loss of the next token. */
function transformerLoss(t: typeof Eager, { token, target, ...P }: Inputs): Eager.Tensor {
  const features = P["table"]!.shape[1]!;
  const places = token!.shape[1]!;
  const mask = t.greaterEqual(t.arange(places).reshape(places, 1), t.arange(places));
  let x = t.embedding(P["table"]!, token!).add(P["position"]!);
  for (const layer of [0, 1]) {
    const of = (name: string): Eager.Tensor => P[name]!.get(layer);
    const norm = (name: string): Eager.Tensor =>
      t.layerNorm(x, [features], { weight: of(`scale${name}`), bias: of(`shift${name}`) });
    const calm = norm("1");
    const [q, k, v] = ["Wq", "Wk", "Wv"].map((name) => t.einsum("bpd,dhe->bhpe", calm, of(name)));
    const scores = t.einsum("bhpe,bhqe->bhpq", q!, k!).divide(Math.sqrt(q!.shape.at(-1)!));
    const share = t.where(mask, scores, Number.NEGATIVE_INFINITY).softmax(-1);
    const read = t.einsum("bhpq,bhqe->bhpe", share, v!);
    x = x.add(t.einsum("bhpe,hed->bpd", read, of("Wo")));
    const hidden = norm("2").matmul(of("W1")).add(of("b1")).gelu();
    x = x.add(hidden.matmul(of("W2")).add(of("b2")));
  }
  const scores = x.matmul(P["table"]!.T);
  return t.crossEntropy(scores.reshape(-1, scores.shape.at(-1)!), target!.reshape(-1));
}
