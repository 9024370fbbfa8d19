// Networks learn: parameters by name, layers, optimisers.

import { expect, test } from "vitest";
import { crossEntropy, nn, optim, rand, randn, tensor } from "../index.ts";

test("parameters have paths, and state can be loaded", () => {
  const net = new nn.Sequential(new nn.Linear(2, 3), (x) => x.tanh(), new nn.Linear(3, 1));
  expect([...net.namedParameters().keys()]).toEqual([
    "layers.0.weight",
    "layers.0.bias",
    "layers.2.weight",
    "layers.2.bias",
  ]);
  const other = new nn.Sequential(new nn.Linear(2, 3), (x) => x.tanh(), new nn.Linear(3, 1));
  other.load(net.namedParameters());
  const x = rand([5, 2], { seed: 9 });
  expect(other.forward(x).toArray()).toEqual(net.forward(x).toArray());
  expect(() => other.load(new Map())).toThrow("layers.0.weight");
});

test("state goes into a file and comes back to equal bits", () => {
  const net = new nn.Sequential(new nn.Linear(2, 3, { seed: 1 }), new nn.LayerNorm(3));
  const bytes = nn.saveState(net);
  const other = new nn.Sequential(new nn.Linear(2, 3, { seed: 5 }), new nn.LayerNorm(3));
  nn.loadState(other, bytes);
  for (const [name, parameter] of net.namedParameters())
    expect(other.namedParameters().get(name)!.data).toEqual(parameter.data);
  expect(() => nn.loadState(new nn.Linear(4, 1), bytes)).toThrow(
    "load: weight, bias missing; layers.0.weight, layers.0.bias, layers.1.weight, " +
      "layers.1.bias not known here",
  );
  expect(() => nn.loadState(other, bytes.slice(0, 20))).toThrow("loadState");
});

test("tensors that are not trained belong to the state", () => {
  const net = new nn.Linear(1, 1, { seed: 1 });
  net.bias!.requiresGrad_(false);
  expect([...net.namedParameters().keys()]).toEqual(["weight"]);
  const other = new nn.Linear(1, 1, { seed: 9 });
  nn.loadState(other, nn.saveState(net));
  expect(other.bias!.data).toEqual(net.bias!.data);
});

test("many steps at the size of a real layer", () => {
  const net = new nn.Sequential(
    new nn.Linear(64, 32, { seed: 1 }),
    (x) => x.relu(),
    new nn.Linear(32, 10, { seed: 3 }),
  );
  const sgd = new optim.SGD(net.parameters(), 0.1, { momentum: 0.9 });
  const x = rand([32, 64], { seed: 1 });
  const classes = tensor(Int32Array.from({ length: 32 }, (_, k) => k % 10));
  const losses = Array.from({ length: 80 }, () => {
    sgd.zeroGrad();
    const loss = crossEntropy(net.forward(x), classes);
    loss.backward();
    sgd.step();
    return loss.item();
  });
  expect(losses.at(-1)).toBeLessThan(0.5);
});

test.each([
  ["SGD", (p: readonly ReturnType<typeof tensor>[]) => new optim.SGD(p, 0.5, { momentum: 0.9 })],
  ["Adam", (p: readonly ReturnType<typeof tensor>[]) => new optim.Adam(p, 0.05)],
  ["AdamW", (p: readonly ReturnType<typeof tensor>[]) => new optim.AdamW(p, 0.05)],
] as const)("%s learns exclusive or", { timeout: 60_000 }, (_, make) => {
  const net = new nn.Sequential(
    new nn.Linear(2, 8, { seed: 3 }),
    (x) => x.tanh(),
    new nn.Linear(8, 2, { seed: 7 }),
  );
  const optimiser = make(net.parameters());
  const x = tensor([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
  const classes = tensor(Int32Array.of(0, 1, 1, 0));
  let loss = Infinity;
  for (let step = 0; step < 60; step++) {
    optimiser.zeroGrad();
    const now = crossEntropy(net.forward(x), classes);
    now.backward();
    optimiser.step();
    loss = now.item();
  }
  expect(loss).toBeLessThan(0.1);
});

test("attention, convolution, normalisation and dropout take part", () => {
  const x = randn([2, 5, 8], { seed: 1 });
  const attention = new nn.MultiHeadAttention(8, 2, { seed: 2 });
  const norm = new nn.LayerNorm(8);
  const drop = new nn.Dropout(0.5, { seed: 3 });
  const y = drop.forward(norm.forward(attention.forward(x)));
  expect(y.shape).toEqual([2, 5, 8]);
  y.sum().backward();
  for (const parameter of [...attention.parameters(), ...norm.parameters()])
    expect(parameter.grad).toBeDefined();
  expect(drop.eval().forward(x)).toBe(x);
  const conv = new nn.Conv2d(3, 4, 3, { padding: 1, seed: 5 });
  const z = conv.forward(randn([2, 3, 6, 6], { seed: 6 }));
  expect(z.shape).toEqual([2, 4, 6, 6]);
  z.sum().backward();
  expect(conv.weight.grad!.shape).toEqual([4, 3, 3, 3]);
});

test("gradients are clipped, rates follow a schedule", () => {
  const p = tensor([3, 4], { requiresGrad: true });
  p.multiply(p).sum().multiply(0.5).backward();
  expect(optim.clipGradNorm([p], 1)).toBeCloseTo(5, 5);
  expect(p.grad!.data[1]).toBeCloseTo(0.8, 5);
  const sgd = new optim.SGD([p], 1);
  const next = optim.scheduled(sgd, optim.warmup(2, optim.cosine(2)));
  const rates = [sgd.rate];
  for (let k = 0; k < 4; k++) {
    next();
    rates.push(sgd.rate);
  }
  expect(rates).toEqual([0.5, 1, 1, 0.5, 0]);
});
