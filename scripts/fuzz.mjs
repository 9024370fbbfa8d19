// Runs a fuzzer: `npm run fuzz -- parser|grad|recurrences [--count 50000] [--seed N]`; prints the seed, so that a run can be repeated.

import { parseArgs } from "node:util";
import { loadTs } from "./load-ts.mjs";

const fuzzers = {
  parser: { module: "test/fuzz/parser.ts", run: "fuzzParser" },
  grad: { module: "test/fuzz/grad.ts", run: "fuzzGradients" },
  recurrences: { module: "test/fuzz/grad.ts", run: "fuzzRecurrences" },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string", default: "50000" }, seed: { type: "string" } },
});
const [name = "parser"] = positionals;
const fuzzer = fuzzers[name];
const count = Number(values.count);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
if (!fuzzer || !Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
  console.error(`usage: npm run fuzz -- ${Object.keys(fuzzers).join("|")} [--count N] [--seed N]`);
  process.exit(2);
}

console.log(`fuzzing the ${name}: ${count} programs, seed ${seed}`);
const from = performance.now();
const { [fuzzer.run]: run } = await loadTs(fuzzer.module);
const { programs, failures } = run(seed, count);
const seconds = ((performance.now() - from) / 1000).toFixed(1);
// A broken parser fails often; the first few failures say enough.
for (const failure of failures.slice(0, 5)) {
  console.error(`\n${failure.problem}\n${failure.program}`);
  console.error(`repeat with: npm run fuzz -- ${name} --count 1 --seed ${failure.seed}`);
}
console.log(`${programs} programs in ${seconds} s, ${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 1;
