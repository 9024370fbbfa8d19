// Stands in for vitest while faults are seeded: collects the tests of a bundle and runs them until
// one fails. Starting vitest for every fault would take half a minute each. The matchers are those
// of vitest.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

// The matchers are resolved from vitest, because they are no dependency of this repository.
const fromVitest = createRequire(createRequire(import.meta.url).resolve("vitest/package.json"));
const load = (name) => import(pathToFileURL(fromVitest.resolve(name)).href);
const { JestAsymmetricMatchers, JestChaiExpect, JestExtend } = await load("@vitest/expect");
const chai = await load("chai");
for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);

/** @typedef {{ name: string, body: () => unknown, scope: Scope }} Test */
/**
 * @typedef {{ name: string, parent?: Scope, before: (() => unknown)[], after: (() => unknown)[] }}
 * Scope
 */

/** A module like "vitest", and the tests that are declared with it. */
export function standIn() {
  /** @type {Test[]} */
  const tests = [];
  /** @type {Scope} */
  let scope = { name: "", before: [], after: [] };

  const test = (name, ...rest) => {
    const body = rest.find((part) => typeof part === "function");
    tests.push({ name: scope.name + name, body, scope });
  };
  const describe = (name, ...rest) => {
    const outer = scope;
    scope = { name: `${outer.name}${name}: `, parent: outer, before: [], after: [] };
    rest.find((part) => typeof part === "function")();
    scope = outer;
  };
  const each =
    (declare) =>
    (rows) =>
    (name, ...rest) => {
      const body = rest.find((part) => typeof part === "function");
      rows.forEach((row, at) => {
        const values = Array.isArray(row) ? row : [row];
        declare(titled(name, values, at), () => body(...values));
      });
    };
  const module = {
    test: Object.assign(test, { each: each(test) }),
    it: test,
    describe: Object.assign(describe, { each: each(describe) }),
    expect: Object.assign((value, message) => chai.expect(value, message), chai.expect),
    // The runner decides how long a test may take.
    vi: { setConfig: () => undefined },
    beforeAll: (hook) => scope.before.push(hook),
    afterAll: (hook) => scope.after.push(hook),
  };
  return { module, tests };
}

function titled(name, values, at) {
  const [first] = values;
  const named = name
    .replace(/\$(\w+)/g, (whole, key) => String(first?.[key] ?? whole))
    .replaceAll("%#", String(at));
  const wanted = (named.match(/%[sdifjo]/g) ?? []).length;
  return format(named, ...values.slice(0, wanted));
}

/**
 * Runs tests until one fails, the quickest first. Tests with preparations come last and keep their
 * order, because they may change the working folder and depend on one another.
 * @param {readonly Test[]} tests
 * @param {ReadonlyMap<Test, number>} usual how long each test usually takes
 * @param {{ before: (test: Test) => void, after: (test: Test, time: number) => void }} watcher
 * @returns {Promise<{ name: string, message: string } | undefined>} the failure
 */
export async function runTests(tests, usual, watcher) {
  const isPrepared = ({ scope }) =>
    ancestry(scope).some(({ before, after }) => before.length + after.length > 0);
  const quickestFirst = tests
    .filter((test) => !isPrepared(test))
    .sort((a, b) => (usual.get(a) ?? 0) - (usual.get(b) ?? 0));
  const ready = new Set();
  const hooks = async (scopes, when) => {
    for (const scope of scopes) for (const hook of scope[when]) await hook();
  };
  let failure;
  for (const test of [...quickestFirst, ...tests.filter(isPrepared)]) {
    watcher.before(test);
    const from = performance.now();
    try {
      const fresh = ancestry(test.scope).filter((scope) => !ready.has(scope));
      fresh.forEach((scope) => ready.add(scope));
      await hooks(fresh, "before");
      await test.body();
    } catch (error) {
      failure = {
        name: test.name,
        message: error instanceof Error ? error.message : String(error),
      };
      break;
    }
    watcher.after(test, performance.now() - from);
  }
  await hooks([...ready].reverse(), "after");
  return failure;
}

/**
 * The scope and those around it, outermost first. @param {Scope | undefined} scope @returns
 * {Scope[]}
 */
function ancestry(scope) {
  return scope ? [...ancestry(scope.parent), scope] : [];
}
