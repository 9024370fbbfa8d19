// The process that runs the tests of one bundle after another. It writes a dot to descriptor 3
// while tests go on. The parent ends the process when the dots stop.

import { writeSync } from "node:fs";
import { createRequire } from "node:module";
import { Script } from "node:vm";
import { runTests, standIn } from "./stand-in.mjs";

const require = createRequire(import.meta.url);
// Properties get the same random values for every fault.
require("fast-check").configureGlobal({ seed: 1 });
const home = process.cwd();
process.on("message", async (request) => {
  process.chdir(home);
  process.send(await outcomeOf(request));
});

/**
 * @param {import("./worker.mjs").Request} request @returns
 * {Promise<import("./worker.mjs").Outcome>}
 */
async function outcomeOf({ code, places = 0, usual = [], only }) {
  const { module, tests } = standIn();
  const reached = (globalThis.reached = new Uint8Array(places));
  try {
    const script = new Script(`(function (require, module, exports) {${code}\n})`, {
      filename: "tests.cjs",
    });
    const bundle = { exports: {} };
    script.runInThisContext()(
      (name) => (name === "vitest" ? module : require(name)),
      bundle,
      bundle.exports,
    );
  } catch (error) {
    return {
      failure: { name: "loading the tests", message: String(error?.stack ?? error) },
      tests: [],
      loading: [],
    };
  }
  const passed = () => [...reached.keys()].filter((place) => reached[place]);
  const loading = passed();
  // A fault in a table may remove or add tests. Then all of them run.
  const isSame = tests.length === usual.length;
  const chosen = only && isSame ? only.map((at) => tests[at]) : tests;
  const times = new Map(isSame ? tests.map((test, at) => [test, usual[at]]) : []);
  const found = new Map();
  let last = 0;
  const failure = await runTests(chosen, times, {
    before() {
      const now = performance.now();
      if (now - last > 100) writeSync(3, ".");
      last = now;
      reached.fill(0);
    },
    after(test, time) {
      found.set(test, { time, reached: passed() });
    },
  });
  return {
    failure,
    tests: tests.map((test) => found.get(test) ?? { time: 0, reached: [] }),
    loading,
  };
}
