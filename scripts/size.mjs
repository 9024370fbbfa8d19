// `npm run size`: what a page loads of the library, minified and gzipped: at once, for its first
// program, and for a program that needs further rooms of the compiler.

import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { workerAddress } from "./worker-address.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** In bytes. */
const limits = { "first load": 130_000, "runtime of built programs": 15_000 };

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
  plugins: [workerAddress],
});

const sizes = new Map(
  outputFiles.map(({ path, contents }) => [
    path.slice(root.length),
    gzipSync(contents, { level: 9 }).length,
  ]),
);

/**
 * A file and what it imports at once; `on demand` are those that it imports when they are needed.
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
const first = loadedBy("out/index.js");
const beyond = (file, ...known) =>
  [...loadedBy(file)].filter((each) => known.every((files) => !files.has(each)));
/** The file of a room: the one that `import()` of a source leads to. */
const roomFile = (source) =>
  Object.keys(metafile.outputs).find((file) => metafile.outputs[file].entryPoint === source);
const front = loadedBy(roomFile("src/library/front.ts"));

const rows = [
  ["first load", bytes(first)],
  ["runtime of built programs", bytes(loadedBy("out/runtime.js"))],
  ["with the first program", bytes([...new Set([...first, ...front])])],
  ["for derivatives", bytes(beyond(roomFile("src/driver/derivatives.ts"), first, front))],
  ["for runs", bytes(beyond(roomFile("src/run/run.ts"), first, front))],
  ["einlang/tensor", bytes(loadedBy("out/tensor.js"))],
  ["einlang/explain", bytes(loadedBy("out/explain.js"))],
];

for (const [name, size] of rows) {
  const limit = limits[name];
  const within = limit === undefined ? "" : ` of ${(limit / 1000).toFixed(1)} kB`;
  console.log(`${name.padEnd(30)} ${(size / 1000).toFixed(1).padStart(7)} kB${within}`);
  if (limit !== undefined && size > limit) process.exitCode = 1;
}
