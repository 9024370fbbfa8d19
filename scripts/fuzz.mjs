// Runs a fuzzer: `npm run fuzz -- parser|grad|recurrences|training|orders|explain|backends|threads|sequences|lists|files [--count N] [--seed N]`; prints the seed, so that a run can be repeated, and
// writes down what it has made a case of.

import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadTs } from "./load-ts.mjs";

const fuzzers = {
  parser: { module: "test/fuzz/parser.ts", run: "fuzzParser", count: 50_000 },
  grad: { module: "test/fuzz/grad.ts", run: "fuzzGradients", count: 20_000 },
  recurrences: { module: "test/fuzz/grad.ts", run: "fuzzRecurrences", count: 20_000 },
  training: { module: "test/fuzz/grad.ts", run: "fuzzTraining", count: 5000 },
  orders: { module: "test/fuzz/orders.ts", run: "fuzzOrders", count: 20_000 },
  explain: { module: "test/fuzz/explain.ts", run: "fuzzExplanations", count: 500 },
  backends: {
    module: "test/fuzz/backends.ts",
    run: "fuzzBackends",
    count: 20_000,
    cases: "test/backends/found",
  },
  threads: { module: "test/fuzz/threads.ts", run: "fuzzThreads", count: 2000 },
  sequences: { module: "test/fuzz/sequences.ts", run: "fuzzSequences", count: 2000 },
  files: { module: "test/fuzz/files.ts", run: "fuzzFiles", count: 100_000 },
  lists: { module: "test/fuzz/lists.ts", run: "fuzzLists", count: 2000 },
};

/** What was asked for; nothing at all if it cannot be understood. */
function asked() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { count: { type: "string" }, seed: { type: "string" } },
    });
  } catch {
    return { values: {}, positionals: [""] };
  }
}
const { values, positionals } = asked();
const [name = "parser"] = positionals;
const fuzzer = fuzzers[name];
const count = Number(values.count ?? fuzzer?.count);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
if (!fuzzer || !Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
  console.error(`usage: npm run fuzz -- ${Object.keys(fuzzers).join("|")} [--count N] [--seed N]`);
  process.exit(2);
}

console.log(`fuzzing the ${name}: ${count} programs, seed ${seed}`);
const from = performance.now();
const { [fuzzer.run]: run } = await loadTs(fuzzer.module);
// In portions, so that one sees how far it is, and each failure as soon as it is found.
const portion = 200;
// A broken parser fails often; the first few failures say enough.
const shown = 20;
const failures = [];
let programs = 0;
while (programs < count) {
  const found = await run(seed + programs, Math.min(portion, count - programs));
  programs += found.programs;
  for (const failure of found.failures.slice(0, Math.max(0, shown - failures.length))) {
    console.error(`\n${failure.problem}\n${failure.program}`);
    if (fuzzer.cases) {
      mkdirSync(fuzzer.cases, { recursive: true });
      writeFileSync(`${fuzzer.cases}/${failure.seed}.ein`, `${failure.program}\n`);
    }
    console.error(`repeat with: npm run fuzz -- ${name} --count 1 --seed ${failure.seed}`);
  }
  failures.push(...found.failures);
  if (programs < count) console.log(`${programs} programs, ${failures.length} failures`);
}
const seconds = ((performance.now() - from) / 1000).toFixed(1);
console.log(`${programs} programs in ${seconds} s, ${failures.length} failures`);
// Workers may be there still.
process.exit(failures.length === 0 ? 0 : 1);
