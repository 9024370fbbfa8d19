// Measures the memory of eager training: 10,000 steps of a 784-256-10 network at batch 128, in
// which no tensor is disposed of. At the end the process may hold at most 1.1 times what it held
// after 1,000 steps.

import { root } from "./load-ts.mjs";

const { crossEntropy, nn, optim, rand, tensor } = await import(`${root}dist/tensor.js`);

const steps = 10_000;
const settled = 1_000;
const most = 1.1;

const net = new nn.Sequential(
  new nn.Linear(784, 256, { seed: 1 }),
  (x) => x.relu(),
  new nn.Linear(256, 10, { seed: 3 }),
);
const sgd = new optim.SGD(net.parameters(), 0.01, { momentum: 0.9 });
const classes = tensor(Int32Array.from({ length: 128 }, (_, k) => k % 10));
const numbers = Array.from({ length: 16 }, (_, seed) => rand([128, 784], { seed }).data);

const began = performance.now();
let early = 0;
let loss;
for (let step = 1; step <= steps; step++) {
  // A new tensor in every step, as a data loader gives it.
  const images = tensor(numbers[step % numbers.length]).reshape(128, 784);
  sgd.zeroGrad();
  loss = crossEntropy(net.forward(images), classes);
  loss.backward();
  sgd.step();
  if (step === settled) early = report(step);
}
const ratio = report(steps) / early;
console.log(
  `${ratio.toFixed(3)} times (limit ${most}), ` +
    `in ${((performance.now() - began) / 1000).toFixed(1)} s`,
);
// The loss must fall: small memory proves nothing if the network learns nothing.
process.exitCode = ratio <= most && loss.item() < 2.3 ? 0 : 1;

function report(step) {
  const bytes = process.memoryUsage.rss();
  console.log(
    `after ${step} steps ${(bytes / 2 ** 20).toFixed(1)} MB, loss ${loss.item().toFixed(4)}`,
  );
  return bytes;
}
