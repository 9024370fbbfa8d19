// Seeds faults in the checker and the IR, one at a time, and counts how many of them the tests
// detect:
//
//   npm run mutate -- [--sample 300] [--seed 1] [--at-least 80] [--workers 1] [--longest MS]
//     [--only src/check/ranges/ranges.ts] [--caught]
//
// `--caught` also prints which test detected which fault. `--longest` leaves out the tests that
// take longer. A fault that only those tests detect counts as missed, so the score is at most too
// low.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { root } from "./load-ts.mjs";
import { bundler } from "./mutate/bundle.mjs";
import { faultsOf, noted, seeded } from "./mutate/faults.mjs";
import { drawSample } from "./mutate/sample.mjs";
import { startWorker } from "./mutate/worker.mjs";

const { values: options } = parseArgs({
  options: {
    sample: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    "at-least": { type: "string", default: "80" },
    workers: { type: "string", default: "1" },
    longest: { type: "string", default: "Infinity" },
    only: { type: "string", default: "" },
    caught: { type: "boolean", default: false },
  },
});
const [size, seed, atLeast, workers, longest] = [
  "sample",
  "seed",
  "at-least",
  "workers",
  "longest",
].map((name) => Number(options[name]));
if (
  ![size, seed, atLeast, workers, longest].every((value) => value >= 0) ||
  workers < 1 ||
  size < 1
) {
  console.error(
    "usage: npm run mutate -- [--sample N] [--seed N] [--at-least PERCENT] [--workers N] " +
      "[--longest MS] [--only PATH] [--caught]",
  );
  process.exit(2);
}

/** The TypeScript files in some folders. */
const below = (...folders) =>
  folders
    .filter((folder) => existsSync(root + folder))
    .flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, encoding: "utf8" }).map(
        (path) => `${folder}/${path}`,
      ),
    )
    .filter((path) => path.endsWith(".ts"))
    .sort();
const isTest = (path) => path.endsWith(".test.ts");
/**
 * Tests of fuzzing, of the command line and of the browser are left out: they are slow or concern
 * other folders.
 */
const tests = [
  ...below(
    "test/cases",
    "test/messages",
    "test/suite",
    "test/examples",
    "test/gradients",
    "test/damage",
    "test/modules",
    "test/docs",
    "src/check",
    "src/analyse",
    "src/ir",
    "src/lower",
    "src/print",
    "src/autodiff",
    "src/backends/interpret",
    "src/explain",
    "src/plan",
    "src/repl",
  ),
  "src/diagnostics/pages.test.ts",
].filter(isTest);
const files = below("src/check", "src/ir", "src/analyse", "src/lower", "src/print", "src/cost")
  .filter((path) => !isTest(path) && path.startsWith(options.only))
  .map((path) => ({ path, text: readFileSync(root + path, "utf8") }))
  .map((file) => ({ ...file, faults: faultsOf(file.text) }));
const all = files.reduce((total, { faults }) => total + faults.length, 0);
console.log(
  `${all} faults are possible in ${files.length} files; a sample of ${size}, seed ${seed}`,
);

const { bundle, dispose } = await bundler(root, tests);
const pool = Array.from({ length: workers }, () => startWorker(root));
// A fault may loop forever, so the workers are stopped together with this process.
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    for (const worker of pool) worker.stop();
    process.exit(130);
  });
}
/** Without a fault every test ends. On a busy machine the longest test takes minutes. */
const unhurried = 900_000;
process.exitCode = await measure();
for (const worker of pool) worker.stop();
await dispose();

async function measure() {
  const from = performance.now();
  const queue = drawSample(files, size, seed).flatMap(({ path, text, count, faults }) => {
    const left = [...faults];
    return Array.from({ length: count }, () => ({ path, text, left }));
  });
  // The first run notes every place, to find out which tests reach which fault. The second run is
  // like the runs with faults: a test that only fails in the same process or in another order would
  // count as a detection.
  const { places, texts, numberOf } = notedPlaces();
  const first = await pool[0].outcomeOf({ code: await bundle(texts), places }, unhurried);
  const usual = first.tests.map(({ time }) => time);
  const second = first.failure
    ? first
    : await pool[0].outcomeOf({ code: await bundle([]), usual }, unhurried);
  if (second.failure || usual.length === 0) {
    const { name, message } = second.failure ?? { name: "(none found)", message: "" };
    console.error(`a test fails without any fault: ${name}\n${message}`);
    return 2;
  }
  console.log(`${usual.length} tests pass without a fault, twice in ${since(from).toFixed(1)} s`);
  const isShort = (test) => usual[test] <= longest;
  const short = usual.flatMap((_, test) => (isShort(test) ? [test] : []));
  const secondsOf = (tests) =>
    (tests.reduce((sum, test) => sum + usual[test], 0) / 1000).toFixed(0);
  if (short.length < usual.length)
    console.log(
      `${short.length} of them are run: ${secondsOf(short)} of ${secondsOf([...usual.keys()])} s`,
    );
  /**
   * @type {(number[] | undefined)[]} the tests that reach each place; `undefined` if the place runs
   *   while loading, where it may affect every test
   */
  const meeting = Array.from({ length: places }, () => []);
  for (const place of first.loading) meeting[place] = undefined;
  first.tests.forEach(({ reached }, test) =>
    reached.forEach((place) => meeting[place]?.push(test)),
  );

  const patience = Math.max(5000, 8 * Math.max(...usual));
  const results = [];
  const started = performance.now();
  let bundling = Promise.resolve();
  await Promise.all(
    pool.map(async (worker) => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const { path, text, left } = next;
        // Bundles are made one at a time, because the bundler replaces one text.
        const ready = bundling.then(() => nextMutant(path, text, left));
        bundling = ready;
        const mutant = await ready;
        if (!mutant) continue;
        const meets = mutant.fault.place && meeting[numberOf(path, mutant.fault.place)];
        const only = meets?.filter(isShort) ?? short;
        const { failure } = await worker.outcomeOf({ code: mutant.code, usual, only }, patience);
        results.push({ path, text, fault: mutant.fault, failure, met: only.length });
        if (failure && options.caught)
          console.log(`${path}\n${shown(text, mutant.fault)}\n  caught by ${failure.name}`);
        progress(results, started);
      }
    }),
  );
  return report(results, started);
}

/** The texts with a note at every place where a fault can be reached. Each place has a number. */
function notedPlaces() {
  const numbers = new Map();
  const keyOf = (path, { start, isBody }) => `${path}:${start}:${isBody}`;
  const texts = files.map(({ path, text, faults }) => {
    const places = new Map(
      faults.flatMap(({ place }) => (place ? [[keyOf(path, place), place]] : [])),
    );
    for (const key of places.keys()) numbers.set(key, numbers.size);
    const note = (place) => `globalThis.reached[${numbers.get(keyOf(path, place))}] = 1`;
    return [path, noted(text, [...places.values()], note)];
  });
  return {
    places: numbers.size,
    texts,
    numberOf: (path, place) => numbers.get(keyOf(path, place)),
  };
}

/** The next fault of a file that can be bundled, with its bundle. */
async function nextMutant(path, text, left) {
  for (let fault = left.shift(); fault; fault = left.shift()) {
    const code = await bundle([[path, seeded(text, fault)]]);
    if (code !== undefined) return { fault, code };
  }
  return undefined;
}

function since(from) {
  return (performance.now() - from) / 1000;
}

function progress(results, started) {
  const caught = results.filter(({ failure }) => failure).length;
  const seconds = since(started).toFixed(0);
  const line = `${results.length} of ${size} seeded, ${caught} caught, ${seconds} s`;
  if (process.stdout.isTTY) process.stdout.write(`\r${line}`);
  else if (results.length % 20 === 0) console.log(line);
}

/**
 * Prints the undetected faults by file, the kinds of faults, and the score. Returns the exit code.
 */
function report(results, started) {
  const survivors = results.filter(({ failure }) => !failure);
  for (const path of [...new Set(survivors.map((result) => result.path))].sort()) {
    console.log(`\n${path}`);
    const own = survivors
      .filter((result) => result.path === path)
      .sort((a, b) => a.fault.start - b.fault.start);
    for (const { text, fault, met } of own)
      console.log(`${shown(text, fault)}\n    met by ${met} tests`);
  }

  console.log("\nkind                  seeded  caught");
  for (const kind of [...new Set(results.map(({ fault }) => fault.kind))].sort()) {
    const own = results.filter(({ fault }) => fault.kind === kind);
    const caught = own.filter(({ failure }) => failure).length;
    console.log(
      `${kind.padEnd(20)}  ${String(own.length).padStart(6)}  ${String(caught).padStart(6)}`,
    );
  }
  const hung = results.filter(({ failure }) => failure?.name.startsWith("(")).length;
  const caught = results.length - survivors.length;
  const score = (100 * caught) / results.length;
  const each = since(started) / results.length;
  console.log(
    `\n${caught} of ${results.length} faults caught (${hung} of them by not ending), ` +
      `${each.toFixed(1)} s each`,
  );
  console.log(`score ${score.toFixed(1)} %, at least ${atLeast} % wanted, seed ${seed}`);
  return score >= atLeast ? 0 : 1;
}

/** The line of a fault, before and after the change. */
function shown(text, fault) {
  const number = text.slice(0, fault.start).split("\n").length;
  const lines = (whole, end, mark) => {
    const from = whole.lastIndexOf("\n", fault.start - 1) + 1;
    const to = whole.indexOf("\n", end);
    return whole
      .slice(from, to < 0 ? whole.length : to)
      .split("\n")
      .map((line) => `    ${mark} ${line.trim()}`);
  };
  return [
    `  ${number}: ${fault.kind}`,
    ...lines(text, fault.end, "-"),
    ...lines(seeded(text, fault), fault.start + fault.text.length, "+"),
  ].join("\n");
}
