// Runs one fuzzer, or all of them in turn:
//
//   npm run fuzz -- grad [--count N] [--seed N]
//   npm run fuzz -- all --minutes 30
//
// Prints the seed, so that a run can be repeated, and writes each failing program of a backend to a
// file.

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
  mistakes: { module: "test/fuzz/mistakes.ts", run: "fuzzMistakes", count: 5000 },
  lists: { module: "test/fuzz/lists.ts", run: "fuzzLists", count: 2000 },
};

/** The parsed command line. A command line with errors gives a name that no fuzzer has. */
function asked() {
  const number = { type: "string" };
  try {
    const options = { count: number, seed: number, minutes: number };
    return parseArgs({ allowPositionals: true, options });
  } catch {
    return { values: {}, positionals: [""] };
  }
}
const { values, positionals } = asked();
const [name = "parser"] = positionals;
const own = name === "all" ? Object.keys(fuzzers) : Object.hasOwn(fuzzers, name) ? [name] : [];
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const minutes = Number(values.minutes ?? Infinity);
const counts = own.map((each) =>
  Number(values.count ?? (values.minutes ? 2 ** 31 : fuzzers[each].count)),
);
const isRight = [seed, ...counts].every((each) => Number.isSafeInteger(each) && each >= 0);
if (own.length === 0 || !isRight || !(minutes > 0)) {
  const names = ["all", ...Object.keys(fuzzers)].join("|");
  console.error(`usage: npm run fuzz -- ${names} [--count N] [--seed N] [--minutes N]`);
  process.exit(2);
}

/** A fuzzer runs in portions, so that progress and failures are printed early. */
const portion = values.minutes ? 5 : 200;
/** A broken parser fails often. The first failures are enough. */
const shown = 20;
let failed = 0;
for (const [k, each] of own.entries()) failed += await fuzz(each, counts[k]);
// Workers may still be running.
process.exit(failed === 0 ? 0 : 1);

/** Runs one fuzzer for its share of the time, and returns the number of failures. */
async function fuzz(name, count) {
  const { module, run, cases } = fuzzers[name];
  const { [run]: runFuzzer } = await loadTs(module);
  const limit = values.minutes
    ? `${((minutes * 60) / own.length).toFixed(0)} s`
    : `${count} programs`;
  console.log(`fuzzing the ${name}: ${limit}, seed ${seed}`);
  const from = performance.now();
  const until = from + (minutes * 60_000) / own.length;
  let programs = 0;
  let failures = 0;
  while (programs < count && performance.now() < until) {
    const found = await runFuzzer(seed + programs, Math.min(portion, count - programs));
    programs += found.programs;
    for (const failure of found.failures.slice(0, Math.max(0, shown - failures))) {
      console.error(`\n${failure.problem}\n${failure.program}`);
      if (cases) {
        mkdirSync(cases, { recursive: true });
        writeFileSync(`${cases}/${failure.seed}.ein`, `${failure.program}\n`);
      }
      console.error(`repeat with: npm run fuzz -- ${name} --count 1 --seed ${failure.seed}`);
    }
    failures += found.failures.length;
    if (!values.minutes && programs < count)
      console.log(`${programs} programs, ${failures} failures`);
  }
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  console.log(`${programs} programs in ${seconds} s, ${failures} failures`);
  return failures;
}
