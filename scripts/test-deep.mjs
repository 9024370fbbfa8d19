// The deep run of the tests: everything of which `npm test` takes one in ten (every case on every
// backend, random programs, mistakes and damages), every eighth damage, and all fuzzers in turn
// with a new seed. Prints how long each stage took.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const node = process.execPath;
const sampled = ["test/suite", "test/damage", "test/fuzz"];
const vitest = `${root}node_modules/.bin/vitest`;
const stages = [
  { name: "tests", command: vitest, words: ["run", "--project", "node", ...sampled] },
  { name: "damages", command: node, words: ["scripts/damage.mjs", "--every", "8"] },
  { name: "fuzzers", command: node, words: ["scripts/fuzz.mjs", "all", "--minutes", "15"] },
];

const rows = stages.map(({ name, command, words }) => {
  console.log(`\n── ${name} ──`);
  const from = performance.now();
  const env = { ...process.env, EIN_DEEP: "1" };
  const { status } = spawnSync(command, words, { cwd: root, env, stdio: "inherit" });
  return { name, ok: status === 0, seconds: (performance.now() - from) / 1000 };
});
console.log("");
for (const { name, ok, seconds } of rows)
  console.log(`${ok ? "ok  " : "FAIL"} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s`);
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
