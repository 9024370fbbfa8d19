// The process that runs the tests of one bundle after another. A dot on descriptor 3 says that it is still getting on; the
// parent ends it when the dots stop.

import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { Script } from "node:vm";
import { runTests, standIn } from "./stand-in.mjs";

const require = createRequire(import.meta.url);
// Properties are tried on the same values at every fault.
require("fast-check").configureGlobal({ seed: 1 });
const home = process.cwd();
process.on("message", async ({ code, times }) => {
  process.chdir(home);
  process.send(await outcomeOf(code, new Map(times)));
});

/** @param {string} code @param {ReadonlyMap<string, number>} usual how long each test usually takes, by its name */
async function outcomeOf(code, usual) {
  const { module, tests } = standIn();
  try {
    const run = new Script(`(function (require, module, exports) {${code}\n})`, { filename: "tests.cjs" }).runInThisContext();
    const bundle = { exports: {} };
    run((name) => (name === "vitest" ? module : require(name)), bundle, bundle.exports);
  } catch (error) {
    return { failure: { name: "loading the tests", message: String(error?.stack ?? error) }, times: [], tests: 0 };
  }
  const quickestFirst = tests.sort((a, b) => (usual.get(a.name) ?? 0) - (usual.get(b.name) ?? 0));
  let last = 0;
  const { failure, times } = await runTests(quickestFirst, () => {
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    writeSync(3, ".");
  });
  return { failure, times: [...times], tests: tests.length };
}
