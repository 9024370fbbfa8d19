// Compares the elementary functions on f32 with the oracle in f64: `npm run ulps -- [function …]
// [--every 64] [--from 0] [--to Infinity]`. Takes every 64th float whose size is between `--from`
// and `--to`, with both signs. `--every 1` takes all of them.

import { parseArgs } from "node:util";
import { loadTs } from "./load-ts.mjs";

const { elementary } = await loadTs("src/backends/math/elementary.ts");
const { compiled } = await loadTs("test/support/math/source.ts");
const { toBits } = await loadTs("test/support/math/numbers.ts");
const { ulps } = await loadTs("test/support/ulps.ts");
const { operations } = await loadTs("src/scalar/operations.ts");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: "string", default: "64" },
    from: { type: "string", default: "0" },
    to: { type: "string", default: "Infinity" },
  },
});
const every = Number(values.every);
const from = toBits(Number(values.from));
const to = toBits(Number(values.to));
const names = positionals.length > 0 ? positionals : Object.keys(elementary);
if (!(every >= 1) || names.some((name) => !(name in elementary))) {
  console.error(
    `npm run ulps -- [${Object.keys(elementary).join(" | ")}] … [--every N] [--from X] [--to X]`,
  );
  process.exit(2);
}

const floats = new Float32Array(1);
const bits = new Int32Array(floats.buffer);

for (const name of names) {
  const began = performance.now();
  const { worst, at, count } = name === "power" ? ofTwo() : ofOne(name);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const limit = elementary[name].ulps;
  if (!(worst <= limit)) process.exitCode = 1;
  console.log(
    `${name.padEnd(8)} ${worst.toFixed(3)} ulp at ${at}, limit ${limit}, ` +
      `${count} values in ${seconds} s` +
      (worst <= limit ? "" : "  FAILED"),
  );
}

function ofOne(name) {
  const compute = compiled(elementary[name].compute, ["x"]);
  const oracle = (x) => operations[name].evaluate("f64", x);
  let [worst, at, count] = [-1, "", 0];
  for (const sign of [0, 1 << 31]) {
    for (let pattern = from; pattern <= to; pattern += every) {
      bits[0] = pattern | sign;
      const x = floats[0];
      const error = ulps(compute(x), oracle(x));
      count++;
      if (error > worst) [worst, at] = [error, String(x)];
    }
  }
  return { worst, at, count };
}

/**
 * The powers. Each base gets one exponent: every eighth time any float, otherwise one with a finite
 * result.
 */
function ofTwo() {
  const compute = compiled(elementary.power.compute, ["x", "y"]);
  const oracle = (x, y) => operations.power.evaluate("f64", x, y);
  let [worst, at, count, draw] = [-1, "", 0, 12345];
  for (const sign of [0, 1 << 31]) {
    for (let pattern = from; pattern <= to; pattern += every) {
      bits[0] = pattern | sign;
      const x = floats[0];
      draw = (Math.imul(draw, 1664525) + 1013904223) | 0;
      bits[0] = draw;
      const any = floats[0];
      const size = Math.abs(Math.log2(Math.abs(x)));
      const moderate = Math.fround((draw / 2 ** 31) * (size > 0 && size < 200 ? 152 / size : 30));
      // Below 0 only integer exponents have a result.
      const y = (draw >>> 20) % 8 === 0 ? any : x < 0 ? Math.round(moderate) : moderate;
      const error = ulps(compute(x, Math.fround(y)), oracle(x, Math.fround(y)));
      count++;
      if (error > worst) [worst, at] = [error, `${x} ** ${y}`];
    }
  }
  return { worst, at, count };
}
