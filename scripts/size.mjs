// `npm run size`: the size of what a page loads from the library, minified and gzipped. Each part
// has a limit.

import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { inParts } from "./parts/plugin.mjs";
import { parts } from "./parts/table.mjs";
import { workerAddress } from "./worker-address.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** In bytes. */
const limits = { "core with compiler": 130_000, "runtime of built programs": 15_000 };

const doors = {
  index: "src/index.ts",
  tensor: "src/tensor/index.ts",
  explain: "src/doors/explain.ts",
  runtime: "src/runtime/index.ts",
};

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: doors,
  outdir: "out",
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  legalComments: "none",
  logLevel: "warning",
  plugins: [workerAddress, inParts],
});

const sizes = new Map(
  outputFiles.map(({ path, contents }) => [
    path.slice(root.length),
    gzipSync(contents, { level: 9 }).length,
  ]),
);

/**
 * A file and the files that it imports at once. With another `kind`, the files that it imports on
 * demand.
 */
function loadedBy(file, kind = "import-statement", found = new Set([file])) {
  for (const { path, kind: how } of metafile.outputs[file].imports) {
    if (how !== kind || found.has(path)) continue;
    found.add(path);
    loadedBy(path, kind, found);
  }
  return found;
}

const bytes = (files) => [...files].reduce((total, file) => total + sizes.get(file), 0);
const core = loadedBy("out/index.js");
const beyond = (file) => [...loadedBy(file)].filter((each) => !core.has(each));
const partFile = (part) =>
  Object.keys(metafile.outputs).find(
    (file) => metafile.outputs[file].entryPoint === `part:${part}`,
  );

const rows = [
  ["core with compiler", bytes(core)],
  ["runtime of built programs", bytes(loadedBy("out/runtime.js"))],
  ...Object.keys(parts).map((part) => [`on demand: ${part}`, bytes(beyond(partFile(part)))]),
  ["on demand: einlang/tensor", bytes(beyond("out/tensor.js"))],
  ["on demand: einlang/explain", bytes(beyond("out/explain.js"))],
];

for (const [name, size] of rows) {
  const limit = limits[name];
  const within = limit === undefined ? "" : ` of ${(limit / 1000).toFixed(1)} kB`;
  console.log(`${name.padEnd(30)} ${(size / 1000).toFixed(1).padStart(7)} kB${within}`);
  if (limit !== undefined && size > limit) process.exitCode = 1;
}
