// Builds dist/: the command line (ein.js, the parts it loads on demand, and the thread of its
// sessions), the library (index.js and its other doors) and its types.

import { spawnSync } from "node:child_process";
import { chmod, mkdir, rm, symlink } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { workerAddress } from "./worker-address.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const common = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2022",
  // Smaller to read at start-up. Names stay and lines are short, so that the place of an uncaught
  // error can be read; source maps lead to the sources.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 120,
  sourcemap: true,
  sourcesContent: false,
  legalComments: "inline",
  logLevel: "warning",
};

await rm(`${root}dist`, { recursive: true, force: true });
await Promise.all([
  build({
    ...common,
    entryPoints: { ein: "src/cli/ein.ts", "repl-worker": "src/cli/repl/worker.ts" },
    outdir: "dist",
    platform: "node",
    splitting: true,
    chunkNames: "ein/[name]-[hash]",
    // commander is CommonJS and asks for Node's modules with `require`, which an ES module has to
    // be given.
    banner: {
      js:
        'import{createRequire as requireOf}from"node:module";const ' +
        "require=requireOf(import.meta.url);",
    },
  }),
  build({
    ...common,
    entryPoints: { vite: "src/doors/node/vite.ts" },
    outdir: "dist",
    platform: "node",
  }),
  // What built programs need is one small file, which is copied beside them.
  build({
    ...common,
    entryPoints: { runtime: "src/runtime/index.ts" },
    outdir: "dist",
    platform: "neutral",
    minify: true,
  }),
  // The doors of the library share what is behind them, so that an error of one is an `EinError` of
  // the others. All chunks lie side by side, so that the one that starts threads finds their file.
  build({
    ...common,
    entryPoints: {
      index: "src/index.ts",
      tensor: "src/tensor/index.ts",
      explain: "src/doors/explain.ts",
      formats: "src/doors/formats.ts",
      files: "src/doors/node/files.ts",
      worker: "src/library/worker.ts",
      // What a page may import without the compiler is in files of its own.
      "library-value": "src/library/value.ts",
      "library-show": "src/scalar/values/show.ts",
      "library-simd": "src/backends/wasm/contract/form.ts",
      "library-threads": "src/backends/wasm/threads/threads.ts",
    },
    outdir: "dist",
    platform: "neutral",
    external: ["node:*"],
    splitting: true,
    chunkNames: "library-[name]-[hash]",
    plugins: [workerAddress],
  }),
]);
await chmod(`${root}dist/ein.js`, 0o755);

const types = spawnSync(
  process.execPath,
  [`${root}node_modules/typescript/bin/tsc`, "-p", "tsconfig.build.json"],
  {
    cwd: root,
    stdio: "inherit",
  },
);
if (types.status !== 0) process.exit(1);

// npm links the commands of a package's dependencies, but not its own: `npx ein` finds this link.
await mkdir(`${root}node_modules/.bin`, { recursive: true });
const link = `${root}node_modules/.bin/ein`;
await rm(link, { force: true });
await symlink("../../dist/ein.js", link);
