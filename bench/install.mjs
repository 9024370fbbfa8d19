// `npm run bench:install`: installs the peers of the benchmarks into a workspace of their own. The
// install and the tests of the package do not need them. A peer that could not be installed is
// reported as absent.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadTs, root } from "../scripts/load-ts.mjs";

const { nodePackage } = await loadTs("bench/contenders.ts");
const peers = join(root, "bench/peers");
const cache = join(peers, ".cache");
const onWindows = process.platform === "win32";
const npm = onWindows ? "npm.cmd" : "npm";
const venv = join(cache, "venv");
const python = join(venv, onWindows ? "Scripts/python.exe" : "bin/python");

/** @type {readonly (readonly [string, string, readonly string[]])[]} */
const steps = [
  ["packages for Node", npm, ["ci"]],
  [
    "a newer Node",
    npm,
    [
      "install",
      "--no-save",
      "--no-package-lock",
      "--prefix",
      join(cache, "node"),
      `${nodePackage()}@24`,
    ],
  ],
  ...(existsSync(python)
    ? []
    : [["a Python environment", onWindows ? "python" : "python3", ["-m", "venv", venv]]]),
  [
    "packages for Python",
    python,
    ["-m", "pip", "install", "--disable-pip-version-check", "-r", join(peers, "requirements.txt")],
  ],
];
const failed = steps.filter(([what, program, words]) => {
  console.log(`${what} …`);
  return (
    spawnSync(program, words, { cwd: peers, stdio: ["ignore", "ignore", "inherit"] }).status !== 0
  );
});
for (const [what, program, words] of failed)
  console.error(`no ${what}: \`${[program, ...words].join(" ")}\` failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
