// `npm run test:node24`: runs the tests on a newer Node, which is installed into `.cache` only, and
// a tensor of 6 GB there. Words after `--` choose tests as in vitest; the large tensor is then left
// out.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadTs, root } from "./load-ts.mjs";

const { nodePackage } = await loadTs("bench/contenders.ts");
const onWindows = process.platform === "win32";
const folder = join(root, ".cache/node24");
const node = join(folder, "node_modules", nodePackage(), "bin", onWindows ? "node.exe" : "node");
if (!existsSync(node)) {
  const words = [
    "install",
    "--no-save",
    "--no-package-lock",
    "--prefix",
    folder,
    `${nodePackage()}@24`,
  ];
  const { status } = spawnSync(onWindows ? "npm.cmd" : "npm", words, {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) {
    console.error(`no newer Node: \`npm ${words.join(" ")}\` failed`);
    process.exit(1);
  }
}

const chosen = process.argv.slice(2);
/** @type {readonly (readonly [string, readonly string[]])[]} */
const stages = [
  ["the build", ["scripts/build.mjs"]],
  ...(chosen.length === 0
    ? [/** @type {const} */ (["a tensor of 6 GB", ["scripts/large-tensor.mjs"]])]
    : []),
  ["the suite", ["node_modules/vitest/vitest.mjs", "run", "--project", "node", ...chosen]],
];
console.log(`Node ${spawnSync(node, ["--version"]).stdout.toString().trim()}`);
const failed = stages.filter(([name, words]) => {
  console.log(`\n── ${name} ──`);
  return (
    spawnSync(node, words, { cwd: root, stdio: ["ignore", "inherit", "inherit"] }).status !== 0
  );
});
for (const [name] of failed) console.error(`FAIL ${name}`);
process.exitCode = failed.length === 0 ? 0 : 1;
