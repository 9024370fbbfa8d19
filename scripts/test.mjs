// Runs all tests: types, lint, layout, build, and the tests under Node and in a browser. Prints how
// long each stage took, and the folders of tests that took longest.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name) => `${root}node_modules/.bin/${name}`;
const reports = `${root}.cache`;
mkdirSync(reports, { recursive: true });

const vitest = (project) => {
  const report = `${reports}/${project}.json`;
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return { commands: [[bin("vitest"), "run", "--project", project, ...reporters]], report };
};

const stages = [
  {
    name: "types",
    commands: ["tsconfig.core.json", "tsconfig.json", "test/browser", "test/vite"].map((file) => [
      bin("tsc"),
      "-p",
      file,
    ]),
  },
  { name: "lint", commands: [[bin("oxlint"), "--type-aware", "--deny-warnings"]] },
  { name: "layout", commands: [[bin("prettier"), "--check", "--log-level", "warn", "."]] },
  { name: "build", commands: [[process.execPath, "scripts/build.mjs"]] },
  { name: "size", commands: [[process.execPath, "scripts/size.mjs"]] },
  { name: "tests", ...vitest("node") },
  { name: "chromium", commands: [[process.execPath, "scripts/ensure-chromium.mjs"]] },
  { name: "vite", ...vitest("vite") },
  { name: "browser", ...vitest("browser") },
];

const started = performance.now();
let passed = 0;
let failed = 0;
const rows = [];

for (const { name, commands, report } of stages) {
  console.log(`\n── ${name} ──`);
  const from = performance.now();
  const ok = commands.map(run).every(Boolean);
  rows.push({ name, ok, seconds: (performance.now() - from) / 1000 });
  const counts = report ? countsOf(report) : { passed: 0, failed: 0 };
  passed += counts.passed;
  // A stage may fail without a failing test, for example in types or lint. It then counts as one
  // failure.
  failed += ok ? 0 : Math.max(1, counts.failed);
}

rows.push({ name: "all", ok: failed === 0, seconds: (performance.now() - started) / 1000 });
console.log("\nseconds of tests by folder, on all workers together");
for (const [folder, seconds] of secondsByFolder(`${reports}/node.json`).slice(0, 12)) {
  console.log(`  ${folder.padEnd(24)} ${seconds.toFixed(1).padStart(6)}`);
}
console.log("");
for (const { name, ok, seconds } of rows) {
  console.log(`${ok ? "ok  " : "FAIL"} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s`);
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function run([command, ...words]) {
  const { status, error } = spawnSync(command, words, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (error) console.error(String(error));
  return status === 0;
}

/** Seconds by folder, the slowest first: each room of `src` and each folder of `test`. */
function secondsByFolder(report) {
  const seconds = new Map();
  if (!existsSync(report)) return [];
  for (const { name, startTime, endTime } of JSON.parse(readFileSync(report, "utf8")).testResults) {
    const folder = relative(root, name).split(sep).slice(0, 2).join("/");
    seconds.set(folder, (seconds.get(folder) ?? 0) + (endTime - startTime) / 1000);
  }
  return [...seconds].toSorted(([, a], [, b]) => b - a);
}

function countsOf(report) {
  if (!existsSync(report)) return { passed: 0, failed: 0 };
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
  return { passed: numPassedTests, failed: numFailedTests };
}
