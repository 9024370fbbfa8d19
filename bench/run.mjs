// `npm run bench [-- --only gemm,rnn --peers numpy,jax-js --threads 1 --quick]`: builds the
// library, bundles the harness and the scripts of the peers, and starts the harness.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../scripts/load-ts.mjs";

const peers = join(root, "bench/peers");
const built = join(peers, ".cache/built");

// The build empties dist/ first. So its files are those of the sources, even if type checking
// fails.
spawnSync(process.execPath, [join(root, "scripts/build.mjs")], {
  stdio: ["ignore", "ignore", "inherit"],
});
const missing = ["index.js", "ein.js"].find((file) => !existsSync(join(root, "dist", file)));
if (missing) {
  console.error(`dist/${missing} is missing: \`npm run build\` failed`);
  process.exit(1);
}

await build({
  absWorkingDir: join(root, "bench"),
  entryPoints: [
    "main.ts",
    "ours.ts",
    "eager.ts",
    "limits-worker.ts",
    ...readdirSync(peers)
      .filter((file) => file.endsWith(".mjs"))
      .map((file) => `peers/${file}`),
  ],
  outdir: built,
  outExtension: { ".js": ".mjs" },
  entryNames: "[name]",
  bundle: true,
  // The bundles lie in the peers' workspace and load its packages.
  packages: "external",
  format: "esm",
  platform: "node",
  target: "es2022",
  logLevel: "warning",
});

const { status } = spawnSync(
  process.execPath,
  [join(built, "main.mjs"), ...process.argv.slice(2)],
  {
    stdio: "inherit",
    env: { ...process.env, EIN_BENCH_ROOT: root },
  },
);
process.exit(status ?? 1);
