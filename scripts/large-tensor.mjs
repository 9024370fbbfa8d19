// Makes a tensor of 6 GB, which is more than the memory of the kernels can hold. The tensor is read
// back and summed, and the results are compared with known ones.

import { freemem } from "node:os";
import { compile, EinError } from "../dist/index.js";

const cells = 1_500_000_000;
const gigabytes = (/** @type {number} */ bytes) => `${(bytes / 1e9).toFixed(1)} GB`;

if (freemem() < 7e9) console.log(`only ${gigabytes(freemem())} are free: this may take long`);
const program = await compile(`
  let x[i in 0..${cells}] = (i % 7) as f32;
  let total = sum[i](x[i]);
  let last = x[${cells - 1}];
`);

// The default limit is 4 GB. Beyond it, a run reports an error.
let refused = "nothing";
try {
  program.run({}, { get: ["x", "total"] });
} catch (problem) {
  if (!(problem instanceof EinError)) throw problem;
  refused = problem.code;
}

const started = performance.now();
const { x, total, last } = program.run({}, { get: ["x", "total", "last"], maxMemory: 7e9 });
const seconds = (performance.now() - started) / 1000;

// Every seven cells sum to 0 + 1 + … + 6; the rest is added.
const whole = Math.floor(cells / 7);
const left = cells % 7;
const expected = {
  refused: "E0805",
  bytes: cells * 4,
  total: Math.fround(whole * 21 + (left * (left - 1)) / 2),
  last: (cells - 1) % 7,
  there: [0, 1, 6, 0, (cells - 1) % 7],
};
const places = [0, 1, 6, 7_000_000, cells - 1];
const found = {
  refused,
  bytes: x.data.byteLength,
  total: total.data[0],
  last: last.data[0],
  there: places.map((at) => x.data[at]),
};
const isRight = JSON.stringify(found) === JSON.stringify(expected);
console.log(
  `${gigabytes(found.bytes)} in ${seconds.toFixed(1)} s, the sum is ${found.total}: ` +
    (isRight ? "right" : "WRONG"),
);
if (!isRight) console.log("found   ", found, "\nexpected", expected);
process.exitCode = isRight ? 0 : 1;
