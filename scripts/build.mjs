// Builds dist/: the command line (ein.js, the parts that it loads on demand, and the thread of its
// sessions), the library (index.js and the other entry points), and the types of the library.

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
  // The result is minified to load fast. Names are kept and lines are short, so that the place of
  // an uncaught error is readable. Source maps lead to the sources.
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
    // commander is a CommonJS package and loads Node's modules with `require`. An ES module has no
    // `require` of its own.
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
  // Built programs need only this small file, which is copied beside them.
  build({
    ...common,
    entryPoints: { runtime: "src/runtime/index.ts" },
    outdir: "dist",
    platform: "neutral",
    minify: true,
  }),
  // The entry points of the library share their common code, so that an error of one is an
  // `EinError` of the others. All parts lie in one folder, so that the part that starts threads
  // finds the file of the threads.
  build({
    ...common,
    entryPoints: {
      index: "src/index.ts",
      tensor: "src/tensor/index.ts",
      explain: "src/doors/explain.ts",
      formats: "src/doors/formats.ts",
      files: "src/doors/node/files.ts",
      worker: "src/library/worker.ts",
      // Modules that a page may import without the compiler have files of their own.
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

// npm links the commands of a package's dependencies, but not its own command. `npx ein` finds this
// link.
await mkdir(`${root}node_modules/.bin`, { recursive: true });
const link = `${root}node_modules/.bin/ein`;
await rm(link, { force: true });
await symlink("../../dist/ein.js", link);
